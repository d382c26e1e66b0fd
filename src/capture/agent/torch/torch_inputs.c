// SPDX-License-Identifier: Apache-2.0
/*
 * What is seen of the call of a module beside its time: the tensors among its arguments, the device that it computes
 * on, and whether its result can be differentiated. Looks into lists and tuples, also of lists and tuples, and into
 * dictionaries.
 */
#include <string.h>

#include "capture/agent/torch/torch_in.h"

/* Of at most so many items of a container. */
enum { MOST_ITEMS = 8 };

/* Element types of PyTorch as shape.h counts them; 0: others. */
static uint32_t type_of(uint16_t type)
{
	static const uint8_t known[] = { 2, 3, 5, 6, 7, 10, 1, 11, 0, 14, 15, 9, 0, 0, 0, 16 };

	return type < sizeof known ? known[type] : 0;
}

struct inputs {
	struct shape shape[SHAPE_INPUTS];
	size_t n;
	torch_device device; /* of all of them */
	bool is_mixed;
};

static void take_tensor(struct inputs *to, const struct python_object *object)
{
	struct torch_tensor tensor;
	struct shape *shape;

	if (to->n == SHAPE_INPUTS || !torch_tensor_read(object, &tensor))
		return;
	to->is_mixed |= to->n && tensor.device != to->device;
	to->device = tensor.device;
	shape = &to->shape[to->n++];
	shape->type = type_of(tensor.type);
	shape->n_dims = shape->type ? tensor.n_dims : 0;
	memcpy(shape->dim, tensor.dim, shape->n_dims * sizeof *tensor.dim);
}

static bool is_list(const struct python_object *object)
{
	return object->type == python.PyTuple_Type || object->type == python.PyList_Type;
}

static struct python_object *item_at(struct python_object *list, intptr_t i)
{
	return list->type == python.PyTuple_Type ? python.PyTuple_GetItem(list, i) : python.PyList_GetItem(list, i);
}

static intptr_t n_items(const struct python_object *list)
{
	intptr_t n = ((const intptr_t *)list)[2];

	return n < MOST_ITEMS ? n : MOST_ITEMS;
}

/* Or of a layer's keys and values, in a list of layers. */
static void take_item(struct inputs *to, struct python_object *item)
{
	if (!item)
		return;
	if (!is_list(item)) {
		take_tensor(to, item);
		return;
	}
	for (intptr_t i = 0; i < n_items(item); i++)
		take_tensor(to, item_at(item, i));
}

static void take(struct inputs *to, struct python_object *object)
{
	struct python_object *key, *value;
	intptr_t at = 0;

	if (is_list(object)) {
		for (intptr_t i = 0; i < n_items(object) && to->n < SHAPE_INPUTS; i++)
			take_item(to, item_at(object, i));
	} else if (object->type == python.PyDict_Type) {
		for (int n = 0; n < MOST_ITEMS && python.PyDict_Next(object, &at, &key, &value); n++)
			take_tensor(to, value);
	} else {
		take_tensor(to, object);
	}
}

torch_device torch_inputs_of(struct open_run *run, const struct torch_module *module, struct python_object *const *args,
			     size_t n)
{
	struct inputs inputs;
	torch_device own = module->n_devices == 1 ? module->devices[0] : 0;

	inputs.n = 0;
	inputs.device = 0;
	inputs.is_mixed = false;
	for (size_t i = 0; i < n; i++)
		take(&inputs, args[i]);
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
