// SPDX-License-Identifier: Apache-2.0
/* Processes from tracks; notes and losses from instants. Does not read slices. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

static int add_processes(struct build *build)
{
	uint32_t n = store_n_tracks(build->store);

	build->process_of = malloc(((size_t)n + 1) * sizeof *build->process_of);
	if (!build->process_of)
		return -ENOMEM;
	for (uint32_t id = 0; id <= n; id++)
		build->process_of[id] = SUMMARY_NONE;
	for (uint32_t id = 1; id <= n; id++) {
		const struct store_track *track = store_track(build->store, id);
		struct summary_process *process;

		if (!track || track->def.type != TRACK_PROCESS)
			continue;
		build->process_of[id] = (uint32_t)build->processes.n;
		process = array_add(&build->processes, sizeof *process);
		if (!process)
			return -ENOMEM;
		*process = (struct summary_process){ .track = id,
						     .name = track->def.name,
						     .command = track->def.command,
						     .pid = track->def.pid,
						     .start_ns = track->def.start_ns,
						     .exit_status = -1,
						     .signal = -1 };
	}
	for (uint32_t id = 1; id <= n; id++)
		if (build->process_of[id] == SUMMARY_NONE)
			build->process_of[id] = build->process_of[store_process_of(build->store, id)];
	return 0;
}

static const struct arg *arg_of(const struct build *build, const struct store_instant *instant, enum event_key key)
{
	return store_arg(build->store, instant->args, key);
}

static uint32_t text_of(const struct build *build, const struct store_instant *instant, enum event_key key)
{
	return store_text(arg_of(build, instant, key));
}

static int64_t int_of(const struct build *build, const struct store_instant *instant, enum event_key key)
{
	return store_int(arg_of(build, instant, key), -1);
}

/* The process of a note: by its track, or by the pid in it. */
static struct summary_process *process_of(const struct build *build, const struct store_instant *instant)
{
	struct summary_process *processes = build->processes.data;
	uint32_t index = build->process_of[instant->track];
	int64_t pid = int_of(build, instant, KEY_PID);

	for (size_t i = build->processes.n; pid > 0 && i-- > 0;)
		if (processes[i].pid == pid)
			return &processes[i];
	return index == SUMMARY_NONE ? NULL : &processes[index];
}

static uint32_t index_of(const struct build *build, const struct summary_process *process)
{
	return process ? (uint32_t)(process - (struct summary_process *)build->processes.data) : SUMMARY_NONE;
}

static int note_recording(struct build *build, const struct store_instant *instant)
{
	struct summary_recording *to = &build->to->recording;

	to->is_ours = true;
	to->command = text_of(build, instant, KEY_COMMAND);
	to->level = text_of(build, instant, KEY_LEVEL);
	to->version = text_of(build, instant, KEY_VERSION);
	to->machine = text_of(build, instant, KEY_MACHINE);
	to->is_from_outside = !strcmp(names_text(build->names, text_of(build, instant, KEY_SOURCE)), "uprobe");
	to->interval_ns = int_of(build, instant, KEY_INTERVAL_NS);
	to->n_cpus = int_of(build, instant, KEY_COUNT);
	to->start_realtime_ns = int_of(build, instant, KEY_START_REALTIME_NS);
	return 0;
}

static int note_process(struct build *build, const struct store_instant *instant)
{
	struct summary_process *process = process_of(build, instant);

	if (!process)
		return 0;
	if (text_of(build, instant, KEY_EXE))
		process->exe = text_of(build, instant, KEY_EXE);
	if (int_of(build, instant, KEY_COUNT) > 0 || !process->is_unseen)
		process->state = text_of(build, instant, KEY_STATE);
	process->is_unseen |= int_of(build, instant, KEY_COUNT) > 0;
	return 0;
}

