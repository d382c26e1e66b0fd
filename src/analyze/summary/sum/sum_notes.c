// SPDX-License-Identifier: Apache-2.0
/*
 * What instants say: notes about the recording, losses. A note about a process names it by its pid, and may come before
 * the process's own track: those are kept until the end.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/summary/sum_kinds.h"
#include "event/event_args.h"
#include "event/merged_note.h"

/* What the notes of one topic say. */
struct topic {
	const char *name;
	int (*take)(struct summary_maker *, uint32_t process, const struct event *);
	bool is_of_process; /* taken at the end, when every process is known; process: index in struct summary */
};

/* A note about a process, which may be defined later. */
struct note {
	const struct topic *topic;
	uint64_t time_ns;
	uint32_t process;
	size_t n_args;
	struct arg arg[8];
};

static int64_t int_of(const struct event *event, enum event_key key)
{
	return event_int(event, key, -1);
}

/* A row more, or 0 and no row when there are too many; -ENOMEM. */
static int add_row(struct array *rows, size_t size, void **row)
{
	*row = rows->n < MAX_NOTES ? array_add(rows, size) : NULL;
	return *row || rows->n >= MAX_NOTES ? 0 : -ENOMEM;
}

static int note_recording(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	struct summary_recording *to = &maker->to->recording;

	to->is_ours = true;
	to->command = event_text(event, KEY_COMMAND);
	to->level = event_text(event, KEY_LEVEL);
	to->version = event_text(event, KEY_VERSION);
	to->machine = event_text(event, KEY_MACHINE);
	to->is_from_outside = !strcmp(names_text(maker->names, event_text(event, KEY_SOURCE)), "uprobe");
	to->interval_ns = int_of(event, KEY_INTERVAL_NS);
	to->start_realtime_ns = int_of(event, KEY_START_REALTIME_NS);
	to->n_cpus = int_of(event, KEY_COUNT);
	return 0;
}

static int note_process(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	int64_t n_unseen = int_of(event, KEY_COUNT);
	struct summary_process *row;

	if (n_unseen > 0)
		maker->to->n_unseen = stats_sum(maker->to->n_unseen, (uint64_t)n_unseen);
	if (process == SUMMARY_NONE)
		return 0;
	row = &maker->to->processes[process];
	if (event_text(event, KEY_EXE))
		row->exe = event_text(event, KEY_EXE);
	/* what was missed weighs more than that the rest had no runtime */
	if (n_unseen > 0 || !row->is_unseen)
		row->state = event_text(event, KEY_STATE);
	row->is_unseen |= n_unseen > 0;
	return 0;
}

/* Whether a file that goes by what is linked into it was recorded after all. */
static bool is_recorded(const struct summary_maker *maker, const struct summary_other_runtime *other,
			const struct summary_runtime *as)
{
	return other->path && as->process == other->process && as->path == other->path &&
	       strstr(names_text(maker->names, other->runtime), names_text(maker->names, as->runtime));
}

static void forget_recorded(struct summary_maker *maker, const struct summary_runtime *as)
{
	struct summary_other_runtime *all = maker->other_runtimes.data;
	size_t left = 0;

	for (size_t i = 0; i < maker->other_runtimes.n; i++)
		if (!is_recorded(maker, &all[i], as))
			all[left++] = all[i];
	maker->other_runtimes.n = left;
}

static int note_runtime(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	int64_t from_ns = int_of(event, KEY_FROM_NS);
	void *row;
	int rc = add_row(&maker->runtimes, sizeof(struct summary_runtime), &row);

	if (!row)
		return rc;
	*(struct summary_runtime *)row =
	    (struct summary_runtime){ .process = process,
				      .runtime = event_text(event, KEY_RUNTIME),
				      .version = event_text(event, KEY_VERSION),
				      .path = event_text(event, KEY_PATH),
				      .armed = event_text(event, KEY_TEXT),
				      .left_out = event_text(event, KEY_STATUS),
				      .arm_ns = int_of(event, KEY_ARM_NS),
				      .usage_ns = int_of(event, KEY_USAGE_NS),
				      .complete_from_ns = from_ns > 0 ? (uint64_t)from_ns : 0 };
	forget_recorded(maker, row);
	return rc;
}

