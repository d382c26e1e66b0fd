// SPDX-License-Identifier: Apache-2.0
/*
 * Sources are drained when they are due, sinks are flushed every FLUSH_NS. When the program has ended, every
 * source is drained once more, and the recorder's own cost is noted. Starts and attaches to nothing, and prints
 * nothing.
 */
#include "capture/recorder/recorder.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/privilege.h"
#include "base/tick.h"
#include "capture/recorder/recorder_disk.h"
#include "capture/recorder/recorder_in.h"
#include "capture/source/tree.h"

enum { PROGRESS_MS = 500, LEFT_MS = 50, HURRIED_MS = 2, SHORT_SLEEP_MS = 10 };
#define FLUSH_NS UINT64_C(100000000)
/* How often to look at the disk when nothing is written. */
#define DISK_NS UINT64_C(1000000000)
/* Sleep ends on this grid, so that what is due at about the same time wakes the recorder up once. */
#define SLEEP_NS UINT64_C(2000000)

static const char disk_reason[] = "the disk is almost full (5 % of it, at most 1 GiB, stays free)";

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
	uint64_t before = recorder->tap.sink.n_bytes;
	struct err err = { 0 };
	bool was_on;

	recorder->flushed_ns = now_ns;
	/* sinks write files of the user */
	was_on = privilege_use(false);
	if (sink_flush(&recorder->tap.sink, &err))
		fail_recording(recorder, err.msg);
	recorder->grown_bytes = recorder->tap.sink.n_bytes - before;
	if (recorder->opts->file && (recorder->grown_bytes || now_ns >= recorder->disk_due_ns)) {
		recorder->left_bytes = recorder_disk_left_of(*recorder->opts->file);
		recorder->disk_due_ns = now_ns + DISK_NS;
	}
	privilege_use(was_on);
}

/* Waits until all of it is in the file. */
static void write_end(struct recorder *recorder)
{
	struct err err = { 0 };
	bool was_on;

	recorder_note_end(recorder);
	was_on = privilege_use(false);
	if (sink_sync(&recorder->tap.sink, &err))
		fail_recording(recorder, err.msg);
	privilege_use(was_on);
}

static void report_progress(struct recorder *recorder, uint64_t now_ns, bool is_over)
{
	const struct recorder_tap *tap = &recorder->tap;
	const struct say_progress progress = {
		.elapsed_ns = now_ns - recorder->start_ns,
		.n_inferences = tap->n_inferences,
		.n_processes = tap->n_processes,
		.n_events = tap->n_events,
		.n_lost = tap->n_lost,
		.n_bytes = tap->sink.n_bytes,
		.left_bytes = recorder->left_bytes,
		.median_ns = latency_quantile(&tap->latency, 0.5),
		.p99_ns = latency_quantile(&tap->latency, 0.99),
		.is_over = is_over,
	};

	recorder->shown_ns = now_ns;
	say_progress(&recorder->opts->say, &progress);
}

static void check_limits(struct recorder *recorder, uint64_t now_ns)
{
	const struct recorder_plan *plan = &recorder->opts->plan;

	if (plan->duration_ns && now_ns - recorder->start_ns >= plan->duration_ns)
		stop_recording(recorder, "the time given by --duration is over");
	if (plan->iterations && recorder->tap.n_inferences >= (uint64_t)plan->iterations)
		stop_recording(recorder, "the inferences given by --iterations are done");
	/* what is read from the rings but not written yet comes on top: as much as last time, and the end */
	if (plan->max_bytes && recorder->tap.sink.n_bytes + 2 * recorder->grown_bytes >= plan->max_bytes)
		stop_recording(recorder, "the recording has the size given by --max-size");
	if (recorder->left_bytes <= 2 * recorder->grown_bytes)
		stop_recording(recorder, disk_reason);
}

static uint64_t flush_due_ns(const struct recorder *recorder)
{
	return (recorder->flushed_ns / FLUSH_NS + 1) * FLUSH_NS;
}

