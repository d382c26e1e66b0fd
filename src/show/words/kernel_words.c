// SPDX-License-Identifier: Apache-2.0
/* Adds up operators of all models and places. */
#include "show/words/kernel_words.h"

static uint64_t add_up(const struct summary_operator *rows, uint32_t n, uint32_t op_type)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < n; i++)
		if (rows[i].op_type == op_type)
			ns = stats_sum(ns, rows[i].duration.total_ns);
	return ns;
}

uint64_t kernel_host_ns(const struct summary *summary, uint32_t op_type)
{
	if (!op_type)
		return 0;
	return stats_sum(add_up(summary->types, summary->n_types, op_type),
			 add_up(summary->elsewhere, summary->n_elsewhere, op_type));
}
