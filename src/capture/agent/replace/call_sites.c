// SPDX-License-Identifier: Apache-2.0
/* Goes through the code of each function for what may be a call, and decodes the function where one is wanted. */
#include "capture/agent/replace/call_sites.h"

#include "capture/agent/replace/detour.h"

static struct call_target *find(struct call_target *target, size_t n, uint64_t function)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (target[middle].function < function)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && target[low].function == function ? &target[low] : NULL;
}

static void lead(const uint8_t *code, uint64_t at, struct call_target *target)
{
	uint8_t with[CALL_SITE_MOST];

	if (!target->jump)
		target->jump = detour_jump(at, target->hook);
	if (target->jump && call_site_for(with, code, at, target->jump) && detour_write(at, with, call_site_size))
		target->n++;
}

static void lead_in(const struct image *image, const struct program_function *in, struct call_target *target, size_t n)
{
	const uint8_t *code = image_at(image, in->address, in->size, IMAGE_X);

	for (size_t i = code ? call_site_next(code, in->size, 0) : in->size; i + call_site_size <= in->size;
	     i = call_site_next(code, in->size, i + call_site_step)) {
		struct call_target *of;
		uint64_t function;
		if (call_site_at(code + i, in->address + i, &function) && function != in->address &&
		    (of = find(target, n, function)) && of->hook && call_site_is_instruction(code, in->size, i))
			lead(code + i, in->address + i, of);
	}
}

void call_sites_lead(const struct program_symbols *symbols, struct call_target *target, size_t n)
{
	struct program_function function;

	for (size_t at = 0; program_symbols_next(symbols, &at, &function);)
		lead_in(symbols->image, &function, target, n);
}
