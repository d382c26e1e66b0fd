// SPDX-License-Identifier: Apache-2.0
/* The sink, and the tracks of its stream: which slices are open, and whose they are. */
#include "fleet/aggregate/fleet.h"

#include <stdlib.h>
#include <string.h>

#include "fleet/aggregate/fleet_in.h"

/* By more than this a clock is set; less is how it is kept right. */
#define LEAST_STEP_NS INT64_C(1000000000)

static const char failure[] = "cannot sum up what programs do";

static enum fleet_counter counter_of(const struct fleet *fleet, const struct event *event, struct fleet_device *device)
{
	const char *name = names_text(fleet->sink.names, event->def->name);

	if (!strcmp(name, "cpu"))
		return FLEET_CPU;
	if (!strcmp(name, "rss"))
		return FLEET_RESIDENT;
	return fleet_device_counter(name, names_text(fleet->sink.names, event->def->unit), device);
}

static int define(struct fleet *fleet, const struct event *event, struct err *err)
{
	const struct track_def *def = event->def;
	const struct fleet_track *parent;
	struct fleet_track *track;

	while (fleet->tracks.n <= event->track)
		if (!array_add(&fleet->tracks, sizeof *track))
			return err_no_memory(err, failure);
	track = fleet_track_at(fleet, event->track);
	parent = fleet_track_at(fleet, def->parent);
	track->type = (uint8_t)def->type;
	track->parent = def->parent;
	track->name = names_is_passing(def->name) ? 0 : def->name;
	if (def->type == TRACK_PROCESS) {
		track->process = event->track;
		fleet_process_define(fleet, track, event);
	} else if (parent && !track->is_known) {
		track->process = parent->process;
	}
	if (def->type == TRACK_COUNTER && def->parent && def->parent == track->process)
		track->counter = (uint8_t)counter_of(fleet, event, &track->device);
	if (def->type == TRACK_COUNTER && !def->parent)
		track->counter = (uint8_t)fleet_machine_counter(
		    names_text(fleet->sink.names, def->name), names_text(fleet->sink.names, def->unit), &track->device);
	track->is_known = true;
	return 0;
}

static void end_track(struct fleet *fleet, uint32_t number)
{
	struct fleet_track *track = fleet_track_at(fleet, number);

	if (!track)
		return;
	if (track->run_depth && track->series && track->series->n_open)
		track->series->n_open--;
	if (track->of)
		fleet_process_end(fleet, track);
	free(track->open);
	free(track->slice);
	free(track->phase_ns);
	*track = (struct fleet_track){ 0 };
}

static bool is_of_interest(enum event_kind kind)
{
	return kind == KIND_INFERENCE || kind == KIND_SESSION || kind == KIND_LOAD || kind == KIND_SPECIALIZE ||
	       kind == KIND_PHASE;
}

static int begin(struct fleet *fleet, struct fleet_track *track, const struct event *event, struct err *err)
{
	/* lines of threads hold operators alone */
	if (track->type == TRACK_THREAD && !is_of_interest(event->kind) && !track->depth) {
		fleet_operators_begin(track, event);
		return 0;
	}
	if (!track->slice && !(track->slice = malloc(FLEET_DEPTH * sizeof *track->slice)))
		return err_no_memory(err, failure);
	if (track->depth++ >= FLEET_DEPTH)
		return 0;
	track->slice[track->depth - 1] =
	    (struct fleet_slice){ .begin_ns = event->time_ns,
				  .kind = (uint8_t)event->kind,
				  .phase = track->depth > 1 && !track->run_depth ? fleet_phase_of(fleet, event) : 0 };
	if (event->kind == KIND_INFERENCE && !track->run_depth) {
		track->run_depth = track->depth;
		fleet_run_begin(fleet, track, event);
	} else if (event->kind == KIND_SESSION && !track->run_depth) {
		fleet_creation_begin(track, event);
	}
	return 0;
}

