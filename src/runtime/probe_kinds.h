/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of probe sites, one line each. Plain C, also included by the BPF program (capture/probe/uprobe.bpf.c).
 *
 * Each line says what a probe finds in the registers: `this`, and the argument behind it. Which registers these are
 * differs by processor (capture/probe/uprobe_registers.h). At entries the stack pointer is as at the call, but for the
 * depth of the site.
 */
#ifndef RUNTIME_PROBE_KINDS_H
#define RUNTIME_PROBE_KINDS_H

/* F(id, name for people, may have a return probe, only used at level operator) */
#define PROBE_KINDS(F) \
	/* runs a session; this: session, argument: its options; returns a Status, 0: ok */ \
	F(RUN, "runs", 1, 0) \
	/* initialises a session; this: session; return as RUN */ \
	F(INITIALIZE, "session creation", 1, 0) \
	/* parses model bytes into a graph; this: session; return as RUN */ \
	F(LOAD, "model load", 1, 0) \
	/* destructor; this: session */ \
	F(SESSION_DELETE, "session release", 0, 0) \
	/* one graph transformer; this: the transformer */ \
	F(TRANSFORM, "graph transformers", 0, 0) \
	/* end of the innermost open transformer with a greater stack pointer */ \
	F(TRANSFORM_END, "end of graph transformers", 0, 0) \
	/* this: provider */ \
	F(GET_CAPABILITY, "partitioning", 0, 0) \
	/* this: provider */ \
	F(COMPILE, "provider compilation", 0, 0) \
	/* weights are put into the session's state: after partitioning, before pre-packing */ \
	F(SAVE_WEIGHTS, "weights", 0, 0) \
	/* the same where they were copied before */ \
	F(INITIALIZE_WEIGHTS, "weights", 0, 0) \
	/* this: kernel, argument: the tensor */ \
	F(PREPACK, "weight pre-packing", 0, 0) \
	/* Borders of phases of session creation: that they are passed is all that is known. */ \
	F(READ, "reads of model files", 0, 0) \
	F(PREDEFINED, "creation of transformers", 0, 0) \
	/* after it, before the first transformer; the weights are copied there, or not */ \
	F(PREPARE, "graph preparation", 0, 0) \
	F(COPY_WEIGHTS, "graph preparation", 0, 0) \
	F(RESOLVE, "graph resolution", 0, 0) \
	F(LOOK_UP, "kernel look-up", 0, 0) \
	F(PLAN, "memory planning", 0, 0) \
	/* before each weight is copied, or referred to */ \
	F(WEIGHT, "each weight", 0, 0) \
	/* the packed weights of a kernel were hashed */ \
	F(SHARE_PACKED, "hashing of packed weights", 0, 0) \
	/* this: kernel, argument: its context */ \
	F(OPERATOR, "operators", 0, 1) \
	/* the operator has returned: the entry of this thread with this stack pointer (uprobe.h) */ \
	F(OPERATOR_END, "end of operators", 0, 1)

#define PROBE_KIND(id, ...) SITE_##id,
enum probe_kind { PROBE_KINDS(PROBE_KIND) N_SITE_KINDS };
#undef PROBE_KIND

#endif
