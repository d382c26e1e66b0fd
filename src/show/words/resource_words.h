/* SPDX-License-Identifier: Apache-2.0 */
/* The values of the counters of a recording. */
#ifndef SHOW_WORDS_RESOURCE_WORDS_H
#define SHOW_WORDS_RESOURCE_WORDS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"
#include "base/text/units.h"

/* A value of this counter; not finite: "-". Percentages, rates and bytes always have a unit, others with has_unit. */
struct units_text resource_value(const struct summary *summary, const struct summary_resource *resource, double value,
				 bool has_unit);

/* Whether a quarter of what it had grown to, or more, was not resident any more at the end. */
bool resource_gave_back(const struct summary_resource *memory);
/* "52.1 MiB at first, 787 MiB at the end, peak 790 MiB; still growing by 16 MiB/s", of resident memory. */
struct printable resource_memory(const struct summary_resource *memory);
/* The memory of the process that grows most; NULL: none grew to the end. */
const struct summary_resource *resource_growing(const struct summary *summary);

/* A GPU or NPU that the programs used. */
struct resource_device {
	uint32_t name; /* "gpu card1: amdgpu at 0000:03:00.0" */
	double busy;   /* percent of the time in which inferences ran, of all time if none did; NAN: not known */
	double most;   /* percent, in one sample; NAN: not known */
	double memory; /* bytes of all processes and regions, each at its own peak; NAN: not known */
};

enum { RESOURCE_DEVICES = 8 };

/* Those that a process used or that worked; how many. */
uint32_t resource_devices(const struct summary *summary, struct resource_device list[RESOURCE_DEVICES]);
/* "gpu card1". */
struct printable resource_device_name(const struct summary *summary, const struct resource_device *device,
				      bool is_ascii);
/*
 * "14.7 % busy", "at most 37 % busy in a sample" where inferences ran too shortly for a mean; "": not known. Drivers
 * average over up to a second.
 */
struct printable resource_device_busy(const struct resource_device *device);

#endif
