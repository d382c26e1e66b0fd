// SPDX-License-Identifier: Apache-2.0
/*
 * Reads the graphs of a model and their nodes, attributes and values, and functions, which are graphs with parameters.
 */
#include <errno.h>

#include "model/onnx/onnx_in.h"

/* The fields of AttributeProto that hold values, by type, and the types that old files mean by type 0. */
static const struct {
	uint8_t type, number;
} attr_fields[] = {
	{ ONNX_ATTR_FLOAT, 2 },		 { ONNX_ATTR_INT, 3 },
	{ ONNX_ATTR_STRING, 4 },	 { ONNX_ATTR_TENSOR, 5 },
	{ ONNX_ATTR_GRAPH, 6 },		 { ONNX_ATTR_FLOATS, 7 },
	{ ONNX_ATTR_INTS, 8 },		 { ONNX_ATTR_STRINGS, 9 },
	{ ONNX_ATTR_TENSORS, 10 },	 { ONNX_ATTR_GRAPHS, 11 },
	{ ONNX_ATTR_SPARSE_TENSOR, 22 }, { ONNX_ATTR_SPARSE_TENSORS, 23 },
	{ ONNX_ATTR_TYPE, 14 },		 { ONNX_ATTR_TYPES, 15 },
};

static uint32_t attr_number(enum onnx_attr_type type)
{
	for (size_t i = 0; i < sizeof attr_fields / sizeof *attr_fields; i++) {
		if (attr_fields[i].type == type)
			return attr_fields[i].number;
	}
	return 0;
}

/* The size of an element for types held by pointer; 0: a plain number. */
static size_t attr_element(enum onnx_attr_type type)
{
	switch (type) {
	case ONNX_ATTR_STRING:
	case ONNX_ATTR_STRINGS:
		return sizeof(struct onnx_bytes);
	case ONNX_ATTR_TENSOR:
	case ONNX_ATTR_TENSORS:
		return sizeof(struct onnx_tensor);
	case ONNX_ATTR_SPARSE_TENSOR:
	case ONNX_ATTR_SPARSE_TENSORS:
		return sizeof(struct onnx_sparse);
	case ONNX_ATTR_GRAPH:
	case ONNX_ATTR_GRAPHS:
		return sizeof(struct onnx_graph);
	case ONNX_ATTR_TYPE:
	case ONNX_ATTR_TYPES:
		return sizeof(struct onnx_type);
	case ONNX_ATTR_INTS:
		return sizeof(int64_t);
	case ONNX_ATTR_FLOATS:
		return sizeof(float);
	default:
		return 0;
	}
}

static int read_attr_item(struct onnx_message *message, enum onnx_attr_type type, void *items, uint32_t *n)
{
	struct onnx_in *in = message->in;
	uint32_t i = *n;
	int code;

	if (type == ONNX_ATTR_INTS)
		return onnx_in_ints(message, items, n);
	if (type == ONNX_ATTR_FLOATS)
		return onnx_in_floats(message, items, n);
	++*n;
	if ((code = onnx_in_is_message(message)) || !items)
		return code;
	switch (type) {
	case ONNX_ATTR_STRING:
	case ONNX_ATTR_STRINGS:
		return onnx_in_bytes(message, (struct onnx_bytes *)items + i);
	case ONNX_ATTR_TENSOR:
	case ONNX_ATTR_TENSORS:
		return onnx_tensor_read(in, &message->field, (struct onnx_tensor *)items + i);
	case ONNX_ATTR_SPARSE_TENSOR:
	case ONNX_ATTR_SPARSE_TENSORS:
		return onnx_sparse_read(in, &message->field, (struct onnx_sparse *)items + i);
	case ONNX_ATTR_GRAPH:
	case ONNX_ATTR_GRAPHS:
		return onnx_graph_read(in, &message->field, (struct onnx_graph *)items + i);
	default:
		return onnx_type_read(in, &message->field, 0, (struct onnx_type *)items + i);
	}
}

