// SPDX-License-Identifier: Apache-2.0
/* Compiles, and searches with bounds on steps and memory. Knows no names of models. */
#include "base/text/pattern.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/pattern_library.h"

/* A search of an ordinary pattern in a name takes a few hundred steps; this many take some milliseconds. */
enum { MAX_TEXT = 1000, MAX_STEPS = 100000, MAX_HEAP_KIB = 1024 };

/* As a compiler of ECMAScript reads a pattern: \u{1f600}, [] and $ mean what they mean there. */
static const uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS |
				PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C;

struct pattern {
	const struct pattern_library *pcre;
	pcre2_code_8 *code;
	pcre2_match_context_8 *bounds;
	pcre2_match_data_8 *found;
};

static pcre2_code_8 *compile(const struct pattern_library *pcre, const char *text, struct err *err)
{
	pcre2_compile_context_8 *context = pcre->compile_context_create(NULL);
	PCRE2_UCHAR8 reason[120] = "";
	pcre2_code_8 *code = NULL;
	size_t at = 0;
	int failure = 0;

	if (context) {
		pcre->set_compile_extra_options(context, PCRE2_EXTRA_ALT_BSUX);
		code = pcre->compile((PCRE2_SPTR8)text, strlen(text), options, &failure, &at, context);
	}
	pcre->compile_context_free(context);
	if (code)
		return code;
	if (!context || failure == PCRE2_ERROR_NOMEMORY) {
		err_no_memory(err, "cannot compile the pattern");
	} else {
		pcre->get_error_message(failure, reason, sizeof reason);
		err_set(err, EINVAL, "at byte %zu of the pattern: %s", at, (const char *)reason);
	}
	return NULL;
}

static bool prepare(struct pattern *pattern)
{
	const struct pattern_library *pcre = pattern->pcre;

	pattern->bounds = pcre->match_context_create(NULL);
	pattern->found = pcre->match_data_create(1, NULL);
	if (!pattern->bounds || !pattern->found)
		return false;
	pcre->set_match_limit(pattern->bounds, MAX_STEPS);
	pcre->set_depth_limit(pattern->bounds, MAX_STEPS);
	pcre->set_heap_limit(pattern->bounds, MAX_HEAP_KIB);
	return true;
}

struct pattern *pattern_new(const char *text, struct err *err)
{
	const struct pattern_library *pcre = pattern_library();
	struct pattern *pattern;

	if (!pcre) {
		err_set(err, ENOTSUP, "patterns need %s, which is not installed (Debian and Ubuntu: libpcre2-8-0)",
			PATTERN_SONAME);
		return NULL;
	}
	if (strlen(text) > MAX_TEXT) {
		err_set(err, EINVAL, "the pattern has more than %d bytes", MAX_TEXT);
		return NULL;
	}
	pattern = calloc(1, sizeof *pattern);
	if (pattern)
		pattern->pcre = pcre;
	if (pattern && (pattern->code = compile(pcre, text, err)) && prepare(pattern))
		return pattern;
	if (!pattern || pattern->code)
		err_no_memory(err, "cannot compile the pattern");
	pattern_free(pattern);
	return NULL;
}

int pattern_search(struct pattern *pattern, const char *text, size_t len)
{
	int code = pattern->pcre->match(pattern->code, (PCRE2_SPTR8)text, len, 0, 0, pattern->found, pattern->bounds);

	if (code >= 0)
		return 1;
	if (code == PCRE2_ERROR_MATCHLIMIT || code == PCRE2_ERROR_DEPTHLIMIT || code == PCRE2_ERROR_HEAPLIMIT)
		return -ELOOP;
	return code == PCRE2_ERROR_NOMEMORY ? -ENOMEM : 0;
}

void pattern_free(struct pattern *pattern)
{
	const struct pattern_library *pcre = pattern ? pattern->pcre : NULL;

	if (!pattern)
		return;
	pcre->match_data_free(pattern->found);
	pcre->match_context_free(pattern->bounds);
	pcre->code_free(pattern->code);
	free(pattern);
}
