/* SPDX-License-Identifier: Apache-2.0 */
/* Makes recordings of any size, for measuring what a report of them takes. Times vary as on a real machine. */
#ifndef BENCH_MADE_RECORDING_H
#define BENCH_MADE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum made_kind {
	MADE_OPERATORS,	 /* inferences of a model on four threads, with operators */
	MADE_INFERENCES, /* the same without operators */
	MADE_SESSIONS,	 /* each inference in a session of its own, which is created before it and released behind it */
	MADE_TEXTS,	 /* each inference with a run tag and shapes that no other has */
	MADE_THREADS,	 /* each inference on a thread of its own, with a few operators */
	N_MADE
};

struct made_recording {
	enum made_kind kind;
	uint64_t n_inferences;
	int n_nodes; /* of MADE_OPERATORS; MADE_MAX_NODES at most */
	bool is_compressed;
	int n_threads;	    /* 0: four; MADE_MAX_THREADS at most. MADE_OPERATORS: each has two rows in a view */
	bool has_resources; /* six counters, a hundred times a second */
};

enum { MADE_MAX_NODES = 200, MADE_THREAD_NODES = 3, MADE_MAX_THREADS = 500 };

/* The kind in words, for tables. */
const char *made_recording_name(enum made_kind kind);
/* Writes the file, or overwrites it. 0, or -errno and err. */
int made_recording_write(const struct made_recording *made, const char *path, struct err *err);

#endif
