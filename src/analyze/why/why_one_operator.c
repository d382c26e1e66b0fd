// SPDX-License-Identifier: Apache-2.0
/*
 * One operator took most of the excess, because of what its inputs contain (a loop, a search). It comes before causes
 * that slow all operators down. Of an operator with others inside, the one that took the time is named.
 */
#include "analyze/why/why_in.h"

extern const struct why_cause why_one_operator;

/* The operator inside that most of an operator's excess lies in; itself: there is none. */
static struct summary_slow_node inner(const struct summary_slow *slow)
{
	const struct summary_slow_node in = { slow->node, slow->node_ns, slow->node_p50_ns };

	return in.name && why_node_excess(&in) > 0.8 * why_node_excess(&slow->nodes[0]) ? in : slow->nodes[0];
}

/* A thread that was blocked while its pool had no CPU waited for the pool, in whichever operator it was. */
static unsigned pools_of(const struct why_case *why)
{
	const unsigned pools = POOLS_CPU | POOLS_ANY;

	return why_pool_waited_ns(why) < why_left(why, POOLS_BLOCKED) / 2 ? pools | POOLS_BLOCKED : pools;
}

static void find(struct why_case *why)
{
	const struct summary_slow *slow = why->slow;
	const struct summary_slow_node found = inner(slow), *node = &slow->nodes[0];
	const unsigned pools = pools_of(why);
	double left_ns = why_left(why, pools), more_ns = why_node_excess(node) - why_taken(why), whole, own;
	struct printable *words;

	/* what was taken may be why it took longer */
	if (!node->name || more_ns < left_ns / 2 || more_ns < why_node_excess(node) / 3)
		return;
	whole = (double)slow->duration_ns / (double)(slow->usual.p50_ns + !slow->usual.p50_ns);
	own = (double)node->ns / (double)(node->p50_ns + !node->p50_ns);
	/* all took longer, and this one is most of the inference */
	if (own < 1.2 * whole && more_ns < 0.9 * left_ns)
		return;
	words = why_take(why, &why_one_operator, pools, more_ns);
	if (!words)
		return;
	printable_add(words, "in one operator: ");
	why_say_node(why, &found, words);
}

const struct why_cause why_one_operator = { "one_operator", "one operator each",
					    "inftrace report --slowest 10 names the operators and their medians",
					    find };
