// SPDX-License-Identifier: Apache-2.0
/*
 * Sources are drained when they are due, the file is flushed at least every FLUSH_MS. When the program
 * has ended every source is drained once more, and the recorder's own cost goes into the file.
 */
#include "capture/recorder/recorder.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/term.h"
#include "capture/recorder/recorder_attached.h"
#include "capture/recorder/recorder_cost.h"
#include "capture/recorder/recorder_note.h"
#include "capture/recorder/recorder_sources.h"
#include "capture/source/tree.h"

enum { FLUSH_MS = 50, PROGRESS_MS = 500 };

static int count(struct sink *sink, const struct event *event, struct err *err)
{
	struct recorder *recorder = (struct recorder *)sink;

	recorder->n_events += event->type == EVENT_BEGIN || event->type == EVENT_INSTANT;
	if (event->type == EVENT_BEGIN && event->kind == KIND_INFERENCE)
		recorder->result->n_inferences++;
	if (event->type == EVENT_INSTANT && event->kind == KIND_NOTE && event->name == recorder->runtime_topic)
		recorder->result->n_runtimes++;
	if (event->type == EVENT_TRACK && event->def->type == TRACK_PROCESS)
		recorder->result->n_processes++;
	if (event->type == EVENT_INSTANT && event->kind == KIND_LOST)
		for (size_t i = 0; i < event->n_args; i++)
			if (event->args[i].key == KEY_COUNT)
				recorder->result->n_lost += (uint64_t)event->args[i].integer;
	return sink_put(recorder->file, event, err);
}

/* Recording is over although the program goes on. */
static void stop_recording(struct recorder *recorder, const char *reason)
{
	struct recorder_result *result = recorder->result;

	if (!recorder->is_recording)
		return;
	recorder->is_recording = false;
	result->has_stopped = true;
	snprintf(result->stop_reason, sizeof result->stop_reason, "%s", reason);
}

/* The same for want of what it needs; that the time was over, too, matters no more. */
static void fail_recording(struct recorder *recorder, const char *reason)
{
	struct recorder_result *result = recorder->result;

	if (result->has_failed)
		return;
	recorder->is_recording = false;
	result->has_stopped = result->has_failed = true;
	snprintf(result->stop_reason, sizeof result->stop_reason, "%s", reason);
}

static void flush(struct recorder *recorder, uint64_t now_ns)
{
	struct err err = { 0 };

	recorder->flushed_ns = now_ns;
	if (perfetto_write_flush(recorder->writer, &err))
		fail_recording(recorder, err.msg);
}

/* The line that shows a person that something happens. */
static void show_progress(struct recorder *recorder, uint64_t now_ns, bool is_over)
{
	double seconds = (double)(now_ns - recorder->start_ns) / 1e9;

	if (!recorder->opts->has_progress || (!is_over && now_ns - recorder->shown_ns < PROGRESS_MS * 1000000ull))
		return;
	/* the one that is waited for has not come: its time does not pass */
	if (!is_over && now_ns == recorder->start_ns)
		return;
	recorder->shown_ns = now_ns;
	fprintf(stderr, "\r\033[K");
	if (!is_over)
		fprintf(stderr, "%srecording %.0f s, %llu inferences%s", term_style(stderr, TERM_DIM), seconds,
			(unsigned long long)recorder->result->n_inferences, term_style(stderr, TERM_PLAIN));
	fflush(stderr);
}

static void check_limits(struct recorder *recorder, uint64_t now_ns)
{
	const struct recorder_opts *opts = recorder->opts;

	if (opts->duration_ns && now_ns - recorder->start_ns >= opts->duration_ns)
		stop_recording(recorder, "the time given by --duration is over");
	if (opts->iterations && recorder->result->n_inferences >= opts->iterations)
		stop_recording(recorder, "the inferences given by --iterations are done");
}

