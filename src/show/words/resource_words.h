/* SPDX-License-Identifier: Apache-2.0 */
/* The values of the counters of a recording. */
#ifndef SHOW_WORDS_RESOURCE_WORDS_H
#define SHOW_WORDS_RESOURCE_WORDS_H

#include "analyze/summary/summary.h"
#include "base/units.h"

/* A value of this counter; not finite: "-". Percentages, rates and bytes always have a unit, others with has_unit. */
struct units_text resource_value(const struct summary *summary, const struct summary_resource *resource, double value,
				 bool has_unit);

#endif
