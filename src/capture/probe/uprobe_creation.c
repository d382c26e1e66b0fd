// SPDX-License-Identifier: Apache-2.0
/*
 * Sessions in the making: Load, then Initialize with its graph transformers, partitioning, compilation, weights and
 * pre-packing. Of most parts only the beginning can be seen without danger (an exception may pass through them): such a
 * part lasts until the next one begins.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/probe/uprobe_process.h"
#include "event/event.h"
#include "event/phase.h"

#define PHASE_TEXT(name, text) [EVENT_PHASE_##name] = text,
static const char *const phases[N_EVENT_PHASES] = { EVENT_PHASES(PHASE_TEXT) };

static struct open_creation *top(struct uprobe_thread *thread)
{
	return thread->n_creations ? &thread->creation[thread->n_creations - 1] : NULL;
}

bool uprobe_creation_is_open(const struct uprobe_process *process)
{
	for (size_t i = 0; i < process->n_threads; i++)
		if (process->thread[i]->n_creations)
			return true;
	return false;
}

/* The creation that a hit belongs to: this thread's, else the only one that is going on. */
static struct open_creation *find(const struct uprobe_step *step)
{
	struct open_creation *found = top(step->thread);
	const struct uprobe_process *process = step->process;
	unsigned n = 0;

	for (size_t i = 0; i < process->n_threads && !step->thread->n_creations; i++) {
		struct open_creation *other = top(process->thread[i]);
		found = other ? other : found;
		n += process->thread[i]->n_creations;
	}
	return n > 1 ? NULL : found;
}

static int tell_slice(const struct uprobe_step *step, const struct open_creation *creation, uint64_t start,
		      uint64_t end, enum event_phase phase)
{
	struct record record = { .time = start,
				 .value = end,
				 .id = creation->session,
				 .run = creation->lane,
				 .type = RECORD_SLICE,
				 .flags = KIND_PHASE };

	if (start >= end)
		return 0;
	record.text = uprobe_text(step->process, phases[phase]);
	return uprobe_process_tell(step, &record);
}

/* Kernels are created behind the last weight; which of them pack no weights is not seen. */
static int tell_kernels(const struct uprobe_step *step, struct open_creation *creation, uint64_t end)
{
	uint64_t start = creation->weight_time;

	creation->weight_time = 0;
	return tell_slice(step, creation, start, end,
			  step->hit->kind == SITE_PREPACK ? EVENT_PHASE_KERNELS : EVENT_PHASE_KERNELS_AND_PACK);
}

/* Hands on the part that lasted until now. */
static int end_part(const struct uprobe_step *step, struct open_creation *creation)
{
	struct record record = { .time = creation->part_time,
				 .value = creation->weight_time ? creation->weight_time : step->hit->time,
				 .id = creation->session,
				 .run = creation->lane,
				 .text = creation->part,
				 .type = RECORD_SLICE,
				 .flags = creation->part_is_phase ? KIND_PHASE : KIND_SPECIALIZE,
				 .more = creation->part_is_node ? FLAG_NODE : 0 };
	int code = 0;

	if (!creation->part_time)
		return 0;
	creation->part_time = 0;
	/* of different threads, perhaps */
	if (record.value < record.time)
		record.value = record.time;
	if (record.value > record.time || !creation->weight_time)
		code = uprobe_process_tell(step, &record);
	return !code && creation->weight_time ? tell_kernels(step, creation, step->hit->time) : code;
}

static int begin_part(const struct uprobe_step *step, struct open_creation *creation, enum event_phase phase)
{
	int code = end_part(step, creation);

	creation->part_time = step->hit->time;
	creation->part = uprobe_text(step->process, phases[phase]);
	creation->part_is_node = false;
	creation->part_is_phase = true;
	return code;
}

/* The load, with what is known of its inside. */
static int tell_load(const struct uprobe_step *step, const struct open_creation *creation)
{
	struct record load = { .time = creation->load_time,
			       .id = creation->session,
			       .value = creation->lane,
			       .text = uprobe_text(step->process, "load"),
			       .type = RECORD_SLICE_BEGIN,
			       .flags = KIND_LOAD };
	int code = uprobe_process_tell(step, &load);

	if (!code && creation->read_time)
		code = tell_slice(step, creation, creation->load_time, creation->read_time, EVENT_PHASE_PARSE);
	if (!code && creation->read_time)
		code = tell_slice(step, creation, creation->read_time, creation->loaded_time, EVENT_PHASE_BUILD);
	load.time = creation->loaded_time;
	load.type = RECORD_SLICE_END;
	load.text = 0;
	return code ? code : uprobe_process_tell(step, &load);
}

