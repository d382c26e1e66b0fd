/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A regular expression of ECMAScript, by libpcre2-8 in its compatible mode. That library is loaded with the first
 * pattern and stays loaded. It is not linked: libinftrace would bring it into every program that annotates itself, and
 * most never use a pattern. One thread at a time for a pattern.
 */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include <stddef.h>

#include "base/err.h"

struct pattern;

/* NULL and err: EINVAL with the byte and the reason, ENOTSUP: libpcre2-8 is not installed, ENOMEM. */
struct pattern *pattern_new(const char *text, struct err *err);
/*
 * Whether it is found in the text: 1 or 0; -ELOOP: the search took more steps than are allowed, as (a+)+$ does in
 * aaaaaaaaaaaaaaaaaaaaaaaaaaaaa!; -ENOMEM. Bytes that are no UTF-8 match nothing.
 */
int pattern_search(struct pattern *pattern, const char *text, size_t len);
void pattern_free(struct pattern *pattern);

#endif