static void end(struct fleet *fleet, struct fleet_track *track, const struct event *event)
{
	const struct fleet_slice *slice;

	if (!track->depth && track->n_open)
		fleet_operators_end(fleet, track, event);
	if (!track->depth || track->depth-- > FLEET_DEPTH)
		return;
	slice = &track->slice[track->depth];
	if (track->run_depth && track->depth + 1 == track->run_depth) {
		track->run_depth = 0;
		fleet_run_end(fleet, track, event, slice->begin_ns);
	} else if (!track->run_depth) {
		fleet_phase_end(track, slice, event->time_ns);
		fleet_creation_end(fleet, track, event, slice);
	}
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct fleet *fleet = (struct fleet *)sink;
	struct fleet_track *track;

	if (event->type == EVENT_TRACK)
		return define(fleet, event, err);
	track = fleet_track_at(fleet, event->track);
	if (!track)
		return 0;
	switch (event->type) {
	case EVENT_BEGIN:
		return begin(fleet, track, event, err);
	case EVENT_END:
		end(fleet, track, event);
		break;
	case EVENT_COUNTER:
		fleet_take_counter(fleet, track, event);
		fleet_device_take(track, event);
		fleet_energy_take(fleet, track, event);
		break;
	case EVENT_INSTANT:
		fleet_take_note(fleet, track, event);
		break;
	case EVENT_TRACK_END:
		end_track(fleet, event->track);
		break;
	default:
		break;
	}
	return fleet->is_out_of_memory ? err_no_memory(err, failure) : 0;
}

/* Those that are complete: operators, kernels, calls of generators. */
static int put_slice(struct sink *sink, const struct event *event, uint64_t end_ns, struct err *err)
{
	struct fleet *fleet = (struct fleet *)sink;

	if (event->kind == KIND_OPERATOR)
		fleet_operators_add(fleet, event, end_ns);
	else if (event->kind == KIND_KERNEL)
		fleet_kernel_add(fleet, event, end_ns);
	else if (event->kind == KIND_TOKENS)
		fleet_generations_call(fleet, event, end_ns);
	else if (is_of_interest(event->kind))
		return sink_put_parts(sink, event, end_ns, err);
	return fleet->is_out_of_memory ? err_no_memory(err, failure) : 0;
}

struct fleet *fleet_new(struct names *names, uint32_t *last_track, const struct fleet_opts *opts, struct err *err)
{
	struct fleet *fleet = calloc(1, sizeof *fleet);

	if (!fleet || !fleet_generations_init(fleet)) {
		free(fleet);
		err_no_memory(err, failure);
		return NULL;
	}
	fleet->sink = (struct sink){ .put = put, .put_slice = put_slice, .names = names, .last_track = last_track };
	fleet->opts = *opts;
	if (!fleet->opts.identify)
		fleet->opts.identify = origin_read_program;
	fleet->series.max = opts->max_series;
	fleet->ok = names_of(names, "ok");
	fleet->topic.process = names_of(names, EVENT_NOTE_PROCESS);
	fleet->topic.runtime = names_of(names, EVENT_NOTE_RUNTIME);
	fleet->topic.session = names_of(names, EVENT_NOTE_SESSION);
	fleet->topic.created = names_of(names, EVENT_NOTE_CREATED);
	fleet->topic.released = names_of(names, EVENT_NOTE_RELEASED);
	fleet->topic.sampled_out = names_of(names, EVENT_NOTE_SAMPLED_OUT);
	fleet->topic.paced = names_of(names, EVENT_NOTE_PACED);
	return fleet;
}

struct sink *fleet_sink(struct fleet *fleet)
{
	return &fleet->sink;
}

/* What ended in this interval bears the clock as it was before it was set. */
static void shift(struct fleet *fleet, int64_t step_ns)
{
	for (int reason = 0; reason < N_TAIL_REASONS; reason++)
		for (uint32_t i = 0; i < fleet->now_tail.n[reason]; i++)
			fleet->now_tail.row[reason][i].run.realtime_ns += (uint64_t)step_ns;
	for (size_t i = 0; i < fleet->series.n; i++)
		if (fleet->series.row[i]->now_slowest.ns)
			fleet->series.row[i]->now_slowest.realtime_ns += (uint64_t)step_ns;
}

