/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inferences that are worth a row of their own: in each interval the slowest of each series, those that failed and the
 * first ones, each kind up to a limit; how many others each stands for; and why one was slow, as far as what was
 * recorded of it tells. One thread.
 */
#ifndef FLEET_AGGREGATE_TAIL_ROWS_H
#define FLEET_AGGREGATE_TAIL_ROWS_H

#include "fleet/aggregate/series.h"

enum tail_reason { TAIL_SLOW, TAIL_FAILED, TAIL_FIRST, N_TAIL_REASONS };
enum { TAIL_ROWS = 32, TAIL_OF_SERIES = 4, TAIL_WHY = 160, TAIL_STATUS = 200, TAIL_OPERATORS = 160 };

/* What was recorded of one inference. A time that is not known is -1. */
struct tail_run {
	const struct series *series;
	uint64_t ns, realtime_ns, number;
	int32_t pid, tid;
	int64_t cpu_ns, queued_ns, major_faults, read_bytes;
	uint64_t n_open; /* of its series, with it, when it ended */
	bool is_first;
	char operators[TAIL_OPERATORS]; /* the types that took longest; "": none was seen */
	char status[TAIL_STATUS];	/* "": it did not fail */
	char trace[33], span[17];
};

struct tail_row {
	struct tail_run run;
	enum tail_reason reason;
	uint64_t weight; /* inferences of its kind, series and interval that it stands for, with itself */
};

struct tail {
	struct tail_row row[N_TAIL_REASONS][TAIL_ROWS];
	uint32_t n[N_TAIL_REASONS];
	uint64_t n_seen[N_TAIL_REASONS];
};

void tail_add(struct tail *tail, const struct tail_run *run);
/* So many more inferences of the series that were not seen. */
void tail_add_unseen(struct tail *tail, const struct series *series, uint64_t count);
const char *tail_reason_name(enum tail_reason reason);
/* In words: "31.2 ms waiting for a CPU"; "": nothing that was recorded explains it. */
void tail_say_why(const struct tail_run *run, char *text, size_t size);

#endif
