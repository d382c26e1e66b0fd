/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of one process, of which a recording may have thousands. */
#ifndef ANALYZE_RESULT_PROCESS_RESOURCES_H
#define ANALYZE_RESULT_PROCESS_RESOURCES_H

#include "analyze/summary/summary.h"

/* Where they are in summary->resources; SUMMARY_NONE: those of the machine and its devices. */
struct summary_range process_resources(const struct summary *summary, uint32_t process);

#endif
