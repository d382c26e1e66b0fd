// SPDX-License-Identifier: Apache-2.0
/*
 * `inftrace top [PID... | -- CMD]`: shows what programs that run models do now. Records them as attach and record do,
 * into sums instead of a file; with -o into both.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/privilege.h"
#include "base/text/pattern.h"
#include "base/text/units.h"
#include "capture/proc/rights.h"
#include "capture/recorder/recorder_launch.h"
#include "cmd/cmd.h"
#include "cmd/record/attach_file.h"
#include "cmd/record/record_summary.h"
#include "cmd/record/recording_file.h"
#include "cmd/table/top_choose.h"
#include "cmd/table/top_guest.h"
#include "show/term/term.h"
#include "show/top/screen.h"

struct top_opts {
	struct record_options shared;
	struct probe_options probes;
	const char *name, *path, *models, *by, *log;
	bool inject, plain;
};

#define AT(field) offsetof(struct top_opts, field)

static const struct opt top_opt_table[] = {
	{ 0, NULL, NULL, "Which programs:" },
	{ 0, "name", "NAME", "match by name, now and later: of the program, or of the script an interpreter is running",
	  OPT_STR, AT(name) },
	{ 0, "path", "PATH", "match by path, now and later: of the executable, or of the script", OPT_STR, AT(path) },
	{ 0, "by", "program|process",
	  "a row for all processes of a program that run a model, or one for each process (key p)", OPT_CHOICE, AT(by),
	  "program" },
	{ 0, "models", "REGEX", "show only models whose name matches; a regular expression of ECMAScript", OPT_STR,
	  AT(models) },
	{ 0, NULL, NULL, "What is seen:" },
	{ 'l', "level", "inference|operator|detail", "how deep to look: inferences; also operators; or also shapes",
	  OPT_CHOICE, AT(shared.plan.level), "operator" },
	{ 'i', "interval", "TIME", "time between two updates, and between samples of resources; at least 100ms",
	  OPT_DURATION, AT(shared.plan.interval_ns), "1s" },
	{ 'd', "duration", "TIME", "end after this time; the programs keep running", OPT_PERIOD,
	  AT(shared.plan.duration_ns) },
	PROBE_OPTIONS(struct top_opts, probes),
	{ 0, "inject", NULL,
	  "load the agent of record into the programs instead of probing them: needs no root; only programs that run "
	  "already",
	  OPT_FLAG, AT(inject) },
	{ 0, NULL, NULL, "Where it goes:" },
	{ 0, "plain", NULL, "print lines, one block an interval, also to a terminal; a pipe gets them anyway", OPT_FLAG,
	  AT(plain) },
	{ 0, "json", NULL, "print one JSON object an interval, each on a line (doc/top.md)", OPT_FLAG,
	  AT(shared.json) },
	{ 'o', "output", "FILE", "also write a recording to this file", OPT_STR, AT(shared.out) },
	{ 0, "force", NULL, "overwrite the file if it exists", OPT_FLAG, AT(shared.force) },
	{ 0, "log", "FILE",
	  "with -- CMD: append to this file the output of CMD that the page hides; else it is dropped", OPT_STR,
	  AT(log) },
	{ 0 },
};

static const struct cmd_example examples[] = {
	{ "inftrace top", "all programs that have a runtime loaded, and those that load one later" },
	{ "inftrace top 4242", "one running program" },
	{ "inftrace top --name server.py -l inference", "programs that run this script, at the least cost" },
	{ "inftrace top -- python app.py", "start a program and watch it: needs no root" },
	{ "inftrace top --log app.log -- python app.py", "keep what it prints" },
	{ "inftrace top --json -d 10s | jq '.models[] | [.model, .inferences_per_s]'", "ten seconds, for a program" },
	{ 0 },
};

/* One run of the command. */
struct job {
	const struct top_opts *opts;
	struct record_options shared;
	struct top_guest guest;
	struct recording_file file;
	struct names *names; /* of the stream, where no file has it */
	uint32_t last_track;
	struct pattern *models; /* NULL: all */
	bool has_file;
	struct sink *sinks[3];
	size_t n_sinks;
	struct recorder_result result;
};

