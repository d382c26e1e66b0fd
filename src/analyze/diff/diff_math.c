// SPDX-License-Identifier: Apache-2.0
/* Student's t, Holm's correction, medians. Knows no model and no operator. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_in.h"

enum { MAX_STEPS = 400 };

/* From run to run: no machine is steadier. */
#define LEAST_DEVIATION 0.002

/* The continued fraction of the incomplete beta function (Lentz). */
static double beta_fraction(double a, double b, double x)
{
	const double least = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), result;

	d = 1 / (fabs(d) < least ? least : d);
	result = d;
	for (int m = 1; m < MAX_STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), step;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < least ? least : d);
		c = fabs(c) < least ? least : c;
		result *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < least ? least : d);
		c = fabs(c) < least ? least : c;
		step = d * c;
		result *= step;
		if (fabs(step - 1) < 1e-12)
			break;
	}
	return result;
}

static double incomplete_beta(double a, double b, double x)
{
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
					 : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double diff_t_p(double t, double df)
{
	if (isnan(t) || !(df > 0))
		return NAN;
	return isinf(t) ? 0 : incomplete_beta(df / 2, 0.5, df / (df + t * t));
}

double diff_mean(const struct diff_sample *sample)
{
	double sum = 0;

	for (uint32_t i = 0; i < sample->n; i++)
		sum += sample->value[i];
	return sample->n ? sum / sample->n : NAN;
}

static double squares_of(const struct diff_sample *sample)
{
	double mean = diff_mean(sample), sum = 0;

	for (uint32_t i = 0; i < sample->n; i++)
		sum += pow(sample->value[i] - mean, 2);
	return sum;
}

double diff_variance(const struct diff_sample *a, const struct diff_sample *b)
{
	if (!a->n || !b->n || a->n + b->n < 3)
		return NAN;
	return (squares_of(a) + squares_of(b)) / (a->n + b->n - 2);
}

/* One run each: what its own parts tell, and what two runs differ by at least. */
static void estimate_single(struct diff_estimate *to, const struct diff_sample *a, const struct diff_sample *b,
			    const struct diff_prior *prior)
{
	to->error = sqrt(pow(a->scatter[0], 2) + pow(b->scatter[0], 2) + 2 * pow(prior->between, 2));
	to->df = 2 * 15;
}

static void estimate_several(struct diff_estimate *to, const struct diff_sample *a, const struct diff_sample *b,
			     const struct diff_prior *prior)
{
	const double least = fmax(prior->least, LEAST_DEVIATION) * fmax(prior->least, LEAST_DEVIATION);
	double df = a->n + b->n - 2, variance = diff_variance(a, b);

	to->df = df;
	if (variance < prior->variance) {
		variance = (variance * df + prior->variance * prior->df) / (df + prior->df);
		to->df = df + prior->df;
	}
	to->error = sqrt(fmax(variance, least) * (1.0 / a->n + 1.0 / b->n));
}

/* What differs from machine to machine, but not in time, is no error: the change of each is one value. */
static void estimate_pairs(struct diff_estimate *to, const struct diff_sample *a, const struct diff_sample *b,
			   const struct diff_prior *prior)
{
	const double least = fmax(prior->least, LEAST_DEVIATION);
	double squares = 0;

	for (uint32_t i = 0; i < a->n; i++)
		squares += pow(b->value[i] - a->value[i] - to->change, 2);
	to->df = a->n - 1;
	to->error = sqrt(fmax(squares / to->df, 2 * least * least) / a->n);
}

struct diff_estimate diff_estimate(const struct diff_sample *a, const struct diff_sample *b,
				   const struct diff_prior *prior)
{
	struct diff_estimate to = { NAN, NAN, NAN, NAN };

	if (!a->n || !b->n)
		return to;
	to.change = diff_mean(b) - diff_mean(a);
	if (prior->is_paired && a->n > 1)
		estimate_pairs(&to, a, b, prior);
	else if (a->n + b->n > 2)
		estimate_several(&to, a, b, prior);
	else
		estimate_single(&to, a, b, prior);
	to.p = diff_t_p(to.change / to.error, to.df);
	return to;
}

struct ranked {
	double p;
	size_t at;
};

static int compare_ranked(const void *a_, const void *b_)
{
	const struct ranked *a = a_, *b = b_;

	return a->p != b->p ? (a->p > b->p) - (a->p < b->p) : (a->at > b->at) - (a->at < b->at);
}

int diff_holm(double *p, size_t n)
{
	struct ranked *order = calloc(n + 1, sizeof *order);
	size_t n_tested = 0;
	double most = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			order[n_tested++] = (struct ranked){ p[i], i };
	qsort(order, n_tested, sizeof *order, compare_ranked);
	for (size_t i = 0; i < n_tested; i++) {
		most = fmax(most, fmin(order[i].p * (double)(n_tested - i), 1));
		p[order[i].at] = most;
	}
	free(order);
	return 0;
}

static int compare_reals(const void *a_, const void *b_)
{
	const double *a = a_, *b = b_;

	return (*a > *b) - (*a < *b);
}

double diff_median(double *value, size_t n)
{
	if (!n)
		return NAN;
	qsort(value, n, sizeof *value, compare_reals);
	return n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}
