// SPDX-License-Identifier: Apache-2.0
/*
 * A request has a map behind its compiled model: std::unordered_map, from a tensor's descriptor (std::shared_ptr) to
 * its tensor; and one before it, of inputs that were given as several tensors, which become one in the call: until
 * then their shape is not known. The compiled model has a vector of its inputs, each a node (Parameter) and the number
 * of its output, and the node has its outputs, each with the node, the number and the descriptor. So it is in 2023.3 to
 * 2026.4; what is found is checked by these relations. Tensors of two classes have their shape, and their strides in
 * bytes; others, such as a part of a larger one or a device's, have no shape here.
 */
#include <string.h>

#include "runtime/find/peek.h"
#include "runtime/openvino/openvino_in.h"

enum { MAX_TABLES = 8, MOST_TENSORS = 4096, MOST_INPUTS = 256, MOST_ONCE = 255, LEAST_ADDRESS = 4096 };

/* std::vector */
struct vector {
	uint64_t begin, end, room;
};

/* std::unordered_map without cached hashes, and a node of this one. */
struct map {
	uint64_t buckets, n_buckets, first, n;
	float most_load;
};
struct map_node {
	uint64_t next, descriptor, descriptors_owners, tensor;
};

/* ov::AllocatedTensor and ov::ViewTensor. */
struct tensor {
	uint64_t vptr, self[2];
	uint32_t type, unused;
	struct vector shape, capacity, strides;
	uint32_t once, unset; /* once: whether strides were computed */
	uint64_t data;
};

/* An element of the vector of inputs, and of a node's outputs. */
struct port {
	uint64_t node, node_owners, number;
};
struct output {
	uint64_t node, number, descriptor;
};

static struct table {
	uint64_t at;
	bool is_checked; /* a tensor of it was as it should be */
} tables[MAX_TABLES];

/* A type was met whose number counts "undefined", as they did up to 2024. */
static bool has_undefined;

static void remember(uint64_t table)
{
	for (int i = 0; i < MAX_TABLES && table; i++) {
		if (tables[i].at && tables[i].at != table)
			continue;
		__atomic_store_n(&tables[i].at, table, __ATOMIC_RELAXED);
		return;
	}
}

void openvino_inputs_found(const struct rtti *rtti)
{
	remember(rtti_table(rtti, "N2ov15AllocatedTensorE"));
	remember(rtti_table(rtti, "N2ov10ViewTensorE"));
}

static struct table *table_of(uint64_t vptr)
{
	for (int i = 0; i < MAX_TABLES; i++)
		if (__atomic_load_n(&tables[i].at, __ATOMIC_RELAXED) == vptr)
			return &tables[i];
	return NULL;
}

/* Of runtime_inputs: of a request's compiled model, of that one's inputs, and of a node's outputs. */
enum { COMPILED, INPUTS, OUTPUTS };

/* The vector of inputs is the first whose elements are Parameters. */
static bool find_ports(uint64_t compiled, uint16_t *at, struct vector *ports)
{
	enum { WORDS = 32 };
	uint64_t word[WORDS];
	struct port port;
	char class[32];

	if (!peek_read(compiled, word, sizeof word))
		return false;
	for (uint16_t i = 1; i + 2 < WORDS; i++) {
		uint64_t size = word[i + 1] - word[i];
		if (word[i] < 4096 || !size || size % sizeof port || size / sizeof port > MOST_TENSORS ||
		    word[i + 2] < word[i + 1] || !peek_read(word[i], &port, sizeof port) ||
		    peek_class(port.node, class, sizeof class) < 0 || strcmp(class, "Parameter") != 0)
			continue;
		*at = i * 8;
		memcpy(ports, &word[i], sizeof *ports);
		return true;
	}
	return false;
}

/* Where a node has its outputs: such an object has them in one place. 0: not found. */
static uint16_t find_outputs(uint64_t node)
{
	enum { WORDS = 64 };
	uint64_t word[WORDS];
	struct output output;

	if (!peek_read(node, word, sizeof word))
		return 0;
	for (int i = 1; i < WORDS; i++)
		if (word[i] >= 4096 && !(word[i] & 7) && peek_read(word[i], &output, sizeof output) &&
		    output.node == node && !output.number && output.descriptor)
			return (uint16_t)(i * 8);
	return 0;
}

static uint64_t map_at(uint64_t request, unsigned compiled_at)
{
	enum { SHARED_POINTER = 16 };

	return request + compiled_at + SHARED_POINTER;
}

