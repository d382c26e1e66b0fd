// SPDX-License-Identifier: Apache-2.0
/*
 * Sources are drained when they are due, the file is flushed at least every FLUSH_MS. When the program
 * has ended every source is drained once more, and the recorder's own cost goes into the file.
 */
#include "cmd/recorder.h"
#include "cmd/recorder_cost.h"

#include "base/clock.h"
#include "cmd/term.h"
#include "source/machine.h"
#include "source/tree.h"
#include "trace/perfetto_write.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FLUSH_MS = 50, MAX_SOURCES = 16, PROGRESS_MS = 500 };

struct running {
	const struct source *source;	/* NULL: ended */
	void *state;
	uint64_t due_ns;
};

struct recorder {
	struct sink tap;		/* what sources see: counts, then passes on */
	const struct recorder_opts *opts;
	struct target *target;
	struct tree tree;
	struct names *names;
	uint32_t last_track;
	uint32_t runtime_topic;		/* name of the notes that tell of a runtime */
	uint32_t track;			/* of the recorded program's process, or of the recording */
	struct perfetto_writer *writer;
	struct sink *file;
	struct running running[MAX_SOURCES];
	size_t n_running;
	struct recorder_result *result;
	uint64_t start_ns, flushed_ns, shown_ns, tree_due_ns, n_events;
	uint64_t start_cpu_ns;		/* of this process, for what was there before: a command may record several times */
	uint64_t start_helpers_ns, helpers_ns;	/* the same of processes that sources have started and waited for */
	bool is_recording;
};

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

static uint32_t own_track(struct recorder *recorder)
{
	struct track_def def = { .type = TRACK_GROUP };
	struct event event = { .type = EVENT_TRACK, .def = &def };
	struct err ignored;

	if (recorder->track)
		return recorder->track;
	def.name = names_of(recorder->names, "inftrace");
	event.track = recorder->track = ++recorder->last_track;
	sink_put(recorder->file, &event, &ignored);
	return recorder->track;
}

static void note(struct recorder *recorder, const char *topic, const struct arg *args, size_t n)
{
	struct event event = { .type = EVENT_INSTANT, .kind = KIND_NOTE, .track = own_track(recorder),
			       .name = names_of(recorder->names, topic), .time_ns = clock_ns(), .args = args, .n_args = n };
	struct err ignored;

	sink_put(recorder->file, &event, &ignored);
}

