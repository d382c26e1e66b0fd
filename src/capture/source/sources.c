// SPDX-License-Identifier: Apache-2.0
/* The list of all sources. */
#include "capture/source/source.h"

extern const struct source source_agent, source_cpu, source_energy, source_gpu_drm, source_gpu_nvml, source_mem,
    source_npu_sysfs, source_pressure, source_proc, source_uprobe;

const struct source *const sources[] = {
	&source_agent, &source_cpu,	  &source_energy,   &source_gpu_drm, &source_gpu_nvml,
	&source_mem,   &source_npu_sysfs, &source_pressure, &source_proc,    &source_uprobe,
	NULL,
};
