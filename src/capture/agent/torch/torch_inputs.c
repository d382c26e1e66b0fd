// SPDX-License-Identifier: Apache-2.0
/*
 * What is seen of the call of a module beside its time: the tensors among its arguments, the device that it computes
 * on, and whether its result can be differentiated. Looks into lists, tuples, dictionaries and objects, such as the
 * caches of a decoder, as deep as those are.
 */
#include <string.h>

#include "capture/agent/caches.h"
#include "capture/agent/torch/torch_in.h"

/* Containers inside one another, containers and classes that are remembered. */
enum { MOST_DEPTH = 5, MOST_MET = 256, MET = 512, TYPES = 32 };
/* Items of a container in a row, and objects of a call, that are looked at in vain; how many more for each tensor. */
enum { MOST_IN_VAIN = 16, LOOKS = 256, LOOKS_A_TENSOR = 8, MOST_TENSORS = 1024 };
/* Of a cache; of a result: how deep, and how many objects. */
enum { CACHE_DIMS = 3, RESULT_DEPTH = 4, RESULT_LOOKS = 32, CPU = 1 };

struct inputs {
	struct shapes shapes;
	size_t n_found, looks_left, n_met;
	bool is_cut;			      /* not everything was looked at */
	const struct python_object *met[MET]; /* containers, the first n_met, by their address; if there are any */
	torch_device device;		      /* of all of them */
	bool is_mixed;
	uint32_t n_caches, follows; /* of tensors that may be caches; the call that has made them */
	struct torch_inputs *to;
};

static void look_at_row(struct torch_inputs *to, const struct python_object *object, const struct torch_tensor *tensor,
			const struct shape *shape)
{
	struct prompt_row row;

	if (tensor->n_dims != 2 || to->n_rows == PROMPT_ROWS || tensor->device >> 8 != CPU)
		return;
	row = prompt_row_of(UINTPTR_MAX, shape);
	row.data = row.n ? torch_tensor_elements(object, row.size) : 0;
	if (row.data)
		to->row[to->n_rows++] = row;
}

static void look_at_cache(struct inputs *to, const struct python_object *object, const struct torch_tensor *tensor)
{
	if (tensor->n_dims < CACHE_DIMS || to->n_caches == CACHES_MOST)
		return;
	to->n_caches++;
	to->follows = caches_later(to->follows, caches_maker(torch_tensor_part(object)));
}

/* False: it is none, or one that cannot be read. */
static bool take_tensor(struct inputs *to, const struct python_object *object)
{
	struct torch_tensor tensor;
	struct shape shape;

	if (!torch_tensor_read(object, &tensor))
		return false;
	if (to->n_found == MOST_TENSORS) {
		to->is_cut = true;
		to->looks_left = 0;
		return false;
	}
	to->is_mixed |= to->shapes.n && tensor.device != to->device;
	to->device = tensor.device;
	to->looks_left += LOOKS_A_TENSOR;
	to->n_found++;
	torch_shape_of(&tensor, &shape);
	shapes_add(&to->shapes, &shape);
	look_at_row(to->to, object, &tensor, &shape);
	look_at_cache(to, object, &tensor);
	return true;
}

/* Or of a class that derives from it, such as a named tuple. */
static bool is_a(const struct python_object *object, struct python_type *type)
{
	return object->type == type || python.PyType_IsSubtype(object->type, type);
}

/* NULL: it has none. A new reference. A class has some, but to ask one of the interpreter's own for them changes it. */
static struct python_object *attributes_of(struct python_object *object)
{
	/* by class, with the GIL: a number and a text have none, and the interpreter would make an error to say so */
	static const struct python_type *without[TYPES];
	const struct python_type **place = &without[((uintptr_t)object->type >> 4) % TYPES];
	struct python_object *own;

	if (*place == object->type)
		return NULL;
	own = python.PyType_IsSubtype(object->type, python.PyDict_Type->type)
		  ? NULL
		  : python.PyObject_GenericGetDict(object, NULL);
	if (own)
		return own;
	python.PyErr_Clear();
	*place = object->type;
	return NULL;
}

/* Attributes whose names begin with "_" are the object's own business. */
static bool is_open(const struct python_object *key)
{
	const char *name = key->type == python.PyUnicode_Type ? python.PyUnicode_AsUTF8((PYTHON_OBJECT)key) : "";

	if (!name) /* half of a surrogate pair */
		python.PyErr_Clear();
	return name && *name != '_';
}

/* Whether it is a tensor, or leads to one. */
static bool take(struct inputs *to, struct python_object *object, unsigned depth);

static void take_list(struct inputs *to, struct python_object *list, bool is_tuple, unsigned depth)
{
	unsigned in_vain = 0;

	for (intptr_t i = 0; i < ((const intptr_t *)list)[2] && in_vain < MOST_IN_VAIN; i++) {
		PYTHON_OBJECT item = is_tuple ? python.PyTuple_GetItem(list, i) : python.PyList_GetItem(list, i);
		in_vain = item && take(to, item, depth) ? 0 : in_vain + 1;
	}
}

static void take_values(struct inputs *to, struct python_object *dict, bool is_object, unsigned depth)
{
	struct python_object *key, *value;
	unsigned in_vain = 0;
	intptr_t at = 0;

	while (in_vain < MOST_IN_VAIN && python.PyDict_Next(dict, &at, &key, &value))
		if (!is_object || is_open(key))
			in_vain = take(to, value, depth) ? 0 : in_vain + 1;
}