/* Once for each process, whoever noted it. */
static int note_other_runtime(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	const struct summary_other_runtime other = { process, event_text(event, KEY_RUNTIME),
						     event_text(event, KEY_VERSION), event_text(event, KEY_PATH) };
	const struct summary_other_runtime *all = maker->other_runtimes.data;
	const struct summary_runtime *recorded = maker->runtimes.data;
	void *row;
	int rc;

	for (size_t i = 0; i < maker->other_runtimes.n; i++)
		if (all[i].process == process && all[i].runtime == other.runtime)
			return 0;
	for (size_t i = 0; i < maker->runtimes.n; i++)
		if (is_recorded(maker, &other, &recorded[i]))
			return 0;
	rc = add_row(&maker->other_runtimes, sizeof *all, &row);
	if (row)
		*(struct summary_other_runtime *)row = other;
	return rc;
}

/* Sessions of which only the name, or the name and the runtime, is known will join it. */
static int note_first(struct summary_maker *maker, const struct session *session)
{
	uint32_t process = sum_group_of(maker, session->process), runtimes[] = { session->row.runtime, 0 };

	for (int i = 0; i < 2; i++) {
		uint32_t named = sum_runs_named(maker, process, session->row.name, runtimes[i]);
		struct settings *first;

		if (named == NONE)
			return -ENOMEM;
		while (maker->first_noted.n <= named)
			if (!array_add(&maker->first_noted, sizeof *first))
				return -ENOMEM;
		first = (struct settings *)maker->first_noted.data + named;
		if (!first->path && !first->providers && !first->options)
			*first = sum_runs_settings(&session->row);
	}
	return 0;
}

static int note_created(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	struct session *session =
	    sum_sessions_find(maker, process, int_of(event, KEY_SESSION), event_text(event, KEY_MODEL), MET_NOTE);

	if (!session)
		return -ENOMEM;
	session->named = MET_NOTE;
	session->row.name = event_text(event, KEY_MODEL);
	session->row.runtime = event_text(event, KEY_RUNTIME);
	session->row.path = event_text(event, KEY_MODEL_PATH);
	session->row.providers = event_text(event, KEY_PROVIDERS);
	session->row.options = event_text(event, KEY_OPTIONS);
	session->row.bytes = int_of(event, KEY_BYTES);
	if (sum_loaded_add(maker, session, event_text(event, KEY_MODEL_FILE)))
		return -ENOMEM;
	if (!session->row.has_slice || !session->row.status)
		session->row.status = names_keep(maker->names, event_text(event, KEY_STATUS));
	session->row.is_failed |= sum_is_failure(maker, event_text(event, KEY_STATUS));
	return session_has_config(&session->row) ? note_first(maker, session) : 0;
}

static int note_session(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	struct session *session =
	    sum_sessions_find(maker, process, int_of(event, KEY_SESSION), event_text(event, KEY_MODEL), MET_RUN);

	if (!session)
		return -ENOMEM;
	session->row.runtime = event_text(event, KEY_RUNTIME);
	return 0;
}

static int note_released(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	const char *state = names_text(maker->names, event_text(event, KEY_STATE));
	int64_t from_ns = int_of(event, KEY_FROM_NS);
	struct session *session =
	    sum_sessions_find(maker, process, int_of(event, KEY_SESSION), event_text(event, KEY_MODEL), MET_NOTE);

	if (!session)
		return -ENOMEM;
	if (!strcmp(state, EVENT_STATE_ENDED)) {
		sum_open_released(maker, process, int_of(event, KEY_SESSION));
		return 0;
	}
	session->row.released_ns = from_ns > 0 ? (uint64_t)from_ns : event->time_ns;
	if (strcmp(state, EVENT_STATE_BEGUN) != 0)
		return 0;
	return sum_open_release(maker, process, session, int_of(event, KEY_TID));
}

/* Of several processes that had the parent's pid, the last one that had begun before the fork. */
static int note_forked(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	struct summary_process *all = maker->to->processes, *own = process == SUMMARY_NONE ? NULL : &all[process];
	int64_t pid = int_of(event, KEY_PARENT_PID);
	uint64_t fork_ns = own && own->start_ns ? own->start_ns : event->time_ns;

	for (uint32_t i = 0; own && i < maker->to->n_processes; i++)
		if (all[i].pid == pid && i != process && all[i].start_ns <= fork_ns &&
		    (own->forked_from == SUMMARY_NONE || all[i].start_ns > all[own->forked_from].start_ns))
			own->forked_from = i;
	return 0;
}

static int note_profiled(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	if (process != SUMMARY_NONE)
		maker->to->processes[process].profile = names_keep(maker->names, event_text(event, KEY_PATH));
	return 0;
}

