// SPDX-License-Identifier: Apache-2.0
/*
 * `inftrace handle (--samples N | --rate TIME) (--pid PID | --name NAME | --path PATH | -- CMD)`: the reports of
 * libinftrace's handles for a program that is not linked with it. Records as record and attach do, into a reporter
 * instead of a file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/privilege.h"
#include "base/text/pattern.h"
#include "base/text/units.h"
#include "capture/recorder/recorder_launch.h"
#include "cmd/cmd.h"
#include "cmd/record/attach_file.h"
#include "cmd/record/probe_options.h"
#include "cmd/record/record_say.h"
#include "cmd/table/top_choose.h"
#include "show/handle/reporter.h"
#include "show/term/term.h"

struct handle_opts {
	int samples, every, pid;
	uint64_t rate_ns, duration_ns;
	const char *type, *models, *name, *path, *out;
	bool inject, json, force, quiet;
};

#define AT(field) offsetof(struct handle_opts, field)

static const struct opt handle_opt_table[] = {
	{ 0, NULL, NULL, "When it reports:" },
	{ 0, "samples", "N", "one report for each model, after this many inferences; then end", OPT_INT, AT(samples) },
	{ 'r', "rate", "TIME", "one report for each model at each multiple of this time; also without inferences",
	  OPT_PERIOD, AT(rate_ns) },
	{ 'd', "duration", "TIME", "end after this time, with partial reports; the program keeps running", OPT_PERIOD,
	  AT(duration_ns) },
	{ 0, NULL, NULL, "What is in a report:" },
	{ 'm', "models", "REGEX", "only models whose name matches; a regular expression of ECMAScript", OPT_STR,
	  AT(models) },
	{ 0, "every", "N", "every Nth inference of each model", OPT_INT, AT(every), "1" },
	{ 't', "type", "latency|trace", "a table of times (CSV); or Chrome JSON with operators", OPT_CHOICE, AT(type),
	  "latency" },
	{ 0, NULL, NULL, "Which program:" },
	{ 0, "pid", "PID", "one that runs already", OPT_INT, AT(pid) },
	{ 0, "name", "NAME", "match by name, now and later: of the program, or of the script an interpreter is running",
	  OPT_STR, AT(name) },
	{ 0, "path", "PATH", "match by path, now and later: of the executable, or of the script", OPT_STR, AT(path) },
	{ 0, "inject", NULL,
	  "load the agent of record into the program instead of probing it: needs no root; only programs that run "
	  "already",
	  OPT_FLAG, AT(inject) },
	{ 0, NULL, NULL, "Where reports go:" },
	{ 'o', "output", "DIR",
	  "write files named by model into this folder; by default, or with -, write to standard output", OPT_STR,
	  AT(out) },
	{ 0, "force", NULL, "overwrite files that exist", OPT_FLAG, AT(force) },
	{ 0, "json", NULL, "write one JSON object a report, each on a line, to standard output", OPT_FLAG, AT(json) },
	{ 'q', "quiet", NULL, "print warnings only", OPT_FLAG, AT(quiet) },
	{ 0 },
};

static const struct cmd_example examples[] = {
	{ "inftrace handle --samples 100 --pid 42", "a table of the next 100 inferences of each model" },
	{ "inftrace handle --rate 500ms --models '^Resnet50' -o reports -- python app.py",
	  "a table each half second, into files" },
	{ "inftrace handle --samples 2 --type trace -o . --inject --pid 42", "two inferences with their operators" },
	{ "inftrace handle -r 1s --json --pid 42 | jq -c '[.to, .model, .samples]'", "for a program" },
	{ 0 },
};

/* One run of the command. */
struct job {
	const struct handle_opts *opts;
	struct report_out out;
	struct reporter reporter;
	struct names *names;
	uint32_t last_track;
	bool has_reporter;
	struct sink *sinks[1];
	struct recorder_guest guest;
	struct recorder_result result;
};

/* NULL: reports go to standard output. */
static const char *directory(const struct handle_opts *opts)
{
	return opts->out && strcmp(opts->out, "-") != 0 ? opts->out : NULL;
}

