// SPDX-License-Identifier: Apache-2.0
/* The tree of frames: finds a slice's place when it ends, and what it is without those below. Writes no file. */
#include "trace/export/stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/callstack.h"
#include "event/event_args.h"

static const char failure[] = "cannot write the file";

static struct stacks_node *node_at(struct stacks *stacks, uint32_t number)
{
	return (struct stacks_node *)stacks->nodes.data + number;
}

/* A child with this name: an existing one, or a new one. The parent itself where the tree may not grow. */
static uint32_t child(struct stacks *stacks, uint32_t parent, uint32_t name)
{
	uint64_t key = (uint64_t)parent << 32 | name;
	uint32_t number = perfetto_map_get(&stacks->index, key), kept = names_keep(stacks->pairing.sink.names, name);
	struct stacks_node *node;

	if (number)
		return number;
	if (kept != name) {
		key = (uint64_t)parent << 32 | kept;
		number = perfetto_map_get(&stacks->index, key);
	}
	if (number)
		return number;
	if (stacks->nodes.n >= STACKS_NODES || node_at(stacks, parent)->depth >= STACKS_DEPTH)
		return parent;
	node = array_add(&stacks->nodes, sizeof *node);
	number = (uint32_t)stacks->nodes.n - 1;
	if (!node || !perfetto_map_put(&stacks->index, key, number))
		return parent;
	*node = (struct stacks_node){ .parent = parent, .name = kept, .depth = node_at(stacks, parent)->depth + 1 };
	return number;
}

static uint32_t child_named(struct stacks *stacks, uint32_t parent, const char *name)
{
	return child(stacks, parent, names_of(stacks->pairing.sink.names, name));
}

static uint32_t root_of(struct stacks *stacks, const struct pairing_track *track, const char *suffix)
{
	const struct pairing_track *process = pairing_track(&stacks->pairing, track->process);
	const char *name = process ? pairing_text(&stacks->pairing, process->def.name) : "machine";
	char text[300];

	if (!*name)
		name = "process";
	if (!*suffix)
		return child_named(stacks, 0, name);
	snprintf(text, sizeof text, "%.250s%s", name, suffix);
	return child_named(stacks, 0, text);
}

/* Where the outermost slices of a track go. */
static uint32_t base_of(struct stacks *stacks, struct pairing_track *track)
{
	const struct pairing_track *group = pairing_track(&stacks->pairing, track->def.parent), *model;
	const char *name = pairing_text(&stacks->pairing, track->def.name);
	char text[40];

	if (track->node)
		return track->node;
	track->node = root_of(stacks, track, "");
	if (track->def.type == TRACK_LANE && group && group->def.type == TRACK_GROUP && group->def.name) {
		model = pairing_model(&stacks->pairing, group);
		if (model)
			track->node = child(stacks, track->node, model->def.name);
		track->node = child(stacks, track->node, group->def.name);
	} else if (track->def.type == TRACK_THREAD && !*name) {
		snprintf(text, sizeof text, track->def.tid > 0 ? "thread %d" : "thread", track->def.tid);
		track->node = child_named(stacks, track->node, text);
	} else if (track->def.type != TRACK_PROCESS && *name) {
		track->node = child_named(stacks, track->node, name);
	}
	return track->node;
}

static uint64_t key_of(const struct pairing_track *track, int64_t inference)
{
	return (uint64_t)track->process << 40 ^ (uint64_t)inference;
}

/* Of the session that a thread is creating; inferences are numbered from 1. */
static uint64_t creation_key(const struct pairing_track *track, int64_t tid)
{
	return key_of(track, tid > 0 ? 0 - tid : 0);
}

static struct stacks_running *running_of(struct stacks *stacks, uint64_t key)
{
	return &stacks->running[(key * 0x9e3779b97f4a7c15u >> 40) % STACKS_RUNNING];
}

/* What is known of an open slice. */
static struct pairing_slice slice_of(struct pairing_track *track, const struct pairing_open *open)
{
	return (struct pairing_slice){ .kind = open->kind,
				       .name = open->name,
				       .args = array_from(&track->args, open->first_arg, sizeof(struct arg)),
				       .n_args = open->n_args,
				       .self = open,
				       .of = track };
}

/* Below its inference, if nothing around it on its own track belongs to that. */
static uint32_t part_parent(struct stacks *stacks, const struct pairing_slice *slice, uint32_t parent,
			    const struct pairing_slice *around)
{
	int64_t inference = pairing_int(slice, KEY_INFERENCE, 0);
	uint64_t key = key_of(slice->of, inference);
	const struct stacks_running *running = running_of(stacks, key);

	if (!inference || (around && pairing_int(around, KEY_INFERENCE, 0) == inference))
		return parent;
	return running->key == key && running->node ? running->node : parent;
}

