// SPDX-License-Identifier: Apache-2.0
/*
 * `inftrace model MODEL.onnx`: what the file says, then how it runs on the execution providers asked for, beside each
 * other. Analyses, runs and prints nothing itself.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/insight/insight.h"
#include "base/part_path.h"
#include "capture/proc/program.h"
#include "cmd/cmd.h"
#include "cmd/record/live_page.h"
#include "cmd/record/page_file.h"
#include "cmd/record/record_say.h"
#include "experiment/model_baseline.h"
#include "experiment/model_files.h"
#include "experiment/model_pages.h"
#include "experiment/model_run.h"
#include "show/term/term.h"
#include "show/words/export.h"

/* The options of model, which its table counts from, and those of its page. */
struct model_words {
	struct model_opts model;
	struct live_options live;
};

static const struct opt live_rows[] = {
	{ 0, NULL, NULL, "Live page:" },
	LIVE_OPTIONS(struct model_words, live),
	{ 0 },
};

__attribute__((constructor)) static void add_rows(void)
{
	model_options_append(live_rows);
}

struct job {
	const struct model_opts *opts;
	const struct live_options *live;
	struct live_page page;
	struct names *names; /* of all runs that the page shows */
	uint32_t last_track;
	struct model_watch watch;
	bool is_interrupted;
	struct model_ways ways;
	struct model_files files;
	struct model_baseline *baseline; /* NULL: there is none */
	double threshold;		 /* a share; NAN: none */
	struct arena arena;
	struct err *err;
};

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

/* All runs failed, or the only one: there is nothing to report. */
static int check_single(const struct job *job, const struct model_runs *runs)
{
	const struct model_result *only = runs->report.results;

	if (runs->report.n_results != 1 || !runs->n_failed)
		return 0;
	return err_set(job->err, EIO, "cannot run %s on %s: %s%s%s", job->ways.way->model, only->label, only->error,
		       only->advice ? "; or, " : "", only->advice ? only->advice : "");
}

static int print_runs(struct job *job, struct model_runs *runs, struct model_pages *pages)
{
	const struct report_look look = look_of(job->opts);
	bool is_kept = *runs->folder.path && model_folder_is_kept(&runs->folder);
	struct model_analysis *analysis = insights_analyse(&runs->report, job->err);
	int code = analysis ? 0 : -ENOMEM;
	bool is_judged = !isnan(job->threshold);

	if (!code && job->baseline) {
		code = model_baseline_compare(job->baseline, analysis, is_judged ? job->threshold : 0, &job->arena,
					      job->err);
		runs->report.baseline = code ? NULL : &job->baseline->diff;
	}
	if (!code && is_kept)
		code = model_pages_into(runs->folder.path, analysis, job->err);
	if (!code)
		code = model_pages_write(pages, analysis, &look, job->err);
	if (!code)
		code = runs->n_failed == runs->report.n_results ? CMD_FAILED : runs->n_failed ? CMD_NO : CMD_DONE;
	if (code == CMD_DONE && is_judged && job->baseline->diff.is_regression)
		code = CMD_NO;
	if (code >= 0 && is_kept && !runs->is_failed)
		term_say("%s has report.html, report.json and the recordings", runs->folder.path);
	model_analysis_free(analysis);
	return code;
}

/* Where a page is wanted. 0, or -errno and err; the page is to be closed also then. */
static int open_page(struct job *job)
{
	struct live_page_stream stream = { .last_track = &job->last_track,
					   .name = job->ways.way->model,
					   .interval_ns = job->opts->interval_ns };
	struct recorder_opts recorder = { 0 };
	int code = live_page_open(&job->page, job->live, job->err);

	if (code || !job->live->is_wanted)
		return code;
	stream.names = job->names = names_new();
	code = job->names ? live_page_start(&job->page, &stream, stderr, &recorder, job->err)
			  : err_no_memory(job->err, "cannot show what happens");
	job->watch =
	    (struct model_watch){ job->names, &job->last_track, recorder.sinks, recorder.n_sinks, recorder.guest };
	return code;
}

static void close_page(struct job *job, bool stays)
{
	if (stays) {
		fflush(stdout);
		live_page_stay(&job->page);
	}
	live_page_close(&job->page);
	names_free(job->names);
}

static int run_and_print(struct job *job)
{
	struct model_pages pages = { 0 };
	const struct say say = record_say(job->opts->quiet || !isatty(STDERR_FILENO), false);
	struct model_runs runs;
	char command[2000];
	int code;

	code = model_pages_open(&pages, job->opts, job->err);
	if (code)
		return code;
	code = model_runs_do(&runs, job->opts, &job->ways, &say, job->live->is_wanted ? &job->watch : NULL, job->err);
	if (!code)
		code = model_files_describe(&job->files, &runs, job->err);
	program_command("", getpid(), command, sizeof command);
	runs.report.command = command;
	code = code ? code : check_single(job, &runs);
	code = code ? code : print_runs(job, &runs, &pages);
	runs.is_failed |= code < 0;
	job->is_interrupted = runs.is_interrupted;
	model_pages_close(&pages);
	model_runs_done(&runs);
	return code;
}