static uint64_t parts_at(uint64_t request, unsigned compiled_at)
{
	enum { MAP = 56 };

	return request + compiled_at - MAP;
}

static bool is_map(uint64_t at, struct map *map)
{
	return peek_read(at, map, sizeof *map) && map->most_load >= 1 && map->most_load <= 1 && map->n <= MOST_TENSORS;
}

/* Whether the map has as many tensors as it says, that of this descriptor among them. */
static bool has_tensor(uint64_t at, uint64_t descriptor)
{
	struct map_node node;
	struct map map;
	uint64_t n_seen = 0;
	bool is_found = false;

	if (!is_map(at, &map))
		return false;
	for (node.next = map.first; node.next && n_seen <= map.n; n_seen++) {
		if (!peek_read(node.next, &node, sizeof node))
			return false;
		is_found |= node.descriptor == descriptor;
	}
	return n_seen == map.n && is_found;
}

bool openvino_find_inputs(uint64_t request, unsigned compiled_at, struct runtime_inputs *to)
{
	struct vector ports;
	struct output output;
	struct port port;
	struct map parts;

	to->at[COMPILED] = (uint16_t)compiled_at;
	if (!compiled_at || !is_map(parts_at(request, compiled_at), &parts) ||
	    !find_ports(peek_word(request + compiled_at), &to->at[INPUTS], &ports))
		return false;
	for (uint64_t at = ports.begin; at < ports.end; at += sizeof port) {
		if (!peek_read(at, &port, sizeof port) || port.number)
			return false;
		if (at == ports.begin && !(to->at[OUTPUTS] = find_outputs(port.node)))
			return false;
		if (!peek_read(peek_word(port.node + to->at[OUTPUTS]), &output, sizeof output) ||
		    output.node != port.node)
			return false;
		if (at == ports.begin && !has_tensor(map_at(request, compiled_at), output.descriptor))
			return false;
	}
	return true;
}

/* Numbers of unsigned types follow each other, from another one in each of three groups of versions. */
static uint32_t unsigned_of(uint32_t type, uint64_t size)
{
	static const uint8_t known[] = { 2, 4, 12, 13 };

	for (uint32_t i = 0; i < sizeof known; i++)
		if (size == 1u << i && (type == 14 + i || type == 16 + i || type == 17 + i))
			return known[i];
	return 0;
}

/*
 * ov::element::Type_t as shape.h counts types; 0: others. Its numbers have changed; the size of an element tells most
 * of them apart. size 0: not known.
 */
static uint32_t type_of(uint32_t type, uint64_t size)
{
	static const struct {
		uint8_t number, size, is; /* number: in the versions without "undefined" */
	} known[] = { { 1, 1, 9 }, { 2, 2, 16 }, { 3, 2, 10 }, { 4, 4, 1 }, { 5, 8, 11 },
		      { 7, 1, 3 }, { 8, 2, 5 },	 { 9, 4, 6 },  { 10, 8, 7 } };
	enum { FLOAT16 = 3, STRINGS = 21, STRING = 32, OLD_STRING = 8 };
	uint32_t found = 0;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		bool fits = !size || known[i].size == size, is_later = known[i].number + 1u == type;
		if (!fits || (!is_later && known[i].number != type))
			continue;
		if (is_later && size && type != FLOAT16)
			__atomic_store_n(&has_undefined, true, __ATOMIC_RELAXED);
		if (!found || is_later == __atomic_load_n(&has_undefined, __ATOMIC_RELAXED))
			found = known[i].is;
	}
	if (found)
		return found;
	return type >= STRINGS && (size == STRING || size == OLD_STRING) ? 8 : unsigned_of(type, size);
}

static uint64_t n_of(const struct vector *vector)
{
	return (vector->end - vector->begin) / sizeof(uint64_t);
}

static bool is_vector(const struct vector *vector)
{
	return vector->begin <= vector->end && vector->end <= vector->room && !((vector->end - vector->begin) & 7) &&
	       vector->end - vector->begin <= SHAPE_DIMS * sizeof(uint64_t);
}

