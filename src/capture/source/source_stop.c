// SPDX-License-Identifier: Apache-2.0
/*
 * Time in which a process could not run, whatever it wanted: "stopped" by a signal, "traced" (held by a debugger), its
 * cgroup "frozen"; each a slice on a line of its own. The kernel sends the recorder a signal when the program that it
 * started stops or goes on. All else is sampled: each STEP_NS, on the grid of other sources; HELD_NS or
 * a hundredth of the stop while it is held, and less often where that takes more than a thousandth of the time. A slice
 * begins when the process was first seen held and ends when it was last seen so; its arguments say when it was seen
 * running.
 *
 * Ctrl-Z stops the recorder with the program. The recorder then finds that it has slept too long, that the kernel has
 * told of a stop, and that the process has hardly used a CPU: it was stopped, too.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/proc/freezer.h"
#include "capture/source/follow.h"

#define MS_NS UINT64_C(1000000)
#define STEP_NS (50 * MS_NS)
#define HELD_NS (2 * MS_NS)
/* A recorder that sleeps too long by more than that was stopped. It may have been late for a CPU before and after. */
#define OVERSLEPT_NS (100 * MS_NS)
#define LATE_NS (50 * MS_NS)

enum { STOPPED, TRACED, FROZEN, N_HALTS };
enum { RUNNING_PART = 1000, HELD_PART = 100 }; /* of the time is spent on samples, at most */
enum { ASLEEP_PART = 5 };		       /* of the time a process that was stopped used a CPU, at most */

static const char *const names[N_HALTS] = { [STOPPED] = EVENT_HALT_STOPPED,
					    [TRACED] = EVENT_HALT_TRACED,
					    [FROZEN] = EVENT_HALT_FROZEN };

/* One way in which a process may be held. */
struct halt {
	uint32_t track;
	bool is_seen, is_put; /* it is held; its slice has begun in the recording */
	uint64_t running_ns;  /* when it was seen running; 0: never */
	uint64_t first_ns, last_ns;
	uint64_t switches; /* of a traced one's first thread */
	uint64_t tracer;
};

struct stop_item {
	struct followed followed;
	struct proc_file stat;
	struct freezer freezer;
	uint64_t cpu_ticks;
	struct halt halt[N_HALTS];
};

struct stop_state {
	struct fine fine;
	struct follow follow;
	uint64_t due_ns, held_since_ns; /* the youngest halt of any process; 0: none is held */
	uint64_t n_child_news, n_child_stops;
	uint64_t overslept_ns; /* since when the recorder was stopped itself; 0: it was not */
};

static int start(void *data, const struct target *target, struct sink *out, struct err *err)
{
	((struct stop_state *)data)->fine.target = target;
	return 0;
}

static int define_track(const struct sample *sample, struct halt *halt, const char *name)
{
	struct track_def def = { .type = TRACK_LANE,
				 .parent = sample->process->track,
				 .name = names_of(sample->out->names, name) };
	struct event event = {
		.type = EVENT_TRACK, .track = sink_new_track(sample->out), .time_ns = halt->first_ns, .def = &def
	};

	halt->track = event.track;
	return sink_put(sample->out, &event, sample->err);
}

static int put_begin(const struct sample *sample, struct halt *halt, const char *name)
{
	char tracer[64] = "";
	struct arg args[3];
	struct event event = { .type = EVENT_BEGIN, .kind = KIND_HALT, .time_ns = halt->first_ns, .args = args };
	int result = halt->track ? 0 : define_track(sample, halt, name);

	if (halt->running_ns)
		args[event.n_args++] = arg_int(KEY_FROM_NS, (int64_t)halt->running_ns);
	if (halt->tracer) {
		ssize_t got =
		    proc_read(sample->target->sysroot, (pid_t)halt->tracer, "comm", tracer, sizeof tracer - 1);

		tracer[got > 0 ? strcspn(tracer, "\n") : 0] = 0;
		args[event.n_args++] = arg_int(KEY_PID, (int64_t)halt->tracer);
	}
	if (*tracer)
		args[event.n_args++] = arg_text(KEY_TEXT, sample->out, tracer);
	event.track = halt->track;
	event.name = names_of(sample->out->names, name);
	halt->is_put = true;
	return result ? result : sink_put(sample->out, &event, sample->err);
}

