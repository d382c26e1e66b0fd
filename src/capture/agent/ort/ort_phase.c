// SPDX-License-Identifier: Apache-2.0
/*
 * Hooks for virtual functions of ONNX Runtime that are called where one phase of session creation ends and the next
 * begins (phase.c). Those that are called for each value or each kernel only count, or look at one flag.
 */
#include <errno.h>

#include "capture/agent/ort/ort_call.h"
#include "capture/agent/run/phase.h"

static struct thread *creating(void)
{
	struct thread *thread = self_thread;

	return thread && thread->creation.start && thread->generation == hot->generation ? thread : NULL;
}

/* a: ISequentialPlannerContext; b: the value. Called twice for each comparison. */
word ort_on_plan_value(ORT_REGISTERS)
{
	ort_function *next = ort_original(a, a, ORT_PLAN_VALUE);
	struct thread *thread = self_thread;

	if (thread)
		thread->creation.n_values++;
	return ((word (*)(ORT_REGISTERS))(word)next)(a, b, c, d, e, f);
}

/* a: ISequentialPlannerContext, asked first of all for the order of execution */
word ort_on_plan(ORT_REGISTERS)
{
	ort_function *next = ort_original(a, a, ORT_PLAN);
	struct thread *thread = creating();

	if (thread)
		phase_plan(thread);
	return ((word (*)(ORT_REGISTERS))(word)next)(a, b, c, d, e, f);
}

/* b: ITensorAllocator, when the plan is complete. What is copied in which
 * version: ORT_COPIES_EARLY. */
word ort_on_weights(ORT_ARGS)
{
	struct ort_met met = ort_meet_second(a, b, ORT_WEIGHTS);
	struct thread *thread = creating();

	if (met.vptr && thread)
		phase_weights(thread, met.copy->minor < ORT_COPIES_EARLY - 1);
	return ORT_CALL(met.next);
}

/* b: ITensorAllocator, before the copy of each weight */
word ort_on_weight(ORT_ARGS)
{
	struct ort_met met = ort_meet(b, a, ORT_WEIGHT);
	struct thread *thread = creating();

	if (met.vptr && thread)
		phase_weight(thread);
	return ORT_CALL(met.next);
}

/* b: the provider, asked for its kernels: all providers have been created */
word ort_on_kernel_registry(ORT_ARGS)
{
	struct ort_met met = ort_meet_second(a, b, ORT_KERNEL_REGISTRY);
	struct thread *thread = creating();

	if (met.vptr && thread)
		phase_register(thread);
	return ORT_CALL(met.next);
}

/* b: IKernelTypeStrResolver */
word ort_on_kernel_types(ORT_ARGS)
{
	struct ort_met met = ort_meet(b, a, ORT_KERNEL_TYPES);
	struct thread *thread = self_thread;

	if (thread && thread->creation.is_behind_last && (thread = creating()))
		phase_look_up(thread);
	return ORT_CALL(met.next);
}

/* a: protobuf's CopyingInputStream; returns the number of bytes, 0 at the end, or negative */
word ort_on_read(ORT_REGISTERS)
{
	ort_function *next = ort_original(a, a, ORT_READ);
	struct thread *thread = agent_thread();
	uint64_t start;
	int saved;
	word r;

	if (!thread || !phase_is_loading(thread))
		return ((word (*)(ORT_REGISTERS))(word)next)(a, b, c, d, e, f);
	start = agent_now();
	r = ((word (*)(ORT_REGISTERS))(word)next)(a, b, c, d, e, f);
	saved = errno;
	if ((int32_t)r >= 0)
		phase_read(thread, start, agent_now(), (uint64_t)(int32_t)r);
	errno = saved;
	return r;
}

/* b: OpKernel, after what it has packed was hashed */
word ort_on_share_packed(ORT_ARGS)
{
	struct ort_met met = ort_meet(b, a, ORT_SHARE_PACKED);
	struct thread *thread = creating();

	if (met.vptr && thread)
		phase_hashed(thread);
	return ORT_CALL(met.next);
}
