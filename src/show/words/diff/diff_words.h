/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison in words, which pages, tables and JSON share. Texts of files are harmless for a terminal. */
#ifndef SHOW_WORDS_DIFF_DIFF_WORDS_H
#define SHOW_WORDS_DIFF_DIFF_WORDS_H

#include "analyze/diff/diff.h"
#include "base/text/printable.h"
#include "base/text/units.h"

/* The answer in a few sentences. */
struct printable diff_verdict(const struct diff *diff, bool is_ascii);
/* The same behind a colon: "new is 12 % slower than base: m takes ..."; not what did not end. */
struct printable diff_answer(const struct diff *diff, bool is_ascii);
/* "kernel: 6.1; now 6.18": the i-th circumstance of new that is not as in base; "": those were all. */
struct printable diff_note(const struct diff *diff, uint32_t i, bool is_ascii);

struct units_text diff_change(double change);				   /* "+5.2 %" */
struct units_text diff_interval(const struct diff_value *value);	   /* "+3.9 to +6.5 %"; "-" */
struct units_text diff_amount(double value, enum diff_unit unit);	   /* "1.95 ms" */
enum diff_unit diff_unit_of(const char *unit);				   /* of a resource: "bytes" */
const char *diff_says_words(enum diff_says says, bool is_time);		   /* "slower" */
const char *diff_says_key(enum diff_says says);				   /* "worse" */
struct printable diff_name(const struct diff_operator *op, bool is_ascii); /* "Conv /layer1/conv" */
enum { DIFF_SIZE_ROWS = 8 };
/* "2 of 3: 1x3x640x512": what tells a size of inputs from those of the other rows of a table, n <= DIFF_SIZE_ROWS. */
struct printable diff_size_cell(const struct diff_pair *pair, const struct diff_size_row *const *rows, uint32_t n,
				uint32_t row, bool is_ascii);
struct printable diff_mix(const struct diff_pair *pair, bool is_ascii); /* how it changed; "": it did not */

#endif
