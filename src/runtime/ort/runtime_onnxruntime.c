// SPDX-License-Identifier: Apache-2.0
/*
 * ONNX Runtime's row in the table of runtimes. ort.h lists its families, ort.c finds their slots, ort_sites.c finds the
 * probe sites, and capture/agent/ort_*.c holds the hooks.
 */
#include "runtime/ort/ort.h"

#define ORT_FAMILY(id, hook, title, ...) [ORT_##id] = { .name = title, __VA_ARGS__ },
const struct runtime_family ort_families[N_ORT_FAMILIES] = { ORT_FAMILIES(ORT_FAMILY) };

/* A program, or the runtime itself, looks these symbols up in a module that has operators or providers. */
static const char *const entries[] = {
	"OrtGetApiBase",	   /* C, C++, Go, C#, Rust */
	"PyInit_*",		   /* Python */
	"napi_register_module_v1", /* Node.js */
	"JNI_OnLoad",		   /* Java */
	"GetProvider",		   /* a provider's library */
	"CreateEpFactories",	   /* a plugin provider's */
	NULL,
};

static const struct runtime_layout layout = {
	.kernel_info = ORT_KERNEL_INFO,
	.info_inside = ORT_INFO_INSIDE,
	.info_node = ORT_INFO_NODE,
	.info_provider = ORT_INFO_PROVIDER,
	.node_index = ORT_NODE_INDEX,
	.node_name = ORT_NODE_NAME,
	.string = ORT_STRING,
	.old_string = ORT_OLD_STRING,
	.part_name = ORT_TRANSFORMER_NAME,
	.status_message = ORT_STATUS_MESSAGE,
	.context_options = ORT_CONTEXT_OPTIONS * 8,
};

/* A library with providers, but without the one that every session has, belongs to the copy that is already loaded. */
static void find(struct runtime_found *found, struct rtti *rtti, const struct runtime_found *host)
{
	ort_find(found, rtti, rtti_named(rtti, ORT_CPU_CLASS) ? NULL : host);
}

static const char *const packages[] = { "onnxruntime", NULL };
static const char *const libraries[] = { "onnxruntime", NULL };

const struct runtime runtime_onnxruntime = {
	.name = "onnxruntime",
	.title = "ONNX Runtime",
	.entries = entries,
	.packages = packages,
	.libraries = libraries,
	.marks = { .prefix = "N11onnxruntime",
		   .fewest = 64,
		   .whole = { "16InferenceSessionE" },
		   .part = { "8OpKernelE", "18IExecutionProviderE" } },
	.family = ort_families,
	.n_families = N_ORT_FAMILIES,
	.inject_family = ORT_RUN_START,
	.inject_entry = ORT_API_RUN,
	.layout = &layout,
	.is_in = ort_has_types,
	.is_in_by_search = ort_has_api_alone,
	.find = find,
#ifndef IN_AGENT /* the agent reads no files */
	.find_sites = ort_sites_find,
#endif
};
