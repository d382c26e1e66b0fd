/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of CUPTI's activity API, read without its headers. Offsets are those of all releases from 11.7 to 13.5
 * (tools/check-cupti compares them): records have only ever grown at their end. Sizes differ, and are asked of the
 * library itself, so that longer records and unknown kinds of later releases are stepped over.
 */
#ifndef CAPTURE_AGENT_CUPTI_CUPTI_RECORD_H
#define CAPTURE_AGENT_CUPTI_CUPTI_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Kinds of records. */
enum {
	CUPTI_COPY = 1,
	CUPTI_SET = 2,
	CUPTI_DRIVER = 4,
	CUPTI_RUNTIME = 5,
	CUPTI_KERNEL = 10,
	CUPTI_OVERHEAD = 17,
	CUPTI_COPY_BETWEEN = 22, /* devices */
	CUPTI_SYNC = 38,
	CUPTI_GRAPH = 51,
	CUPTI_KINDS = 64
};

/* What overhead is of. */
enum { CUPTI_OBJECT_THREAD = 2 };

/* What callbacks of the domain CUPTI_RESOURCE tell, and what they get. */
enum { CUPTI_NODE_CREATED = 13, CUPTI_NODE_CLONED = 20 };

struct cupti_graph_data {
	void *graph, *original_graph, *node, *original_node;
};

struct cupti_resource {
	void *context, *handle;
	const struct cupti_graph_data *graph;
};

/* A field: its offset and its size in a record of each kind; size 0: that kind has none. */
struct cupti_field {
	uint8_t offset, size;
};

struct cupti_layout {
	uint8_t kind;
	uint8_t needs; /* bytes that all releases have */
	struct cupti_field start, end, device, context, stream, correlation, graph, node, bytes, direction, name;
	struct cupti_field call, thread, result; /* of calls; `call` of overhead: its kind */
	struct cupti_field object;		 /* of overhead: what it is of; `thread`: if it is of one */
	struct cupti_field registers, grid, block, static_shared, dynamic_shared;
};

/* clang-format off */
static const struct cupti_layout cupti_layouts[] = {
	{ .kind = CUPTI_KERNEL, .needs = 160, .start = { 16, 8 }, .end = { 24, 8 }, .device = { 40, 4 },
	  .context = { 44, 4 }, .stream = { 48, 4 }, .correlation = { 92, 4 }, .graph = { 156, 4 },
	  .node = { 144, 8 }, .name = { 104, 8 }, .registers = { 6, 2 }, .grid = { 52, 4 }, .block = { 64, 4 },
	  .static_shared = { 76, 4 }, .dynamic_shared = { 80, 4 } },
	{ .kind = CUPTI_COPY, .needs = 80, .start = { 16, 8 }, .end = { 24, 8 }, .device = { 32, 4 },
	  .context = { 36, 4 }, .stream = { 40, 4 }, .correlation = { 44, 4 }, .graph = { 72, 4 }, .node = { 64, 8 },
	  .bytes = { 8, 8 }, .direction = { 4, 1 } },
	{ .kind = CUPTI_SET, .needs = 80, .start = { 16, 8 }, .end = { 24, 8 }, .device = { 32, 4 },
	  .context = { 36, 4 }, .stream = { 40, 4 }, .correlation = { 44, 4 }, .graph = { 72, 4 }, .node = { 64, 8 },
	  .bytes = { 8, 8 } },
	{ .kind = CUPTI_COPY_BETWEEN, .needs = 80, .start = { 16, 8 }, .end = { 24, 8 }, .device = { 32, 4 },
	  .context = { 36, 4 }, .stream = { 40, 4 }, .correlation = { 60, 4 }, .bytes = { 8, 8 },
	  .direction = { 4, 1 } },
	{ .kind = CUPTI_DRIVER, .needs = 40, .start = { 8, 8 }, .end = { 16, 8 }, .correlation = { 32, 4 },
	  .call = { 4, 4 }, .thread = { 28, 4 }, .result = { 36, 4 } },
	{ .kind = CUPTI_RUNTIME, .needs = 40, .start = { 8, 8 }, .end = { 16, 8 }, .correlation = { 32, 4 },
	  .call = { 4, 4 }, .thread = { 28, 4 }, .result = { 36, 4 } },
	{ .kind = CUPTI_OVERHEAD, .needs = 40, .start = { 24, 8 }, .end = { 32, 8 }, .call = { 4, 4 },
	  .object = { 8, 4 }, .thread = { 16, 4 } },
	{ .kind = CUPTI_GRAPH, .needs = 40, .start = { 8, 8 }, .end = { 16, 8 }, .device = { 24, 4 },
	  .context = { 32, 4 }, .stream = { 36, 4 }, .correlation = { 4, 4 }, .graph = { 28, 4 } },
};
/* clang-format on */

