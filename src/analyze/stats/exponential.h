/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A histogram of durations whose buckets grow by 2^(1/32): the exponential histogram of OpenTelemetry, at scale 5,
 * which is a native histogram of Prometheus of schema 5. A quantile is within 1.09 % of the true value. Two histograms
 * merge exactly. One that would need more than EXPONENTIAL_BUCKETS buckets halves its scale. One thread.
 *
 * Bucket i holds the seconds in (base^i, base^(i + 1)]; Prometheus numbers the same bucket i + 1.
 */
#ifndef ANALYZE_STATS_EXPONENTIAL_H
#define ANALYZE_STATS_EXPONENTIAL_H

#include <stdbool.h>
#include <stdint.h>

enum { EXPONENTIAL_SCALE = 5, EXPONENTIAL_BUCKETS = 320 };

/* Zeroed: empty. */
struct exponential {
	uint64_t *bucket; /* n of them, from index `first`, and room for `capacity` */
	int32_t first;
	uint32_t n, capacity;
	uint32_t halved; /* how often: the scale is EXPONENTIAL_SCALE - halved */
};

/* false: out of memory; no value is added. 0 ns counts as 1 ns. */
bool exponential_add(struct exponential *histogram, uint64_t ns, uint64_t weight);
bool exponential_merge(struct exponential *to, const struct exponential *from);
/* The nanoseconds that this share of all values does not exceed, as if a bucket's were spread evenly; NAN: it is empty.
 */
double exponential_quantile(const struct exponential *histogram, double share);
static inline int32_t exponential_scale(const struct exponential *histogram)
{
	return EXPONENTIAL_SCALE - (int32_t)histogram->halved;
}
void exponential_clear(struct exponential *histogram); /* keeps its memory */
void exponential_done(struct exponential *histogram);

#endif
