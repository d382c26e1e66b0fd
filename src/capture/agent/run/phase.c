// SPDX-License-Identifier: Apache-2.0
/*
 * Phases of session creation. The borders are calls of virtual functions, each at the begin or the end of a phase; what
 * lies between two of them follows from the order in which ONNX Runtime works. This is the one place that knows it:
 *
 *   load                      set up, load { parse { reads }, build }
 *   between load and parts    create providers, register kernels, create transformers, copy weights
 *   after a part              resolve graph (a transformer changed it), assign nodes (a provider was asked)
 *   behind the last one       resolve graph, look up kernels, plan memory, weights, create kernels, pre-pack, finish
 *
 * A phase is written when it begins, so that it is in the recording if the program dies in it. Two ends are known only
 * later: weights end with the last one, and pre-packing ends with the last kernel.
 */
#include "capture/agent/run/phase.h"

#include <string.h>

#include "capture/agent/dict.h"
#include "capture/agent/run/waits.h"
#include "capture/agent/session.h"
#include "event/event.h"

#define PHASE_TEXT(name, text) [EVENT_PHASE_##name] = text,
static const char *const names[N_EVENT_PHASES] = { EVENT_PHASES(PHASE_TEXT) };

enum { READS = 62 };

/* Calls that read from a file: they are written once the session is known. */
struct reads {
	struct reads *next;
	uint32_t n;
	struct {
		uint64_t start, end;
	} at[READS];
};
static struct reads *free_reads;

static bool is_due(const struct thread *thread)
{
	const struct creation *creation = &thread->creation;

	return creation->start && !creation->n_nested && !creation->n_parts;
}

static void put(struct thread *thread, struct record *from)
{
	struct record *record = agent_claim(thread);

	if (!record)
		return;
	from->id = thread->creation.session->number;
	*record = *from;
	agent_publish(thread);
}

static uint32_t text_of(enum event_phase phase)
{
	return dict_text(names[phase], strlen(names[phase]));
}

static void put_begin(struct thread *thread, enum event_phase phase, uint64_t time)
{
	put(thread, &(struct record){ .time = time,
				      .value = thread->creation.lane,
				      .text = text_of(phase),
				      .type = RECORD_SLICE_BEGIN,
				      .flags = KIND_PHASE });
}

/* flag: FLAG_COUNT, FLAG_BYTES or 0 */
static void put_end(struct thread *thread, uint64_t time, uint8_t flag, uint64_t number)
{
	put(thread, &(struct record){ .time = time,
				      .value = thread->creation.lane,
				      .run = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX,
				      .type = RECORD_SLICE_END,
				      .flags = KIND_PHASE,
				      .more = flag });
}

static void put_slice(struct thread *thread, enum event_phase phase, uint64_t start, uint64_t end)
{
	if (end > start)
		put(thread, &(struct record){ .time = start,
					      .value = end,
					      .run = thread->creation.lane,
					      .text = text_of(phase),
					      .type = RECORD_SLICE,
					      .flags = KIND_PHASE });
}

void phase_close(struct thread *thread, uint64_t time)
{
	struct creation *creation = &thread->creation;
	enum event_phase phase = (enum event_phase)creation->phase;
	bool is_packing_seen = hot->level >= LEVEL_OPERATOR;

	creation->phase = EVENT_PHASE_NONE;
	creation->is_behind_last = false;
	if (phase == EVENT_PHASE_NONE) {
		return;
	}
	waits_close(thread);
	if (phase == EVENT_PHASE_PLAN) {
		put_end(thread, time, FLAG_COUNT, creation->n_values);
	} else if (creation->is_in_weights) {
		creation->is_in_weights = false;
		put_end(thread, creation->last, FLAG_COUNT, creation->n_weights);
		put_slice(thread, is_packing_seen ? EVENT_PHASE_KERNELS : EVENT_PHASE_KERNELS_AND_PACK, creation->last,
			  time);
	} else if (phase == EVENT_PHASE_PREPACK) {
		put_end(thread, creation->last, 0, 0);
		put_slice(thread, EVENT_PHASE_FINISH, creation->last, time);
	} else {
		put_end(thread, time, 0, 0);
	}
}

void phase_begin(struct thread *thread, enum event_phase phase, uint64_t time)
{
	if (!is_due(thread))
		return;
	phase_close(thread, time);
	thread->creation.phase = (uint8_t)phase;
	waits_open(thread);
	put_begin(thread, phase, time);
}

void phase_was(struct thread *thread, enum event_phase phase, uint64_t now)
{
	const struct creation *creation = &thread->creation;

	if (!is_due(thread) || creation->phase || !creation->part_end)
		return;
	waits_since(thread);
	put_slice(thread, phase, creation->part_end, now);
}

