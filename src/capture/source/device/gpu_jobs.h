/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins the steps of GPU jobs to slices, below the process that queued each. A ring does one job after the other: a job
 * has begun when it was handed to the ring and the one before it was done. Jobs of processes that are not recorded only
 * delay the begin of the next one on their ring.
 *
 *   process > GPU jobs > 0000:03:00.0 gfx_0.0.0    a slice for each job
 */
#ifndef CAPTURE_SOURCE_DEVICE_GPU_JOBS_H
#define CAPTURE_SOURCE_DEVICE_GPU_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/err.h"
#include "capture/source/source.h"

/*
 * The kernel's trace events of GPU jobs (gpu_scheduler), which most drivers have: a job is queued by a process, runs on
 * a ring of the device, is done. Names and fields of the events differ; each has a `format` file that says where its
 * fields lie. From Linux 6.16 on a job is known by the context and number of its fence, before by its address.
 */
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

/*
 * Samples of the kernel's trace events, of all processes, through perf: a ring for each CPU. Needs CAP_PERFMON. Times
 * are CLOCK_MONOTONIC. What a full ring drops is counted.
 */
struct trace_cpu;

struct trace_rings {
	struct trace_cpu *cpu;
	unsigned n_cpus;
	uint64_t n_lost;
};

struct trace_sample {
	uint64_t time_ns;
	pid_t pid;
	const uint8_t *raw; /* the event's bytes */
	size_t size;
};

/* ids: of the events, from their format files. 0, or -errno and err. */
int trace_rings_open(struct trace_rings *rings, const uint64_t *ids, size_t n, struct err *err);
/* Calls take for each sample, ring after ring: not in the order of time. A result other than 0 ends it. */
int trace_rings_read(struct trace_rings *rings, int (*take)(void *ctx, const struct trace_sample *sample), void *ctx);
void trace_rings_close(struct trace_rings *rings);

struct gpu_job_sample {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	pid_t pid;	  /* the process in which it happened: of a queued job, its own */
	enum gpu_job_step step;
	struct gpu_job_event event;
};

struct gpu_jobs {
	struct array jobs;   /* struct gpu_job: queued, not done */
	struct array rings;  /* struct gpu_ring */
	struct array tracks; /* struct gpu_job_track */
	uint64_t n_lost;     /* jobs that were never done, too many at once */
};

/* In the order of time. 0, or -errno and err. */
int gpu_jobs_take(struct gpu_jobs *jobs, const struct gpu_job_sample *sample, const struct tree *tree, struct sink *out,
		  struct err *err);
void gpu_jobs_done(struct gpu_jobs *jobs);

#endif
