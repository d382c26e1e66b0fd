/* SPDX-License-Identifier: Apache-2.0 */
/* Times that lie in at least one of many: begin, end, begin, end ..., in order, disjoint. */
#ifndef ANALYZE_SUMMARY_TIMES_H
#define ANALYZE_SUMMARY_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct times {
	uint64_t *at;
	size_t n; /* pairs */
};

/* at holds n begins, then n ends, then room for n; its content is lost. 0 or -ENOMEM. times_done undoes it. */
int times_join(struct times *times, uint64_t *at, size_t n);
/* Does one of them touch [begin, end]? */
bool times_touch(const struct times *times, uint64_t begin_ns, uint64_t end_ns);
/* How much of [begin, end] lies in them. */
uint64_t times_within(const struct times *times, uint64_t begin_ns, uint64_t end_ns);
void times_done(struct times *times);

#endif
