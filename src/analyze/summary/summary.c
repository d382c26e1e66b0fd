// SPDX-License-Identifier: Apache-2.0
/*
 * The sink that a recording is summed up in, and what comes out at its end. Sends events where they belong; knows no
 * fact itself.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/summary/sum_kinds.h"
#include "analyze/summary/sum_slow.h"
#include "analyze/summary/summary_maker.h"

enum { MAX_TRACKS = 1 << 24 };

/* The summary is the first member; the arrays that it points into lie behind it. */
struct owner {
	struct summary summary;
	struct array array[52];
	size_t size[52], n;
};

static int grow_tracks(struct summary_maker *maker, uint32_t id)
{
	while (maker->track_room.n <= id)
		if (!array_add(&maker->track_room, sizeof *maker->tracks))
			return -ENOMEM;
	maker->tracks = maker->track_room.data;
	maker->n_tracks = id;
	return 0;
}

static int add_process(struct summary_maker *maker, uint32_t track)
{
	uint32_t n = maker->process_keys.n, index = keys_number(&maker->process_keys, track, 0);
	struct process *process;

	if (index == NONE || (index == n && !(process = array_add(&maker->processes, sizeof *process))))
		return -ENOMEM;
	if (index == n)
		*process = (struct process){ .track = track,
					     .index = SUMMARY_NONE,
					     .taken = NAN,
					     .heap_in_use = NAN,
					     .heap_kept = NAN,
					     .resident = SUMMARY_RESIDENT_UNKNOWN };
	return 0;
}

static int put_track(struct summary_maker *maker, const struct event *event)
{
	if (!event->track || event->track > *maker->sink.last_track || event->track >= MAX_TRACKS || !event->def) {
		maker->counts.n_untracked++;
		return 0;
	}
	if (event->track > maker->n_tracks && grow_tracks(maker, event->track))
		return -ENOMEM;
	maker->tracks[event->track].def = *event->def;
	maker->tracks[event->track].is_defined = true;
	maker->n_defined++;
	return event->def->type == TRACK_PROCESS ? add_process(maker, event->track) : 0;
}

static int put_counter(struct summary_maker *maker, struct track *track, const struct event *event)
{
	struct moment moments[2];
	uint32_t n;
	int rc = sum_counters_put(maker, track, event, moments, &n);

	for (uint32_t i = 0; !rc && i < n; i++)
		rc = sum_window_moment(maker, &moments[i]);
	return rc;
}

static int put_sample(struct summary_maker *maker, struct track *track, const struct event *event)
{
	struct moment moment;
	int rc = sum_outside_sample(maker, track, event, &moment);

	return rc || moment.what != MOMENT_STRETCH ? rc : sum_window_moment(maker, &moment);
}

static int put_event(struct summary_maker *maker, const struct event *event)
{
	struct track *track = event->track && event->track <= maker->n_tracks ? &maker->tracks[event->track] : NULL;

	if (event->type == EVENT_TRACK)
		return put_track(maker, event);
	if (!track || !track->is_defined) {
		maker->counts.n_untracked++;
		return 0;
	}
	switch (event->type) {
	case EVENT_BEGIN:
		return sum_slices_begin(maker, track, event);
	case EVENT_END:
		return sum_slices_end(maker, track, event);
	case EVENT_INSTANT:
		return sum_notes_put(maker, track, event);
	case EVENT_COUNTER:
		return put_counter(maker, track, event);
	case EVENT_SAMPLE:
		return put_sample(maker, track, event);
	default:
		return 0;
	}
}

static int no_memory(struct err *err)
{
	return err_set(err, ENOMEM,
		       "cannot summarise the recording: out of memory; close other programs, or record a shorter time");
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct summary_maker *maker = (struct summary_maker *)sink;

	if (put_event(maker, event))
		return no_memory(err);
	if (maker->sessions.n > maker->max_sessions && sum_fold_sessions(maker, maker->max_sessions / 3 * 2))
		return no_memory(err);
	return 0;
}

struct summary_maker *summary_begin(struct names *names, uint32_t *last_track, const struct summary_opts *opts)
{
	struct summary_maker *maker = calloc(1, sizeof *maker);
	struct owner *owner = calloc(1, sizeof *owner);

