/* SPDX-License-Identifier: Apache-2.0 */
/* The halts of all processes of a recording in memory, for those who look at its slices one by one. */
#ifndef ANALYZE_STORE_STORE_HALTS_H
#define ANALYZE_STORE_STORE_HALTS_H

#include "analyze/store/halts.h"

/* Zeroed: none. */
struct store_halts {
	struct array row; /* of processes that have any; private */
};

/* As of now. 0 or -ENOMEM. */
int store_halts_find(struct store_halts *to, const struct store *store);
/* Those of a process, by its track; never NULL. */
const struct halts *store_halts_of(const struct store_halts *halts, uint32_t process);
void store_halts_done(struct store_halts *halts);

#endif
