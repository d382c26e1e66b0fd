/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inferences of a model that have something in common: the size of their inputs, or a shape, a batch, a tag, a line
 * that asked for them, a failure.
 */
#ifndef ANALYZE_SUMMARY_SUMMARY_TALLY_H
#define ANALYZE_SUMMARY_SUMMARY_TALLY_H

#include <stdint.h>

#include "event/event.h"

/* Inferences that count for the latency, by the size of their inputs: shapes_size. */
struct summary_size {
	uint32_t model, shapes; /* shapes: of one of them */
	uint32_t size;		/* alike in all recordings */
	uint64_t elements;	/* of all inputs, mean */
	uint64_t n, wall_ns, p50_ns, p90_ns, p99_ns;
	/* Of the model's inputs the one that differs most between its sizes, from 1; 0: none does, or it is not known.
	 * Its dimension that differs most, from 0, and how long that is in shapes; -1: as with input. */
	uint32_t input;
	int64_t axis, axis_length;
	uint64_t least_ns;			  /* the quickest */
	uint64_t n_subnormal, subnormal_wall_ns;  /* of them: computed with subnormal numbers */
	uint64_t subnormal_p50_ns, normal_p50_ns; /* medians of these, and of the others; 0: there are none */
};

/* Whether an inference begins 10 ms or more after the last one of its session: caches and clocks have gone cold. */
enum summary_pause_of { SUMMARY_NO_PAUSE, SUMMARY_PAUSE, N_SUMMARY_PAUSES };

/* Inferences, without what they are known to have waited for a CPU; cpu_ns: what they spent on it, where it is known.
 */
struct summary_turn {
	uint64_t n, worked_ns;
	uint64_t n_cpu, cpu_ns; /* whose caller's CPU time is known, for whatever length */
};

/* Inferences that count for the latency and whose thread read from a disk; blocked: neither on a CPU nor waiting for
 * one. */
struct summary_reads {
	uint64_t n, bytes, wall_ns, blocked_ns;
};

/* How often a text (or a number: the batch) occurred with the inferences of a model. */
struct summary_tally {
	uint32_t model;
	enum event_key key; /* KEY_SHAPES, KEY_TAG, KEY_CALLER, KEY_STATUS (failures), KEY_BATCH */
	uint32_t text;
	int64_t number;
	uint64_t n, first_ns;
	uint64_t n_typical, wall_ns; /* of those that count for the latency */
	uint64_t least_ns;	     /* the quickest of these, without what it is known to have waited for a CPU */
	/* of these: the first in each process, if it is not the first of all, and those behind it */
	struct summary_turn first[N_SUMMARY_PAUSES], later[N_SUMMARY_PAUSES];
	uint32_t size; /* of shapes: shapes_size, and the elements of an inference's inputs */
	uint64_t elements_of_one;
	uint64_t n_sized, elements; /* of these: whose inputs' elements are known, all of them added up */
};

#endif
