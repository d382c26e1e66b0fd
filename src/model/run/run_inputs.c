// SPDX-License-Identifier: Apache-2.0
/*
 * Makes the inputs: shapes from the model and the options, and 1 for unknown dimensions; values generated, or from one
 * file each. Does not read complete test data: run_data.c does.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/run/run.h"

/* The options that have several values: the first n values of each. */
struct variants {
	int n; /* groups to make */
	int64_t batch[RUN_MAX_GROUPS];
	int n_batches; /* 0: none given */
};

static int input_kind(const struct run_value *input, struct err *err)
{
	static const char *const kinds[] = { "of an unknown kind", "a tensor", "a sequence", "a map", "opaque",
					     "a sparse tensor",	   "optional" };

	if (input->kind != ORT_TENSOR)
		return err_set(err, ENOTSUP, "cannot create input '%s': it is %s; only tensors are supported",
			       input->name,
			       input->kind >= 0 && input->kind <= ORT_OPTIONAL ? kinds[input->kind] : kinds[0]);
	if (input->type == TENSOR_UNDEFINED)
		return err_set(err, ENOTSUP, "cannot create input '%s': its element type is unknown", input->name);
	return 0;
}

/* The value of NAME=VALUE for this name; NULL: none. */
static const char *given(const struct opt_list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++) {
		size_t len;
		const char *value = run_opts_pair(list->item[i], &len);

		if (value && strlen(name) == len && !memcmp(name, list->item[i], len))
			return value;
	}
	return NULL;
}

/* Shape number `variant` of "1x3/2x3"; the last one when there are fewer. */
static int shape_of_variant(const char *text, int variant, int64_t *dim, struct err *err)
{
	const char *end;
	int n;

	for (int i = 0;; i++) {
		n = run_opts_shape(text, dim, TENSOR_MAX_DIMS, &end, err);
		if (n < 0 || i == variant || !*end)
			return n;
		text = end + 1;
	}
}

static int count_shapes(const char *text)
{
	int n = 1;

	for (; *text; text++)
		n += *text == '/';
	return n;
}

/* Notes an assumed size for a later error message: "images: height, width; mask: dimension 1". */
static void note_guess(struct run *run, const struct run_value *input, size_t i)
{
	char name[RUN_NAME + 16], *text = run->guessed;
	size_t used = strlen(text);
	bool is_same = run->guessed_input == input;

	snprintf(name, sizeof name, "%s", input->symbol[i]);
	if (!*name)
		snprintf(name, sizeof name, "dimension %zu", i);
	if ((is_same && strstr(text, name)) || used + strlen(name) + strlen(input->name) + 8 > sizeof run->guessed)
		return;
	if (is_same)
		snprintf(text + used, sizeof run->guessed - used, ", %s", name);
	else
		snprintf(text + used, sizeof run->guessed - used, "%s%s: %s", used ? "; " : "", input->name, name);
	run->guessed_input = input;
}

/* The size of free dimension i in this variant; -EINVAL and err: its option is invalid. */
static int64_t free_size(struct run *run, const struct run_value *input, size_t i, const struct variants *variants,
			 int variant, struct err *err)
{
	const char *said = input->symbol[i][0] ? given(&run->opts->dimension, input->symbol[i]) : NULL;
	int64_t number[RUN_MAX_GROUPS];
	int n;

	if (said) {
		n = run_opts_numbers(said, number, RUN_MAX_GROUPS, err);
		if (n < 0)
			return err_wrap(err, "cannot use '%s' as --dim", said);
		return number[variant < n ? variant : n - 1];
	}
	if (i == 0 && variants->n_batches)
		return variants->batch[variant < variants->n_batches ? variant : variants->n_batches - 1];
	note_guess(run, input, i);
	return 1;
}

