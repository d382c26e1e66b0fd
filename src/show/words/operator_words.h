/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be known of a model's operators before their figures are read. */
#ifndef SHOW_WORDS_OPERATOR_WORDS_H
#define SHOW_WORDS_OPERATOR_WORDS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

/* Do most inferences that count have none? */
bool operators_are_rare(const struct summary_model *model);

/* "199 of 201 inferences ran no operator: they replay a CUDA graph", "3 of 9 inferences have no operators"; "": all
 * have some, or none has. */
struct printable operators_without(const struct summary *summary, const struct summary_model *model);

/* Where time of inferences went that no operator has, in the order in which reports have it. */
struct operators_rest {
	const char *what;
	uint64_t ns; /* of all inferences that have operators */
};
enum { OPERATORS_REST = 4 };
/* How many there are: parts that took no time are left out, but for "unattributed". */
unsigned operators_rest(const struct summary_coverage *coverage, struct operators_rest rest[OPERATORS_REST]);

/* Operators of a file that has none inside of inferences, by type, those with most time first. */
struct operators_alone {
	const struct summary_operator *type;
	uint32_t n_types;
	uint64_t n, ns; /* calls, and their time */
};

/* n_types 0: there are inferences, operators without a type, or those of several processes. */
struct operators_alone operators_alone(const struct summary *summary);

#endif