bool phase_is_loading(const struct thread *thread)
{
	const struct creation *creation = &thread->creation;

	return creation->start ? !creation->has_loaded && !creation->n_nested
			       : thread->hint.time && !thread->hint.loaded;
}

static struct reads *more_reads(void)
{
	struct reads *reads;

	agent_lock();
	reads = free_reads;
	if (reads)
		free_reads = reads->next;
	else
		reads = arena_alloc(&agent.arena, sizeof *reads);
	agent_unlock();
	if (reads) {
		reads->next = NULL;
		reads->n = 0;
	}
	return reads;
}

void phase_read(struct thread *thread, uint64_t start, uint64_t end, uint64_t n_bytes)
{
	struct file_reads *file = &thread->reads;

	file->end = end;
	file->n_bytes += n_bytes;
	if (!n_bytes)
		return;
	if (!file->last || file->last->n == READS) {
		struct reads *more = more_reads();
		if (!more) /* its time counts as parsing */
			return;
		*(file->last ? &file->last->next : &file->first) = more;
		file->last = more;
	}
	file->last->at[file->last->n].start = start;
	file->last->at[file->last->n++].end = end;
}

void phase_forget_reads(struct thread *thread)
{
	struct file_reads *file = &thread->reads;

	if (file->last) {
		agent_lock();
		file->last->next = free_reads;
		free_reads = file->first;
		agent_unlock();
	}
	memset(file, 0, sizeof *file);
}

static void put_inside_load(struct thread *thread, uint64_t start, uint64_t end)
{
	const struct file_reads *file = &thread->reads;

	if (file->end <= start || file->end > end)
		return;
	put_begin(thread, EVENT_PHASE_PARSE, start);
	for (const struct reads *reads = file->first; reads; reads = reads->next)
		for (uint32_t i = 0; i < reads->n; i++)
			if (reads->at[i].start >= start)
				put_slice(thread, EVENT_PHASE_READ, reads->at[i].start, reads->at[i].end);
	put_end(thread, file->end, FLAG_BYTES, file->n_bytes);
	put_slice(thread, EVENT_PHASE_BUILD, file->end, end);
}

void phase_loaded(struct thread *thread, uint64_t start, uint64_t end)
{
	const struct creation *creation = &thread->creation;
	struct record load = { .time = start,
			       .value = creation->lane,
			       .text = dict_text("load", 4),
			       .type = RECORD_SLICE_BEGIN,
			       .flags = KIND_LOAD };

	put_slice(thread, EVENT_PHASE_SET_UP, creation->start, start);
	put(thread, &load);
	put_inside_load(thread, start, end);
	load.type = RECORD_SLICE_END;
	load.time = end;
	load.text = 0;
	waits_since(thread);
	put(thread, &load);
	phase_forget_reads(thread);
}

void phase_register(struct thread *thread)
{
	if (thread->creation.phase == EVENT_PHASE_PROVIDERS)
		phase_begin(thread, EVENT_PHASE_REGISTER, agent_now());
}

void phase_plan(struct thread *thread)
{
	uint64_t now = agent_now();

	if (!is_due(thread) || thread->creation.phase == EVENT_PHASE_PLAN)
		return;
	/* a model in ORT's own format has other last transformers */
	phase_was(thread, EVENT_PHASE_LOOK_UP, now);
	phase_begin(thread, EVENT_PHASE_PLAN, now);
	thread->creation.n_values = 0;
}

void phase_weights(struct thread *thread, bool is_copy)
{
	struct creation *creation = &thread->creation;
	uint64_t now = agent_now();

	if (!is_due(thread))
		return;
	phase_begin(thread, is_copy ? EVENT_PHASE_COPY : EVENT_PHASE_WEIGHTS, now);
	creation->is_in_weights = true;
	creation->last = now;
	creation->n_weights = 0;
}

void phase_weight(struct thread *thread)
{
	struct creation *creation = &thread->creation;

	if (!is_due(thread) || !creation->is_in_weights)
		return;
	creation->last = agent_now();
	creation->n_weights++;
}

void phase_look_up(struct thread *thread)
{
	if (thread->creation.is_behind_last && is_due(thread))
		phase_begin(thread, EVENT_PHASE_LOOK_UP, agent_now());
}

void phase_pack(struct thread *thread, uint64_t start)
{
	if (is_due(thread) && thread->creation.phase != EVENT_PHASE_PREPACK)
		phase_begin(thread, EVENT_PHASE_PREPACK, start);
}

void phase_packed(struct thread *thread, uint64_t end)
{
	thread->creation.last = end;
}

void phase_hashed(struct thread *thread)
{
	struct creation *creation = &thread->creation;
	uint64_t now;

	if (!is_due(thread) || creation->phase != EVENT_PHASE_PREPACK)
		return;
	now = agent_now();
	waits_since(thread);
	put_slice(thread, EVENT_PHASE_HASH, creation->last, now);
	creation->last = now;
}
