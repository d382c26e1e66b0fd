/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Phases of the session that this thread is creating: slices between the parts that hooks bracket (creation.h). A phase
 * ends where the next phase or part begins. Each function does nothing while no creation is open, inside a part, and in
 * a creation inside another.
 */
#ifndef CAPTURE_AGENT_PHASE_H
#define CAPTURE_AGENT_PHASE_H

#include "capture/agent/agent.h"
#include "event/phase.h"

void phase_begin(struct thread *thread, enum event_phase phase, uint64_t time);
/* The open phase ends; 0: there is none. */
void phase_close(struct thread *thread, uint64_t time);

/* The time from the last part until now was this phase, unless another one is open. */
void phase_was(struct thread *thread, enum event_phase phase, uint64_t now);

/* One call that read from the model's file, before the load has ended. n_bytes 0: the end of the file. */
void phase_read(struct thread *thread, uint64_t start, uint64_t end, uint64_t n_bytes);
/* Whether phase_read is due. */
bool phase_is_loading(const struct thread *thread);
/* The load's slice, with what is inside and what precedes it. */
void phase_loaded(struct thread *thread, uint64_t start, uint64_t end);
/* Drops reads that belong to no creation. */
void phase_forget_reads(struct thread *thread);

/* The first provider is asked for its kernels. */
void phase_register(struct thread *thread);
/* The planner has begun: once for a graph or several times. */
void phase_plan(struct thread *thread);
/* The planner has finished, and weights begin; is_copy: they are copied. */
void phase_weights(struct thread *thread, bool is_copy);
/* The next weight begins. */
void phase_weight(struct thread *thread);
/* Kernels are looked up: ends what follows the last transformer. */
void phase_look_up(struct thread *thread);
/* A kernel begins to pack a weight, and has packed it. */
void phase_pack(struct thread *thread, uint64_t start);
void phase_packed(struct thread *thread, uint64_t end);
/* The runtime has hashed what a kernel packed. */
void phase_hashed(struct thread *thread);

#endif
