// SPDX-License-Identifier: Apache-2.0
/*
 * Turns sets of inputs into the runtime's values, and groups sets by their shapes. Generates no values and reads no
 * file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/run/run.h"

int run_sets_check(const struct run_value *input, const int64_t *dim, size_t n_dims, struct err *err)
{
	if (n_dims != input->n_dims)
		return err_set(err, EINVAL, "cannot give '%s' %zu dimension%s: the model has %zu", input->name, n_dims,
			       n_dims == 1 ? "" : "s", input->n_dims);
	for (size_t i = 0; i < n_dims; i++)
		if (input->dim[i] >= 0 && dim[i] != input->dim[i])
			return err_set(err, EINVAL,
				       "cannot give '%s' the size %lld in dimension %zu: the model has %lld",
				       input->name, (long long)dim[i], i, (long long)input->dim[i]);
	return 0;
}

static struct ort_status *give_strings(struct run *run, const struct tensor *tensor, struct ort_value **value)
{
	const struct ort_api *api = &run->api;
	struct ort_status *status =
	    api->create_tensor(run->allocator, tensor->dims, tensor->n_dims, tensor_type_to_ort(tensor->type), value);

	return status ? status : api->fill_strings(*value, tensor->strings, tensor->n_elements);
}

/* The runtime uses a tensor's memory in place; only strings are copied. */
static int give_tensor(struct run *run, const struct run_value *input, struct tensor *tensor, struct ort_value **value,
		       struct err *err)
{
	const struct ort_api *api = &run->api;
	int type = tensor_type_to_ort(tensor->type);
	struct ort_status *status;

	if (!type)
		return err_set(err, ENOTSUP, "cannot pass '%s' to the runtime: it does not support elements of type %s",
			       input->name, tensor_type_name(tensor->type));
	status = tensor->type == TENSOR_STRING
		     ? give_strings(run, tensor, value)
		     : api->create_tensor_with_data(run->memory, tensor->data, tensor->size_bytes, tensor->dims,
						    tensor->n_dims, type, value);
	return ort_api_check(api, status, err, "give '%s' to the runtime", input->name);
}

static bool same_shapes(const struct run *run, const struct run_set *a, const struct run_set *b)
{
	for (size_t i = 0; i < run->n_inputs; i++)
		if (!tensor_same_shape(&a->tensor[i], &b->tensor[i]))
			return false;
	return true;
}

static void note_inputs(struct run *run, const struct run_set *set, uint32_t group)
{
	struct run_result *result = run->result;

	for (size_t i = 0; i < run->n_inputs; i++) {
		const struct tensor *tensor = &set->tensor[i];
		struct run_tensor *note = &result->tensors[result->n_tensors];

		if (result->n_tensors == RUN_MAX_TENSORS)
			return;
		snprintf(note->name, sizeof note->name, "%s", run->input[i].name);
		note->group = group;
		note->type = tensor->type;
		note->n_dims = (int32_t)tensor->n_dims;
		memcpy(note->dim, tensor->dims, tensor->n_dims * sizeof *note->dim);
		note->n_elements = tensor->n_elements;
		note->bytes = tensor->size_bytes;
		result->n_tensors++;
	}
}

static int find_group(struct run *run, const struct run_set *set, const char *text, int64_t batch, size_t *group,
		      struct err *err)
{
	struct run_result *result = run->result;
	struct run_shapes *shapes;

	for (*group = 0; *group < run->n_shapes; ++*group)
		if (same_shapes(run, &run->shapes[*group].set[0], set))
			return 0;
	if (run->n_shapes == RUN_MAX_GROUPS)
		return err_set(err, E2BIG, "cannot use more than %d shape groups", RUN_MAX_GROUPS);
	shapes = realloc(run->shapes, (run->n_shapes + 1) * sizeof *shapes);
	if (!shapes)
		return err_no_memory(err, "cannot create inputs");
	run->shapes = shapes;
	memset(&shapes[run->n_shapes++], 0, sizeof *shapes);
	snprintf(result->groups[*group].text, RUN_TEXT, "%s", text);
	result->groups[*group].batch = batch;
	result->n_groups = (uint32_t)run->n_shapes;
	note_inputs(run, set, (uint32_t)*group);
	return 0;
}

int run_sets_add(struct run *run, struct run_set *set, const char *text, int64_t batch, struct err *err)
{
	struct run_set *sets;
	struct run_shapes *shapes;
	size_t group;

	set->value = calloc(run->n_inputs + 1, sizeof *set->value);
	if (!set->value)
		return err_no_memory(err, "cannot create inputs");
	for (size_t i = 0; i < run->n_inputs; i++)
		if (give_tensor(run, &run->input[i], &set->tensor[i], &set->value[i], err))
			return -err->code;
	if (find_group(run, set, text, batch, &group, err))
		return -err->code;
	shapes = &run->shapes[group];
	sets = realloc(shapes->set, (shapes->n_sets + 1) * sizeof *sets);
	if (!sets)
		return err_no_memory(err, "cannot create inputs");
	shapes->set = sets;
	sets[shapes->n_sets++] = *set;
	run->result->groups[group].n_sets = (uint32_t)shapes->n_sets;
	return 0;
}
