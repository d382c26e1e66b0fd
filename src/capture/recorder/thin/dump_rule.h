/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a dump is made: "p99>50ms", "max>1s", "mean>20ms", "error", "signal", with commas between several. For
 * dump_when.c, which watches inferences.
 */
#ifndef CAPTURE_RECORDER_DUMP_RULE_H
#define CAPTURE_RECORDER_DUMP_RULE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { DUMP_RULES = 16 };

enum dump_rule_kind { DUMP_QUANTILE, DUMP_MAX, DUMP_MEAN, DUMP_ERROR, DUMP_SIGNAL };

struct dump_rule {
	enum dump_rule_kind kind;
	double share; /* of a quantile: 0.99 */
	uint64_t limit_ns;
	char name[16]; /* "p99" */
};

struct dump_rules {
	struct dump_rule rule[DUMP_RULES];
	size_t n;
};

/* Adds the rules of a text. 0; or -EINVAL and err, with the character (from 1) and what was expected there. */
int dump_rules_add(struct dump_rules *rules, const char *text, struct err *err);

#endif
