// SPDX-License-Identifier: Apache-2.0
/*
 * Where a version keeps what. Up to 3.12 this is a table, made from the headers of each version. Since 3.13 the
 * interpreter itself begins with a table of offsets (_Py_DebugOffsets), also those of a free-threaded build; only the
 * places in that table differ by version.
 */
#include <string.h>

#include "runtime/python/cpython.h"

enum { FIRST = 8, FIRST_WITH_TABLE = 13 };

#define NONE CPYTHON_NONE
#define OBJECT .object_type = 8, .object_size = 16
#define OLD_CODE .code_first_line = 40, .code_file = 104, .code_name = 112, .code_lines = 120, .code_bytes = NONE
#define OLD_THREAD \
	.interpreters = 32, .interpreter_next = 0, .interpreter_threads = 8, .thread_next = 8, \
	.thread_interpreter = 16, .thread_pthread = 176, .thread_tid = NONE, .thread_frame = 24, .cframe_frame = NONE, \
	.thread_profile = 56
#define OLD_FRAME .frame_code = 32, .frame_back = 24, .frame_owner = NONE, .frame_copy = NONE, .code_copies = NONE
#define RUNTIME_GIL(at) .runtime_gil = at, .interpreter_gil = NONE, .gil_holder = 8, .gil_locked = 16
#define COLLECTING(at) .runtime_collecting = NONE, .interpreter_collecting = at
#define OLD_TEXT .text_ascii = 48, .text_other = 72
#define NEW_TEXT .text_ascii = 40, .text_other = 56

static const struct cpython_layout layouts[] = {
	{ OBJECT, OLD_THREAD, RUNTIME_GIL(1152), .runtime_collecting = 544, .interpreter_collecting = NONE, OLD_FRAME,
	  .frame_instruction = 104, OLD_CODE, OLD_TEXT },
	{ OBJECT, OLD_THREAD, RUNTIME_GIL(352), COLLECTING(816), OLD_FRAME, .frame_instruction = 104, OLD_CODE,
	  OLD_TEXT },
	{ OBJECT, OLD_THREAD, RUNTIME_GIL(352), COLLECTING(816), OLD_FRAME, .frame_instruction = 96, OLD_CODE,
	  OLD_TEXT },
	/* 3.11 */
	{ OBJECT,
	  .interpreters = 40,
	  .interpreter_next = 0,
	  .interpreter_threads = 16,
	  RUNTIME_GIL(360),
	  COLLECTING(848),
	  .thread_next = 8,
	  .thread_interpreter = 16,
	  .thread_pthread = 152,
	  .thread_tid = 160,
	  .thread_frame = 56,
	  .thread_profile = 64,
	  .cframe_frame = 8,
	  .frame_code = 32,
	  .frame_back = 48,
	  .frame_instruction = 56,
	  .frame_owner = 69,
	  .frame_copy = NONE,
	  .code_first_line = 72,
	  .code_file = 112,
	  .code_name = 128,
	  .code_lines = 136,
	  .code_bytes = 184,
	  .code_copies = NONE,
	  OLD_TEXT },
	/* 3.12 */
	{ OBJECT,
	  .interpreters = 40,
	  .interpreter_next = 0,
	  .interpreter_threads = 72,
	  .runtime_gil = NONE,
	  .interpreter_gil = 384,
	  .gil_holder = 8,
	  .gil_locked = 16,
	  COLLECTING(312),
	  .thread_next = 8,
	  .thread_interpreter = 16,
	  .thread_pthread = 136,
	  .thread_tid = 144,
	  .thread_frame = 56,
	  .thread_profile = 64,
	  .cframe_frame = 0,
	  .frame_code = 0,
	  .frame_back = 8,
	  .frame_instruction = 56,
	  .frame_owner = 70,
	  .frame_copy = NONE,
	  .code_first_line = 68,
	  .code_file = 112,
	  .code_name = 128,
	  .code_lines = 136,
	  .code_bytes = 192,
	  .code_copies = NONE,
	  NEW_TEXT },
};

/* Which word of the interpreter's own table has it; 0: this version's has none. profile: the offset itself. */
struct place {
	uint8_t interpreter, interpreter_gc, gil, thread, thread_id, frame, frame_copy, code, code_copies, object, gc,
	    profile;
};

static const struct place places[] = {
	{ 7, 10, 14, 20, 24, 28, 0, 34, 0, 44, 71, 80 },  /* 3.13 */
	{ 7, 11, 15, 23, 27, 31, 38, 39, 49, 50, 81, 0 }, /* 3.14 */
	{ 7, 0, 15, 23, 30, 39, 46, 47, 57, 58, 0, 0 },	  /* 3.15 */
};

enum { VERSION = 1, IS_FREE_THREADED = 2, INTERPRETERS = 5, WORDS = 88, MOST = 1 << 20 };

