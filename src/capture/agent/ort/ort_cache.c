// SPDX-License-Identifier: Apache-2.0
/*
 * Which inference the caches of a decoder come from (caches.h): results of several dimensions that a program hands in
 * again, as they are or in a value of its own around the same elements, or binds again. A model with fewer such inputs
 * and results than keys and values of a layer is not looked at. Nothing is known of what a program copies in between.
 */
#include "capture/agent/caches.h"
#include "capture/agent/ort/ort_in.h"

enum { CACHE_DIMS = 3, LEAST_INPUTS = CACHES_LEAST + 1 /* the tokens */, INT32 = 6, STRING = 8, BOOL = 9 };

static bool is_cache(const struct shape *shape)
{
	return shape->type && shape->n_dims >= CACHE_DIMS && (shape->type < INT32 || shape->type > BOOL);
}

uintptr_t ort_cache_elements(struct ort_copy *copy, uintptr_t value)
{
	struct shape shape;

	if (!value)
		return 0;
	ort_shape_of_value(copy, value, &shape);
	return is_cache(&shape) ? ort_shape_elements(copy, value) : 0;
}

uint32_t ort_cache_maker(struct ort_copy *copy, const uintptr_t *values, size_t n)
{
	uint32_t run = 0, n_looked = 0;

	for (size_t i = n < LEAST_INPUTS ? n : 0; i < n && n_looked < CACHES_MOST; i++) {
		uintptr_t at = ort_cache_elements(copy, values[i]);

		n_looked += at != 0;
		run = caches_later(run, caches_maker(at));
	}
	return run;
}

void ort_cache_made(struct ort_copy *copy, const uintptr_t *values, size_t n, uint32_t run)
{
	uint32_t n_made = 0;

	for (size_t i = n < LEAST_INPUTS ? n : 0; i < n && n_made < CACHES_MOST; i++) {
		uintptr_t at = ort_cache_elements(copy, values[i]);

		n_made += at != 0;
		caches_made(at, run);
	}
}
