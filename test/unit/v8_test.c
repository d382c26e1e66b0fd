// SPDX-License-Identifier: Apache-2.0
/* V8's objects, made in this test's own memory: strings of each kind, tables of positions, functions, frames. */
#include "runtime/v8/v8.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cases.h"

enum {
	TYPE_MAP_ = 250,
	TYPE_SHARED_,
	TYPE_SCRIPT_,
	TYPE_SCOPE_,
	TYPE_BYTECODE_,
	TYPE_CODE_,
	TYPE_BYTES_,
	TYPE_ODDBALL_,
	WORDS = 4096
};
enum { ONE = 8, CONS = 1, EXTERNAL = 2, SLICED = 3, THIN = 5 };

struct heap {
	uint64_t word[WORDS];
	size_t n;
	uint64_t map_of_maps;
	struct v8 v8;
};

static bool read_own(void *of, uint64_t from, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)from, size };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static uint64_t add(struct heap *heap, uint64_t map, size_t n, const uint64_t *words)
{
	uint64_t *at = heap->word + heap->n;

	heap->n += n + 1;
	assert_true(heap->n <= WORDS);
	at[0] = map;
	memcpy(at + 1, words, n * sizeof *words);
	return (uint64_t)at + 1;
}

static uint64_t map(struct heap *heap, uint16_t type)
{
	uint64_t words[2] = { (uint64_t)type << 32, 0 };

	return add(heap, heap->map_of_maps, 2, words);
}

static uint64_t small(int32_t value)
{
	return (uint64_t)(uint32_t)value << 32;
}

static struct heap heap_of(void)
{
	return (struct heap){ .n = 0 };
}

static void begin(struct heap *heap)
{
	int32_t *at = heap->v8.at;

	heap->v8.memory.read = read_own;
	heap->v8.major = 11;
	at[V8_FP_FUNCTION] = -16;
	at[V8_FP_CONTEXT] = -8;
	at[V8_FP_BYTECODE] = -32;
	at[V8_FP_OFFSET] = -40;
	at[V8_MAP_TYPE] = 12;
	at[V8_FUNCTION_SHARED] = 24;
	at[V8_SHARED_NAME] = 16;
	at[V8_SHARED_SCRIPT] = 32;
	at[V8_SCRIPT_SOURCE] = 8;
	at[V8_SCRIPT_NAME] = 16;
	at[V8_STRING_LENGTH] = 12;
	at[V8_STRING_ONE_BYTE] = at[V8_STRING_TWO_BYTE] = at[V8_STRING_FIRST] = at[V8_STRING_PARENT] =
	    at[V8_STRING_ACTUAL] = at[V8_STRING_RESOURCE] = 16;
	at[V8_STRING_SECOND] = at[V8_STRING_OFFSET] = 24;
	at[V8_FIRST_NONSTRING] = 128;
	at[V8_KIND_MASK] = 7;
	at[V8_KIND_CONS] = CONS;
	at[V8_KIND_EXTERNAL] = EXTERNAL;
	at[V8_KIND_SLICED] = SLICED;
	at[V8_KIND_THIN] = THIN;
	at[V8_ENCODING_MASK] = at[V8_ENCODING_ONE_BYTE] = ONE;
	at[V8_ARRAY_LENGTH] = 8;
	at[V8_ARRAY_DATA] = 16;
	at[V8_SCOPE_LOCALS] = 2;
	at[V8_SCOPE_FIRST] = 3;
	at[V8_BYTECODE_DATA] = 54;
	at[V8_TYPE_MAP] = TYPE_MAP_;
	at[V8_TYPE_SHARED] = TYPE_SHARED_;
	at[V8_TYPE_SCRIPT] = TYPE_SCRIPT_;
	at[V8_TYPE_SCOPE] = TYPE_SCOPE_;
	at[V8_TYPE_BYTECODE] = TYPE_BYTECODE_;
	at[V8_TYPE_CODE] = TYPE_CODE_;
	at[V8_TYPE_BYTES] = TYPE_BYTES_;
	at[V8_TYPE_ODDBALL] = TYPE_ODDBALL_;
	at[V8_TYPE_STREAM] = at[V8_TYPE_TRUSTED_BYTES] = at[V8_TYPE_SHARED_WRAPPER] = at[V8_TYPE_DEBUG] = -1;
	at[V8_FRAME_BUILTIN] = 24;
	at[V8_FRAME_STUB] = 17;
	at[V8_CODE_HEADER] = 64;
	at[V8_CODE_SIZE] = 40;
	at[V8_CODE_FLAGS] = 48;
	at[V8_KIND_FIELD] = 15;
	at[V8_KIND_BASELINE] = 11;
	heap->v8.code_deopt = 16;
	heap->v8.code_positions = 24;
	at[V8_DEOPT_LITERALS] = 2;
	at[V8_DEOPT_SHARED] = 6;
	at[V8_DEOPT_INLINING] = 7;
	heap->v8.bytecode_positions = 32;
	heap->map_of_maps = (uint64_t)heap->word + 1;
	map(heap, TYPE_MAP_);
}

