/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a device in inferences. */
#ifndef ANALYZE_SUMMARY_SUMMARY_DEVICE_H
#define ANALYZE_SUMMARY_SUMMARY_DEVICE_H

#include <stdint.h>

struct summary_copies {
	uint64_t n, bytes;
};

/* Of inferences with kernels, added up; calls are those of their threads to the device's driver or runtime. */
struct summary_device {
	uint64_t n_runs, wall_ns;
	uint64_t n_kernels, kernels_ns; /* with copies */
	uint64_t busy_ns;		/* with at least one of them */
	uint64_t idle_ns;		/* with none, between the first and the last of an inference */
	uint64_t launch_idle_ns; /* the part of idle_ns before one that was asked for when nothing ran any more */
	/* The parts of launch_idle_ns in which a call returned that had waited for the device, or for a copy: what came
	   next could only be asked for then. Estimated from the longest gaps of each inference where it has many. */
	uint64_t wait_idle_ns, copy_idle_ns;
	/* Idle before the first of an inference, since the device last worked for the process: after the begin of the
	   inference, and before it. */
	uint64_t before_ns, between_ns;
	uint64_t late_ns;		/* from the end of an inference to that of its last kernel */
	uint64_t copies_ns;		/* of the next two */
	struct summary_copies to, from; /* the device */
	uint64_t n_calls, n_waits, waits_ns, n_memory, memory_ns; /* waits: for the device; memory: taken or freed */
	uint64_t compile_ns, load_ns; /* the driver compiled; it loaded modules or functions */
	/* Inferences of which launch_idle_ns without its parts is 30 %, of which copies between host and device are
	   10 %, in which memory calls take 5 %: one that was delayed does not make many. */
	uint64_t n_launch_bound, n_copy_bound, n_memory_bound;
	/* Inferences that end with a wait for the device; of which the device idles for 10 % after waits and before
	   their first kernel; before which it idles for as long as they last. */
	uint64_t n_end_waits, n_wait_bound, n_idle_before;
};

#endif