static uint32_t operator_place(struct stacks *stacks, const struct pairing_slice *slice, uint32_t parent)
{
	uint32_t type = pairing_name(slice, KEY_OP_TYPE);

	if (type)
		parent = child(stacks, parent, type);
	return child(stacks, parent, slice->name);
}

static uint32_t kernel_place(struct stacks *stacks, const struct pairing_slice *slice)
{
	uint32_t parent = root_of(stacks, slice->of, " (device)"), operator = pairing_name(slice, KEY_OPERATOR);

	if (operator)
		parent = child(stacks, parent, operator);
	return child(stacks, parent, slice->name);
}

/* The place of an open slice below the place of the one around it. */
static uint32_t place_below(struct stacks *stacks, const struct pairing_slice *slice, uint32_t parent,
			    const struct pairing_slice *around)
{
	switch (slice->kind) {
	case KIND_OPERATOR:
		return operator_place(stacks, slice, part_parent(stacks, slice, parent, around));
	case KIND_STAGE:
		return child(stacks, part_parent(stacks, slice, parent, around), slice->name);
	case KIND_KERNEL:
		return kernel_place(stacks, slice);
	case KIND_INFERENCE:
		return child_named(stacks, parent, "inference");
	case KIND_SESSION:
		return child_named(stacks, parent, "session creation");
	default:
		return child(stacks, parent, slice->name);
	}
}

/* The place of the last open slice of the track, and of those around it that have none yet. */
static uint32_t place_of(struct stacks *stacks, struct pairing_track *track)
{
	struct pairing_open *open = track->open.data;
	uint32_t parent = base_of(stacks, track);
	size_t known = track->open.n;

	while (known && !open[known - 1].node)
		known--;
	if (known)
		parent = open[known - 1].node;
	for (; known < track->open.n; known++) {
		struct pairing_slice slice = slice_of(track, &open[known]), around;

		if (known)
			around = slice_of(track, &open[known - 1]);
		parent = open[known].node = place_below(stacks, &slice, parent, known ? &around : NULL);
	}
	return parent;
}

static void begin_creation(struct stacks *stacks, struct pairing_track *track, const struct pairing_slice *slice)
{
	uint64_t key = creation_key(track, pairing_int(slice, KEY_TID, 0));
	uint32_t lane = (uint32_t)(track - (struct pairing_track *)stacks->pairing.tracks.data);

	*running_of(stacks, key) = (struct stacks_running){ key, place_of(stacks, track), lane };
}

/* An operator of no inference, the outermost one of its thread: constant folding, if the thread creates a session. */
static void begin_other_operator(struct stacks *stacks, struct pairing_track *track, struct pairing_open *open)
{
	uint64_t key = creation_key(track, track->def.tid);
	const struct stacks_running *running = running_of(stacks, key);
	struct pairing_track *lane = running->key == key ? pairing_track(&stacks->pairing, running->lane) : NULL;
	struct pairing_slice slice = slice_of(track, open);

	base_of(stacks, track);
	if (running->lane && lane && lane->open.n && ((struct pairing_open *)lane->open.data)->kind == KIND_SESSION)
		open->node = operator_place(stacks, &slice, place_of(stacks, lane));
}

static void begin(struct pairing *pairing, struct pairing_track *track)
{
	struct stacks *stacks = (struct stacks *)pairing;
	struct pairing_open *open = (struct pairing_open *)track->open.data + track->open.n - 1;
	struct pairing_slice slice = slice_of(track, open);
	int64_t inference = pairing_int(&slice, KEY_INFERENCE, 0);
	uint64_t key = key_of(track, inference);

	if (open->kind == KIND_INFERENCE)
		*running_of(stacks, key) = (struct stacks_running){ key, place_of(stacks, track), 0 };
	else if (open->kind == KIND_SESSION && track->open.n == 1)
		begin_creation(stacks, track, &slice);
	else if (open->kind == KIND_OPERATOR && !inference && track->open.n == 1)
		begin_other_operator(stacks, track, open);
}

static int take(struct pairing *pairing, const struct pairing_slice *slice, struct err *err)
{
	struct stacks *stacks = (struct stacks *)pairing;
	uint32_t before = slice->parent ? slice->parent->node : slice->of->node;
	uint32_t place = place_of(stacks, slice->of);
	struct stacks_node *node = node_at(stacks, place);

	if (!stacks->first_ns || slice->begin_ns < stacks->first_ns)
		stacks->first_ns = slice->begin_ns;
	if (slice->end_ns > stacks->last_ns)
		stacks->last_ns = slice->end_ns;
	if (place == before || !place) {
		stacks->n_deep++;
		return 0;
	}
	node->total_ns += slice->end_ns - slice->begin_ns;
	node->n++;
	return 0;
}

