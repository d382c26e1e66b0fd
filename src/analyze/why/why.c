// SPDX-License-Identifier: Apache-2.0
/*
 * Divides an inference's excess: first by what its thread did with the time, then among the causes, in the order of
 * their table (causes.c).
 */
#include "analyze/why/why.h"

#include <stdlib.h>

#include "analyze/result/input_sizes.h"
#include "analyze/why/why_in.h"

double why_left(const struct why_case *why, unsigned pools)
{
	double sum_ns = 0;

	for (int i = 0; i < N_POOLS; i++)
		if (pools >> i & 1 && why->pool_ns[i] > 0)
			sum_ns += why->pool_ns[i];
	return sum_ns;
}

/* From the pools in their order, or the other way round. */
static struct printable *take(struct why_case *why, const struct why_cause *cause, unsigned pools, double most_ns,
			      bool is_backwards)
{
	double left_ns = why_left(why, pools);
	struct why_part *part;

	if (most_ns > left_ns)
		most_ns = left_ns;
	if (!(most_ns >= why->to->excess_ns / 20) || why->to->n == WHY_PARTS)
		return NULL;
	part = &why->to->part[why->to->n++];
	*part = (struct why_part){ .cause = cause->name, .ns = most_ns };
	for (int k = 0; k < N_POOLS && most_ns > 0; k++) {
		int i = is_backwards ? N_POOLS - 1 - k : k;
		double taken_ns = pools >> i & 1 && why->pool_ns[i] > 0 ? why->pool_ns[i] : 0;

		taken_ns = taken_ns < most_ns ? taken_ns : most_ns;
		why->pool_ns[i] -= taken_ns;
		most_ns -= taken_ns;
	}
	return &part->words;
}

struct printable *why_take(struct why_case *why, const struct why_cause *cause, unsigned pools, double most_ns)
{
	return take(why, cause, pools, most_ns, false);
}

struct printable *why_take_computed(struct why_case *why, const struct why_cause *cause, double most_ns)
{
	return take(why, cause, POOLS_WAIT | POOLS_BLOCKED | POOLS_CPU | POOLS_ANY, most_ns, true);
}

bool why_has(const struct why_case *why, enum summary_gauge gauge)
{
	return why->slow->gauged[gauge].span_ns && isfinite(why->slow->gauged[gauge].mean);
}

double why_amount_ns(const struct why_case *why, enum summary_gauge gauge)
{
	return why_has(why, gauge) ? why->slow->gauged[gauge].amount / 100 * 1e9 : 0;
}

struct printable why_name(const struct why_case *why, uint32_t name, size_t skip)
{
	return model_text(names_text(why->summary->names, name) + skip, WHY_NAME, why->is_ascii);
}

double why_taken(const struct why_case *why)
{
	double sum_ns = 0;

	for (uint32_t i = 0; i < why->to->n; i++)
		sum_ns += why->to->part[i].ns;
	return sum_ns;
}

double why_node_excess(const struct summary_slow_node *node)
{
	return (double)node->ns - (double)node->p50_ns;
}

void why_say_node(const struct why_case *why, const struct summary_slow_node *node, struct printable *words)
{
	printable_add(words, "%s took %s (median %s)", why_name(why, node->name, 0).s,
		      units_duration((double)node->ns).s, units_duration((double)node->p50_ns).s);
}

/* Larger inputs take more CPU time, and on a busy machine as much more of waits for it. */
static void divide_waits(struct why_case *why)
{
	const struct summary_usual *usual = &why->slow->usual;
	double *pool_ns = why->pool_ns, of_work_ns;
	const struct summary_tally *most;

	if (!(pool_ns[POOL_CPU] > 0 && pool_ns[POOL_WAIT] > 0 && usual->thread_cpu_ns > 0 && usual->run_queue_ns > 0) ||
	    input_sizes_ratio_of(why->summary, why->model, why->slow, &most) < WHY_OTHER_SIZE)
		return;
	of_work_ns = (double)usual->run_queue_ns * pool_ns[POOL_CPU] / (double)usual->thread_cpu_ns;
	why->of_work_ns = of_work_ns < pool_ns[POOL_WAIT] ? of_work_ns : pool_ns[POOL_WAIT];
	pool_ns[POOL_WAIT] -= why->of_work_ns;
	pool_ns[POOL_CPU] += why->of_work_ns;
}