/* Reads all fields that hold the value: counts them first, then fills the array. */
static int read_attr_items(const struct onnx_message *message, struct onnx_attr *to)
{
	uint32_t number = attr_number(to->type);
	void *items = NULL;
	int next = 0;

	for (int round = 0; round < 2 && !next; round++) {
		struct onnx_message copy = *message;
		uint32_t n = 0;

		if (round && !(items = onnx_in_alloc(message->in, to->n, attr_element(to->type))))
			return -ENOMEM;
		while ((next = onnx_in_next(&copy)) > 0) {
			if (copy.field.number == number && (next = read_attr_item(&copy, to->type, items, &n)))
				return next;
		}
		to->n = n;
	}
	if (to->type == ONNX_ATTR_INTS)
		to->ints = items;
	else if (to->type == ONNX_ATTR_FLOATS)
		to->floats = items;
	else if (to->type == ONNX_ATTR_STRING || to->type == ONNX_ATTR_STRINGS)
		to->strings = items;
	else if (to->type == ONNX_ATTR_TENSOR || to->type == ONNX_ATTR_TENSORS)
		to->tensors = items;
	else if (to->type == ONNX_ATTR_GRAPH || to->type == ONNX_ATTR_GRAPHS)
		to->graphs = items;
	else if (to->type == ONNX_ATTR_TYPE || to->type == ONNX_ATTR_TYPES)
		to->types = items;
	else
		to->sparse = items;
	return next;
}

static int read_attr_head(struct onnx_message message, struct onnx_attr *to)
{
	int64_t type = 0;
	int next;

	while ((next = onnx_in_next(&message)) > 0) {
		next = 0;
		if (message.field.number == 1)
			next = onnx_in_text(&message, &to->name);
		else if (message.field.number == 21)
			next = onnx_in_text(&message, &to->ref_name);
		else if (message.field.number == 20)
			next = onnx_in_int(&message, &type);
		else if (message.field.number == 2)
			next = onnx_in_float(&message, &to->f);
		else if (message.field.number == 3)
			next = onnx_in_int(&message, &to->i);
		if (next)
			return next;
	}
	to->type = type > 0 && type <= ONNX_ATTR_TYPES ? (enum onnx_attr_type)type : ONNX_ATTR_NONE;
	for (size_t i = 0; !type && i < sizeof attr_fields / sizeof *attr_fields; i++) {
		if (message.n[attr_fields[i].number])
			to->type = attr_fields[i].type;
	}
	return 0;
}

static int onnx_attr_read(struct onnx_in *in, const struct pb_field *field, struct onnx_attr *to)
{
	struct onnx_message message;
	int code = onnx_in_open(&message, in, "an attribute", field);

	*to = (struct onnx_attr){ .name = "", .ref_name = "" };
	if (code || (code = read_attr_head(message, to)))
		return code;
	to->n = 1;
	if (!attr_element(to->type) || *to->ref_name)
		return 0;
	if ((code = read_attr_items(&message, to)))
		return code;
	/* A pointer to the first tensor, graph or type must point at something. */
	if (!to->n) {
		to->tensors = NULL;
		to->sparse = NULL;
		to->graphs = NULL;
		to->types = NULL;
	}
	/* A missing single value is an empty one; of several the last counts. A missing tensor or graph is an error. */
	if (!to->n && (to->type == ONNX_ATTR_TENSOR || to->type == ONNX_ATTR_GRAPH || to->type == ONNX_ATTR_TYPE ||
		       to->type == ONNX_ATTR_SPARSE_TENSOR || to->type == ONNX_ATTR_STRING))
		to->type = ONNX_ATTR_NONE;
	return 0;
}

/* Appends a field's text to an array. */
static int add_text(struct onnx_message *message, const char **texts, uint32_t *n)
{
	return onnx_in_text(message, &texts[(*n)++]);
}

/* "ai.onnx" is another name of the standard domain. */
static int read_domain(struct onnx_message *message, const char **to)
{
	int code = onnx_in_text(message, to);

	if (!code && !strcmp(*to, "ai.onnx"))
		*to = "";
	return code;
}

static int read_node_field(struct onnx_message *message, struct onnx_node *to, const char **inputs,
			   const char **outputs, struct onnx_attr *attrs)
{
	int code;

	switch (message->field.number) {
	case 1:
		return add_text(message, inputs, &to->n_inputs);
	case 2:
		return add_text(message, outputs, &to->n_outputs);
	case 3:
		return onnx_in_text(message, &to->name);
	case 4:
		return onnx_in_text(message, &to->op_type);
	case 5:
		if ((code = onnx_in_is_message(message)))
			return code;
		return onnx_attr_read(message->in, &message->field, &attrs[to->n_attrs++]);
	case 7:
		return read_domain(message, &to->domain);
	case 8:
		return onnx_in_text(message, &to->overload);
	}
	return 0;
}

