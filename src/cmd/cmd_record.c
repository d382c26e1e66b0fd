// SPDX-License-Identifier: Apache-2.0
/*
 * `inftrace record -- CMD`: starts a program with the agent in it and records it. Its exit status is the
 * program's own; what we have to say goes to standard error, because standard output is the program's.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/recorder/launch.h"
#include "capture/recorder/record_options.h"
#include "capture/recorder/record_summary.h"
#include "capture/recorder/recorder.h"
#include "cmd/cmd.h"

struct record_opts {
	struct record_options shared;
	uint64_t ring_bytes;
};

static const struct opt record_opt_table[] = {
	RECORD_OPTIONS(struct record_opts, shared),
	{ 0, "ring-size", "SIZE", "most memory for events of one thread that were not yet written", OPT_SIZE,
	  offsetof(struct record_opts, ring_bytes), "8M" },
	{ 0 },
};

static const struct cmd_example examples[] = {
	{ "inftrace record -- python app.py", "record a Python program" },
	{ "inftrace record -l detail -o slow.pftrace -- node server.js",
	  "with shapes, waits and page faults, to a file of that name" },
	{ "inftrace record -l inference -d 1m -- ./server", "only inferences, and only the first minute" },
	{ "inftrace report inftrace.pftrace", "then: what it did, on a page" },
	{ 0 },
};

static char *join(char **argv, size_t max)
{
	size_t size = 1;
	char *text, *to;

	for (char **word = argv; *word; word++)
		size += strlen(*word) + 1;
	text = to = malloc(size);
	for (char **word = argv; text && *word; word++) {
		if (word != argv)
			*to++ = ' ';
		to = stpcpy(to, *word);
	}
	if (text && size > max)
		text[max] = 0;
	return text;
}

static int go(void *ctx, struct err *err)
{
	return launch_go(ctx, err);
}

/* Ends as the program did, so that whoever waits for us sees what it would have seen. */
static int same_end(int wait_status)
{
	struct rlimit none = { 0, 0 };
	sigset_t set;

	if (!WIFSIGNALED(wait_status))
		return WEXITSTATUS(wait_status);
	fflush(NULL);
	setrlimit(RLIMIT_CORE, &none);
	signal(WTERMSIG(wait_status), SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, WTERMSIG(wait_status));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	kill(getpid(), WTERMSIG(wait_status));
	return 128 + WTERMSIG(wait_status);
}

static int record(const struct record_opts *all, char **argv, struct launch *launch, int fd, const char *path,
		  struct err *err)
{
	const struct record_options *opts = &all->shared;
	bool is_person = isatty(STDERR_FILENO) && !opts->quiet && !opts->json;
	struct target target = { .sysroot = "", .level = opts->level, .interval_ns = opts->interval_ns };
	struct launch_opts launch_opts = { opts->level, all->ring_bytes, clock_is_invariant("", NULL) };
	char *command = join(argv, 4000);
	struct recorder_opts recorder_opts = {
		.fd = fd,
		.compress = opts->compress,
		.has_progress = is_person,
		.duration_ns = opts->duration_ns,
		.iterations = (uint64_t)opts->iterations,
		.command = command ? command : argv[0],
		.program_reason = launch->reason,
		.version = INFTRACE_VERSION,
	};
	struct recorder_result result;
	int code;

	if (*launch->reason)
		fprintf(stderr, "inftrace: %s: only CPU and memory can be recorded: %s\n", argv[0], launch->reason);
	code = launch_start(launch, &launch_opts, argv, err);
	target.pid = launch->pid;
	target.ring_dir = *launch->reason ? NULL : launch->dir;
	if (!code)
		code = recorder_run(&recorder_opts, &target, go, launch, &result, err);
	free(command);
	if (code)
		return code;
	if (opts->json)
		record_summary_json(stderr, path, &result, true);
	else if (!opts->quiet)
		record_summary_print(stderr, path, &result);
	launch_done(launch);
	return same_end(result.wait_status);
}

static int run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct record_opts *opts = opaque;
	struct launch launch;
	char buf[64];
	const char *path;
	int fd, code;

	code = record_options_check(&opts->shared, err);
	if (code)
		return code;
	if (opts->ring_bytes < 4096 || opts->ring_bytes > 128u << 20)
		return opt_misused(err, "--ring-size must be between 4K and 128M");
	code = launch_prepare(&launch, argv, err);
	if (code) {
		launch_done(&launch);
		return code;
	}
	fd = record_options_open(&opts->shared, &path, buf, sizeof buf, err);
	code = fd < 0 ? fd : record_options_begin(fd, path, err);
	if (!code)
		code = record(opts, argv, &launch, fd, path, err);
	launch_done(&launch);
	if (code < 0 && fd >= 0)
		record_options_remove(fd, path);
	if (fd >= 0)
		close(fd);
	return code;
}

const struct cmd cmd_record = {
	.name = "record",
	.usage = "[options] [--] CMD [ARG...]",
	.summary = "start a program and record what its models do",
	.help = "Starts CMD with a small library preloaded that finds ONNX Runtime in it, however it is bound, and "
		"records sessions, "
		"inferences and operators, with CPU and memory of the process and its children, into a Perfetto trace. "
		"The program is "
		"not changed and needs no special build. Nothing is printed to standard output but what the program "
		"prints.\n\n"
		"The exit status is the program's own; 2 when the command line makes no sense, 3 when the program "
		"could not be started.",
	.examples = examples,
	.opts = record_opt_table,
	.opts_size = sizeof(struct record_opts),
	.order = OPT_FIRST,
	.min_args = 1,
	.max_args = -1,
	.run = run,
};
