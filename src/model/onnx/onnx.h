/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ONNX model in memory: the content of the file, and nothing derived from it. All of it lies in an arena or is
 * borrowed from the file's bytes, so the bytes must stay until onnx_done. Weights are never read: a tensor gives the
 * place of its data. Not thread-safe while reading; afterwards it is read-only.
 */
#ifndef MODEL_ONNX_ONNX_H
#define MODEL_ONNX_ONNX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/tensor/tensor.h"

/* The newest version of the standard domain whose operators the rules cover. */
enum { ONNX_NEWEST_OPSET = 28 };

/* "float16"; NULL for types without a name. */
static inline const char *onnx_elem_name(uint32_t elem)
{
	return tensor_type_info(elem) ? tensor_type_info(elem)->name : NULL;
}

/* Bits of one element; 0: texts and unknown types. */
static inline uint32_t onnx_elem_bits(uint32_t elem)
{
	return tensor_type_info(elem) ? tensor_type_info(elem)->bits : 0;
}

/* Bytes borrowed from the file, without a terminating NUL; data NULL: the file does not have the field. */
struct onnx_bytes {
	const uint8_t *data;
	size_t size;
};

/* A dimension: a number, a name, or neither. */
struct onnx_dim {
	int64_t value;	  /* -1: unknown */
	const char *name; /* NULL: none */
};

enum onnx_kind { ONNX_UNKNOWN, ONNX_TENSOR, ONNX_SPARSE_TENSOR, ONNX_SEQUENCE, ONNX_MAP, ONNX_OPTIONAL, ONNX_OPAQUE };

struct onnx_type {
	enum onnx_kind kind;
	uint32_t elem;	/* enum tensor_type, 0: unknown. Of a map: its keys */
	bool has_shape; /* false: even the number of dimensions is unknown */
	uint32_t n_dims;
	const struct onnx_dim *dims;
	const struct onnx_type *inner; /* of sequences, optionals, and the values of maps; NULL: absent */
};

/* Where a tensor's data lies. */
enum onnx_where {
	ONNX_NO_DATA,  /* nowhere: the file only has the shape */
	ONNX_RAW,      /* raw: little-endian bytes */
	ONNX_FIELDS,   /* in a field for its type; onnx_tensor_ints reads integers from there */
	ONNX_EXTERNAL, /* in a file beside the model */
};

struct onnx_tensor {
	const char *name;
	uint32_t elem;
	uint32_t n_dims;
	const int64_t *dims; /* none is negative */
	int64_t n_elements;  /* the product; never overflows */
	enum onnx_where where;
	struct onnx_bytes raw;	 /* ONNX_RAW */
	struct onnx_bytes proto; /* the whole message */
	const char *location;	 /* ONNX_EXTERNAL: as in the file, relative to the model's folder */
	int64_t offset, length;	 /* ONNX_EXTERNAL: in bytes; length -1: absent */
};

struct onnx_sparse {
	struct onnx_tensor values, indices;
	uint32_t n_dims;
	const int64_t *dims;
};

/* The numbers are those of files. */
enum onnx_attr_type {
	ONNX_ATTR_NONE,
	ONNX_ATTR_FLOAT,
	ONNX_ATTR_INT,
	ONNX_ATTR_STRING,
	ONNX_ATTR_TENSOR,
	ONNX_ATTR_GRAPH,
	ONNX_ATTR_FLOATS,
	ONNX_ATTR_INTS,
	ONNX_ATTR_STRINGS,
	ONNX_ATTR_TENSORS,
	ONNX_ATTR_GRAPHS,
	ONNX_ATTR_SPARSE_TENSOR,
	ONNX_ATTR_SPARSE_TENSORS,
	ONNX_ATTR_TYPE,
	ONNX_ATTR_TYPES,
};

