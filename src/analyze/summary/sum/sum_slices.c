// SPDX-License-Identifier: Apache-2.0
/*
 * Slices that are open, track by track. When one ends, its arguments are complete and what ran inside it is known: it
 * goes on to inferences, operators or creations. A slice that lies before its predecessor is left out, and takes its
 * END with it.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/summary/sum_kinds.h"

static int grow_stack(struct summary_maker *maker, struct track *track)
{
	/* of a million tracks, each may have one slice open: that many are rarely deep */
	uint32_t first = maker->n_tracks > MANY_TRACKS ? 1 : 4;
	uint32_t capacity = track->capacity ? track->capacity * 2 : first;
	struct slice *slice;

	if (!track->capacity && maker->stacks.n) {
		const struct stack *stack = (const struct stack *)maker->stacks.data + --maker->stacks.n;

		track->slice = stack->slice;
		track->capacity = stack->capacity;
		return 0;
	}
	slice = realloc(track->slice, capacity * sizeof *slice);
	if (!slice)
		return -ENOMEM;
	track->slice = slice;
	track->capacity = capacity;
	return 0;
}

static struct slice *push(struct summary_maker *maker, struct track *track)
{
	if (track->n_slices == track->capacity && grow_stack(maker, track))
		return NULL;
	return &track->slice[track->n_slices++];
}

/* Nothing is open on the track: another one may use its stack. */
static int give_stack(struct summary_maker *maker, struct track *track)
{
	struct stack *stack = array_add(&maker->stacks, sizeof *stack);

	if (!stack)
		return -ENOMEM;
	*stack = (struct stack){ track->slice, track->capacity };
	track->slice = NULL;
	track->capacity = 0;
	return 0;
}

/* The slice around the innermost one, or NULL. */
static struct slice *around(const struct track *track)
{
	for (uint32_t i = track->n_slices; i-- > 0;)
		if (!track->slice[i].is_left_out)
			return &track->slice[i];
	return NULL;
}

static uint32_t id_of(const struct summary_maker *maker, const struct track *track)
{
	return (uint32_t)(track - maker->tracks);
}

static int begin_kind(struct summary_maker *maker, struct track *track, struct slice *slice)
{
	switch (slice->kind) {
	case KIND_SESSION:
		if (track->session_level)
			return 0;
		track->session_level = track->n_slices;
		return sum_sessions_begin(maker, track, slice->begin_ns);
	case KIND_INFERENCE:
		if (track->run_level)
			return 0;
		track->run_level = track->n_slices;
		track->n_setup = 0;
		return sum_window_begin(maker, sum_process_of(maker, track), slice, id_of(maker, track));
	case KIND_SETUP:
		slice->is_in_setup = track->run_level && track->n_setup++;
		return 0;
	default:
		return 0;
	}
}

int sum_slices_begin(struct summary_maker *maker, struct track *track, const struct event *event)
{
	struct slice *slice;

	if (track->n_slices >= STORE_MAX_DEPTH || track->n_not_kept) {
		maker->counts.n_too_deep++;
		track->n_not_kept++;
		return 0;
	}
	slice = push(maker, track);
	if (!slice)
		return -ENOMEM;
	slice->is_left_out = !sum_is_in_order(maker, track, event->time_ns);
	if (slice->is_left_out)
		return 0;
	slice->begin_ns = event->time_ns;
	slice->inside_ns = slice->operators_ns = 0;
	slice->name = event->name;
	slice->number = 0;
	slice->run = NONE;
	slice->kind = event->kind < N_KINDS ? (uint8_t)event->kind : KIND_NONE;
	slice->has_inside = slice->has_operator = slice->is_in_setup = slice->has_halted = false;
	slice->facts.has = 0;
	sum_facts_take(&slice->facts, event->args, event->n_args, &slice->number);
	maker->counts.n_slices++;
	if (slice->kind == KIND_HALT)
		return sum_halts_begin(maker, track, event);
	return begin_kind(maker, track, slice);
}

