// SPDX-License-Identifier: Apache-2.0
/*
 * Tables of positions: pairs of how far the offset moves on, and the position. Numbers have seven bits a byte, the
 * lowest first, and the sign in their lowest bit. The sign of an offset tells a statement from an expression; since V8
 * 14 two bits below an offset without a sign do. Where baseline code executes
 * which byte code: how many of its bytes belong to each, in their order, beginning with what comes before the first.
 */
#include "runtime/v8/v8.h"

enum { MOST_TABLE = 1 << 20, CHUNK = 1024, WIDE = 0, EXTRA_WIDE = 1, DEBUG_WIDE = 2, DEBUG_EXTRA_WIDE = 3 };

struct bytes {
	const struct v8 *v8;
	uint64_t at;
	uint32_t left, n, used; /* left: in memory; n: in chunk */
	uint8_t chunk[CHUNK];
};

static bool open_bytes(const struct v8 *v8, uint64_t array, struct bytes *bytes)
{
	int type = v8_type(v8, array);
	uint64_t word;
	int32_t length;

	if (type < 0 || (type != v8->at[V8_TYPE_BYTES] && type != v8->at[V8_TYPE_TRUSTED_BYTES]) ||
	    !v8_part(v8, array, v8->at[V8_ARRAY_LENGTH], &word) || !v8_integer(word, &length) || length < 0 ||
	    length > MOST_TABLE)
		return false;
	bytes->v8 = v8;
	bytes->at = array - 1 + (uint64_t)v8->at[V8_ARRAY_DATA];
	bytes->left = (uint32_t)length;
	bytes->n = bytes->used = 0;
	return true;
}

static bool next_byte(struct bytes *bytes, uint8_t *byte)
{
	if (bytes->used == bytes->n) {
		bytes->n = bytes->left < CHUNK ? bytes->left : CHUNK;
		bytes->used = 0;
		if (!bytes->n || !bytes->v8->memory.read(bytes->v8->memory.of, bytes->at, bytes->chunk, bytes->n)) {
			bytes->n = bytes->left = 0;
			return false;
		}
		bytes->at += bytes->n;
		bytes->left -= bytes->n;
	}
	*byte = bytes->chunk[bytes->used++];
	return true;
}

static bool next_number(struct bytes *bytes, uint64_t *number)
{
	uint8_t byte;

	*number = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (!next_byte(bytes, &byte))
			return false;
		*number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

static int64_t signed_of(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static int64_t move_of(const struct v8 *v8, uint64_t value)
{
	int64_t move = signed_of(value);

	if (v8->has_flagged_offsets)
		return (int64_t)(value >> 2);
	return move < 0 ? -(move + 1) : move;
}

static bool next_signed(struct bytes *bytes, int64_t *number)
{
	uint64_t value;

	if (!next_number(bytes, &value))
		return false;
	*number = signed_of(value);
	return true;
}

bool v8_position_of(const struct v8 *v8, uint64_t table, int32_t offset, uint64_t *position)
{
	struct bytes bytes;
	int64_t at = 0, more, by;
	uint64_t now = 0, move;
	bool is_there = false;

	if (!open_bytes(v8, table, &bytes))
		return false;
	while (next_number(&bytes, &move) && next_signed(&bytes, &more)) {
		by = move_of(v8, move);
		if (by > INT32_MAX || at + by > offset)
			break;
		at += by;
		now += (uint64_t)more;
		*position = now;
		is_there = true;
	}
	return is_there;
}

/* Bytes of the byte code that begins here, and of its operands; 0: not known. */
static uint32_t size_of(const struct v8 *v8, struct bytes *code)
{
	uint8_t byte;
	uint32_t scale = 0, size, i;

	if (!next_byte(code, &byte))
		return 0;
	if (byte <= DEBUG_EXTRA_WIDE) {
		scale = byte == WIDE || byte == DEBUG_WIDE ? 1 : 2;
		if (!next_byte(code, &byte))
			return 0;
	}
	size = byte < v8->n_bytecodes ? v8->bytecode_size[scale][byte] : 0;
	for (i = 1; i < size; i++)
		if (!next_byte(code, &byte))
			return 0;
	return size ? size + (scale > 0) : 0;
}

int32_t v8_baseline_offset(const struct v8 *v8, const struct v8_code *code, uint64_t pc)
{
	struct bytes table, bytecode = { .v8 = v8 };
	uint64_t word, end, at = code->begin;
	int32_t length, offset = -1;

	if (!v8->n_bytecodes || !open_bytes(v8, code->positions, &table) ||
	    v8_type(v8, code->deopt) != v8->at[V8_TYPE_BYTECODE] ||
	    !v8_part(v8, code->deopt, v8->at[V8_ARRAY_LENGTH], &word) || !v8_integer(word, &length) || length < 0)
		return V8_NO_POSITION;
	bytecode.at = code->deopt - 1 + (uint64_t)v8->at[V8_BYTECODE_DATA];
	bytecode.left = (uint32_t)length;
	if (!next_number(&table, &end))
		return V8_NO_POSITION;
	for (at += end; at <= pc; at += end) {
		uint32_t size = offset < 0 ? 0 : size_of(v8, &bytecode);

		if (offset >= 0 && !size)
			return V8_NO_POSITION;
		offset = offset < 0 ? 0 : offset + (int32_t)size;
		if (!next_number(&table, &end))
			return V8_NO_POSITION;
	}
	return offset < length ? offset : V8_NO_POSITION;
}