static int check(const struct handle_opts *opts, bool is_command, struct err *err)
{
	int n_ways = (opts->pid != 0) + (opts->name != NULL) + (opts->path != NULL) + is_command;

	if (!opts->samples == !opts->rate_ns)
		return opt_misused(err, "give one of --samples and --rate");
	if (n_ways != 1)
		return opt_misused(err, "give one of --pid, --name, --path and -- CMD");
	if (!opts->every)
		return opt_misused(err, "--every must be 1 or more");
	if (opts->rate_ns && opts->rate_ns < 1000000)
		return opt_misused(err, "--rate must be 1ms or more");
	if (directory(opts) && opts->json)
		return opt_misused(err, "--json is for standard output, -o for files: give one of them");
	if (opts->force && !directory(opts))
		return opt_misused(err, "--force needs -o DIR");
	if (opts->inject && is_command)
		return opt_misused(err, "--inject is for programs that run already; a command gets the agent anyway");
	return 0;
}

/* The recording ends when the reporter has all that was wanted. */
static bool ready(void *ctx)
{
	return false;
}

static int open_reporter(struct job *job, struct err *err)
{
	const struct handle_opts *opts = job->opts;
	struct reporter_opts reporter = { .n_samples = (uint32_t)opts->samples,
					  .rate_ns = opts->rate_ns,
					  .every = (uint32_t)opts->every,
					  .type = strcmp(opts->type, "trace") ? INFTRACE_LATENCY : INFTRACE_TRACE,
					  .out = &job->out };
	int code;

	if (opts->models && !(reporter.models = pattern_new(opts->models, err)))
		return err->code == EINVAL ? opt_misused(err, "--models '%.60s' is not a regular expression: %s",
							 opts->models, strdupa(err->msg))
					   : -err->code;
	job->out = (struct report_out){ .dir = directory(opts),
					.stream = stdout,
					.is_json = opts->json,
					.is_numbered = opts->rate_ns != 0,
					.may_overwrite = opts->force };
	job->names = names_new();
	code = job->names ? report_out_open(&job->out, err) : err_set(err, ENOMEM, "out of memory");
	if (code) {
		pattern_free(reporter.models);
		return code;
	}
	job->has_reporter = true;
	code = reporter_init(&job->reporter, &reporter, job->names, &job->last_track, err);
	job->sinks[0] = &job->reporter.gather.sink;
	job->guest = (struct recorder_guest){ job->reporter.done_fd, ready, job };
	return code;
}

static struct recorder_opts recorder_opts_of(struct job *job, const char *command)
{
	bool is_trace = job->reporter.opts.type == INFTRACE_TRACE;

	return (struct recorder_opts){ .plan = { .level = is_trace ? "operator" : "inference",
						 .interval_ns = 1000000000,
						 .duration_ns = job->opts->duration_ns },
				       .sinks = job->sinks,
				       .n_sinks = 1,
				       .say = record_say(job->opts->quiet, false),
				       .command = command,
				       .guest = &job->guest };
}

static void print_summary(const struct job *job)
{
	const struct recorder_result *result = &job->result;

	if (job->reporter.gather.note[0])
		term_say("%s", job->reporter.gather.note);
	if (job->opts->quiet)
		return;
	fprintf(stderr, "%sinftrace:%s %s report%s, %s inference%s in %s", term_style(stderr, TERM_BOLD),
		term_style(stderr, TERM_PLAIN), units_count(job->out.n_reports).s, job->out.n_reports == 1 ? "" : "s",
		units_count(result->n_inferences).s, result->n_inferences == 1 ? "" : "s",
		units_duration((double)result->elapsed_ns).s);
	if (job->out.dir)
		fprintf(stderr, ", in %s", job->out.dir);
	if (result->n_lost)
		fprintf(stderr, ", %s event%s lost", units_count(result->n_lost).s, result->n_lost == 1 ? "" : "s");
	fputc('\n', stderr);
}

/* The recording is over: the last reports, with the rights of the user. 0, or -errno and err. */
static int finish(struct job *job, struct err *err)
{
	bool was_on = privilege_use(false);

	reporter_end(&job->reporter);
	privilege_use(was_on);
	if (job->reporter.err.code && job->reporter.err.code != EPIPE) {
		*err = job->reporter.err;
		return -err->code;
	}
	print_summary(job);
	return 0;
}

