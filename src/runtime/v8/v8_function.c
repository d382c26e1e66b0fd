// SPDX-License-Identifier: Apache-2.0
/*
 * Functions. A ScopeInfo has flags, counts, the variables that closures see, and then, each if there is one: the
 * function's own name and where its variable is, the name that V8 infers for it, where it begins and ends. Since V8 13
 * the last two come before the variables.
 */
#include "runtime/v8/v8.h"

enum { WORD = 8, DEBUG_SCRIPT = 24, MOST_LOCALS = 1 << 16, LATER_FIRST = 5 };

static bool is_string(const struct v8 *v8, uint64_t object)
{
	int type = v8_type(v8, object);

	return type >= 0 && type < v8->at[V8_FIRST_NONSTRING];
}

/* "" is no name. False: it is no string. */
static bool take_name(const struct v8 *v8, uint64_t string, uint64_t *name)
{
	uint32_t length;

	if (!v8_string_length(v8, string, &length))
		return false;
	*name = length ? string : 0;
	return true;
}

static bool is_oddball(const struct v8 *v8, uint64_t object)
{
	return v8_type(v8, object) == v8->at[V8_TYPE_ODDBALL];
}

struct scope {
	const struct v8 *v8;
	uint64_t object;
	int32_t base; /* of its first word; before V8 9 it has a length */
};

static bool scope_word(const struct scope *scope, int32_t i, uint64_t *word)
{
	return v8_part(scope->v8, scope->object, scope->base + i * WORD, word);
}

/* Left out where they are not. */
static void take_positions(const struct scope *scope, int32_t i, struct v8_function *function)
{
	uint64_t start, end;
	int32_t from, to;

	if (!scope_word(scope, i, &start) || !scope_word(scope, i + 1, &end) || !v8_integer(start, &from) ||
	    !v8_integer(end, &to) || from < 0 || to < from)
		return;
	function->start = from;
	function->end = to;
}

/* Behind the variables: name, and where it is; inferred name; positions. */
static bool take_rest(const struct scope *scope, int32_t i, struct v8_function *function)
{
	const struct v8 *v8 = scope->v8;
	uint64_t word[3], inferred;
	int32_t ignored;

	for (int32_t j = 0; j < 3; j++)
		if (!scope_word(scope, i + j, &word[j]))
			return false;
	inferred = word[0];
	if (is_string(v8, word[0]) && v8_integer(word[1], &ignored) && !v8_integer(word[2], &ignored)) {
		if (!take_name(v8, word[0], &function->name))
			return false;
		inferred = word[2];
		i += 2;
	}
	if (v8_integer(inferred, &ignored))
		inferred = 0;
	else if (v8_type(v8, inferred) < 0 ||
		 (!function->name && is_string(v8, inferred) && !take_name(v8, inferred, &function->name)))
		return false;
	if (v8->at[V8_SCOPE_FIRST] != LATER_FIRST)
		take_positions(scope, i + (inferred != 0), function);
	return true;
}

static bool read_scope(const struct v8 *v8, struct v8_function *function)
{
	struct scope scope = { v8, function->named, v8->major == 8 ? 2 * WORD : WORD };
	int32_t n, first = v8->at[V8_SCOPE_FIRST];
	uint64_t word;

	if (!scope_word(&scope, v8->at[V8_SCOPE_LOCALS], &word) || !v8_integer(word, &n) || n < 0 || n > MOST_LOCALS)
		return false;
	if (first == LATER_FIRST)
		take_positions(&scope, first - 2, function);
	if (n && !scope_word(&scope, first, &word))
		return false;
	/* many variables are in a table of their own, beside what is known of each */
	return take_rest(&scope, first + (n && !is_string(v8, word) ? 1 + n : 2 * n), function);
}

static bool read_script(const struct v8 *v8, struct v8_function *function)
{
	uint64_t script = function->script, file;

	if (v8_type(v8, script) == v8->at[V8_TYPE_DEBUG] && !v8_part(v8, script, DEBUG_SCRIPT, &script))
		return false;
	if (v8_type(v8, script) != v8->at[V8_TYPE_SCRIPT]) {
		function->script = 0; /* it is V8's own */
		return is_oddball(v8, script);
	}
	function->script = script;
	return v8_part(v8, script, v8->at[V8_SCRIPT_SOURCE], &function->source) &&
	       v8_part(v8, script, v8->at[V8_SCRIPT_NAME], &file) &&
	       (is_oddball(v8, file) || take_name(v8, file, &function->file));
}

bool v8_read_function(const struct v8 *v8, uint64_t shared, struct v8_function *function)
{
	*function = (struct v8_function){ .shared = shared, .start = -1, .end = -1 };
	if (v8_type(v8, shared) != v8->at[V8_TYPE_SHARED] ||
	    !v8_part(v8, shared, v8->at[V8_SHARED_NAME], &function->named) ||
	    !v8_part(v8, shared, v8->at[V8_SHARED_SCRIPT], &function->script) || !read_script(v8, function))
		return false;
	if (is_string(v8, function->named))
		return take_name(v8, function->named, &function->name);
	if (v8_type(v8, function->named) != v8->at[V8_TYPE_SCOPE])
		return !(function->named & 1);
	return read_scope(v8, function);
}