/* The first word of a creation, and of its loading: when its model's name is known, or never will be. */
static int tell_begin(const struct uprobe_step *step, struct open_creation *creation)
{
	struct record begin = { .time = creation->time,
				.id = creation->session,
				.value = creation->lane,
				.type = RECORD_SLICE_BEGIN,
				.flags = KIND_SESSION,
				.more = creation->is_cut ? FLAG_PARTIAL : 0 };
	int code;

	if (creation->is_told)
		return 0;
	creation->is_told = true;
	uprobe_session_name(step->process, creation->session, step->is_old_string);
	code = uprobe_process_tell(step, &begin);
	return code || !creation->loaded_time ? code : tell_load(step, creation);
}

static struct open_creation *push(const struct uprobe_step *step)
{
	struct uprobe_thread *thread = step->thread;
	uint32_t session = uprobe_session_new(step);
	struct open_creation *creation;
	struct session *known;

	if (!session)
		return NULL;
	if (thread->n_creations == UPROBE_CREATIONS) {
		/* one that was never finished makes room */
		uprobe_lane_give(step->process, thread->creation[0].lane, step->hit->time);
		memmove(thread->creation, thread->creation + 1, --thread->n_creations * sizeof *creation);
	}
	creation = &thread->creation[thread->n_creations++];
	*creation = (struct open_creation){ .object = step->hit->object,
					    .time = step->hit->time,
					    .session = session,
					    .lane = uprobe_lane_take(step->process, step->hit->time) };
	known = sessions_at(&step->process->recorded->sessions, session);
	if (known)
		known->was_created = true;
	return creation;
}

/* The innermost creation of the thread is over. */
static int pop(const struct uprobe_step *step, bool is_failed, const char *message)
{
	struct open_creation *creation = top(step->thread);
	struct record record = { .time = step->hit->time,
				 .id = creation->session,
				 .value = creation->lane,
				 .type = RECORD_SLICE_END,
				 .flags = KIND_SESSION,
				 .more = is_failed ? FLAG_FAILED : 0,
				 .text = is_failed ? uprobe_text(step->process, message) : 0 };
	int code = tell_begin(step, creation);

	if (!code)
		code = end_part(step, creation);
	if (is_failed)
		uprobe_session_forget(step->process, creation->session);
	else
		uprobe_session_count(step, creation->session, true);
	uprobe_lane_give(step->process, creation->lane, step->hit->time);
	step->thread->n_creations--;
	return code ? code : uprobe_process_tell(step, &record);
}

int uprobe_creation_load(const struct uprobe_step *step)
{
	struct open_creation *creation = push(step);

	if (!creation)
		return -ENOMEM;
	creation->load_time = creation->time;
	return 0;
}

int uprobe_creation_loaded(const struct uprobe_step *step)
{
	struct open_creation *creation = top(step->thread);

	if (!creation || !creation->load_time || creation->loaded_time)
		return 0;
	creation->loaded_time = step->hit->time;
	return step->hit->object ? pop(step, true, uprobe_hit_text(step)) : 0;
}

int uprobe_creation_begin(const struct uprobe_step *step)
{
	struct open_creation *creation = top(step->thread);

	if (!creation || creation->object != step->hit->object) {
		creation = push(step);
		if (creation)
			creation->is_cut = step->has_load;
	}
	return creation ? tell_begin(step, creation) : -ENOMEM;
}

int uprobe_creation_end(const struct uprobe_step *step)
{
	return step->thread->n_creations ? pop(step, step->hit->object != 0, uprobe_hit_text(step)) : 0;
}

int uprobe_creation_transform(const struct uprobe_step *step)
{
	struct open_creation *creation = find(step);
	struct record record = { .time = step->hit->time, .type = RECORD_SLICE_BEGIN, .flags = KIND_SPECIALIZE };
	int code;

	if (!creation)
		return 0;
	code = end_part(step, creation);
	/* those that an exception has left */
	while (!code && creation->n_transforms && creation->transform[creation->n_transforms - 1] <= step->hit->stack) {
		struct record left = { .time = step->hit->time,
				       .id = creation->session,
				       .value = creation->lane,
				       .type = RECORD_SLICE_END,
				       .flags = KIND_SPECIALIZE };
		creation->n_transforms--;
		code = uprobe_process_tell(step, &left);
	}
	if (code || creation->n_transforms == sizeof creation->transform / sizeof *creation->transform)
		return code;
	creation->transform[creation->n_transforms++] = step->hit->stack;
	record.value = creation->lane;
	record.id = creation->session;
	record.text = uprobe_text(step->process, *uprobe_hit_text(step) ? uprobe_hit_text(step) : "transformer");
	return uprobe_process_tell(step, &record);
}

