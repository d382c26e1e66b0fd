// SPDX-License-Identifier: Apache-2.0
/*
 * In first inferences operators of one type launch several times as many kernels as later, which take much longer: the
 * runtime tries algorithms. value: how many times as long on the device; low, high: kernels of a call, then and later;
 * text: the type.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_searches_algorithms;

static const double least_kernels = 2, least_times = 5, least_ns = 5e6;

/* What is in no typical inference has no model: NULL also if several models have the type. */
static const struct summary_operator *later_of(const struct recording_facts *facts,
					       const struct summary_operator *first)
{
	const struct summary *summary = facts->summary;
	const struct summary_operator *found = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < summary->n_types; i++)
		if (summary->types[i].op_type == first->op_type && summary->types[i].n && summary->types[i].n_kernels) {
			found = &summary->types[i];
			n++;
		}
	return n == 1 && found->model == (uint32_t)(facts->model - summary->models) ? found : NULL;
}

/* Nanoseconds on the device that its calls took beyond what later ones take; 0: it does not search. */
static double search_ns(const struct summary_operator *first, const struct summary_operator *later)
{
	double kernels, usual, ns, usual_ns;

	if (!later || !first->n)
		return 0;
	kernels = (double)first->n_kernels / (double)first->n;
	usual = (double)later->n_kernels / (double)later->n;
	ns = (double)first->device_ns / (double)first->n;
	usual_ns = (double)later->device_ns / (double)later->n;
	return kernels >= least_kernels * usual && ns >= least_times * usual_ns ? (ns - usual_ns) * (double)first->n
										: 0;
}

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary *summary = facts ? facts->summary : NULL;
	const struct summary_operator *most = NULL, *later;
	double most_ns = least_ns;
	struct finding *finding;

	for (uint32_t i = 0; summary && i < summary->n_elsewhere; i++) {
		const struct summary_operator *first = &summary->elsewhere[i];
		double ns = 0;

		if (first->where == WHERE_APART && first->n_kernels)
			ns = search_ns(first, later_of(facts, first));
		most = ns >= most_ns ? first : most;
		most_ns = ns >= most_ns ? ns : most_ns;
	}
	if (!most)
		return;
	later = later_of(facts, most);
	finding = finder_add(finder, &insight_searches_algorithms,
			     (double)most->device_ns / (double)most->n * (double)later->n / (double)later->device_ns);
	finding->low = (double)most->n_kernels / (double)most->n;
	finding->high = (double)later->n_kernels / (double)later->n;
	finding->gain_ns = finder_of_each(finder, most_ns);
	finding->text = names_text(summary->names, most->op_type);
}

static void say(const struct speaker *to)
{
	FINDING("the first inference searches for the fastest algorithm of %s", to->text.s);
	EVIDENCE("%.1f kernels a call", to->finding->low);
	EVIDENCE(" instead of %.1f, ", to->finding->high);
	EVIDENCE("%s times as long on the device", units_decimal(to->finding->value).s);
	if (speaker_is_of_runtime(to, "pytorch"))
		NEXT("run each shape once before the first request arrives, or leave `torch.backends.cudnn.benchmark` "
		     "off");
	else if (speaker_is_of_runtime(to, "onnxruntime"))
		NEXT("`cudnn_conv_algo_search` HEURISTIC or DEFAULT, or run each shape once before the first request "
		     "arrives");
	else
		NEXT("run each shape once before the first request arrives");
}

const struct insight insight_searches_algorithms = {
	.name = "searches_algorithms",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "times", .low = "kernels_first", .high = "kernels_later", .text = "op_type" },
};
