/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of a comparison hand on to each other. All that can fail returns 0 or -ENOMEM. */
#ifndef ANALYZE_DIFF_DIFF_IN_H
#define ANALYZE_DIFF_DIFF_IN_H

#include "analyze/diff/diff.h"
#include "analyze/diff/diff_math.h"

/* The model of each run of a pair; NULL: the run has none. */
struct diff_members {
	const struct diff_model *base[DIFF_MAX_RUNS], *fresh[DIFF_MAX_RUNS];
};

/* How far two runs of one program differ, as the standard deviation of the logarithm of one: measured, see diff.c. */
#define DIFF_BETWEEN 0.012
#define DIFF_BETWEEN_BESIDE 0.005      /* of an operator beside others of its type */
#define DIFF_BETWEEN_BUSY 0.08	       /* of what operators take on a busy machine */
#define DIFF_BETWEEN_BUSY_BESIDE 0.012 /* of one beside others of its type */
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

/* change, low, high, p. Does not judge. */
void diff_value_set(struct diff_value *value, const struct diff_estimate *estimate);
/* By value->p, which is corrected. */
void diff_value_judge(const struct diff *diff, struct diff_value *value, double minimum, bool is_better_higher);

#endif