static int put_end(const struct sample *sample, struct halt *halt, uint64_t until_ns)
{
	struct arg until = arg_int(KEY_UNTIL_NS, (int64_t)until_ns);
	struct event event = {
		.type = EVENT_END, .track = halt->track, .time_ns = halt->last_ns, .args = &until, .n_args = 1
	};

	halt->is_seen = halt->is_put = false;
	return sink_put(sample->out, &event, sample->err);
}

static int see(const struct sample *sample, struct halt *halt, int what, bool is_held, uint64_t time_ns)
{
	int result = 0;

	if (!is_held) {
		if (halt->is_put)
			result = put_end(sample, halt, time_ns);
		halt->is_seen = false;
		halt->running_ns = time_ns;
		return result;
	}
	halt->last_ns = time_ns;
	if (!halt->is_seen) {
		halt->is_seen = true;
		halt->first_ns = time_ns;
		/* a tracer holds threads for moments, too: one that is held the next time as well stands still */
		if (what == TRACED)
			return 0;
	}
	return halt->is_put ? 0 : put_begin(sample, halt, names[what]);
}

/* Has a traced process run since it was last seen held? Then it was held twice. */
static int split(const struct sample *sample, struct halt *halt)
{
	uint64_t switches = 0, voluntary = 0, involuntary = 0;
	char text[8192];
	ssize_t got = proc_read(sample->target->sysroot, sample->process->pid, "status", text, sizeof text);
	bool has_run;
	int result = 0;

	if (got > 0 && proc_field(text, (size_t)got, "voluntary_ctxt_switches", &voluntary) &&
	    proc_field(text, (size_t)got, "nonvoluntary_ctxt_switches", &involuntary))
		switches = voluntary + involuntary;
	halt->tracer = 0;
	if (got > 0)
		proc_field(text, (size_t)got, "TracerPid", &halt->tracer);
	has_run = switches != halt->switches;
	halt->switches = switches;
	if (!halt->is_seen || !has_run)
		return 0;
	if (halt->is_put)
		result = put_end(sample, halt, halt->last_ns);
	halt->is_seen = false;
	halt->running_ns = 0;
	return result;
}

/* The part of a stop that the recorder has missed, because it was stopped itself. */
static int see_missed(const struct stop_state *state, const struct sample *sample, struct stop_item *item, bool is_held,
		      uint64_t time_ns)
{
	struct halt *halt = &item->halt[STOPPED];
	int result;

	if (halt->is_seen) {
		halt->last_ns = time_ns - LATE_NS;
		return 0;
	}
	halt->is_seen = true;
	halt->first_ns = state->overslept_ns + LATE_NS;
	halt->last_ns = time_ns - LATE_NS;
	result = put_begin(sample, halt, names[STOPPED]);
	return result || is_held ? result : put_end(sample, halt, time_ns);
}

static bool has_slept(const struct stop_state *state, const struct stop_item *item, const struct proc_stat *stat,
		      uint64_t time_ns)
{
	return state->overslept_ns && item->cpu_ticks && stat->cpu_ticks >= item->cpu_ticks &&
	       proc_ticks_ns(stat->cpu_ticks - item->cpu_ticks) < (time_ns - state->overslept_ns) / ASLEEP_PART;
}

