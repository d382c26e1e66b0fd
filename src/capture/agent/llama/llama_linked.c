// SPDX-License-Identifier: Apache-2.0
/*
 * llama.cpp that is linked into a program: its functions have no imports. Their names are in the program's own symbols,
 * and the direct calls between them are led to the hooks that imports are replaced by. Only before the program runs.
 */
#include <stdlib.h>
#include <string.h>

#include "capture/agent/llama/llama_in.h"
#include "capture/agent/replace/call_sites.h"

enum { MOST_TARGETS = 512 };

struct targets {
	struct call_target of[MOST_TARGETS];
	enum llama_role role[MOST_TARGETS];
	const char *name[MOST_TARGETS];
	size_t n;
};

static void *look_up(const struct llama_names *names, const char *name)
{
	return (void *)program_symbols_find(names->more, name);
}

/* A class of llama.cpp alone, which is there before its symbols are read. */
bool llama_is_linked_in(const struct rtti *rtti)
{
	struct program_symbols symbols;
	bool is_linked;

	if (*rtti->image->path || agent.late_since || !rtti_named(rtti, LLAMA_CLASS) ||
	    !program_symbols_open(&symbols, rtti->image))
		return false;
	is_linked = program_symbols_find(&symbols, "llama_decode") != 0;
	program_symbols_close(&symbols);
	return is_linked;
}

/* In order; a function with two names, as constructors have, is one. */
static void add(struct targets *targets, const struct program_function *function, enum llama_role role)
{
	size_t at = targets->n;

	while (at && targets->of[at - 1].function > function->address)
		at--;
	if (targets->n == MOST_TARGETS || (at && targets->of[at - 1].function == function->address))
		return;
	memmove(targets->of + at + 1, targets->of + at, (targets->n - at) * sizeof *targets->of);
	memmove(targets->role + at + 1, targets->role + at, (targets->n - at) * sizeof *targets->role);
	memmove(targets->name + at + 1, targets->name + at, (targets->n - at) * sizeof *targets->name);
	targets->of[at] = (struct call_target){ .function = function->address };
	targets->role[at] = role;
	targets->name[at] = function->name;
	targets->n++;
}

/* What a function is led to; LLAMA_NONE: it stays. */
static enum llama_role wanted_role(enum llama_role role, bool shows_runs, bool has_layout)
{
	if (role <= LLAMA_WAIT)
		return has_layout && hot->level >= LEVEL_OPERATOR ? role : LLAMA_NONE;
	if (role < LLAMA_C_RUN || !shows_runs)
		return role;
	return role < LLAMA_C_DELETE ? LLAMA_C_CALLED : LLAMA_NONE;
}

static void find_targets(struct targets *targets, const struct program_symbols *symbols)
{
	struct program_function function;

	for (size_t at = 0; program_symbols_next(symbols, &at, &function);) {
		enum llama_role role = llama_role_of(function.name);
		if (role != LLAMA_NONE)
			add(targets, &function, role);
	}
}

static bool shows_runs(const struct targets *targets)
{
	for (size_t i = 0; i < targets->n; i++)
		if (targets->role[i] == LLAMA_RUN)
			return true;
	return false;
}

/* The types of operators must stay when the symbols are gone. */
static const char *keep(const char *name)
{
	const char *kept;

	agent_lock();
	kept = arena_keep(&agent.arena, name);
	agent_unlock();
	return kept;
}

static void *hook_for(const struct copy *copy, const char *name, enum llama_role role, uint64_t function)
{
	void *hook = NULL;

	if (role == LLAMA_NONE || !(name = keep(name)))
		return NULL;
	agent_lock();
	hook = role <= LLAMA_WAIT ? llama_operator_hook(copy, name, role, (void *)function)
				  : llama_run_hook(copy, name, role, (void *)function);
	agent_unlock();
	return hook;
}

static uint32_t lead(struct copy *copy, struct targets *targets, const struct program_symbols *symbols, bool has_layout)
{
	bool runs = shows_runs(targets);
	uint32_t n = 0;

	for (size_t i = 0; i < targets->n; i++)
		targets->of[i].hook = hook_for(copy, targets->name[i], wanted_role(targets->role[i], runs, has_layout),
					       targets->of[i].function);
	call_sites_lead(symbols, targets->of, targets->n);
	for (size_t i = 0; i < targets->n; i++)
		n += targets->role[i] == LLAMA_OPERATOR ? targets->of[i].n : 0;
	return n;
}

static void leave_out(struct copy *copy, bool has_layout, uint32_t n)
{
	if (hot->level < LEVEL_OPERATOR)
		return;
	if (!has_layout)
		strcpy(copy->found.left_out, "operators (tensors have another layout in this version)");
	else if (!n)
		strcpy(copy->found.left_out, "operators (the compiler has put them into the functions that call them)");
}

uint32_t llama_linked_replace(struct copy *copy)
{
	static struct targets targets; /* one thread arms, and the program contains one copy */
	struct program_symbols symbols;
	const struct llama_names names = { look_up, &copy->image, NULL, &symbols };
	struct llama_layout layout;
	bool has_layout;
	uint32_t n;

	if (!program_symbols_open(&symbols, &copy->image))
		return 0;
	llama_version_of(copy, &names);
	llama_run_know(&names);
	has_layout = llama_layout_find(&layout, &names);
	if (has_layout)
		llama_operator_know(copy, &layout);
	find_targets(&targets, &symbols);
	n = lead(copy, &targets, &symbols, has_layout);
	leave_out(copy, has_layout, n);
	program_symbols_close(&symbols);
	return n;
}