/* With a page, where one is wanted, which outlives the runs while somebody looks at it. */
static int run_on_page(struct job *job)
{
	int code = open_page(job);

	if (!code)
		code = run_and_print(job);
	close_page(job, code >= 0 && !job->is_interrupted);
	return code;
}

static int print_static(const struct job *job)
{
	const struct model_static *model = &job->files.item[0];
	struct report_look page = look_of(job->opts);
	/* such a model cannot be loaded: the page says why */
	int status = onnx_external_check(&model->externals, NULL) ? CMD_NO : CMD_DONE;
	struct json json;

	if (!job->opts->json && (!job->opts->format || strcmp(job->opts->format, "json"))) {
		export_static_text(stdout, model, &page);
		return status;
	}
	json_init(&json, stdout);
	json_object(&json, NULL);
	export_static_json(&json, model);
	json_end(&json, '}');
	json_done(&json);
	return status;
}

/* The runner prints them: runtimes are loaded nowhere else. Returns only if it cannot be started. */
static int list_devices_of(struct job *job, char *path, const char *runtime)
{
	const struct run_opts *run = &job->opts->run;
	char *argv[2 * OPT_LIST_MAX + 8], **next = argv;

	*next++ = path;
	*next++ = (char *)"--list-devices";
	if (runtime) {
		*next++ = (char *)"--runtime";
		*next++ = (char *)runtime;
	}
	for (size_t i = 0; i < run->provider_library.n; i++) {
		*next++ = (char *)"--ep-library";
		*next++ = (char *)run->provider_library.item[i];
	}
	*next = NULL;
	execv(path, argv);
	return err_set(job->err, errno, "cannot start %s: %s", path, strerror(errno));
}

/* In a process of its own. Its exit status, or -errno. */
static int list_devices_beside(struct job *job, char *path, const char *runtime)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return err_set(job->err, errno, "cannot start %s: %s", path, strerror(errno));
	if (!pid) {
		list_devices_of(job, path, runtime);
		fprintf(stderr, "inftrace: %s\n", job->err->msg);
		_exit(CMD_FAILED);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : CMD_FAILED;
}

/* Of several runtimes, one after the other. The exit status is the first that is not 0. */
static int list_devices(struct job *job)
{
	const char *runtime[OPT_LIST_MAX] = { NULL };
	int code = 0, first = 0, n;
	char path[PATH_MAX];

	n = model_ways_runtimes(job->opts, runtime, &job->arena, job->err);
	if (n < 0)
		return n;
	if (runner_path(path, sizeof path, job->err))
		return -job->err->code;
	if (n < 2)
		return list_devices_of(job, path, runtime[0]);
	for (int i = 0; i < n && code >= 0; i++) {
		if (i)
			putchar('\n');
		code = list_devices_beside(job, path, runtime[i]);
		first = first ? first : code;
	}
	return code < 0 ? code : first;
}

/* What the runner would refuse, before it is started. */
static int check_options(const struct model_opts *opts, const char *path, struct err *err)
{
	struct run_opts run = opts->run;
	struct err why;

	run.model = path;
	run.batch_size = opts->batch.n ? opts->batch.item[0] : NULL;
	/* with --ep, too, these are runs of their own */
	run.policy = opts->ep.n ? NULL : run.policy;
	return run_opts_check(&run, &why) ? opt_misused(err, "%s", why.msg) : 0;
}

static int check_words(const struct model_opts *opts, int argc, struct err *err)
{
	if (!argc)
		return opt_misused(err, "model needs an argument: MODEL.onnx");
	if (argc > 1 && opts->dry_run)
		return opt_misused(err, "--dry-run analyses one model at a time");
	if (page_file_check_json(opts->json, opts->format, err))
		return -OPT_MISUSED;
	if (opts->dry_run && opts->format && strcmp(opts->format, "text") && strcmp(opts->format, "json"))
		return opt_misused(err, "--dry-run prints text or JSON, no %s", opts->format);
	if (opts->interval_ns < 10000000)
		return opt_misused(err, "--interval must be 10ms or more");
	if (opts->rounds < 1 || opts->rounds > 100)
		return opt_misused(err, "--rounds must be from 1 to 100");
	if (opts->out && !strcmp(opts->out, "-"))
		return opt_misused(err, "-o needs a folder: standard output has the report only");
	for (size_t i = 0; i < opts->report.n; i++)
		if (!strcmp(opts->report.item[i], "-"))
			return opt_misused(err, "--report needs a file: standard output has the report without it");
	return 0;
}

