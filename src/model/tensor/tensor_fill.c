// SPDX-License-Identifier: Apache-2.0
/*
 * Generates values from a seed, for inputs without data. Each tensor has a generator of its own, started from the seed
 * and the name. Numbers are computed from integers in steps that are exact or rounded once (fma), so that the result
 * does not depend on compiler, libm or CPU.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/tensor/tensor.h"

/* A scrambled counter: every 64-bit value occurs once before the first repeats. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* FNV-1a over the name, started from the seed. */
static uint64_t first_state(uint64_t seed, const char *name)
{
	uint64_t state = 0xcbf29ce484222325u ^ next_random(&seed);

	for (; name && *name; name++)
		state = (state ^ (uint8_t)*name) * 0x100000001b3u;
	return state;
}

struct range {
	double low, high;
};

static struct range default_range(const struct tensor *tensor, enum tensor_fill_kind kind)
{
	const struct tensor_type_info *info = tensor_type_info(tensor->type);
	struct range range;

	if (info->kind == TENSOR_KIND_FLOAT || info->kind == TENSOR_KIND_COMPLEX) {
		const double most = kind == TENSOR_FILL_NORMAL ? 6 : 1;
		return (struct range){ -most, most };
	}
	tensor_type_range(tensor->type, &range.low, &range.high);
	range.low = 0;
	if (info->bits >= 32)
		range.high = 1;
	else if (tensor->type != TENSOR_UINT8 && range.high > 127)
		range.high = 127;
	return range;
}

static int check_range(const struct tensor *tensor, struct range range, struct err *err)
{
	struct range type;

	tensor_type_range(tensor->type, &type.low, &type.high);
	if (!isfinite(range.low) || !isfinite(range.high) || !(range.low <= range.high) ||
	    !isfinite(range.high - range.low))
		return err_set(err, EINVAL, "cannot fill a tensor with %g to %g: the range is empty", range.low,
			       range.high);
	if (range.low < type.low || range.high > type.high)
		return err_set(err, ERANGE, "cannot fill a tensor of %s with %g to %g: the type holds %g to %g",
			       tensor_type_name(tensor->type), range.low, range.high, type.low, type.high);
	return 0;
}

static double uniform(uint64_t *state, struct range range, int n_bits)
{
	const double unit = ldexp((double)(next_random(state) >> (64 - n_bits)), -n_bits);

	return fma(unit, range.high - range.low, range.low);
}

/* The sum of twelve uniform numbers: close to a normal distribution, without a logarithm. */
static double normal(uint64_t *state, struct range range)
{
	const int mean = 12 * 65535 / 2;
	int sum = 0;

	for (int i = 0; i < 3; i++) {
		for (uint64_t x = next_random(state), n = 4; n; n--, x >>= 16)
			sum += (int)(x & 0xffff);
	}
	return fma((sum - mean) / 65536.0, (range.high - range.low) / 12, range.low / 2 + range.high / 2);
}

static double make_float(uint64_t *state, enum tensor_fill_kind kind, struct range range, enum tensor_type type)
{
	/* As many bits as the float type has, so that the range -1 to 1 is exact. */
	const bool is_wide = type == TENSOR_DOUBLE || type == TENSOR_COMPLEX128;
	double value = kind == TENSOR_FILL_NORMAL ? normal(state, range) : uniform(state, range, is_wide ? 53 : 24);

	return type == TENSOR_FLOAT8E8M0 ? fabs(value) : value;
}

static void fill_floats(struct tensor *tensor, enum tensor_fill_kind kind, struct range range, uint64_t state)
{
	const unsigned n_parts = tensor_type_info(tensor->type)->kind == TENSOR_KIND_COMPLEX ? 2 : 1;

	for (size_t i = 0; i < tensor->n_elements; i++) {
		for (unsigned part = 0; part < n_parts; part++)
			tensor_put(tensor, i, part, make_float(&state, kind, range, tensor->type));
	}
}

/* Two's complement handles both signs alike. */
static uint64_t integer(double value)
{
	return value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
}

