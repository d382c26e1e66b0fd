/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inferences and operators of this thread, from what hooks see to records.
 *
 * One inference is seen by up to three brackets, one inside the other: a call of the public API, the runtime's
 * evaluation, and the execution by a provider. The outermost that is seen first owns the inference: its end ends it.
 */
#ifndef CAPTURE_AGENT_INFERENCE_H
#define CAPTURE_AGENT_INFERENCE_H

#include "capture/agent/session.h"

enum run_owner { OWNER_NONE, OWNER_PROVIDER, OWNER_EVALUATION, OWNER_API };

/* What runs now, by lane: operators on other threads look here for their inference. */
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

/* start 0: now. session NULL: not known yet. NULL: too many are open. */
struct open_run *inference_begin(struct thread *thread, enum run_owner owner, uint64_t start, struct session *session);
/* The provider begins to execute: begins an inference unless one is open that is not executing yet. */
void inference_executing(struct thread *thread, struct session *session, uint64_t run_options, const char *tag);
/* Writes its begin. tag NULL or "": it has none. */
void inference_tell(struct thread *thread, struct open_run *run, const char *tag);
/* Ends the innermost one if it is this owner's, and those inside it that lost their end. message 0: it did well. */
void inference_end(struct thread *thread, enum run_owner owner, uint32_t message);
/* Recording begins anew: no inference is open, whatever was left open. */
void inference_forget_all(void);

/* An operator begins inside others: writes their begins first, so that begins come in order. frame: of the hook. */
void inference_tell_operators(struct thread *thread, uintptr_t frame);
/* The end of an operator that had others inside, or that failed (message not 0). */
void inference_end_operator(struct thread *thread, const struct open_operator *op, uint64_t end, uint32_t message);
/* Closes operators that an exception has left, down to `depth` or to the first whose hook's frame is above `frame`. */
void inference_close_operators(struct thread *thread, unsigned depth, uintptr_t frame);

/* A lane that was free since `since` (0: now); NO_LANE when all are taken. */
uint8_t inference_take_lane(uint64_t since);
/* end: when its last user was done. */
void inference_give_lane(uint8_t lane, uint64_t end);

#endif
