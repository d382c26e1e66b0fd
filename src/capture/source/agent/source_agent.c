// SPDX-License-Identifier: Apache-2.0
/*
 * Events from the agents in the recorded processes. Finds their segments, and reports programs without an agent.
 * recorded_drain.c reads the segments.
 *
 * A process's segment is read until the process is gone and nothing is left in it; then its file is removed. Events
 * published by a killed process are in the segment like all others.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/processor.h"
#include "capture/decode/recorded_drain.h"
#include "capture/decode/segment_folder.h"
#include "capture/proc/namespace.h"
#include "capture/proc/proc.h"
#include "capture/proc/process_end.h"
#include "capture/source/agent/source_agent_in.h"
#include "capture/source/other_note.h"
#include "capture/source/source.h"
#include "capture/source/tree.h"
#include "runtime/runtimes.h"

enum {
	END_TRIES = 3,
	MAX_JUMPS = 1000, /* noted one by one */
	WANTED_FILL = 40, /* of a ring when it is drained, in percent */
	GRID_MS = 50,
	PLACE_MS = 5, /* while the line of a caller is to come */
	SMALL_RING = 1 << 20,
};

#define LOOK_NS UINT64_C(200000000)

struct agent_state {
	const struct target *target;
	struct told {
		bool has_agent, is_another;
	} *told; /* for each host of the target: already reported */
	struct clock_map clock;
	bool use_ticks;
	uint64_t n_jumps; /* of the clock, noted */
	uint64_t n_found; /* segments so far */
	struct segment_folder *folder;
	size_t n_folders;
	uint64_t n_news, looked_ns; /* of the tree, when the folders were last looked at, and that time */
	struct recorded **process;
	size_t n_processes;
	pid_t n_unknown; /* processes whose pid here is unknown */
	struct unseen unseen;
	struct caller_places places;
	uint64_t drained_ns;
	int due_ms;
};

static int check(const struct target *target, struct err *err)
{
	if (!target->ring_dir)
		return err_set(err, EOPNOTSUPP, "no program is started with the agent");
	return 0;
}

static int start(void *opaque, const struct target *target, struct sink *out, struct err *err)
{
	struct agent_state *state = opaque;
	const char *const *more = target->more_ring_dirs;
	size_t n_more = 0;

	while (more && more[n_more])
		n_more++;
	state->target = target;
	state->told = calloc(target->n_hosts + 1, sizeof *state->told);
	state->folder = calloc(1 + n_more, sizeof *state->folder);
	if (!state->told || !state->folder)
		return err_no_memory(err, "cannot record programs");
	state->folder[state->n_folders++].path = target->ring_dir;
	for (size_t i = 0; i < n_more; i++)
		state->folder[state->n_folders++].path = more[i];
	state->use_ticks = clock_is_invariant(target->sysroot, NULL);
	if (state->use_ticks)
		clock_map_init(&state->clock, NULL, 5);
	/* what is told of them at the end is told on their tracks */
	for (size_t i = 0; i < target->n_hosts; i++)
		tree_hold(target->tree, tree_track(target->tree, target->host[i].pid));
	return 0;
}

static bool has_process(const struct agent_state *state, const char *path)
{
	for (size_t i = 0; i < state->n_processes; i++)
		if (!strcmp(state->process[i]->path, path))
			return true;
	return false;
}

/*
 * In the order in which they began: of two programs of one process, the first is read first, and while it is, the
 * second is still here.
 */
static void insert(struct agent_state *state, struct recorded *process)
{
	size_t at = state->n_processes++;

	for (; at && state->process[at - 1]->map.segment->started > process->map.segment->started; at--)
		state->process[at] = state->process[at - 1];
	state->process[at] = process;
}