	if (!maker || !owner) {
		free(maker);
		free(owner);
		return NULL;
	}
	*maker = (struct summary_maker){
		.sink = { put, names, last_track }, .names = names, .to = &owner->summary, .counts.first_ns = UINT64_MAX
	};
	if (opts)
		maker->opts = *opts;
	maker->window.max_runs = maker->opts.window ? maker->opts.window : WINDOW_RUNS;
	maker->window.max_ops = maker->window.max_runs * WINDOW_OPERATORS;
	maker->operators.names = names;
	maker->operators.keeps_all = maker->opts.with_typical;
	maker->max_listed = maker->opts.max_sessions ? maker->opts.max_sessions : LISTED_SESSIONS;
	maker->max_sessions = maker->opts.max_sessions ? 3 * maker->opts.max_sessions : KEPT_SESSIONS;
	maker->max_slowest = maker->opts.slowest > SUMMARY_TAIL ? maker->opts.slowest : SUMMARY_TAIL;
	maker->window.min_end_ns = STORE_OPEN;
	maker->to->recording = (struct summary_recording){
		.interval_ns = -1, .start_realtime_ns = -1, .n_cpus = -1, .clock_error_ns = -1, .clock_jumps = -1
	};
	maker->to->by_process = maker->opts.by_process;
	maker->to->cost.event_ns = maker->to->cost.fault_ns = NAN;
	maker->to->cost.moved = -1;
	maker->outside = outside_new();
	if (!maker->outside || add_process(maker, 0)) {
		summary_drop(maker);
		return NULL;
	}
	return maker;
}

struct sink *summary_sink(struct summary_maker *maker)
{
	return &maker->sink;
}

/* Never NULL, so that readers may take a range of no rows. */
static void *give(struct owner *owner, struct array *array, size_t size, uint32_t *n)
{
	static uint64_t none;

	owner->array[owner->n] = *array;
	owner->size[owner->n++] = size;
	*n = (uint32_t)array->n;
	*array = (struct array){ 0 };
	return owner->array[owner->n - 1].data ? owner->array[owner->n - 1].data : &none;
}

static void give_arrays(struct summary_maker *maker, struct end *end)
{
	struct summary *to = maker->to;
	struct owner *owner = (struct owner *)to;

	to->runtimes = give(owner, &maker->runtimes, sizeof *to->runtimes, &to->n_runtimes);
	to->models = give(owner, &end->models, sizeof *to->models, &to->n_models);
	to->sessions = give(owner, &end->sessions, sizeof *to->sessions, &to->n_sessions);
	to->transformers = give(owner, &end->transformers, sizeof *to->transformers, &to->n_transformers);
	to->types = give(owner, &end->types, sizeof *to->types, &to->n_types);
	to->nodes = give(owner, &end->nodes, sizeof *to->nodes, &to->n_nodes);
	to->elsewhere = give(owner, &end->elsewhere, sizeof *to->elsewhere, &to->n_elsewhere);
	to->ran_on = give(owner, &end->ran_on, sizeof *to->ran_on, &to->n_ran_on);
	to->idle = give(owner, &end->idle, sizeof *to->idle, &to->n_idle);
	to->tallies = give(owner, &end->tallies, sizeof *to->tallies, &to->n_tallies);
	to->sizes = give(owner, &end->sizes, sizeof *to->sizes, &to->n_sizes);
	to->coarse_sizes = give(owner, &end->coarse_sizes, sizeof *to->coarse_sizes, &to->n_coarse_sizes);
	to->generations = give(owner, &end->generations, sizeof *to->generations, &to->n_generations);
	to->tokens = give(owner, &end->tokens, sizeof *to->tokens, &to->n_tokens);
	to->lengths = give(owner, &end->lengths, sizeof *to->lengths, &to->n_lengths);
	to->slowest = give(owner, &end->slowest, sizeof *to->slowest, &to->n_slowest);
	to->open = give(owner, &maker->open, sizeof *to->open, &to->n_open_rows);
	to->memory = give(owner, &maker->memory, sizeof *to->memory, &to->n_memory);
	to->resources = give(owner, &end->resources, sizeof *to->resources, &to->n_resources);
	to->stops = give(owner, &maker->stops, sizeof *to->stops, &to->n_stops);
	to->halts = give(owner, &end->halts, sizeof *to->halts, &to->n_halts);
	to->halt_kinds = give(owner, &end->halt_kinds, sizeof *to->halt_kinds, &to->n_halt_kinds);
	to->dumps = give(owner, &maker->dumps, sizeof *to->dumps, &to->n_dumps);
	to->merged = give(owner, &maker->merged, sizeof *to->merged, &to->n_merged);
	to->unreadable = give(owner, &maker->unreadable, sizeof *to->unreadable, &to->n_unreadable);
	to->left_out = give(owner, &maker->left_out, sizeof *to->left_out, &to->n_left_out);
	to->device_clocks = give(owner, &maker->device_clocks, sizeof *to->device_clocks, &to->n_device_clocks);
	to->other_runtimes = give(owner, &maker->other_runtimes, sizeof *to->other_runtimes, &to->n_other_runtimes);
	to->clock_changes = give(owner, &maker->clock_changes, sizeof *to->clock_changes, &to->n_clock_changes);
	to->losses = give(owner, &maker->losses, sizeof *to->losses, &to->n_losses);
	to->curves = give(owner, &end->curves, sizeof *to->curves, &to->n_curves);
	to->courses = give(owner, &end->courses, sizeof *to->courses, &to->n_courses);
	to->callers = give(owner, &end->callers, sizeof *to->callers, &to->n_callers);
	to->named = give(owner, &end->named, sizeof *to->named, &to->n_named);
	to->requests = give(owner, &end->requests, sizeof *to->requests, &to->n_requests);
	to->request_parts = give(owner, &end->request_parts, sizeof *to->request_parts, &to->n_request_parts);
	to->kernels = give(owner, &end->kernels, sizeof *to->kernels, &to->n_kernels);
	to->kernel_types = give(owner, &end->kernel_types, sizeof *to->kernel_types, &to->n_kernel_types);
	to->cycles = give(owner, &end->cycles, sizeof *to->cycles, &to->n_cycles);
	to->streams = give(owner, &end->streams, sizeof *to->streams, &to->n_streams);
	to->caller_kinds = give(owner, &end->caller_kinds, sizeof *to->caller_kinds, &to->n_caller_kinds);
	array_done(&end->is_apart, sizeof(bool));
}

