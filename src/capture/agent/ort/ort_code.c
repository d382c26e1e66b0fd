// SPDX-License-Identifier: Apache-2.0
/* The agent's code for ONNX Runtime, called by arm.c, first.c and injected.c. */
#include "capture/agent/arm/code.h"
#include "capture/agent/ort/ort_call.h"

#define ORT_ENTRY(id, hook, ...) [ORT_##id] = ort_on_##hook,

static void *hook(const struct runtime *runtime, unsigned family)
{
	static void *const hooks[N_ORT_FAMILIES] = { ORT_FAMILIES(ORT_ENTRY) };

	return ort_call_entry(family, hooks[family]);
}

static void arm(struct copy *copy)
{
	ort_c_api_arm(&ort_copies[copy->number]);
	ort_import_arm(copy);
	ort_python_arm(copy);
}

static void disarm(struct copy *copy)
{
	ort_python_disarm();
}

static void forget_all(void)
{
	ort_operator_forget_all();
	ort_memory_forget_all();
	ort_c_api_forget_all();
	ort_late_forget_all();
}

const struct agent_code agent_ort = {
	.runtime = &runtime_onnxruntime,
	.hook = hook,
	.found = ort_copy_found,
	.prepare = ort_import_prepare,
	.arm = arm,
	.disarm = disarm,
	.forget_gone = ort_copy_forget_gone,
	.forget_all = forget_all,
};