static int add_process(struct agent_state *state, const char *path, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct recorded **grown = realloc(state->process, (state->n_processes + 1) * sizeof(struct recorded *));
	struct recorded *process;
	struct err ignored = { 0 };
	pid_t known;

	if (!grown)
		return err_no_memory(err, "cannot record another process");
	state->process = grown;
	process = recorded_open(path, out->names, state->use_ticks ? &state->clock : NULL, &ignored);
	state->unseen.has_other_version |= !process && ignored.code == EPROTONOSUPPORT;
	if (!process)
		return 0; /* not a segment of this recording, or gone again */
	known = process->pid < NAMESPACE_UNKNOWN ? process->pid : 0;
	if (process->pid == NAMESPACE_UNKNOWN)
		process->pid += state->n_unknown++; /* a number that no other process has */
	process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	process->track = tree_add(state->target->tree, state->target, out, process->pid, now_ns, &ignored);
	process->lanes.process_track = process->track;
	process->is_of_tree = process->track;
	tree_hold(state->target->tree, process->track);
	process->flows_base = ++state->n_found << FLOW_BITS;
	process->found_ns = now_ns;
	process->callers.finder = (struct callers_finder){ caller_place_find, &state->places, process };
	insert(state, process);
	for (size_t i = 0; i < state->target->n_hosts; i++)
		state->told[i].has_agent |= state->target->host[i].pid == process->pid;
	if (!unseen_has_agent(&state->unseen, known, process->map.segment->exe_device, process->map.segment->exe_inode))
		return err_no_memory(err, "cannot record another process");
	return 0;
}

struct finding {
	struct agent_state *state;
	struct sink *out;
	uint64_t now_ns;
	struct err *err;
};

static int found_segment(void *ctx, const char *path)
{
	const struct finding *finding = ctx;

	if (has_process(finding->state, path))
		return 0;
	return add_process(finding->state, path, finding->out, finding->now_ns, finding->err);
}

static int find_processes(struct agent_state *state, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct finding finding = { state, out, now_ns, err };
	int code = 0;

	state->n_news = state->target->tree->n_news;
	state->looked_ns = now_ns;
	for (size_t i = 0; i < state->n_folders && !code; i++)
		code = segment_folder_look(&state->folder[i], found_segment, &finding);
	return code;
}

/*
 * Whether there may be new segments: programs with the agent begin in new processes or threads, or by exec, which is
 * seen when the time is over. Small rings cannot wait for it.
 */
static bool is_time_to_look(const struct agent_state *state, uint64_t now_ns)
{
	return state->n_news != state->target->tree->n_news || now_ns - state->looked_ns >= LOOK_NS ||
	       state->target->is_ending || state->target->ring_bytes < SMALL_RING;
}

/* The tree has seen it alive at its last update: this takes no system call. */
static bool is_in_tree(const struct tree *tree, const struct recorded *process)
{
	for (size_t i = 0; i < tree->n; i++)
		if (tree->process[i].track == process->track)
			return tree->process[i].pidfd && !tree->process[i].is_over;
	return false;
}

static bool has_ended(const struct agent_state *state, const struct recorded *process)
{
	struct pollfd poller = { process->pidfd, POLLIN, 0 };

	if (is_in_tree(state->target->tree, process))
		return false;
	if (process->pidfd < 0)
		return syscall(SYS_tgkill, process->pid, process->pid, 0) && errno == ESRCH;
	return poll(&poller, 1, 0) == 1;
}

/* Ticks do not tell which is older where the counter starts anew. */
static bool is_newer(const struct recorded *process, const struct recorded *than)
{
	return process->found_ns > than->found_ns ||
	       (process->found_ns == than->found_ns && process->map.segment->started > than->map.segment->started);
}

/* A newer segment of the same process, which has started another program since. */
static struct recorded *replaced_by(const struct agent_state *state, const struct recorded *process)
{
	for (size_t i = 0; i < state->n_processes; i++)
		if (state->process[i] != process && state->process[i]->pid == process->pid &&
		    is_newer(state->process[i], process))
			return state->process[i];
	return NULL;
}

/*
 * Whether it runs another program now, without an agent: the agent saw no end, and the kernel gives the process another
 * name. command: that name.
 */
static bool has_become_another(const struct agent_state *state, const struct recorded *process, char *command,
			       size_t size)
{
	const struct segment *segment = process->map.segment;
	struct proc_stat stat;
	char text[1024];
	ssize_t got;

	if (segment->ended || replaced_by(state, process))
		return false;
	got = proc_read(state->target->sysroot, process->pid, "stat", text, sizeof text);
	if (got < 0 || !proc_stat_parse(text, (size_t)got, &stat) ||
	    !strncmp(stat.name, segment->command, sizeof segment->command - 1))
		return false;
	snprintf(command, size, "%s", stat.name);
	return true;
}

