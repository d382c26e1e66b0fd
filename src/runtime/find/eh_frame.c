// SPDX-License-Identifier: Apache-2.0
/*
 * Reads .eh_frame_hdr, a sorted table of { start, FDE }, and the FDEs, which have the sizes. Accepts only what
 * compilers write: signed 32-bit values, relative to the table or to themselves. Rejects an FDE that starts
 * elsewhere than the table says, or that runs into the next function.
 */
#include "runtime/find/eh_frame.h"

#include <errno.h>
#include <string.h>

enum { HEADER = 12, ENTRY = 8, FDE = 16, MAX_FDE = 1 << 16 };
enum { DATAREL_SDATA4 = 0x3b, UDATA4 = 0x03 };

static int64_t table_value(const struct eh_frame *frames, size_t i, size_t field)
{
	int32_t value;

	memcpy(&value, frames->table + i * ENTRY + field * 4, 4);
	return value;
}

static uint64_t start_of(const struct eh_frame *frames, size_t i)
{
	return frames->header + (uint64_t)table_value(frames, i, 0);
}

int eh_frame_open(struct eh_frame *frames, const struct image *image, uint64_t header, uint64_t end, struct err *err)
{
	const uint8_t *at = header && end > header ? image_at(image, header, end - header, 0) : NULL;
	uint32_t n;

	*frames = (struct eh_frame){ .image = image, .header = header };
	if (!at || end - header < HEADER)
		return err_set(err, ENOEXEC, "cannot read %s: it has no table of its functions (.eh_frame_hdr)",
			       image->path);
	memcpy(&n, at + 8, 4);
	if (at[0] != 1 || at[2] != UDATA4 || at[3] != DATAREL_SDATA4 || n > (end - header - HEADER) / ENTRY)
		return err_set(err, ENOEXEC,
			       "cannot read %s: at address %#llx: its table of functions has an unknown format",
			       image->path, (unsigned long long)header);
	frames->table = at + HEADER;
	frames->n = n;
	return 0;
}

static int64_t read_relative(const uint8_t *at)
{
	int32_t value;

	memcpy(&value, at, 4);
	return value;
}

static bool read_function(const struct eh_frame *frames, size_t i, struct eh_function *function)
{
	uint64_t fde = frames->header + (uint64_t)table_value(frames, i, 1), start = start_of(frames, i);
	const uint8_t *at = image_at(frames->image, fde, FDE, 0);
	uint32_t length, range;

	/* u32 length, u32 CIE, s32 start from here, u32 size, ... */
	if (!at)
		return false;
	memcpy(&length, at, 4);
	memcpy(&range, at + 12, 4);
	if (length < FDE - 4 || length > MAX_FDE || fde + 8 + (uint64_t)read_relative(at + 8) != start || !range)
		return false;
	*function = (struct eh_function){ start, start + range };
	return i + 1 == frames->n || function->end <= start_of(frames, i + 1);
}

/* The number of the last function that does not begin behind the address, from 1; 0: none. */
static size_t find_number(const struct eh_frame *frames, uint64_t address)
{
	size_t low = 0, high = frames->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (start_of(frames, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool eh_frame_function(const struct eh_frame *frames, uint64_t address, struct eh_function *function)
{
	size_t number = find_number(frames, address);

	return number && read_function(frames, number - 1, function) && address < function->end;
}

uint64_t eh_frame_entry(const struct eh_frame *frames, uint64_t address, struct eh_function *function)
{
	size_t number = find_number(frames, address);

	if (!number || !read_function(frames, number - 1, function) || address >= function->end)
		return 0;
	return frames->header + (uint64_t)table_value(frames, number - 1, 1);
}

/* Whether the CIE of this FDE says that its FDEs have a length of what comes before their instructions. */
static bool has_length(const struct eh_frame *frames, uint64_t fde)
{
	const uint8_t *pointer = image_at(frames->image, fde + 4, 4, 0), *text;
	uint32_t distance;

	if (!pointer)
		return false;
	memcpy(&distance, pointer, 4);
	/* u32 length, u32 0, u8 version, text */
	text = image_at(frames->image, fde + 4 - distance + 9, 1, 0);
	return text && *text == 'z';
}

bool eh_frame_is_part(const struct eh_frame *frames, const struct eh_function *function)
{
	enum { DEF_CFA_FIRST = 0x0c, OFFSET = 0x80 };
	size_t number = find_number(frames, function->start);
	uint64_t fde = number ? frames->header + (uint64_t)table_value(frames, number - 1, 1) : 0;
	const uint8_t *size, *first;

	/* LEB128: what comes before the instructions is shorter than 128 bytes */
	if (!fde || !has_length(frames, fde) || !(size = image_at(frames->image, fde + FDE, 1, 0)) || *size >= 128)
		return false;
	first = image_at(frames->image, fde + FDE + 1 + *size, 1, 0);
	/* DW_CFA_def_cfa, def_cfa_register, def_cfa_offset, offset: of the first instruction, since none moved on */
	return first && ((*first >= DEF_CFA_FIRST && *first < DEF_CFA_FIRST + 3) || (*first & 0xc0) == OFFSET);
}
