// SPDX-License-Identifier: Apache-2.0
/* The functions of a libpcre2-8 that is linked; see pattern_library.h. */
#include "base/text/pattern_library.h"

#define LINKED(name) .name = PATTERN_REAL(name),

const struct pattern_library *pattern_library(void)
{
	static const struct pattern_library functions = { PATTERN_LIBRARY(LINKED) };

	return &functions;
}