static int note_process(struct agent_state *state, struct recorded *process, struct sink *out, uint64_t now_ns,
			struct err *err)
{
	struct segment *segment = process->map.segment;
	char reason[sizeof segment->reason + 64] = "no runtime that inftrace records was loaded", command[64];
	struct arg args[3] = { arg_int(KEY_PID, process->pid) };
	bool is_unseen = true;

	if (process->is_noted || (process->has_runtime && (segment->state != SEGMENT_OFF || process->is_off_told)))
		return 0;
	process->is_noted = true;
	if (segment->state == SEGMENT_OFF) {
		snprintf(reason, sizeof reason, "the agent switched itself off: %.*s", (int)sizeof segment->reason - 1,
			 segment->reason);
	} else if (has_become_another(state, process, command, sizeof command)) {
		snprintf(reason, sizeof reason, "what %.60s did was not seen: %s", command, unseen_unknown);
		unseen_is_told(&state->unseen, process->pid);
	} else {
		is_unseen = false;
	}
	args[1] = arg_text(KEY_STATE, out, reason);
	args[2] = arg_int(KEY_COUNT, 1);
	return recorded_note(
	    out, EVENT_NOTE_PROCESS,
	    &(struct event){
		.track = recorded_track(process, out), .time_ns = now_ns, .args = args, .n_args = is_unseen ? 3 : 2 },
	    err);
}

/* Children of fork that have the agent, but could make no segment of their own. */
static int note_children(struct recorded *process, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct arg args[3] = { arg_int(KEY_PID, process->pid) };
	uint32_t n = __atomic_load_n(&process->map.segment->n_unseen, __ATOMIC_RELAXED);
	char text[200];

	if (!n)
		return 0;
	snprintf(text, sizeof text,
		 "what %u forked from it did was not seen: the agent could not start again (another user or root "
		 "folder, a limit on files or memory, a seccomp filter)",
		 n);
	args[1] = arg_text(KEY_STATE, out, text);
	args[2] = arg_int(KEY_COUNT, n);
	return recorded_note(
	    out, EVENT_NOTE_PROCESS,
	    &(struct event){ .track = recorded_track(process, out), .time_ns = now_ns, .args = args, .n_args = 3 },
	    err);
}

/* The process of this pid in the pid namespace of another one, if it is recorded. */
static const struct recorded *find_parent(const struct agent_state *state, const struct recorded *child)
{
	const struct segment *own = child->map.segment;

	for (size_t i = 0; i < state->n_processes; i++) {
		const struct segment *other = state->process[i]->map.segment;

		if (state->process[i] != child && other->pid == own->forked_from &&
		    other->pid_namespace == own->pid_namespace && other->started <= own->started)
			return state->process[i];
	}
	return NULL;
}

/* Once: whose sessions it inherited. Sessions have the parent's numbers in it. */
static int note_fork(const struct agent_state *state, struct recorded *process, struct sink *out, uint64_t now_ns,
		     struct err *err)
{
	const struct segment *segment = process->map.segment;
	const struct recorded *parent;
	struct arg args[2];
	pid_t pid;

	if (process->is_fork_noted || segment->forked_from <= 0)
		return 0;
	process->is_fork_noted = true;
	parent = find_parent(state, process);
	/* one that has ended has the same pid here, if the child has */
	pid = parent ? parent->pid : process->is_elsewhere ? 0 : segment->forked_from;
	if (parent)
		process->session_base = parent->session_base;
	if (pid <= 0 || pid >= NAMESPACE_UNKNOWN)
		return 0;
	args[0] = arg_int(KEY_PID, process->pid);
	args[1] = arg_int(KEY_PARENT_PID, pid);
	return recorded_note(
	    out, EVENT_NOTE_FORKED,
	    &(struct event){ .track = recorded_track(process, out), .time_ns = now_ns, .args = args, .n_args = 2 },
	    err);
}

