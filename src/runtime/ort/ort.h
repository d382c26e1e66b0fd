/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of ONNX Runtime: where a copy of it keeps the functions that the agent hooks.
 *
 * Found by reading a module's image; nothing is called. Classes are found by RTTI, virtual slots by the shape of the
 * code they point at, checked against a table by version, and the OrtApi table by the code of GetApi. A family whose
 * table and shape disagree has slot -1 and a line in left_out. doc/onnxruntime.md explains how the numbers were found.
 */
#ifndef RUNTIME_ORT_H
#define RUNTIME_ORT_H

#include "runtime/ort/ort_slots.h"
#include "runtime/runtimes.h"

#define ORT_KERNEL_CLASS "N11onnxruntime8OpKernelE"
#define ORT_PROVIDER_CLASS "N11onnxruntime18IExecutionProviderE"
#define ORT_CPU_CLASS "N11onnxruntime20CPUExecutionProviderE" /* every session has such a provider */
#define ORT_TRANSFORMER_CLASS "N11onnxruntime16GraphTransformerE"
#define ORT_TELEMETRY_CLASS "N11onnxruntime9TelemetryE"
#define ORT_SESSION_CLASS "N11onnxruntime16InferenceSessionE"
#define ORT_PLANNER_CLASS "N11onnxruntime25ISequentialPlannerContextE"
#define ORT_ALLOCATOR_CLASS "N11onnxruntime16ITensorAllocatorE"
#define ORT_RESOLVER_CLASS "N11onnxruntime22IKernelTypeStrResolverE"
#define ORT_STREAM_CLASS "N6google8protobuf2io18CopyingInputStreamE"
#define ORT_MEMORY_CLASS "N11onnxruntime10IAllocatorE"
#define ORT_POOL_CLASS "N5Eigen19ThreadPoolInterfaceE"

/* Slots from a minor version on. Telemetry's slots follow from the number of slots of its class (ort.c). */
#define ORT_SLOTS(...) \
	(const struct runtime_slot[]) \
	{ \
		__VA_ARGS__, { 0, -1 } \
	}
#define ORT_BY_TELEMETRY \
	(const struct runtime_slot[]) \
	{ { 0, -1 } }

/*
 * F(id, hook, name, struct runtime_family's other members): one family each, in the order of arming. A running program
 * makes calls while words are replaced one by one. Ends are armed before begins, so that every recorded begin gets its
 * end; what does nothing outside of a session's creation comes before the begin of one. The agent's on_<hook> serves
 * the family.
 */
