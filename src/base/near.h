/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the known word that a mistyped word is closest to. Offer every candidate, then call near_best. Borrows the
 * candidates.
 */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stddef.h>
#include <stdint.h>

struct near {
	const char *word; /* what was typed */
	size_t len;
	const char *best; /* nearest candidate so far */
	size_t distance;
};

void near_init(struct near *near, const char *word, size_t len);
void near_offer(struct near *near, const char *candidate);
/* The nearest candidate; NULL when none is close enough to suggest. */
const char *near_best(const struct near *near);

#endif