struct cupti_record {
	uint32_t kind;
	uint64_t start, end; /* of CUPTI's clock; both 0: not known */
	uint64_t name;	     /* address of a text that is CUPTI's; 0: none */
	uint64_t bytes;
	uint64_t node; /* of a graph, by its number; 0: in none */
	uint32_t device, context, stream, correlation, graph, call, thread, result;
	uint32_t grid[3], block[3], static_shared, dynamic_shared;
	uint32_t registers, direction, object;
};

static inline uint64_t cupti_field(const uint8_t *record, struct cupti_field field, unsigned at)
{
	uint64_t value = 0;

	memcpy(&value, record + field.offset + at * field.size, field.size);
	return value;
}

static inline const struct cupti_layout *cupti_layout_of(uint32_t kind)
{
	for (size_t i = 0; i < sizeof cupti_layouts / sizeof *cupti_layouts; i++)
		if (cupti_layouts[i].kind == kind)
			return &cupti_layouts[i];
	return NULL;
}

/* Reads a record of which `bytes` are there. False: it is of no kind that is read, or cut off. */
static inline bool cupti_read(const uint8_t *record, size_t bytes, struct cupti_record *to)
{
	const struct cupti_layout *layout;

	*to = (struct cupti_record){ 0 };
	if (bytes < sizeof to->kind)
		return false;
	memcpy(&to->kind, record, sizeof to->kind);
	layout = cupti_layout_of(to->kind);
	if (!layout || bytes < layout->needs)
		return false;
#define TAKE(field) to->field = (__typeof__(to->field))cupti_field(record, layout->field, 0);
	TAKE(start)
	TAKE(end)
	TAKE(device)
	TAKE(context)
	TAKE(stream)
	TAKE(correlation)
	TAKE(graph)
	TAKE(node)
	TAKE(bytes)
	TAKE(direction)
	TAKE(name)
	TAKE(call)
	TAKE(thread)
	TAKE(result)
	TAKE(object)
	TAKE(registers)
	TAKE(static_shared)
	TAKE(dynamic_shared)
#undef TAKE
	for (unsigned i = 0; i < 3; i++) {
		to->grid[i] = (uint32_t)cupti_field(record, layout->grid, i);
		to->block[i] = (uint32_t)cupti_field(record, layout->block, i);
	}
	return true;
}

typedef int cupti_next(uint8_t *buffer, size_t bytes, void **record);

/*
 * Asks the library for the size of each kind of record, by a buffer of made-up ones. sizes: 0 for a kind that it does
 * not know. Returns the number of kinds that it knows.
 */
static inline unsigned cupti_ask_sizes(cupti_next *next, uint16_t sizes[CUPTI_KINDS])
{
	uint64_t room[128];
	unsigned n = 0;

	for (unsigned kind = 1; kind < CUPTI_KINDS; kind++) {
		void *record = NULL, *first;

		sizes[kind] = 0;
		for (size_t i = 0; i < sizeof room / sizeof *room; i++)
			room[i] = CUPTI_RUNTIME; /* whatever the size is, a valid record follows */
		memcpy(room, &kind, sizeof kind);
		if (next((uint8_t *)room, sizeof room, &record) || !(first = record))
			continue;
		if (!next((uint8_t *)room, sizeof room, &record) && (char *)record > (char *)first)
			sizes[kind] = (uint16_t)((char *)record - (char *)first);
		n += sizes[kind] != 0;
	}
	sizes[0] = 0;
	return n;
}

#endif