static uint64_t bytes(struct heap *heap, uint64_t map_, uint64_t head, const void *data, size_t size)
{
	uint64_t words[64] = { head };

	assert_true(size <= sizeof words - 8);
	memcpy(words + 1, data, size);
	return add(heap, map_, 1 + (size + 7) / 8, words);
}

static uint64_t text_of(struct heap *heap, const char *text)
{
	return bytes(heap, map(heap, ONE), small((int32_t)strlen(text)), text, strlen(text));
}

static uint64_t pair(struct heap *heap, uint16_t type, int32_t length, uint64_t a, uint64_t b)
{
	return add(heap, map(heap, type), 3, (uint64_t[]){ small(length), a, b });
}

static const char *read_text(const struct heap *heap, uint64_t string)
{
	static char text[64];

	return v8_text(&heap->v8, string, text, sizeof text) < 0 ? NULL : text;
}

TEST(strings_of_each_kind_are_read)
{
	struct heap heap = heap_of();
	static const uint16_t wide[] = { 'G', 0xf6, 0xdf, 0xd83d, 0xde00 }, half[] = { 0xd83d, 'x' };
	static const char outside[] = "outside";
	uint64_t a, b, cons;

	begin(&heap);
	a = text_of(&heap, "ab\xe9");
	b = bytes(&heap, map(&heap, 0), small(5), wide, sizeof wide);
	cons = pair(&heap, CONS, 8, a, b);
	assert_string_equal(read_text(&heap, a), "abé");
	assert_string_equal(read_text(&heap, b), "Göß😀");
	assert_string_equal(read_text(&heap, cons), "abéGöß😀");
	assert_string_equal(read_text(&heap, pair(&heap, SLICED, 3, cons, small(1))), "béG");
	assert_string_equal(read_text(&heap, pair(&heap, THIN, 3, a, 0)), "abé");
	assert_string_equal(read_text(&heap, pair(&heap, EXTERNAL | ONE, 7, 0, (uint64_t)outside)), "outside");
	assert_string_equal(read_text(&heap, bytes(&heap, map(&heap, 0), small(2), half, sizeof half)),
			    "\xef\xbf\xbdx");
}

TEST(what_is_no_string_is_not_read)
{
	struct heap heap = heap_of();
	uint64_t a, loop;

	begin(&heap);
	a = text_of(&heap, "ab");
	assert_null(read_text(&heap, small(3)));
	assert_null(read_text(&heap, a + 4));
	assert_null(read_text(&heap, 0x10001));
	assert_null(read_text(&heap, add(&heap, map(&heap, TYPE_SHARED_), 3, (uint64_t[]){ small(2), 0, 0 })));
	assert_null(read_text(&heap, pair(&heap, SLICED, 2, a, small(1))));		   /* beyond its parent */
	assert_null(read_text(&heap, pair(&heap, EXTERNAL | 0x10, 2, 0, (uint64_t)"ab"))); /* V8 does not keep it */
	loop = pair(&heap, THIN, 2, 0, 0);
	((uint64_t *)(loop - 1))[2] = loop;
	assert_null(read_text(&heap, loop));
}

TEST(a_string_that_contains_itself_ends)
{
	struct heap heap = heap_of();
	struct array ends = { 0 };
	uint64_t loop;

	begin(&heap);
	loop = pair(&heap, CONS, 60 << 20, text_of(&heap, "a"), 0);
	((uint64_t *)(loop - 1))[3] = loop;
	assert_false(v8_line_ends(&heap.v8, loop, &ends));
	array_done(&ends, sizeof(uint32_t));
}