static int attach(struct job *job, struct err *err)
{
	const struct handle_opts *opts = job->opts;
	struct probe_options probes = { .sample = "1", .link = "auto" };
	struct attached attached = { 0 };
	struct recorder_attach_opts attach_opts = { .attached = &attached,
						    .wish = { opts->name, opts->path },
						    .injects = opts->inject,
						    .probes = probe_options_value(&probes),
						    .ring_bytes = 8 << 20 };
	struct recorder_opts recorder_opts;
	struct top_choice choice;
	char pid[16], *word = pid;
	struct record_options shared = { .plan = { .interval_ns = 1000000000 }, .thin = "auto", .stacks = "off" };
	int code = attach_file_check(&shared, NULL, &attach_opts.wish, err);

	snprintf(pid, sizeof pid, "%d", opts->pid);
	if (!code)
		code = attached_init(&attached, err);
	if (!code)
		code = top_choose(&attach_opts, opts->pid != 0, &word, &choice, err);
	if (!code && *choice.remark)
		term_say("%s", choice.remark);
	if (!code) {
		recorder_opts = recorder_opts_of(job, choice.what);
		code = recorder_attach(&recorder_opts, &attach_opts, &job->result, err);
	}
	attached_done(&attached);
	return code ? code : finish(job, err);
}

/* Ends as the program did; a report that could not be written does not change that. */
static int launch(struct job *job, char **argv, struct err *err)
{
	struct recorder_launch_opts opts = { .argv = argv,
					     .ring_bytes = 8 << 20,
					     .stdout_is_ours = !directory(job->opts) };
	struct recorder_opts recorder_opts = recorder_opts_of(job, argv[0]);
	struct launch program;
	int code = launch_prepare(&program, argv, err), status;

	if (!code)
		code = recorder_launch(&recorder_opts, &opts, &program, &job->result, err);
	launch_done(&program);
	if (code)
		return code;
	if (finish(job, err))
		term_say("%s", err->msg);
	status = job->result.wait_status;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct handle_opts *opts = opaque;
	struct job *job = calloc(1, sizeof *job);
	int code;

	if (!job)
		return err_no_memory(err, "cannot make a handle");
	job->opts = opts;
	code = check(opts, argc != 0, err);
	/* a command needs none of what the file may grant */
	if (argc)
		privilege_drop();
	if (!code)
		code = open_reporter(job, err);
	if (!code)
		code = argc ? launch(job, argv, err) : attach(job, err);
	if (job->has_reporter)
		reporter_done(&job->reporter);
	report_out_done(&job->out);
	names_free(job->names);
	free(job);
	return code;
}

const struct cmd cmd_handle = {
	.name = "handle",
	.usage = "[options] [-- CMD [ARG...]]",
	.summary = "report on a program's inferences by number or by time",
	.help = "Makes the reports of a libinftrace handle for a program that is not linked with libinftrace: a table "
		"with a row for each inference, or a Chrome trace.\n\n"
		"With --samples, each model gets one report after "
		"N of its inferences; the command ends when all models that it has seen have theirs. With --rate, each "
		"model gets a report at each multiple of the rate, whether it ran or not, and a last one when its last "
		"session is released. Ctrl-C, the end of the program and --duration deliver partial reports.\n\n"
		"-- CMD "
		"starts a program with the agent of inftrace record in it. --pid, --name and --path attach by probes, "
		"which need root or the capabilities of inftrace attach; with --inject they need neither. The program "
		"keeps running when the command ends.\n\n"
		"On standard output, a line comes before each report: "
		"inftrace-report bytes=N type=latency samples=N lost=N to=TIME model=\"NAME\", then N bytes, then a "
		"newline. The output of CMD then goes to standard error. With -o, files are called MODEL-latency.txt "
		"or MODEL-trace.json; with --rate, the number of the report follows the model.\n\n"
		"The exit status is "
		"0, or that of CMD; 2 on a usage error, 3 on failure.",
	.examples = examples,
	.opts = handle_opt_table,
	.opts_size = sizeof(struct handle_opts),
	.order = OPT_FIRST,
	.min_args = 0,
	.max_args = -1,
	.words = CMD_PROGRAM,
	.is_privileged = true,
	.run = run,
};
