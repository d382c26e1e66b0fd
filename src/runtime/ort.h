/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of ONNX Runtime's insides: where one copy of it keeps what the agent hooks.
 *
 * Found in a module's image alone, nothing is called: classes by RTTI, virtual slots by the shape of the
 * code they point at, checked against a table by version; the OrtApi table by the code of GetApi.
 * A family whose table and shape disagree has slot -1 and a line in left_out. doc/onnxruntime.md tells
 * how the numbers were found out.
 */
#ifndef RUNTIME_ORT_H
#define RUNTIME_ORT_H

#include "runtime/rtti.h"

enum ort_family {
	ORT_COMPUTE,
	ORT_KERNEL_DELETE,
	ORT_PREPACK,
	ORT_RUN_START,
	ORT_RUN_END,
	ORT_GET_CAPABILITY,
	ORT_COMPILE,
	ORT_SESSION_READY,
	ORT_TRANSFORM,
	ORT_EVALUATION_START,
	ORT_EVALUATION_STOP,
	ORT_CREATION_START,
	ORT_CREATION,
	ORT_CREATION_END,
	ORT_LOAD_START,
	ORT_LOAD_END,
	ORT_RUNTIME_ERROR,
	ORT_SESSION_DELETE,
	ORT_PREDEFINED_TRANSFORMERS,
	N_ORT_FAMILIES
};

/* Slots of OrtApi that are used; the first nine never moved (facts: header history 1.2 to 1.30). */
enum ort_slot {
	ORT_API_GET_ERROR_CODE = 1,
	ORT_API_GET_ERROR_MESSAGE = 2,
	ORT_API_CREATE_SESSION = 7,
	ORT_API_CREATE_SESSION_FROM_ARRAY = 8,
	ORT_API_RUN = 9,
	ORT_API_RUN_OPTIONS_GET_RUN_TAG = 45,
	ORT_API_IS_TENSOR = 50,
	ORT_API_GET_ELEMENT_TYPE = 60,
	ORT_API_GET_DIMENSIONS_COUNT = 61,
	ORT_API_GET_DIMENSIONS = 62,
	ORT_API_GET_TYPE_AND_SHAPE = 65,
	ORT_API_INPUT_COUNT = 88,
	ORT_API_INPUT = 90,
	ORT_API_RELEASE_TYPE_AND_SHAPE = 99,
	ORT_API_ADD_CONFIG_ENTRY = 130,
	ORT_API_RELEASE_STATUS = 93,
	ORT_API_RELEASE_SESSION = 95,
	ORT_API_RUN_WITH_BINDING = 133,
	ORT_API_APPEND_CUDA = 152,
	ORT_API_APPEND_OPENVINO = 154,
	ORT_API_APPEND_TENSORRT = 159,
	ORT_API_CREATE_SESSION_PREPACKED = 168,
	ORT_API_CREATE_SESSION_FROM_ARRAY_PREPACKED = 169,
	ORT_API_APPEND_PROVIDER = 216,
	ORT_API_NODE_NAME = 244,
	ORT_API_KERNEL_INPUT_COUNT = 230,
	ORT_API_KERNEL_OUTPUT_COUNT = 231,
	ORT_API_KERNEL_INPUT_NAME = 232,
	ORT_API_KERNEL_OUTPUT_NAME = 233,
	ORT_API_KERNEL_CONSTANT_INPUT = 249,
	ORT_API_APPEND_PROVIDER_V2 = 304,
	ORT_API_REGISTER_PROVIDER_LIBRARY = 301,
	ORT_API_OPERATOR_TYPE = 393
};

struct ort {
	const struct image *image;
	const char *version; /* "1.22.1"; "" when the module does not tell (a provider's library) */
	int minor;	     /* 22; 0: unknown */
	uint64_t api;	     /* address of the OrtApi table, 0: not found */
	bool is_old_string;  /* std::string is 8 bytes (text, its length 24 before it), not 32 (text, length ...) */
	unsigned n_api;	     /* slots of it that are certain to exist */
	int slot[N_ORT_FAMILIES]; /* -1: left out */
	char left_out[400];	  /* what was left out and why; "" nothing */
};

/* Whether the module holds operators or providers of ONNX Runtime: the runtime itself or a provider's library. */
bool ort_is_in(const struct rtti *rtti);

/* Fills *ort for this module. host: the copy that a provider's library belongs to (its slot numbers hold
 * for the library's classes), or NULL. */
void ort_find(struct ort *ort, struct rtti *rtti, const struct ort *host);

/* The mangled name of the class whose tables hold the family's slot. */
const char *ort_class(enum ort_family family);

#endif