struct onnx_attr {
	const char *name;
	const char *ref_name; /* in a function: the attribute of the call that provides the value; "": none */
	enum onnx_attr_type type;
	uint32_t n; /* of the arrays below; 1 for single values */
	int64_t i;
	float f;
	const int64_t *ints;
	const float *floats;
	const struct onnx_bytes *strings; /* STRING has one, too */
	/* NULL when there are none */
	const struct onnx_tensor *tensors;
	const struct onnx_sparse *sparse;
	const struct onnx_graph *graphs;
	const struct onnx_type *types;
};

struct onnx_node {
	const char *name; /* "": none */
	const char *op_type;
	const char *domain; /* "": the standard operators; a file's "ai.onnx" is read as "" */
	const char *overload;
	uint32_t n_inputs, n_outputs, n_attrs;
	const char *const *inputs, *const *outputs; /* "": omitted */
	const struct onnx_attr *attrs;
	size_t at; /* byte in the file */
};

struct onnx_value {
	const char *name;
	struct onnx_type type;
};

struct onnx_graph {
	const char *name;
	uint32_t n_nodes, n_initializers, n_sparse, n_inputs, n_outputs, n_values;
	const struct onnx_node *nodes;
	const struct onnx_tensor *initializers;
	const struct onnx_sparse *sparse;
	const struct onnx_value *inputs, *outputs;
	const struct onnx_value *values; /* what the file declares about the values between the nodes */
	struct onnx_bytes doc;
};

struct onnx_opset {
	const char *domain; /* as in struct onnx_node */
	int64_t version;
};

struct onnx_function {
	const char *name, *domain, *overload;
	uint32_t n_inputs, n_outputs, n_attrs, n_defaults, n_nodes, n_opsets, n_values;
	const char *const *inputs, *const *outputs, *const *attrs; /* attrs: those without a default */
	const struct onnx_attr *defaults;
	const struct onnx_node *nodes;
	const struct onnx_opset *opsets;
	const struct onnx_value *values;
};

struct onnx_metadata {
	struct onnx_bytes key, value;
};

struct onnx_model {
	struct arena arena;
	struct onnx_bytes file;
	bool is_mapped; /* file is ours to unmap */
	char *path;	/* NULL: read from bytes */

	int64_t ir_version, version; /* version: the model's own; 0: none */
	const char *producer_name, *producer_version, *domain;
	struct onnx_bytes doc;
	uint32_t n_opsets, n_functions, n_metadata;
	const struct onnx_opset *opsets;
	const struct onnx_function *functions;
	const struct onnx_metadata *metadata;
	struct onnx_graph graph;
	uint32_t n_graphs;   /* the graph and all nested ones, at any depth, those of functions included */
	uint32_t n_training; /* parts for training, which are ignored */
};

/*
 * Reads the model at path. 0; or -errno and err: "cannot read PATH: at byte 1042: ...", or which other kind of file it
 * is and what to do. Does not open files of external data, see onnx_external.h. Call onnx_done after a failure, too.
 */
int onnx_read_file(struct onnx_model *model, const char *path, struct err *err);
/* The same for bytes in memory, owned by the caller: "at byte 1042: ...". */
int onnx_read_bytes(struct onnx_model *model, const void *bytes, size_t size, struct err *err);
void onnx_done(struct onnx_model *model);

/* Whether a list of types separated by spaces contains this one. */
bool onnx_op_in(const char *op_types, const char *op_type);

/* The attribute of that name, or NULL. */
const struct onnx_attr *onnx_attr_find(const struct onnx_node *node, const char *name);

/* The version of a domain's operators that the model imports; 0: it does not import the domain. */
int64_t onnx_opset_version(const struct onnx_model *model, const char *domain);

/*
 * The first `max` elements of a tensor of integers or booleans. Returns its number of elements; -1: another type,
 * external data, or fewer elements in the file than the shape needs.
 */
int64_t onnx_tensor_ints(const struct onnx_tensor *tensor, int64_t *to, size_t max);
/* The same for float32, float16 and float64 numbers. */
int64_t onnx_tensor_floats(const struct onnx_tensor *tensor, double *to, size_t max);
/* Bytes of the packed elements; -1: texts and unknown types. */
int64_t onnx_tensor_bytes(const struct onnx_tensor *tensor);

#endif