/* Read without the risk of a fault: shape and strides fit each other, as they do in a dense tensor, or are empty. */
static bool is_as_expected(uint64_t at)
{
	uint64_t dim[SHAPE_DIMS], stride[SHAPE_DIMS], n;
	struct tensor tensor;

	if (!peek_read(at, &tensor, sizeof tensor) || !is_vector(&tensor.shape) || !is_vector(&tensor.strides))
		return false;
	n = n_of(&tensor.shape);
	if (!n)
		return !n_of(&tensor.strides);
	if (n_of(&tensor.strides) != n || !peek_read(tensor.shape.begin, dim, n * sizeof *dim) ||
	    !peek_read(tensor.strides.begin, stride, n * sizeof *stride) || !type_of(tensor.type, stride[n - 1]))
		return false;
	for (uint64_t i = 1; i < n; i++)
		if (stride[i - 1] != stride[i] * dim[i])
			return false;
	return true;
}

static void read_tensor(uint64_t at, struct shape *to)
{
	const struct tensor *tensor = (const struct tensor *)at;
	struct table *table = at ? table_of(tensor->vptr) : NULL;
	const int64_t *dim;
	uint64_t n, size = 0;

	*to = (struct shape){ 0 };
	if (!table)
		return;
	if (!__atomic_load_n(&table->is_checked, __ATOMIC_RELAXED)) {
		if (!is_as_expected(at))
			return;
		__atomic_store_n(&table->is_checked, n_of(&tensor->shape) > 0, __ATOMIC_RELAXED);
	}
	if (!is_vector(&tensor->shape) || !is_vector(&tensor->strides))
		return;
	n = n_of(&tensor->shape);
	dim = (const int64_t *)tensor->shape.begin;
	if (n && n_of(&tensor->strides) == n)
		size = ((const uint64_t *)tensor->strides.begin)[n - 1];
	to->type = type_of(tensor->type, size);
	to->data = tensor->once <= MOST_ONCE && tensor->data >= LEAST_ADDRESS ? (const void *)tensor->data : NULL;
	for (uint64_t i = 0; i < n && to->type; i++)
		to->dim[to->n_dims++] = dim[i];
}

static const void *pointer_at(uint64_t object, uint16_t offset)
{
	return *(const void *const *)(object + offset);
}

/* What a compiled model takes in. */
struct descriptors {
	size_t n, n_more; /* those behind, that are not looked at */
	uint64_t of[MOST_INPUTS];
	bool is_in_parts[MOST_INPUTS];
};

/* In their order. */
static void read_descriptors(uint64_t compiled, const struct runtime_inputs *at, struct descriptors *to)
{
	const struct vector *inputs = (const struct vector *)(compiled + at->at[INPUTS]);
	const struct port *port = (const struct port *)inputs->begin;
	size_t n = (inputs->end - inputs->begin) / sizeof *port;

	to->n = n < MOST_INPUTS ? n : MOST_INPUTS;
	to->n_more = n - to->n;
	for (size_t i = 0; i < to->n; i++) {
		to->of[i] = ((const struct output *)pointer_at(port[i].node, at->at[OUTPUTS]))->descriptor;
		to->is_in_parts[i] = false;
	}
}

/* Which input a node of a map is of; n: none. */
static size_t input_of(const struct map_node *node, const struct descriptors *descriptors)
{
	size_t input = 0;

	while (input < descriptors->n && descriptors->of[input] != node->descriptor)
		input++;
	return input;
}

bool openvino_inputs(uint64_t request, const struct runtime_inputs *at, struct shapes *to)
{
	const struct map *tensors = (const struct map *)map_at(request, at->at[COMPILED]);
	const struct map *parts = (const struct map *)parts_at(request, at->at[COMPILED]);
	const struct shape none = { 0 };
	struct descriptors inputs;
	size_t left;

	read_descriptors((uint64_t)pointer_at(request, at->at[COMPILED]), at, &inputs);
	for (const struct map_node *node = (const struct map_node *)parts->first; node;
	     node = (const struct map_node *)node->next) {
		size_t input = input_of(node, &inputs);
		if (input < inputs.n)
			inputs.is_in_parts[input] = true;
	}
	left = inputs.n;
	for (const struct map_node *node = (const struct map_node *)tensors->first; node && left;
	     node = (const struct map_node *)node->next) {
		size_t input = input_of(node, &inputs);
		struct shape shape;
		if (input == inputs.n)
			continue;
		read_tensor(inputs.is_in_parts[input] ? 0 : node->tensor, &shape);
		if (input < SHAPE_INPUTS)
			to->input[input] = shape;
		else
			shapes_add_rest(to, &shape, 1);
		left--;
	}
	to->n = (uint32_t)(inputs.n < SHAPE_INPUTS ? inputs.n : SHAPE_INPUTS);
	if (inputs.n_more)
		shapes_add_rest(to, &none, (uint32_t)inputs.n_more);
	return !left && to->n;
}
