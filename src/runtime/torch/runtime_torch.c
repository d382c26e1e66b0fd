// SPDX-License-Identifier: Apache-2.0
/*
 * PyTorch's row in the table of runtimes, 1.13 to 2.15: libtorch_cpu has the door for observers of operators,
 * libtorch_python leads to the Python class of which every model is, libc10 has the tensors. What is replaced is not
 * virtual: the agent's own code for PyTorch does it (capture/agent/torch). doc/pytorch.md explains how.
 */
#include <stdio.h>

#include "runtime/find/dynamic.h"
#include "runtime/torch/torch.h"

#define FUNCTION_CLASS "N5torch3jit13GraphFunctionE"
#define PYTHON_CLASS "N5torch8autograd6PyNodeE"
#define ALLOCATOR_CLASS "N3c1019DefaultCPUAllocatorE"
#define TENSOR_CLASS "N3c1010TensorImplE"

enum { MOST_SLOTS = 24 };

static const struct runtime_slot none[] = { { 0, -1 } };
/* The destructor that deletes: every tensor ends there, when nothing is held. */
static const struct runtime_slot deletes[] = { { 0, 1 }, { 0, -1 } };

static const struct runtime_family families[N_TORCH_FAMILIES] = {
	[TORCH_INFERENCES] = { .name = "inferences", .class_name = PYTHON_CLASS, .slots = none },
	[TORCH_OPERATORS] = { .name = "operators", .class_name = FUNCTION_CLASS, .slots = none, .is_operator = true },
	[TORCH_SCRIPTS] = { .name = "scripts", .class_name = FUNCTION_CLASS, .only = FUNCTION_CLASS, .slots = none },
	[TORCH_TENSORS] = { .name = "tensors", .class_name = TENSOR_CLASS, .only = TENSOR_CLASS, .slots = deletes },
};

static bool defines(const struct image *image, const char *name)
{
	struct dynamic dynamic;

	return dynamic_read(&dynamic, image) && dynamic_function(&dynamic, name);
}

/* By the door itself, too: the class is only what has been there in each version that was read. */
bool torch_is_dispatcher(const struct rtti *rtti)
{
	return rtti_table(rtti, FUNCTION_CLASS) != 0 || defines(rtti->image, TORCH_ADD);
}

bool torch_is_python(const struct rtti *rtti)
{
	return rtti_table(rtti, PYTHON_CLASS) != 0;
}

static bool is_in(const struct rtti *rtti)
{
	return torch_is_dispatcher(rtti) || torch_is_python(rtti) || rtti_named(rtti, ALLOCATOR_CLASS);
}

static bool has_observers(const struct image *image)
{
	return defines(image, TORCH_ADD) && defines(image, TORCH_REMOVE) && defines(image, TORCH_NAME);
}

/* The slot of the function that runs a script, which is exported; -1: not known. */
static int script_slot(const struct rtti *rtti)
{
	uint64_t table = rtti_table(rtti, FUNCTION_CLASS), run;
	struct dynamic dynamic;

	if (!table || !dynamic_read(&dynamic, rtti->image) || !(run = dynamic_function(&dynamic, TORCH_RUN)))
		return -1;
	for (int slot = 0; slot < MOST_SLOTS; slot++)
		if (image_word(rtti->image, table + 8 * (uint64_t)slot) == run)
			return slot;
	return -1;
}

static void find(struct runtime_found *found, struct rtti *rtti, const struct runtime_found *host)
{
	bool has_tensors = rtti_named(rtti, ALLOCATOR_CLASS) != NULL;

	found->slot[TORCH_TENSORS] = has_tensors ? runtimes_slot(&families[TORCH_TENSORS], 0) : -1;
	found->slot[TORCH_INFERENCES] = torch_is_python(rtti) ? 0 : -1; /* no slot: the agent's code replaces it */
	found->slot[TORCH_SCRIPTS] = script_slot(rtti);
	found->slot[TORCH_OPERATORS] = torch_is_dispatcher(rtti) ? 0 : -1;
	found->is_part = !torch_is_dispatcher(rtti);
	if (!found->is_part && !has_observers(rtti->image))
		snprintf(found->left_out, sizeof found->left_out, "operators (it does not export its observers)");
}

static const char *const entries[] = { "PyInit__C", TORCH_CONTAINER "*", NULL };

static const char *const packages[] = { "torch", NULL };
static const char *const libraries[] = { "torch", "libc10", NULL };

const struct runtime runtime_torch = {
	.name = "pytorch",
	.title = "PyTorch",
	.entries = entries,
	.packages = packages,
	.libraries = libraries,
	/* libc10: where the agent can be loaded */
	.marks = { .prefix = "N3c10", .fewest = 16, .whole = { "19DefaultCPUAllocatorE" } },
	.family = families,
	.n_families = N_TORCH_FAMILIES,
	.inject_family = TORCH_TENSORS,
	.is_in = is_in,
	.find = find,
};