/* Objects may contain each other, and one may be in several places. */
static bool is_met(struct inputs *to, const struct python_object *object)
{
	size_t at = ((uintptr_t)object >> 4) % MET;

	if (!to->n_met)
		memset(to->met, 0, sizeof to->met);
	for (; to->met[at]; at = (at + 1) % MET)
		if (to->met[at] == object)
			return true;
	if (to->n_met++ < MOST_MET)
		to->met[at] = object;
	return false;
}

static void take_attributes(struct inputs *to, struct python_object *object, unsigned depth)
{
	struct python_object *own = attributes_of(object);

	if (!own)
		return;
	if (!is_met(to, object))
		take_values(to, own, true, depth);
	python.Py_DecRef(own);
}

static bool take(struct inputs *to, struct python_object *object, unsigned depth)
{
	const size_t n_found = to->n_found;
	bool is_tuple, is_dict;

	if (take_tensor(to, object))
		return true;
	to->is_cut |= !to->looks_left;
	if (!to->looks_left || depth++ == MOST_DEPTH)
		return false;
	to->looks_left--;
	is_tuple = is_a(object, python.PyTuple_Type);
	is_dict = !is_tuple && is_a(object, python.PyDict_Type);
	if (!is_tuple && !is_dict && !is_a(object, python.PyList_Type))
		take_attributes(to, object, depth);
	else if (!is_met(to, object)) {
		if (is_dict)
			take_values(to, object, false, depth);
		else
			take_list(to, object, is_tuple, depth);
	}
	return to->n_found > n_found;
}

/* An object that may hold caches is the same one in the next call. One that is empty is not looked up. */
static void look_at_holder(struct inputs *to, struct python_object *object, bool has_tensors, uint32_t run)
{
	struct python_object *own;

	if (is_a(object, python.PyTuple_Type) || is_a(object, python.PyDict_Type) || is_a(object, python.PyList_Type))
		return;
	own = attributes_of(object);
	if (!own)
		return;
	python.Py_DecRef(own);
	if (has_tensors)
		to->follows = caches_later(to->follows, caches_maker((uintptr_t)object));
	caches_made((uintptr_t)object, run);
}

/* Caches come last: they may be more than there is room for. */
void torch_inputs_of(struct open_run *run, const struct torch_module *module, struct python_object *const *args,
		     size_t n, struct torch_inputs *to)
{
	const struct shape none = { 0 };
	struct inputs inputs;
	torch_device own = module->n_devices == 1 ? module->devices[0] : 0;
	uint64_t is_tensor = 0;

	shapes_init(&inputs.shapes);
	inputs.looks_left = LOOKS;
	inputs.n_found = inputs.n_met = 0;
	inputs.device = 0;
	inputs.is_mixed = inputs.is_cut = false;
	inputs.n_caches = inputs.follows = 0;
	inputs.to = to;
	to->n_rows = 0;
	for (size_t i = 0; i < n && i < 64; i++)
		is_tensor |= (uint64_t)take_tensor(&inputs, args[i]) << i;
	for (size_t i = 0; i < n; i++)
		if (i >= 64 || !(is_tensor >> i & 1))
			look_at_holder(&inputs, args[i], take(&inputs, args[i], 0), run->run);
	if (inputs.is_cut && inputs.shapes.n == SHAPE_INPUTS)
		shapes_add(&inputs.shapes, &none);
	run->shapes = shapes_text(&inputs.shapes);
	run->batch = shapes_batch(&inputs.shapes);
	run->follows = inputs.follows;
	to->device = own ? own : inputs.device;
	if (inputs.is_mixed || module->n_devices > 1 || (inputs.shapes.n && own && own != inputs.device))
		to->device = 0;
}

/* What is left to look at of a result. */
struct results {
	uint32_t run, n_made, looks_left;
};

static void note(struct results *to, struct python_object *object, unsigned depth)
{
	struct python_object *key, *value;
	struct torch_tensor tensor;
	bool is_tuple;
	intptr_t at = 0;

	if (!to->looks_left || to->n_made == CACHES_MOST)
		return;
	to->looks_left--;
	if (torch_tensor_read(object, &tensor)) {
		if (tensor.n_dims >= CACHE_DIMS) {
			to->n_made++;
			caches_made(torch_tensor_part(object), to->run);
		}
		return;
	}
	if (depth++ == RESULT_DEPTH)
		return;
	is_tuple = is_a(object, python.PyTuple_Type);
	if (is_tuple || is_a(object, python.PyList_Type))
		for (; at < ((const intptr_t *)object)[2] && to->looks_left; at++)
			note(to, is_tuple ? python.PyTuple_GetItem(object, at) : python.PyList_GetItem(object, at),
			     depth);
	else if (is_a(object, python.PyDict_Type))
		while (to->looks_left && python.PyDict_Next(object, &at, &key, &value))
			note(to, value, depth);
}

void torch_results_made(struct python_object *result, uint32_t run)
{
	struct results results = { .run = run, .looks_left = RESULT_LOOKS };

	note(&results, result, 0);
}

static const struct python_object *first_of(struct python_object *result)
{
	struct python_object *key, *value;
	intptr_t at = 0;

	if (result->type == python.PyTuple_Type && ((const intptr_t *)result)[2])
		return python.PyTuple_GetItem(result, 0);
	if (result->type == python.PyList_Type && ((const intptr_t *)result)[2])
		return python.PyList_GetItem(result, 0);
	if (python.PyType_IsSubtype(result->type, python.PyDict_Type) && python.PyDict_Next(result, &at, &key, &value))
		return value;
	return result;
}

bool torch_result_requires_gradient(struct python_object *result)
{
	return torch_tensor_requires_gradient(first_of(result));
}
