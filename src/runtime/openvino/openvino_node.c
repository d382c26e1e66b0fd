// SPDX-License-Identifier: Apache-2.0
/*
 * A node has a vector of the shapes of its inputs, and behind it one of those of its outputs. A shape has a kind, and
 * three vectors of dimensions: the least, the most, and those known. Of a shape that stays the same all three are
 * equal. So it is in 2023.3 to 2026.4; the place is that of the first two vectors of such shapes, one behind the other,
 * that two nodes have. The types of elements lie elsewhere, and are not read.
 */
#include <string.h>

#include "runtime/find/peek.h"
#include "runtime/openvino/openvino_in.h"

enum { WORDS = 128, MOST_SHAPES = 64, LEAST_ADDRESS = 4096, UNKNOWN_TYPE = SHAPE_NAMED - 1 };

/* std::vector */
struct vector {
	uint64_t begin, end, room;
};

/* ov::intel_cpu::Shape */
struct node_shape {
	uint8_t is_dynamic, more[7]; /* up to 2025 an int */
	struct vector least, most, now;
};

static bool is_vector(const struct vector *vector, uint64_t element, uint64_t most)
{
	uint64_t size = vector->end - vector->begin;

	return vector->begin >= LEAST_ADDRESS && vector->end >= vector->begin && vector->room >= vector->end &&
	       !(vector->begin % 8) && !(size % element) && size / element <= most;
}

/* How many; -1: it is no vector of dimensions. */
static int read_dims(const struct vector *vector, int64_t dim[SHAPE_DIMS])
{
	uint64_t size = vector->end - vector->begin;

	if (!vector->begin && !vector->end)
		return 0;
	return is_vector(vector, sizeof *dim, SHAPE_DIMS) && (!size || peek_read(vector->begin, dim, size))
		   ? (int)(size / sizeof *dim)
		   : -1;
}

/* False: it is none. One that may change gets no type. */
static bool read_shape(const struct node_shape *from, struct shape *to)
{
	int64_t least[SHAPE_DIMS], most[SHAPE_DIMS];
	int n = read_dims(&from->now, to->dim);
	size_t size = n > 0 ? (size_t)n * sizeof *least : 0;

	if (from->is_dynamic > 1 || n < 0 || read_dims(&from->least, least) != n || read_dims(&from->most, most) != n)
		return false;
	to->n_dims = (uint32_t)n;
	to->type = from->is_dynamic || memcmp(least, most, size) || memcmp(least, to->dim, size) ? 0 : UNKNOWN_TYPE;
	return true;
}

/* False: they are none, or all of them may change. */
static bool read_shapes(const uint64_t *word, struct shapes *to)
{
	struct node_shape from[MOST_SHAPES];
	struct vector vector;
	struct shape shape;
	bool has_any = false;
	uint64_t size;

	memcpy(&vector, word, sizeof vector);
	size = vector.end - vector.begin;
	if (!is_vector(&vector, sizeof *from, MOST_SHAPES) || !size || !peek_read(vector.begin, from, size))
		return false;
	shapes_init(to);
	for (uint64_t i = 0; i < size / sizeof *from; i++) {
		if (!read_shape(&from[i], &shape))
			return false;
		shapes_add(to, &shape);
		has_any |= shape.type != 0;
	}
	return has_any;
}

/* 0: it has no such place. */
static unsigned find_place(const uint64_t *word, struct shapes *to)
{
	enum { VECTOR = 3 };
	struct shapes outputs;

	for (unsigned i = 1; i + 2 * VECTOR <= WORDS; i++)
		if (read_shapes(word + i, to) && read_shapes(word + i + VECTOR, &outputs))
			return i;
	return 0;
}

bool openvino_node_shapes(uint64_t node, struct shapes *to)
{
	static unsigned place, first; /* a race does no harm */
	unsigned found = __atomic_load_n(&place, __ATOMIC_RELAXED);
	uint64_t word[WORDS];

	memset(word, 0, sizeof word);
	for (size_t part = 0; part < WORDS; part += WORDS / 8) /* the object may end before */
		if (!peek_read(node + part * sizeof *word, word + part, sizeof word / 8))
			break;
	if (found)
		return read_shapes(word + found, to);
	if (!(found = find_place(word, to)))
		return false;
	if (__atomic_exchange_n(&first, found, __ATOMIC_RELAXED) != found)
		return false;
	__atomic_store_n(&place, found, __ATOMIC_RELAXED);
	return true;
}
