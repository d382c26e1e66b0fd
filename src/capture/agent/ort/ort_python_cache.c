// SPDX-License-Identifier: Apache-2.0
/*
 * The same as ort_cache.c for calls of the package for Python: arrays of numpy and values of the runtime, in the
 * dictionary that goes in and the list that comes back, or bound to a session. With the GIL; no code of the program
 * runs.
 */
#include <string.h>

#include "capture/agent/caches.h"
#include "capture/agent/ort/ort_in.h"
#include "capture/agent/replace/python.h"

enum { CACHE_DIMS = 3, LEAST = CACHES_LEAST + 1, MOST_LOOKS = 16 };

/* PyArrayObject, whose layout is part of numpy's ABI. */
struct array {
	struct python_object head;
	uintptr_t elements;
	int n_dims;
};
/* An object of the binding: the value that it holds. */
struct holder {
	struct python_object head;
	uintptr_t held;
};
/* std::vector, of values of three words. */
struct values {
	uintptr_t begin, end;
};
enum { VALUE_SIZE = 3 * sizeof(uintptr_t) };

static bool is_named(const struct python_type *type, const char *name)
{
	const char *dot = strrchr(type->name, '.');

	return dot && !strcmp(dot + 1, name);
}

static uintptr_t elements_of(struct ort_copy *copy, const struct python_object *object)
{
	const struct array *array = (const struct array *)object;

	if (!strcmp(object->type->name, "numpy.ndarray"))
		return array->n_dims >= CACHE_DIMS ? array->elements : 0;
	return is_named(object->type, "OrtValue") ? ort_cache_elements(copy, ((const struct holder *)object)->held) : 0;
}

static uint32_t maker_of(struct ort_copy *copy, struct python_object *feeds)
{
	struct python_object *key, *value;
	uint32_t run = 0, n_looked = 0, n_caches = 0;
	intptr_t at = 0;

	while (n_looked++ < MOST_LOOKS && n_caches < CACHES_MOST && python.PyDict_Next(feeds, &at, &key, &value)) {
		uintptr_t elements = elements_of(copy, value);

		n_caches += elements != 0;
		run = caches_later(run, caches_maker(elements));
	}
	return run;
}

/* The binding of the runtime behind a session's; 0: it is another object. */
static uintptr_t binding_of(const struct python_object *object)
{
	const struct {
		uintptr_t session, binding;
	} *held = (const void *)((const struct holder *)object)->held;

	return is_named(object->type, "SessionIOBinding") && held ? held->binding : 0;
}

uint32_t ort_python_cache_maker(struct ort_copy *copy, struct python_object *given)
{
	uintptr_t bound[ORT_BOUND];

	return given->type == python.PyDict_Type
		   ? maker_of(copy, given)
		   : ort_cache_maker(copy, bound, ort_binding_values(copy, binding_of(given), false, bound));
}

static void list_made(struct ort_copy *copy, struct python_object *list, uint32_t run)
{
	intptr_t n = ((const intptr_t *)list)[2];
	uint32_t n_made = 0;

	for (intptr_t i = n < LEAST ? n : 0; i < n && n_made < CACHES_MOST; i++) {
		uintptr_t elements = elements_of(copy, python.PyList_GetItem(list, i));

		n_made += elements != 0;
		caches_made(elements, run);
	}
}

static void values_made(struct ort_copy *copy, const struct values *values, uint32_t run)
{
	size_t n = (values->end - values->begin) / VALUE_SIZE;
	uintptr_t value[MOST_LOOKS];

	if (n < LEAST)
		return;
	n = n < MOST_LOOKS ? n : MOST_LOOKS;
	for (size_t i = 0; i < n; i++)
		value[i] = values->begin + i * VALUE_SIZE;
	ort_cache_made(copy, value, n, run);
}

void ort_python_cache_made(struct ort_copy *copy, struct python_object *given, struct python_object *results,
			   uint32_t run)
{
	const struct holder *holder = (const struct holder *)results;
	uintptr_t bound[ORT_BOUND];

	if (given->type != python.PyDict_Type)
		ort_cache_made(copy, bound, ort_binding_values(copy, binding_of(given), true, bound), run);
	else if (results->type == python.PyList_Type)
		list_made(copy, results, run);
	else if (is_named(results->type, "OrtValueVector") && holder->held)
		values_made(copy, (const struct values *)holder->held, run);
}
