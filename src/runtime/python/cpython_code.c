// SPDX-License-Identifier: Apache-2.0
/*
 * Code objects: what they are called, and the line of an instruction. Three formats of lines: pairs of bytes and signed
 * lines until 3.9; pairs in which -128 is no line in 3.10; entries of one to many bytes since 3.11.
 */
#include <string.h>

#include "base/text/utf8.h"
#include "runtime/python/cpython.h"

enum { SPAN = 256, CHUNK = 256, MOST_BYTES = 1 << 26, NO_LINE = -128, BYTES_HEAD = 16 };

bool cpython_read_code(const struct cpython *python, uint64_t at, struct cpython_code *code)
{
	const struct cpython_layout *layout = &python->layout;
	unsigned char span[SPAN];
	uint64_t type;

	if (layout->code_lines > SPAN - 8 || layout->code_name > SPAN - 8 || layout->code_file > SPAN - 8 ||
	    layout->code_first_line > SPAN - 8 || layout->object_type > SPAN - 8 ||
	    !python->memory.read(python->memory.of, at, span, layout->code_lines + 8u))
		return false;
	memcpy(&type, span + layout->object_type, 8);
	if (type != python->place.code_type)
		return false;
	code->at = at;
	memcpy(&code->first_line, span + layout->code_first_line, 4);
	memcpy(&code->file, span + layout->code_file, 8);
	memcpy(&code->name, span + layout->code_name, 8);
	memcpy(&code->lines, span + layout->code_lines, 8);
	return true;
}

/* The bytes of a table, read a piece at a time. */
struct reader {
	const struct cpython *python;
	uint64_t from;
	uint64_t n, pos;     /* bytes of the table, and of them taken */
	uint64_t begin, end; /* which of them `chunk` has */
	unsigned char chunk[CHUNK];
	bool is_torn;
};

static bool open_table(struct reader *reader, const struct cpython *python, uint64_t bytes)
{
	const struct cpython_layout *layout = &python->layout;

	reader->python = python;
	reader->from = bytes + layout->object_size + BYTES_HEAD;
	reader->pos = reader->begin = reader->end = 0;
	reader->is_torn = false;
	return bytes && cpython_word(python, bytes + layout->object_size, &reader->n) && reader->n < MOST_BYTES;
}

static unsigned take(struct reader *reader)
{
	if (reader->pos >= reader->n) {
		reader->is_torn = true;
		return 0;
	}
	if (reader->pos >= reader->end) {
		const struct cpython_memory *memory = &reader->python->memory;
		uint64_t left = reader->n - reader->pos;
		reader->begin = reader->pos;
		reader->end = reader->pos + (left < CHUNK ? left : CHUNK);
		if (!memory->read(memory->of, reader->from + reader->begin, reader->chunk,
				  reader->end - reader->begin)) {
			reader->is_torn = true;
			reader->end = reader->begin;
			reader->pos = reader->n;
			return 0;
		}
	}
	return reader->chunk[reader->pos++ - reader->begin];
}

static int until_3_9(struct reader *reader, int line, int32_t offset)
{
	for (int32_t at = 0; reader->pos + 1 < reader->n;) {
		at += (int32_t)take(reader);
		if (at > offset)
			break;
		line += (signed char)take(reader);
	}
	return line;
}

static int of_3_10(struct reader *reader, int line, int32_t offset)
{
	for (int32_t at = 0; reader->pos + 1 < reader->n;) {
		int32_t size = (int32_t)take(reader);
		int step = (signed char)take(reader);
		line += step == NO_LINE ? 0 : step;
		at += size;
		if (at > offset)
			return step == NO_LINE ? 0 : line;
	}
	reader->is_torn = true;
	return 0;
}

/* A number of six bits a byte, the lowest first. */
static uint32_t take_number(struct reader *reader)
{
	uint32_t number = 0, byte;

	for (unsigned shift = 0;; shift += 6) {
		byte = take(reader);
		number |= shift < 32 ? (byte & 63) << shift : 0;
		if (!(byte & 64) || reader->is_torn)
			return number;
	}
}

