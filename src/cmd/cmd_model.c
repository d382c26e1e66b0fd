// SPDX-License-Identifier: Apache-2.0
/*
 * `inftrace model MODEL.onnx`: what the file says, then how it runs on the execution providers asked for, beside each
 * other. Analyses, runs and prints nothing itself.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/insight/insight.h"
#include "base/part_path.h"
#include "capture/proc/program.h"
#include "cmd/cmd.h"
#include "cmd/record_say.h"
#include "experiment/model_fill.h"
#include "experiment/model_pages.h"
#include "experiment/model_run.h"
#include "show/term/term.h"
#include "show/words/export.h"

/* A model's file, with its free dimensions as the runs have them. */
struct job {
	const struct model_opts *opts;
	struct model_static model;
	struct opt_list dims; /* copies: reading them cuts them */
	struct arena arena;
	struct err *err;
};

/* Those given; of several that take turns the first. What is no number stays as it is: reading it says so. */
static int take_dims(struct job *job)
{
	const struct opt_list *list = &job->opts->run.dimension;

	for (size_t i = 0; i < list->n; i++) {
		size_t size = strlen(list->item[i]) + 1, len;
		const char *value = run_opts_pair(list->item[i], &len);
		char *copy = arena_alloc(&job->arena, size);

		if (!copy)
			return err_set(job->err, ENOMEM, "cannot analyse the model: out of memory");
		memcpy(copy, list->item[i], size);
		if (value && value[strspn(value, "0123456789")] == ',')
			copy[len + 1 + strspn(value, "0123456789")] = 0;
		job->dims.item[job->dims.n++] = copy;
	}
	return model_static_dims(&job->model, &job->dims, job->err);
}

/* What the runner does with a free dimension that nobody gave: the shape of its input, the batch size, or 1. */
static int64_t assume_size(void *ctx, const struct model_free_dim *dim)
{
	const struct run_opts *run = &((const struct job *)ctx)->opts->run;
	int64_t size[TENSOR_MAX_DIMS];
	const char *end;
	size_t len;

	for (size_t i = 0; i < run->shape.n; i++) {
		const char *shape = run_opts_pair(run->shape.item[i], &len);

		if (shape && strlen(dim->input) == len && !memcmp(dim->input, run->shape.item[i], len))
			return run_opts_shape(shape, size, TENSOR_MAX_DIMS, &end, NULL) > (int)dim->axis
				   ? size[dim->axis]
				   : -1;
	}
	if (dim->given >= 0)
		return dim->given;
	if (!dim->axis && run->batch_size && run_opts_numbers(run->batch_size, size, TENSOR_MAX_DIMS, NULL) > 0)
		return size[0];
	return 1;
}

static int read_model(struct job *job, const char *path)
{
	int code = take_dims(job);

	if (!code)
		code = model_static_read(&job->model, path, job->err);
	return code ? code : model_static_count(&job->model, assume_size, job, job->err);
}

/* How a text page looks on standard output. */
static struct report_look look_of(const struct model_opts *opts)
{
	return (struct report_look){
		.has_color = *term_style(stdout, TERM_BOLD),
		.is_ascii = opts->ascii || term_wants_ascii(),
		.is_all = opts->all,
		.width = term_page_width(),
	};
}

static int run_and_print(struct job *job, const char *path)
{
	struct model_analysis *analysis = NULL;
	const struct report_look look = look_of(job->opts);
	struct model_pages pages = { 0 };
	const struct say say = record_say(job->opts->quiet || !isatty(STDERR_FILENO), false);
	struct model_runs runs;
	char command[2000];
	int code;

	code = model_pages_open(&pages, job->opts, job->err);
	if (code)
		return code;
	code = model_runs_do(&runs, job->opts, path, &say, job->err);
	if (!code && runs.inputs)
		code = model_static_count(&job->model, model_runs_size, &runs, job->err);
	if (!code)
		code = model_fill_facts(&runs.report.model, &job->model, &job->arena, job->err);
	program_command("", getpid(), command, sizeof command);
	runs.report.command = command;
	if (!code && runs.report.n_results == 1 && runs.n_failed)
		code = err_set(job->err, EIO, "cannot run %s on %s: %s%s%s", path, runs.report.results->label,
			       runs.report.results->error, runs.report.results->advice ? "; or, " : "",
			       runs.report.results->advice ? runs.report.results->advice : "");
	if (!code)
		analysis = insights_analyse(&runs.report, job->err);
	if (!code && !analysis)
		code = -ENOMEM;
	if (!code && *runs.folder.path && model_folder_is_kept(&runs.folder))
		code = model_pages_into(runs.folder.path, analysis, job->err);
	if (!code)
		code = model_pages_write(&pages, analysis, &look, job->err);
	if (!code)
		code = runs.n_failed == runs.report.n_results ? CMD_FAILED : runs.n_failed ? CMD_NO : CMD_DONE;
	if (code >= 0 && *runs.folder.path && model_folder_is_kept(&runs.folder) && !runs.is_failed)
		term_say("%s has report.html, report.json and the recordings", runs.folder.path);
	runs.is_failed |= code < 0;
	model_pages_close(&pages, code < 0);
	model_analysis_free(analysis);
	model_runs_done(&runs);
	return code;
}