static int shape_input(struct run *run, const struct run_value *input, const struct variants *variants, int variant,
		       int64_t *dim, struct err *err)
{
	const char *shape = given(&run->opts->shape, input->name);
	int n;

	if (shape) {
		n = shape_of_variant(shape, variant, dim, err);
		if (n < 0)
			return err_wrap(err, "cannot use '%s' as --shape", shape);
		return run_sets_check(input, dim, (size_t)n, err);
	}
	for (size_t i = 0; i < input->n_dims; i++) {
		dim[i] = input->dim[i] < 0 ? free_size(run, input, i, variants, variant, err) : input->dim[i];
		if (dim[i] < 0)
			return -EINVAL;
	}
	return 0;
}

/* "NAME=LOW:HIGH" for this input, or "LOW:HIGH" for all. */
static int read_range(const struct run *run, const char *name, struct tensor_fill *fill, struct err *err)
{
	const struct opt_list *list = &run->opts->range;
	const char *text = given(list, name);
	char *end, *last;
	size_t len;

	for (size_t i = 0; i < list->n && !text; i++)
		if (!run_opts_pair(list->item[i], &len))
			text = list->item[i];
	if (!text)
		return 0;
	fill->has_range = true;
	fill->low = strtod(text, &end);
	fill->high = *end == ':' ? strtod(end + 1, &last) : 0;
	if (end == text || *end != ':' || last == end + 1 || *last || !(fill->low <= fill->high))
		return err_set(err, EINVAL, "cannot use '%s' as --range: expected LOW:HIGH", text);
	return 0;
}

static int make_up(const struct run *run, const struct run_value *input, const int64_t *dim, struct tensor *tensor,
		   struct err *err)
{
	static const char *const kinds[] = { "uniform", "normal", "zeros", "ones" };
	struct tensor_fill fill = { .seed = run->result->seed };
	int rc = read_range(run, input->name, &fill, err);

	while (strcmp(kinds[fill.kind], run->opts->fill))
		fill.kind++;
	if (!rc)
		rc = tensor_alloc(tensor, input->type, dim, input->n_dims, err);
	if (!rc)
		rc = tensor_fill(tensor, &fill, input->name, err);
	return rc ? err_wrap(err, "cannot create input '%s'", input->name) : 0;
}

static int read_input(const struct run_value *input, const char *path, struct tensor *tensor, struct err *err)
{
	struct tensor_list list = { 0 };
	int rc = tensor_file_read(path, &list, err);

	if (rc)
		return rc;
	if (list.n != 1)
		rc = err_set(err, EINVAL, "it holds %zu tensors; expected one", list.n);
	if (!rc)
		rc = tensor_npy_retype(&list.item[0].tensor, input->type, err);
	if (!rc)
		rc = run_sets_check(input, list.item[0].tensor.dims, list.item[0].tensor.n_dims, err);
	if (!rc) {
		*tensor = list.item[0].tensor;
		memset(&list.item[0].tensor, 0, sizeof *tensor);
	} else {
		err_wrap(err, "cannot use %s as input '%s'", path, input->name);
	}
	tensor_list_done(&list);
	return rc;
}

/* "data float32[1,3,224,224] mask int64[1,16]" */
static void describe(const struct run *run, const struct run_set *set, char *text, size_t size)
{
	char one[256];
	size_t used = 0;

	*text = 0;
	for (size_t i = 0; i < run->n_inputs && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s %s", i ? " " : "", run->input[i].name,
					 tensor_describe(&set->tensor[i], one, sizeof one));
}

static int make_group(struct run *run, const struct variants *variants, int variant, struct err *err)
{
	struct run_set set = { .tensor = calloc(run->n_inputs + 1, sizeof *set.tensor) };
	int64_t dim[TENSOR_MAX_DIMS], batch = -1;
	char text[RUN_TEXT];

	if (!set.tensor)
		return err_no_memory(err, "cannot create inputs");
	for (size_t i = 0; i < run->n_inputs; i++) {
		const struct run_value *input = &run->input[i];
		const char *path = given(&run->opts->input, input->name);
		int rc = path ? read_input(input, path, &set.tensor[i], err)
			      : shape_input(run, input, variants, variant, dim, err);

		if (!rc && !path)
			rc = make_up(run, input, dim, &set.tensor[i], err);
		if (rc)
			return rc;
	}
	if (variants->n_batches)
		batch = variants->batch[variant < variants->n_batches ? variant : variants->n_batches - 1];
	describe(run, &set, text, sizeof text);
	return run_sets_add(run, &set, text, batch, err);
}