static void turn(struct recorder *recorder)
{
	uint64_t now_ns = clock_ns();
	struct err err = { 0 };

	recorder_clock_look(recorder);
	if (recorder->way->attached && recorder_attached_follow(recorder, now_ns, &err))
		fail_recording(recorder, err.msg);
	if (now_ns >= recorder->tree_due_ns || recorder->tree.is_asked || recorder->target->is_ending) {
		tree_update(&recorder->tree, recorder->target, &recorder->tap.sink, now_ns, &err);
		recorder->tree_due_ns = clock_ns() + (uint64_t)tree_due_ms(&recorder->tree) * 1000000u;
		recorder_sources_ask(recorder, now_ns);
	}
	if (recorder->way->attached && recorder->way->attached->is_hurried)
		recorder_sources_hurry(recorder, now_ns);
	if (recorder_sources_drain(recorder, now_ns, &err))
		fail_recording(recorder, err.msg);
	if (now_ns >= flush_due_ns(recorder) || recorder->target->is_ending)
		flush(recorder, now_ns);
	check_limits(recorder, now_ns);
	if (now_ns - recorder->shown_ns >= PROGRESS_MS * 1000000ull)
		report_progress(recorder, now_ns, false);
}

static int next_ms(const struct recorder *recorder)
{
	uint64_t next = flush_due_ns(recorder), now_ns = clock_ns();
	uint64_t sources_ns = recorder_sources_due_ns(recorder);

	if (!recorder->is_recording)
		return -1;
	if (recorder->way->attached && recorder->way->attached->is_hurried)
		return HURRIED_MS;
	if (recorder->tree_due_ns < next)
		next = recorder->tree_due_ns;
	if (sources_ns < next)
		next = sources_ns;
	if (recorder->target->rests)
		next = (next + RECORDER_REST_NS - 1) / RECORDER_REST_NS * RECORDER_REST_NS;
	/* the ring of what must not be lost is no matter of taste */
	if (recorder->target->rests && recorder_sources_needed_ns(recorder) < next)
		next = recorder_sources_needed_ns(recorder);
	if (next > now_ns + SHORT_SLEEP_MS * UINT64_C(1000000))
		next = (next + SLEEP_NS - 1) / SLEEP_NS * SLEEP_NS;
	return next <= now_ns ? 0 : (int)((next - now_ns + 999999) / 1000000);
}

/* Signals for the recorder. Ctrl-C goes to the program too (same group): it decides. */
static int open_signals(const struct recorder *recorder, sigset_t *old, struct err *err)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	if (recorder->opts->usr1)
		sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, old);
	/* they come as errors of writing */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_set(err, errno, "cannot wait for signals: %s", strerror(errno)) : fd;
}

static bool program_has_ended(const struct recorder *recorder)
{
	siginfo_t info = { .si_pid = 0 };

	return !waitid(P_PID, (id_t)recorder->target->pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

/* It ends nothing, and is for no program. */
static bool take_usr1(struct recorder *recorder, uint32_t signo)
{
	if (signo == SIGUSR1)
		recorder->opts->usr1->came(recorder->opts->usr1->ctx);
	return signo == SIGUSR1;
}

/* A source may want to see at once what a child's signal is about. */
static void take_child_news(struct recorder *recorder, const struct signalfd_siginfo *info)
{
	recorder->target->n_child_news++;
	recorder->target->n_child_stops += info->ssi_code == CLD_STOPPED;
	recorder_sources_ask(recorder, clock_ns());
}

/* The program is not waited for here: that is done once, when the recording is over. */
static void read_signals(struct recorder *recorder, int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof info) == sizeof info) {
		/* one that was sent to us alone is meant for the program; the terminal has sent it both */
		bool from_terminal = info.ssi_signo != SIGTERM && info.ssi_code == SI_KERNEL;
		if (take_usr1(recorder, info.ssi_signo))
			continue;
		if (info.ssi_signo == SIGCHLD)
			take_child_news(recorder, &info);
		recorder->result->was_interrupted |= info.ssi_signo != SIGCHLD;
		/* it is not waited for yet, so the number is still its own */
		if (info.ssi_signo != SIGCHLD && program_has_ended(recorder))
			stop_recording(recorder, "the recorder received a signal after the program had ended");
		else if (info.ssi_signo != SIGCHLD && !from_terminal)
			kill(recorder->target->pid, (int)info.ssi_signo);
	}
}

/* Whether there is nothing more to wait for. */
static bool is_over(struct recorder *recorder)
{
	if (!program_has_ended(recorder))
		return false;
	if (!recorder->way->waits || !recorder->is_recording)
		return true;
	if (clock_ns() < recorder->left_due_ns)
		return false;
	recorder->left_due_ns = clock_ns() + LEFT_MS * 1000000ull;
	return !recorder_left(recorder);
}

/* Processes that go on without the program; those that are about to end, as it did, get a moment. */
static void count_left(struct recorder *recorder)
{
	const struct timespec pause = { 0, LEFT_MS * 1000000 };

	if (!recorder->is_recording)
		return;
	for (int i = 0; (recorder->result->n_left = recorder_left(recorder)) && i < 3; i++) {
		nanosleep(&pause, NULL);
		turn(recorder);
	}
}

