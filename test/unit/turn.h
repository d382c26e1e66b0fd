/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests that repeat the same with many cases run some of them in the gate: $INFTRACE_TEST_TURN, the number of the
 * commit, chooses which. Without it they run all.
 */
#ifndef TEST_UNIT_TURN_H
#define TEST_UNIT_TURN_H

#include <stdbool.h>
#include <stdlib.h>

/* Of every `of` cases, one is in turn. */
static inline bool is_in_turn(unsigned long number, unsigned long of)
{
	const char *turn = getenv("INFTRACE_TEST_TURN");

	return !turn || number % of == strtoul(turn, NULL, 10) % of;
}

#endif
