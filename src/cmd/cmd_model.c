// SPDX-License-Identifier: Apache-2.0
/*
 * `inftrace model MODEL.onnx`: what the file says, then how it runs on the execution providers asked for, beside each
 * other. Analyses, runs and prints nothing itself.
 */
#include "cmd/cmd.h"
#include "cmd/model_run.h"
#include "cmd/model_fill.h"
#include "cmd/model_static.h"
#include "cmd/term.h"
#include "export/export_model.h"
#include "source/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A model's file, with its free dimensions as the runs have them. */
struct job {
	const struct model_opts *opts;
	struct model_static model;
	struct opt_list dims;		/* copies: reading them cuts them */
	struct arena arena;
	struct err *err;
};

static void add_dim(struct job *job, const char *name, size_t name_len, long long value)
{
	char *text = arena_alloc(&job->arena, name_len + 32);

	if (!text || job->dims.n == OPT_LIST_MAX)
		return;	/* what hangs on it is not known then */
	snprintf(text, name_len + 32, "%.*s=%lld", (int)name_len, name, value);
	job->dims.item[job->dims.n++] = text;
}

static bool has_dim(const struct job *job, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < job->dims.n; i++)
		if (!strncmp(job->dims.item[i], name, len) && job->dims.item[i][len] == '=')
			return true;
	return false;
}

/* Those given; of several that take turns the first. */
static void take_dims(struct job *job)
{
	const struct opt_list *list = &job->opts->run.dimension;

	job->dims.n = 0;
	for (size_t i = 0; i < list->n; i++) {
		size_t len;
		const char *value = run_opts_pair(list->item[i], &len);
		char *end;
		long long number = value ? strtoll(value, &end, 10) : -1;

		/* what is no number stays as it is: reading it says so */
		if (value && end != value && number >= 0 && (!*end || *end == ','))
			add_dim(job, list->item[i], len, number);
		else
			job->dims.item[job->dims.n++] = list->item[i];
	}
}

/* What the runner does with a free dimension that nobody gave: the batch size, or 1. */
static void free_dim(void *ctx, const char *input, uint32_t axis, const char *name, int64_t given)
{
	struct job *job = ctx;
	const char *batch = job->opts->run.batch_size;
	char place[300];

	if (given >= 0)
		return;
	snprintf(place, sizeof place, "%s:%u", input, axis);
	name = name && *name ? name : place;
	if (!has_dim(job, name))	/* inputs share their names */
		add_dim(job, name, strlen(name), !axis && batch ? strtoll(batch, NULL, 10) : 1);
}

static int read_model(struct job *job, const char *path)
{
	int code;

	take_dims(job);
	code = model_static_dims(&job->model, &job->dims, job->err);
	return code ? code : model_static_read(&job->model, path, job->err);
}

/* Once more, now that the free dimensions are known: costs hang on them. */
static int read_as_run(struct job *job, const char *path)
{
	struct job again = { .opts = job->opts, .arena = job->arena, .err = job->err };
	int code;

	take_dims(&again);
	model_static_free_dims(&job->model, free_dim, &again);
	model_static_done(&job->model);
	job->arena = again.arena;
	memset(&job->model, 0, sizeof job->model);
	code = model_static_dims(&job->model, &again.dims, job->err);
	return code ? code : model_static_read(&job->model, path, job->err);
}

/* Where the report goes, and in which format: said by --format, or by the suffix of --report. */
static FILE *open_report(const struct model_opts *opts, const char **format, struct err *err)
{
	static const struct {
		const char *suffix, *format;
	} suffixes[] = { { ".html", "html" }, { ".json", "json" }, { ".csv", "csv" } };
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (opts->force ? O_TRUNC : O_EXCL), fd;
	FILE *file;

	*format = opts->json ? "json" : opts->format;
	if (!opts->report)
		return stdout;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t len = strlen(opts->report), suffix = strlen(suffixes[i].suffix);
		if (!strcmp(*format, "text") && len > suffix && !strcmp(opts->report + len - suffix, suffixes[i].suffix))
			*format = suffixes[i].format;
	}
	fd = open(opts->report, flags, 0666);
	file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!file && errno == EEXIST)
		err_set(err, EEXIST, "cannot write %s: it exists already (--force overwrites it)", opts->report);
	else if (!file)
		err_set(err, errno, "cannot write %s: %s", opts->report, strerror(errno));
	return file;
}

/* Standard output is looked after by whoever called the command. */
static int close_report(const struct model_opts *opts, FILE *file, struct err *err)
{
	bool has_failed;
	int code;

	if (file == stdout)
		return 0;
	has_failed = fflush(file) || ferror(file);
	code = errno;
	fclose(file);
	return has_failed ? err_set(err, code, "cannot write %s: %s", opts->report, strerror(code)) : 0;
}

static struct export_opts page_opts(const struct model_opts *opts)
{
	return (struct export_opts){
		.has_color = !opts->report && *term_style(stdout, TERM_BOLD), .is_ascii = opts->ascii || term_wants_ascii(),
		.is_all = opts->all, .width = opts->report ? 0 : term_page_width(),
	};
}