static void finish(struct recorder *recorder)
{
	recorder->target->is_ending = true;
	turn(recorder);
	recorder_sources_stop(recorder);
	/* the program itself has not been waited for yet */
	recorder->helpers_ns = recorder_cost_cpu_ns(RUSAGE_CHILDREN) - recorder->start_helpers_ns;
	report_progress(recorder, clock_ns(), true);
}

/* One call of the kernel each time that it changes. */
static void wait_for_ticks(struct recorder *recorder, bool does)
{
	if (does != recorder->waits_for_ticks)
		tick_wait(does);
	recorder->waits_for_ticks = does;
}

/* Sleeps until something is due, and serves the guest. Whether a signal has come. */
static bool wait_turn(struct recorder *recorder, int signals)
{
	const struct attached *attached = recorder->way->attached;
	const struct recorder_guest *guest = recorder->opts->guest;
	struct pollfd pollers[] = { { signals, POLLIN, 0 },
				    { attached ? attached->fd : -1, POLLIN, 0 },
				    { guest ? guest->fd : -1, POLLIN, 0 } };
	int ms = next_ms(recorder);

	wait_for_ticks(recorder, ms > SHORT_SLEEP_MS);
	if (poll(pollers, sizeof pollers / sizeof *pollers, ms) <= 0)
		return false;
	if (pollers[2].revents && !guest->ready(guest->ctx))
		stop_recording(recorder, "the caller ended it");
	return pollers[0].revents;
}

/* The kernel counts memory from before the program was executed, too, when it was a copy of the recorder. */
static void wait_for_program(struct recorder *recorder)
{
	struct recorder_result *result = recorder->result;
	int64_t own_bytes = recorder_cost_peak_bytes();
	struct rusage usage = { 0 };

	if (wait4(recorder->target->pid, &result->wait_status, 0, &usage) == recorder->target->pid &&
	    usage.ru_maxrss * INT64_C(1024) > own_bytes)
		result->peak_bytes = usage.ru_maxrss * INT64_C(1024);
}

static void loop(struct recorder *recorder, int signals)
{
	bool has_finished = false;

	while (!is_over(recorder)) {
		if (recorder->is_recording)
			turn(recorder);
		if (!recorder->is_recording && !has_finished) {
			has_finished = true;
			finish(recorder);
			write_end(recorder);
			say_warning(&recorder->opts->say, "recording has stopped: %s; the program goes on",
				    recorder->result->stop_reason);
		}
		if (wait_turn(recorder, signals) && (recorder->way->waits || !program_has_ended(recorder)))
			read_signals(recorder, signals);
	}
	if (!has_finished) {
		count_left(recorder);
		finish(recorder);
	}
	wait_for_program(recorder);
	if (!has_finished) {
		write_end(recorder);
		if (recorder->result->has_stopped)
			say_warning(&recorder->opts->say, "the end of the recording is missing: %s",
				    recorder->result->stop_reason);
	}
}

static const char *signal_reason(int signo)
{
	switch (signo) {
	case SIGINT:
		return "Ctrl-C";
	case SIGTERM:
		return "the recorder received SIGTERM";
	case SIGHUP:
		return "terminal closed (SIGHUP)";
	default:
		return "the recorder received SIGQUIT";
	}
}

/* A program that ends its own recording waits for the file, which is no work of its own. */
static void note_asker(struct recorder *recorder, pid_t asker)
{
	if (asker > 0 && !recorder->target->own_end_ns && tree_track(&recorder->tree, asker))
		recorder->target->own_end_ns = clock_ns();
}

