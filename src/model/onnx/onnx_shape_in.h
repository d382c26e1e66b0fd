/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the rules of shape inference (onnx_shape_*.c). */
#ifndef MODEL_ONNX_ONNX_SHAPE_IN_H
#define MODEL_ONNX_ONNX_SHAPE_IN_H

#include "model/onnx/onnx_shape.h"

enum {
	SHAPE_MAX_RANK = 64,	   /* a tensor with more dimensions gets an unknown shape */
	SHAPE_MAX_CONTAINERS = 40, /* nested sequences, maps and optionals; a deeper type is unknown */
	SHAPE_MAX_ELEMS = 1024,	   /* the elements of a larger tensor are unknown */
	SHAPE_MAX_ELEMS_IN_ALL = 4000000,
};

/* One node while its outputs are being inferred. */
struct shape_run {
	struct shape_model *model;
	struct shape_scope *scope;
	struct shape_node *at;
	const struct onnx_node *node;
	int64_t opset; /* of the node's domain; 0: absent */
	struct shape_engine *engine;
};

/* A shape under construction; unknown while rank is -1. */
struct shape_dims {
	int rank;
	struct onnx_dim dim[SHAPE_MAX_RANK];
};

typedef void shape_rule(struct shape_run *run, int arg);

/* The rule of an operator, or NULL; *arg is passed to it. */
shape_rule *onnx_shape_rule(const char *domain, const char *op_type, int *arg);

/* Inputs. NULL, 0 or -1 for an input that is omitted, is not a tensor, or has an unknown type. */
const struct shape_value *shape_in(const struct shape_run *run, uint32_t i);
uint32_t shape_in_elem(const struct shape_run *run, uint32_t i);
int shape_in_rank(const struct shape_run *run, uint32_t i);
struct shape_dims shape_in_dims(const struct shape_run *run, uint32_t i);
/* All elements, in the arena; NULL and *n 0: not all are known. */
const int64_t *shape_in_ints(const struct shape_run *run, uint32_t i, uint32_t *n);
/* The first element. false: unknown. */
bool shape_in_int(const struct shape_run *run, uint32_t i, int64_t *to);
/* The first elements of a constant of float32, float64 or float16; returns its number of elements, or -1: unknown. */
int64_t shape_in_floats(const struct shape_run *run, uint32_t i, double *to, uint32_t max);

/* Attributes. */
const struct onnx_attr *shape_attr(const struct shape_run *run, const char *name);
int64_t shape_attr_int(const struct shape_run *run, const char *name, int64_t fallback);
const int64_t *shape_attr_ints(const struct shape_run *run, const char *name, uint32_t *n);
/* Whether the text attribute has this value. */
bool shape_attr_is(const struct shape_run *run, const char *name, const char *value);
/* Integers from an attribute or (in newer versions) an input. NULL and *is_given: given but unknown. */
const int64_t *shape_ints(const struct shape_run *run, const char *name, uint32_t input, uint32_t *n, bool *is_given);

/* Outputs. Ignores outputs that the node does not have. elem 0: unknown. */
void shape_out(const struct shape_run *run, uint32_t o, uint32_t elem, const struct shape_dims *dims);
/* The type and elements of input i. */
void shape_out_like(const struct shape_run *run, uint32_t o, uint32_t i);
/* Ignores a type with too many nested containers. */
void shape_out_type(const struct shape_run *run, uint32_t o, const struct onnx_type *type);
void shape_out_scalar(const struct shape_run *run, uint32_t o, uint32_t elem);
/* elems: borrowed; n of them, which must be the shape's number of elements. */
void shape_out_elems(const struct shape_run *run, uint32_t o, const struct shape_elem *elems, uint32_t n);
struct shape_elem *shape_new_elems(const struct shape_run *run, uint32_t n);
/* A new copy of a type in the arena; NULL: out of memory. */
struct onnx_type *shape_new_type(const struct shape_run *run, const struct onnx_type *like);

/* Dimensions. */
extern const struct shape_dims shape_unknown;
struct onnx_dim shape_dim(int64_t value);  /* below 0: unknown */
struct shape_dims shape_of_rank(int rank); /* all unknown */
struct shape_dims shape_from(const struct onnx_type *type);
void shape_add(struct shape_dims *dims, struct onnx_dim dim);
bool shape_dim_is_same(struct onnx_dim a, struct onnx_dim b); /* true only if certain */
/* Merges two descriptions of one dimension; numbers win. *differ: they contradict each other. */
struct onnx_dim shape_dim_merge(struct onnx_dim a, struct onnx_dim b, bool *differ);
/* The product; unknown if a factor is unknown and none is 0. A single factor keeps its name. */
struct onnx_dim shape_product(const struct onnx_dim *dims, uint32_t n);
struct shape_dims shape_broadcast(const struct shape_dims *a, const struct shape_dims *b);
/* From 0; -1: no such axis. */
int shape_axis(int64_t axis, int rank);
struct shape_elem shape_elem(int64_t value);
struct shape_elem shape_elem_of(struct onnx_dim dim);
struct onnx_dim shape_dim_of(struct shape_elem elem);