static int end_operator(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns)
{
	struct op op = { .begin_ns = slice->begin_ns,
			 .end_ns = end_ns,
			 .inside_ns = slice->operators_ns,
			 .bytes = fact_int(&slice->facts, FACT_BYTES, -1),
			 .allocated = fact_int(&slice->facts, FACT_ALLOCATED, -1),
			 .shapes = fact_text(&slice->facts, FACT_SHAPES),
			 .track = id_of(maker, track) };
	struct summary_opts *opts = &maker->opts;

	if (sum_is_failure(maker, fact_text(&slice->facts, FACT_STATUS)))
		op.track |= OP_FAILED;
	if (slice->has_operator)
		op.track |= OP_PARENT;
	if (slice->is_halted)
		op.track |= OP_HALTED;
	if (!slice->has_inside)
		op.track |= OP_LEAF;
	if (sum_operators_kind(&maker->operators, slice->name, &slice->facts, &op.kind))
		return -ENOMEM;
	if (slice->number)
		return sum_window_operator(maker, track, slice->number, &op);
	if (opts->model || opts->from_ns || opts->to_ns)
		return 0;
	return sum_operators_outside(maker, sum_process_of(maker, track), &op);
}

/* What a device did, and calls to it, of an inference. */
static int end_device(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns)
{
	uint32_t process = sum_process_of(maker, track);
	struct run *run = NULL;
	int rc = 0;

	if (slice->number && sum_window_find(maker, process, slice->number, &run))
		return -ENOMEM;
	if (run && slice->kind == KIND_KERNEL)
		rc = sum_device_work(maker, run, slice, end_ns);
	else if (run)
		sum_device_call(maker, run, slice, end_ns);
	if (slice->kind == KIND_KERNEL && process_at(maker, process)->device_end_ns < end_ns)
		process_at(maker, process)->device_end_ns = end_ns;
	return rc;
}

static int end_kernel(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns)
{
	const struct slice *outer = around(track);
	bool is_inside = outer && outer->kind == KIND_KERNEL;
	int rc = sum_kernels_add(maker, track, slice, end_ns, is_inside);

	return rc || is_inside ? rc : end_device(maker, track, slice, end_ns);
}

static int end_named(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns)
{
	int rc = sum_named_add(maker, slice->name, end_ns - slice->begin_ns);

	return rc ? rc : sum_requests_slice(maker, track, slice, end_ns);
}

static int end_tokens(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns)
{
	struct moment moment;
	int rc = sum_generations_call(maker, sum_process_of(maker, track), slice, end_ns, &moment);

	return rc ? rc : sum_window_moment(maker, &moment);
}

/* What a slice leaves to the one around it. end_ns STORE_OPEN: it was cut off, only what is inside it has an end. */
static void leave_to(struct slice *outer, const struct slice *slice, uint64_t end_ns)
{
	uint64_t whole_ns = end_ns - slice->begin_ns;
	bool is_operator = slice->kind == KIND_OPERATOR && end_ns != STORE_OPEN;

	outer->has_inside = true;
	outer->has_halted |= slice->is_halted;
	outer->has_operator |= slice->kind == KIND_OPERATOR || slice->has_operator;
	outer->inside_ns += end_ns == STORE_OPEN ? slice->inside_ns : whole_ns;
	outer->operators_ns += is_operator ? whole_ns : slice->operators_ns;
}