static enum top_output output_of(const struct top_opts *opts)
{
	return opts->shared.json ? TOP_JSON : opts->plain || !isatty(STDOUT_FILENO) ? TOP_LINES : TOP_PAGE;
}

static int check(const struct top_opts *opts, int argc, bool is_command, struct err *err)
{
	if (opts->name && opts->path)
		return opt_misused(err, "give one of --name and --path, not both");
	if (argc && (opts->name || opts->path))
		return opt_misused(err, "give one of PIDs, a command, --name and --path, not several");
	if (is_command && opts->inject)
		return opt_misused(err, "--inject is for programs that run already; a command gets the agent anyway");
	if (opts->log && !is_command)
		return opt_misused(err, "--log needs a command: inftrace top --log FILE -- CMD");
	if (opts->shared.json && opts->plain)
		return opt_misused(err, "--json and --plain contradict each other");
	if (opts->shared.force && !opts->shared.out)
		return opt_misused(err, "--force needs -o FILE");
	if (opts->shared.plan.interval_ns < 100000000)
		return opt_misused(err, "--interval must be 100ms or more");
	if ((opts->inject || is_command) &&
	    (strcmp(opts->probes.sample, "1") || opts->probes.rate || strcmp(opts->probes.link, "auto")))
		return opt_misused(err, "--sample, --rate and --link need probes; they do not work with %s",
				   is_command ? "a command" : "--inject");
	return 0;
}

static int compile_models(struct job *job, struct err *err)
{
	const char *text = job->opts->models;

	if (!text || (job->models = pattern_new(text, err)))
		return 0;
	return err->code == EINVAL
		   ? opt_misused(err, "--models '%.60s' is not a regular expression: %s", text, strdupa(err->msg))
		   : -err->code;
}

/* Sums, and a file where one is asked for. */
static int open_sinks(struct job *job, const char *what, struct err *err)
{
	struct top_guest_opts opts = { .output = output_of(job->opts),
				       .interval_ns = job->shared.plan.interval_ns,
				       .what = what,
				       .models = job->models,
				       .is_by_process = !strcmp(job->opts->by, "process") };
	uint32_t *last_track = &job->last_track;
	int code = 0;

	if (job->shared.out) {
		code = recording_file_open(&job->file, &job->shared, err);
		job->has_file = !code;
		if (code)
			return code;
		memcpy(job->sinks, job->file.sinks, job->file.n_sinks * sizeof *job->sinks);
		job->n_sinks = job->file.n_sinks;
		last_track = &job->file.last_track;
		opts.sink = job->sinks[0];
	} else {
		job->names = names_new();
		if (!job->names)
			return err_no_memory(err, "cannot sum up what happens");
	}
	code = top_guest_init(&job->guest, &opts, job->has_file ? job->file.names : job->names, last_track, err);
	if (!code)
		job->sinks[job->n_sinks++] = live_sink(job->guest.live);
	return code;
}

static struct recorder_opts recorder_opts_of(struct job *job, const char *command)
{
	return (struct recorder_opts){ .plan = job->has_file ? record_options_plan(&job->shared) : job->shared.plan,
				       .sinks = job->sinks,
				       .n_sinks = job->n_sinks,
				       .say = top_guest_say(&job->guest),
				       .command = command,
				       .guest = &job->guest.guest,
				       .file = job->has_file ? job->file.fd : NULL };
}

