/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long inferences took, from the events of a stream while it runs: a histogram of fixed size. Those count that a
 * report's latency is of: neither the first of a session, nor one that failed or was cut off. All models count
 * together, and is_mixed tells that there are several. Starts zeroed; one thread.
 */
#ifndef CAPTURE_RECORDER_LATENCY_H
#define CAPTURE_RECORDER_LATENCY_H

#include "event/names.h"
#include "event/open_runs.h"

enum { LATENCY_BITS = 10, LATENCY_BINS = 64 << LATENCY_BITS, LATENCY_KEPT = 1 << 14, LATENCY_FILES = 64 };

struct latency {
	struct open_runs open;
	struct array kept; /* uint64_t: all times, as long as there are LATENCY_KEPT at most */
	uint64_t n, slowest_ns;
	uint32_t model; /* name of the first inference; 0: none has begun */
	bool is_mixed;	/* inferences have several names, or several files have one */
	struct latency_file {
		uint32_t model, path; /* names */
	} file[LATENCY_FILES];	      /* of the first models */
	uint32_t n_files;
	uint32_t bin[LATENCY_BINS]; /* of base/log_bins.h */
};

/* Takes a BEGIN or an END, with its names. Out of memory, a track's inferences are left out. */
void latency_take(struct latency *latency, const struct names *names, const struct event *event);
/* Takes the note of a session that was created. */
void latency_take_created(struct latency *latency, const struct event *note);
/* The time that this share of the inferences did not exceed, within 0.05 %; 0: none has ended. */
uint64_t latency_quantile(const struct latency *latency, double share);
/* The same at the end: exact, as in a report, while all times are kept. It sorts them. */
uint64_t latency_exact(struct latency *latency, double share);
void latency_done(struct latency *latency);

#endif
