// SPDX-License-Identifier: Apache-2.0
/* Operators took longer than their medians. Last: much of what makes an inference slow shows in its operators. */
#include <string.h>

#include "analyze/why/why_in.h"

extern const struct why_cause why_operators;

static void find(struct why_case *why)
{
	const struct summary_slow *slow = why->slow;
	double taken_ns = why_taken(why), most_ns = (double)slow->nodes_ns - taken_ns;
	double all_ns = (double)slow->operators_ns - (double)why->model->coverage.operators_p50_ns - taken_ns;
	struct printable *words;
	int n = 0, first = 0;

	for (uint32_t i = 0; i < why->to->n; i++) /* then it is named */
		first |= !strcmp(why->to->part[i].cause, "one_operator");
	if (slow->operators_ns < 0 || most_ns <= 0)
		return;
	if (!slow->usual.is_of_shape && !slow->usual.is_of_size && all_ns < most_ns)
		most_ns = all_ns;
	words = why_take(why, &why_operators, POOLS_BLOCKED | POOLS_CPU | POOLS_ANY, most_ns);
	if (!words)
		return;
	printable_add(words, first ? "in other operators" : "in operators");
	for (int i = first; i < SUMMARY_SLOW_NODES && slow->nodes[i].name && n < 2; i++) {
		if (why_node_excess(&slow->nodes[i]) < (double)slow->nodes_ns / 4)
			break;
		printable_add(words, n++ ? ", " : ": ");
		why_say_node(why, &slow->nodes[i], words);
	}
	if (!n && !first)
		printable_add(words, ", none of which stands out");
}

const struct why_cause why_operators = { "operators", "operators",
					 "inftrace report --slowest 10 names the operators and their medians", find };