static int read_baseline(struct job *job)
{
	const struct model_opts *opts = job->opts;
	char *end;

	job->threshold = NAN;
	if (opts->threshold) {
		job->threshold = strtod(opts->threshold, &end) / 100;
		end += *end == '%';
		if (end == opts->threshold || *end || !(job->threshold >= 0 && job->threshold <= 10))
			return opt_misused(job->err, "cannot use '%s' as --threshold: expected a percentage such as 5",
					   opts->threshold);
		if (!opts->baseline)
			return opt_misused(job->err, "--threshold needs --baseline FILE to compare with");
	}
	if (!opts->baseline)
		return 0;
	job->baseline = arena_alloc(&job->arena, sizeof *job->baseline);
	if (!job->baseline)
		return err_no_memory(job->err, "cannot compare");
	return model_baseline_read(job->baseline, opts->baseline, &job->arena, job->err);
}

static int model_run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct model_words *words = opaque;
	const struct model_opts *opts = &words->model;
	struct job job = { .opts = opts, .live = &words->live, .err = err };
	int code;

	if (opts->run.list_devices) {
		code = list_devices(&job);
		arena_done(&job.arena);
		return code;
	}
	code = check_words(opts, argc, err);
	code = code ? code : live_options_check(&words->live, err);
	code = code ? code : check_options(opts, argv[0], err);
	code = code ? code : read_baseline(&job);
	code = code ? code : model_ways_find(&job.ways, opts, argv, argc, &job.arena, err);
	code = code ? code : model_files_read(&job.files, opts, &job.ways, err);
	if (!code && opts->dry_run)
		code = print_static(&job);
	else if (!code && !(code = model_files_check(&job.files, err)))
		code = run_on_page(&job);
	model_files_done(&job.files);
	arena_done(&job.arena);
	return code;
}

const struct cmd cmd_model = {
	.name = "model",
	.usage = "[options] MODEL.onnx ...",
	.summary = "run models in several ways and compare them",
	.help = "Reads the model, finds an ONNX Runtime, and runs the model in separate processes under the recorder: "
		"first for the latencies, then, shorter, for the operators. Each combination of several models and "
		"several values of --ep, --runtime, --intra-op-threads, --batch-size and --optimization is a separate "
		"run, up to 16 runs, which take turns. Inputs are generated from a seed, or come from files. The "
		"report compares session creation, first inference, steady latency, operators, memory and outputs. "
		"Nodes that a provider did not accept are listed, judged by what actually ran. With --ep-profile, the "
		"provider's own profiler runs during the second run, and its results are in that recording and in the "
		"report.\n\n"
		"Nothing is left in the working folder without -o or --save.\n\n"
		"With --dry-run nothing "
		"runs: operators, parameters, shapes, operations and bytes are computed from the file. A multiply-add "
		"counts as two operations. Bytes count inputs, weights and outputs once each: a lower bound of the "
		"traffic.\n\n"
		"A model in ONNX Runtime's own format (.ort) runs, too. Only the runtime reads its graph, "
		"so the report lacks the figures that are computed from the file, and --dry-run rejects it.\n\n"
		"Exit "
		"status: 0 if every run completed; 1 if some did not, external data is missing, or a run became slower "
		"than --threshold allows; 3 if none did, or MODEL is not an ONNX model.",
	.examples =
	    (const struct cmd_example[]){
		{ "inftrace model model.onnx", "latency and operators on the CPU" },
		{ "inftrace model model.onnx --ep cpu,openvino --report compare.html",
		  "two providers beside each other, also as a page with plots" },
		{ "inftrace model fp32.onnx int8.onnx --intra-op-threads 1,4",
		  "four runs: two models, 1 and 4 threads each" },
		{ "inftrace model model.onnx --runtime old/,new/ --batch-size 1,8",
		  "two runtimes with two batch sizes, compared by the time of an item" },
		{ "inftrace model model.onnx --baseline old.json --threshold 5",
		  "in CI: fail if it became slower by 5 %" },
		{ "inftrace model model.onnx --dim batch=8 -c 4 -d 30s",
		  "batches of 8, four at a time, for half a minute" },
		{ "inftrace model model.onnx --rate 100 --json", "latency and waiting at 100 arrivals a second" },
		{ "inftrace model model.onnx --ep qnn --ep-profile detailed",
		  "also the work inside the provider's operators" },
		{ "inftrace model decoder.onnx --tokens 100 --prompt 16,512",
		  "first token and time between tokens of a decoder; also of a folder of onnxruntime-genai, or a GGUF "
		  "file" },
		{ "inftrace model model.onnx --live", "watch the runs in a browser while they are measured" },
		{ "inftrace model model.onnx --dry-run", "what is in the file" },
		{ 0 },
	    },
	.opts = model_opt_table,
	.opts_size = sizeof(struct model_words),
	.min_args = 0,
	.max_args = MODEL_MAX_WAYS,
	.words = CMD_MODELS,
	.run = model_run,
};
