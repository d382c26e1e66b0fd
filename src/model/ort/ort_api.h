/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ONNX Runtime's C API, loaded at run time and called by slot number, for any version from 1.14 on. Uses no header of
 * ONNX Runtime and links nothing. The runtime's table only grows, so a function is identified by its slot and by the
 * version that added it; functions that the loaded runtime lacks are NULL.
 */
#ifndef MODEL_ORT_ORT_API_H
#define MODEL_ORT_ORT_API_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { ORT_OLDEST = 14 }; /* 1.14 */

/* The runtime's own types; used only as pointers. */
struct ort_allocator;
struct ort_binding;
struct ort_compile_options;
struct ort_device;
struct ort_env;
struct ort_graph_nodes;
struct ort_hardware;
struct ort_memory;
struct ort_pairs;
struct ort_provider_options;
struct ort_run_options;
struct ort_session;
struct ort_session_options;
struct ort_shape;
struct ort_status;
struct ort_subgraph;
struct ort_type;
struct ort_value;

typedef void (*ort_log)(void *ctx, int severity, const char *category, const char *log_id, const char *where,
			const char *text);

enum ort_severity { ORT_VERBOSE, ORT_INFO, ORT_WARNING, ORT_ERROR, ORT_FATAL };
enum ort_kind { ORT_UNKNOWN, ORT_TENSOR, ORT_SEQUENCE, ORT_MAP, ORT_OPAQUE, ORT_SPARSE, ORT_OPTIONAL }; /* ONNXType */
enum { ORT_DEVICE_ALLOCATOR = 0, ORT_DEFAULT_MEMORY = 0 };

typedef const char *const *ort_texts;