static int note_runtime(struct build *build, const struct store_instant *instant)
{
	struct summary_runtime *runtime = array_add(&build->runtimes, sizeof *runtime);

	if (!runtime)
		return -ENOMEM;
	runtime->process = index_of(build, process_of(build, instant));
	runtime->runtime = text_of(build, instant, KEY_RUNTIME);
	runtime->version = text_of(build, instant, KEY_VERSION);
	runtime->path = text_of(build, instant, KEY_PATH);
	runtime->armed = text_of(build, instant, KEY_TEXT);
	runtime->left_out = text_of(build, instant, KEY_STATUS);
	runtime->arm_ns = int_of(build, instant, KEY_ARM_NS);
	if (int_of(build, instant, KEY_FROM_NS) > 0)
		runtime->complete_from_ns = (uint64_t)int_of(build, instant, KEY_FROM_NS);
	return 0;
}

static int note_created(struct build *build, const struct store_instant *instant)
{
	struct summary_session *session =
	    build_session(build, build->process_of[instant->track], int_of(build, instant, KEY_SESSION),
			  text_of(build, instant, KEY_MODEL));

	if (!session)
		return -ENOMEM;
	session->name = text_of(build, instant, KEY_MODEL);
	session->path = text_of(build, instant, KEY_MODEL_PATH);
	session->providers = text_of(build, instant, KEY_PROVIDERS);
	session->options = text_of(build, instant, KEY_OPTIONS);
	session->bytes = int_of(build, instant, KEY_BYTES);
	session->status = text_of(build, instant, KEY_STATUS);
	session->is_failed |= build_is_failure(build, session->status);
	return 0;
}

static int note_released(struct build *build, const struct store_instant *instant)
{
	struct summary_session *session =
	    build_session(build, build->process_of[instant->track], int_of(build, instant, KEY_SESSION),
			  text_of(build, instant, KEY_MODEL));

	if (!session)
		return -ENOMEM;
	session->released_ns = instant->time_ns;
	return 0;
}

static int note_exit(struct build *build, const struct store_instant *instant)
{
	struct summary_process *process = process_of(build, instant);

	if (process) {
		process->exit_ns = instant->time_ns;
		process->exit_status = int_of(build, instant, KEY_EXIT_STATUS);
		process->signal = int_of(build, instant, KEY_SIGNAL);
	}
	return 0;
}

static int note_cost(struct build *build, const struct store_instant *instant)
{
	const struct arg *event_ns = arg_of(build, instant, KEY_EVENT_NS);
	struct summary_cost *to = &build->to->cost;

	to->is_known = true;
	to->events = int_of(build, instant, KEY_EVENTS);
	to->recorder_cpu_ns = int_of(build, instant, KEY_RECORDER_CPU_NS);
	to->recorder_peak_bytes = int_of(build, instant, KEY_RECORDER_PEAK_BYTES);
	to->arm_ns = int_of(build, instant, KEY_ARM_NS);
	to->lost = int_of(build, instant, KEY_LOST);
	to->event_ns = !event_ns ? NAN : event_ns->type == ARG_REAL ? event_ns->real : (double)store_int(event_ns, -1);
	if (to->event_ns < 0)
		to->event_ns = NAN;
	return 0;
}

static int note_clock(struct build *build, const struct store_instant *instant)
{
	build->to->recording.clock_source = text_of(build, instant, KEY_SOURCE);
	build->to->recording.clock_error_ns = int_of(build, instant, KEY_ERROR_NS);
	build->to->recording.has_no_begins =
	    !strcmp(names_text(build->names, build->to->recording.clock_source), EVENT_CLOCK_NONE);
	return 0;
}

static int note_stopped(struct build *build, const struct store_instant *instant)
{
	struct summary_stop *stop = array_add(&build->stops, sizeof *stop);

	if (!stop)
		return -ENOMEM;
	*stop = (struct summary_stop){ text_of(build, instant, KEY_SOURCE), text_of(build, instant, KEY_TEXT),
				       instant->time_ns };
	return 0;
}

