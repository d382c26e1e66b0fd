/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of PTI's views (libpti_view), read without its headers. Offsets are those of all releases from 0.12 to 1.0
 * (tools/check-pti compares them): records have only grown at their end. The library steps from one to the next.
 */
#ifndef CAPTURE_AGENT_PTI_PTI_RECORD_H
#define CAPTURE_AGENT_PTI_PTI_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Kinds of records, and of what is enabled. */
enum {
	PTI_KERNEL = 1,
	PTI_DRIVER_API = 3,
	PTI_OVERHEAD = 5,
	PTI_COPY = 8,
	PTI_FILL = 9,
	PTI_COPY_BETWEEN = 10, /* devices */
	PTI_SYNC = 11,
};

enum { PTI_ADDRESS = 16 /* bytes of a device's PCI address */ };

/* A field: its offset and its size in a record of each kind; size 0: that kind has none. */
struct pti_field {
	uint8_t offset, size;
};

struct pti_layout {
	uint8_t kind;
	uint8_t needs; /* bytes that all releases have */
	struct pti_field start, end, queue, correlation, thread, bytes, type, name, address, group, call, result;
};

/* clang-format off */
static const struct pti_layout pti_layouts[] = {
	{ .kind = PTI_KERNEL, .needs = 128, .start = { 104, 8 }, .end = { 112, 8 }, .queue = { 8, 8 },
	  .correlation = { 56, 4 }, .thread = { 60, 4 }, .name = { 24, 8 }, .address = { 64, PTI_ADDRESS } },
	{ .kind = PTI_COPY, .needs = 128, .start = { 96, 8 }, .end = { 104, 8 }, .queue = { 16, 8 },
	  .correlation = { 80, 4 }, .thread = { 84, 4 }, .bytes = { 120, 8 }, .type = { 4, 4 },
	  .address = { 40, PTI_ADDRESS } },
	{ .kind = PTI_COPY_BETWEEN, .needs = 160, .start = { 128, 8 }, .end = { 136, 8 }, .queue = { 16, 8 },
	  .correlation = { 112, 4 }, .thread = { 116, 4 }, .bytes = { 152, 8 }, .type = { 4, 4 },
	  .address = { 40, PTI_ADDRESS } },
	{ .kind = PTI_FILL, .needs = 120, .start = { 88, 8 }, .end = { 96, 8 }, .queue = { 8, 8 },
	  .correlation = { 72, 4 }, .thread = { 76, 4 }, .bytes = { 112, 8 }, .address = { 32, PTI_ADDRESS } },
	{ .kind = PTI_SYNC, .needs = 72, .start = { 32, 8 }, .end = { 40, 8 }, .correlation = { 52, 4 },
	  .thread = { 48, 4 }, .type = { 4, 4 }, .group = { 68, 4 }, .call = { 64, 4 }, .result = { 60, 4 } },
	{ .kind = PTI_DRIVER_API, .needs = 48, .start = { 8, 8 }, .end = { 16, 8 }, .correlation = { 40, 4 },
	  .thread = { 36, 4 }, .group = { 24, 4 }, .call = { 28, 4 }, .result = { 44, 4 } },
	{ .kind = PTI_OVERHEAD, .needs = 48, .start = { 8, 8 }, .end = { 16, 8 }, .thread = { 24, 4 } },
};
/* clang-format on */

struct pti_record {
	uint32_t kind;
	uint64_t start, end; /* of PTI's clock; 0: not known */
	uint64_t queue, bytes;
	uint64_t name; /* address of a text that is PTI's; 0: none */
	uint32_t correlation, thread, type, group, call, result;
	char address[PTI_ADDRESS + 1];
};

static inline uint64_t pti_field(const uint8_t *record, struct pti_field field)
{
	uint64_t value = 0;

	memcpy(&value, record + field.offset, field.size);
	return value;
}

static inline const struct pti_layout *pti_layout_of(uint32_t kind)
{
	for (size_t i = 0; i < sizeof pti_layouts / sizeof *pti_layouts; i++)
		if (pti_layouts[i].kind == kind)
			return &pti_layouts[i];
	return NULL;
}

/* Reads a record of which `bytes` are there. False: it is of no kind that is read, or cut off. */
static inline bool pti_read(const uint8_t *record, size_t bytes, struct pti_record *to)
{
	const struct pti_layout *layout;

	*to = (struct pti_record){ 0 };
	if (bytes < sizeof to->kind)
		return false;
	memcpy(&to->kind, record, sizeof to->kind);
	layout = pti_layout_of(to->kind);
	if (!layout || bytes < layout->needs)
		return false;
#define TAKE(field) to->field = (__typeof__(to->field))pti_field(record, layout->field);
	TAKE(start)
	TAKE(end)
	TAKE(queue)
	TAKE(bytes)
	TAKE(name)
	TAKE(correlation)
	TAKE(thread)
	TAKE(type)
	TAKE(group)
	TAKE(call)
	TAKE(result)
#undef TAKE
	memcpy(to->address, record + layout->address.offset, layout->address.size);
	return true;
}

#endif
