// SPDX-License-Identifier: Apache-2.0
/*
 * The list of all sources, in the order of starting: one line each; source_<name>.c defines source_<name>. A stop is
 * put before the operators that it hit: who reads a recording leaves them out as they come. Stacks end last: they wait
 * for names.
 */
#include "capture/source/source.h"

#define SOURCES(F) \
	F(stop) \
	F(agent) \
	F(cgroup) \
	F(cpu) \
	F(energy) \
	F(frequency) \
	F(gpu) \
	F(gpu_jobs) \
	F(gpu_nvml) \
	F(io) \
	F(mem) \
	F(npu) \
	F(other) \
	F(pressure) \
	F(proc) \
	F(scheduler) \
	F(uprobe) \
	F(waits) \
	F(stacks)

#define DECLARE(name) extern const struct source source_##name;
SOURCES(DECLARE)

#define ENTRY(name) &source_##name,
const struct source *const sources[] = { SOURCES(ENTRY) NULL };
