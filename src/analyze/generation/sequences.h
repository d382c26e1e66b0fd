/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What went into a batch of a runtime that names its sequences (EVENT_KEYS, SEQUENCES): "0:12+1/1,3:0+64/0" are one
 * token of sequence 0 behind 12 others, with the result of 1 asked for, and the first 64 of sequence 3.
 */
#ifndef ANALYZE_GENERATION_SEQUENCES_H
#define ANALYZE_GENERATION_SEQUENCES_H

#include <stdbool.h>
#include <stdint.h>

struct sequence {
	int64_t number, position;   /* position of its first token; -1: not known */
	uint32_t n_tokens, n_asked; /* results asked for */
};

/* Reads one, and moves on. False: there is no more. */
bool sequence_read(struct sequence *to, const char **text);

#endif