TEST(a_long_text_is_cut_behind_a_character)
{
	struct heap heap = heap_of();
	static const uint16_t wide[] = { 0x20ac, 0x20ac, 0x20ac };
	char text[8];

	begin(&heap);
	assert_int_equal(v8_text(&heap.v8, bytes(&heap, map(&heap, 0), small(3), wide, sizeof wide), text, sizeof text),
			 6);
	assert_string_equal(text, "€€");
}

TEST(lines_end_as_in_javascript)
{
	struct heap heap = heap_of();
	struct array ends = { 0 };
	static const uint16_t wide[] = { 'a', 0x2028, 'b', '\r', 'c' };
	const uint32_t *end;

	begin(&heap);
	assert_true(v8_line_ends(&heap.v8, text_of(&heap, "a\nb\r\n\rc"), &ends));
	end = ends.data;
	assert_int_equal(ends.n, 3);
	assert_int_equal(end[0], 1);
	assert_int_equal(end[1], 4);
	assert_int_equal(end[2], 5);
	assert_true(v8_line_ends(&heap.v8, bytes(&heap, map(&heap, 0), small(5), wide, sizeof wide), &ends));
	assert_int_equal(ends.n, 2);
	assert_false(v8_line_ends(&heap.v8, small(1), &ends));
	array_done(&ends, sizeof(uint32_t));
}

/* A source that is larger than what is read at a time: both halves of "\r\n" may come apart. */
TEST(lines_of_a_long_source_end_where_they_end)
{
	enum { LEN = 32768 + 10 };
	struct heap heap = heap_of();
	struct array ends = { 0 };
	static char source[LEN];
	const uint32_t *end;
	uint64_t text;

	begin(&heap);
	memset(source, 'x', LEN);
	source[3] = source[7] = '\n';
	source[32767] = '\r';
	source[32768] = '\n';
	source[32770] = '\r';
	text = pair(&heap, EXTERNAL | ONE, LEN, 0, (uint64_t)source);
	assert_true(v8_line_ends(&heap.v8, text, &ends));
	end = ends.data;
	assert_int_equal(ends.n, 4);
	assert_int_equal(end[0], 3);
	assert_int_equal(end[1], 7);
	assert_int_equal(end[2], 32768);
	assert_int_equal(end[3], 32770);
	array_done(&ends, sizeof(uint32_t));
}

static int64_t position(struct heap *heap, const char *table, size_t size, int32_t offset)
{
	uint64_t at;

	if (!v8_position_of(&heap->v8, bytes(heap, map(heap, TYPE_BYTES_), small((int32_t)size), table, size), offset,
			    &at))
		return -1;
	return v8_position_in_script(at);
}

TEST(a_position_is_that_of_the_newest_entry)
{
	/* 0: 136, 1: 137, 8: 144, 11: 147, 14: 152 */
	static const char old[] = "\x01\xa4\x04\x02\x04\x0f\x1c\x07\x0c\x06\x14",
			  flagged[] = "\x02\xa4\x04\x07\x04\x22\x1c";
	struct heap heap = heap_of();

	begin(&heap);
	assert_int_equal(position(&heap, old, sizeof old - 1, 0), 136);
	assert_int_equal(position(&heap, old, sizeof old - 1, 7), 137);
	assert_int_equal(position(&heap, old, sizeof old - 1, 8), 144);
	assert_int_equal(position(&heap, old, sizeof old - 1, 1000), 152);
	assert_int_equal(position(&heap, old, 4, 5), 136); /* the table ends in the middle of an entry */
	assert_int_equal(position(&heap, old, 0, 5), -1);
	heap.v8.has_flagged_offsets = true;
	assert_int_equal(position(&heap, flagged, sizeof flagged - 1, 8), 137);
	assert_int_equal(position(&heap, flagged, sizeof flagged - 1, 9), 144);
}

TEST(a_table_whose_moves_overflow_ends)
{
	static const char table[] = "\x02\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00",
			  far[] = "\x02\x00\xfe\xff\xff\xff\x0f\x02\xfe\xff\xff\xff\x0f\x02";
	struct heap heap = heap_of();

	begin(&heap);
	assert_int_equal(position(&heap, table, sizeof table - 1, 100), -1); /* 0: position -1 */
	assert_int_equal(position(&heap, far, sizeof far - 1, INT32_MAX), -1);
}

/* What a V8 exports, all of it with the same number but the size of a tagged value. */
struct exported {
	int32_t number[N_V8_FIELDS], major, minor;
	uint8_t size[3][200];
	struct v8_place place;
};

