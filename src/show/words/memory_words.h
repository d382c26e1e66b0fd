/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of the memory that a runtime's allocators gave to sessions, and why it is not known. */
#ifndef SHOW_WORDS_MEMORY_WORDS_H
#define SHOW_WORDS_MEMORY_WORDS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

/* Why nothing is known of it, as a phrase; "": it is known. */
struct printable memory_missing(const struct summary *summary);

enum { MEMORY_DOUBTS = 5 };
/* Why the sums may be wrong, a sentence each. How many there are. */
unsigned memory_doubts(const struct summary *summary, struct printable doubt[MEMORY_DOUBTS]);

/* "session 3 of resnet on cpu", "no session, on cpu". */
struct printable memory_whose(const struct summary *summary, const struct summary_memory *memory, bool is_ascii);
/* "weights 3.3 MiB, packed weights 2.1 MiB ...": of what was in use at the peak. */
struct printable memory_at_peak(const struct summary *summary, const struct summary_memory *memory);
/* "n1 (Conv, 1x3x224x224) 1.2 MiB, ...": operators that had most when they had most. */
struct printable memory_holders(const struct summary *summary, const struct summary_memory *memory, bool is_ascii);
/* What a released session has not given back, or what its inferences had not when the last one ended; "": nothing. */
struct printable memory_left(const struct summary *summary, const struct summary_memory *memory, bool is_ascii);
/* "212 MiB were resident at the end: ...", and how much of it is not from allocators; "": not known. */
/* Who was killed because there was no memory, and whose limit that was; "": nobody. */
struct printable memory_killed(const struct summary *summary, bool is_ascii);
struct printable memory_of_process(const struct summary_process *process);
/* What the session's creation left, packed copies apart. */
static inline int64_t memory_of_creation(const struct summary_memory *memory)
{
	return memory->weights + memory->creation;
}

#endif
