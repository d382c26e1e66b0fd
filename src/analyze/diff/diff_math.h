/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics of a comparison: diff.c has the reasons. */
#ifndef ANALYZE_DIFF_DIFF_MATH_H
#define ANALYZE_DIFF_DIFF_MATH_H

#include <stddef.h>
#include <stdint.h>

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

#endif