static int fill_integers(struct tensor *tensor, enum tensor_fill_kind kind, struct range range, uint64_t state,
			 struct err *err)
{
	const double low = ceil(range.low), high = floor(range.high);
	uint64_t first, last;

	if (low > high)
		return err_set(err, ERANGE, "cannot fill a tensor of %s with %g to %g: the range holds no whole number",
			       tensor_type_name(tensor->type), range.low, range.high);
	first = integer(low);
	last = integer(high);
	for (size_t i = 0; i < tensor->n_elements; i++) {
		if (kind == TENSOR_FILL_NORMAL) {
			tensor_put(tensor, i, 0, normal(&state, (struct range){ low, high }));
			continue;
		}
		unsigned __int128 scaled =
		    (unsigned __int128)next_random(&state) * ((unsigned __int128)(last - first) + 1);
		tensor_put_int(tensor, i, (int64_t)(first + (uint64_t)(scaled >> 64)));
	}
	return 0;
}

enum { N_SYLLABLES = 3, SYLLABLE = 2 };

/* One to three syllables. Returns the length. */
static size_t make_word(uint64_t *state, char *word)
{
	static const char consonants[] = "bdfgklmnprstvwhz", vowels[] = "aeiou";
	uint64_t x = next_random(state);
	const size_t n = 1 + x % N_SYLLABLES;

	for (size_t i = 0; i < n; i++) {
		x >>= 8;
		word[SYLLABLE * i] = consonants[x % 16];
		word[SYLLABLE * i + 1] = vowels[(x >> 4) % 5];
	}
	return SYLLABLE * n;
}

static int fill_strings(struct tensor *tensor, uint64_t state, bool is_empty, struct err *err)
{
	const size_t n = tensor->n_elements;
	size_t *start = calloc(n + 1, sizeof *start);
	char *words = calloc(n + 1, N_SYLLABLES * SYLLABLE);
	struct tensor made;
	size_t used = 0;
	int ret;

	if (!start || !words) {
		ret = err_set(err, ENOMEM, "cannot make up %zu words: out of memory", n);
		goto out;
	}
	for (size_t i = 0; i < n; i++) {
		start[i] = used;
		if (!is_empty)
			used += make_word(&state, words + used);
	}
	ret = tensor_alloc_strings(&made, tensor->dims, tensor->n_dims, &(struct tensor_texts){ words, used, start },
				   err);
	if (!ret) {
		tensor_done(tensor);
		*tensor = made;
	}
out:
	free(words);
	free(start);
	return ret;
}

static void fill_same(struct tensor *tensor, double value)
{
	const unsigned n_parts = tensor_type_info(tensor->type)->kind == TENSOR_KIND_COMPLEX ? 2 : 1;

	for (size_t i = 0; i < tensor->n_elements; i++) {
		tensor_put(tensor, i, 0, value);
		if (n_parts == 2)
			tensor_put(tensor, i, 1, 0);
	}
}

int tensor_fill(struct tensor *tensor, const struct tensor_fill *fill, const char *name, struct err *err)
{
	const struct tensor_type_info *info = tensor_type_info(tensor->type);
	const uint64_t state = first_state(fill->seed, name);
	struct range range;
	int ret = 0;

	if (info->kind == TENSOR_KIND_STRING)
		return fill_strings(tensor, state, fill->kind == TENSOR_FILL_ZEROS, err);
	if (fill->kind == TENSOR_FILL_ZEROS || fill->kind == TENSOR_FILL_ONES) {
		fill_same(tensor, fill->kind == TENSOR_FILL_ONES);
		return 0;
	}
	range = fill->has_range ? (struct range){ fill->low, fill->high } : default_range(tensor, fill->kind);
	if (fill->has_range)
		ret = check_range(tensor, range, err);
	if (ret)
		return ret;
	if (info->kind != TENSOR_KIND_FLOAT && info->kind != TENSOR_KIND_COMPLEX)
		return fill_integers(tensor, fill->kind, range, state, err);
	fill_floats(tensor, fill->kind, range, state);
	return 0;
}