/*
 * What the thread did, against the median. Where no other inference's wait is known, it counts in full: an inference of
 * usual length has hardly waited.
 */
static void find_pools(struct why_case *why)
{
	const struct summary_slow *slow = why->slow;
	const struct summary_usual *usual = &slow->usual;
	double excess_ns = why->to->excess_ns, cpu_ns, wait_ns;
	bool has_wait = slow->run_queue_ns >= 0;
	bool has_cpu = slow->thread_cpu_ns >= 0 && usual->thread_cpu_ns >= 0;

	cpu_ns = (double)slow->thread_cpu_ns - (double)usual->thread_cpu_ns;
	wait_ns =
	    has_wait ? (double)slow->run_queue_ns - (usual->run_queue_ns > 0 ? (double)usual->run_queue_ns : 0) : 0;
	if (usual->run_queue_ns < 0 && wait_ns > excess_ns)
		wait_ns = excess_ns;
	why->pool_ns[POOL_WAIT] = wait_ns;
	if (!has_cpu) {
		why->pool_ns[POOL_ANY] = excess_ns - wait_ns;
		return;
	}
	why->pool_ns[POOL_CPU] = cpu_ns;
	why->pool_ns[POOL_BLOCKED] = excess_ns - cpu_ns - wait_ns;
	divide_waits(why);
}

static int compare_parts(const void *a_, const void *b_)
{
	const struct why_part *a = a_, *b = b_;

	return (a->ns < b->ns) - (a->ns > b->ns);
}

static void add_missing(struct why_case *why, const char *text)
{
	printable_add(&why->to->missing, "%s%s", *why->to->missing.s ? "; " : "", text);
}

/* Why what is left cannot be explained. */
static void find_missing(struct why_case *why)
{
	const struct summary *summary = why->summary;
	const struct summary_slow *slow = why->slow;

	if (!summary->recording.is_ours)
		add_missing(why, "the file is not a recording of inftrace: it has no CPU time, waits or counters");
	else if (slow->thread_cpu_ns < 0)
		add_missing(why, "CPU time and waits of this inference were not recorded");
	else if (slow->run_queue_ns < 0)
		add_missing(why, "waits of this inference were not recorded");
	if (slow->operators_ns < 0)
		add_missing(why, "its operators were not recorded");
	if (summary->n_lost)
		add_missing(why, "events were lost");
	if (summary->file.is_cut)
		add_missing(why, "the recording is cut off");
}

void why_find(struct why *why, const struct summary *summary, const struct summary_slow *slow, bool is_ascii)
{
	struct why_case it = { .summary = summary,
			       .model = summary->models + slow->model,
			       .slow = slow,
			       .is_ascii = is_ascii,
			       .to = why };

	*why = (struct why){ .is_known = slow->usual.n != 0, .rest_cpu_ns = NAN, .rest_blocked_ns = NAN };
	if (!why->is_known)
		return;
	why->excess_ns = why->rest_ns = (double)slow->duration_ns - (double)slow->usual.p50_ns;
	if (why->excess_ns <= 0)
		return;
	find_pools(&it);
	for (const struct why_cause *const *cause = why_causes; *cause; cause++)
		(*cause)->find(&it);
	for (uint32_t i = 0; i < why->n; i++)
		why->rest_ns -= why->part[i].ns;
	if (slow->thread_cpu_ns >= 0 && slow->usual.thread_cpu_ns >= 0) {
		why->rest_cpu_ns = it.pool_ns[POOL_CPU];
		why->rest_blocked_ns = it.pool_ns[POOL_BLOCKED] + it.pool_ns[POOL_WAIT];
	}
	if (why->n)
		qsort(why->part, why->n, sizeof *why->part, compare_parts);
	if (why->rest_ns >= why->excess_ns / 10)
		find_missing(&it);
}
