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

#include <sys/types.h>

#include "base/array.h"
#include "capture/source/device/gpu_job_event.h"
#include "capture/source/source.h"

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