int uprobe_creation_transform_end(const struct uprobe_step *step)
{
	struct open_creation *creation = find(step);
	struct record record = { .time = step->hit->time, .type = RECORD_SLICE_END, .flags = KIND_SPECIALIZE };
	int code = 0;
	bool is_own;

	if (!creation)
		return 0;
	creation->has_transformed = true;
	record.id = creation->session;
	record.value = creation->lane;
	/* the innermost one above this stack pointer; those below it were left */
	while (!code && creation->n_transforms) {
		is_own = creation->transform[--creation->n_transforms] > step->hit->stack;
		code = end_part(step, creation);
		if (!code)
			code = uprobe_process_tell(step, &record);
		if (is_own)
			break;
	}
	return code;
}

int uprobe_creation_part(const struct uprobe_step *step)
{
	struct open_creation *creation = find(step);
	char text[160];
	uint32_t name;
	int code;

	if (!creation)
		return 0;
	code = end_part(step, creation);
	creation->part_time = step->hit->time;
	creation->part_is_phase = false;
	creation->part_is_node = step->hit->kind == SITE_PREPACK;
	if (creation->part_is_node) {
		creation->part = uprobe_kernel_node(step->process, step->hit->object);
		return code;
	}
	name = uprobe_session_provider(step->process, creation->session, step->hit->object);
	snprintf(text, sizeof text, "%s %s", step->hit->kind == SITE_COMPILE ? "compile" : "partition",
		 names_text(step->process->recorded->map.names, name));
	creation->part = uprobe_text(step->process, text);
	return code;
}

/* The creation whose phases the hit's thread is in. NULL: none, or its load, of which more is told at its end. */
static struct open_creation *initializing(const struct uprobe_step *step)
{
	struct open_creation *creation = top(step->thread);

	return creation && (!creation->load_time || creation->loaded_time) ? creation : NULL;
}

int uprobe_creation_read(const struct uprobe_step *step)
{
	struct open_creation *creation = top(step->thread);

	if (creation && creation->load_time && !creation->loaded_time)
		creation->read_time = step->hit->time;
	return 0;
}

/* Up to here kernels were registered: those of the program, between load and initialisation, too. */
int uprobe_creation_predefined(const struct uprobe_step *step)
{
	struct open_creation *creation = initializing(step);
	int code = 0;

	if (!creation || !creation->is_told)
		return 0;
	if (!creation->part_time && !creation->has_transformed)
		code = tell_slice(step, creation, creation->loaded_time ? creation->loaded_time : creation->time,
				  step->hit->time, EVENT_PHASE_REGISTER);
	return code ? code : begin_part(step, creation, EVENT_PHASE_TRANSFORMERS);
}

/* Behind a transformer that changed the graph. Others are within what is known of them. */
int uprobe_creation_resolve(const struct uprobe_step *step)
{
	struct open_creation *creation = initializing(step);

	if (!creation || !creation->has_transformed || creation->n_transforms || creation->part_time)
		return 0;
	return begin_part(step, creation, EVENT_PHASE_RESOLVE);
}

int uprobe_creation_phase(const struct uprobe_step *step)
{
	static const uint8_t of_kind[N_SITE_KINDS] = {
		[SITE_PREPARE] = EVENT_PHASE_PREPARE,
		[SITE_COPY_WEIGHTS] = EVENT_PHASE_COPY,
		[SITE_LOOK_UP] = EVENT_PHASE_LOOK_UP,
		[SITE_PLAN] = EVENT_PHASE_PLAN,
	};
	struct open_creation *creation = initializing(step);

	return creation && creation->is_told ? begin_part(step, creation, (enum event_phase)of_kind[step->hit->kind])
					     : 0;
}

int uprobe_creation_weights(const struct uprobe_step *step)
{
	struct open_creation *creation = initializing(step);
	int code;

	if (!creation || !creation->is_told)
		return 0;
	code =
	    begin_part(step, creation, step->hit->kind == SITE_SAVE_WEIGHTS ? EVENT_PHASE_COPY : EVENT_PHASE_WEIGHTS);
	creation->weight_time = step->has_weights ? step->hit->time : 0;
	return code;
}

int uprobe_creation_weight(const struct uprobe_step *step)
{
	struct open_creation *creation = initializing(step);

	if (creation && creation->weight_time)
		creation->weight_time = step->hit->time;
	return 0;
}

int uprobe_creation_shared(const struct uprobe_step *step)
{
	struct open_creation *creation = initializing(step);

	return creation && creation->part_time && creation->part_is_node
		   ? begin_part(step, creation, EVENT_PHASE_PREPACK)
		   : 0;
}

int uprobe_creation_release(const struct uprobe_step *step)
{
	uint32_t session = uprobe_session_find(step->process, step->hit->object);
	struct open_creation *creation = top(step->thread);
	struct record record = { .time = step->hit->time, .id = session, .type = RECORD_RELEASED };

	if (!session)
		return 0;
	if (creation && creation->session == session)
		return pop(step, true, "released before it was initialised");
	if (step->counts)
		uprobe_counts_release(step->counts, session, step->hit->time);
	uprobe_session_forget(step->process, session);
	return uprobe_process_tell(step, &record);
}
