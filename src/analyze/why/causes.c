// SPDX-License-Identifier: Apache-2.0
/*
 * The list of all causes, in the order in which they take their parts: one line each; why_<name>.c defines why_<name>.
 * Those with a measured time of their own come before those that take what is left.
 */
#include "analyze/why/why_in.h"

#define CAUSES(F) \
	F(stopped) \
	F(compilation) \
	F(cpu_quota) \
	F(cpu_wait) \
	F(stolen) \
	F(memory_pressure) \
	F(disk_reads) \
	F(page_faults) \
	F(session_creation) \
	F(turn) \
	F(input_shape) \
	F(cpu_frequency) \
	F(device) \
	F(idle_process) \
	F(likely_wait) \
	F(one_operator) \
	F(other_inferences) \
	F(pool_wait) \
	F(operators)

#define DECLARE(name) extern const struct why_cause why_##name;
CAUSES(DECLARE)

#define ENTRY(name) &why_##name,
const struct why_cause *const why_causes[] = { CAUSES(ENTRY) NULL };