/* In the order of their tracks. */
static int make_processes(struct summary_maker *maker)
{
	struct summary *to = maker->to;
	struct array processes = { 0 };
	int rc = 0;

	for (uint32_t id = 1; !rc && id <= maker->n_tracks; id++) {
		const struct track *track = &maker->tracks[id];
		struct summary_process *process;

		if (!track->is_defined || track->def.type != TRACK_PROCESS)
			continue;
		process_at(maker, keys_find(&maker->process_keys, id, 0))->index = (uint32_t)processes.n;
		process = array_add(&processes, sizeof *process);
		if (!process) {
			rc = -ENOMEM;
			break;
		}
		*process = (struct summary_process){ .track = id,
						     .name = track->def.name,
						     .command = track->def.command,
						     .pid = track->def.pid < UNKNOWN_PID ? track->def.pid : -1,
						     .forked_from = SUMMARY_NONE,
						     .peak_bytes = -1,
						     .waited_peak_bytes = -1,
						     .end_bytes = -1,
						     .start_ns = track->def.start_ns,
						     .resident = SUMMARY_RESIDENT_UNKNOWN,
						     .exit_status = -1,
						     .signal = -1 };
	}
	to->processes = give((struct owner *)to, &processes, sizeof *to->processes, &to->n_processes);
	return rc;
}

static void count_totals(const struct summary_maker *maker, struct summary *to)
{
	for (uint32_t i = 0; i < to->n_models; i++) {
		to->n_inferences += to->models[i].runs.n;
		to->n_inferences_failed += to->models[i].runs.n_failed;
		to->n_sessions_failed += to->models[i].creation.n_failed;
		to->n_all_sessions += to->models[i].creation.n;
	}
	for (uint32_t i = 0; i < maker->processes.n; i++) {
		const struct process *process = process_at(maker, i);

		if (process->index == SUMMARY_NONE)
			continue;
		to->processes[process->index].n_inferences = process->n_inferences;
		to->processes[process->index].n_sessions = process->n_sessions;
		to->processes[process->index].traced_ns = process->traced_ns;
		to->processes[process->index].busy_ns = sum_busy_at(&process->busy, maker->counts.last_ns);
	}
	for (uint32_t i = 0; i < to->n_runtimes; i++)
		if (to->runtimes[i].process != SUMMARY_NONE)
			to->processes[to->runtimes[i].process].n_runtimes++;
	for (uint32_t i = 0; i < to->n_losses; i++)
		to->n_lost = stats_sum(to->n_lost, to->losses[i].n);
}

