/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a place in a runtime's code is to the probes: one line each. Plain C, included by the program in the kernel
 * (capture/probe/uprobe.bpf.c) as well.
 *
 * What a probe finds in the registers (System V ABI; methods that return a Status get where to put it in rdi, and
 * `this` in rsi). At entries rsp and [rsp], the return address, are as at the call: an entry past endbr64 is no other.
 */
#ifndef RUNTIME_PROBE_KINDS_H
#define RUNTIME_PROBE_KINDS_H

/* F(id, what people call it, may it have a return probe, is it of use at level operator alone) */
#define PROBE_KINDS(F) \
	/* the run of a session; rsi: session, rdx: its options; return: *rax: Status, 0: ok */ \
	F(RUN, "runs", 1, 0) \
	/* its initialisation; rsi: session; return as RUN */ \
	F(INITIALIZE, "session creation", 1, 0) \
	/* model bytes to graph; rsi: session; return as RUN */ \
	F(LOAD, "model load", 1, 0) \
	/* destructor; rdi: session */ \
	F(SESSION_DELETE, "session release", 0, 0) \
	/* one graph transformer; rsi: the transformer */ \
	F(TRANSFORM, "graph transformers", 0, 0) \
	/* its work is done: of the innermost open one with a greater rsp */ \
	F(TRANSFORM_END, "end of graph transformers", 0, 0) \
	/* rsi: provider */ \
	F(GET_CAPABILITY, "partitioning", 0, 0) \
	/* rsi: provider */ \
	F(COMPILE, "provider compilation", 0, 0) \
	/* weights are put into the session's state: behind partitioning, before pre-packing */ \
	F(SAVE_WEIGHTS, "weights", 0, 0) \
	/* rsi: kernel, rdx: the tensor */ \
	F(PREPACK, "weight pre-packing", 0, 0) \
	/* rsi: kernel, rdx: its context */ \
	F(OPERATOR, "operators", 0, 1) \
	/* it has returned: of this thread's entry with this rsp - 8 */ \
	F(OPERATOR_END, "end of operators", 0, 1)

#define PROBE_KIND(id, ...) SITE_##id,
enum probe_kind { PROBE_KINDS(PROBE_KIND) N_SITE_KINDS };
#undef PROBE_KIND

#endif
