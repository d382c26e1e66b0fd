/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of libpcre2-8: loaded with the first pattern (pattern_load.c), or those that are linked
 * (pattern_linked.c), in a program that brings its libraries along.
 */
#ifndef BASE_PATTERN_LIBRARY_H
#define BASE_PATTERN_LIBRARY_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define PATTERN_SONAME "libpcre2-8.so.0"

#define PATTERN_LIBRARY(F) \
	F(compile_context_create) \
	F(set_compile_extra_options) \
	F(compile_context_free) \
	F(compile) \
	F(code_free) \
	F(match_context_create) \
	F(set_match_limit) \
	F(set_depth_limit) \
	F(set_heap_limit) \
	F(match_context_free) \
	F(match_data_create) \
	F(match_data_free) \
	F(match) \
	F(get_error_message)

#define PATTERN_JOINED(a, b, c) a##b##c
#define PATTERN_REAL(name) PATTERN_JOINED(pcre2_, name, _8)
#define PATTERN_MEMBER(name) __typeof__(PATTERN_REAL(name)) *name;
struct pattern_library {
	PATTERN_LIBRARY(PATTERN_MEMBER)
};

/* NULL: it is not installed, or lacks a function. By any thread. */
const struct pattern_library *pattern_library(void);

#endif