static int note_exit(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	int64_t n_left = int_of(event, KEY_COUNT), status = int_of(event, KEY_EXIT_STATUS);
	int64_t signal = int_of(event, KEY_SIGNAL);
	struct summary_process *of;

	if (n_left > 0)
		maker->to->n_left = stats_sum(maker->to->n_left, (uint64_t)n_left);
	if (process == SUMMARY_NONE)
		return 0;
	of = &maker->to->processes[process];
	of->exit_ns = of->exit_ns ? of->exit_ns : event->time_ns;
	/* it may be told twice: by who saw it end, and by who knows how */
	if (status >= 0 || signal >= 0) {
		of->exit_status = status;
		of->signal = signal;
		of->waited_peak_bytes = int_of(event, KEY_PEAK);
	}
	return 0;
}

static int note_out_of_memory(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	struct summary_out_of_memory *to = &maker->to->out_of_memory;
	int64_t n = int_of(event, KEY_COUNT);

	if (n <= 0)
		return 0;
	*to = (struct summary_out_of_memory){ stats_sum(to->n, (uint64_t)n),
					      names_keep(maker->names, event_text(event, KEY_PATH)),
					      int_of(event, KEY_LIMIT), int_of(event, KEY_PEAK) };
	return 0;
}

static int note_memory_end(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	if (process != SUMMARY_NONE) {
		maker->to->processes[process].peak_bytes = int_of(event, KEY_PEAK);
		maker->to->processes[process].end_bytes = int_of(event, KEY_BYTES);
	}
	return 0;
}

static int note_cost(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	const struct arg *event_ns = event_arg(event, KEY_EVENT_NS, ARG_REAL);
	const struct arg *fault_ns = event_arg(event, KEY_FAULT_NS, ARG_REAL);
	struct summary_cost *to = &maker->to->cost;

	to->is_known = true;
	to->events = int_of(event, KEY_EVENTS);
	to->recorder_cpu_ns = int_of(event, KEY_RECORDER_CPU_NS);
	to->recorder_peak_bytes = int_of(event, KEY_RECORDER_PEAK_BYTES);
	to->arm_ns = int_of(event, KEY_ARM_NS);
	to->lost = int_of(event, KEY_LOST);
	to->moved = int_of(event, KEY_MOVED);
	to->event_ns = event_ns ? event_ns->real : (double)event_int(event, KEY_EVENT_NS, -1); /* it may be whole */
	if (to->event_ns < 0)
		to->event_ns = NAN;
	to->fault_ns = fault_ns && fault_ns->real > 0 ? fault_ns->real : NAN;
	return 0;
}

static int note_clock(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	struct summary_recording *to = &maker->to->recording;

	to->clock_source = event_text(event, KEY_SOURCE);
	to->clock_error_ns = int_of(event, KEY_ERROR_NS);
	to->clock_jumps = int_of(event, KEY_COUNT);
	to->has_no_begins = !strcmp(names_text(maker->names, to->clock_source), EVENT_CLOCK_NONE);
	return 0;
}

static int note_clock_changed(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	int64_t from_ns = int_of(event, KEY_FROM_NS);
	void *row;
	int rc = add_row(&maker->clock_changes, sizeof(struct summary_clock), &row);

	if (row)
		*(struct summary_clock *)row =
		    (struct summary_clock){ .what = event_text(event, KEY_STATE),
					    .text = event_text(event, KEY_TEXT),
					    .from_ns = from_ns > 0 ? (uint64_t)from_ns : event->time_ns,
					    .to_ns = event->time_ns,
					    .by_ns = event_int(event, KEY_BY_NS, 0) };
	return rc;
}

static int note_kept(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	int64_t segments = int_of(event, KEY_COUNT), events = int_of(event, KEY_EVENTS), ns = int_of(event, KEY_BY_NS);

	if (segments > 0)
		maker->to->kept = (struct summary_kept){ .limit = event_text(event, KEY_TEXT),
							 .segments = (uint64_t)segments,
							 .events = events > 0 ? (uint64_t)events : 0,
							 .ns = ns > 0 ? (uint64_t)ns : 0 };
	return 0;
}

static int note_dump(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	int64_t n_skipped = int_of(event, KEY_COUNT);
	void *row = NULL;
	int rc = event_text(event, KEY_PATH) ? add_row(&maker->dumps, sizeof(struct summary_dump), &row) : 0;

	if (n_skipped > 0)
		maker->to->n_dumps_skipped = (uint64_t)n_skipped;
	if (row)
		*(struct summary_dump *)row =
		    (struct summary_dump){ event_text(event, KEY_PATH), event_text(event, KEY_TEXT), event->time_ns };
	return rc;
}

