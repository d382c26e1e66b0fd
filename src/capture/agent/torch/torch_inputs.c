// SPDX-License-Identifier: Apache-2.0
/*
 * What is seen of the call of a module beside its time: the tensors among its arguments, the device that it computes
 * on, and whether its result can be differentiated. Looks into lists, tuples, dictionaries and objects, such as the
 * caches of a decoder, as deep as those are.
 */
#include <string.h>

#include "capture/agent/torch/torch_in.h"

/* Items of a container, containers inside one another, objects and containers of a call, classes that are remembered.
 */
enum { MOST_ITEMS = SHAPE_INPUTS, MOST_DEPTH = 5, MOST_LOOKED = 256, MOST_MET = 64, TYPES = 32 };

/* Element types of PyTorch as shape.h counts them; 0: others. */
static uint32_t type_of(uint16_t type)
{
	static const uint8_t known[] = { 2, 3, 5, 6, 7, 10, 1, 11, 0, 14, 15, 9, 0, 0, 0, 16 };

	return type < sizeof known ? known[type] : 0;
}

struct inputs {
	struct shape shape[SHAPE_INPUTS];
	size_t n, n_looked, n_met;
	const struct python_object *met[MOST_MET]; /* containers, the first of them */
	torch_device device;			   /* of all of them */
	bool is_mixed;
};

/* False: it is none, or one that cannot be read. */
static bool take_tensor(struct inputs *to, const struct python_object *object)
{
	struct torch_tensor tensor;
	struct shape *shape;

	if (!torch_tensor_read(object, &tensor))
		return false;
	if (to->n == SHAPE_INPUTS)
		return true;
	to->is_mixed |= to->n && tensor.device != to->device;
	to->device = tensor.device;
	shape = &to->shape[to->n++];
	shape->type = type_of(tensor.type);
	shape->n_dims = shape->type ? tensor.n_dims : 0;
	memcpy(shape->dim, tensor.dim, shape->n_dims * sizeof *tensor.dim);
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

static void take(struct inputs *to, struct python_object *object, unsigned depth);

static void take_list(struct inputs *to, struct python_object *list, bool is_tuple, unsigned depth)
{
	for (intptr_t i = 0; i < ((const intptr_t *)list)[2] && i < MOST_ITEMS; i++) {
		PYTHON_OBJECT item = is_tuple ? python.PyTuple_GetItem(list, i) : python.PyList_GetItem(list, i);
		if (item)
			take(to, item, depth);
	}
}

static void take_values(struct inputs *to, struct python_object *dict, bool is_object, unsigned depth)
{
	struct python_object *key, *value;
	intptr_t at = 0;

	for (int n = 0; n < MOST_ITEMS && python.PyDict_Next(dict, &at, &key, &value);) {
		if (is_object && !is_open(key))
			continue;
		take(to, value, depth);
		n++;
	}
}

/* Objects may contain each other, and one may be in several places. */
static bool is_met(struct inputs *to, const struct python_object *object)
{
	for (size_t i = 0; i < to->n_met; i++)
		if (to->met[i] == object)
			return true;
	if (to->n_met < MOST_MET)
		to->met[to->n_met++] = object;
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

static void take(struct inputs *to, struct python_object *object, unsigned depth)
{
	bool is_tuple, is_dict;

	if (to->n == SHAPE_INPUTS || to->n_looked++ >= MOST_LOOKED || take_tensor(to, object) || depth++ == MOST_DEPTH)
		return;
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
}

/* Of an argument; those that are too many count as containers. */
static uint64_t bit(size_t i)
{
	return i < 64 ? (uint64_t)1 << i : 0;
}

/* Caches come last: they may be more than there is room for. */
torch_device torch_inputs_of(struct open_run *run, const struct torch_module *module, struct python_object *const *args,
			     size_t n)
{
	struct inputs inputs;
	torch_device own = module->n_devices == 1 ? module->devices[0] : 0;
	uint64_t is_tensor = 0;

	inputs.n = inputs.n_looked = inputs.n_met = 0;
	inputs.device = 0;
	inputs.is_mixed = false;
	for (size_t i = 0; i < n; i++)
		is_tensor |= take_tensor(&inputs, args[i]) ? bit(i) : 0;
	for (size_t i = 0; i < n; i++)
		if (!(is_tensor & bit(i)))
			take(&inputs, args[i], 0);
	if (inputs.n) {
		run->shapes = shape_text(inputs.shape, inputs.n);
		run->batch = shape_batch(&inputs.shape[0]);
	}
	if (inputs.is_mixed || module->n_devices > 1 || (inputs.n && own && own != inputs.device))
		return 0;
	return own ? own : inputs.device;
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