struct table {
	uint64_t word[WORDS];
	bool is_sane;
};

/* One offset. They are of structures of at most some 100 KiB. */
static uint32_t at(struct table *table, unsigned place)
{
	table->is_sane &= table->word[place] < MOST;
	return (uint32_t)table->word[place];
}

static void take_runtime(struct cpython_layout *to, struct table *table, const struct place *place)
{
	to->interpreters = at(table, INTERPRETERS);
	to->interpreter_next = at(table, place->interpreter + 1u);
	to->interpreter_threads = at(table, place->interpreter + 2u);
	to->runtime_gil = NONE;
	to->interpreter_gil = at(table, place->gil);
	/* the table has them as parts of the interpreter */
	to->gil_locked = at(table, place->gil + 3u) - at(table, place->gil + 1u);
	to->gil_holder = at(table, place->gil + 4u) - at(table, place->gil + 1u);
	to->runtime_collecting = NONE;
	to->interpreter_collecting = place->gc ? at(table, place->interpreter_gc) + at(table, place->gc + 1u) : NONE;
	to->thread_next = at(table, place->thread + 1u);
	to->thread_interpreter = at(table, place->thread + 2u);
	to->thread_frame = at(table, place->thread + 3u);
	to->thread_profile = place->profile ? place->profile : NONE;
	to->cframe_frame = NONE;
	to->thread_pthread = at(table, place->thread_id);
	to->thread_tid = at(table, place->thread_id + 1u);
}

static void take_objects(struct cpython_layout *to, struct table *table, const struct place *place, bool has_copies)
{
	enum { TEXT_ASCII = 24, TEXT_OTHER = 40 }; /* behind the head of an object */

	to->frame_back = at(table, place->frame + 1u);
	to->frame_code = at(table, place->frame + 2u);
	to->frame_instruction = at(table, place->frame + 3u);
	to->frame_owner = at(table, place->frame + 5u);
	to->frame_copy = has_copies ? at(table, place->frame_copy) : NONE;
	to->code_file = at(table, place->code + 1u);
	to->code_name = at(table, place->code + 3u);
	to->code_lines = at(table, place->code + 4u);
	to->code_first_line = at(table, place->code + 5u);
	to->code_bytes = at(table, place->code + 9u);
	to->code_copies = has_copies ? at(table, place->code_copies) : NONE;
	to->object_size = at(table, place->object);
	to->object_type = at(table, place->object + 1u);
	to->text_ascii = to->object_size + TEXT_ASCII;
	to->text_other = to->object_size + TEXT_OTHER;
}

static const char *read_table(struct cpython *python)
{
	const struct place *place = &places[python->minor - FIRST_WITH_TABLE];
	struct table table = { .is_sane = true };

	if (!python->memory.read(python->memory.of, python->place.runtime, table.word, sizeof table.word))
		return "its memory cannot be read";
	if (memcmp(table.word, "xdebugpy", 8) || (table.word[VERSION] >> 16 & 0xff) != python->minor)
		return "this Python has no table of its structures where it should be";
	python->is_free_threaded = table.word[IS_FREE_THREADED] == 1;
	take_runtime(&python->layout, &table, place);
	take_objects(&python->layout, &table, place, python->is_free_threaded && place->frame_copy);
	return table.is_sane ? NULL : "this Python's table of its structures makes no sense";
}

static uint32_t span_of(const struct cpython_layout *layout)
{
	const uint32_t at[] = { layout->frame_code, layout->frame_back, layout->frame_instruction, layout->frame_owner,
				layout->frame_copy };
	uint32_t end = 0;

	for (unsigned i = 0; i < sizeof at / sizeof *at; i++)
		if (at[i] != NONE && at[i] + 8 > end)
			end = at[i] + 8;
	return end;
}

static const char *read_layout(struct cpython *python)
{
	enum { N_LAYOUTS = sizeof layouts / sizeof *layouts, N_PLACES = sizeof places / sizeof *places };

	if (python->minor < FIRST)
		return "this Python is older than 3.8";
	if (python->minor >= FIRST_WITH_TABLE + N_PLACES)
		return "this Python is newer than 3.15";
	if (python->minor >= FIRST_WITH_TABLE)
		return read_table(python);
	_Static_assert(FIRST + (int)N_LAYOUTS == FIRST_WITH_TABLE, "one row a version");
	python->layout = layouts[python->minor - FIRST];
	return NULL;
}

const char *cpython_read_layout(struct cpython *python)
{
	const char *why = read_layout(python);

	python->layout.frame_span = span_of(&python->layout);
	return why ? why : python->layout.frame_span > CPYTHON_FRAME_SPAN ? "this Python's frames are too long" : NULL;
}
