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

/* Operators of a file that has none inside of inferences, by type, those with most time first. */
struct operators_alone {
	const struct summary_operator *type;
	uint32_t n_types;
	uint64_t n, ns; /* calls, and their time */
};

/* n_types 0: there are inferences, operators without a type, or those of several processes. */
struct operators_alone operators_alone(const struct summary *summary);

#endif
