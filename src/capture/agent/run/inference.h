/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns what hooks see of inferences and operators on this thread into records.
 *
 * Up to three nested brackets show one inference: a call of the public API, the runtime's evaluation, and the execution
 * by a provider. The outermost one that is seen first owns the inference: its end ends it.
 */
#ifndef CAPTURE_AGENT_INFERENCE_H
#define CAPTURE_AGENT_INFERENCE_H

#include "capture/agent/session.h"

enum run_owner { OWNER_NONE, OWNER_PROVIDER, OWNER_EVALUATION, OWNER_API };

/* The run of each lane: operators on other threads find their inference here. */
struct active_run {
	struct session *session;
	uint64_t run_options, stack;
	uint32_t run; /* 0: none. Stored last, read first */
};
extern struct active_run inference_active[MAX_LANES];

/* The innermost open inference of this thread, or NULL. */
static inline struct open_run *inference_top(struct thread *thread)
{
	return thread->n_runs ? &thread->run[thread->n_runs - 1] : NULL;
}

/* start 0: now. session NULL: unknown so far. Returns NULL when too many are open. */
struct open_run *inference_begin(struct thread *thread, enum run_owner owner, uint64_t start, struct session *session);
/* A number for an inference that begins now. */
uint32_t inference_number(struct thread *thread);
/* A provider begins to execute: begins an inference unless one is open that is not executing yet. */
void inference_executing(struct thread *thread, struct session *session, uint64_t run_options, const char *tag);
/* Writes its begin. tag NULL or "": none. */
void inference_tell(struct thread *thread, struct open_run *run, const char *tag);
/* After that: the id of what goes in of which sequence; 0: nothing is told. */
void inference_tell_sequences(struct thread *thread, const struct open_run *run, uint32_t text);
/* Ends the innermost one if this owner owns it, and any inside it without an end. message 0: success. */
void inference_end(struct thread *thread, enum run_owner owner, uint32_t message);
/* The innermost one turned out to be none: nothing was written of it. */
void inference_drop(struct thread *thread);
/* Ends those that are open inside the first n_runs without an end of their own: an error left them. */
void inference_end_inner(struct thread *thread, uint32_t n_runs);
/* Recording restarts: drops all open inferences. */
void inference_forget_all(void);

static inline void inference_fill(struct record *record, const struct open_operator *op, uint64_t end)
{
	*record = (struct record){ .time = op->start,
				   .value = end,
				   .id = op->node,
				   .run = op->run,
				   .text = op->shapes,
				   .type = RECORD_OPERATOR,
				   .flags = op->shapes ? FLAG_SHAPES : 0 };
}

/* An operator begins inside others: writes their begins first, so that begins are in order. frame: of the hook. */
void inference_tell_operators(struct thread *thread, uintptr_t frame);
/* The same where every hook sees the end of its operator, by whatever way it comes: no frame is compared. */
void inference_tell_open(struct thread *thread);
/* The same as inference_put_operator, where the ring needs attention. */
void inference_put_slowly(struct thread *thread, const struct open_operator *op, uint64_t end);

/* Writes an operator that has ended, did not fail, and whose begin was not told. */
static inline void inference_put_operator(struct thread *thread, const struct open_operator *op, uint64_t end)
{
	struct ring_writer *ring = &thread->ring;

	if (__builtin_expect(ring->busy | (ring->head >= ring->limit), 0)) {
		inference_put_slowly(thread, op, end);
		return;
	}
	ring->busy = 1;
	__asm__ volatile("" ::: "memory");
	inference_fill(&ring->data[ring->head & ring->mask], op, end);
	ring_publish(ring);
}

/* Ends an operator that contained others, or that failed (message not 0). */
void inference_end_operator(struct thread *thread, struct open_operator *op, uint64_t end, uint32_t message);
/* Closes operators left by an exception, down to `depth` or to the first whose hook's frame is above `frame`. */
void inference_close_operators(struct thread *thread, unsigned depth, uintptr_t frame);

/* A lane that has been free since `since` (0: now); NO_LANE when all are taken. */
uint8_t inference_take_lane(uint64_t since);
/* end: the end of its last user. */
void inference_give_lane(uint8_t lane, uint64_t end);

#endif
