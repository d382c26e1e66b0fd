// SPDX-License-Identifier: Apache-2.0
/*
 * Handles the outputs of a first inference: notes their shapes, writes them as .npy on request, and compares them with
 * test data. The sets of one group share a note: the worst of them counts.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/run/run.h"

static int take_strings(struct run *run, struct ort_value *value, const int64_t *dim, size_t n_dims,
			struct tensor *tensor, struct err *err)
{
	const struct ort_api *api = &run->api;
	size_t n = 1, len = 0, *start = NULL;
	char *bytes = NULL;
	int rc = ort_api_check(api, api->strings_length(value, &len), err, "read strings");

	for (size_t i = 0; i < n_dims; i++)
		n *= (size_t)dim[i];
	if (!rc) {
		start = calloc(n + 1, sizeof *start);
		bytes = malloc(len + 1);
		rc = start && bytes ? 0 : err_no_memory(err, "cannot read strings");
	}
	if (!rc)
		rc = ort_api_check(api, api->strings_content(value, bytes, len, start, n), err, "read strings");
	if (!rc)
		rc = tensor_alloc_strings(tensor, dim, n_dims, &(struct tensor_texts){ bytes, len, start }, err);
	free(start);
	free(bytes);
	return rc;
}

static int take_shaped(struct run *run, struct ort_value *value, const struct ort_shape *shape, struct tensor *tensor,
		       struct err *err)
{
	const struct ort_api *api = &run->api;
	int64_t dim[TENSOR_MAX_DIMS];
	size_t n_dims, n_elements, size_bytes;
	void *data = NULL;
	int type = 0;

	if (ort_api_check(api, api->shape_element_type(shape, &type), err, "read the type") ||
	    ort_api_check(api, api->shape_n_dims(shape, &n_dims), err, "read the shape"))
		return -EIO;
	if (n_dims > TENSOR_MAX_DIMS)
		return err_set(err, ENOTSUP, "it has %zu dimensions", n_dims);
	if (ort_api_check(api, api->shape_dims(shape, dim, n_dims), err, "read the shape") ||
	    tensor_measure(tensor_type_from_ort(type), dim, n_dims, &n_elements, &size_bytes, err))
		return -err->code;
	if (tensor_type_from_ort(type) == TENSOR_STRING)
		return take_strings(run, value, dim, n_dims, tensor, err);
	if (ort_api_check(api, api->tensor_data(value, &data), err, "read the values"))
		return -EIO;
	return tensor_borrow(tensor, tensor_type_from_ort(type), dim, n_dims,
			     &(struct tensor_bytes){ data, size_bytes }, err);
}

/* The output as a tensor; -ENOTSUP for sequences, maps and unknown types. */
static int take_tensor(struct run *run, struct ort_value *value, struct tensor *tensor, struct err *err)
{
	const struct ort_api *api = &run->api;
	struct ort_shape *shape = NULL;
	int kind = ORT_UNKNOWN, rc;

	memset(tensor, 0, sizeof *tensor);
	if (!value || ort_api_check(api, api->value_kind(value, &kind), err, "read its kind") || kind != ORT_TENSOR)
		return err_set(err, ENOTSUP, "it is not a tensor");
	if (ort_api_check(api, api->value_shape(value, &shape), err, "read the shape"))
		return -EIO;
	rc = take_shaped(run, value, shape, tensor, err);
	api->release_shape(shape);
	return rc;
}

static struct run_tensor *note_of(struct run *run, size_t group, const char *name)
{
	struct run_result *result = run->result;
	struct run_tensor *note;

	for (uint32_t i = 0; i < result->n_tensors; i++) {
		note = &result->tensors[i];
		if (note->is_output && note->group == group && !strncmp(note->name, name, sizeof note->name - 1))
			return note;
	}
	if (result->n_tensors == RUN_MAX_TENSORS)
		return NULL;
	note = &result->tensors[result->n_tensors];
	snprintf(note->name, sizeof note->name, "%s", name);
	note->is_output = 1;
	note->group = (uint32_t)group;
	note->n_dims = -1;
	result->n_tensors++;
	return note;
}

static void note_shape(struct run_tensor *note, const struct tensor *tensor)
{
	note->type = tensor->type;
	note->n_dims = (int32_t)tensor->n_dims;
	memcpy(note->dim, tensor->dims, tensor->n_dims * sizeof *note->dim);
	note->n_elements = tensor->n_elements;
	note->bytes = tensor->size_bytes;
}

