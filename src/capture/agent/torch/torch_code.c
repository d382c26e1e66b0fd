// SPDX-License-Identifier: Apache-2.0
/* The agent's code for PyTorch, as the table of codes needs it. */
#include <string.h>

#include "capture/agent/torch/torch_in.h"
#include "runtime/torch/torch.h"

/* What cannot be recorded is reported with the module that it is about. */
static void found(struct copy *copy, struct rtti *rtti)
{
	const char *why = torch_is_python(rtti) ? python_find() : NULL;

	if (!why)
		return;
	copy->found.is_part = false;
	stpcpy(stpcpy(stpcpy(copy->found.left_out, "inferences ("), why), ")");
}

static void arm(struct copy *copy)
{
	if (copy->found.slot[TORCH_INFERENCES] >= 0)
		torch_module_arm(copy);
	if (copy->found.slot[TORCH_TENSORS] >= 0)
		torch_tensor_arm(&copy->image);
	if (copy->found.slot[TORCH_SCRIPTS] >= 0)
		torch_script_arm(&copy->image);
	if (copy->found.slot[TORCH_OPERATORS] >= 0)
		torch_operator_arm(&copy->image, torch_start);
}

static void disarm(struct copy *copy)
{
	if (copy->found.slot[TORCH_INFERENCES] >= 0)
		torch_module_disarm();
	if (copy->found.slot[TORCH_OPERATORS] >= 0)
		torch_operator_disarm();
}

static void forget_all(void)
{
	torch_operator_forget_all();
	torch_tree_forget_all();
	torch_script_forget_all();
}

static void *hook(const struct runtime *runtime, unsigned family)
{
	return torch_script_hook(family);
}

const struct agent_code agent_torch = {
	.runtime = &runtime_torch,
	.hook = hook,
	.found = found,
	.arm = arm,
	.instead_of = torch_package_instead_of,
	.disarm = disarm,
	.forget_all = forget_all,
};
