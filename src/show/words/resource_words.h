/* SPDX-License-Identifier: Apache-2.0 */
/* The values of the counters of a recording. */
#ifndef SHOW_WORDS_RESOURCE_WORDS_H
#define SHOW_WORDS_RESOURCE_WORDS_H

#include "analyze/summary/summary.h"
#include "base/printable.h"
#include "base/units.h"

/* A value of this counter; not finite: "-". Percentages, rates and bytes always have a unit, others with has_unit. */
struct units_text resource_value(const struct summary *summary, const struct summary_resource *resource, double value,
				 bool has_unit);

/* "52.1 MiB at first, 787 MiB at the end, peak 790 MiB; still growing by 16 MiB/s", of resident memory. */
struct printable resource_memory(const struct summary_resource *memory);
/* The memory of the process that grows most; NULL: none grew to the end. */
const struct summary_resource *resource_growing(const struct summary *summary);

#endif