static void export_all(struct exported *v8, int32_t number)
{
	*v8 = (struct exported){ .major = 11, .minor = 3, .size[1][7] = 5 };
	for (size_t i = 0; i < N_V8_FIELDS; i++) {
		v8->number[i] = number;
		v8->place.field[i] = (uint64_t)&v8->number[i];
	}
	v8->number[V8_TAGGED_SIZE] = 8;
	v8->place.major = (uint64_t)&v8->major;
	v8->place.minor = (uint64_t)&v8->minor;
	v8_place_sizes(&v8->place, (uint64_t)v8->size, sizeof v8->size);
}

static const struct v8_memory own_memory = { read_own, NULL };

TEST(a_v8_is_opened_by_what_it_exports)
{
	struct exported exported;
	struct v8 v8;

	export_all(&exported, 24);
	exported.place.field[V8_CODE_START] = exported.place.field[V8_FP_BYTECODE] = 0;
	exported.place.field[V8_KIND_FIELD] = 0;
	assert_null(v8_open(&v8, &exported.place, &own_memory));
	assert_int_equal(v8.at[V8_MAP_TYPE], 24);
	assert_int_equal(v8.at[V8_FP_BYTECODE], 24 - 16);
	assert_int_equal(v8.at[V8_FP_OFFSET], 24 - 24);
	assert_int_equal(v8.at[V8_CODE_START], 24 + 8);
	assert_int_equal(v8.at[V8_KIND_FIELD], 15);
	assert_int_equal(v8.n_bytecodes, 200);
	assert_int_equal(v8.bytecode_size[1][7], 5);
	assert_false(v8.is_unread || v8.has_flagged_offsets);
	exported.number[V8_TAGGED_SIZE] = 4;
	assert_string_equal(v8_open(&v8, &exported.place, &own_memory), "its V8 compresses pointers");
	exported.major = 7;
	assert_string_equal(v8_open(&v8, &exported.place, &own_memory), "its V8 is older than 8.0");
	exported.place.minor = 0;
	assert_string_equal(v8_open(&v8, &exported.place, &own_memory), "the version of its V8 is not known");
}

TEST(metadata_that_is_not_exported_is_not_there_and_what_is_unreadable_may_come)
{
	struct exported exported;
	struct v8 v8;

	export_all(&exported, 24);
	exported.place.field[V8_MAP_TYPE] = 4096; /* nothing is there */
	assert_string_equal(v8_open(&v8, &exported.place, &own_memory), "the metadata of its V8 cannot be read");
	assert_true(v8.is_unread);
	export_all(&exported, 24);
	exported.place.bytecode_sizes = 4096;
	assert_non_null(v8_open(&v8, &exported.place, &own_memory));
	assert_true(v8.is_unread);
	exported.place.field[V8_MAP_TYPE] = 0;
	assert_string_equal(v8_open(&v8, &exported.place, &own_memory),
			    "its V8 lacks metadata for debuggers (v8dbg_*)");
	assert_false(v8.is_unread);
}

TEST(numbers_of_metadata_have_bounds)
{
	static const int32_t bad[] = { INT32_MIN, INT32_MIN + 1, -70000, 70000, INT32_MAX };
	struct exported exported;
	struct v8 v8;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		export_all(&exported, 24);
		exported.number[V8_FP_FUNCTION] = bad[i];
		assert_string_equal(v8_open(&v8, &exported.place, &own_memory),
				    "the metadata of its V8 has another form");
		assert_false(v8.is_unread);
	}
}

struct made {
	struct heap heap;
	uint64_t shared, frame[8], fp, bytecode;
};