static void turn(struct recorder *recorder)
{
	uint64_t now_ns = clock_ns();
	struct err err = { 0 };

	if (recorder->opts->attached && recorder_attached_follow(recorder, now_ns, &err))
		fail_recording(recorder, err.msg);
	if (now_ns >= recorder->tree_due_ns || recorder->target->is_ending) {
		tree_update(&recorder->tree, recorder->target, &recorder->tap, now_ns, &err);
		recorder->tree_due_ns = clock_ns() + (uint64_t)tree_due_ms(&recorder->tree) * 1000000u;
		recorder_sources_ask(recorder, now_ns);
	}
	if (recorder_sources_drain(recorder, now_ns, &err))
		fail_recording(recorder, err.msg);
	if (now_ns - recorder->flushed_ns >= FLUSH_MS * 1000000ull || recorder->target->is_ending)
		flush(recorder, now_ns);
	check_limits(recorder, now_ns);
	show_progress(recorder, now_ns, false);
}

static int next_ms(const struct recorder *recorder)
{
	uint64_t next = recorder->flushed_ns + FLUSH_MS * 1000000ull, now_ns = clock_ns();
	uint64_t sources_ns = recorder_sources_due_ns(recorder);

	if (!recorder->is_recording)
		return -1;
	if (recorder->tree_due_ns < next)
		next = recorder->tree_due_ns;
	if (sources_ns < next)
		next = sources_ns;
	return next <= now_ns ? 0 : (int)((next - now_ns + 999999) / 1000000);
}

/* Signals for the recorder. Ctrl-C goes to the program too (same group): it decides. */
static int open_signals(sigset_t *old, struct err *err)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigprocmask(SIG_BLOCK, &set, old);
	/* they come as errors of writing */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_set(err, errno, "cannot wait for signals: %s", strerror(errno)) : fd;
}

/* The program is not waited for here: that is done once, when the recording is over. */
static void read_signals(struct recorder *recorder, int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof info) == sizeof info) {
		/* one that was sent to us alone is meant for the program; the terminal has sent it both */
		bool from_terminal = info.ssi_signo != SIGTERM && info.ssi_code == SI_KERNEL;
		recorder->result->was_interrupted |= info.ssi_signo != SIGCHLD;
		if (info.ssi_signo != SIGCHLD && !from_terminal)
			kill(recorder->target->pid, (int)info.ssi_signo);
	}
}

