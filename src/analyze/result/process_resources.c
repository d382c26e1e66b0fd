// SPDX-License-Identifier: Apache-2.0
/* They are in the order of processes, the machine's first. */
#include "analyze/result/process_resources.h"

/* The first of this process or of one behind it. rank: 0 for the machine, else the process + 1. */
static uint32_t first_from(const struct summary *summary, uint64_t rank)
{
	uint32_t low = 0, high = summary->n_resources;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if ((uint32_t)(summary->resources[middle].process + 1) < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct summary_range process_resources(const struct summary *summary, uint32_t process)
{
	uint32_t rank = process + 1, first = first_from(summary, rank);

	return (struct summary_range){ first, first_from(summary, (uint64_t)rank + 1) - first };
}
