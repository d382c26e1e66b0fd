/* SPDX-License-Identifier: Apache-2.0 */
/* Finds findings, and checks that JSON has a name for every figure in them. Include after cmocka.h. */
#ifndef TEST_UNIT_FINDINGS_H
#define TEST_UNIT_FINDINGS_H

#include <math.h>
#include <string.h>

#include "analyze/insight/insight.h"

static inline void findings_check_names(const struct finding *finding)
{
	const struct insight_figures *name = &finding->insight->figures;

	assert_true(name->value || isnan(finding->value));
	assert_true(name->a || finding->a < 0);
	assert_true(name->b || finding->b < 0);
	assert_true(name->low || isnan(finding->low));
	assert_true(name->high || isnan(finding->high));
	assert_true(name->text || !finding->text);
}

/* The finding of this kind about a run; NULL: none. */
static inline const struct finding *findings_of(const struct model_analysis *analysis, const char *kind,
						uint32_t result)
{
	const struct finding *found = NULL;

	for (uint32_t i = 0; i < analysis->n_findings; i++) {
		const struct finding *finding = &analysis->findings[i];

		findings_check_names(finding);
		if (!found && !strcmp(finding->insight->name, kind) && finding->result == result)
			found = finding;
	}
	return found;
}

#endif
