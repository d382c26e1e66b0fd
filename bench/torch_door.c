// SPDX-License-Identifier: Apache-2.0
/*
 * The door of PyTorch for observers of operators, with an observer behind it that does nothing: what torch.profiler and
 * inftrace pay before either does anything of its own. torch_door_open(address of at::addGlobalCallback).
 */
#include <stdbool.h>
#include <stdint.h>

/* at::RecordFunctionCallback, and zeroes behind it */
struct callback {
	void *(*start)(void **result, const void *function);
	void (*end)(const void *function, void *context);
	double probability;
	bool scope[10], more[22];
};

static void *start(void **result, const void *function)
{
	*result = 0;
	return result;
}

static void end(const void *function, void *context)
{
}

void torch_door_open(uint64_t (*add)(struct callback));
void torch_door_open(uint64_t (*add)(struct callback))
{
	add((struct callback){ .start = start, .end = end, .probability = 1, .scope = { true } });
}