static int take_other(struct pairing *pairing, const struct event *event, struct err *err)
{
	struct stacks *stacks = (struct stacks *)pairing;

	pairing->n_instants += event->type == EVENT_INSTANT;
	pairing->n_samples += event->type == EVENT_COUNTER;
	if (event->kind == KIND_NOTE && event_arg(event, KEY_START_REALTIME_NS, ARG_INT))
		stacks->start_realtime_ns = (uint64_t)event_int(event, KEY_START_REALTIME_NS, 0);
	return 0;
}

uint32_t stacks_frame_name(struct names *names, const struct frame *frame)
{
	const char *place = basename(names_text(names, frame->file ? frame->file : frame->module));
	char text[400];

	if (frame->kind == FRAME_CUT)
		return names_of(names, "...");
	if (!frame->function && !frame->file)
		snprintf(text, sizeof text, "%.150s + 0x%llx", place, (unsigned long long)frame->offset);
	else if (frame->line)
		snprintf(text, sizeof text, "%.200s (%.150s:%u)", names_text(names, frame->function), place,
			 frame->line);
	else if (*place)
		snprintf(text, sizeof text, "%.200s (%.150s)", names_text(names, frame->function), place);
	else
		snprintf(text, sizeof text, "%.200s", names_text(names, frame->function));
	return names_of(names, text);
}

uint32_t stacks_state_name(struct names *names, const struct event_sample *sample)
{
	if (sample->state == SAMPLE_RAN)
		return 0;
	return sample->state == SAMPLE_CALL && sample->call ? sample->call
							    : names_of(names, sample_state_name(sample->state));
}

/* A frame further in has the sample, too. */
static uint32_t go_down(struct stacks *stacks, uint32_t parent, uint32_t name, uint64_t ns)
{
	uint32_t place = child(stacks, parent, name);

	if (place != parent) {
		node_at(stacks, place)->total_ns += ns;
		node_at(stacks, place)->n++;
	}
	return place;
}

/* Below the thread: its calls, and what it did other than to run. */
static void take_sample(struct pairing *pairing, struct pairing_track *process, const struct event_sample *sample)
{
	struct stacks *stacks = (struct stacks *)pairing;
	const struct callstacks *all = names_callstacks(pairing->sink.names);
	uint32_t path[STACKS_DEPTH], n = 0, place = root_of(stacks, process, " (samples)");
	char text[80];

	snprintf(text, sizeof text, "%.60s %d",
		 sample->thread_name ? pairing_text(pairing, sample->thread_name) : "thread", sample->tid);
	place = go_down(stacks, place, names_of(pairing->sink.names, text), sample->weight_ns);
	for (const struct callstack *at = callstacks_get(all, sample->stack); at && n < STACKS_DEPTH;
	     at = callstacks_get(all, at->caller))
		path[n++] = at->frame;
	while (n) {
		const struct frame *frame = callstacks_frame_of(all, path[--n]);

		if (frame)
			place =
			    go_down(stacks, place, stacks_frame_name(pairing->sink.names, frame), sample->weight_ns);
	}
	if (sample->state != SAMPLE_RAN)
		go_down(stacks, place, stacks_state_name(pairing->sink.names, sample), sample->weight_ns);
}

struct stacks *stacks_new(int fd, struct names *names, uint32_t *last_track, struct err *err)
{
	struct stacks *stacks = calloc(1, sizeof *stacks);

	if (!stacks || !array_add(&stacks->nodes, sizeof(struct stacks_node))) {
		err_no_memory(err, failure);
		free(stacks);
		return NULL;
	}
	pairing_init(&stacks->pairing, fd, names, last_track);
	stacks->pairing.begin = begin;
	stacks->pairing.take = take;
	stacks->pairing.take_other = take_other;
	stacks->pairing.take_sample = take_sample;
	return stacks;
}

/* From the leaves up: what lies below each node, and what is left for itself. */
static int add_up(struct stacks *stacks, struct err *err)
{
	uint64_t *below = calloc(stacks->nodes.n, sizeof *below);

	if (!below)
		return err_no_memory(err, failure);
	for (uint32_t i = (uint32_t)stacks->nodes.n; i-- > 1;) {
		struct stacks_node *node = node_at(stacks, i);

		if (node->n && node->total_ns > below[i])
			node->self_ns = node->total_ns - below[i];
		below[node->parent] += node->n ? node->total_ns : below[i];
	}
	free(below);
	return 0;
}

int stacks_finish(struct stacks *stacks, struct export_losses *losses, struct err *err)
{
	int code = pairing_finish(&stacks->pairing, err);

	if (!code)
		code = add_up(stacks, err);
	if (losses) {
		pairing_losses(&stacks->pairing, losses);
		export_lost(losses, stacks->n_deep, "slice", " too deep, or at more than 1,048,576 places");
	}
	return code;
}

void stacks_free(struct stacks *stacks)
{
	array_done(&stacks->nodes, sizeof(struct stacks_node));
	perfetto_map_done(&stacks->index);
	pairing_done(&stacks->pairing);
	free(stacks);
}