/* F(result, name, parameters, slot, version that added it) */
#define ORT_FUNCTIONS(F) \
	F(const char *, get_error_message, (const struct ort_status *), 2, 1) \
	F(struct ort_status *, create_env_with_logger, (ort_log, void *, int, const char *, struct ort_env **), 4, 1) \
	F(struct ort_status *, create_session, \
	  (const struct ort_env *, const char *, const struct ort_session_options *, struct ort_session **), 7, 1) \
	F(struct ort_status *, create_session_from_array, \
	  (const struct ort_env *, const void *, size_t, const struct ort_session_options *, struct ort_session **), \
	  8, 1) \
	F(struct ort_status *, run, \
	  (struct ort_session *, const struct ort_run_options *, ort_texts, const struct ort_value *const *, size_t, \
	   ort_texts, size_t, struct ort_value **), \
	  9, 1) \
	F(struct ort_status *, create_session_options, (struct ort_session_options **), 10, 1) \
	F(struct ort_status *, set_optimized_path, (struct ort_session_options *, const char *), 11, 1) \
	F(struct ort_status *, set_execution_mode, (struct ort_session_options *, int), 13, 1) \
	F(struct ort_status *, enable_profiling, (struct ort_session_options *, const char *), 14, 1) \
	F(struct ort_status *, disable_memory_pattern, (struct ort_session_options *), 17, 1) \
	F(struct ort_status *, disable_arena, (struct ort_session_options *), 19, 1) \
	F(struct ort_status *, set_optimization_level, (struct ort_session_options *, int), 23, 1) \
	F(struct ort_status *, set_intra_op_threads, (struct ort_session_options *, int), 24, 1) \
	F(struct ort_status *, set_inter_op_threads, (struct ort_session_options *, int), 25, 1) \
	F(struct ort_status *, input_count, (const struct ort_session *, size_t *), 30, 1) \
	F(struct ort_status *, output_count, (const struct ort_session *, size_t *), 31, 1) \
	F(struct ort_status *, input_type, (const struct ort_session *, size_t, struct ort_type **), 33, 1) \
	F(struct ort_status *, output_type, (const struct ort_session *, size_t, struct ort_type **), 34, 1) \
	F(struct ort_status *, input_name, (const struct ort_session *, size_t, struct ort_allocator *, char **), 36, \
	  1) \
	F(struct ort_status *, output_name, (const struct ort_session *, size_t, struct ort_allocator *, char **), 37, \
	  1) \
	F(struct ort_status *, create_run_options, (struct ort_run_options **), 39, 1) \
	F(struct ort_status *, create_tensor, \
	  (struct ort_allocator *, const int64_t *, size_t, int, struct ort_value **), 48, 1) \
	F(struct ort_status *, create_tensor_with_data, \
	  (const struct ort_memory *, void *, size_t, const int64_t *, size_t, int, struct ort_value **), 49, 1) \
	F(struct ort_status *, tensor_data, (struct ort_value *, void **), 51, 1) \
	F(struct ort_status *, fill_strings, (struct ort_value *, ort_texts, size_t), 52, 1) \
	F(struct ort_status *, strings_length, (const struct ort_value *, size_t *), 53, 1) \
	F(struct ort_status *, strings_content, (const struct ort_value *, void *, size_t, size_t *, size_t), 54, 1) \
	F(struct ort_status *, type_tensor, (const struct ort_type *, const struct ort_shape **), 55, 1) \
	F(struct ort_status *, type_kind, (const struct ort_type *, int *), 56, 1) \
	F(struct ort_status *, shape_element_type, (const struct ort_shape *, int *), 60, 1) \
	F(struct ort_status *, shape_n_dims, (const struct ort_shape *, size_t *), 61, 1) \
	F(struct ort_status *, shape_dims, (const struct ort_shape *, int64_t *, size_t), 62, 1) \
	F(struct ort_status *, shape_symbols, (const struct ort_shape *, const char **, size_t), 63, 1) \
	F(struct ort_status *, value_shape, (const struct ort_value *, struct ort_shape **), 65, 1) \
	F(struct ort_status *, value_kind, (const struct ort_value *, int *), 67, 1) \
	F(struct ort_status *, create_memory, (const char *, int, int, int, struct ort_memory **), 68, 1) \
	F(struct ort_status *, create_cpu_memory, (int, int, struct ort_memory **), 69, 1) \
	F(struct ort_status *, allocator_free, (struct ort_allocator *, void *), 76, 1) \
	F(struct ort_status *, default_allocator, (struct ort_allocator **), 78, 1) \
	F(struct ort_status *, override_denotation, (struct ort_session_options *, const char *, int64_t), 79, 1) \
	F(void, release_env, (struct ort_env *), 92, 1) \
	F(void, release_status, (struct ort_status *), 93, 1) \
	F(void, release_memory, (struct ort_memory *), 94, 1) \
	F(void, release_session, (struct ort_session *), 95, 1) \
	F(void, release_value, (struct ort_value *), 96, 1) \
	F(void, release_run_options, (struct ort_run_options *), 97, 1) \
	F(void, release_type, (struct ort_type *), 98, 1) \
	F(void, release_shape, (struct ort_shape *), 99, 1) \
	F(void, release_session_options, (struct ort_session_options *), 100, 1) \
	F(struct ort_status *, end_profiling, (struct ort_session *, struct ort_allocator *, char **), 110, 2) \
	F(struct ort_status *, override_dimension, (struct ort_session_options *, const char *, int64_t), 124, 3) \
	F(struct ort_status *, available_providers, (char ***, int *), 125, 4) \
	F(struct ort_status *, release_available_providers, (char **, int), 126, 4) \
	F(struct ort_status *, add_config, (struct ort_session_options *, const char *, const char *), 130, 5) \
	F(struct ort_status *, run_with_binding, \
	  (struct ort_session *, const struct ort_run_options *, const struct ort_binding *), 133, 5) \
	F(struct ort_status *, create_binding, (struct ort_session *, struct ort_binding **), 134, 5) \
	F(void, release_binding, (struct ort_binding *), 135, 5) \
	F(struct ort_status *, bind_input, (struct ort_binding *, const char *, const struct ort_value *), 136, 5) \
	F(struct ort_status *, bind_output_to_device, (struct ort_binding *, const char *, const struct ort_memory *), \
	  138, 5) \
	F(struct ort_status *, add_run_config, (struct ort_run_options *, const char *, const char *), 165, 8) \
	F(struct ort_status *, append_tensorrt, (struct ort_session_options *, const struct ort_provider_options *), \
	  170, 9) \
	F(struct ort_status *, create_tensorrt_options, (struct ort_provider_options **), 171, 9) \
	F(struct ort_status *, update_tensorrt_options, (struct ort_provider_options *, ort_texts, ort_texts, size_t), \
	  172, 9) \
	F(void, release_tensorrt_options, (struct ort_provider_options *), 174, 9) \
	F(struct ort_status *, enable_extensions, (struct ort_session_options *), 175, 9) \
	F(struct ort_status *, append_cuda, (struct ort_session_options *, const struct ort_provider_options *), 204, \
	  11) \
	F(struct ort_status *, create_cuda_options, (struct ort_provider_options **), 205, 11) \
	F(struct ort_status *, update_cuda_options, (struct ort_provider_options *, ort_texts, ort_texts, size_t), \
	  206, 11) \
	F(void, release_cuda_options, (struct ort_provider_options *), 208, 11) \
	F(struct ort_status *, append_provider, \
	  (struct ort_session_options *, const char *, ort_texts, ort_texts, size_t), 216, 12) \
	F(struct ort_status *, append_cann, (struct ort_session_options *, const struct ort_provider_options *), 220, \
	  13) \
	F(struct ort_status *, create_cann_options, (struct ort_provider_options **), 221, 13) \
	F(struct ort_status *, update_cann_options, (struct ort_provider_options *, ort_texts, ort_texts, size_t), \
	  222, 13) \
	F(void, release_cann_options, (struct ort_provider_options *), 224, 13) \
	F(struct ort_status *, register_custom_ops, (struct ort_session_options *, const char *), 228, 14) \
	F(struct ort_status *, append_dnnl, (struct ort_session_options *, const struct ort_provider_options *), 239, \
	  15) \
	F(struct ort_status *, create_dnnl_options, (struct ort_provider_options **), 240, 15) \
	F(struct ort_status *, update_dnnl_options, (struct ort_provider_options *, ort_texts, ort_texts, size_t), \
	  241, 15) \
	F(void, release_dnnl_options, (struct ort_provider_options *), 243, 15) \
	F(struct ort_status *, append_rocm, (struct ort_session_options *, const struct ort_provider_options *), 153, \
	  6) \
	F(struct ort_status *, create_rocm_options, (struct ort_provider_options **), 255, 16) \
	F(struct ort_status *, update_rocm_options, (struct ort_provider_options *, ort_texts, ort_texts, size_t), \
	  256, 16) \
	F(void, release_rocm_options, (struct ort_provider_options *), 258, 16) \
	F(struct ort_status *, set_deterministic, (struct ort_session_options *, bool), 273, 17) \
	F(struct ort_status *, append_openvino, (struct ort_session_options *, ort_texts, ort_texts, size_t), 275, 17) \
	F(struct ort_status *, append_vitisai, (struct ort_session_options *, ort_texts, ort_texts, size_t), 276, 18) \
	F(void *const *, compile_api, (void), 294, 22) \
	F(void, pairs_all, (const struct ort_pairs *, ort_texts *, ort_texts *, size_t *), 298, 22) \
	F(struct ort_status *, register_library, (struct ort_env *, const char *, const char *), 301, 22) \
	F(struct ort_status *, unregister_library, (struct ort_env *, const char *), 302, 22) \
	F(struct ort_status *, devices, (const struct ort_env *, const struct ort_device *const **, size_t *), 303, \
	  22) \
	F(struct ort_status *, append_devices, \
	  (struct ort_session_options *, struct ort_env *, const struct ort_device *const *, size_t, ort_texts, \
	   ort_texts, size_t), \
	  304, 22) \
	F(struct ort_status *, set_policy, (struct ort_session_options *, int), 305, 22) \
	F(int, hardware_type, (const struct ort_hardware *), 307, 22) \
	F(const char *, hardware_vendor, (const struct ort_hardware *), 309, 22) \
	F(const struct ort_pairs *, hardware_metadata, (const struct ort_hardware *), 311, 22) \
	F(const char *, device_provider, (const struct ort_device *), 312, 22) \
	F(const char *, device_vendor, (const struct ort_device *), 313, 22) \
	F(const struct ort_pairs *, device_metadata, (const struct ort_device *), 314, 22) \
	F(const struct ort_hardware *, device_hardware, (const struct ort_device *), 316, 22) \
	F(struct ort_status *, placement, (const struct ort_session *, const struct ort_subgraph *const **, size_t *), \
	  407, 24) \
	F(struct ort_status *, subgraph_provider, (const struct ort_subgraph *, const char **), 408, 24) \
	F(struct ort_status *, subgraph_nodes, \
	  (const struct ort_subgraph *, const struct ort_graph_nodes *const **, size_t *), 409, 24)