static bool program_has_ended(const struct recorder *recorder)
{
	siginfo_t info = { .si_pid = 0 };

	return !waitid(P_PID, (id_t)recorder->target->pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

static void finish(struct recorder *recorder)
{
	recorder->target->is_ending = true;
	turn(recorder);
	recorder_sources_stop(recorder);
	/* the program itself has not been waited for yet */
	recorder->helpers_ns = recorder_cost_cpu_ns(RUSAGE_CHILDREN) - recorder->start_helpers_ns;
	show_progress(recorder, clock_ns(), true);
}

static void loop(struct recorder *recorder, int signals)
{
	struct pollfd poller = { signals, POLLIN, 0 };
	bool has_finished = false;

	while (!program_has_ended(recorder)) {
		if (recorder->is_recording)
			turn(recorder);
		if (!recorder->is_recording && !has_finished) {
			has_finished = true;
			finish(recorder);
			recorder_note_end(recorder);
			flush(recorder, clock_ns());
			fprintf(stderr, "inftrace: recording has stopped: %s; the program goes on\n",
				recorder->result->stop_reason);
		}
		if (poll(&poller, 1, next_ms(recorder)) > 0 && !program_has_ended(recorder))
			read_signals(recorder, signals);
	}
	if (!has_finished)
		finish(recorder);
	waitpid(recorder->target->pid, &recorder->result->wait_status, 0);
	if (!has_finished) {
		recorder_note_end(recorder);
		flush(recorder, clock_ns());
		if (recorder->result->has_stopped)
			fprintf(stderr, "inftrace: the end of the recording is missing: %s\n",
				recorder->result->stop_reason);
	}
}

static const char *signal_reason(int signo)
{
	switch (signo) {
	case SIGINT:
		return "Ctrl-C";
	case SIGTERM:
		return "the recorder was told to end (SIGTERM)";
	case SIGHUP:
		return "the terminal is gone (SIGHUP)";
	default:
		return "the recorder was told to end (SIGQUIT)";
	}
}

/* The programs are not ours: signals are for us, and when the recording is over we go. */
static void loop_attached(struct recorder *recorder, int signals, void *ctx)
{
	struct pollfd pollers[2] = { { signals, POLLIN, 0 }, { recorder->opts->attached->fd, POLLIN, 0 } };
	struct signalfd_siginfo info;

	while (recorder->is_recording && (recorder->opts->attached->n || recorder->opts->attached->waits)) {
		turn(recorder);
		if (!recorder->is_recording || poll(pollers, 2, next_ms(recorder)) <= 0)
			continue;
		while (read(signals, &info, sizeof info) == sizeof info)
			if (info.ssi_signo != SIGCHLD)
				stop_recording(recorder, signal_reason((int)info.ssi_signo));
	}
	if (recorder->opts->leave)
		recorder->opts->leave(ctx);
	finish(recorder);
	recorder_note_end(recorder);
	flush(recorder, clock_ns());
	if (recorder->result->has_failed)
		fprintf(stderr, "inftrace: the end of the recording is missing: %s\n", recorder->result->stop_reason);
}

/* Sources keep a few files of each process open. */
int recorder_allow_descriptors(struct err *err)
{
	enum { FEWEST = 64 };
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	if (limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	if (limit.rlim_cur >= FEWEST)
		return 0;
	return err_set(err, EMFILE,
		       "cannot record: only %llu files may be open at a time here, and %d are needed; raise the "
		       "limit (ulimit -n)",
		       (unsigned long long)limit.rlim_cur, FEWEST);
}

static int begin(struct recorder *recorder, int (*go)(void *ctx, struct err *err), void *ctx, struct err *err)
{
	int code = recorder->opts->attached ? recorder_attached_admit(recorder, err) : 0;

	if (!code)
		code = recorder_sources_start(recorder, err);
	if (!code)
		code = perfetto_write_flush(recorder->writer, err);
	/* files that stay open are opened now, while there are rights to do so */
	if (!code && recorder->opts->attached)
		turn(recorder);
	if (!code && go)
		code = go(ctx, err);
	if (recorder->opts->attached)
		recorder->start_ns = clock_ns();
	return code;
}

int recorder_run(const struct recorder_opts *opts, struct target *target, int (*go)(void *ctx, struct err *err),
		 void *ctx, struct recorder_result *result, struct err *err)
{
	struct recorder recorder = { .opts = opts, .target = target, .result = result, .is_recording = true };
	struct perfetto_write_opts write_opts = { .compress = opts->compress };
	struct err ignored;
	sigset_t old;
	int signals, code = -ENOMEM;

	memset(result, 0, sizeof *result);
	target->tree = &recorder.tree;
	recorder_allow_descriptors(&ignored);
	signals = open_signals(&old, err);
	if (signals < 0)
		return signals;
	recorder.names = names_new();
	err_set(err, ENOMEM, "cannot record: out of memory");
	if (recorder.names)
		recorder.writer = perfetto_write_new(opts->fd, recorder.names, &recorder.last_track, &write_opts, err);
	if (!recorder.writer)
		goto out;
	recorder.file = perfetto_write_sink(recorder.writer);
	recorder.runtime_topic = names_of(recorder.names, EVENT_NOTE_RUNTIME);
	recorder.tap = (struct sink){ count, recorder.names, &recorder.last_track };
	recorder.start_ns = recorder.flushed_ns = recorder.shown_ns = clock_ns();
	recorder.start_cpu_ns = recorder_cost_cpu_ns(RUSAGE_SELF);
	recorder.start_helpers_ns = recorder_cost_cpu_ns(RUSAGE_CHILDREN);
	recorder_note_start(&recorder);
	code = begin(&recorder, go, ctx, err);
	if (!code && opts->attached)
		loop_attached(&recorder, signals, ctx);
	else if (!code)
		loop(&recorder, signals);
	result->elapsed_ns = clock_ns() - recorder.start_ns;
	result->n_bytes = perfetto_write_bytes(recorder.writer);
out:
	recorder_sources_stop(&recorder);
	tree_done(&recorder.tree);
	if (recorder.writer)
		perfetto_write_free(recorder.writer, NULL);
	names_free(recorder.names);
	close(signals);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return code;
}
