// SPDX-License-Identifier: Apache-2.0
/*
 * The agent's code for llama.cpp: replaces imports of its libraries and of modules that call them.
 */
#include <string.h>

#include "capture/agent/agent.h"
#include "capture/agent/arm/code.h"
#include "capture/agent/llama/llama_in.h"
#include "capture/agent/replace/import.h"
#include "capture/agent/replace/module_walk.h"
#include "runtime/find/dynamic.h"

/* An import of a module. */
struct import {
	const char *name;
	uint64_t slot;
	enum llama_role role;
};

static bool are_told; /* that operators are left out */

/* LLAMA_NONE: it stays as it is. */
static enum llama_role wanted_role(const struct import *import, uint64_t real, const struct image_set *set)
{
	const struct image *of = import_image(set, real);

	if (import->role <= LLAMA_WAIT)
		return hot->level >= LEVEL_OPERATOR ? import->role : LLAMA_NONE;
	if (import->role < LLAMA_C_RUN || (of && !llama_shows_runs(of)))
		return import->role;
	return of && import->role < LLAMA_C_DELETE ? LLAMA_C_CALLED : LLAMA_NONE;
}

static void *hook_for(const struct copy *copy, const struct import *import, void *real)
{
	if (import->role <= LLAMA_WAIT)
		return llama_operator_hook(copy, import->name, import->role, real);
	return llama_run_hook(copy, import->name, import->role, real);
}

static bool has_operators(const struct dynamic *dynamic)
{
	struct dynamic_place place = { 0, 0 };
	const char *name;

	while (dynamic_next(dynamic, &place, &name))
		if (llama_role_of(name) == LLAMA_OPERATOR)
			return true;
	return false;
}

static void *look_up_beside(const struct llama_names *names, const char *name)
{
	uint64_t function;

	return import_definer(names->image, names->set, name, &function) ? (void *)function : NULL;
}

static void *look_up_inside(const struct llama_names *names, const char *name)
{
	return (void *)dynamic_function(names->more, name);
}

/* Whether operators of this module can be recorded; why not goes into left_out. */
static bool find_layout(struct llama_layout *layout, const struct dynamic *dynamic, const struct image_set *set,
			char *left_out)
{
	const struct llama_names names = { look_up_beside, dynamic->image, set, NULL };
	bool is_found = has_operators(dynamic) && llama_layout_find(layout, &names);

	if (!is_found)
		strcpy(left_out, has_operators(dynamic) ? "operators (tensors have another layout in this version)"
							: "operators (this version does not call them by their names)");
	return is_found;
}

static bool is_copy(const struct image *image)
{
	for (uint32_t i = 0; i < n_copies; i++)
		if (!copies[i].is_gone && copies[i].image.base == image->base)
			return true;
	return false;
}

/* Whether libllama will be looked at, which tells the same. */
static bool is_library_to_come(const struct image *image, const struct image_set *set)
{
	uint64_t function;
	const struct image *library = import_definer(image, set, "llama_decode", &function);

	return library && !is_copy(library);
}

/* Of the libraries for several processors, of which all but one are closed again, the first one tells. */
static bool know_operators(struct copy *copy, const struct dynamic *dynamic, const struct image_set *set)
{
	struct llama_layout layout;
	char left_out[sizeof copy->found.left_out];

	if (!dynamic_function(dynamic, "ggml_graph_compute"))
		return false;
	if (find_layout(&layout, dynamic, set, left_out)) {
		llama_operator_know(copy, &layout);
		return true;
	}
	if (!are_told && !is_library_to_come(&copy->image, set)) {
		strcpy(copy->found.left_out, left_out);
		are_told = true;
	}
	return false;
}

/* Those that libllama calls, where it has come with them and not opened them later. */
static void tell_operators(struct copy *copy, const struct dynamic *dynamic, const struct image_set *set)
{
	const struct image *beside;
	struct llama_layout layout;
	struct dynamic of;
	uint64_t function;

	if (!are_told && dynamic_function(dynamic, "llama_decode") &&
	    (beside = import_definer(dynamic->image, set, "ggml_graph_compute", &function)) &&
	    beside != dynamic->image && dynamic_read(&of, beside) &&
	    !find_layout(&layout, &of, set, copy->found.left_out))
		are_told = true;
}

/* Call between hook_open and hook_close. Whether an operator was replaced. */
static bool replace_one(struct copy *copy, const struct dynamic *dynamic, struct import *import,
			const struct image_set *set)
{
	uint64_t real = import_real(dynamic, import->name, import->slot, set);
	bool is_done = false;
	void *with;

	import->role = real ? wanted_role(import, real, set) : LLAMA_NONE;
	if (import->role == LLAMA_NONE)
		return false;
	agent_lock();
	with = hook_for(copy, import, (void *)real);
	if (with && hook_word(import->slot, with)) {
		copy->check_at = import->slot;
		copy->check_value = with;
		is_done = true;
	}
	agent_unlock();
	return is_done && import->role == LLAMA_OPERATOR;
}

static uint32_t replace(struct copy *copy, const struct image_set *set)
{
	struct dynamic_place place = { 0, 0 };
	struct dynamic dynamic;
	struct import import;
	bool has_layout;
	uint32_t n = 0;

	const struct llama_names names = { look_up_inside, &copy->image, set, &dynamic };

	if (!dynamic_read(&dynamic, &copy->image))
		return 0;
	copy->check_at = copy->image.dynamic; /* until a word is replaced; the loader leaves this one as it is */
	copy->check_value = (void *)image_word(&copy->image, copy->check_at);
	if (copy->is_linked_in)
		return llama_linked_replace(copy);
	llama_version_of(copy, &names);
	if (dynamic_function(&dynamic, "llama_decode"))
		llama_run_know(&names);
	has_layout = know_operators(copy, &dynamic, set);
	tell_operators(copy, &dynamic, set);
	while ((import.slot = dynamic_next(&dynamic, &place, &import.name))) {
		import.role = llama_role_of(import.name);
		if (import.role == LLAMA_NONE || (import.role <= LLAMA_WAIT && !has_layout))
			continue;
		n += replace_one(copy, &dynamic, &import, set);
	}
	return n;
}

/* For a program that looks functions up by their names. */
static void *instead_of(const char *name, void *real)
{
	struct import import = { .name = name, .role = llama_role_of(name) };
	struct image_set set = { 0 };
	void *with = NULL;

	if (import.role < LLAMA_LOAD || module_walk_images(&set))
		return NULL;
	if (wanted_role(&import, (uint64_t)real, &set) == import.role) {
		agent_lock();
		with = llama_run_hook(NULL, name, import.role, real);
		agent_unlock();
	}
	image_set_done(&set);
	return with;
}

static void forget_gone(void)
{
	agent_lock();
	llama_operator_forget_gone();
	llama_run_forget_gone();
	agent_unlock();
}

static void forget_all(void)
{
	are_told = false;
	llama_run_forget_all();
}

const struct agent_code agent_llama = {
	.runtime = &runtime_llama,
	.is_linked_in = llama_is_linked_in,
	.replace = replace,
	.counted = "operators",
	.instead_of = instead_of,
	.forget_gone = forget_gone,
	.forget_all = forget_all,
};