/* A name in an option that is not an input is an error. */
static int check_names(const struct run *run, const struct opt_list *list, const char *option, struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		size_t len, k = 0;

		if (!run_opts_pair(list->item[i], &len))
			continue;
		while (k < run->n_inputs &&
		       (strlen(run->input[k].name) != len || memcmp(run->input[k].name, list->item[i], len)))
			k++;
		if (k == run->n_inputs)
			return err_set(
			    err, EINVAL,
			    "cannot use '%s' as --%s: the model has no input '%.*s'; its first input is '%s'",
			    list->item[i], option, (int)len, list->item[i], run->n_inputs ? run->input[0].name : "-");
	}
	return 0;
}

/* A batch size without effect is an error: the result would not measure the requested size. */
static int check_batch(const struct run *run, struct err *err)
{
	for (size_t i = 0; i < run->n_inputs; i++)
		if (run->input[i].n_dims && run->input[i].dim[0] < 0)
			return 0;
	return err_set(err, EINVAL,
		       "cannot use --batch-size %s: no input has a free first dimension; that of '%s' is %lld",
		       run->opts->batch_size, run->n_inputs ? run->input[0].name : "-",
		       run->n_inputs && run->input[0].n_dims ? (long long)run->input[0].dim[0] : 0);
}

static int count_variants(const struct run *run, struct variants *variants, struct err *err)
{
	const struct run_opts *opts = run->opts;
	int64_t number[RUN_MAX_GROUPS];
	size_t len;
	int n;

	variants->n = 1;
	if (opts->batch_size) {
		if (check_batch(run, err))
			return -EINVAL;
		n = run_opts_numbers(opts->batch_size, variants->batch, RUN_MAX_GROUPS, err);
		if (n < 0)
			return err_wrap(err, "cannot use '%s' as --batch-size", opts->batch_size);
		variants->n = variants->n_batches = n;
	}
	for (size_t i = 0; i < opts->shape.n; i++) {
		n = count_shapes(opts->shape.item[i]);
		variants->n = n > variants->n ? n : variants->n;
	}
	for (size_t i = 0; i < opts->dimension.n; i++) {
		n = run_opts_numbers(run_opts_pair(opts->dimension.item[i], &len), number, RUN_MAX_GROUPS, err);
		if (n < 0)
			return err_wrap(err, "cannot use '%s' as --dim", opts->dimension.item[i]);
		variants->n = n > variants->n ? n : variants->n;
	}
	if (variants->n > RUN_MAX_GROUPS)
		return err_set(err, E2BIG, "cannot use more than %d shape groups", RUN_MAX_GROUPS);
	return 0;
}

int run_inputs_make(struct run *run, struct err *err)
{
	const struct run_opts *opts = run->opts;
	struct variants variants = { 0 };
	int rc = 0;

	for (size_t i = 0; i < run->n_inputs && !rc; i++)
		rc = input_kind(&run->input[i], err);
	if (!rc)
		rc = check_names(run, &opts->shape, "shape", err);
	if (!rc)
		rc = check_names(run, &opts->input, "input", err);
	if (!rc)
		rc = check_names(run, &opts->range, "range", err);
	if (rc)
		return rc;
	if (opts->data.n)
		return run_data_read(run, err);
	rc = count_variants(run, &variants, err);
	for (int i = 0; i < variants.n && !rc; i++)
		rc = make_group(run, &variants, i, err);
	return rc;
}