static void print_summary(const struct job *job)
{
	const struct recorder_result *result = &job->result;
	FILE *to = job->guest.opts.output == TOP_PAGE ? stdout : stderr;
	uint64_t n = result->n_inferences + result->n_sampled_out;

	if (job->guest.opts.output == TOP_JSON)
		return;
	if (job->has_file) {
		record_summary_print(to, job->file.path, result);
		return;
	}
	fprintf(to, "%sinftrace:%s %s inference%s in %s", term_style(to, TERM_BOLD), term_style(to, TERM_PLAIN),
		units_count(n).s, n == 1 ? "" : "s", units_duration((double)result->elapsed_ns).s);
	if (result->n_latencies > 1)
		fprintf(to, ", %s",
			units_latency(result->n_latencies, result->median_ns, result->p99_ns, result->slowest_ns).s);
	if (result->n_lost)
		fprintf(to, ", %s event%s lost", units_count(result->n_lost).s, result->n_lost == 1 ? "" : "s");
	if (!result->n_processes)
		fprintf(to, " (no program started)");
	else if (!n && *result->other)
		fprintf(to, " (%s was loaded, whose inferences are not seen)", result->other);
	else if (!n)
		fprintf(to, result->n_runtimes ? " (a runtime was loaded, but no model was run)"
					       : " (no runtime that inftrace knows was loaded)");
	fprintf(to, "\n");
}

/* The recording is over, or could not begin (code). 0, or -errno and err. */
static int finish(struct job *job, int code, struct err *err)
{
	screen_close();
	if (job->has_file && !code && job->result.n_processes)
		record_summary_close(&job->file, &job->result);
	else if (job->has_file)
		recording_file_drop(&job->file);
	job->has_file = job->has_file && !code && job->result.n_processes;
	if (!code && job->guest.err.code) {
		*err = job->guest.err;
		code = -err->code;
	}
	if (!code)
		print_summary(job);
	return code;
}

static void close_job(struct job *job)
{
	top_guest_done(&job->guest);
	names_free(job->names);
	pattern_free(job->models);
}

/* As recorder_attach will look, but before anything stands on the screen. */
static int check_rights(const struct job *job, struct err *err)
{
	int code = attach_check(err);

	if (!code && !job->opts->inject)
		code = rights_check("", err);
	return code;
}

static int attach(struct job *job, int argc, char **argv, struct err *err)
{
	const struct top_opts *opts = job->opts;
	struct attached attached = { 0 };
	struct recorder_attach_opts attach_opts = { .attached = &attached,
						    .wish = { opts->name, opts->path },
						    .injects = opts->inject,
						    .probes = probe_options_value(&opts->probes),
						    .ring_bytes = 8 << 20 };
	struct recorder_opts recorder_opts;
	struct top_choice choice;
	int code = attach_file_check(&job->shared, NULL, &attach_opts.wish, err);

	if (!code)
		code = check_rights(job, err);
	if (!code)
		code = attached_init(&attached, err);
	if (!code)
		code = top_choose(&attach_opts, argc, argv, &choice, err);
	if (!code)
		code = open_sinks(job, choice.what, err);
	if (!code) {
		/* root cannot do more about it */
		if (*choice.unread)
			live_tell(job->guest.live, geteuid() ? LIVE_NOTE_UNSEEN : LIVE_NOTE_INFO, choice.unread);
		if (*choice.remark)
			live_tell(job->guest.live, LIVE_NOTE_UNSEEN, choice.remark);
		recorder_opts = recorder_opts_of(job, choice.what);
		code = recorder_attach(&recorder_opts, &attach_opts, &job->result, err);
	}
	if (job->n_sinks)
		code = finish(job, code, err);
	attached_done(&attached);
	return code;
}

/* Where a program that shares our terminal reads and prints while the page is there. */
static int open_stdio(const struct job *job, int *stdio, struct err *err)
{
	const char *log = job->opts->log ? job->opts->log : "/dev/null";

	stdio[0] = stdio[1] = stdio[2] = -1;
	if (output_of(job->opts) != TOP_PAGE && !job->opts->log)
		return 0;
	for (int i = 0; i < 3; i++) {
		if (!isatty(i))
			continue;
		stdio[i] = open(i ? log : "/dev/null",
				i ? O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC : O_RDONLY | O_CLOEXEC, 0600);
		if (stdio[i] < 0)
			return err_set(err, errno, "cannot write %s: %s", log, strerror(errno));
	}
	return 0;
}

