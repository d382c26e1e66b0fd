/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of rocprofiler-sdk's buffered tracing, read without its headers. Each begins with its size, by which the two
 * layouts are told apart: 1.0 has put a word (the ancestor) into the correlation of calls, and one of its own into
 * records of scratch memory. Those of work have only grown at their end since 0.4. Numbers of kinds are not fixed: the
 * library is asked for their names.
 */
#ifndef CAPTURE_AGENT_ROCM_ROCM_RECORD_H
#define CAPTURE_AGENT_ROCM_ROCM_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum rocm_kind { ROCM_CALL, ROCM_COPY, ROCM_KERNEL, ROCM_SCRATCH, ROCM_KINDS };

enum { ROCM_MOST = 4096 /* bytes of a record: more is none */ };

/* A field: its offset and its size; size 0: there is none. */
struct rocm_field {
	uint8_t offset, size;
};

struct rocm_layout {
	uint8_t kind;	      /* enum rocm_kind */
	uint16_t least, most; /* bytes, as the record says */
	struct rocm_field operation, correlation, thread, start, end, device, other, queue, kernel, bytes, shared;
	struct rocm_field block, grid;
};

/* clang-format off */
static const struct rocm_layout rocm_layouts[] = {
	{ .kind = ROCM_CALL, .least = 56, .most = 63, .operation = { 12, 4 }, .correlation = { 16, 8 },
	  .thread = { 48, 8 }, .start = { 32, 8 }, .end = { 40, 8 } },
	{ .kind = ROCM_CALL, .least = 64, .most = ROCM_MOST, .operation = { 12, 4 }, .correlation = { 16, 8 },
	  .thread = { 56, 8 }, .start = { 40, 8 }, .end = { 48, 8 } },
	{ .kind = ROCM_COPY, .least = 80, .most = ROCM_MOST, .operation = { 12, 4 }, .correlation = { 16, 8 },
	  .thread = { 32, 8 }, .start = { 40, 8 }, .end = { 48, 8 }, .device = { 56, 8 }, .other = { 64, 8 },
	  .bytes = { 72, 8 } },
	{ .kind = ROCM_KERNEL, .least = 128, .most = ROCM_MOST, .operation = { 12, 4 }, .correlation = { 16, 8 },
	  .thread = { 32, 8 }, .start = { 40, 8 }, .end = { 48, 8 }, .device = { 64, 8 }, .queue = { 72, 8 },
	  .kernel = { 80, 8 }, .shared = { 100, 4 }, .block = { 104, 4 }, .grid = { 116, 4 } },
	{ .kind = ROCM_SCRATCH, .least = 80, .most = 88, .operation = { 12, 4 }, .thread = { 32, 8 },
	  .start = { 40, 8 }, .end = { 48, 8 }, .device = { 16, 8 }, .queue = { 24, 8 } },
	{ .kind = ROCM_SCRATCH, .least = 96, .most = ROCM_MOST, .operation = { 12, 4 }, .thread = { 56, 8 },
	  .start = { 64, 8 }, .end = { 72, 8 }, .device = { 40, 8 }, .queue = { 48, 8 } },
};
/* clang-format on */

struct rocm_record {
	uint64_t correlation, thread, start, end, device, other, queue, kernel, bytes;
	uint32_t operation, shared;
	uint32_t block[3], grid[3]; /* threads, both */
};

static inline uint64_t rocm_field(const uint8_t *record, struct rocm_field field, unsigned at)
{
	uint64_t value = 0;

	memcpy(&value, record + field.offset + at * field.size, field.size);
	return value;
}

static inline const struct rocm_layout *rocm_layout_of(enum rocm_kind kind, uint64_t size)
{
	for (size_t i = 0; i < sizeof rocm_layouts / sizeof *rocm_layouts; i++)
		if (rocm_layouts[i].kind == kind && size >= rocm_layouts[i].least && size <= rocm_layouts[i].most)
			return &rocm_layouts[i];
	return NULL;
}

/* Reads a record of which `bytes` are there at most. False: it is of no layout that is known, or cut off. */
static inline bool rocm_read(enum rocm_kind kind, const uint8_t *record, size_t bytes, struct rocm_record *to)
{
	const struct rocm_layout *layout;
	uint64_t size;

	*to = (struct rocm_record){ 0 };
	if (bytes < sizeof size)
		return false;
	memcpy(&size, record, sizeof size);
	layout = rocm_layout_of(kind, size);
	if (!layout || size > bytes)
		return false;
#define TAKE(field) to->field = (__typeof__(to->field))rocm_field(record, layout->field, 0);
	TAKE(operation)
	TAKE(correlation)
	TAKE(thread)
	TAKE(start)
	TAKE(end)
	TAKE(device)
	TAKE(other)
	TAKE(queue)
	TAKE(kernel)
	TAKE(bytes)
	TAKE(shared)
#undef TAKE
	for (unsigned i = 0; i < 3; i++) {
		to->block[i] = (uint32_t)rocm_field(record, layout->block, i);
		to->grid[i] = (uint32_t)rocm_field(record, layout->grid, i);
	}
	return true;
}

/* What a callback is told of a code object, as words: 1.0 has put one in before the kind. */
struct rocm_told {
	uint64_t word[8];
};

enum { ROCM_SYMBOL = 2, ROCM_LOADED = 1 };

/* The kernel symbol that was loaded; NULL: it is about something else. kind: of code objects. */
static inline const uint8_t *rocm_symbol(const struct rocm_told *told, uint32_t kind)
{
	/* a phase is 0, 1 or 2, so that it is no kind */
	unsigned at = (uint32_t)told->word[5] == kind ? 5 : 4;

	if (told->word[at] != ((uint64_t)ROCM_SYMBOL << 32 | kind) || (uint32_t)told->word[at + 1] != ROCM_LOADED)
		return NULL;
	return (const uint8_t *)(uintptr_t)told->word[at + 2];
}

struct rocm_kernel {
	uint64_t id;
	uint64_t name; /* address of a text; 0: none */
	uint32_t registers;
};

/* Reads a kernel symbol of which `bytes` are there at most. */
static inline bool rocm_read_kernel(const uint8_t *symbol, size_t bytes, struct rocm_kernel *to)
{
	uint64_t size;

	*to = (struct rocm_kernel){ 0 };
	if (bytes < sizeof size)
		return false;
	memcpy(&size, symbol, sizeof size);
	if (size < 32 || size > ROCM_MOST || size > bytes)
		return false;
	memcpy(&to->id, symbol + 8, 8);
	memcpy(&to->name, symbol + 24, 8);
	if (size >= 64)
		memcpy(&to->registers, symbol + 60, 4);
	return true;
}

#endif