static int note_merged(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	void *row;
	int rc = add_row(&maker->merged, sizeof(struct summary_merged), &row);

	if (row)
		*(struct summary_merged *)row =
		    (struct summary_merged){ event_text(event, KEY_PATH), event_text(event, KEY_SOURCE),
					     event_int(event, KEY_BY_NS, 0), int_of(event, KEY_ERROR_NS),
					     int_of(event, KEY_COUNT) };
	return rc;
}

static int note_stopped(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	void *row;
	int rc = add_row(&maker->stops, sizeof(struct summary_stop), &row);

	if (row)
		*(struct summary_stop *)row =
		    (struct summary_stop){ event_text(event, KEY_SOURCE), event_text(event, KEY_TEXT), event->time_ns };
	return rc;
}

static int note_unreadable(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	void *row;
	int rc = add_row(&maker->unreadable, sizeof(struct summary_unreadable), &row);

	if (row)
		*(struct summary_unreadable *)row =
		    (struct summary_unreadable){ process, event_text(event, KEY_PATH), event_text(event, KEY_TEXT) };
	return rc;
}

static int note_left_out(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	int64_t n = int_of(event, KEY_COUNT);
	void *row = NULL;
	int rc = n > 0 ? add_row(&maker->left_out, sizeof(struct summary_left_out), &row) : 0;

	if (row)
		*(struct summary_left_out *)row =
		    (struct summary_left_out){ process, event_text(event, KEY_TEXT), (uint64_t)n };
	return rc;
}

static int note_device_clock(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	int64_t n_set = int_of(event, KEY_COUNT);
	void *row;
	int rc = add_row(&maker->device_clocks, sizeof(struct summary_device_clock), &row);

	if (row)
		*(struct summary_device_clock *)row =
		    (struct summary_device_clock){ .process = process,
						   .source = event_text(event, KEY_SOURCE),
						   .missing = event_text(event, KEY_TEXT),
						   .error_ns = int_of(event, KEY_ERROR_NS),
						   .n_set = n_set > 0 ? (uint64_t)n_set : 0 };
	maker->to->n_device_ends_unknown += row && event_text(event, KEY_TEXT);
	return rc;
}

static int note_sampled_out(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	struct process *to = process_at(maker, process);
	int64_t n = int_of(event, KEY_COUNT);

	if (n > 0)
		to->n_sampled_out = stats_sum(to->n_sampled_out, (uint64_t)n);
	return 0;
}

static const struct topic topics[] = {
	{ EVENT_NOTE_RECORDING, note_recording },
	{ EVENT_NOTE_PROCESS, note_process, true },
	{ EVENT_NOTE_RUNTIME, note_runtime, true },
	{ EVENT_NOTE_OTHER_RUNTIME, note_other_runtime, true },
	{ EVENT_NOTE_CREATED, note_created },
	{ EVENT_NOTE_SESSION, note_session },
	{ EVENT_NOTE_RELEASED, note_released },
	{ EVENT_NOTE_MEMORY, sum_memory_note },
	{ EVENT_NOTE_AT_PEAK, sum_memory_at_peak },
	{ EVENT_NOTE_FORKED, note_forked, true },
	{ EVENT_NOTE_PROFILED, note_profiled, true },
	{ EVENT_NOTE_EXIT, note_exit, true },
	{ EVENT_NOTE_MEMORY_END, note_memory_end, true },
	{ EVENT_NOTE_OUT_OF_MEMORY, note_out_of_memory },
	{ EVENT_NOTE_COST, note_cost },
	{ EVENT_NOTE_CLOCK, note_clock },
	{ EVENT_NOTE_CLOCK_CHANGED, note_clock_changed },
	{ EVENT_NOTE_KEPT, note_kept },
	{ EVENT_NOTE_DUMP, note_dump },
	{ EVENT_NOTE_MERGED, note_merged },
	{ EVENT_NOTE_STOPPED, note_stopped },
	{ EVENT_NOTE_UNREADABLE, note_unreadable, true },
	{ EVENT_NOTE_LEFT_OUT, note_left_out, true },
	{ EVENT_NOTE_DEVICE_CLOCK, note_device_clock, true },
	{ EVENT_NOTE_SAMPLED_OUT, note_sampled_out },
	{ EVENT_NOTE_PACED, note_sampled_out },
};

static int keep(struct summary_maker *maker, const struct topic *topic, uint32_t process, const struct event *event)
{
	struct note *note;
	void *row;
	int rc = add_row(&maker->notes, sizeof *note, &row);

	note = row;
	if (!note)
		return rc;
	*note = (struct note){ topic, event->time_ns, process, event->n_args };
	if (note->n_args > sizeof note->arg / sizeof *note->arg)
		note->n_args = sizeof note->arg / sizeof *note->arg;
	for (size_t i = 0; i < note->n_args; i++) {
		note->arg[i] = event->args[i];
		if (note->arg[i].type == ARG_NAME)
			note->arg[i].name = names_keep(maker->names, note->arg[i].name);
	}
	return 0;
}