static void print_report(const struct model_opts *opts, const char *format, FILE *file, const struct model_analysis *analysis)
{
	struct export_opts page = page_opts(opts);

	if (!strcmp(format, "json"))
		export_model_json(file, analysis);
	else if (!strcmp(format, "csv"))
		export_model_csv_runs(file, analysis);
	else if (!strcmp(format, "csv-operators"))
		export_model_csv_operators(file, analysis);
	else if (!strcmp(format, "html"))
		export_model_html(file, analysis);
	else
		export_model_text(file, analysis, &page);
}

static int run_and_print(struct job *job, const char *path)
{
	struct model_facts facts = { 0 };
	struct model_analysis *analysis = NULL;
	struct model_report blank;
	struct model_runs runs;
	char command[2000];
	const char *format;
	FILE *file;
	int code;

	model_report_init(&blank);
	facts = blank.model;
	code = model_fill_facts(&facts, &job->model.model, &job->model.costs, &job->arena, job->err);
	if (code)
		return code;
	file = open_report(job->opts, &format, job->err);
	if (!file)
		return -job->err->code;
	code = model_runs_do(&runs, job->opts, path, &facts, job->err);
	program_command("", getpid(), command, sizeof command);
	runs.report.command = command;
	if (!code && runs.report.n_results == 1 && runs.n_failed)
		code = err_set(job->err, EIO, "cannot run %s on %s: %s", path, runs.report.results->label, runs.report.results->error);
	if (!code)
		analysis = model_analysis_new(&runs.report, job->err);
	if (!code && !analysis)
		code = -ENOMEM;
	if (!code)
		print_report(job->opts, format, file, analysis);
	if (!code)
		code = runs.n_failed == runs.report.n_results ? CMD_FAILED : runs.n_failed ? CMD_NO : CMD_DONE;
	if (code < 0) {	/* its message stays the first one */
		struct err ignored;
		close_report(job->opts, file, &ignored);
		if (job->opts->report)
			unlink(job->opts->report);
	} else if (close_report(job->opts, file, job->err)) {
		code = -job->err->code;
	}
	model_analysis_free(analysis);
	model_runs_done(&runs);
	return code;
}

static int print_static(const struct job *job)
{
	struct export_opts page = page_opts(job->opts);
	/* such a model cannot be loaded: the page says why */
	int status = onnx_external_check(&job->model.externals, NULL) ? CMD_NO : CMD_DONE;
	struct json json;

	if (!job->opts->json && strcmp(job->opts->format, "json")) {
		model_static_text(stdout, &job->model, &page);
		return status;
	}
	json_init(&json, stdout);
	json_object(&json, NULL);
	model_static_json(&json, &job->model);
	json_end(&json, '}');
	json_done(&json);
	return status;
}

static int model_run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct model_opts *opts = opaque;
	struct job job = { .opts = opts, .err = err };
	int code;

	if (opts->interval_ns < 10000000)
		return cmd_misused(err, "--interval must be 10ms or more");
	if (opts->rounds < 1 || opts->rounds > 100)
		return cmd_misused(err, "--rounds must be from 1 to 100");
	code = read_model(&job, argv[0]);
	if (!code && opts->dry_run)
		code = print_static(&job);
	else if (!code && !(code = onnx_external_check(&job.model.externals, err)) && !(code = read_as_run(&job, argv[0])))
		code = run_and_print(&job, argv[0]);
	model_static_done(&job.model);
	arena_done(&job.arena);
	return code;
}

const struct cmd cmd_model = {
	.name = "model",
	.usage = "[options] MODEL.onnx",
	.summary = "run a model on execution providers and compare them",
	.help = "Reads the model, finds an ONNX Runtime, and runs the model on each provider of --ep in a program of its own that is recorded like "
		"anybody's: first for the latencies, then, shorter, for the operators. Inputs are made up from a seed, or come from files. The report "
		"compares session creation, first inference, steady latency, operators, memory and outputs; what a provider did not take is said from "
		"what ran. With --ep-profile the provider's own profiler runs during the second run: what it saw is in that recording, and in the report.\n\n"
		"With --dry-run nothing is run: operators, parameters, shapes, operations and bytes are those that follow from the file. A multiply-add counts as two operations. Bytes are those of inputs, weights and outputs, each once: the least that has to move.\n\n"
		"Exit status: 0 when every run came to its end; 1 when some did not, or external data is missing; 3 when none did, or MODEL is no ONNX model.",
	.examples =
	    (const struct cmd_example[]){
		{ "inftrace model model.onnx", "latency and operators on the CPU" },
		{ "inftrace model model.onnx --ep cpu,openvino --report compare.html", "two providers beside each other, as a page with plots" },
		{ "inftrace model model.onnx --dim batch=8 -c 4 -t 30s", "batches of 8, four at a time, for half a minute" },
		{ "inftrace model model.onnx --rate 100 --json", "100 arrivals a second: how long do they wait?" },
		{ "inftrace model model.onnx --ep qnn --ep-profile detailed", "and what runs inside the provider's operators" },
		{ "inftrace model model.onnx --dry-run", "what is in the file" },
		{ 0 },
	    },
	.opts = model_opt_table,
	.opts_size = sizeof(struct model_opts),
	.min_args = 1,
	.max_args = 1,
	.run = model_run,
};
