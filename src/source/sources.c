// SPDX-License-Identifier: Apache-2.0
/* The list of all sources. */
#include "source/source.h"

extern const struct source source_agent, source_cpu, source_energy, source_mem, source_pressure, source_proc;

const struct source *const sources[] = {
	&source_agent,
	&source_cpu,
	&source_energy,
	&source_mem,
	&source_pressure,
	&source_proc,
	NULL,
};
