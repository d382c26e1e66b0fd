/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats numbers for people to read: three digits, a fitting unit, separators between thousands. Results are values:
 * printf("%s", units_duration(ns).s).
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

struct units_text {
	char s[48];
};

/* What this thread formats from now on is for a page, where microseconds are µs; terminals and scripts have us. */
void units_for_page(bool is_page);
const char *units_micro(void); /* us, or µs */

struct units_text units_count(uint64_t n);	 /* 1,234,567 */
struct units_text units_duration(double ns);	 /* 980 ns, 1.93 ms, 12.3 s, 3 min 20 s; "-" when not a number */
struct units_text units_bytes(double bytes);	 /* 412 MiB */
struct units_text units_percent(double share);	 /* of a share of 1: 61.2 %, 0 %, <0.1 % */
struct units_text units_rate(double per_second); /* 512/s, 3.1/min */
struct units_text units_decimal(double value);	 /* 0.25, 2.5, 512, 4,711 */
struct units_text units_metric(double value, const char *unit); /* 139 GFLOP/s, 1.24 M; "-" when not a number */
struct units_text units_joules(double joules);			/* 912 mJ, 1.25 J; "-" when not a number */
/* Of n inferences: "median 1.93 ms, p99 12.3 ms", of fewer than 100 the slowest instead; "1.93 ms" of one, "" of none.
 */
struct units_text units_latency(uint64_t n, uint64_t median_ns, uint64_t p99_ns, uint64_t slowest_ns);
/* 1.95 ± 0.01 ms: both in the unit of the mean; about 1.95 ms: the interval reaches zero. */
struct units_text units_interval(double mean_ns, double interval_ns, int is_ascii);

#endif
