/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows a page that is longer than the terminal in the user's pager. Only where standard output is a terminal.
 *
 *	struct pager pager;
 *	FILE *out = pager_open(&pager);
 *	... fprintf(out, ...) ...
 *	pager_close(&pager, wants_pager);
 */
#ifndef SHOW_TERM_PAGER_H
#define SHOW_TERM_PAGER_H

#include <stdbool.h>
#include <stdio.h>

struct pager {
	FILE *memory; /* NULL: the page goes to standard output at once */
	char *text;
	size_t size;
};

/* Where the page is to be written: memory where standard output is a terminal, else standard output. */
FILE *pager_open(struct pager *pager);
/*
 * Shows it: a long page in $PAGER, or in less, which gets LESS=FRX unless LESS is set. All others, those of a user who
 * wants none (is_wanted false, PAGER empty or "cat"), and those that no pager can be started for, on standard output.
 */
void pager_close(struct pager *pager, bool is_wanted);

#endif