/* cut_ns: until when one without an end is taken to last. */
static int end_kind(struct summary_maker *maker, struct track *track, struct slice *slice, uint64_t end_ns,
		    uint64_t cut_ns)
{
	uint32_t level = track->n_slices + 1;
	int rc = 0;

	if (track->session_level == level) {
		rc = sum_sessions_end(maker, track, slice, end_ns);
		if (!rc && end_ns == STORE_OPEN)
			rc = sum_open_creation(maker, sum_process_of(maker, track), slice);
		if (!rc)
			rc = sum_time_creation(maker, sum_process_of(maker, track), slice,
					       end_ns != STORE_OPEN ? end_ns : cut_ns);
		track->session_level = 0;
	} else if (track->session_level && end_ns != STORE_OPEN) {
		rc = sum_sessions_inside(track, maker, slice, end_ns - slice->begin_ns - slice->inside_ns);
	}
	if (rc)
		return rc;
	if (sum_named_has(slice->kind))
		return end_ns != STORE_OPEN ? end_named(maker, track, slice, end_ns) : 0;
	if (slice->kind == KIND_OPERATOR)
		return end_operator(maker, track, slice, end_ns);
	if (slice->kind == KIND_STAGE && facts_have(&slice->facts, FACT_SESSION))
		return sum_training_add(maker, sum_process_of(maker, track), slice, end_ns);
	if (slice->kind == KIND_SPECIALIZE && track->run_level)
		return sum_compiling_add(maker, track, slice, end_ns);
	if (slice->kind == KIND_TOKENS)
		return end_ns != STORE_OPEN ? end_tokens(maker, track, slice, end_ns) : 0;
	if (slice->kind == KIND_KERNEL)
		return end_ns != STORE_OPEN ? end_kernel(maker, track, slice, end_ns) : 0;
	if (slice->kind == KIND_CALL)
		return end_ns != STORE_OPEN ? end_device(maker, track, slice, end_ns) : 0;
	if (track->run_level == level) {
		if (sum_requests_slice(maker, track, slice, end_ns))
			return -ENOMEM;
		track->run_level = 0;
		return sum_window_end(maker, slice, end_ns, end_ns != STORE_OPEN ? end_ns : cut_ns);
	}
	if (slice->kind != KIND_SETUP || !track->run_level)
		return 0;
	track->n_setup--;
	if (slice->is_in_setup || end_ns == STORE_OPEN)
		return 0;
	return sum_window_setup(maker, track->slice[track->run_level - 1].run, slice->begin_ns, end_ns,
				id_of(maker, track));
}

/* The innermost slice is complete. */
static int leave(struct summary_maker *maker, struct track *track, uint64_t end_ns, uint64_t cut_ns)
{
	struct slice *slice = &track->slice[--track->n_slices], *outer = around(track);
	int rc;

	if (end_ns == STORE_OPEN)
		maker->n_open[slice->kind]++;
	slice->is_halted = sum_halts_hit(maker, sum_process_of(maker, track), slice->begin_ns, end_ns);
	if (outer)
		leave_to(outer, slice, end_ns);
	rc = end_kind(maker, track, slice, end_ns, cut_ns);
	return !rc && !track->n_slices && maker->n_tracks > MANY_TRACKS ? give_stack(maker, track) : rc;
}

int sum_slices_end(struct summary_maker *maker, struct track *track, const struct event *event)
{
	struct slice *slice;

	if (track->n_not_kept) {
		track->n_not_kept--;
		return 0;
	}
	if (!track->n_slices) {
		maker->counts.n_unmatched++;
		return 0;
	}
	slice = &track->slice[track->n_slices - 1];
	if (slice->is_left_out) {
		track->n_slices--;
		return 0;
	}
	/* an end that cannot be believed leaves its slice without one */
	if (!sum_is_in_order(maker, track, event->time_ns))
		return leave(maker, track, STORE_OPEN, track->last_ns);
	if (event->n_args)
		sum_facts_take(&slice->facts, event->args, event->n_args, &slice->number);
	if (slice->kind == KIND_HALT)
		sum_halts_end(maker, track, event->time_ns, event);
	return leave(maker, track, event->time_ns, event->time_ns);
}

/* What has no end lasts to the end of its process, or to the last event, which is not known before all have passed. */
static uint64_t cut_of(struct summary_maker *maker, struct track *track)
{
	uint64_t exit_ns = sum_notes_exit_ns(maker, sum_process_of(maker, track));

	return exit_ns > track->last_ns ? exit_ns : STORE_OPEN - 1;
}

int sum_slices_finish(struct summary_maker *maker)
{
	int rc = 0;

	for (uint32_t id = 1; !rc && id <= maker->n_tracks; id++) {
		struct track *track = &maker->tracks[id];
		uint64_t cut_ns = track->n_slices ? cut_of(maker, track) : 0;

		while (!rc && track->n_slices) {
			if (track->slice[track->n_slices - 1].is_left_out)
				track->n_slices--;
			else
				rc = leave(maker, track, STORE_OPEN, cut_ns);
		}
	}
	return rc;
}
