// SPDX-License-Identifier: Apache-2.0
/*
 * `inftrace record -- CMD`: starts a program with the agent in it and records it. Its exit status is the
 * program's own; what we have to say goes to standard error, because standard output is the program's.
 */
#include "base/clock.h"
#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/launch.h"
#include "cmd/recorder.h"
#include "cmd/term.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct record_opts {
	const char *out, *level;
	bool force, compress, json, quiet;
	uint64_t interval_ns, duration_ns, ring_bytes;
	int iterations;
};

static const char default_out[] = "inftrace.pftrace";

static const struct opt record_opt_table[] = {
	{ 'o', "output", "FILE", "write the recording here; by default inftrace.pftrace, or inftrace-2.pftrace ... if that is there",
	  OPT_STR, offsetof(struct record_opts, out) },
	{ 0, "force", NULL, "overwrite the file if it exists", OPT_FLAG, offsetof(struct record_opts, force) },
	{ 'l', "level", "inference|operator|detail", "how deep to look: each inference, each operator, or shapes and waits as well",
	  OPT_CHOICE, offsetof(struct record_opts, level), "operator" },
	{ 'i', "interval", "TIME", "time between samples of CPU and memory, 10ms or more", OPT_DURATION,
	  offsetof(struct record_opts, interval_ns), "1s" },
	{ 'd', "duration", "TIME", "stop recording after this time; the program goes on", OPT_DURATION,
	  offsetof(struct record_opts, duration_ns) },
	{ 'n', "iterations", "N", "stop recording after this many inferences; the program goes on", OPT_INT,
	  offsetof(struct record_opts, iterations) },
	{ 0, "ring-size", "SIZE", "most memory for events of one thread that were not yet written", OPT_SIZE,
	  offsetof(struct record_opts, ring_bytes), "8M" },
	{ 0, "compress", NULL, "write compressed packets: a third of the bytes, more CPU", OPT_FLAG,
	  offsetof(struct record_opts, compress) },
	{ 0, "json", NULL, "print the summary as JSON", OPT_FLAG, offsetof(struct record_opts, json) },
	{ 'q', "quiet", NULL, "print no summary and no progress", OPT_FLAG, offsetof(struct record_opts, quiet) },
	{ 0 },
};

static const struct cmd_example examples[] = {
	{ "inftrace record -- python app.py", "record a Python program" },
	{ "inftrace record -l detail -o slow.pftrace -- node server.js", "with shapes, waits and page faults, to a file of that name" },
	{ "inftrace record -l inference -d 1m -- ./server", "only inferences, and only the first minute" },
	{ "inftrace report inftrace.pftrace", "then: what it did, on a page" },
	{ 0 },
};

/* Opens the output; *path is its name, in buf when it had to be made up. */
static int open_output(const struct record_opts *opts, const char **path, char *buf, size_t size, struct err *err)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (opts->force ? O_TRUNC : O_EXCL), fd;

	*path = opts->out ? opts->out : default_out;
	fd = open(*path, flags, 0600);
	for (int i = 2; fd < 0 && errno == EEXIST && !opts->out && i < 10000; i++) {
		snprintf(buf, size, "inftrace-%d.pftrace", i);
		*path = buf;
		fd = open(buf, flags, 0600);
	}
	if (fd >= 0)
		return fd;
	if (errno == EEXIST)
		return err_set(err, EEXIST, "cannot write %s: it exists already (try another -o, or --force to overwrite it)", *path);
	return err_set(err, errno, "cannot write %s: %s", *path, strerror(errno));
}

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

