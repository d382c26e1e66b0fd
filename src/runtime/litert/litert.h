/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of the inside of TensorFlow Lite, which is called LiteRT since 2024: its families, its C structures
 * (tensorflow/lite/core/c/common.h), which have kept their beginnings since 2021, and texts that lead to functions.
 */
#ifndef RUNTIME_LITERT_LITERT_H
#define RUNTIME_LITERT_LITERT_H

#include "runtime/find/eh_frame.h"
#include "runtime/find/text_anchor.h"
#include "runtime/runtimes.h"

enum litert_family { LITERT_RELEASE, LITERT_ERRORS, LITERT_MODELS, LITERT_RUNS, N_LITERT_FAMILIES };

/* Functions that are not virtual. Each is the only one that refers to its text, in every version that was read. */
enum litert_function { LITERT_BUILD, LITERT_DELEGATE, LITERT_ALLOCATE, LITERT_INVOKE, N_LITERT_FUNCTIONS };

enum {
	LITERT_CUSTOM = 32, /* BuiltinOperator of an operator that goes by its own name */
	LITERT_DELEGATED = 51,
	LITERT_FILE = 1, /* TfLiteAllocationType of a tensor that lies in the model's file */
	LITERT_MANY = 1 << 20,
};

struct litert_ints {
	int32_t n, at[];
};

struct litert_tensor {
	int32_t type;
	uint64_t data;
	const struct litert_ints *dims;
	float scale;
	int32_t zero_point;
	int32_t allocation;
	uint64_t n_bytes, more;
	const char *name;
	uint64_t rest[6];
};

struct litert_context {
	uint64_t n_tensors, get_plan;
	const struct litert_tensor *tensors;
	uint64_t subgraph; /* whose context it is */
};

struct litert_node {
	const struct litert_ints *inputs, *outputs;
	uint64_t middle[6];
	uint64_t delegate;
	uint64_t rest;
};

/* It follows its node in a subgraph's list. */
struct litert_registration {
	uint64_t init, free, prepare, invoke, profiling;
	int32_t code; /* BuiltinOperator */
	const char *custom;
	int32_t version;
};

/* Which of the virtual functions of InterpreterInfo is which; they return what a subgraph executes. */
struct litert_info {
	uint64_t table; /* 0: not recognised */
	uint8_t n_nodes, node, inputs;
};

extern const struct runtime runtime_litert;
extern const struct runtime_family litert_families[N_LITERT_FAMILIES];

/* Finds it by the number of its functions, which has changed twice. */
struct litert_info litert_find_info(const struct rtti *rtti);
/* The functions by their texts; 0: not found beyond doubt. */
void litert_find_functions(uint64_t function[N_LITERT_FUNCTIONS], const struct eh_frame *frames);
/* "CONV_2D"; NULL: newer than this table. */
const char *litert_operator_name(int code);
/* ONNXTensorElementDataType of a TfLiteType; 0: none. */
uint32_t litert_element_type(int type);

#ifndef IN_AGENT
int litert_find_sites(struct probe_sites *sites, const struct image_file *file, const struct probe_sites *host,
		      struct err *err);
#endif

#endif
