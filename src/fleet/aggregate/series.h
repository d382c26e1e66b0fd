/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of inferences by service, model, runtime, provider and device. Their number is bounded, however many names
 * programs invent: a service that has more than its part, or one for which there is no room at all, gets a series of
 * the model "other", and a service that cannot even have that one shares the series "other" of all. Each such case is
 * counted. One thread.
 */
#ifndef FLEET_AGGREGATE_SERIES_H
#define FLEET_AGGREGATE_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/stats/exponential.h"
#include "event/event.h"
#include "fleet/aggregate/failure.h"
#include "fleet/aggregate/origin.h"

#define SERIES_OTHER "other"

/* SERIES_PART: of all series that one service may have, its reciprocal. */
enum { SERIES_BOUNDS = 21, SERIES_PART = 4, SERIES_LABEL = ORIGIN_TEXT, SERIES_OPERATORS = 16 };

/* "": not known. */
struct series_labels {
	char service[SERIES_LABEL], k8s_namespace[SERIES_LABEL], k8s_pod[SERIES_LABEL], container[SERIES_LABEL];
	char service_version[SERIES_LABEL];
	char model[SERIES_LABEL], runtime[32], runtime_version[32], provider[48], device[8];
};

/* Durations as both kinds of histogram. */
struct series_times {
	uint64_t n, ns;
	uint64_t below[SERIES_BOUNDS + 1]; /* of each classic bucket alone; the last one has no bound */
	struct exponential histogram;
};

/* Phases of the creation of sessions: those of EVENT_PHASES, under their numbers there, and what has them inside. */
enum { SERIES_PHASE_OTHER, SERIES_PHASE_LOAD = N_EVENT_PHASES, SERIES_PHASE_SPECIALIZE, N_SERIES_PHASES };

struct series_sums {
	struct series_times runs, firsts; /* firsts: the first of each session */
	uint64_t failed[N_FAILURES];
	uint64_t cpu_ns, queued_ns,
	    blocked_ns; /* of calling threads in inferences: computing, waiting for a CPU, else */
	uint64_t n_created, n_not_created, creating_ns;
	uint64_t phase_ns[N_SERIES_PHASES]; /* of creating_ns, each without the others inside */
};

/* Durations of generations: analyze/generation/generation.h says from when to when. */
enum series_generation_time {
	SERIES_FIRST_TOKEN,
	SERIES_BETWEEN_TOKENS,
	SERIES_PER_TOKEN, /* the mean of a generation */
	SERIES_GENERATION,
	N_SERIES_GENERATION_TIMES
};

struct series_tokens {
	struct series_times times[N_SERIES_GENERATION_TIMES];
	uint64_t n_in, n_out; /* tokens */
};

struct series_generations {
	struct series_tokens now, last, all; /* as those of struct series */
};

/* An inference that stands for others in an exemplar. ns 0: none. */
struct series_example {
	uint64_t ns, realtime_ns;
	int32_t pid;
	uint64_t number; /* of the inference in its process */
	char trace[33], span[17];
};

/* Operators of one type that one provider ran. */
struct series_operator {
	char type[32], provider[48];
	uint64_t now_ns, last_ns, all_ns; /* of the interval at hand, of the one that ended; of all time, as of then */
};

struct series {
	struct series_labels labels;
	uint32_t number;	       /* no other series has had it; from 1 */
	struct series_sums now, all;   /* of the interval at hand; of all time, as of the last roll */
	struct series_sums last;       /* of the interval that ended at the last roll */
	struct series_example slowest; /* of that interval; now_slowest: of the one at hand */
	struct series_example now_slowest;
	uint64_t n_open, n_sessions, n_users; /* users: processes that may still add to it */
	uint64_t last_interval;
	struct series_operator operator[SERIES_OPERATORS + 1]; /* where they are recorded; the last one is "other" */
	size_t n_operators;
	struct series_operator *kernel; /* of devices, by kind: the same, without providers. NULL: there were none */
	size_t n_kernels;
	struct series_generations *generations; /* NULL: there were none */
	uint64_t n_fallback, now_fallback;	/* the most operators of an inference that ran elsewhere than asked: */
	bool has_fallback, has_now_fallback;	/* of the last interval in which that was seen; of the one at hand */
	uint64_t n_with, n_without; /* inferences whose operators were seen in this interval, and were not since then */
	/* of series_add_like: parts of failures so far, and where its next inference lies among those that were seen */
	double like_failed[N_FAILURES], like_at;
};

struct series_table {
	struct series **row;
	size_t n, max;
	uint64_t n_refused;
	uint32_t last_number;
};

const char *series_phase_name(int phase);
/* Seconds: 100 us, and each twice the one before. */
double series_bound(uint32_t at);

/* An inference, or so many, whose operators were seen, or not. */
void series_count_operators(struct series *series, bool were_seen, uint64_t weight);
/* The series of these labels. NULL: out of memory. */
struct series *series_get(struct series_table *table, const struct series_labels *labels);
/* NULL: there is none with this number any more. */
struct series *series_numbered(const struct series_table *table, uint32_t number);
void series_operator_add(struct series *series, const char *type, const char *provider, uint64_t ns);
/* Whether the interval that ended has anything of them. */
bool series_had_generations(const struct series *series);
/* False: out of memory. */
bool series_kernel_add(struct series *series, const char *kind, uint64_t ns);
/* So many operators of an inference ran elsewhere than on the provider that the session asked for. */
void series_note_fallback(struct series *series, uint64_t n);
/* What is added to its generations at hand. NULL: out of memory. */
struct series_tokens *series_tokens_now(struct series *series);
/* Adds `count` inferences that were like those of `from`, so that many small counts come to the same as one large
 * one. False: out of memory. */
bool series_add_like(struct series *series, const struct series_sums *from, uint64_t count);
/* Empty again; the first keeps the memory of its histograms. */
void series_sums_clear(struct series_sums *sums);
void series_sums_done(struct series_sums *sums);
bool series_times_add(struct series_times *times, uint64_t ns, uint64_t weight);
/* The interval ends. Series that nobody can add to and that were idle for so many intervals go. */
bool series_roll(struct series_table *table, uint64_t interval, uint64_t most_idle);
void series_done(struct series_table *table);

#endif
