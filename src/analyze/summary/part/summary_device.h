/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a device in inferences. */
#ifndef ANALYZE_SUMMARY_SUMMARY_DEVICE_H
#define ANALYZE_SUMMARY_SUMMARY_DEVICE_H

#include <stdint.h>

struct summary_copies {
	uint64_t n, bytes;
};

/* Added up; calls are those of the inference's threads to the device's driver or runtime. */
struct summary_device {
	uint64_t n_kernels, kernels_ns; /* with copies */
	uint64_t busy_ns;		/* with at least one of them */
	uint64_t idle_ns;		/* with none, between the first and the last of an inference */
	uint64_t launch_idle_ns; /* the part of idle_ns before one that was asked for when nothing ran any more */
	uint64_t late_ns;	 /* from the end of an inference to that of its last kernel */
	uint64_t copies_ns;	 /* of the next two */
	struct summary_copies to, from;				  /* the device */
	uint64_t n_calls, n_waits, waits_ns, n_memory, memory_ns; /* waits: for the device; memory: taken or freed */
	/* Inferences of which launch_idle_ns is 30 %, of which copies between host and device are 10 %, in which memory
	   calls take 5 %: one that was delayed does not make many. */
	uint64_t n_launch_bound, n_copy_bound, n_memory_bound;
};

#endif