/* The only one in that process; 0: there are several, or none. */
static uint32_t only_runtime(const struct summary *in, uint32_t process)
{
	uint32_t only = 0;

	for (uint32_t i = 0; i < in->n_runtimes; i++) {
		if (in->runtimes[i].process != process)
			continue;
		if (only && in->runtimes[i].runtime != only)
			return 0;
		only = in->runtimes[i].runtime;
	}
	return only;
}

const struct summary_runtime *summary_runtime_of(const struct summary *summary, const struct summary_model *model)
{
	const struct summary_runtime *found = NULL;

	for (uint32_t i = 0; i < summary->n_runtimes && model->runtime; i++) {
		const struct summary_runtime *row = &summary->runtimes[i];

		if (row->process != model->process || row->runtime != model->runtime)
			continue;
		if (found && row->version && found->version != row->version)
			return NULL;
		found = found ? found : row;
	}
	return found;
}

/* Recordings of older versions do not say which runtime a session is of. */
static void find_runtimes(struct summary *to)
{
	for (uint32_t i = 0; i < to->n_sessions; i++)
		if (!to->sessions[i].runtime)
			to->sessions[i].runtime = only_runtime(to, to->sessions[i].process);
	for (uint32_t i = 0; i < to->n_models; i++)
		if (!to->models[i].runtime)
			to->models[i].runtime = only_runtime(to, to->models[i].process);
}

static int finish_events(struct summary_maker *maker)
{
	int rc = sum_slices_finish(maker);

	if (!rc)
		rc = sum_window_finish(maker);
	if (!rc)
		rc = sum_outside_finish(maker);
	if (!rc)
		rc = make_processes(maker);
	if (!rc)
		rc = sum_creations_finish(maker);
	if (!rc)
		rc = sum_operators_finish(maker);
	return rc ? rc : sum_notes_finish(maker);
}

static int make(struct summary_maker *maker)
{
	static int (*const steps[])(struct summary_maker *, struct end *) = {
		sum_halts_make,	   sum_models_make, sum_forked_make,	  sum_latencies_make,
		sum_open_make,	   sum_tables_make, sum_idle_make,	  sum_slowest_make,
		sum_counters_make, sum_memory_make, sum_callers_make,	  sum_named_make,
		sum_kernels_make,  sum_cycles_make, sum_generations_make, sum_requests_make,
	};
	struct end end = { 0 };
	int rc = finish_events(maker);

	for (size_t i = 0; !rc && i < sizeof steps / sizeof *steps; i++)
		rc = steps[i](maker, &end);
	give_arrays(maker, &end);
	find_runtimes(maker->to);
	return rc;
}

static int make_outside(struct summary_maker *maker)
{
	struct summary *to = maker->to;
	struct array rows = { 0 };
	int rc = sum_outside_make(maker, &rows);

	to->outside = give((struct owner *)to, &rows, sizeof *to->outside, &to->n_outside);
	to->locks = give((struct owner *)to, &maker->locks, sizeof *to->locks, &to->n_locks);
	return rc;
}

struct summary *summary_end(struct summary_maker *maker, const struct summary_file *file, struct err *err)
{
	struct summary *to = maker->to;
	uint64_t busy_ns;

	to->names = maker->names;
	to->file = *file;
	to->part = (struct summary_part){ maker->opts.from_ns, maker->opts.to_ns };
	if (make(maker)) {
		summary_drop(maker);
		no_memory(err);
		return NULL;
	}
	to->counts = maker->counts;
	to->recording.begin_ns = maker->counts.first_ns;
	to->recording.end_ns = maker->counts.last_ns;
	to->n_operators = maker->operators.n_seen;
	to->busy_ns = sum_busy_at(&maker->window.busy, maker->counts.last_ns);
	count_totals(maker, to);
	busy_ns = to->busy_ns;
	sum_sampled_make(maker, to);
	sum_callers_finish(to);
	if (!maker->opts.from_ns && !maker->opts.to_ns && !maker->opts.model)
		sum_time_make(to, busy_ns, sum_busy_at(&maker->window.taken, maker->counts.last_ns));
	if (make_outside(maker)) {
		summary_drop(maker);
		no_memory(err);
		return NULL;
	}
	memcpy(to->n_open, maker->n_open, sizeof to->n_open);
	for (int kind = 0; kind < N_KINDS; kind++)
		to->counts.n_open += maker->n_open[kind];
	maker->to = NULL;
	summary_drop(maker);
	return to;
}