#define ORT_FAMILIES(F) \
	F(SESSION_DELETE, session_delete, "session release", .class_name = ORT_SESSION_CLASS, \
	  .event = RUNTIME_RELEASE, .slots = ORT_SLOTS({ 0, 1 })) \
	F(ALLOCATOR_DELETE, allocator_delete, "end of allocators", .class_name = ORT_MEMORY_CLASS, .is_detail = true, \
	  .slots = ORT_SLOTS({ 14, 1 })) \
	F(FREE, free, "memory given back", .class_name = ORT_MEMORY_CLASS, .is_detail = true, \
	  .slots = ORT_SLOTS({ 14, 3 }, { 23, 5 })) \
	F(RESERVE, reserve, "memory reserved", .class_name = ORT_MEMORY_CLASS, .is_detail = true, \
	  .slots = ORT_SLOTS({ 14, 4 }, { 23, 6 })) \
	F(ALLOC_ON_STREAM, alloc_on_stream, "memory taken for streams", .class_name = ORT_MEMORY_CLASS, \
	  .is_detail = true, .slots = ORT_SLOTS({ 23, 4 })) \
	F(ALLOC, alloc, "memory taken", .class_name = ORT_MEMORY_CLASS, .is_detail = true, \
	  .slots = ORT_SLOTS({ 14, 2 }), .counted = "allocator classes") \
	F(KERNEL_DELETE, kernel_delete, "end of operators", .class_name = ORT_KERNEL_CLASS, \
	  .slots = ORT_SLOTS({ 0, 1 }), .is_operator = true) \
	F(PLAN_VALUE, plan_value, "values in memory planning", .class_name = ORT_PLANNER_CLASS, \
	  .slots = ORT_SLOTS({ 14, 0 })) \
	F(SHARE_PACKED, share_packed, "hashing of packed weights", .class_name = ORT_KERNEL_CLASS, \
	  .slots = ORT_SLOTS({ 14, 6 }, { 15, 7 }, { 29, 8 }, { 31, 9 }), .is_operator = true) \
	F(WEIGHT, weight, "each weight", .class_name = ORT_ALLOCATOR_CLASS, .slots = ORT_SLOTS({ 14, 1 })) \
	F(WEIGHTS, weights, "weights", .class_name = ORT_ALLOCATOR_CLASS, .slots = ORT_SLOTS({ 14, 0 })) \
	F(PLAN, plan, "memory planning", .class_name = ORT_PLANNER_CLASS, .slots = ORT_SLOTS({ 14, 2 })) \
	F(KERNEL_TYPES, kernel_types, "kernel look-up", .class_name = ORT_RESOLVER_CLASS, \
	  .slots = ORT_SLOTS({ 14, 0 })) \
	F(READ, read, "reads of model files", .class_name = ORT_STREAM_CLASS, .slots = ORT_SLOTS({ 14, 2 })) \
	F(RUN_END, run_end, "end of runs", .class_name = ORT_PROVIDER_CLASS, \
	  .slots = ORT_SLOTS({ 14, 11 }, { 15, 12 }, { 16, 11 }, { 20, 12 }), .only = ORT_CPU_CLASS) \
	F(EVALUATION_STOP, evaluation_stop, "end of evaluation", .class_name = ORT_TELEMETRY_CLASS, \
	  .slots = ORT_BY_TELEMETRY) \
	F(SESSION_READY, session_ready, "end of session creation", .class_name = ORT_PROVIDER_CLASS, \
	  .slots = ORT_SLOTS({ 14, 15 }, { 15, 16 }, { 16, 15 }, { 20, 17 }, { 26, 18 }, { 27, 19 })) \
	F(CREATION_END, creation_end, "status of session creation", .class_name = ORT_TELEMETRY_CLASS, \
	  .slots = ORT_BY_TELEMETRY) \
	F(LOAD_END, load_end, "end of model load", .class_name = ORT_TELEMETRY_CLASS, .slots = ORT_BY_TELEMETRY) \
	F(RUNTIME_ERROR, runtime_error, "errors", .class_name = ORT_TELEMETRY_CLASS, .slots = ORT_BY_TELEMETRY) \
	F(CREATION, creation, "model names", .class_name = ORT_TELEMETRY_CLASS, .slots = ORT_BY_TELEMETRY) \
	F(PREPACK, prepack, "weight pre-packing", .class_name = ORT_KERNEL_CLASS, .event = RUNTIME_PART, \
	  .slots = ORT_SLOTS({ 14, 5 }, { 31, 6 }), .is_operator = true) \
	F(GET_CAPABILITY, capability, "partitioning", .class_name = ORT_PROVIDER_CLASS, .event = RUNTIME_PART, \
	  .slots = ORT_SLOTS({ 14, 4 }, { 16, 3 }, { 20, 4 })) \
	F(KERNEL_REGISTRY, kernel_registry, "kernel registries", .class_name = ORT_PROVIDER_CLASS, \
	  .slots = ORT_SLOTS({ 14, 5 }, { 16, 4 }, { 20, 5 })) \
	F(COMPILE, compile, "provider compilation", .class_name = ORT_PROVIDER_CLASS, .event = RUNTIME_PART, \
	  .slots = ORT_SLOTS({ 14, 17 }, { 15, 18 }, { 16, 17 }, { 20, 19 }, { 26, 20 }, { 27, 21 })) \
	F(TRANSFORM, transform, "graph transformers", .class_name = ORT_TRANSFORMER_CLASS, .event = RUNTIME_PART, \
	  .slots = ORT_SLOTS({ 0, 3 }), .counted = "graph transformers") \
	F(PREDEFINED_TRANSFORMERS, predefined_transformers, "session initialisation", .class_name = ORT_SESSION_CLASS, \
	  .slots = ORT_SLOTS({ 7, 3 })) \
	F(LOAD_START, load_start, "model load", .class_name = ORT_TELEMETRY_CLASS, .event = RUNTIME_LOAD, \
	  .slots = ORT_BY_TELEMETRY) \
	F(CREATION_START, creation_start, "start of session creation", .class_name = ORT_TELEMETRY_CLASS, \
	  .event = RUNTIME_CREATION, .slots = ORT_BY_TELEMETRY) \
	F(SCHEDULE, schedule, "queues of pools", .class_name = ORT_POOL_CLASS, .slots = ORT_SLOTS({ 0, 0 })) \
	F(COMPUTE, compute, "operators", .class_name = ORT_KERNEL_CLASS, .event = RUNTIME_OPERATOR, \
	  .slots = ORT_SLOTS({ 0, 2 }), .is_operator = true, .counted = "operator classes") \
	F(RUN_START, run_start, "runs", .class_name = ORT_PROVIDER_CLASS, .event = RUNTIME_RUN, \
	  .slots = ORT_SLOTS({ 14, 10 }, { 15, 11 }, { 16, 10 }, { 20, 11 }), .only = ORT_CPU_CLASS) \
	F(EVALUATION_START, evaluation_start, "evaluation", .class_name = ORT_TELEMETRY_CLASS, .event = RUNTIME_RUN, \
	  .slots = ORT_BY_TELEMETRY)

