/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files that read a model (onnx_read.c, onnx_graph.c, onnx_tensor.c, onnx_type.c). */
#ifndef MODEL_ONNX_ONNX_IN_H
#define MODEL_ONNX_ONNX_IN_H

#include <stdint.h>

#include "base/arena.h"
#include "base/pb.h"
#include "model/onnx/onnx.h"

/* A map from texts to pointers, in an arena. Keys are borrowed. */
struct onnx_map {
	struct arena *arena;
	struct onnx_map_slot *slots;
	uint32_t n, n_slots;
};

/* The value of the key; NULL: none. */
void *onnx_map_get(const struct onnx_map *map, const char *key);
/* Sets the value of the key. 0, or -ENOMEM. */
int onnx_map_put(struct onnx_map *map, const char *key, void *value);

enum { ONNX_MAX_GRAPHS = 64, ONNX_MAX_OPSETS = 1000, ONNX_MAX_TYPES = 32, ONNX_MAX_FIELD = 32 };

struct onnx_in {
	struct onnx_model *model;
	const uint8_t *base;
	struct err *err;
	int depth; /* of nested graphs */
};

/* One message: its name for error messages, and the number of fields with each field number. */
struct onnx_message {
	struct onnx_in *in;
	const char *what;
	struct pb_in pb;
	struct pb_field field;
	const uint8_t *at; /* tag of the field */
	uint32_t n[ONNX_MAX_FIELD];
};

/* Counts the fields, so that arrays can be allocated before the second pass. 0 or -EINVAL. */
int onnx_in_open(struct onnx_message *message, struct onnx_in *in, const char *what, const struct pb_field *field);
/* The next field: 1, 0 at the end, or -EINVAL. */
int onnx_in_next(struct onnx_message *message);

/* "at byte N: ...", where N is the offset of `at`. Returns -EINVAL. */
int onnx_in_fail(struct onnx_in *in, const uint8_t *at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Room for n zeroed elements (n 0: a pointer that is not NULL). NULL and err: out of memory. */
void *onnx_in_alloc(struct onnx_in *in, size_t n, size_t size);

/* The value of the current field. All return 0 or -EINVAL, also for another wire type. */
int onnx_in_text(struct onnx_message *message, const char **to);
int onnx_in_bytes(struct onnx_message *message, struct onnx_bytes *to);
int onnx_in_int(struct onnx_message *message, int64_t *to);
int onnx_in_float(struct onnx_message *message, float *to);
/* A repeated number, packed or not: appended to to[*n] if there is room; with to NULL only counted. */
int onnx_in_ints(struct onnx_message *message, int64_t *to, uint32_t *n);
int onnx_in_floats(struct onnx_message *message, float *to, uint32_t *n);
/* 0 if the field is a message, else -EINVAL. */
int onnx_in_is_message(struct onnx_message *message);

/* Each reads the message that the field holds. */
int onnx_tensor_read(struct onnx_in *in, const struct pb_field *field, struct onnx_tensor *to);
int onnx_sparse_read(struct onnx_in *in, const struct pb_field *field, struct onnx_sparse *to);
int onnx_type_read(struct onnx_in *in, const struct pb_field *field, int depth, struct onnx_type *to);
int onnx_value_read(struct onnx_in *in, const struct pb_field *field, struct onnx_value *to);
int onnx_graph_read(struct onnx_in *in, const struct pb_field *field, struct onnx_graph *to);
int onnx_opset_read(struct onnx_in *in, const struct pb_field *field, struct onnx_opset *to);
int onnx_function_read(struct onnx_in *in, const struct pb_field *field, struct onnx_function *to);

/* Initializers with the same content: weights that a file holds more than once. */
struct onnx_repeat {
	const struct onnx_tensor *tensor; /* the first of them */
	uint32_t n;			  /* 2 or more */
};

struct onnx_repeats {
	uint32_t n;
	const struct onnx_repeat *groups; /* the most wasteful first */
	int64_t bytes;			  /* bytes of all copies but the first */
};

/*
 * Compares the initializers of all graphs that have at least 256 bytes of data inside the file. Reads in full only
 * those that are equal at both ends. The result lies in the model's arena. 0, or -ENOMEM.
 */
int onnx_repeat_find(struct onnx_model *model, struct onnx_repeats *to, struct err *err);

#endif
