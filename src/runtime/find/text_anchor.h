/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds functions of a stripped module by the texts that they use: a log or error text that only one function refers to
 * identifies that function. Uses the addresses that code computes: text_anchor_x86.c or text_anchor_arm64.c
 * knows how.
 */
#ifndef RUNTIME_TEXT_ANCHOR_H
#define RUNTIME_TEXT_ANCHOR_H

#include "runtime/find/eh_frame.h"

enum { TEXT_ANCHOR_FUNCTIONS = 8 }; /* the most that are kept */

struct text_anchor {
	const char *text; /* the beginning of a text, 4 bytes or more */
	bool is_whole;	  /* or all of it */
	bool is_tail;	  /* or its end: of a source file's path, which begins with the builder's folder */
	struct eh_function function[TEXT_ANCHOR_FUNCTIONS];
	unsigned n_functions; /* functions that refer to it, each part counted; one more than are kept means: that
			       * many or more */
};

/* Fills in all n anchors in one pass over the code. */
void text_anchor_find(struct text_anchor *anchors, size_t n, const struct eh_frame *frames);
/* The text, of at most max - 1 bytes, whose address a short function computes first; NULL: it computes none. */
const char *text_anchor_returned(const struct image *image, uint64_t function, size_t max);

#endif
