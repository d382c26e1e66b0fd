/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The energy that the packages of a machine took in a span of a recording, from the counters "package-N energy"
 * (capture/source/source_energy.c). Computes nothing else, keeps nothing.
 */
#ifndef ANALYZE_RESULT_MODEL_ENERGY_H
#define ANALYZE_RESULT_MODEL_ENERGY_H

#include "analyze/store/store.h"

/* As many samples of each counter have to lie in the span: fewer, and its edges decide about the result. */
enum { MODEL_ENERGY_SAMPLES = 3 };

struct model_energy {
	double joules;	   /* of all packages together; NAN: not known */
	bool has_counter;  /* false: the recording has no such counter */
	char scope[200];   /* "package-0+package-1, whole machine" */
	char missing[200]; /* why joules is not known; "" it is, or there is no counter */
};

/*
 * Between two samples a counter is taken to grow evenly: what it stood at at start_ns and end_ns (CLOCK_MONOTONIC)
 * follows from the samples on both sides. Not known when these are missing, or a package has too few inside.
 */
void model_energy_find(struct model_energy *energy, const struct store *store, uint64_t start_ns, uint64_t end_ns);

/* The same of one counter: joules between the two, and how many samples lie there. NAN: not recorded all the time. */
double model_energy_between(const struct store_samples *samples, uint64_t start_ns, uint64_t end_ns, size_t *n);

#endif
