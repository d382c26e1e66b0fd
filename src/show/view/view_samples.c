// SPDX-License-Identifier: Apache-2.0
#include "show/view/view_samples.h"

#include <string.h>

#include "analyze/outside/outside_place.h"
#include "analyze/outside/outside_tree.h"

enum { DEPTH = 60 };

/* A hole between two samples that is shorter belongs to the later one. */
static const uint64_t least_hole_ns = 1000000;
/* What has no sample for so long has ended, as far as a live page can tell. */
static const uint64_t silent_ns = 2000000000;

struct lane {
	uint64_t until_ns;		 /* end of the last sample that was taken */
	uint32_t states, stacks;	 /* tracks; 0: not defined yet */
	uint32_t state;			 /* the open slice's text; 0: none is open */
	uint32_t frame[DEPTH], n_frames; /* open slices, outermost first */
};

struct printable view_state_words(const struct names *names, const struct event_sample *sample)
{
	struct outside_leaf leaf = { .state = sample->state,
				     .call = sample->call,
				     .object = sample->object,
				     .holder_tid = sample->holder_tid,
				     .holder_stack = sample->holder_stack };
	struct printable text = { "" }, wait = outside_wait_words(names, &leaf);

	if (sample->state == SAMPLE_CALL && *wait.s)
		return wait;
	printable_add(&text, "%s%s%s", sample_state_name(sample->state), *wait.s ? ", " : "", wait.s);
	return text;
}

static uint32_t define(struct sink *to, uint32_t parent, const char *name)
{
	struct track_def def = { .type = TRACK_LANE, .parent = parent, .name = names_of(to->names, name) };
	uint32_t track = sink_new_track(to);

	return sink_put(to, &(struct event){ .type = EVENT_TRACK, .track = track, .def = &def }, NULL) ? 0 : track;
}

/* The thread's own line, or one for it. */
static uint32_t parent_of(struct sink *to, const struct store *store, const struct store_thread *thread)
{
	struct track_def def = { .type = TRACK_THREAD,
				 .parent = thread->process,
				 .pid = store_track(store, thread->process)
					    ? store_track(store, thread->process)->def.pid
					    : 0,
				 .tid = thread->tid,
				 .name = thread->name };
	uint32_t track = store_thread_track(store, thread);

	if (track)
		return track;
	track = sink_new_track(to);
	return sink_put(to, &(struct event){ .type = EVENT_TRACK, .track = track, .def = &def }, NULL) ? 0 : track;
}

void view_slice_begin(struct sink *to, uint32_t track, uint64_t time_ns, uint32_t name, const char *category)
{
	struct arg arg = arg_text(KEY_CATEGORY, to, category);

	sink_put(to,
		 &(struct event){ .type = EVENT_BEGIN,
				  .kind = KIND_USER,
				  .track = track,
				  .name = name,
				  .time_ns = time_ns,
				  .args = &arg,
				  .n_args = 1 },
		 NULL);
}

void view_slice_end(struct sink *to, uint32_t track, uint64_t time_ns)
{
	sink_put(to, &(struct event){ .type = EVENT_END, .kind = KIND_USER, .track = track, .time_ns = time_ns }, NULL);
}

/* Ends frames from this depth on. */
static void close_frames(struct lane *lane, struct sink *to, uint32_t from, uint64_t time_ns)
{
	while (lane->n_frames > from) {
		view_slice_end(to, lane->stacks, time_ns);
		lane->n_frames--;
	}
}

static void close_all(struct lane *lane, struct sink *to)
{
	close_frames(lane, to, 0, lane->until_ns);
	if (lane->state)
		view_slice_end(to, lane->states, lane->until_ns);
	lane->state = 0;
}

static uint32_t label_of(struct view_samples *samples, const struct store *store, struct sink *to, uint32_t frame)
{
	uint32_t *label;

	while (samples->labels.n <= frame)
		if (!array_add(&samples->labels, sizeof *label))
			return 0;
	label = (uint32_t *)samples->labels.data + frame;
	if (!*label)
		*label = names_of(
		    to->names, outside_frame_words(to->names, callstacks_frame_of(store_callstacks(store), frame)).s);
	return *label;
}