static int onnx_node_read(struct onnx_in *in, const struct pb_field *field, struct onnx_node *to)
{
	struct onnx_message message;
	const char **inputs, **outputs;
	struct onnx_attr *attrs;
	int next = onnx_in_open(&message, in, "a node", field);

	*to = (struct onnx_node){
		.name = "", .op_type = "", .domain = "", .overload = "", .at = (size_t)(field->data - in->base)
	};
	if (next)
		return next;
	inputs = onnx_in_alloc(in, message.n[1], sizeof *inputs);
	outputs = onnx_in_alloc(in, message.n[2], sizeof *outputs);
	attrs = onnx_in_alloc(in, message.n[5], sizeof *attrs);
	if (!inputs || !outputs || !attrs)
		return -ENOMEM;
	to->inputs = inputs;
	to->outputs = outputs;
	to->attrs = attrs;
	while (!next && (next = onnx_in_next(&message)) > 0)
		next = read_node_field(&message, to, inputs, outputs, attrs);
	if (!next && !*to->op_type)
		return onnx_in_fail(in, field->data, "node \"%.100s\" does not name its operator", to->name);
	return next;
}

int onnx_opset_read(struct onnx_in *in, const struct pb_field *field, struct onnx_opset *to)
{
	struct onnx_message message;
	int next = onnx_in_open(&message, in, "an operator set", field);

	*to = (struct onnx_opset){ .domain = "" };
	while (!next && (next = onnx_in_next(&message)) > 0) {
		next = 0;
		if (message.field.number == 1)
			next = read_domain(&message, &to->domain);
		else if (message.field.number == 2)
			next = onnx_in_int(&message, &to->version);
	}
	return next;
}

/* The arrays of a graph while they are being filled. */
struct filling {
	struct onnx_node *nodes;
	struct onnx_tensor *initializers;
	struct onnx_sparse *sparse;
	struct onnx_value *inputs, *outputs, *values;
};

static int fill_graph(struct onnx_message *message, struct onnx_graph *to, const struct filling *fill)
{
	struct onnx_in *in = message->in;
	const struct pb_field *field = &message->field;
	uint32_t number = field->number;
	int code = 0;

	if ((number == 1 || number == 5 || number >= 11) && number <= 15 && number != 14)
		code = onnx_in_is_message(message);
	if (code)
		return code;
	switch (number) {
	case 1:
		return onnx_node_read(in, field, &fill->nodes[to->n_nodes++]);
	case 2:
		return onnx_in_text(message, &to->name);
	case 5:
		return onnx_tensor_read(in, field, &fill->initializers[to->n_initializers++]);
	case 10:
		return onnx_in_bytes(message, &to->doc);
	case 11:
		return onnx_value_read(in, field, &fill->inputs[to->n_inputs++]);
	case 12:
		return onnx_value_read(in, field, &fill->outputs[to->n_outputs++]);
	case 13:
		return onnx_value_read(in, field, &fill->values[to->n_values++]);
	case 15:
		return onnx_sparse_read(in, field, &fill->sparse[to->n_sparse++]);
	}
	return 0;
}

int onnx_graph_read(struct onnx_in *in, const struct pb_field *field, struct onnx_graph *to)
{
	struct onnx_message message;
	struct filling fill;
	int next;

	if (in->depth >= ONNX_MAX_GRAPHS)
		return onnx_in_fail(in, field->data, "graphs are nested more than %d deep", ONNX_MAX_GRAPHS);
	if ((next = onnx_in_open(&message, in, in->depth ? "an inner graph" : "the graph", field)))
		return next;
	fill = (struct filling){
		.nodes = onnx_in_alloc(in, message.n[1], sizeof *fill.nodes),
		.initializers = onnx_in_alloc(in, message.n[5], sizeof *fill.initializers),
		.inputs = onnx_in_alloc(in, message.n[11], sizeof *fill.inputs),
		.outputs = onnx_in_alloc(in, message.n[12], sizeof *fill.outputs),
		.values = onnx_in_alloc(in, message.n[13], sizeof *fill.values),
		.sparse = onnx_in_alloc(in, message.n[15], sizeof *fill.sparse),
	};
	if (!fill.nodes || !fill.initializers || !fill.inputs || !fill.outputs || !fill.values || !fill.sparse)
		return -ENOMEM;
	*to = (struct onnx_graph){ .name = "",
				   .nodes = fill.nodes,
				   .initializers = fill.initializers,
				   .inputs = fill.inputs,
				   .outputs = fill.outputs,
				   .values = fill.values,
				   .sparse = fill.sparse };
	in->model->n_graphs++;
	in->depth++;
	while (!next && (next = onnx_in_next(&message)) > 0)
		next = fill_graph(&message, to, &fill);
	in->depth--;
	return next;
}

