/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's trace events of GPU jobs (gpu_scheduler), which most drivers have: a job is queued by a process, runs on
 * a ring of the device, is done. Names and fields of the events differ; each has a `format` file that says where its
 * fields lie. From Linux 6.16 on a job is known by the context and number of its fence, before by its address.
 */
#ifndef CAPTURE_SOURCE_DEVICE_GPU_JOB_EVENT_H
#define CAPTURE_SOURCE_DEVICE_GPU_JOB_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpu_job_step { GPU_JOB_QUEUED, GPU_JOB_RUN, GPU_JOB_DONE, N_GPU_JOB_STEPS };

struct gpu_job_field {
	uint32_t offset, size; /* size 0: there is none */
	bool is_text, is_relative;
};

struct gpu_job_format {
	uint64_t id;
	struct gpu_job_field fence, context, number, ring, device;
};

struct gpu_job_event {
	uint64_t job[2]; /* what makes it this one */
	char ring[32], device[32];
};

/* The names of an event, the newest first, NULL-terminated. */
const char *const *gpu_job_names(enum gpu_job_step step);
/* Reads a format file. False: it is none, or not of such an event. */
bool gpu_job_read_format(const char *text, struct gpu_job_format *format);
/* Reads an event of that format. False: it is cut off. */
bool gpu_job_read(const struct gpu_job_format *format, const uint8_t *raw, size_t size, struct gpu_job_event *event);

#endif