static const char *category_of(const struct store *store, uint32_t frame)
{
	const struct frame *is = callstacks_frame_of(store_callstacks(store), frame);

	switch (is ? is->kind : FRAME_NATIVE) {
	case FRAME_PYTHON:
		return "Python";
	case FRAME_JAVASCRIPT:
		return "JavaScript";
	case FRAME_JAVA:
		return "Java";
	default:
		return "native code";
	}
}

/* The frames of a stack, outermost first; of a deep one, the outermost. */
static uint32_t frames_of(const struct store *store, uint32_t stack, uint32_t frame[DEPTH])
{
	const struct callstack *at = callstacks_get(store_callstacks(store), stack);
	uint32_t depth = at ? at->depth : 0, n = depth < DEPTH ? depth : DEPTH;

	for (; at; at = callstacks_get(store_callstacks(store), at->caller))
		if (at->depth <= n)
			frame[at->depth - 1] = at->frame;
	return n;
}

static void take(struct view_samples *samples, struct store *store, struct sink *to, struct lane *lane,
		 const struct store_sample *sample)
{
	uint64_t begin_ns = sample->time_ns - (sample->is.weight_ns < sample->time_ns ? sample->is.weight_ns : 0);
	uint32_t frame[DEPTH], n = frames_of(store, sample->is.stack, frame), same = 0;
	uint32_t state = names_of(to->names, view_state_words(to->names, &sample->is).s);

	if (begin_ns > lane->until_ns + least_hole_ns)
		close_all(lane, to);
	else if (lane->until_ns)
		begin_ns = lane->until_ns;
	while (same < n && same < lane->n_frames && frame[same] == lane->frame[same])
		same++;
	close_frames(lane, to, same, begin_ns);
	for (uint32_t i = same; i < n; i++) {
		view_slice_begin(to, lane->stacks, begin_ns, label_of(samples, store, to, frame[i]),
				 category_of(store, frame[i]));
		lane->frame[i] = frame[i];
	}
	lane->n_frames = n;
	if (state != lane->state) {
		if (lane->state)
			view_slice_end(to, lane->states, begin_ns);
		view_slice_begin(to, lane->states, begin_ns, state, sample_state_name(sample->is.state));
		lane->state = state;
	}
	lane->until_ns = sample->time_ns;
}

/* The two lines; false: out of memory. */
static bool define_lanes(struct lane *lane, struct sink *to, const struct store *store,
			 const struct store_thread *thread)
{
	uint32_t parent = lane->stacks ? 0 : parent_of(to, store, thread);

	if (lane->stacks)
		return true;
	if (parent)
		lane->states = define(to, parent, VIEW_STATES);
	if (lane->states)
		lane->stacks = define(to, parent, VIEW_STACKS);
	return lane->stacks;
}

bool view_samples_take(struct view_samples *samples, struct store *store, bool is_over)
{
	struct sink *to = store_sink(store);
	uint64_t now_ns = store_counts(store)->last_ns;
	bool is_new = false;

	for (uint32_t i = 0; i < store_n_threads(store); i++) {
		const struct store_thread *thread = store_thread(store, i);
		struct lane *lane;

		if (samples->lanes.n <= i && !array_add(&samples->lanes, sizeof *lane))
			return is_new;
		lane = (struct lane *)samples->lanes.data + i;
		for (size_t k = store_sample_from(thread, lane->until_ns + 1); k < thread->n; k++) {
			if (!define_lanes(lane, to, store, thread))
				return is_new;
			take(samples, store, to, lane, &thread->sample[k]);
			thread = store_thread(store, i);
			is_new = true;
		}
		if (lane->state && (is_over || lane->until_ns + silent_ns < now_ns))
			close_all(lane, to);
	}
	return is_new;
}

void view_samples_done(struct view_samples *samples)
{
	array_done(&samples->lanes, sizeof(struct lane));
	array_done(&samples->labels, sizeof(uint32_t));
}
