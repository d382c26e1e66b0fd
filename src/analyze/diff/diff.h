/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two sides, base and new, each of one or several runs of the same program: what differs. A change is that of new
 * beside base, +0.12 is 12 % more. diff.c has the statistics and their reasons.
 */
#ifndef ANALYZE_DIFF_DIFF_H
#define ANALYZE_DIFF_DIFF_H

#include "analyze/diff/diff_run.h"

#define DIFF_CONFIDENCE 0.95
#define DIFF_MINIMUM 0.02 /* of diff_opts, where the user names none */

enum diff_says {
	DIFF_MISSING,  /* one side has no such figure */
	DIFF_UNTESTED, /* no interval: the runs say nothing of how far it changes by chance */
	DIFF_OPEN,     /* the interval holds both no change and one that matters: cannot tell */
	DIFF_SAME,     /* the interval has no change that matters */
	DIFF_WORSE,
	DIFF_BETTER
};

struct diff_value {
	double base, fresh;	  /* geometric means of the runs */
	double change, low, high; /* with 95 % confidence, of this change alone; NAN: not known */
	double p;		  /* adjusted for all that was tested with it */
	enum diff_says says;
	uint32_t n_base, n_fresh; /* runs */
};

enum diff_join { DIFF_BY_NAME, DIFF_BY_NODE, DIFF_BY_ORDER };

/* An operator on both sides. Times are of one inference. */
struct diff_row {
	const struct diff_operator *base, *fresh; /* of the first run that has it */
	enum diff_join join;
	struct diff_value value; /* of the lower quartile of its calls */
	/* of operators of its type, by which it was divided before the test: the machine moves them together; NAN: it
	   was not */
	double peers_change;
	uint32_t n_peers;
	double extra_ns; /* how much more it takes of an inference for it; below 0: less */
};

/* Inferences with about as many input elements; of all runs of a side. */
struct diff_size_row {
	const struct diff_size *any; /* with its shapes */
	uint64_t n_base, n_fresh;
	double base_p50_ns, fresh_p50_ns; /* geometric means of the runs; NAN: the side has none */
	double wall_ns;			  /* of both sides */
};

/* A model on both sides. */
struct diff_pair {
	const struct diff_model *base, *fresh; /* of the first run */
	struct diff_value value[N_DIFF_FIGURES];
	struct diff_row *rows; /* those that matter most first */
	const struct diff_operator **only_base, **only_fresh;
	uint32_t n_rows, n_only_base, n_only_fresh;
	bool is_renamed;	     /* by different names: the only model of each side, or of one label */
	bool has_namesake;	     /* another pair is of the same model, on another provider or runtime */
	bool does_other_work;	     /* other batches or tokens: nothing is judged */
	struct diff_size_row *sizes; /* the smallest first */
	uint32_t n_sizes;
	bool are_sizes_mixed;	  /* on one side, so that those of both are of the elements of all inputs alone */
	uint32_t moved;		  /* of sizes: the one whose share changed most, + 1; 0: the mix of sizes is the same */
	const char *no_operators; /* why they are not compared; NULL: they are */
	const char *no_verdict;	  /* why its latency is not judged; NULL: it is */
	double waits_ns;	  /* the part of a longer latency in which it waited for a CPU; NAN: not known */
	uint64_t n_base, n_fresh; /* inferences of all runs */
	uint64_t n_open_base, n_open_fresh; /* of them: did not end */
};

struct diff_resource_row {
	const char *scope, *name, *unit;
	struct diff_value mean, max, last;
	uint32_t n_base, n_fresh; /* processes, whose memory max is the sum of; in the run that has most. Else 1 */
};

struct diff_opts {
	double threshold; /* as a share: of a regression that counts */
	double minimum;	  /* as a share: what is less does not matter */
};

struct diff {
	struct diff_side base, fresh;
	struct diff_opts opts;
	struct diff_pair *pairs;			   /* most inference time first */
	struct diff_resource_row *resources;		   /* the memory of processes, then others */
	const struct diff_model **only_base, **only_fresh; /* models */
	bool fact_differs[N_DIFF_FACTS];
	uint32_t n_pairs, n_resources, n_only_base, n_only_fresh;
	uint32_t n_tested;	/* figures and operators */
	const char *no_verdict; /* why nothing is judged: other machines, other tools; NULL: it is */
	bool is_paired;		/* run i of both is of one machine */
	bool is_busy;		/* one run each, and something waited for the machine's CPUs in one of them */
	enum diff_says says;	/* of all together */
	bool is_regression;	/* one beyond opts.threshold */
};

/* base and fresh: runs in the arena. 0; or -errno and err. */
int diff_make(struct diff *diff, const struct diff_side *base, const struct diff_side *fresh,
	      const struct diff_opts *opts, struct arena *arena, struct err *err);

/* The figure by which a model is judged: its latency, or its operators where that is not judged; never DIFF_MISSING if
 * the pair has any. */
enum diff_figure diff_headline(const struct diff_pair *pair);

/* Both sides measured tokens, not inferences. */
bool diff_counts_tokens(const struct diff_pair *pair);
/* The pair of the nth model of the first new run; NULL: base has no such model. */
const struct diff_pair *diff_pair_of(const struct diff *diff, uint32_t n);

/* What a figure of the pair is called. */
const char *diff_words_of(const struct diff_pair *pair, int figure);

static inline bool diff_is_single(const struct diff *diff)
{
	return diff->base.n_runs == 1 && diff->fresh.n_runs == 1;
}

#endif
