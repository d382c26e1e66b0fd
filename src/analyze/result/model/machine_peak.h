/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this machine can do at most: float32 operations and bytes moved per second, measured by a small
 * benchmark. The measure of every roofline; it says nothing about GPUs and NPUs.
 */
#ifndef ANALYZE_RESULT_MACHINE_PEAK_H
#define ANALYZE_RESULT_MACHINE_PEAK_H

#include <math.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Median of several measurements, and the lowest and highest of them, per second. NAN: not measured. Other work can
 * only make it less, so the highest is what a roofline goes by.
 */
struct machine_rate {
	double median, low, high;
};

struct machine_peak {
	struct machine_rate core_flops;	 /* float32, one core; a multiply-add counts as two */
	struct machine_rate flops;	 /* the same, all CPUs that we may run on at once */
	struct machine_rate bytes;	 /* read from memory, all CPUs at once; buffers are larger than the caches */
	struct machine_rate cache_bytes; /* read from buffers of 128 KiB per CPU: what fits into a core's cache */
	int64_t n_cpus;			 /* that took part; -1: not measured */
	const char *instructions;	 /* "AVX-512", "AVX2 + FMA", ...; NULL: not measured; never freed */
};

static inline void machine_peak_init(struct machine_peak *peak)
{
	const struct machine_rate none = { NAN, NAN, NAN };

	*peak = (struct machine_peak){ none, none, none, none, -1, 0 };
}

/*
 * Measures all of it, in about half a second: other work at the same time makes it less, and the spread wider.
 * Starts threads and ends them before it returns. 0, or -errno and err; then nothing counts as measured.
 */
int machine_peak_measure(struct machine_peak *peak, int64_t most, struct err *err);

#endif
