// SPDX-License-Identifier: Apache-2.0
#include "analyze/generation/inputs.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_CACHES = 2 /* keys and values */, CACHE_DIMS = 3 };

static void read_type(struct input *to, const char *type, size_t len)
{
	static const struct {
		const char *name;
		uint8_t kind, size;
	} known[] = {
		{ "int64", INPUT_INTEGER, 8 }, { "int32", INPUT_INTEGER, 4 }, { "float32", INPUT_REAL, 4 },
		{ "float16", INPUT_REAL, 2 },  { "bfloat16", INPUT_REAL, 2 }, { "int8", INPUT_REAL, 1 },
		{ "uint8", INPUT_REAL, 1 },
	};

	*to = (struct input){ .kind = len == 1 && *type == '-' ? INPUT_UNKNOWN : INPUT_OTHER };
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strncmp(known[i].name, type, len) && !known[i].name[len]) {
			to->kind = known[i].kind;
			to->size = known[i].size;
		}
}

/* "[1x16]"; behind it. More dimensions, or larger ones, than there is room for make it an INPUT_OTHER. */
static const char *read_dims(struct input *to, const char *at)
{
	while ((*at == '[' || *at == 'x') && at[1] >= '0' && at[1] <= '9') {
		uint64_t dim = 0;

		for (at++; *at >= '0' && *at <= '9'; at++)
			dim = dim <= UINT32_MAX ? dim * 10 + (uint64_t)(*at - '0') : dim;
		if (to->n_dims == INPUTS_DIMS || dim > UINT32_MAX)
			to->kind = INPUT_OTHER;
		else
			to->dim[to->n_dims++] = (uint32_t)dim;
	}
	while (*at && *at != ',')
		at += at[0] == '-' && at[1] == '>' ? strlen(at) : 1;
	return at;
}

static bool is_table(const struct input *input)
{
	return input->kind == INPUT_INTEGER && input->n_dims == 2 && input->dim[0] && input->dim[1];
}

static bool is_cache(const struct input *input)
{
	return input->kind == INPUT_REAL && input->n_dims >= CACHE_DIMS;
}

/* "float32[1x4x0x32]*48"; at the next one. */
static const char *read_input(struct input *to, const char *at, uint32_t *times)
{
	size_t len = strcspn(at, "[,*");
	const char *star = at + strcspn(at, ",*>"), *end; /* outputs follow "->" */

	read_type(to, at, len);
	end = read_dims(to, at + len);
	*times = *star == '*' ? (uint32_t)strtoul(star + 1, NULL, 10) : 1;
	return end + (*end == ',');
}

bool inputs_read(struct inputs *to, const char *shapes)
{
	const char *at = shapes;
	uint32_t n_tables = 0, n_caches = 0, times;

	to->n = to->n_groups = to->n_rest = 0;
	while (*at && to->n < INPUTS_MOST) {
		struct input *input = &to->input[to->n++];

		at = read_input(input, at, &times);
		n_tables += is_table(input);
		n_caches += is_cache(input);
	}
	while (*at && to->n_groups < INPUTS_GROUPS) {
		at = read_input(&to->group[to->n_groups], at, &times);
		to->times[to->n_groups++] = times;
		to->n_rest += times;
	}
	return n_tables || n_caches > LEAST_CACHES;
}

bool inputs_may_continue(const struct inputs *inputs)
{
	uint32_t n_tables = 0, n_ones = 0, n_caches = 0;

	for (uint32_t i = 0; i < inputs->n; i++) {
		n_tables += is_table(&inputs->input[i]);
		n_ones += is_table(&inputs->input[i]) && inputs->input[i].dim[1] == 1;
		n_caches += is_cache(&inputs->input[i]);
	}
	return n_caches >= LEAST_CACHES || (n_ones && n_tables > n_ones);
}

/* The only dimension in which b is longer than a, by `by`; the others are equal. 0: there is none, or it is the batch.
 */
static uint8_t growth_axis(const struct input *a, const struct input *b, uint32_t by)
{
	uint8_t axis = 0;

	if (a->kind != b->kind || a->n_dims != b->n_dims)
		return 0;
	for (uint8_t i = 0; i < a->n_dims; i++) {
		if (a->dim[i] == b->dim[i])
			continue;
		if (axis || !i || b->dim[i] != a->dim[i] + by)
			return 0;
		axis = i;
	}
	return axis;
}