/* The arrays of a function while they are being filled. */
struct function_filling {
	const char **inputs, **outputs, **attrs;
	struct onnx_attr *defaults;
	struct onnx_node *nodes;
	struct onnx_opset *opsets;
	struct onnx_value *values;
};

static int fill_function(struct onnx_message *message, struct onnx_function *to, const struct function_filling *fill)
{
	struct onnx_in *in = message->in;
	const struct pb_field *field = &message->field;
	uint32_t number = field->number;

	if ((number == 7 || number == 9 || number == 11 || number == 12) && onnx_in_is_message(message))
		return -EINVAL;
	switch (number) {
	case 1:
		return onnx_in_text(message, &to->name);
	case 4:
		return add_text(message, fill->inputs, &to->n_inputs);
	case 5:
		return add_text(message, fill->outputs, &to->n_outputs);
	case 6:
		return add_text(message, fill->attrs, &to->n_attrs);
	case 7:
		return onnx_node_read(in, field, &fill->nodes[to->n_nodes++]);
	case 9:
		return onnx_opset_read(in, field, &fill->opsets[to->n_opsets++]);
	case 10:
		return read_domain(message, &to->domain);
	case 11:
		return onnx_attr_read(in, field, &fill->defaults[to->n_defaults++]);
	case 12:
		return onnx_value_read(in, field, &fill->values[to->n_values++]);
	case 13:
		return onnx_in_text(message, &to->overload);
	}
	return 0;
}

int onnx_function_read(struct onnx_in *in, const struct pb_field *field, struct onnx_function *to)
{
	struct onnx_message message;
	struct function_filling fill;
	int next = onnx_in_open(&message, in, "a function", field);

	if (next)
		return next;
	if (message.n[9] > ONNX_MAX_OPSETS)
		return onnx_in_fail(in, field->data, "a function imports %u operator sets, which is impossible",
				    message.n[9]);
	fill = (struct function_filling){
		.inputs = onnx_in_alloc(in, message.n[4], sizeof *fill.inputs),
		.outputs = onnx_in_alloc(in, message.n[5], sizeof *fill.outputs),
		.attrs = onnx_in_alloc(in, message.n[6], sizeof *fill.attrs),
		.nodes = onnx_in_alloc(in, message.n[7], sizeof *fill.nodes),
		.opsets = onnx_in_alloc(in, message.n[9], sizeof *fill.opsets),
		.defaults = onnx_in_alloc(in, message.n[11], sizeof *fill.defaults),
		.values = onnx_in_alloc(in, message.n[12], sizeof *fill.values),
	};
	if (!fill.inputs || !fill.outputs || !fill.attrs || !fill.nodes || !fill.opsets || !fill.defaults ||
	    !fill.values)
		return -ENOMEM;
	*to = (struct onnx_function){ .name = "",
				      .domain = "",
				      .overload = "",
				      .inputs = fill.inputs,
				      .outputs = fill.outputs,
				      .attrs = fill.attrs,
				      .nodes = fill.nodes,
				      .opsets = fill.opsets,
				      .defaults = fill.defaults,
				      .values = fill.values };
	while (!next && (next = onnx_in_next(&message)) > 0)
		next = fill_function(&message, to, &fill);
	return next;
}

bool onnx_op_in(const char *op_types, const char *op_type)
{
	size_t len = strlen(op_type);

	if (!len || strchr(op_type, ' '))
		return false;
	for (const char *at = op_types; (at = strstr(at, op_type)); at += len) {
		if ((at == op_types || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	}
	return false;
}

const struct onnx_attr *onnx_attr_find(const struct onnx_node *node, const char *name)
{
	for (uint32_t i = 0; i < node->n_attrs; i++) {
		if (!strcmp(node->attrs[i].name, name))
			return &node->attrs[i];
	}
	return NULL;
}
