// SPDX-License-Identifier: Apache-2.0
/*
 * The row of onnxruntime-genai in the table of runtimes: modules that import its functions, and its library. It runs
 * its models by ONNX Runtime, whose inferences are recorded as everywhere; here only the calls of generators are
 * found, which say to whose tokens an inference belongs.
 *
 * Up to 0.5 a prompt went in with the parameters, and the program asked for each step's logits: such libraries are
 * left alone. Modules for Python of that time contain the library's code, and import nothing.
 */
#include <string.h>

#include "runtime/genai/genai.h"

#define GENERATOR "OgaGenerator_"

static const struct {
	const char *name;
	enum genai_role role;
} functions[] = {
	{ "OgaCreateGenerator", GENAI_CREATE },
	{ GENERATOR "AppendTokens", GENAI_APPEND },
	{ GENERATOR "AppendTokenSequences", GENAI_APPEND_MORE },
	{ GENERATOR "SetInputs", GENAI_APPEND_MORE },
	{ GENERATOR "GenerateNextToken", GENAI_NEXT },
	{ GENERATOR "GetLogits", GENAI_LOGITS },
	{ GENERATOR "RewindTo", GENAI_REWIND },
	{ "OgaDestroyGenerator", GENAI_DESTROY },
	{ "OgaTokenizerDecode", GENAI_DECODE },
	{ "OgaTokenizerStreamDecode", GENAI_DECODE },
	{ "OgaEngineCreateRequest", GENAI_REQUEST },
	{ "OgaRequestBeginTurn", GENAI_TURN },
	{ "OgaEngineRun", GENAI_RUN },
	{ "OgaRequestAddTokens", GENAI_PROMPT },
	{ "OgaRequestContinue", GENAI_PROMPT },
	{ "OgaEngineAddRequest", GENAI_SUBMIT },
	{ "OgaEngineStep", GENAI_STEP },
	{ "OgaDestroyRequest", GENAI_RELEASE },
	{ "OgaCreateRequest", GENAI_NEW },
	{ "OgaEngineRemoveRequest", GENAI_REMOVE },
	{ "OgaDestroyEngine", GENAI_DESTROY },
};

enum genai_role genai_role_of(const char *name)
{
	if (strncmp(name, "Oga", 3) != 0)
		return GENAI_NONE;
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].role;
	return GENAI_NONE;
}

bool genai_is_known(const struct dynamic *library)
{
	return dynamic_function(library, GENERATOR "AppendTokens") &&
	       dynamic_function(library, GENERATOR "GenerateNextToken") &&
	       dynamic_function(library, "OgaDestroyGenerator") &&
	       !dynamic_function(library, GENERATOR "ComputeLogits");
}

bool genai_looks(struct genai_looks *to, const struct dynamic *library)
{
#define GENAI_LOOK_UP(name, of) to->name = (__typeof__(to->name))dynamic_function(library, of);
	GENAI_LOOKS(GENAI_LOOK_UP)
	if (dynamic_function(library, "OgaEngineRun"))
		return to->count && to->event && to->flags && to->request && to->usage && to->cached;
	return dynamic_function(library, "OgaEngineStep") && to->length && (to->unseen || to->any_unseen);
}

static bool has_role(const char *name)
{
	return genai_role_of(name) != GENAI_NONE;
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

static void find(struct runtime_found *found, struct rtti *rtti, const struct runtime_found *host)
{
	found->is_part = true;
}

static const char *const entries[] = { "Oga*", NULL };

static const char *const packages[] = { "onnxruntime_genai", NULL };

const struct runtime runtime_genai = {
	.name = "onnxruntime-genai",
	.title = "onnxruntime-genai",
	.entries = entries,
	.packages = packages,
	.marks = { .prefix = "OgaGenerator_", .fewest = 1000, .whole = { NULL }, .part = { NULL } },
	.inject_family = -1,
	.has_symbols = has_symbols,
	.is_in = is_in,
	.find = find,
};
