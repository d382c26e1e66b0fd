/* SPDX-License-Identifier: Apache-2.0 */
/* Slow inferences of a summary in the making. What can fail returns 0 or -ENOMEM. */
#ifndef ANALYZE_SUMMARY_SUM_SLOW_H
#define ANALYZE_SUMMARY_SUM_SLOW_H

#include "analyze/summary/sum_in.h"

/* How long its thread waited for a CPU; 0: it did not, or it is not known. */
static inline uint64_t run_wait_ns(const struct run *run)
{
	int64_t ns = fact_int(&run->facts, FACT_RUN_QUEUE, 0);

	return ns > 0 ? (uint64_t)ns : 0;
}

/* Of a finished one: the rest of its time. */
static inline uint64_t run_worked_ns(const struct run *run)
{
	uint64_t wall_ns = run->end_ns - run->begin_ns, wait_ns = run_wait_ns(run);

	return wait_ns < wall_ns ? wall_ns - wait_ns : 0;
}

/* Whose values sum_why.c keeps, if it is one; -ENOMEM. */
int sum_why_counter(struct summary_maker *maker, uint32_t index);
/* A value of one that is a gauge; it stands for the time since from_ns. */
void sum_why_value(struct summary_maker *maker, uint32_t index, const struct past *value);
/* What gauges say of a slow inference; slow->evidence. */
int sum_why_gather(struct summary_maker *maker, const struct run *run, struct slow *slow);
/* At the end: the same as a row. */
void sum_why_put(struct summary_maker *maker, const struct slow *slow, struct summary_slow *to);
/* Another inference ran at the same time; the first of the two is over. */
void sum_why_beside(struct run *run, struct run *other);
void sum_why_done(struct summary_maker *maker);

/* What is usual of inferences like a slow one. */
int sum_usual_add(struct summary_maker *maker, const struct run *run);
/* All of `from` to the first bucket of its model. */
int sum_usual_merge(struct bucket *to, struct bucket *from);
/* size: what is usual of its size, sum_sizes_usual. */
void sum_usual_put(struct bucket *bucket, struct bucket *joined, const struct slow *slow, struct usual *size,
		   const struct summary_spread *latency, struct summary_usual *to);
void sum_usual_done(struct bucket *bucket);
/* The parts of it: for what is usual of a size. */
void sum_usual_limit(struct usual *usual, uint32_t n);
int sum_usual_add_to(struct usual *to, const struct run *run); /* all but the duration */
int sum_usual_merge_into(struct usual *to, const struct usual *from);
void sum_usual_free(struct usual *usual);

/* A finished inference by the size of its inputs; the first of a session is kept apart. */
void sum_sizes_measure(const struct summary_maker *maker, struct run *run); /* sets elements and size */
int sum_sizes_add(struct summary_maker *maker, struct run *run, bool is_first);
int sum_sizes_merge(struct bucket *to, const struct bucket *from);
/* What is usual of inputs of that size; NULL: too few have it, or all have. */
struct usual *sum_sizes_usual(struct bucket *joined, uint32_t size);
/* Rows of the model, by size, and figures of its inferences. */
int sum_sizes_put(const struct names *names, struct bucket *bucket, uint32_t model, struct end *end,
		  struct summary_model *to);
/* Sets input and axis of all sizes of a model, and axis_length. */
void sum_sizes_axis(const struct names *names, struct summary_size *rows, uint32_t n);
void sum_sizes_done(struct bucket *bucket);

/* Whether a pause of its session came before it; before_ns: as below. */
bool sum_pauses_is_after(const struct run *run, uint64_t before_ns);
/*
 * An inference after a pause of its session, or close behind the one before; before_ns: the end of the last one before
 * it, 0: none.
 */
int sum_pauses_add(struct summary_maker *maker, const struct run *run, uint64_t before_ns);
/* After the inference was counted. before_ns: as in sum_pauses_add */
void sum_turns_add(struct summary_maker *maker, const struct run *run, uint64_t before_ns);
int sum_pauses_merge(struct pauses *to, const struct pauses *from);
void sum_pauses_put(struct pauses *from, struct summary_runs *to);
void sum_pauses_done(struct pauses *pauses);

/* Is it one of the slowest of its model? Then its facts are kept. */
int sum_slowest_add(struct summary_maker *maker, const struct run *run, int64_t operators_ns);
void sum_slowest_done(struct summary_maker *maker, struct bucket *bucket);

/* A number that a broken file may say is negative. */
static inline uint64_t sum_at_least_0(int64_t value)
{
	return value > 0 ? (uint64_t)value : 0;
}

#endif