/* Bodies (onnx_shape_body.c): services of the engine. */
void shape_keep_bodies(const struct shape_run *run, struct shape_scope *first, struct shape_scope *second);
/* Functions (onnx_shape_call.c): find all once per model; the one that a node calls, or NULL; infer a call. */
void shape_find_functions(struct shape_engine *engine);
const struct onnx_function *shape_function_of(struct shape_engine *engine, const struct onnx_node *node);
void shape_call(const struct shape_run *run, const struct onnx_function *function);
/* The common part of two types; where they differ it is unknown. */
struct onnx_type shape_type_common(const struct shape_run *run, const struct onnx_type *a, const struct onnx_type *b);

struct shape_engine {
	struct shape_model *model;
	struct shape_dim *dims; /* given by the user */
	uint32_t n_dims;
	struct onnx_map functions; /* by domain, name and overload: struct onnx_function */
	uint64_t n_inner;	   /* items processed in bodies and calls */
	uint64_t n_elems;	   /* elements allocated so far */
	bool is_out_of_memory, is_circle;
	struct err *err;
};

void *shape_alloc(struct shape_engine *engine, size_t n, size_t size);
/* Notes that two statements of the file contradict each other. */
void shape_conflict(struct shape_engine *engine, const struct onnx_node *node, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The known elements of a tensor, NULL: none. */
const struct shape_elem *shape_tensor_elems(struct shape_engine *engine, const struct onnx_tensor *tensor);
/* A scope with its initializers, without inputs and inference. NULL: too many, or out of memory. */
struct shape_scope *shape_scope_new(struct shape_engine *engine, const struct onnx_graph *graph,
				    const struct onnx_function *function, const struct shape_scope *outer,
				    uint32_t depth);
/* An input of a scope: the file's type, merged with the given value (NULL: none). NULL: out of memory. */
struct shape_value *shape_scope_input(struct shape_engine *engine, struct shape_scope *scope, const char *name,
				      const struct onnx_type *declared, const struct onnx_type *given);
/* A value of this name; a look-up finds the first one. NULL: out of memory. */
struct shape_value *shape_value_new(struct shape_engine *engine, struct shape_scope *scope, const char *name);
/* A type as in the file, with the given dimensions filled in. value_name: of inputs, else NULL. */
struct onnx_type shape_resolve(struct shape_engine *engine, const struct onnx_type *said, const char *value_name);
/* declared: the file's types, by name. */
void shape_node_infer(struct shape_engine *engine, struct shape_scope *scope, struct shape_node *at,
		      const struct onnx_map *declared);
/* Infers all nodes, each after the nodes that it uses; then the outputs. */
void shape_scope_infer(struct shape_engine *engine, struct shape_scope *scope);

/* The rules, by file. */
shape_rule rule_same, rule_same_bool, rule_broadcast, rule_broadcast_bool, rule_variadic, rule_where, rule_expand,
    rule_prelu, rule_dropout, rule_batch_norm, rule_layer_norm, rule_cast, rule_cast_like,
    rule_like_dtype;									    /* onnx_shape_plain.c */
shape_rule rule_matmul, rule_gemm, rule_einsum, rule_reduce, rule_arg, rule_topk, rule_det; /* onnx_shape_product.c */
shape_rule rule_conv, rule_conv_transpose, rule_pool, rule_global_pool, rule_deform_conv, rule_roi_align, rule_roi_pool,
    rule_unpool, rule_col2im; /* onnx_shape_conv.c */
shape_rule rule_reshape, rule_flatten, rule_squeeze, rule_unsqueeze, rule_transpose, rule_concat, rule_split, rule_tile,
    rule_pad, rule_resize, rule_depth_to_space, rule_space_to_depth, rule_center_crop_pad; /* onnx_shape_move.c */
shape_rule rule_slice, rule_gather, rule_gather_elements, rule_gather_nd, rule_compress, rule_nonzero, rule_unique,
    rule_onehot, rule_nms, rule_grid_sample, rule_affine_grid; /* onnx_shape_index.c */
shape_rule rule_constant, rule_constant_of_shape, rule_shape, rule_size, rule_range, rule_random, rule_multinomial,
    rule_window, rule_dft, rule_stft, rule_mel; /* onnx_shape_make.c */
shape_rule rule_rnn, rule_quantize, rule_dequantize, rule_dynamic_quantize, rule_loss, rule_attention, rule_tensor_elem,
    rule_string_split, rule_string_normalizer, rule_bit_cast; /* onnx_shape_net.c */
shape_rule rule_ms_skip_norm, rule_ms_embed_norm, rule_ms_attention, rule_ms_multi_head, rule_ms_group_query,
    rule_ms_fused_matmul, rule_ms_nbits, rule_ms_qgemm, rule_ms_qconcat, rule_ms_dynamic_matmul,
    rule_ms_split_gelu; /* onnx_shape_ms.c */
shape_rule rule_if, rule_loop, rule_scan, rule_sequence_construct, rule_sequence_at, rule_sequence_same,
    rule_sequence_empty, rule_sequence_length, rule_split_to_sequence, rule_concat_from_sequence, rule_optional,
    rule_optional_get, rule_optional_has; /* onnx_shape_body.c, onnx_shape_sequence.c */

shape_rule rule_linear_attention, rule_causal_conv, rule_image_decoder, rule_tfidf, rule_label_encoder,
    rule_array_features, rule_regressor, rule_classifier, rule_optimizer; /* onnx_shape_rare.c */
shape_rule rule_sequence_map;						  /* onnx_shape_body.c */

#endif