/* Intervals lie end to end, unless the clock was set: then this one is as long as it was. */
static void take_clock(struct fleet *fleet, uint64_t now_ns, uint64_t realtime_ns)
{
	struct fleet_interval *interval = &fleet->interval;
	int64_t to_realtime_ns = (int64_t)(realtime_ns - now_ns), step_ns = to_realtime_ns - fleet->to_realtime_ns;

	if (!interval->number)
		interval->start_realtime_ns = interval->end_realtime_ns = realtime_ns;
	interval->begin_realtime_ns = interval->end_realtime_ns;
	if (interval->number && (step_ns > LEAST_STEP_NS || step_ns < -LEAST_STEP_NS)) {
		shift(fleet, step_ns);
		interval->begin_realtime_ns = realtime_ns - (now_ns - fleet->rolled_ns);
	}
	interval->end_realtime_ns = realtime_ns;
	if (interval->begin_realtime_ns > realtime_ns)
		interval->begin_realtime_ns = realtime_ns;
	/* sums that begin later than they end are refused */
	if (interval->start_realtime_ns > interval->begin_realtime_ns)
		interval->start_realtime_ns = interval->begin_realtime_ns;
	fleet->to_realtime_ns = to_realtime_ns;
	fleet->rolled_ns = now_ns;
}

int fleet_roll(struct fleet *fleet, uint64_t now_ns, uint64_t realtime_ns, struct err *err)
{
	struct fleet_interval *interval = &fleet->interval;

	take_clock(fleet, now_ns, realtime_ns);
	fleet_generations_roll(fleet, now_ns);
	if (!series_roll(&fleet->series, ++interval->number, fleet->opts.idle_intervals))
		fleet->is_out_of_memory = true;
	fleet->tail = fleet->now_tail;
	fleet->now_tail = (struct tail){ 0 };
	fleet_programs_roll(fleet);
	fleet_devices_roll(fleet);
	fleet_energy_roll(fleet);
	fleet->last = fleet->own;
	fleet->last.n_lost -= fleet->rolled.n_lost;
	fleet->last.n_skipped -= fleet->rolled.n_skipped;
	fleet->last.n_unprobed -= fleet->rolled.n_unprobed;
	fleet->last.n_unknown -= fleet->rolled.n_unknown;
	fleet->rolled = fleet->own;
	return fleet->is_out_of_memory ? err_no_memory(err, failure) : 0;
}

void fleet_free(struct fleet *fleet)
{
	if (!fleet)
		return;
	for (size_t i = 0; i < fleet->tracks.n; i++) {
		free(fleet_track_at(fleet, (uint32_t)i)->open);
		free(fleet_track_at(fleet, (uint32_t)i)->slice);
		free(fleet_track_at(fleet, (uint32_t)i)->phase_ns);
	}
	array_done(&fleet->tracks, sizeof(struct fleet_track));
	generations_free(fleet->generations);
	fleet_programs_done(fleet);
	series_done(&fleet->series);
	free(fleet);
}

const struct series_table *fleet_series(const struct fleet *fleet)
{
	return &fleet->series;
}

size_t fleet_n_services(const struct fleet *fleet)
{
	return fleet->n_services;
}

const struct fleet_service *fleet_service(const struct fleet *fleet, size_t index)
{
	return fleet->service[index];
}

const struct tail *fleet_tail(const struct fleet *fleet)
{
	return &fleet->tail;
}

const struct fleet_own *fleet_own(const struct fleet *fleet)
{
	return &fleet->own;
}

void fleet_set_recording(struct fleet *fleet, const struct fleet_recording *recording)
{
	fleet->is_new_recording = *recording->path && strcmp(recording->path, fleet->recording.path) != 0;
	fleet->recording = *recording;
}

const struct fleet_recording *fleet_new_recording(const struct fleet *fleet)
{
	return fleet->is_new_recording ? &fleet->recording : NULL;
}

const char *fleet_recording_of(const struct fleet *fleet, const struct tail_run *run)
{
	const struct fleet_recording *recording = &fleet->recording;
	uint64_t end_ns = run->realtime_ns - (uint64_t)fleet->to_realtime_ns;
	bool is_in = *recording->path && end_ns >= recording->begin_ns && end_ns <= recording->until_ns;

	return is_in ? recording->path : NULL;
}

const struct fleet_own *fleet_own_last(const struct fleet *fleet)
{
	return &fleet->last;
}

const struct fleet_interval *fleet_interval(const struct fleet *fleet)
{
	return &fleet->interval;
}
