/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which place of a program a stack is at, as its author would say: the function of a library that the program's own
 * code called, and the line that called it; or the program's own function. Texts are ids of the stream's names.
 */
#ifndef ANALYZE_OUTSIDE_OUTSIDE_PLACE_H
#define ANALYZE_OUTSIDE_OUTSIDE_PLACE_H

#include <stdbool.h>

#include "base/text/printable.h"
#include "event/callstack.h"
#include "event/names.h"

struct outside_place {
	const struct frame *in;	  /* what it is in; NULL: not known */
	const struct frame *from; /* the program's own line that called this; NULL: in is its own, or none is */
};

struct outside_place outside_place_of(const struct names *names, uint32_t stack);

/*
 * The program's own line that waits for a lock, of a thread that waits for another one: all that it calls there is code
 * of locks. NULL: it calls something else, as a model, or nothing is known.
 */
const struct frame *outside_lock_frame(const struct names *names, uint32_t stack);

/* "Image.resize, called from c_pre.py:6", "work (c_pre.py:12)", "memcpy (libc.so.6)"; "" of nothing. */
struct printable outside_place_words(const struct names *names, const struct outside_place *place);
/* "resize (Image.py:2193)" */
struct printable outside_frame_words(const struct names *names, const struct frame *frame);
/* The inside of an import: of the frames of importlib, the first of each is enough. */
bool outside_is_inside_import(const struct names *names, const struct frame *frame);
/* Without its folders. */
const char *outside_file_name(const char *path);

#endif
