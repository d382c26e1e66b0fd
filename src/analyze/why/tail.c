// SPDX-License-Identifier: Apache-2.0
/*
 * What the slowest inferences of a model have in common. Those with a median of their own, because of their input
 * shapes, are slow for these as far as that median exceeds the model's.
 */
#include <string.h>

#include "analyze/why/why_in.h"

enum { MAX_CAUSES = 32 };

struct sums {
	double ns[MAX_CAUSES]; /* by place in why_causes */
};

static int index_of(const char *cause)
{
	int i = 0;

	while (why_causes[i] && strcmp(why_causes[i]->name, cause) != 0)
		i++;
	return i < MAX_CAUSES ? i : MAX_CAUSES - 1;
}

static void add(struct sums *sums, const struct summary *summary, const struct summary_slow *slow, double shape_ns)
{
	struct why why;

	why_find(&why, summary, slow, true);
	for (uint32_t i = 0; i < why.n; i++)
		sums->ns[index_of(why.part[i].cause)] += why.part[i].ns;
	if (shape_ns > 0)
		sums->ns[index_of("input_shape")] += shape_ns;
}

struct why_tail why_tail_of(const struct summary *summary, const struct summary_model *model, double slower_than_ns)
{
	const struct summary_slow *slow = summary->slowest + model->slowest.first;
	double p50_ns = (double)model->runs.latency.p50_ns;
	struct why_tail tail = { .cause = NULL };
	struct sums sums = { { 0 } };
	int most = 0;

	for (uint32_t i = 0; i < model->n_tail && (double)slow[i].duration_ns > slower_than_ns; i++) {
		bool has_own = slow[i].usual.n && (slow[i].usual.is_of_shape || slow[i].usual.is_of_size);

		tail.n++;
		tail.excess_ns += (double)slow[i].duration_ns - p50_ns;
		add(&sums, summary, &slow[i], has_own ? (double)slow[i].usual.p50_ns - p50_ns : 0);
	}
	for (int i = 0; why_causes[i] && i < MAX_CAUSES; i++)
		most = sums.ns[i] > sums.ns[most] ? i : most;
	if (!tail.n || !(sums.ns[most] >= tail.excess_ns / 2))
		return tail;
	tail.cause = why_causes[most]->name;
	tail.what = why_causes[most]->what;
	tail.advice = why_causes[most]->advice;
	tail.ns = fmin(sums.ns[most], tail.excess_ns);
	return tail;
}