static void print_summary(const char *path, const struct recorder_result *result)
{
	double seconds = (double)result->elapsed_ns / 1e9;

	fprintf(stderr, "%sinftrace:%s %llu inferences in %.1f s", term_style(stderr, TERM_BOLD), term_style(stderr, TERM_PLAIN),
		(unsigned long long)result->n_inferences, seconds);
	if (result->n_lost)
		fprintf(stderr, ", %s%llu events lost%s", term_style(stderr, TERM_RED), (unsigned long long)result->n_lost,
			term_style(stderr, TERM_PLAIN));
	if (!result->n_inferences && result->n_runtimes)
		fprintf(stderr, " (a runtime was loaded, but no model was run)");
	else if (!result->n_inferences)
		fprintf(stderr, " (no runtime was loaded in the %llu process%s seen)", (unsigned long long)result->n_processes,
			result->n_processes == 1 ? "" : "es");
	fprintf(stderr, "; %s (%.1f MiB). Look at it with: inftrace report %s\n", path, (double)result->n_bytes / (1 << 20), path);
}

static void print_json(const char *path, const struct recorder_result *result)
{
	struct json json;

	json_init(&json, stderr);
	json_object(&json, NULL);
	json_text(&json, "path", path);
	json_int(&json, "processes", (int64_t)result->n_processes);
	json_int(&json, "runtimes", (int64_t)result->n_runtimes);
	json_int(&json, "inferences", (int64_t)result->n_inferences);
	json_int(&json, "lost", (int64_t)result->n_lost);
	json_int(&json, "bytes", (int64_t)result->n_bytes);
	json_int(&json, "elapsed_ns", (int64_t)result->elapsed_ns);
	json_int(&json, "recorder_cpu_ns", (int64_t)result->cpu_ns);
	if (WIFSIGNALED(result->wait_status))
		json_int(&json, "signal", WTERMSIG(result->wait_status));
	else
		json_int(&json, "exit_status", WEXITSTATUS(result->wait_status));
	json_text(&json, "stopped", result->has_stopped ? result->stop_reason : NULL);
	json_end(&json, '}');
	json_done(&json);
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

static int record(const struct record_opts *opts, char **argv, struct launch *launch, int fd, const char *path, struct err *err)
{
	bool use_ticks = clock_is_invariant("", NULL), is_person = isatty(STDERR_FILENO) && !opts->quiet && !opts->json;
	struct target target = { .sysroot = "", .level = opts->level, .interval_ns = opts->interval_ns };
	struct launch_opts launch_opts = { opts->level, opts->ring_bytes, use_ticks };
	char *command = join(argv, 4000);
	struct recorder_opts recorder_opts = {
		.path = path, .fd = fd, .compress = opts->compress, .has_progress = is_person, .use_ticks = use_ticks,
		.duration_ns = opts->duration_ns, .iterations = (uint64_t)opts->iterations, .command = command ? command : argv[0],
		.program_reason = launch->reason, .version = INFTRACE_VERSION,
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
		print_json(path, &result);
	else if (!opts->quiet)
		print_summary(path, &result);
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

	if (opts->interval_ns < 10000000)
		return cmd_misused(err, "--interval must be 10ms or more");
	if (opts->ring_bytes < 4096 || opts->ring_bytes > 128u << 20)
		return cmd_misused(err, "--ring-size must be between 4K and 128M");
	code = launch_prepare(&launch, argv, err);
	if (code) {
		launch_done(&launch);
		return code;
	}
	fd = open_output(opts, &path, buf, sizeof buf, err);
	code = fd < 0 ? fd : record(opts, argv, &launch, fd, path, err);
	launch_done(&launch);
	if (fd >= 0)
		close(fd);
	if (code < 0 && fd >= 0)
		unlink(path);
	return code;
}

const struct cmd cmd_record = {
	.name = "record",
	.usage = "[options] [--] CMD [ARG...]",
	.summary = "start a program and record what its models do",
	.help = "Starts CMD with a small library preloaded that finds ONNX Runtime in it, however it is bound, and records sessions, "
		"inferences and operators, with CPU and memory of the process and its children, into a Perfetto trace. The program is "
		"not changed and needs no special build. Nothing is printed to standard output but what the program prints.\n\n"
		"The exit status is the program's own; 2 when the command line makes no sense, 3 when the program could not be started.",
	.examples = examples,
	.opts = record_opt_table,
	.opts_size = sizeof(struct record_opts),
	.order = OPT_FIRST,
	.min_args = 1,
	.max_args = -1,
	.run = run,
};