#define ORT_ID(id, ...) ORT_##id,
enum ort_family { ORT_FAMILIES(ORT_ID) N_ORT_FAMILIES };
#undef ORT_ID

extern const struct runtime_family ort_families[N_ORT_FAMILIES];

/* Offsets in objects, the same in all builds from 1.2 to 1.32 for x86-64 (doc/onnxruntime.md). */
enum {
	ORT_KERNEL_INFO = 8,	/* OpKernel: OpKernelInfo *, which is the public OrtKernelInfo */
	ORT_INFO_INSIDE = 7,	/* the last minor version in which it is no pointer, but the object itself */
	ORT_INFO_NODE = 8,	/* OpKernelInfo: Node * */
	ORT_INFO_PROVIDER = 24, /* OpKernelInfo: IExecutionProvider * */
	ORT_NODE_INDEX = 0,
	ORT_NODE_NAME = 8, /* std::string; the operator type behind it */
	ORT_STRING = 32,
	ORT_OLD_STRING = 8,	  /* std::string of the C++ library before 5 */
	ORT_TRANSFORMER_NAME = 8, /* std::string */
	ORT_MEMORY_INFO = 8,	  /* IAllocator: OrtMemoryInfo, which starts with a pointer to its name */
	ORT_STATUS_MESSAGE = 8,	  /* Status: pointer to { int category; int code; std::string message }, null for OK */
	ORT_CONTEXT_OPTIONS = 8,  /* OpKernelContext: the first word that may point to the run's options */
	ORT_CONTEXT_OPTIONS_WORDS = 5, /* how many such words; which one it is depends on the version */
};

/* Whether the module holds the types of operators or providers: it is the runtime itself or a provider's library. */
bool ort_has_types(const struct rtti *rtti);
/* Whether it is the runtime without type information, of which the table of C functions is known. Takes milliseconds.
 */
bool ort_has_api_alone(const struct rtti *rtti);
/* One of both. */
bool ort_is_in(const struct rtti *rtti);

/* Implements struct runtime's find. A provider's library gets its host's slots and version. */
void ort_find(struct runtime_found *ort, struct rtti *rtti, const struct runtime_found *host);

/* Implements struct runtime's find_sites. */
int ort_sites_find(struct probe_sites *sites, const struct image_file *file, const struct probe_sites *host,
		   struct err *err);

extern const struct runtime runtime_onnxruntime;

#endif