struct ort_api {
#define ORT_MEMBER(result, name, parameters, slot, since) result(*name) parameters;
	ORT_FUNCTIONS(ORT_MEMBER)
#undef ORT_MEMBER
	void *library;	     /* from dlopen */
	unsigned minor;	     /* 22 of 1.22.1 */
	char version[64];    /* "1.22.1" */
	char path[PATH_MAX]; /* the library's path without symbolic links */
};

/*
 * Opens a runtime's library, which runs its code. 0, or -errno and err, which says what can be opened instead. There is
 * no close: runtimes do not survive it.
 */
int ort_api_open(struct ort_api *api, const char *path, struct err *err);

/*
 * 0 when status is NULL, which is success; else releases it and returns -EIO and err: "cannot <what>: <the runtime's
 * message>". status may come from any function of the runtime.
 */
int ort_api_check(const struct ort_api *api, struct ort_status *status, struct err *err, const char *what, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * Shortens a message of the runtime to one line. Removes source locations ("/a/b.cc:42 int f(int)") and outer nodes
 * that failed only because a node inside them failed: "Pad node 'p': why".
 */
void ort_api_plain(char *text);

/*
 * 0, or -ENOTSUP and err when this runtime lacks the function: "cannot <what>: this needs ONNX Runtime 1.22, and this
 * is 1.18.0".
 */
int ort_api_needs_at(const struct ort_api *api, size_t offset, const char *what, struct err *err);
#define ORT_API_NEEDS(api, function, what, err) ort_api_needs_at(api, offsetof(struct ort_api, function), what, err)

#endif