static void drop_buckets(struct summary_maker *maker)
{
	for (uint32_t i = 0; i < maker->buckets.n; i++) {
		struct bucket *bucket = bucket_at(maker, i);

		stats_done(&bucket->latency);
		stats_done(&bucket->first);
		stats_done(&bucket->queue);
		stats_done(&bucket->typical.operators);
		stats_done(&bucket->apart.operators);
		sum_slowest_done(maker, bucket);
		free(bucket->course);
		if (bucket->folded)
			stats_done(&bucket->folded->durations);
		free(bucket->folded);
	}
	array_done(&maker->buckets, sizeof(struct bucket));
	sum_why_done(maker);
	array_done(&maker->first_noted, sizeof(struct settings));
	array_done(&maker->loaded, sizeof(struct loaded));
	array_done(&maker->tallies, sizeof(struct summary_tally));
	keys_done(&maker->bucket_keys);
	keys_done(&maker->group_keys);
	keys_done(&maker->member_keys);
	keys_done(&maker->turn_keys);
	array_done(&maker->turns, sizeof(struct turn));
	array_done(&maker->groups, sizeof(uint32_t));
	keys_done(&maker->config_keys);
	keys_done(&maker->named_keys);
	keys_done(&maker->tally_keys);
}

static void drop_processes(struct summary_maker *maker)
{
	for (uint32_t i = 0; i < maker->processes.n; i++) {
		sum_creations_done(&process_at(maker, i)->creations);
		array_done(&process_at(maker, i)->folded, sizeof(uint32_t));
	}
	array_done(&maker->processes, sizeof(struct process));
	keys_done(&maker->process_keys);
}

void summary_drop(struct summary_maker *maker)
{
	if (!maker)
		return;
	sum_sessions_done(maker);
	sum_window_done(&maker->window);
	sum_operators_done(&maker->operators);
	drop_buckets(maker);
	sum_halts_done(maker);
	drop_processes(maker);
	for (uint32_t id = 1; id <= maker->n_tracks; id++)
		free(maker->tracks[id].slice);
	for (size_t i = 0; i < maker->stacks.n; i++)
		free(((struct stack *)maker->stacks.data)[i].slice);
	array_done(&maker->stacks, sizeof(struct stack));
	array_done(&maker->track_room, sizeof *maker->tracks);
	for (size_t i = 0; i < maker->counters.n; i++) {
		free(((struct counter *)maker->counters.data)[i].growth);
		free(((struct counter *)maker->counters.data)[i].past);
		free(((struct counter *)maker->counters.data)[i].busy_growth);
		free(((struct counter *)maker->counters.data)[i].curve);
		free(((struct counter *)maker->counters.data)[i].course);
	}
	array_done(&maker->counters, sizeof(struct counter));
	sum_notes_done(maker);
	sum_memory_done(maker);
	array_done(&maker->open, sizeof(struct summary_open));
	sum_named_done(maker);
	sum_kernels_done(maker);
	sum_cycles_done(maker);
	sum_requests_done(maker);
	outside_free(maker->outside);
	array_done(&maker->locks, sizeof(struct summary_lock));
	keys_done(&maker->lock_keys);
	generations_free(maker->generations);
	array_done(&maker->token_calls, sizeof(struct token_call));
	sum_callers_done(&maker->callers);
	array_done(&maker->runtimes, sizeof(struct summary_runtime));
	array_done(&maker->losses, sizeof(struct summary_loss));
	array_done(&maker->stops, sizeof(struct summary_stop));
	array_done(&maker->dumps, sizeof(struct summary_dump));
	array_done(&maker->merged, sizeof(struct summary_merged));
	array_done(&maker->unreadable, sizeof(struct summary_unreadable));
	array_done(&maker->left_out, sizeof(struct summary_left_out));
	array_done(&maker->device_clocks, sizeof(struct summary_device_clock));
	array_done(&maker->other_runtimes, sizeof(struct summary_other_runtime));
	array_done(&maker->clock_changes, sizeof(struct summary_clock));
	summary_free(maker->to);
	free(maker);
}

void summary_free(struct summary *summary)
{
	struct owner *owner = (struct owner *)summary;

	if (!owner)
		return;
	for (size_t i = 0; i < owner->n; i++)
		array_done(&owner->array[i], owner->size[i]);
	free(owner);
}