/* What its agent wrote when it ended. */
static int note_memory(struct recorded *process, struct sink *out, uint64_t now_ns, struct err *err)
{
	const struct segment *segment = process->map.segment;
	uint64_t peak_kib = __atomic_load_n(&segment->peak_kib, __ATOMIC_ACQUIRE), resident_kib = segment->resident_kib;
	struct arg args[3] = { arg_int(KEY_PID, process->pid) };

	if (process->is_memory_noted || !peak_kib || peak_kib >> 50 || resident_kib >> 50)
		return 0;
	process->is_memory_noted = true;
	args[1] = arg_int(KEY_PEAK, (int64_t)peak_kib * 1024);
	args[2] = arg_int(KEY_BYTES, (int64_t)resident_kib * 1024);
	return recorded_note(
	    out, EVENT_NOTE_MEMORY_END,
	    &(struct event){ .track = recorded_track(process, out), .time_ns = now_ns, .args = args, .n_args = 3 },
	    err);
}

/* Of one that is not the recorder's own child. */
static int note_end(const struct agent_state *state, struct recorded *process, struct sink *out, uint64_t now_ns,
		    struct err *err)
{
	struct arg args[2] = { arg_int(KEY_PID, process->pid) };
	bool is_known;
	int status;

	if (process->pid == state->target->pid || !has_ended(state, process) || replaced_by(state, process))
		return 0;
	is_known = process->pidfd >= 0 && process_end(process->pidfd, END_TRIES, &status);
	if (is_known)
		args[1] = WIFSIGNALED(status) ? arg_int(KEY_SIGNAL, WTERMSIG(status))
					      : arg_int(KEY_EXIT_STATUS, WEXITSTATUS(status));
	return recorded_note(
	    out, EVENT_NOTE_EXIT,
	    &(struct event){
		.track = recorded_track(process, out), .time_ns = now_ns, .args = args, .n_args = is_known ? 2 : 1 },
	    err);
}

static int note_others(const struct agent_state *state, struct recorded *process, struct sink *out, uint64_t now_ns,
		       struct err *err)
{
	char path[PATH_MAX], title[64];
	int code = 0;

	while (!code && process->n_others) {
		uint32_t named = process->other[--process->n_others].title;
		snprintf(path, sizeof path, "%s", names_text(out->names, process->other[process->n_others].path));
		snprintf(title, sizeof title, "%s", named ? names_text(out->names, named) : "");
		code = other_note(
		    state->target,
		    &(struct other_file){ process->pid, recorded_track(process, out), path, now_ns, title }, out, err);
	}
	return code;
}

static int drain_process(struct agent_state *state, struct recorded *process, struct recorded_drain *drain,
			 struct err *err)
{
	int code = note_fork(state, process, drain->out, drain->now_ns, err);

	if (!code)
		code = confined_look(process, state->target->sysroot, drain->out, drain->now_ns, err);
	if (!code)
		code = recorded_drain(process, drain, err);
	if (!code)
		code = note_others(state, process, drain->out, drain->now_ns, err);
	if (!code)
		code = confined_tell(process, drain->out, drain->now_ns, err);
	if (!code)
		code = pool_cpu_sample(process, state->target, drain->out, drain->now_ns, err);
	if (!code)
		code = malloc_heap_sample(process, state->target, drain->out, drain->now_ns, err);
	if (!code)
		code = profile_file_look(process, state->target, drain->out, drain->now_ns, err);
	if (!code && drain->is_last)
		code = note_memory(process, drain->out, drain->now_ns, err);
	if (!code && drain->is_last)
		code = note_end(state, process, drain->out, drain->now_ns, err);
	if (!code && drain->is_last)
		code = note_children(process, drain->out, drain->now_ns, err);
	return !code && drain->is_last ? note_process(state, process, drain->out, drain->now_ns, err) : code;
}

/* It is read to its end, and so are its tracks, if nobody else has them. */
static int close_process(struct agent_state *state, struct recorded *process, struct sink *out, struct err *err)
{
	const struct event end = { .type = EVENT_TRACK_END, .track = process->track };
	int code = 0;

	if (process->is_of_tree)
		tree_release(state->target->tree, process->track);
	else if (process->track)
		code = sink_put(out, &end, err);
	unlink(process->path);
	recorded_close(process);
	return code;
}

/* Passes numbers on to the process's next program. */
static void hand_on(const struct recorded *from, struct recorded *to)
{
	if (!to)
		return;
	to->session_base = from->session_base + from->last_session;
	to->run_base = from->run_base + from->last_run;
}