static int since_3_11(struct reader *reader, int line, int32_t offset)
{
	enum { ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14, NONE = 15 }; /* kinds of entries */
	int32_t at = 0;

	while (reader->pos < reader->n) {
		unsigned head = take(reader), kind = head >> 3 & 15;
		if (!(head & 128))
			break;
		if (kind == NO_COLUMNS || kind == LONG) {
			uint32_t number = take_number(reader);
			line += number & 1 ? -(int)(number >> 1) : (int)(number >> 1);
			for (int column = 0; kind == LONG && column < 3; column++)
				take_number(reader);
		} else if (kind < NO_COLUMNS) {
			take(reader);
			if (kind >= ONE_LINE) {
				line += (int)kind - ONE_LINE;
				take(reader);
			}
		}
		at += 2 * (int32_t)((head & 7) + 1);
		if (at > offset)
			return kind == NONE ? 0 : line;
	}
	reader->is_torn = true;
	return 0;
}

int cpython_line(const struct cpython *python, const struct cpython_code *code, int32_t offset)
{
	enum { FIRST_PAIRS = 10, FIRST_ENTRIES = 11 };
	struct reader reader;
	int line;

	if (offset < 0)
		return code->first_line;
	if (!open_table(&reader, python, code->lines))
		return -1;
	if (python->minor >= FIRST_ENTRIES)
		line = since_3_11(&reader, code->first_line, offset);
	else
		line = python->minor >= FIRST_PAIRS ? of_3_10(&reader, code->first_line, offset)
						    : until_3_9(&reader, code->first_line, offset);
	return reader.is_torn || line < 0 ? -1 : line;
}

/* Behind some bits about interning, whose number differs: 3 bits of bytes a character, is compact, is ASCII. */
enum { COMPACT = 1 << 3, ASCII = 1 << 4, WIDTH = 7 };
static uint32_t shape_of(uint32_t state)
{
	if (state & 0xfc)
		return state >> 2;
	return state & 0xff00 ? state >> 8 : state >> 16;
}

/* Characters of 1, 2 or 4 bytes as UTF-8, as many as there is room for. */
static int copy_wide(const struct cpython *python, uint64_t from, uint64_t n, unsigned width, char *to, size_t size)
{
	unsigned char chunk[CHUNK];
	size_t len = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t in_chunk = i % (CHUNK / 4);
		uint64_t left = n - i < CHUNK / 4 ? n - i : CHUNK / 4;
		uint32_t number = 0;
		size_t made;
		char utf8[4];
		if (!in_chunk && !python->memory.read(python->memory.of, from + i * width, chunk, left * width))
			return -1;
		memcpy(&number, chunk + in_chunk * width, width);
		made = utf8_encode(utf8, number);
		if (len + made >= size)
			break;
		memcpy(to + len, utf8, made);
		len += made;
	}
	to[len] = 0;
	return (int)len;
}

int cpython_text(const struct cpython *python, uint64_t object, char *to, size_t size)
{
	const struct cpython_layout *layout = &python->layout;
	struct {
		uint64_t length, hash;
		uint32_t state;
	} head;
	uint64_t type;
	uint32_t shape;

	*to = 0;
	if (!object || !cpython_word(python, object + layout->object_type, &type) || type != python->place.text_type ||
	    !python->memory.read(python->memory.of, object + layout->object_size, &head, sizeof head) ||
	    head.length > MOST_BYTES)
		return -1;
	shape = shape_of(head.state);
	if (!(shape & COMPACT) || ((shape & WIDTH) != 1 && (shape & WIDTH) != 2 && (shape & WIDTH) != 4))
		return -1;
	if (!(shape & ASCII))
		return copy_wide(python, object + layout->text_other, head.length, shape & WIDTH, to, size);
	if (head.length >= size)
		head.length = size - 1;
	if (!python->memory.read(python->memory.of, object + layout->text_ascii, to, head.length))
		return -1;
	to[head.length] = 0;
	return (int)head.length;
}