/* Decoders that are exported with a branch for the prompt get a cache of length 1 with it, which they ignore. */
static uint8_t growth_axis_of_branch(const struct input *a, const struct input *b, uint32_t tokens)
{
	uint8_t axis = tokens > 1 ? growth_axis(a, b, tokens - 1) : 0;

	return axis && a->dim[axis] == 1 ? axis : 0;
}

static bool find_cache(const struct inputs *a, const struct inputs *b, struct inputs_law *law)
{
	uint32_t tokens = a->input[law->tokens].dim[1], n = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		uint8_t axis;

		if (i == law->tokens || !is_cache(&a->input[i]))
			continue;
		axis = growth_axis(&a->input[i], &b->input[i], tokens);
		axis = axis ? axis : growth_axis_of_branch(&a->input[i], &b->input[i], tokens);
		if (!axis && memcmp(a->input[i].dim, b->input[i].dim, sizeof a->input[i].dim) != 0)
			return false;
		if (!axis || (n && axis != law->axis))
			continue;
		if (!n++) {
			law->grows = (uint8_t)i;
			law->axis = axis;
		}
	}
	law->n_grow = (uint8_t)n;
	return n >= LEAST_CACHES;
}

/* A table as long as all tokens so far. */
static bool find_mask(const struct inputs *a, const struct inputs *b, struct inputs_law *law)
{
	const struct input *tokens = &a->input[law->tokens];

	for (uint32_t i = 0; i < a->n; i++) {
		const struct input *mask = &a->input[i];

		if (i == law->tokens || !is_table(mask) || mask->dim[0] != tokens->dim[0] ||
		    mask->dim[1] < tokens->dim[1] || growth_axis(mask, &b->input[i], 1) != 1)
			continue;
		law->grows = (uint8_t)i;
		law->axis = 1;
		law->is_mask = true;
		return true;
	}
	return false;
}

/* One goes in after others of the same batch, and with the same other dimensions. */
static bool are_tokens(const struct input *a, const struct input *b)
{
	return a->kind == b->kind && a->n_dims == b->n_dims && a->dim[0] && a->dim[0] == b->dim[0] && a->dim[1] &&
	       b->dim[1] == 1 && (a->n_dims < 3 || a->dim[2] == b->dim[2]);
}

/* Embeddings are not told from chunks of sound unless a prompt goes in at once, and then one after another. */
static bool is_embedded(const struct input *a)
{
	return a->kind == INPUT_REAL && a->n_dims == 3 && a->dim[1] > 1;
}

bool inputs_continue(const struct inputs *before, const struct inputs *after, struct inputs_law *law)
{
	if (before->n != after->n || before->n_rest != after->n_rest)
		return false;
	for (uint32_t i = 0; i < before->n; i++) {
		const struct input *a = &before->input[i], *b = &after->input[i];
		bool is_real = is_embedded(a);

		if ((!is_table(a) && !is_real) || !are_tokens(a, b))
			continue;
		*law = (struct inputs_law){
			.is_real = is_real, .tokens = (uint8_t)i, .n = (uint8_t)before->n, .n_rest = before->n_rest
		};
		if (find_cache(before, after, law) || (!is_real && find_mask(before, after, law)))
			return true;
	}
	return false;
}

bool inputs_are_equal(const struct inputs *a, const struct inputs *b)
{
	return a->n == b->n && a->n_groups == b->n_groups && !memcmp(a->input, b->input, a->n * sizeof *a->input) &&
	       !memcmp(a->group, b->group, a->n_groups * sizeof *a->group) &&
	       !memcmp(a->times, b->times, a->n_groups * sizeof *a->times);
}

static bool has_dim(const struct input *input, uint32_t dim)
{
	for (uint8_t i = 1; i < input->n_dims; i++)
		if (input->dim[i] == dim)
			return true;
	return false;
}

static uint64_t bytes_of(const struct input *input)
{
	uint64_t bytes = input->size;

	for (uint8_t i = 0; i < input->n_dims; i++)
		bytes = bytes <= UINT32_MAX ? bytes * input->dim[i] : UINT64_MAX;
	return bytes;
}

/* Adds as many such inputs, if they grow like this one. False: they may grow along another dimension. */
static bool add_bytes(uint64_t *all, const struct input *cache, uint32_t times, const struct input *grows, uint8_t axis)
{
	uint64_t bytes;

	if (!is_cache(cache) || cache->n_dims != grows->n_dims)
		return true;
	if (cache->dim[axis] != grows->dim[axis])
		return !has_dim(cache, grows->dim[axis]);
	if (__builtin_mul_overflow(bytes_of(cache), times, &bytes) || __builtin_add_overflow(*all, bytes, all))
		*all = UINT64_MAX;
	return true;
}

