// SPDX-License-Identifier: Apache-2.0
/*
 * The row of llama.cpp in the table of runtimes: libllama, which loads models and decodes batches, ggml's library for
 * CPUs, which computes operators, and modules that call libllama. It has no classes by which it could be known; its
 * functions keep their names. doc/llama.md explains what was found.
 */
#include <string.h>

#include "runtime/find/dynamic.h"
#include "runtime/llama/llama.h"

#define OPERATOR "ggml_compute_forward_"
#define CONTEXT "_ZN13llama_context"
#define RUN CONTEXT "6decodeERK11llama_batch"

static const struct {
	const char *name;
	enum llama_role role;
} functions[] = {
	{ "ggml_cpu_extra_compute_forward", LLAMA_EXTRA },
	{ "ggml_graph_compute", LLAMA_GRAPH },
	{ "ggml_barrier", LLAMA_WAIT },
	{ RUN, LLAMA_RUN },
	{ CONTEXT "6encodeERK11llama_batch", LLAMA_RUN },
	{ CONTEXT "6decodeERK15llama_batch_ext", LLAMA_RUN_EXTENDED },
	{ CONTEXT "6encodeERK15llama_batch_ext", LLAMA_RUN_EXTENDED },
	{ CONTEXT "C1ERK11llama_model20llama_context_params", LLAMA_CREATE },
	{ CONTEXT "13sched_reserveEv", LLAMA_RESERVE },
	{ CONTEXT "D1Ev", LLAMA_DELETE },
	{ "llama_model_load_from_file", LLAMA_LOAD },
	{ "llama_load_model_from_file", LLAMA_LOAD }, /* up to 2024 */
	{ "llama_model_load_from_splits", LLAMA_LOAD_PARTS },
	{ "llama_decode", LLAMA_C_RUN },
	{ "llama_encode", LLAMA_C_RUN },
	{ "llama_init_from_model", LLAMA_C_CREATE },
	{ "llama_new_context_with_model", LLAMA_C_CREATE }, /* up to 2024 */
	{ "llama_free", LLAMA_C_DELETE },
};

/* Most names that are asked for are those of C++, whose beginnings are alike. */
enum llama_role llama_role_of(const char *name)
{
	if (*name == '_' ? strncmp(name, CONTEXT, sizeof CONTEXT - 1) : *name != 'g' && *name != 'l')
		return LLAMA_NONE;
	if (!strncmp(name, OPERATOR, sizeof OPERATOR - 1))
		return LLAMA_OPERATOR;
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].role;
	return LLAMA_NONE;
}

const char *llama_type_of(const char *operator_name)
{
	return operator_name + sizeof OPERATOR - 1;
}

bool llama_shows_runs(const struct image *image)
{
	struct dynamic_place place = { 0, 0 };
	struct dynamic dynamic;

	return dynamic_read(&dynamic, image) && dynamic_next_of(&dynamic, &place, RUN);
}

static bool is_library(const struct dynamic *dynamic)
{
	return dynamic_function(dynamic, "llama_decode") != 0;
}

static bool has_role(const char *name)
{
	return llama_role_of(name) != LLAMA_NONE;
}

static bool has_symbols(const struct image *image)
{
	struct dynamic dynamic;

	if (!dynamic_read(&dynamic, image))
		return false;
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (dynamic_has(&dynamic, functions[i].name))
			return true;
	return dynamic_imports_any(&dynamic, has_role);
}

static bool is_in(const struct rtti *rtti)
{
	return has_symbols(rtti->image);
}

/* The libraries of operators, and modules that only call it, need no mention of their own. */
static void find(struct runtime_found *found, struct rtti *rtti, const struct runtime_found *host)
{
	struct dynamic dynamic;

	found->is_part = !dynamic_read(&dynamic, rtti->image) || !is_library(&dynamic);
}

static const char *const entries[] = { "llama_*", NULL };

static const char *const packages[] = { "llama_cpp", NULL };
static const char *const libraries[] = { "llama", "ggml", NULL };

const struct runtime runtime_llama = {
	.name = "llama.cpp",
	.title = "llama.cpp",
	.entries = entries,
	.packages = packages,
	.libraries = libraries,
	.marks = { .prefix = "llama_", .fewest = 64, .whole = { "model_load" }, .part = { "decode" } },
	.inject_family = -1,
	.inject_import = RUN,
	.has_symbols = has_symbols,
	.is_in = is_in,
	.find = find,
};