/* "python app.py": the command line without the folder of its program, cut where it is long. */
static void describe(char **argv, char *text, size_t size)
{
	const char *slash = strrchr(argv[0], '/');
	size_t used = (size_t)snprintf(text, size, "%s", slash && slash[1] ? slash + 1 : argv[0]);

	for (char **word = argv + 1; *word && used < size; word++)
		used += (size_t)snprintf(text + used, size - used, " %s", *word);
}

static int launch(struct job *job, char **argv, struct launch *program, struct err *err)
{
	struct recorder_launch_opts opts = { .argv = argv,
					     .ring_bytes = 8 << 20,
					     .stdout_is_ours = output_of(job->opts) != TOP_PAGE };
	struct recorder_opts recorder_opts;
	char command[400];
	int stdio[3], code = open_stdio(job, stdio, err);

	opts.stdio = stdio;
	describe(argv, command, sizeof command);
	if (!code)
		code = open_sinks(job, command, err);
	if (!code) {
		recorder_opts = recorder_opts_of(job, command);
		code = recorder_launch(&recorder_opts, &opts, program, &job->result, err);
	}
	if (job->n_sinks)
		code = finish(job, code, err);
	for (int i = 0; i < 3; i++)
		if (stdio[i] >= 0)
			close(stdio[i]);
	return code;
}

/* Ends as the program did. */
static int same_end(int wait_status)
{
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

static int start(struct job *job, char **argv, struct err *err)
{
	struct launch program;
	int code = record_options_check(&job->shared, err);

	/* a command needs none of what the file may grant */
	privilege_drop();
	if (!code)
		code = launch_prepare(&program, argv, err);
	if (code)
		return code;
	code = launch(job, argv, &program, err);
	launch_done(&program);
	if (code)
		return code;
	code = same_end(job->result.wait_status);
	if (code && job->guest.opts.output == TOP_PAGE && !job->opts->log)
		term_say("%s ended with status %d; what it printed was dropped (--log FILE keeps it)", argv[0], code);
	return code;
}

static int run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct top_opts *opts = opaque;
	bool is_command = argc && !isdigit((unsigned char)argv[0][0]);
	struct job *job = calloc(1, sizeof *job);
	int code;

	if (!job)
		return err_no_memory(err, "cannot run top");
	job->opts = opts;
	job->shared = opts->shared;
	job->shared.thin = "auto";
	job->guest.epoll = job->guest.timer = job->guest.window = -1;
	code = check(opts, argc, is_command, err);
	if (!code)
		code = compile_models(job, err);
	if (!code && output_of(opts) == TOP_PAGE)
		code = screen_check(err);
	if (!code)
		code = is_command ? start(job, argv, err) : attach(job, argc, argv, err);
	close_job(job);
	free(job);
	return code;
}

const struct cmd cmd_top = {
	.name = "top",
	.usage = "[options] [PID... | -- CMD [ARG...]]",
	.summary = "show what programs that run models do now",
	.help = "Shows, once an interval, the resources of the machine, every model that runs with its inferences per "
		"second, latencies and phase, and the operators of the selected model. F1 or ? explains keys and "
		"columns.\n\n"
		"Without arguments, top attaches to every program that has a runtime loaded and to those "
		"that load one later. PIDs, --name and --path choose programs. -- CMD starts one, with the agent of "
		"inftrace record in it. When top ends, the programs keep running. top waits for CMD, and exits with "
		"its status. Nothing is written to disk unless -o or --log is given.\n\n"
		"Attaching needs root, or the "
		"capabilities CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE, as inftrace attach does. -- CMD and --inject "
		"need neither.\n\n"
		"A terminal of 40x8 or more shows the page. A pipe or a file gets plain lines, one "
		"block an interval; --json prints one object a line. The figures are kept in bounded memory, however "
		"long top runs: totals are exact, percentiles are those of the last ten intervals.\n\n"
		"The exit status "
		"is 0, or that of CMD; 2 on a usage error, 3 on failure.",
	.examples = examples,
	.opts = top_opt_table,
	.opts_size = sizeof(struct top_opts),
	.order = OPT_FIRST,
	.min_args = 0,
	.max_args = -1,
	.words = CMD_PIDS,
	.is_privileged = true,
	.run = run,
};