/* Recordings before 0.2 end with as many inputs as are kept in order. Behind these may be some of unknown shape. */
static uint64_t cache_bytes(const struct inputs *inputs, const struct inputs_law *law)
{
	const struct input *grows = &inputs->input[law->grows];
	uint64_t all = 0;

	if (law->is_mask || (inputs->n == INPUTS_MOST && !inputs->n_groups) || grows->n_dims <= law->axis)
		return 0;
	for (uint32_t i = 0; i < inputs->n; i++)
		if (i != law->tokens && !add_bytes(&all, &inputs->input[i], 1, grows, law->axis))
			return 0;
	for (uint32_t i = 0; i < inputs->n_groups; i++)
		if (inputs->group[i].kind == INPUT_UNKNOWN ||
		    !add_bytes(&all, &inputs->group[i], inputs->times[i], grows, law->axis))
			return 0;
	return all;
}

static bool is_empty(const struct input *input)
{
	return !input->n_dims || has_dim(input, 0) || !input->dim[0];
}

/* Of the first input of the kind of a cache that is none. grows: a cache, NULL: there is none. */
static void put_encoded(struct inputs_step *step, const struct inputs *inputs, uint32_t tokens,
			const struct inputs_law *law)
{
	const struct input *grows = law && !law->is_mask ? &inputs->input[law->grows] : NULL;

	for (uint32_t i = 0; i < inputs->n; i++) {
		const struct input *input = &inputs->input[i];

		if (i == tokens || !is_cache(input) || is_empty(input) ||
		    (grows && input->n_dims == grows->n_dims && input->dim[law->axis] == grows->dim[law->axis]))
			continue;
		step->encoded[0] = input->dim[1];
		step->encoded[1] = input->dim[2];
		return;
	}
}

bool inputs_step(const struct inputs *inputs, const struct inputs_law *law, struct inputs_step *step)
{
	const struct input *tokens = &inputs->input[law->tokens], *grows = &inputs->input[law->grows];

	if (inputs->n != law->n || inputs->n_rest != law->n_rest ||
	    (law->is_real ? !is_cache(tokens) : !is_table(tokens)) ||
	    (law->is_mask ? !is_table(grows) : !is_cache(grows) || grows->n_dims <= law->axis))
		return false;
	*step = (struct inputs_step){ .batch = tokens->dim[0],
				      .tokens = tokens->dim[1],
				      .cached = grows->dim[law->axis],
				      .cache_bytes = cache_bytes(inputs, law),
				      .is_real = law->is_real };
	put_encoded(step, inputs, law->tokens, law);
	if (!law->is_mask)
		return step->batch && step->tokens;
	if (step->cached < step->tokens)
		return false;
	step->cached -= step->tokens;
	return true;
}

uint32_t inputs_tokens(const struct inputs *inputs, struct inputs_step step[INPUTS_TABLES])
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < inputs->n && n < INPUTS_TABLES; i++) {
		if (!is_table(&inputs->input[i]))
			continue;
		step[n] = (struct inputs_step){ .batch = inputs->input[i].dim[0], .tokens = inputs->input[i].dim[1] };
		put_encoded(&step[n++], inputs, i, NULL);
	}
	return n;
}

uint32_t inputs_text(const struct inputs *inputs)
{
	for (uint32_t i = 0; i < inputs->n; i++)
		if (is_table(&inputs->input[i]))
			return inputs->input[i].dim[1];
	return inputs->n && inputs->input[0].kind == INPUT_INTEGER && inputs->input[0].n_dims == 1
		   ? inputs->input[0].dim[0]
		   : 0;
}

bool inputs_have_mask(const struct inputs *inputs)
{
	enum { SOUND_DIMS = 3 };
	uint32_t n = inputs_text(inputs);

	for (uint32_t i = 0; n > 1 && i < inputs->n; i++)
		if (inputs->input[i].kind == INPUT_REAL && inputs->input[i].n_dims == SOUND_DIMS &&
		    has_dim(&inputs->input[i], n))
			return true;
	return false;
}

bool inputs_have_numbers(const struct inputs *inputs)
{
	for (uint32_t i = 0; i < inputs->n; i++)
		if (inputs->input[i].kind == INPUT_REAL && inputs->input[i].n_dims > 1 && !is_empty(&inputs->input[i]))
			return true;
	return false;
}