/* DIR/<n>.npy of the first group, DIR/<group>-<n>.npy of the others. */
static int write_output(struct run *run, size_t group, size_t number, const struct tensor *tensor,
			struct run_tensor *note, struct err *err)
{
	char path[PATH_MAX];

	if (group)
		snprintf(note->file, sizeof note->file, "%zu-%zu.npy", group, number);
	else
		snprintf(note->file, sizeof note->file, "%zu.npy", number);
	snprintf(path, sizeof path, "%s/%s", run->opts->outputs, note->file);
	if (!tensor_npy_write(tensor, path, err))
		return 0;
	note->file[0] = 0;
	return -err->code;
}

static struct tensor_tolerance tolerance_for(const struct run *run, enum tensor_type type)
{
	struct tensor_tolerance tolerance = tensor_default_tolerance(type);

	if (run->opts->absolute_tolerance)
		run_opts_real(run->opts->absolute_tolerance, &tolerance.absolute, NULL);
	if (run->opts->relative_tolerance)
		run_opts_real(run->opts->relative_tolerance, &tolerance.relative, NULL);
	return tolerance;
}

static void note_difference(struct run_tensor *note, const struct tensor *tensor, const struct tensor_diff *diff,
			    bool is_same)
{
	char place[128];
	bool is_odd = diff->n_one_nan || diff->n_one_infinite;

	if (!diff->is_comparable) {
		note->compared = RUN_NOT_COMPARABLE;
		snprintf(note->why, sizeof note->why, "%s", diff->why);
		return;
	}
	note->cosine = note->compared == RUN_NOT_COMPARED ? diff->cosine : fmin(note->cosine, diff->cosine);
	if (note->compared == RUN_NOT_COMPARED || (note->compared == RUN_SAME && !is_same))
		note->compared = is_same ? RUN_SAME : RUN_DIFFERENT;
	if (diff->n_finite && diff->max_abs > note->max_abs)
		note->max_abs = diff->max_abs;
	note->max_rel = diff->n_relative && diff->max_rel > note->max_rel ? diff->max_rel : note->max_rel;
	if (is_odd)
		note->max_abs = note->max_rel = NAN;
	if (diff->n_off <= note->n_different)
		return;
	note->n_different = diff->n_off;
	if (note->compared == RUN_DIFFERENT)
		snprintf(note->why, sizeof note->why, "%zu of %zu elements beyond the tolerance, the first at %s",
			 diff->n_off, diff->n_elements, tensor_place(tensor, diff->first_off, place, sizeof place));
}

static const struct tensor *expected_for(const struct run_set *set, const char *name, size_t number)
{
	for (size_t i = 0; i < set->expected.n; i++)
		if (set->expected.item[i].name && !strcmp(set->expected.item[i].name, name))
			return &set->expected.item[i].tensor;
	for (size_t i = 0; i < set->expected.n; i++)
		if (set->expected.item[i].position == (int)number)
			return &set->expected.item[i].tensor;
	return NULL;
}

static int take_one(struct run *run, size_t group, size_t set, size_t number, struct ort_value *value, struct err *err)
{
	const char *name = run->output[number].name;
	const struct tensor *expected = expected_for(&run->shapes[group].set[set], name, number);
	struct run_tensor *note = note_of(run, group, name);
	struct tensor_diff diff;
	struct tensor tensor;
	struct err why;
	bool is_same;
	int rc = 0;

	if (!note)
		return 0;
	if (take_tensor(run, value, &tensor, &why)) {
		note->compared = expected ? RUN_NOT_COMPARABLE : RUN_NOT_COMPARED;
		snprintf(note->why, sizeof note->why, "%.*s", (int)sizeof note->why - 1, why.msg);
		return 0;
	}
	note_shape(note, &tensor);
	if (run->opts->outputs && !set)
		rc = write_output(run, group, number, &tensor, note, err);
	if (!rc && expected) {
		is_same = tensor_compare(expected, &tensor, tolerance_for(run, tensor.type), &diff);
		note_difference(note, &tensor, &diff, is_same);
	}
	tensor_done(&tensor);
	return rc;
}

int run_outputs_take(struct run *run, size_t group, size_t set, struct ort_value *const *output, struct err *err)
{
	if (run->opts->outputs && mkdir(run->opts->outputs, 0777) && errno != EEXIST)
		return err_set(err, errno, "cannot create the folder %s: %s", run->opts->outputs, strerror(errno));
	if (run->opts->outputs)
		snprintf(run->result->outputs_dir, RUN_PATH, "%s", run->opts->outputs);
	for (size_t i = 0; i < run->n_outputs; i++)
		if (take_one(run, group, set, i, output[i], err))
			return -err->code;
	return 0;
}