static void make_function(struct made *f, const char *own, const char *inferred)
{
	static const char table[] = "\x01\xa0\x01\x0c\x04"; /* 0: 39, 6: 40 */
	struct heap *heap = &f->heap;
	uint64_t source, script, scope, positions, nothing, function, words[12];

	begin(heap);
	nothing = add(heap, map(heap, TYPE_CODE_), 1, (uint64_t[]){ 0 });
	source = text_of(heap, "function f() {}\nfunction g() {\n  f();\n  return 2;\n}\n");
	script = add(heap, map(heap, TYPE_SCRIPT_), 4,
		     (uint64_t[]){ source, text_of(heap, "/srv/a.js"), small(0), small(0) });
	scope =
	    add(heap, map(heap, TYPE_SCOPE_), 11,
		(uint64_t[]){ small(1), small(0), small(1), text_of(heap, "local"), small(7), text_of(heap, own),
			      small(-1), inferred ? text_of(heap, inferred) : nothing, small(26), small(51), nothing });
	positions = bytes(heap, map(heap, TYPE_BYTES_), small(sizeof table - 1), table, sizeof table - 1);
	memset(words, 0, sizeof words);
	words[0] = small(16);
	words[3] = positions;
	f->bytecode = add(heap, map(heap, TYPE_BYTECODE_), 9, words);
	f->shared = add(heap, map(heap, TYPE_SHARED_), 5, (uint64_t[]){ f->bytecode, scope, 0, script, 0 });
	function = add(heap, map(heap, 1000), 4, (uint64_t[]){ 0, 0, f->shared, 0 });
	f->fp = (uint64_t)&f->frame[6];
	f->frame[5] = nothing;
	f->frame[4] = function;
	f->frame[2] = f->bytecode;
	f->frame[1] = small(53 + 7);
}

TEST(a_function_has_its_own_name_or_the_one_that_v8_infers)
{
	struct made f = { .fp = 0 };
	struct v8_function function;

	make_function(&f, "g", "Object.g");
	assert_true(v8_read_function(&f.heap.v8, f.shared, &function));
	assert_string_equal(read_text(&f.heap, function.name), "g");
	assert_string_equal(read_text(&f.heap, function.file), "/srv/a.js");
	assert_int_equal(function.start, 26);
	f = (struct made){ .fp = 0 };
	make_function(&f, "", "Object.g");
	assert_true(v8_read_function(&f.heap.v8, f.shared, &function));
	assert_string_equal(read_text(&f.heap, function.name), "Object.g");
	f = (struct made){ .fp = 0 };
	make_function(&f, "", NULL);
	assert_true(v8_read_function(&f.heap.v8, f.shared, &function));
	assert_int_equal(function.name, 0);
	assert_false(v8_read_function(&f.heap.v8, f.bytecode, &function));
}

/* Where objects of make_function name another one. */
static uint64_t *word_of(uint64_t object, size_t i)
{
	return (uint64_t *)(object - 1) + i;
}

static bool reads(struct made *f, struct v8_function *function)
{
	return v8_read_function(&f->heap.v8, f->shared, function);
}

TEST(code_without_a_name_has_no_file_and_one_whose_name_is_gone_is_not_read)
{
	struct made f = { .fp = 0 };
	struct v8_function function;
	uint64_t nothing, *file, *script;

	make_function(&f, "g", NULL);
	nothing = add(&f.heap, map(&f.heap, TYPE_ODDBALL_), 1, (uint64_t[]){ 0 });
	script = word_of(f.shared, 4);
	file = word_of(*script, 2);
	*file = nothing;
	assert_true(reads(&f, &function));
	assert_int_equal(function.file, 0);
	*file = text_of(&f.heap, "");
	assert_true(reads(&f, &function));
	assert_int_equal(function.file, 0);
	*file = 0x10001; /* nothing is there */
	assert_false(reads(&f, &function));
	*file = f.bytecode;
	assert_false(reads(&f, &function));
	*script = nothing; /* it is V8's own */
	assert_true(reads(&f, &function));
	assert_int_equal(function.script, 0);
	*script = 0x10001;
	assert_false(reads(&f, &function));
	*script = f.bytecode;
	assert_false(reads(&f, &function));
}

TEST(a_function_whose_name_is_gone_is_not_read)
{
	struct made f = { .fp = 0 };
	struct v8_function function;
	uint64_t *scope;

	make_function(&f, "", "Object.g");
	scope = word_of(f.shared, 2);
	*word_of(*scope, 8) = 0x10001; /* the inferred name */
	assert_false(reads(&f, &function));
	*word_of(*scope, 6) = 0x10001; /* its own */
	assert_false(reads(&f, &function));
	*scope = text_of(&f.heap, "");
	assert_true(reads(&f, &function));
	assert_int_equal(function.name, 0);
	*scope = 0x10001;
	assert_false(reads(&f, &function));
}

