/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of a comparison hand on to each other. All that can fail returns 0 or -ENOMEM. */
#ifndef ANALYZE_DIFF_DIFF_IN_H
#define ANALYZE_DIFF_DIFF_IN_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/diff/diff.h"

/* The statistics of a comparison: diff.c has the reasons. */
/* A sample of logarithms, one for each run of a side. */
struct diff_sample {
	double *value, *scatter; /* scatter: of the value, as one run alone tells it; NAN: not known */
	uint32_t n;
};

/* A difference of two means of logarithms, and how well it is known. All NAN: it is not. */
struct diff_estimate {
	double change; /* mean of b less that of a */
	double error;  /* its standard error */
	double df;     /* degrees of freedom of error */
	double p;      /* two-sided, of no difference */
};

/* What is known of the scatter from run to run besides the samples. All zero: nothing. */
struct diff_prior {
	double least;	     /* several: the least deviation from run to run; less is luck */
	double between;	     /* one run on each side: how far two runs of one program differ at least */
	bool is_paired;	     /* several: value i of both is of one machine */
	double variance, df; /* several: the variance of other samples, worth df more degrees of freedom; a larger one
				of the sample itself stays */
};

struct diff_estimate diff_estimate(const struct diff_sample *a, const struct diff_sample *b,
				   const struct diff_prior *prior);
double diff_mean(const struct diff_sample *sample); /* NAN: of none */
/* Pooled over both; NAN: one value each. */
double diff_variance(const struct diff_sample *a, const struct diff_sample *b);

/* The two-sided probability of a t that far from 0, and the t of 95 %. */
double diff_t_p(double t, double df);

/*
 * Holm: of n probabilities (NAN: not tested), which claims hold at this level all together. Writes the adjusted ones in
 * place: a claim holds where its own is at most the level. 0, or -ENOMEM.
 */
int diff_holm(double *p, size_t n);

/* Of n values, which are reordered; NAN for none. */
double diff_median(double *value, size_t n);

/* The model of each run of a pair; NULL: the run has none. */
struct diff_members {
	const struct diff_model *base[DIFF_MAX_RUNS], *fresh[DIFF_MAX_RUNS];
};

/* How far two runs of one program differ, as the standard deviation of the logarithm of one: measured, see diff.c. */
#define DIFF_BETWEEN 0.012
#define DIFF_BETWEEN_BESIDE 0.005      /* of an operator beside others of its type */
#define DIFF_BETWEEN_BUSY 0.08	       /* of what operators take on a busy machine */
#define DIFF_BETWEEN_BUSY_BESIDE 0.012 /* of one beside others of its type */
#define DIFF_BETWEEN_BUSY_MEDIAN 0.5   /* of a latency on a busy machine */
#define DIFF_BUSY 0.1
#define DIFF_MATTERS 0.05 /* what an interval has to leave out for "no difference" */
/* Figures and operators share the error of 5 %. */
#define DIFF_ALPHA ((1 - DIFF_CONFIDENCE) / 2)

int diff_join_models(struct diff *diff, struct diff_members **members, struct arena *arena);
/* to[i]: the operator of b that is the i-th of a, or UINT32_MAX; how[i]: by what. */
int diff_join_operators(const struct diff_model *a, const struct diff_model *b, uint32_t *to, enum diff_join *how,
			struct arena *arena);
/* Rows, and their estimates before correction; needs the pair's figures. */
int diff_make_rows(struct diff *diff, struct diff_pair *pair, const struct diff_members *members, struct arena *arena);
/* Corrects the p of all rows of all pairs, and says what follows. */
int diff_judge_rows(struct diff *diff, struct arena *arena);
/* pair->sizes, pair->moved and DIFF_WITHIN. Where the mix changed, what depends on it is not tested. */
int diff_make_sizes(const struct diff *diff, struct diff_pair *pair, const struct diff_members *members,
		    struct arena *arena);
int diff_make_resources(struct diff *diff, struct arena *arena);
bool diff_is_memory(const struct diff_resource_row *row);

/* change, low, high, p. Does not judge. */
void diff_value_set(struct diff_value *value, const struct diff_estimate *estimate);
/* By value->p, which is corrected. */
void diff_value_judge(const struct diff *diff, struct diff_value *value, double minimum, bool is_better_higher);

#endif