static int note_clock(struct agent_state *state, const char *topic, struct event *note, struct sink *out,
		      struct err *err)
{
	note->track = state->target->tree->n ? state->target->tree->process[0].track : 0;
	return note->track ? recorded_note(out, topic, note, err) : 0;
}

/* Which clock it was, at the end. */
static int note_last_clock(struct agent_state *state, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct arg args[3] = { arg_text(KEY_SOURCE, out, state->use_ticks ? PROCESSOR_COUNTER : "CLOCK_MONOTONIC"),
			       arg_int(KEY_ERROR_NS, (int64_t)(state->clock.error_ns + state->clock.width_ns)),
			       arg_int(KEY_COUNT, (int64_t)state->clock.n_jumps) };
	struct event note = { .time_ns = now_ns, .args = args, .n_args = state->clock.n_jumps ? 3 : 2 };

	return note_clock(state, EVENT_NOTE_CLOCK, &note, out, err);
}

/* The counter and the clock have parted; each jump on its own, while they are few. */
static int note_jump(struct agent_state *state, struct sink *out, uint64_t now_ns, struct err *err)
{
	const struct clock_jump *jump = &state->clock.jump;
	struct arg args[3] = { arg_text(KEY_STATE, out, EVENT_CLOCK_JUMPED),
			       arg_int(KEY_FROM_NS, (int64_t)jump->from_ns), arg_int(KEY_BY_NS, jump->by_ns) };
	struct event note = { .time_ns = now_ns, .args = args, .n_args = 3 };

	if (state->n_jumps == state->clock.n_jumps)
		return 0;
	state->n_jumps = state->clock.n_jumps;
	return state->n_jumps <= MAX_JUMPS ? note_clock(state, EVENT_NOTE_CLOCK_CHANGED, &note, out, err) : 0;
}

/* No inference came that would have loaded the agent: notes the runtime all the same. */
static int tell_without_agent(struct agent_state *state, const struct host *host, struct sink *out, uint64_t now_ns,
			      struct err *err)
{
	struct recorded *process = recorded_new(host->pid, tree_track(state->target->tree, host->pid), out->names, err);
	struct segment_entry entry = { .kind = DICT_RUNTIME,
				       .text = { names_of(out->names, host->path), names_of(out->names, host->version),
						 names_of(out->names, host->unseen) } };
	char path[64];
	struct stat exe;
	int code;

	if (!process)
		return -ENOMEM;
	entry.text[4] = names_of(out->names, runtimes[0]->name); /* the runtime that supports injection */
	code = recorded_tell_runtime(process, &entry, 0, out, now_ns, err);
	recorded_close(process);
	snprintf(path, sizeof path, "/proc/%d/exe", (int)proc_living("", host->pid));
	if (!code && !stat(path, &exe) && !unseen_has_agent(&state->unseen, host->pid, exe.st_dev, exe.st_ino))
		code = -ENOMEM;
	return code;
}

/* It has called exec. Everything before that is recorded. */
static int tell_other_program(const struct agent_state *state, const struct host *host, struct sink *out,
			      uint64_t now_ns, struct err *err)
{
	struct arg args[3] = { arg_int(KEY_PID, host->pid) };
	uint32_t track = tree_track(state->target->tree, host->pid);
	char who[96];

	snprintf(who, sizeof who, "%.64s (%d)", host->name, (int)host->pid);
	args[1] = arg_text(KEY_SOURCE, out, who);
	args[2] = arg_text(KEY_TEXT, out, "it became another program (exec), in which there is no agent");
	return track
		   ? recorded_note(out, EVENT_NOTE_STOPPED,
				   &(struct event){ .track = track, .time_ns = now_ns, .args = args, .n_args = 3 }, err)
		   : 0;
}

static int tell_hosts(struct agent_state *state, struct sink *out, uint64_t now_ns, struct err *err)
{
	int code = 0;

	for (size_t i = 0; i < state->target->n_hosts && !code; i++) {
		const struct host *host = &state->target->host[i];
		struct told *told = &state->told[i];
		if (host->is_another && !told->is_another)
			code = tell_other_program(state, host, out, now_ns, err);
		told->is_another |= host->is_another;
		if (!code && state->target->is_ending && !told->has_agent && !told->is_another)
			code = tell_without_agent(state, host, out, now_ns, err);
	}
	return code == -ENOMEM ? err_no_memory(err, "cannot report a program") : code;
}