static int take_loss(struct summary_maker *maker, uint32_t process, const struct event *event)
{
	int64_t count = int_of(event, KEY_COUNT);
	uint32_t where = event_text(event, KEY_WHERE);
	uint32_t n = maker->loss_keys.n, index = keys_number(&maker->loss_keys, process, where);
	struct summary_loss *loss;

	if (index == NONE || (index == n && !array_add(&maker->losses, sizeof *loss)))
		return -ENOMEM;
	loss = (struct summary_loss *)maker->losses.data + index;
	if (index == n)
		*loss = (struct summary_loss){
			.process = process, .where = where, .first_ns = event->time_ns, .last_ns = event->time_ns
		};
	loss->n = stats_sum(loss->n, count > 0 ? (uint64_t)count : 1);
	loss->n_events++;
	if (event->time_ns < loss->first_ns)
		loss->first_ns = event->time_ns;
	if (event->time_ns > loss->last_ns)
		loss->last_ns = event->time_ns;
	return 0;
}

int sum_notes_put(struct summary_maker *maker, struct track *track, const struct event *event)
{
	uint32_t process = sum_process_of(maker, track);

	if (!sum_is_in_order(maker, track, event->time_ns))
		return 0;
	maker->counts.n_instants++;
	if (event->kind == KIND_LOST)
		return take_loss(maker, process, event);
	if (event->kind == KIND_KERNEL)
		return sum_cycles_put(maker, event);
	if (event->kind != KIND_NOTE)
		return 0;
	for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
		if (strcmp(names_text(maker->names, event->name), topics[i].name) != 0)
			continue;
		/* gaps end before the recording does */
		if (topics[i].take == note_forked)
			sum_outside_forked(maker, process, int_of(event, KEY_PARENT_PID));
		return topics[i].is_of_process ? keep(maker, &topics[i], process, event)
					       : topics[i].take(maker, process, event);
	}
	return 0;
}

/* Processes by pid: of several the last. */
struct pids {
	struct keys keys;
	uint32_t *process; /* by number in keys */
};

static int find_pids(const struct summary *summary, struct pids *pids)
{
	pids->process = calloc(summary->n_processes + 1, sizeof *pids->process);
	if (!pids->process)
		return -ENOMEM;
	for (uint32_t i = 0; i < summary->n_processes; i++) {
		uint32_t index = keys_number(&pids->keys, (uint64_t)summary->processes[i].pid, 0);

		if (index == NONE)
			return -ENOMEM;
		pids->process[index] = i;
	}
	return 0;
}

/* By the pid it names, or by the track it lay on. */
static uint32_t process_of(const struct summary_maker *maker, const struct pids *pids, const struct note *note,
			   const struct event *event)
{
	int64_t pid = int_of(event, KEY_PID);
	uint32_t index = pid > 0 ? keys_find(&pids->keys, (uint64_t)pid, 0) : NONE;

	return index != NONE ? pids->process[index] : process_at(maker, note->process)->index;
}

uint64_t sum_notes_exit_ns(const struct summary_maker *maker, uint32_t process)
{
	int64_t pid = maker->tracks[process_at(maker, process)->track].def.pid;
	const struct note *note = maker->notes.data;

	for (size_t i = 0; i < maker->notes.n; i++) {
		struct event event = { .args = note[i].arg, .n_args = note[i].n_args };

		if (note[i].topic->take == note_exit && (note[i].process == process || int_of(&event, KEY_PID) == pid))
			return note[i].time_ns;
	}
	return 0;
}

int sum_notes_finish(struct summary_maker *maker)
{
	struct note *note = maker->notes.data;
	struct summary_loss *loss = maker->losses.data;
	struct pids pids = { 0 };
	int rc = find_pids(maker->to, &pids);

	for (size_t i = 0; !rc && i < maker->notes.n; i++) {
		struct event event = { .time_ns = note[i].time_ns, .args = note[i].arg, .n_args = note[i].n_args };

		rc = note[i].topic->take(maker, process_of(maker, &pids, &note[i], &event), &event);
	}
	keys_done(&pids.keys);
	free(pids.process);
	for (size_t i = 0; i < maker->losses.n; i++)
		loss[i].process = process_at(maker, loss[i].process)->index;
	return rc;
}

void sum_notes_done(struct summary_maker *maker)
{
	array_done(&maker->notes, sizeof(struct note));
	keys_done(&maker->loss_keys);
}