TEST(an_interpreted_frame_has_its_function_and_position)
{
	struct made f = { .fp = 0 };
	struct v8_where where = { .is_innermost = false };
	struct v8_frame frame;

	make_function(&f, "g", NULL);
	where.fp = f.fp;
	v8_read_frame(&f.heap.v8, &where, &frame);
	assert_int_equal(frame.kind, V8_FUNCTION);
	assert_int_equal(frame.n, 1);
	assert_int_equal(frame.at[0].shared, f.shared);
	assert_int_equal(frame.at[0].position, 40);
	where = (struct v8_where){ f.fp, 0, true, f.bytecode, 53 + 2, NULL }; /* the registers are newer */
	v8_read_frame(&f.heap.v8, &where, &frame);
	assert_int_equal(frame.at[0].position, 39);
	f.frame[1] = small(53 + 16); /* beyond its byte code */
	where.array = 0;
	v8_read_frame(&f.heap.v8, &where, &frame);
	assert_int_equal(frame.kind, V8_FUNCTION);
	assert_int_equal(frame.at[0].position, -1);
	f.frame[4] = f.bytecode; /* no function */
	v8_read_frame(&f.heap.v8, &where, &frame);
	assert_int_equal(frame.kind, V8_OTHER);
	f.frame[5] = 2 * 24;
	v8_read_frame(&f.heap.v8, &where, &frame);
	assert_int_equal(frame.kind, V8_BUILTIN);
	f.frame[5] = 2 * 17;
	v8_read_frame(&f.heap.v8, &where, &frame);
	assert_int_equal(frame.kind, V8_STUB);
	f.frame[5] = 2 * 3;
	v8_read_frame(&f.heap.v8, &where, &frame);
	assert_int_equal(frame.kind, V8_ENTRY);
}

/* Code that V8 has optimized for a function, as far as its frames need it. */
static struct v8_code code_of(struct heap *heap, uint64_t shared)
{
	uint64_t words[9] = { small(8) };

	words[1 + 6] = shared;
	return (struct v8_code){ .begin = 0x1000, .end = 0x2000, .deopt = add(heap, map(heap, 1000), 9, words) };
}

static uint64_t other_function(struct made *f)
{
	uint64_t words[5];

	memcpy(words, (const uint64_t *)(f->shared - 1) + 1, sizeof words);
	return add(&f->heap, map(&f->heap, TYPE_SHARED_), 5, words);
}

TEST(code_of_another_function_than_the_frame_is_frameless_or_newer)
{
	struct made f = { .fp = 0 };
	struct v8_code own, other, baseline;
	struct v8_where where;
	struct v8_frame frame;

	make_function(&f, "g", NULL);
	own = code_of(&f.heap, f.shared);
	other = code_of(&f.heap, other_function(&f));
	baseline = (struct v8_code){ .deopt = f.bytecode, .is_baseline = true };
	where = (struct v8_where){ f.fp, 0x1100, true, 0, 0, &own };
	v8_read_frame(&f.heap.v8, &where, &frame);
	assert_false(frame.is_frameless);
	where.code = &other;
	v8_read_frame(&f.heap.v8, &where, &frame);
	assert_true(frame.is_frameless);
	assert_int_equal(frame.n, 1);
	assert_int_not_equal(frame.at[0].shared, f.shared);
	/* who may have called it */
	assert_true(v8_is_in_function(&f.heap.v8, f.fp, &own));
	assert_false(v8_is_in_function(&f.heap.v8, f.fp, &other));
	assert_true(v8_is_in_function(&f.heap.v8, f.fp, &baseline));
	assert_true(v8_is_in_function(&f.heap.v8, f.fp, NULL)); /* it is interpreted */
	f.frame[2] = small(1);
	assert_false(v8_is_in_function(&f.heap.v8, f.fp, NULL));
	assert_false(v8_is_in_function(&f.heap.v8, f.fp, &baseline));
	f.frame[4] = f.bytecode;
	assert_false(v8_is_in_function(&f.heap.v8, f.fp, &own));
}

/* Byte codes of 2, 6 and 1 bytes, of which the second is wide. */
static struct v8_code baseline_of(struct made *f)
{
	static const uint8_t code[] = { 4, 0, 0, 5, 0, 0, 0, 0, 6 }, table[] = { 4, 8, 8, 8 };
	struct heap *heap = &f->heap;

	memcpy((char *)(f->bytecode - 1) + heap->v8.at[V8_BYTECODE_DATA], code, sizeof code);
	heap->v8.n_bytecodes = 7;
	heap->v8.bytecode_size[0][4] = 2;
	heap->v8.bytecode_size[0][6] = 1;
	heap->v8.bytecode_size[1][5] = 5;
	return (struct v8_code){
		.begin = 0x1000,
		.end = 0x1100,
		.deopt = f->bytecode,
		.positions = bytes(heap, map(heap, TYPE_BYTES_), small(sizeof table), table, sizeof table),
		.is_baseline = true,
	};
}

