// SPDX-License-Identifier: Apache-2.0
/* Reads the names, types and dimensions of the session's inputs and outputs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/run/run.h"

static int read_dims(struct run *run, const struct ort_shape *shape, struct run_value *value, struct err *err)
{
	const struct ort_api *api = &run->api;
	const char *symbol[TENSOR_MAX_DIMS] = { 0 };

	if (ort_api_check(api, api->shape_n_dims(shape, &value->n_dims), err, "read the shape of '%s'", value->name))
		return -EIO;
	if (value->n_dims > TENSOR_MAX_DIMS)
		return err_set(err, ENOTSUP, "cannot use '%s': it has %zu dimensions, more than %d", value->name,
			       value->n_dims, TENSOR_MAX_DIMS);
	if (ort_api_check(api, api->shape_dims(shape, value->dim, value->n_dims), err, "read the shape of '%s'",
			  value->name) ||
	    ort_api_check(api, api->shape_symbols(shape, symbol, value->n_dims), err, "read the shape of '%s'",
			  value->name))
		return -EIO;
	for (size_t i = 0; i < value->n_dims; i++) {
		value->symbol[i] = strdup(symbol[i] ? symbol[i] : "");
		if (!value->symbol[i])
			return err_set(err, ENOMEM, "cannot read the shape of '%s': out of memory", value->name);
	}
	return 0;
}

static int read_type(struct run *run, struct ort_type *type, struct run_value *value, struct err *err)
{
	const struct ort_api *api = &run->api;
	const struct ort_shape *shape = NULL;
	int element = 0;

	if (ort_api_check(api, api->type_kind(type, &value->kind), err, "read the type of '%s'", value->name))
		return -EIO;
	if (value->kind != ORT_TENSOR)
		return 0;
	if (ort_api_check(api, api->type_tensor(type, &shape), err, "read the type of '%s'", value->name) ||
	    ort_api_check(api, api->shape_element_type(shape, &element), err, "read the type of '%s'", value->name))
		return -EIO;
	value->type = tensor_type_from_ort(element);
	return read_dims(run, shape, value, err);
}

typedef struct ort_status *(*count_function)(const struct ort_session *, size_t *);
typedef struct ort_status *(*name_function)(const struct ort_session *, size_t, struct ort_allocator *, char **);
typedef struct ort_status *(*type_function)(const struct ort_session *, size_t, struct ort_type **);

/* The functions for the inputs or for the outputs, and where the results go. */
struct side {
	count_function count;
	name_function name;
	type_function type;
	struct run_value **values;
	size_t *n;
	const char ***names;
};

static int read_side(struct run *run, const struct side *side, struct err *err)
{
	const struct ort_api *api = &run->api;

	if (ort_api_check(api, side->count(run->session, side->n), err, "count the model's inputs and outputs"))
		return -EIO;
	*side->values = calloc(*side->n + 1, sizeof **side->values);
	*side->names = calloc(*side->n + 1, sizeof **side->names);
	if (!*side->values || !*side->names)
		return err_no_memory(err, "cannot read the model's inputs and outputs");
	for (size_t i = 0; i < *side->n; i++) {
		struct run_value *value = &(*side->values)[i];
		struct ort_type *info = NULL;
		int rc;

		if (ort_api_check(api, side->name(run->session, i, run->allocator, &value->name), err,
				  "read the model's names"))
			return -EIO;
		(*side->names)[i] = value->name;
		if (ort_api_check(api, side->type(run->session, i, &info), err, "read the type of '%s'", value->name))
			return -EIO;
		rc = read_type(run, info, value, err);
		api->release_type(info);
		if (rc)
			return rc;
	}
	return 0;
}

int run_values_read(struct run *run, struct err *err)
{
	const struct ort_api *api = &run->api;
	struct side inputs = { api->input_count, api->input_name, api->input_type,
			       &run->input,	 &run->n_inputs,  &run->input_name };
	struct side outputs = { api->output_count, api->output_name, api->output_type,
				&run->output,	   &run->n_outputs,  &run->output_name };
	int rc = read_side(run, &inputs, err);

	return rc ? rc : read_side(run, &outputs, err);
}
