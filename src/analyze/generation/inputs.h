/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the shapes of an inference's inputs say about tokens. An inference continues another one if one token goes in,
 * and its caches, or a mask, are longer by exactly the tokens that went in before. Sizes that merely change (images,
 * batches, chunks of sound) do not follow this law.
 */
#ifndef ANALYZE_GENERATION_INPUTS_H
#define ANALYZE_GENERATION_INPUTS_H

#include <stdbool.h>
#include <stdint.h>

enum { INPUTS_MOST = 16, INPUTS_GROUPS = 8, INPUTS_DIMS = 5 };
enum input_kind { INPUT_OTHER, INPUT_INTEGER, INPUT_REAL, INPUT_UNKNOWN /* "-" */ };

/* The first inputs, and groups of equal ones among the rest, which recordings before 0.2 do not have. */
struct inputs {
	uint32_t n, n_groups, n_rest; /* n_rest: inputs in groups */
	struct input {
		uint8_t kind, n_dims, size; /* size: bytes of an element; 0: not known */
		uint32_t dim[INPUTS_DIMS];
	} input[INPUTS_MOST], group[INPUTS_GROUPS];
	uint32_t times[INPUTS_GROUPS];
};

/* Where a model takes its tokens, and what grows by them. */
struct inputs_law {
	bool is_mask;	/* a mask: its length includes the tokens that go in */
	bool is_real;	/* embeddings go in, in place of tokens */
	uint8_t tokens; /* the input: [batch x tokens], or [batch x tokens x width] */
	uint8_t grows;	/* the first input that grows; */
	uint8_t axis;	/* along this dimension */
	uint8_t n;	/* inputs, of the first ones */
	uint8_t n_grow; /* of those, that grow */
	uint32_t n_rest;
};

/* What an inference takes in, by a law. */
struct inputs_step {
	uint32_t batch, tokens, cached;
	uint64_t cache_bytes; /* of the caches that grow; 0: not known */
	uint32_t encoded[2];  /* what is no cache beside the tokens may be an encoder's result as long; 0: there is none
			       */
	bool is_real;	      /* embeddings went in, in place of tokens */
};

/* Reads "int64[1x16],float32[1x4x0x32]"; behind the first, "float32[1x4x0x32]*48". Outputs are none. False: none of
 * them can be tokens. */
bool inputs_read(struct inputs *to, const char *shapes);
/* False: they surely continue nothing. */
bool inputs_may_continue(const struct inputs *inputs);
/* The law by which `after` continues `before` with one token. False: it does not. */
bool inputs_continue(const struct inputs *before, const struct inputs *after, struct inputs_law *law);
bool inputs_are_equal(const struct inputs *a, const struct inputs *b);
/* False: the inputs are not those that the law is of. */
bool inputs_step(const struct inputs *inputs, const struct inputs_law *law, struct inputs_step *step);
/* The tokens of an inference of any model: inputs that can be tokens, which may be a mask of an encoder's, too. How
 * many there are, the first INPUTS_TABLES of which are put. */
enum { INPUTS_TABLES = 3 };
uint32_t inputs_tokens(const struct inputs *inputs, struct inputs_step step[INPUTS_TABLES]);
/* The tokens of a text that went in, of any integers; 0: none. */
uint32_t inputs_text(const struct inputs *inputs);
/* Beside numbers, integers as long as one of their dimensions: a mask of sound, not a text. */
bool inputs_have_mask(const struct inputs *inputs);
/* Pictures, sound, embeddings: not none of them. */
bool inputs_have_numbers(const struct inputs *inputs);
static inline bool inputs_law_equals(const struct inputs_law *a, const struct inputs_law *b)
{
	return a->is_mask == b->is_mask && a->tokens == b->tokens && a->grows == b->grows && a->axis == b->axis &&
	       a->n == b->n && a->n_rest == b->n_rest;
}

#endif