static int note_unreadable(struct build *build, const struct store_instant *instant)
{
	struct summary_unreadable *unreadable = array_add(&build->unreadable, sizeof *unreadable);

	if (!unreadable)
		return -ENOMEM;
	*unreadable =
	    (struct summary_unreadable){ index_of(build, process_of(build, instant)), text_of(build, instant, KEY_PATH),
					 text_of(build, instant, KEY_TEXT) };
	return 0;
}

static int note_left_out(struct build *build, const struct store_instant *instant)
{
	int64_t n = int_of(build, instant, KEY_COUNT);
	struct summary_left_out *left_out = n > 0 ? array_add(&build->left_out, sizeof *left_out) : NULL;

	if (!left_out)
		return n > 0 ? -ENOMEM : 0;
	*left_out = (struct summary_left_out){ index_of(build, process_of(build, instant)),
					       text_of(build, instant, KEY_TEXT), (uint64_t)n };
	return 0;
}

static int take_note(struct build *build, const struct store_instant *instant)
{
	static const struct {
		const char *topic;
		int (*take)(struct build *, const struct store_instant *);
	} notes[] = {
		{ EVENT_NOTE_RECORDING, note_recording }, { EVENT_NOTE_PROCESS, note_process },
		{ EVENT_NOTE_RUNTIME, note_runtime },	  { EVENT_NOTE_CREATED, note_created },
		{ EVENT_NOTE_RELEASED, note_released },	  { EVENT_NOTE_EXIT, note_exit },
		{ EVENT_NOTE_COST, note_cost },		  { EVENT_NOTE_CLOCK, note_clock },
		{ EVENT_NOTE_STOPPED, note_stopped },	  { EVENT_NOTE_UNREADABLE, note_unreadable },
		{ EVENT_NOTE_LEFT_OUT, note_left_out },
	};

	for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
		if (!strcmp(names_text(build->names, instant->name), notes[i].topic))
			return notes[i].take(build, instant);
	return 0;
}

static int take_loss(struct build *build, struct keys *keys, const struct store_instant *instant)
{
	int64_t count = int_of(build, instant, KEY_COUNT);
	uint32_t process = build->process_of[instant->track], where = text_of(build, instant, KEY_WHERE);
	uint32_t n = keys->n, index = keys_number(keys, process, where);
	struct summary_loss *loss;

	if (index == KEYS_NONE || (index == n && !array_add(&build->losses, sizeof *loss)))
		return -ENOMEM;
	loss = (struct summary_loss *)build->losses.data + index;
	if (index == n)
		*loss = (struct summary_loss){
			.process = process, .where = where, .first_ns = instant->time_ns, .last_ns = instant->time_ns
		};
	loss->n = stats_sum(loss->n, count > 0 ? (uint64_t)count : 1);
	loss->n_events++;
	if (instant->time_ns < loss->first_ns)
		loss->first_ns = instant->time_ns;
	if (instant->time_ns > loss->last_ns)
		loss->last_ns = instant->time_ns;
	return 0;
}

int build_processes(struct build *build)
{
	const struct store_counts *counts = store_counts(build->store);
	struct summary_recording *recording = &build->to->recording;
	const struct store_instant *instants;
	struct keys losses = { 0 };
	size_t n;
	int rc = add_processes(build);

	build->to->by_process = true;
	*recording = (struct summary_recording){ .interval_ns = -1,
						 .start_realtime_ns = -1,
						 .n_cpus = -1,
						 .clock_error_ns = -1,
						 .begin_ns = counts->first_ns,
						 .end_ns = counts->last_ns };
	build->to->cost.event_ns = NAN;
	instants = store_instants(build->store, &n);
	for (size_t i = 0; !rc && i < n; i++) {
		if (instants[i].kind == KIND_LOST)
			rc = take_loss(build, &losses, &instants[i]);
		else if (instants[i].kind == KIND_NOTE)
			rc = take_note(build, &instants[i]);
	}
	keys_done(&losses);
	return rc;
}