TEST(baseline_code_tells_which_byte_code_it_executes)
{
	struct made f = { .fp = 0 };
	struct v8_code code;

	make_function(&f, "g", NULL);
	code = baseline_of(&f);
	assert_int_equal(v8_baseline_offset(&f.heap.v8, &code, 0x1000), -1); /* before the first one */
	assert_int_equal(v8_baseline_offset(&f.heap.v8, &code, 0x1004), 0);
	assert_int_equal(v8_baseline_offset(&f.heap.v8, &code, 0x100b), 0);
	assert_int_equal(v8_baseline_offset(&f.heap.v8, &code, 0x100c), 2);
	assert_int_equal(v8_baseline_offset(&f.heap.v8, &code, 0x1014), 8);
	assert_int_equal(v8_baseline_offset(&f.heap.v8, &code, 0x101c), V8_NO_POSITION); /* behind the table */
	code.deopt = f.shared;
	assert_int_equal(v8_baseline_offset(&f.heap.v8, &code, 0x1004), V8_NO_POSITION);
}

TEST(a_baseline_frame_without_sizes_of_byte_codes_has_no_position)
{
	struct made f = { .fp = 0 };
	struct v8_code code;
	struct v8_where where;
	struct v8_frame frame;

	make_function(&f, "g", NULL);
	code = baseline_of(&f);
	where = (struct v8_where){ f.fp, 0x1014, true, 0, 0, &code };
	v8_read_frame(&f.heap.v8, &where, &frame);
	assert_int_equal(frame.at[0].position, 40);
	f.heap.v8.n_bytecodes = 0;
	v8_read_frame(&f.heap.v8, &where, &frame);
	assert_int_equal(frame.at[0].shared, f.shared);
	assert_int_equal(frame.at[0].position, V8_NO_POSITION);
	f.heap.v8.n_bytecodes = 7;
	code.deopt = 0;
	f.heap.v8.major = 9; /* its code does not name the byte code; the frame does */
	v8_read_frame(&f.heap.v8, &where, &frame);
	assert_int_equal(frame.at[0].position, 40);
}

/* Memory from which code is searched for backwards, in whole pages. */
static _Alignas(4096) uint64_t pages[3][512];

TEST(code_is_found_by_an_address_in_it)
{
	struct heap heap = heap_of();
	struct v8_code code;
	uint64_t *header = pages[0] + 16, from = (uint64_t)header + 64;

	begin(&heap);
	memset(pages, 0, sizeof pages);
	header[0] = map(&heap, TYPE_CODE_);
	header[2] = 0x5001;
	header[3] = 0x6001;
	header[5] = 5000;
	header[6] = 11;
	assert_true(v8_find_code(&heap.v8, from + 4100, &code));
	assert_int_equal(code.object, (uint64_t)header + 1);
	assert_int_equal(code.begin, from);
	assert_int_equal(code.end, from + 5000);
	assert_int_equal(code.deopt, 0x5001);
	assert_int_equal(code.positions, 0x6001);
	assert_true(code.is_baseline);
	assert_true(v8_is_same_code(&heap.v8, &code));
	assert_false(v8_find_code(&heap.v8, from + 5000, &code)); /* behind it */
	assert_true(v8_find_code(&heap.v8, from, &code));
	header[3] = 0x7001;
	assert_false(v8_is_same_code(&heap.v8, &code));
	header[0] = map(&heap, TYPE_SHARED_);
	assert_false(v8_find_code(&heap.v8, from, &code));
}

TEST(the_search_for_code_ends_where_memory_is_full_of_objects)
{
	struct heap heap = heap_of();
	struct v8_code code;

	begin(&heap);
	for (size_t i = 0; i < 512; i++) {
		pages[1][i] = (uint64_t)&pages[2][i] + 1;
		pages[2][i] = pages[1][i];
	}
	pages[0][16] = map(&heap, TYPE_CODE_);
	pages[0][16 + 5] = 1 << 20;
	assert_false(v8_find_code(&heap.v8, (uint64_t)pages[2], &code));
	memset(pages[1], 0, sizeof pages[1]);
	memset(pages[2], 0, sizeof pages[2]);
	assert_true(v8_find_code(&heap.v8, (uint64_t)pages[2], &code));
}