/* The programs are not ours: signals are for us, and when the recording is over we go. */
static void loop_attached(struct recorder *recorder, int signals)
{
	struct signalfd_siginfo info;

	while (recorder->is_recording && (recorder->way->attached->n || recorder->way->attached->waits)) {
		turn(recorder);
		if (!recorder->is_recording || !wait_turn(recorder, signals))
			continue;
		while (read(signals, &info, sizeof info) == sizeof info)
			if (!take_usr1(recorder, info.ssi_signo) && info.ssi_signo != SIGCHLD) {
				recorder->result->was_interrupted = true;
				note_asker(recorder, (pid_t)info.ssi_pid);
				stop_recording(recorder, signal_reason((int)info.ssi_signo));
			}
	}
	if (recorder->way->leave)
		recorder->way->leave(recorder->way->ctx);
	finish(recorder);
	write_end(recorder);
	if (recorder->result->has_failed)
		say_warning(&recorder->opts->say, "the end of the recording is missing: %s",
			    recorder->result->stop_reason);
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

static int begin(struct recorder *recorder, struct err *err)
{
	const struct recorder_way *way = recorder->way;
	int code = recorder->left_bytes
		       ? 0
		       : err_set(err, ENOSPC, "cannot record: %s; free some room, or record to another place with -o",
				 disk_reason);

	if (!code && way->attached)
		code = recorder_attached_admit(recorder, err);

	if (!code)
		code = recorder_sources_start(recorder, err);
	if (!code)
		code = sink_sync(&recorder->tap.sink, err);
	/* files that stay open are opened now, while there are rights to do so */
	if (!code && way->attached)
		turn(recorder);
	if (!code && way->go)
		code = way->go(way->ctx, err);
	if (way->attached)
		recorder->start_ns = clock_ns();
	/* whoever waits until recording has begun is told at the first turn */
	recorder->shown_ns = 0;
	return code;
}

static void init(struct recorder *recorder)
{
	const struct recorder_opts *opts = recorder->opts;

	recorder->target = &recorder->way->target;
	recorder->left_bytes = opts->file ? recorder_disk_left_of(*opts->file) : UINT64_MAX;
	if (!recorder->target->sysroot)
		recorder->target->sysroot = "";
	recorder->target->level = opts->plan.level;
	recorder->target->is_lean = opts->plan.is_lean;
	recorder->target->interval_ns = opts->plan.interval_ns;
	recorder->target->stacks_hz = opts->plan.stacks_hz;
	recorder->target->tree = &recorder->tree;
	recorder_tap_init(&recorder->tap, opts->sinks, opts->n_sinks);
	recorder->start_ns = recorder->flushed_ns = recorder->shown_ns = clock_ns();
	recorder->start_cpu_ns = recorder_cost_cpu_ns(RUSAGE_SELF);
	recorder->start_helpers_ns = recorder_cost_cpu_ns(RUSAGE_CHILDREN);
}

static void sum_up(struct recorder *recorder)
{
	struct recorder_tap *tap = &recorder->tap;
	struct recorder_result *result = recorder->result;

	result->n_processes = tap->n_processes;
	result->n_runtimes = tap->n_runtimes;
	result->lacks_runs = tap->lacks_runs;
	snprintf(result->other, sizeof result->other, "%.40s%s%.30s",
		 tap->other ? names_text(tap->sink.names, tap->other) : "", tap->other_version ? " " : "",
		 names_text(tap->sink.names, tap->other_version));
	result->n_unseen = tap->n_unseen;
	result->n_inferences = tap->n_inferences;
	result->n_sampled_out = tap->n_sampled_out;
	result->n_lost = tap->n_lost;
	result->n_bytes = tap->sink.n_bytes;
	if (!tap->latency.is_mixed) {
		result->n_latencies = tap->latency.n;
		result->median_ns = latency_exact(&tap->latency, 0.5);
		result->p99_ns = latency_exact(&tap->latency, 0.99);
		result->slowest_ns = tap->latency.slowest_ns;
	}
	result->elapsed_ns = clock_ns() - recorder->start_ns;
}

int recorder_run(const struct recorder_opts *opts, struct recorder_way *way, struct recorder_result *result,
		 struct err *err)
{
	struct recorder *recorder = calloc(1, sizeof *recorder);
	struct err ignored;
	sigset_t old;
	int signals, code;
	bool yields = sched_getscheduler(0) == SCHED_OTHER;

	memset(result, 0, sizeof *result);
	if (!recorder)
		return err_no_memory(err, "cannot record");
	*recorder = (struct recorder){ .opts = opts, .way = way, .result = result, .is_recording = true };
	recorder_allow_descriptors(&ignored);
	signals = open_signals(recorder, &old, err);
	if (signals < 0) {
		free(recorder);
		return signals;
	}
	if (yields)
		tick_yield(true);
	init(recorder);
	recorder_note_start(recorder);
	code = begin(recorder, err);
	if (!code && way->attached)
		loop_attached(recorder, signals);
	else if (!code)
		loop(recorder, signals);
	sum_up(recorder);
	recorder_sources_stop(recorder);
	tree_done(&recorder->tree);
	recorder_tap_done(&recorder->tap);
	/* what this thread starts later is no part of the recording */
	wait_for_ticks(recorder, false);
	free(recorder);
	close(signals);
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (yields)
		tick_yield(false);
	return code;
}