/*
 * In time for the fullest ring, if it goes on filling like since the last drain; when nothing fills up, on a grid, so
 * that the recorder wakes up once for this and for the tree of processes. Rings that may not grow have no room for
 * guesses. fill: of the fullest ring, in percent.
 */
static int next_ms(const struct agent_state *state, uint64_t now_ns, unsigned fill)
{
	uint64_t span_ns = state->drained_ns ? now_ns - state->drained_ns : 0;
	uint64_t ms = fill ? span_ns * WANTED_FILL / fill / 1000000 : GRID_MS;

	if (state->target->ring_bytes < SMALL_RING)
		return fill > 50 ? 1 : fill > 20 ? 5 : 20;
	if (ms >= GRID_MS)
		ms = (GRID_MS * 1000000 - now_ns % (GRID_MS * 1000000)) / 1000000;
	return ms ? (int)ms : 1;
}

static int drain(void *opaque, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct agent_state *state = opaque;
	struct recorded_drain drained = { .out = out, .now_ns = now_ns };
	int code = is_time_to_look(state, now_ns) ? find_processes(state, out, now_ns, err) : 0;

	if (state->use_ticks)
		clock_map_update(&state->clock);
	if (!code)
		code = note_jump(state, out, now_ns, err);
	for (size_t i = 0; i < state->n_processes && !code;) {
		struct recorded *process = state->process[i];
		struct recorded *next = replaced_by(state, process);
		drained.is_last = next || state->target->is_ending;
		/* others' rings are not kept waiting for the lines of one that has ended */
		if (!drained.is_last && has_ended(state, process)) {
			code = drain_process(state, process, &drained, err);
			drained.is_last = !process->callers.n_open;
		}
		/* the segment of a program that it has started since it was looked for */
		if (!code && drained.is_last && !next && !state->target->is_ending) {
			code = find_processes(state, out, now_ns, err);
			next = replaced_by(state, process);
			while (state->process[i] != process)
				i++; /* what came before it is read the next time */
		}
		if (!code)
			code = drain_process(state, process, &drained, err);
		if (!code)
			code = note_jump(state, out, now_ns, err);
		if (drained.is_last)
			hand_on(process, next);
		if (code || !drained.is_last || state->target->is_ending) {
			i++;
			continue;
		}
		code = close_process(state, process, out, err);
		memmove(&state->process[i], &state->process[i + 1],
			(--state->n_processes - i) * sizeof(struct recorded *));
	}
	if (!code && state->target->is_ending)
		code = note_last_clock(state, out, now_ns, err);
	if (!code)
		code = tell_hosts(state, out, now_ns, err);
	if (!code)
		code = unseen_update(&state->unseen, state->target, out, now_ns, err);
	state->due_ms = next_ms(state, now_ns, drained.fill);
	state->drained_ns = now_ns;
	return code;
}

static int due_ms(const void *opaque)
{
	const struct agent_state *state = opaque;

	if (caller_places_wait(&state->places) && state->due_ms > PLACE_MS)
		return PLACE_MS;
	return state->due_ms ? state->due_ms : 1;
}

static void stop(void *opaque)
{
	struct agent_state *state = opaque;

	for (size_t i = 0; i < state->n_processes; i++) {
		/* agents that still run may stop writing */
		__atomic_store_n(&state->process[i]->map.segment->state, SEGMENT_OFF, __ATOMIC_RELAXED);
		unlink(state->process[i]->path);
		recorded_close(state->process[i]);
	}
	free(state->process);
	free(state->told);
	free(state->folder);
	unseen_done(&state->unseen);
	caller_places_done(&state->places);
	state->process = NULL;
	state->told = NULL;
	state->folder = NULL;
	state->n_processes = state->n_folders = 0;
}

const struct source source_agent = {
	.name = "agent",
	.help = "models, sessions, inferences and operators, from inside the program",
	.state_size = sizeof(struct agent_state),
	.is_for_sums = true,
	.check = check,
	.start = start,
	.due_ms = due_ms,
	.drain = drain,
	.stop = stop,
};
