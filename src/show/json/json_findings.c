// SPDX-License-Identifier: Apache-2.0
/* Findings with their figures and their words. */
#include "show/json/json_in.h"

static void put_figures(struct json *json, const struct finding *finding)
{
	const struct insight_figures *name = &finding->insight->figures;

	json_object(json, "figures");
	if (name->value)
		json_real(json, name->value, finding->value);
	if (name->a)
		json_known(json, name->a, finding->a);
	if (name->b)
		json_known(json, name->b, finding->b);
	if (name->low)
		json_real(json, name->low, finding->low);
	if (name->high)
		json_real(json, name->high, finding->high);
	if (name->text)
		json_text(json, name->text, finding->text);
	json_end(json, '}');
}

void json_findings(struct json *json, const struct model_analysis *analysis, const uint32_t *model)
{
	for (uint32_t i = 0; i < analysis->n_findings; i++) {
		const struct finding *finding = &analysis->findings[i];
		struct insight_words words = insight_words_of(analysis, finding, false);

		json_object(json, NULL);
		json_text(json, "kind", finding->insight->name);
		if (model)
			json_int(json, "model", *model);
		else
			json_int(json, "run", finding->result);
		json_real(json, "value", finding->value);
		json_known(json, "a", finding->a);
		json_known(json, "b", finding->b);
		json_text(json, "of", finding->text);
		put_figures(json, finding);
		json_real(json, "gain_ns", finding->gain_ns);
		json_text(json, "finding", words.finding.s);
		json_text(json, "evidence", words.evidence.s);
		json_text(json, "next", *words.next.s ? words.next.s : NULL);
		json_end(json, '}');
	}
}
