/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds small ONNX models for tests, field by field. Texts that name several values are separated by spaces; "-" is an
 * omitted one.
 */
#ifndef UNIT_ONNX_BUILD_H
#define UNIT_ONNX_BUILD_H

#include <stdlib.h>
#include <string.h>

#include "model/onnx/onnx.h"
#include "pb_out.h"

struct build {
	uint8_t data[1 << 16];
	struct pb_out out;
	size_t graph;
};

static inline void build_text(struct build *to, uint32_t number, const char *text)
{
	pb_out_bytes(&to->out, number, text, strlen(text));
}

static inline void build_names(struct build *to, uint32_t number, const char *names)
{
	for (const char *end; *names; names = *end ? end + 1 : end) {
		end = strchrnul(names, ' ');
		pb_out_bytes(&to->out, number, names, *names == '-' ? 0 : (size_t)(end - names));
	}
}

/* A type with dimensions as text: "4 n ?"; "" is a scalar, NULL no shape. */
static inline void build_type(struct build *to, uint32_t number, uint32_t elem, const char *dims)
{
	size_t type = pb_out_open(&to->out, number), tensor = pb_out_open(&to->out, 1), shape;

	pb_out_uint(&to->out, 1, elem);
	if (dims) {
		shape = pb_out_open(&to->out, 2);
		for (const char *end; *dims; dims = *end ? end + 1 : end) {
			size_t dim = pb_out_open(&to->out, 1);

			end = strchrnul(dims, ' ');
			if (*dims >= '0' && *dims <= '9')
				pb_out_uint(&to->out, 1, (uint64_t)atoll(dims));
			else if (*dims != '?')
				pb_out_bytes(&to->out, 2, dims, (size_t)(end - dims));
			pb_out_close(&to->out, dim);
		}
		pb_out_close(&to->out, shape);
	}
	pb_out_close(&to->out, tensor);
	pb_out_close(&to->out, type);
}

/* number: of the field in the graph: 11 an input, 12 an output, 13 a value between. */
static inline void build_value(struct build *to, uint32_t number, const char *name, uint32_t elem, const char *dims)
{
	size_t value = pb_out_open(&to->out, number);

	build_text(to, 1, name);
	build_type(to, 2, elem, dims);
	pb_out_close(&to->out, value);
}

static inline void build_tensor(struct build *to, uint32_t number, const char *name, uint32_t elem, const char *dims,
				const void *raw, size_t size)
{
	size_t tensor = pb_out_open(&to->out, number);

	for (const char *end; *dims; dims = *end ? end + 1 : end) {
		end = strchrnul(dims, ' ');
		pb_out_uint(&to->out, 1, (uint64_t)atoll(dims));
	}
	pb_out_uint(&to->out, 2, elem);
	build_text(to, 8, name);
	if (raw)
		pb_out_bytes(&to->out, 9, raw, size);
	pb_out_close(&to->out, tensor);
}

/* An initializer of whole numbers of 64 bits. */
#define build_ints(to, name, ...) \
	do { \
		int64_t values_[] = { __VA_ARGS__ }; \
		char dims_[24]; \
		snprintf(dims_, sizeof dims_, "%zu", sizeof values_ / sizeof *values_); \
		build_tensor(to, 5, name, TENSOR_INT64, dims_, values_, sizeof values_); \
	} while (0)

static inline void build_attr_int(struct build *to, const char *name, int64_t value)
{
	size_t attr = pb_out_open(&to->out, 5);

	build_text(to, 1, name);
	pb_out_uint(&to->out, 3, (uint64_t)value);
	pb_out_uint(&to->out, 20, 2);
	pb_out_close(&to->out, attr);
}

static inline void build_attr_ints(struct build *to, const char *name, const char *values)
{
	size_t attr = pb_out_open(&to->out, 5);

	build_text(to, 1, name);
	for (const char *end; *values; values = *end ? end + 1 : end) {
		end = strchrnul(values, ' ');
		pb_out_uint(&to->out, 8, (uint64_t)atoll(values));
	}
	pb_out_uint(&to->out, 20, 7);
	pb_out_close(&to->out, attr);
}

/* Opens a node for attributes; pb_out_close ends it. number: 1 in a graph, 7 in a function. */
static inline size_t build_node(struct build *to, uint32_t number, const char *op_type, const char *name,
				const char *inputs, const char *outputs)
{
	size_t node = pb_out_open(&to->out, number);

	build_names(to, 1, inputs);
	build_names(to, 2, outputs);
	build_text(to, 3, name);
	build_text(to, 4, op_type);
	return node;
}

static inline void build_plain(struct build *to, const char *op_type, const char *inputs, const char *outputs)
{
	pb_out_close(&to->out, build_node(to, 1, op_type, outputs, inputs, outputs));
}

/* Opens a graph as an attribute of the open node; build_graph_end ends it. */
static inline size_t build_graph(struct build *to, const char *name, size_t *graph)
{
	size_t attr = pb_out_open(&to->out, 5);

	build_text(to, 1, name);
	pb_out_uint(&to->out, 20, 5);
	*graph = pb_out_open(&to->out, 6);
	return attr;
}

static inline void build_graph_end(struct build *to, size_t attr, size_t graph)
{
	pb_out_close(&to->out, graph);
	pb_out_close(&to->out, attr);
}

/* Begins a model, with its graph open. */
static inline void build_begin(struct build *to)
{
	*to = (struct build){ .out = { .size = sizeof to->data } };
	to->out.data = to->data;
	pb_out_uint(&to->out, 1, 8);
	build_text(to, 2, "test");
	to->graph = pb_out_open(&to->out, 7);
	build_text(to, 2, "g");
}

static inline void build_graph_done(struct build *to)
{
	pb_out_close(&to->out, to->graph);
}

static inline void build_opset(struct build *to, uint32_t number, const char *domain, uint64_t version)
{
	size_t opset = pb_out_open(&to->out, number);

	build_text(to, 1, domain);
	pb_out_uint(&to->out, 2, version);
	pb_out_close(&to->out, opset);
}

static inline void build_end(struct build *to)
{
	build_graph_done(to);
	build_opset(to, 8, "", 17);
}

#endif
