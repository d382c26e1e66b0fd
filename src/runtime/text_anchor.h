/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of a stripped module by the texts that they use: a log or error text that one function alone refers to
 * names that function. Found by the addresses that code computes (lea reg, [rip + distance]).
 */
#ifndef RUNTIME_TEXT_ANCHOR_H
#define RUNTIME_TEXT_ANCHOR_H

#include "runtime/eh_frame.h"

enum { TEXT_ANCHOR_FUNCTIONS = 4 }; /* that are kept */

struct text_anchor {
	const char *text; /* what a text begins with, 4 bytes or more */
	struct eh_function function[TEXT_ANCHOR_FUNCTIONS];
	unsigned n_functions; /* that refer to it, parts of one counted apart; one more than are kept: that or more */
};

/* Fills in all n of them in one pass over the code. */
void text_anchor_find(struct text_anchor *anchors, size_t n, const struct eh_frame *frames);

#endif