static void note_start(struct recorder *recorder)
{
	struct timespec now;
	struct arg args[7];
	char machine[300];
	size_t n = 5;

	clock_gettime(CLOCK_REALTIME, &now);
	args[0] = arg_text(KEY_COMMAND, &recorder->tap, recorder->opts->command);
	args[1] = arg_text(KEY_LEVEL, &recorder->tap, recorder->target->level);
	args[2] = arg_int(KEY_INTERVAL_NS, (int64_t)recorder->target->interval_ns);
	args[3] = arg_text(KEY_VERSION, &recorder->tap, recorder->opts->version);
	args[4] = arg_int(KEY_START_REALTIME_NS, now.tv_sec * 1000000000ll + now.tv_nsec);
	machine_describe(recorder->target->sysroot, machine, sizeof machine);
	if (*machine)
		args[n++] = arg_text(KEY_MACHINE, &recorder->tap, machine);
	if (recorder->target->uprobes)
		args[n++] = arg_text(KEY_SOURCE, &recorder->tap, "uprobe");
	note(recorder, EVENT_NOTE_RECORDING, args, n);
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

static int start_source(struct recorder *recorder, const struct source *source, struct err *err)
{
	struct running *running = &recorder->running[recorder->n_running];
	int code = source->check(recorder->target, err);

	if (code)
		return code;
	running->state = calloc(1, source->state_size);
	if (!running->state)
		return err_set(err, ENOMEM, "cannot record: out of memory");
	code = source->start(running->state, recorder->target, &recorder->tap, err);
	if (code) {
		source->stop(running->state);
		free(running->state);
		return code;
	}
	running->source = source;
	recorder->n_running++;
	return 0;
}

static bool is_needed(const struct recorder *recorder, const struct source *source)
{
	return recorder->opts->needed && !strcmp(recorder->opts->needed, source->name);
}

/* What cannot be seen here is left out, but for what the recording is about. */
static int start_sources(struct recorder *recorder, struct err *err)
{
	for (const struct source *const *source = sources; *source && recorder->n_running < MAX_SOURCES; source++) {
		int code = start_source(recorder, *source, err);
		if (code && is_needed(recorder, *source))
			return code;
	}
	return 0;
}

static void stop_source(struct running *running)
{
	if (!running->source)
		return;
	running->source->stop(running->state);
	free(running->state);
	running->source = NULL;
}

static void drain_source(struct recorder *recorder, struct running *running, uint64_t now_ns)
{
	struct err err = { 0 };
	int ms = (int)(recorder->target->interval_ns / 1000000);

	if (running->source->drain(running->state, &recorder->tap, now_ns, &err)) {
		struct arg args[2] = { arg_text(KEY_SOURCE, &recorder->tap, running->source->name),
				       arg_text(KEY_TEXT, &recorder->tap, err.msg) };
		note(recorder, EVENT_NOTE_STOPPED, args, 2);
		if (is_needed(recorder, running->source))
			stop_recording(recorder, err.msg);
		stop_source(running);
		return;
	}
	if (running->source->due_ms)
		ms = running->source->due_ms(running->state);
	running->due_ns = clock_ns() + (uint64_t)(ms > 0 ? ms : 1) * 1000000u;
}

static void flush(struct recorder *recorder, uint64_t now_ns)
{
	struct err err = { 0 };

	recorder->flushed_ns = now_ns;
	if (perfetto_write_flush(recorder->writer, &err))
		stop_recording(recorder, err.msg);
}

/* The line that shows a person that something happens. */
static void show_progress(struct recorder *recorder, uint64_t now_ns, bool is_over)
{
	double seconds = (double)(now_ns - recorder->start_ns) / 1e9;

	if (!recorder->opts->has_progress || (!is_over && now_ns - recorder->shown_ns < PROGRESS_MS * 1000000ull))
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

/* Those who were added to the list of programs and are not in the tree yet. */
static int admit_attached(struct recorder *recorder, struct err *err)
{
	struct attached *attached = recorder->opts->attached;

	for (size_t i = 0; i < attached->n; i++) {
		struct attached_program *program = &attached->program[i];
		if (program->is_in_tree)
			continue;
		program->is_in_tree = true;
		err->code = 0;
		/* one that has just ended is no trouble: that is seen in a moment */
		if (!tree_add(&recorder->tree, recorder->target, &recorder->tap, program->pid, clock_ns(), err) && err->code == ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

static void note_attached_end(struct recorder *recorder, const struct attached_end *end)
{
	struct arg args[2] = { arg_int(KEY_PID, end->pid) };
	int status = end->wait_status;

	if (end->is_known)
		args[1] = WIFSIGNALED(status) ? arg_int(KEY_SIGNAL, WTERMSIG(status)) : arg_int(KEY_EXIT_STATUS, WEXITSTATUS(status));
	note(recorder, EVENT_NOTE_EXIT, args, end->is_known ? 2 : 1);
}

/* Who has ended, who has come. */
static void follow_attached(struct recorder *recorder, uint64_t now_ns)
{
	struct attached *attached = recorder->opts->attached;
	struct attached_end end;
	struct err err = { 0 };
	int code = 0;

	while (attached_next_ended(attached, &end))
		note_attached_end(recorder, &end);
	if (attached->look && !recorder->target->is_ending)
		code = attached->look(attached->ctx, attached, &err);
	if (attached->time_waits && !attached->n && !recorder->tree.n && !recorder->result->n_processes)
		recorder->start_ns = now_ns;
	if (!code)
		code = admit_attached(recorder, &err);
	if (code)
		stop_recording(recorder, err.msg);
}

static void turn(struct recorder *recorder)
{
	uint64_t now_ns = clock_ns();
	struct err err = { 0 };

	if (recorder->opts->attached)
		follow_attached(recorder, now_ns);
	if (now_ns >= recorder->tree_due_ns || recorder->target->is_ending) {
		tree_update(&recorder->tree, recorder->target, &recorder->tap, now_ns, &err);
		recorder->tree_due_ns = clock_ns() + (uint64_t)tree_due_ms(&recorder->tree) * 1000000u;
		/* a new process may be due at once */
		for (size_t i = 0; i < recorder->n_running; i++) {
			struct running *running = &recorder->running[i];
			if (running->source && running->source->due_ms && !running->source->due_ms(running->state))
				running->due_ns = now_ns;
		}
	}
	for (size_t i = 0; i < recorder->n_running; i++) {
		struct running *running = &recorder->running[i];
		if (running->source && (now_ns >= running->due_ns || recorder->target->is_ending))
			drain_source(recorder, running, now_ns);
	}
	if (now_ns - recorder->flushed_ns >= FLUSH_MS * 1000000ull || recorder->target->is_ending)
		flush(recorder, now_ns);
	check_limits(recorder, now_ns);
	show_progress(recorder, now_ns, false);
}

static int next_ms(const struct recorder *recorder)
{
	uint64_t next = recorder->flushed_ns + FLUSH_MS * 1000000ull, now_ns = clock_ns();

	if (!recorder->is_recording)
		return -1;
	if (recorder->tree_due_ns < next)
		next = recorder->tree_due_ns;
	for (size_t i = 0; i < recorder->n_running; i++)
		if (recorder->running[i].source && recorder->running[i].due_ns < next)
			next = recorder->running[i].due_ns;
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
	signal(SIGPIPE, SIG_IGN);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_set(err, errno, "cannot wait for signals: %s", strerror(errno)) : fd;
}

/* True when the program has ended; its status is in the result. */
static bool read_signals(struct recorder *recorder, int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof info) == sizeof info) {
		/* one that was sent to us alone is meant for the program; the terminal has sent it both */
		bool from_terminal = info.ssi_signo != SIGTERM && info.ssi_code == SI_KERNEL;
		recorder->result->was_interrupted |= info.ssi_signo != SIGCHLD;
		if (info.ssi_signo != SIGCHLD && !from_terminal)
			kill(recorder->target->pid, (int)info.ssi_signo);
	}
	return waitpid(recorder->target->pid, &recorder->result->wait_status, WNOHANG) == recorder->target->pid;
}

static bool program_has_ended(const struct recorder *recorder)
{
	siginfo_t info = { .si_pid = 0 };

	return !waitid(P_PID, (id_t)recorder->target->pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

static void note_end(struct recorder *recorder)
{
	int status = recorder->result->wait_status;
	struct arg args[6];
	size_t n = 0;

	if (*recorder->opts->program_reason) {
		args[n++] = arg_int(KEY_PID, recorder->target->pid);
		args[n++] = arg_text(KEY_STATE, &recorder->tap, recorder->opts->program_reason);
		note(recorder, EVENT_NOTE_PROCESS, args, n);
		n = 0;
	}
	if (!recorder->result->has_stopped && !recorder->opts->attached) {
		args[n++] = arg_int(KEY_PID, recorder->target->pid);
		args[n++] = WIFSIGNALED(status) ? arg_int(KEY_SIGNAL, WTERMSIG(status)) : arg_int(KEY_EXIT_STATUS, WEXITSTATUS(status));
		note(recorder, EVENT_NOTE_EXIT, args, n);
	} else if (recorder->result->has_stopped) {
		args[n++] = arg_text(KEY_TEXT, &recorder->tap, recorder->result->stop_reason);
		note(recorder, EVENT_NOTE_STOPPED, args, n);
	}
	recorder->result->cpu_ns = recorder_cost_cpu_ns(RUSAGE_SELF) - recorder->start_cpu_ns + recorder->helpers_ns;
	n = 0;
	args[n++] = arg_int(KEY_EVENTS, (int64_t)recorder->n_events);
	args[n++] = arg_int(KEY_RECORDER_CPU_NS, (int64_t)recorder->result->cpu_ns);
	if (recorder_cost_peak_bytes())
		args[n++] = arg_int(KEY_RECORDER_PEAK_BYTES, recorder_cost_peak_bytes());
	/* of a record that the program writes itself */
	if (!recorder->target->uprobes)
		args[n++] = arg_real(KEY_EVENT_NS, recorder_cost_event_ns());
	args[n++] = arg_int(KEY_LOST, (int64_t)recorder->result->n_lost);
	note(recorder, EVENT_NOTE_COST, args, n);
}

static void finish(struct recorder *recorder)
{
	recorder->target->is_ending = true;
	turn(recorder);
	for (size_t i = 0; i < recorder->n_running; i++)
		stop_source(&recorder->running[i]);
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
			note_end(recorder);
			flush(recorder, clock_ns());
			fprintf(stderr, "inftrace: recording has stopped: %s; the program goes on\n", recorder->result->stop_reason);
		}
		if (poll(&poller, 1, next_ms(recorder)) > 0 && !program_has_ended(recorder))
			read_signals(recorder, signals);
	}
	if (!has_finished)
		finish(recorder);
	waitpid(recorder->target->pid, &recorder->result->wait_status, 0);
	if (!has_finished) {
		note_end(recorder);
		flush(recorder, clock_ns());
		if (recorder->result->has_stopped)
			fprintf(stderr, "inftrace: the end of the recording is missing: %s\n", recorder->result->stop_reason);
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
	note_end(recorder);
	flush(recorder, clock_ns());
}

/* Sources keep a few files of each process open; the soft limit is often 1024. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int begin(struct recorder *recorder, int (*go)(void *ctx, struct err *err), void *ctx, struct err *err)
{
	int code = recorder->opts->attached ? admit_attached(recorder, err) : 0;

	if (!code)
		code = start_sources(recorder, err);
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

int recorder_run(const struct recorder_opts *opts, struct target *target, int (*go)(void *ctx, struct err *err), void *ctx,
		 struct recorder_result *result, struct err *err)
{
	struct recorder recorder = { .opts = opts, .target = target, .result = result, .is_recording = true };
	struct perfetto_write_opts write_opts = { .compress = opts->compress };
	sigset_t old;
	int signals, code = -ENOMEM;

	memset(result, 0, sizeof *result);
	target->tree = &recorder.tree;
	allow_descriptors();
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
	note_start(&recorder);
	code = begin(&recorder, go, ctx, err);
	if (!code && opts->attached)
		loop_attached(&recorder, signals, ctx);
	else if (!code)
		loop(&recorder, signals);
	result->elapsed_ns = clock_ns() - recorder.start_ns;
	result->n_bytes = perfetto_write_bytes(recorder.writer);
out:
	for (size_t i = 0; i < recorder.n_running; i++)
		stop_source(&recorder.running[i]);
	tree_done(&recorder.tree);
	if (recorder.writer)
		perfetto_write_free(recorder.writer, NULL);
	names_free(recorder.names);
	close(signals);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return code;
}