static int sample_process(void *data, const struct sample *sample, void *data_item)
{
	struct stop_state *state = data;
	struct stop_item *item = data_item;
	const char *sysroot = sample->target->sysroot;
	bool is[N_HALTS] = { false };
	struct proc_stat stat;
	ssize_t got = sample_read_stat(sample, &item->stat, &stat);
	uint64_t time_ns = sample_clock_ns(sample->target, sample->now_ns);
	int result = 0;

	if (got < 0)
		return sample_unreadable(sample, &item->followed, 0, "stat", got);
	is[STOPPED] = stat.state == 'T';
	is[TRACED] = stat.state == 't';
	/* who runs is not frozen */
	is[FROZEN] = stat.state != 'R' && freezer_is_frozen(&item->freezer, sysroot, sample->process->pid, time_ns);
	if (sample->target->tree->n > PROC_KEPT)
		freezer_close(&item->freezer);
	if (is[TRACED])
		result = split(sample, &item->halt[TRACED]);
	if (!result && has_slept(state, item, &stat, time_ns))
		result = see_missed(state, sample, item, is[STOPPED], time_ns);
	item->cpu_ticks = stat.cpu_ticks;
	for (int i = 0; !result && i < N_HALTS; i++) {
		struct halt *halt = &item->halt[i];

		result = see(sample, halt, i, is[i], time_ns);
		if (halt->is_seen && halt->first_ns > state->held_since_ns)
			state->held_since_ns = halt->first_ns;
	}
	return result;
}

/* It was killed while it was held. */
static int process_gone(const struct sample *sample, void *data_item)
{
	struct stop_item *item = data_item;
	int result = 0;

	for (int i = 0; !result && i < N_HALTS; i++)
		if (item->halt[i].is_put)
			result = put_end(sample, &item->halt[i], sample->now_ns);
	return result;
}

static void close_item(void *data_item)
{
	struct stop_item *item = data_item;

	proc_file_close(&item->stat);
	freezer_close(&item->freezer);
}

static const struct follow_kind stop_kind = { sizeof(struct stop_item), sample_process, close_item, process_gone };

static int due_ms(const void *data)
{
	const struct stop_state *state = data;
	const struct target *target = state->fine.target;

	if (state->n_child_news != target->n_child_news || !follow_due_ns(&state->follow, &stop_kind, target->tree))
		return 0;
	return sample_due_ms(state->due_ns);
}

static void set_due(struct stop_state *state, uint64_t now_ns)
{
	uint64_t held_ns = now_ns > state->held_since_ns ? (now_ns - state->held_since_ns) / 100 : 0;
	uint64_t least_ns = state->fine.cost_ns * RUNNING_PART;
	uint64_t step_ns = (least_ns + STEP_NS) / STEP_NS * STEP_NS; /* on the grid of other sources */

	if (state->held_since_ns) {
		step_ns = held_ns < HELD_NS ? HELD_NS : held_ns < STEP_NS ? held_ns : STEP_NS;
		least_ns = state->fine.cost_ns * HELD_PART;
		step_ns = step_ns > least_ns ? step_ns : least_ns;
	}
	state->due_ns = sample_next_ns(step_ns, now_ns);
}

static int drain(void *data, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct stop_state *state = data;
	struct target each = *fine_begin(&state->fine); /* each process is due each time */
	struct sample sample = { &each, NULL, out, now_ns, err };
	int result;

	each.interval_ns = 1;
	state->overslept_ns = 0;
	if (state->due_ns && now_ns > state->due_ns + OVERSLEPT_NS && state->n_child_stops != each.n_child_stops)
		state->overslept_ns = state->due_ns;
	state->n_child_stops = each.n_child_stops;
	state->n_child_news = each.n_child_news;
	state->held_since_ns = 0;
	result = follow_drain(&state->follow, &stop_kind, state, &sample);
	fine_end(&state->fine);
	set_due(state, now_ns);
	return result;
}

static void stop(void *data)
{
	follow_done(&((struct stop_state *)data)->follow, &stop_kind);
}

const struct source source_stop = {
	.name = "stops",
	.help = "time in which each process was stopped, traced or frozen",
	.state_size = sizeof(struct stop_state),
	.check = sample_check_stat,
	.start = start,
	.due_ms = due_ms,
	.drain = drain,
	.stop = stop,
};
