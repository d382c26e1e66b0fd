// SPDX-License-Identifier: Apache-2.0
/*
 * The row of TensorFlow Lite (LiteRT) in the table of runtimes: packages tflite-runtime 2.7 to 2.14 and ai-edge-litert
 * 1.0 to 2.3, and what contains the same classes. doc/litert.md explains how it was found; the hooks are in
 * capture/agent/litert.
 *
 * Operators are C functions that each subgraph keeps in a list of its own, so no table has them: they are replaced
 * there when the subgraph is about to run for the first time.
 */
#include <stdio.h>
#include <string.h>

#include "runtime/find/dynamic.h"
#include "runtime/litert/litert.h"

#define SUBGRAPH_CLASS "N6tflite8SubgraphE"
#define PLANNER_CLASS "N6tflite12ArenaPlannerE"

/* clang-format off */
#define SLOT(n) (const struct runtime_slot[]) { { 0, n }, { 0, -1 } }
/* clang-format on */

const struct runtime_family litert_families[N_LITERT_FAMILIES] = {
	[LITERT_RELEASE] = { .name = "release of sessions",
			     .class_name = SUBGRAPH_CLASS,
			     .only = SUBGRAPH_CLASS,
			     .slots = SLOT(1) },
	[LITERT_ERRORS] = { .name = "messages of errors", .class_name = "N6tflite13ErrorReporterE", .slots = SLOT(2) },
	[LITERT_MODELS] = { .name = "models", .class_name = "N6tflite10AllocationE", .slots = SLOT(4) },
	/* HasNonPersistentMemory, which every Invoke asks first */
	[LITERT_RUNS] = { .name = "inferences and operators",
			  .class_name = "N6tflite13MemoryPlannerE",
			  .only = PLANNER_CLASS,
			  .slots = SLOT(8) },
};

/* That function only returns a field. */
static bool is_getter(const struct rtti *rtti, uint64_t table)
{
#if defined(__x86_64__)
	enum { FEW = 24, RET = 0xc3 };
	const uint8_t *code = image_at(rtti->image, image_word(rtti->image, table + 8ul * 8), FEW, IMAGE_X);

	return code && memchr(code, RET, FEW);
#else
	enum { FEW = 4 };
	const uint32_t *code = image_at(rtti->image, image_word(rtti->image, table + 8ul * 8), FEW * 4, IMAGE_X);

	for (int i = 0; code && i < FEW; i++)
		if (code[i] == 0xd65f03c0)
			return true;
	return false;
#endif
}

/* "2.8.0"; "": only the library for C has a function that returns it. */
static const char *version_of(const struct image *image)
{
	enum { LONGEST = 16 };
	struct dynamic dynamic;
	uint64_t function = dynamic_read(&dynamic, image) ? dynamic_function(&dynamic, "TfLiteVersion") : 0;
	const char *text = function ? text_anchor_returned(image, function, LONGEST) : NULL;

	return text && text[0] >= '1' && text[0] <= '9' && text[1] == '.' ? text : "";
}

static void find(struct runtime_found *found, struct rtti *rtti, const struct runtime_found *host)
{
	uint64_t planner = rtti_table(rtti, PLANNER_CLASS);

	found->version = version_of(rtti->image);
	for (int i = 0; i < N_LITERT_FAMILIES; i++)
		found->slot[i] = runtimes_slot(&litert_families[i], 0);
	if (planner && is_getter(rtti, planner) && litert_find_info(rtti).table)
		return;
	found->slot[LITERT_RUNS] = -1;
	snprintf(found->left_out, sizeof found->left_out, "%s (not recognised in this version)",
		 litert_families[LITERT_RUNS].name);
}

static bool is_in(const struct rtti *rtti)
{
	return rtti_table(rtti, SUBGRAPH_CLASS) && rtti_named(rtti, PLANNER_CLASS);
}

static const char *const entries[] = {
	"PyInit_*",		   /* Python */
	"LiteRtCreateEnvironment", /* C, where it is opened at run time */
	"TfLiteInterpreterCreate",
	"TfLiteModelCreateFromFile",
	"TfLiteModelCreate",
	"JNI_OnLoad", /* Java */
	NULL,
};

static const char *const packages[] = { "ai_edge_litert", "tflite_runtime", "tensorflow", NULL };
static const char *const libraries[] = { "tensorflow", "tflite", "litert", "LiteRt", NULL };

const struct runtime runtime_litert = {
	.name = "litert",
	.title = "LiteRT (TensorFlow Lite)",
	.entries = entries,
	.packages = packages,
	.libraries = libraries,
	.marks = { .prefix = "N6tflite", .fewest = 16, .whole = { "8SubgraphE" }, .part = { "12ArenaPlannerE" } },
	.family = litert_families,
	.n_families = N_LITERT_FAMILIES,
	.inject_family = LITERT_RUNS,
	.is_in = is_in,
	.find = find,
#ifndef IN_AGENT
	.find_sites = litert_find_sites,
#endif
};