static int print_static(const struct job *job)
{
	struct report_look page = look_of(job->opts);
	/* such a model cannot be loaded: the page says why */
	int status = onnx_external_check(&job->model.externals, NULL) ? CMD_NO : CMD_DONE;
	struct json json;

	if (!job->opts->json && strcmp(job->opts->format, "json")) {
		export_static_text(stdout, &job->model, &page);
		return status;
	}
	json_init(&json, stdout);
	json_object(&json, NULL);
	export_static_json(&json, &job->model);
	json_end(&json, '}');
	json_done(&json);
	return status;
}

/* The runner prints them: runtimes are loaded nowhere else. */
static int list_devices(struct job *job)
{
	const struct run_opts *run = &job->opts->run;
	char path[PATH_MAX], *argv[2 * OPT_LIST_MAX + 8], **next = argv;

	if (runner_path(path, sizeof path, job->err))
		return -job->err->code;
	*next++ = path;
	*next++ = (char *)"--list-devices";
	if (run->runtime) {
		*next++ = (char *)"--runtime";
		*next++ = (char *)run->runtime;
	}
	for (size_t i = 0; i < run->provider_library.n; i++) {
		*next++ = (char *)"--ep-library";
		*next++ = (char *)run->provider_library.item[i];
	}
	*next = NULL;
	execv(path, argv);
	return err_set(job->err, errno, "cannot start %s: %s", path, strerror(errno));
}

/* What the runner would refuse, before it is started. */
static int check_options(const struct model_opts *opts, const char *path, struct err *err)
{
	struct run_opts run = opts->run;
	struct err why;

	run.model = path;
	/* with --ep, too, these are runs of their own */
	run.policy = opts->ep.n ? NULL : run.policy;
	return run_opts_check(&run, &why) ? opt_misused(err, "%s", why.msg) : 0;
}

static int model_run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct model_opts *opts = opaque;
	struct job job = { .opts = opts, .err = err };
	int code;

	if (opts->run.list_devices)
		return list_devices(&job);
	if (!argc)
		return opt_misused(err, "model needs an argument: MODEL.onnx");
	if (opts->interval_ns < 10000000)
		return opt_misused(err, "--interval must be 10ms or more");
	if (opts->rounds < 1 || opts->rounds > 100)
		return opt_misused(err, "--rounds must be from 1 to 100");
	code = check_options(opts, argv[0], err);
	if (!code)
		code = read_model(&job, argv[0]);
	if (!code && opts->dry_run)
		code = print_static(&job);
	else if (!code && !(code = onnx_external_check(&job.model.externals, err)))
		code = run_and_print(&job, argv[0]);
	model_static_done(&job.model);
	arena_done(&job.arena);
	return code;
}

const struct cmd cmd_model = {
	.name = "model",
	.usage = "[options] MODEL.onnx",
	.summary = "run a model on execution providers and compare them",
	.help =
	    "Reads the model, finds an ONNX Runtime, and runs the model on each provider of --ep, in a separate "
	    "process under the recorder: first for the latencies, then, shorter, for the operators. Inputs are "
	    "generated from a seed, or come from files. The report compares session creation, first inference, "
	    "steady latency, operators, memory and outputs. Nodes that a provider did not accept are listed, judged by "
	    "what actually ran. With --ep-profile, the provider's own profiler runs during the second run, and its "
	    "results are in that recording and in the report.\n\n"
	    "Nothing is left in the working folder without -o or --save.\n\n"
	    "With --dry-run nothing runs: operators, parameters, shapes, operations and bytes follow from the file. A "
	    "multiply-add counts as two operations. Bytes are those of inputs, weights and outputs, each once: the "
	    "least that has to move.\n\n"
	    "Exit status: 0 if every run completed; 1 if some did not, or external data is missing; 3 if none "
	    "did, or MODEL is not an ONNX model.",
	.examples =
	    (const struct cmd_example[]){
		{ "inftrace model model.onnx", "latency and operators on the CPU" },
		{ "inftrace model model.onnx --ep cpu,openvino --report compare.html",
		  "two providers beside each other, also as a page with plots" },
		{ "inftrace model model.onnx --dim batch=8 -c 4 -d 30s",
		  "batches of 8, four at a time, for half a minute" },
		{ "inftrace model model.onnx --rate 100 --json", "100 arrivals a second: how long do they wait?" },
		{ "inftrace model model.onnx --ep qnn --ep-profile detailed",
		  "and what runs inside the provider's operators" },
		{ "inftrace model model.onnx --dry-run", "what is in the file" },
		{ 0 },
	    },
	.opts = model_opt_table,
	.opts_size = sizeof(struct model_opts),
	.min_args = 0,
	.max_args = 1,
	.words = CMD_MODELS,
	.run = model_run,
};
