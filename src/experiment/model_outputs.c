// SPDX-License-Identifier: Apache-2.0
/* Outputs of a run beside those of another one, read from the .npy files that the runner wrote, or beside expected
 * ones. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/model_in.h"
#include "model/run/run_opts.h"
#include "model/tensor/tensor_file.h"

static const char *shape_text(const struct run_tensor *tensor, struct arena *arena)
{
	char text[512] = "";
	size_t used = 0;

	if (tensor->n_dims < 0)
		return NULL;
	if (!tensor->n_dims)
		return "scalar";
	for (int32_t i = 0; i < tensor->n_dims && used < sizeof text; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld", i ? "x" : "",
					 (long long)tensor->dim[i]);
	return arena_keep(arena, text);
}

static void describe(struct model_output *output, const struct run_tensor *tensor, struct arena *arena)
{
	*output = (struct model_output){
		.name = arena_keep(arena, tensor->name),
		.type = onnx_elem_name(tensor->type),
		.shape = shape_text(tensor, arena),
		.n_elements = -1,
		.n_different = -1,
		.max_abs = NAN,
		.max_rel = NAN,
		.cosine = NAN,
		.tolerance_abs = NAN,
		.tolerance_rel = NAN,
	};
}

static int read_output(const char *folder, const char *file, uint32_t type, struct tensor *to, struct err *err)
{
	char path[PATH_MAX];
	int code;

	if (snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path)
		return err_set(err, ENAMETOOLONG, "its path is too long");
	code = tensor_npy_read(path, to, err);
	return code ? code : tensor_npy_retype(to, (enum tensor_type)type, err);
}

/* Of the options, which go together, or that of the type. */
static struct tensor_tolerance tolerance_of(const struct run_opts *opts, enum tensor_type type)
{
	struct tensor_tolerance tolerance = tensor_default_tolerance(type);

	if (!opts->absolute_tolerance && !opts->relative_tolerance)
		return tolerance;
	tolerance = (struct tensor_tolerance){ 0, 0 };
	if (opts->absolute_tolerance)
		run_opts_real(opts->absolute_tolerance, &tolerance.absolute, NULL);
	if (opts->relative_tolerance)
		run_opts_real(opts->relative_tolerance, &tolerance.relative, NULL);
	return tolerance;
}

static void compare(struct model_output *output, const struct run_tensor *run, const struct model_folders *folders,
		    struct arena *arena)
{
	struct tensor actual = { 0 }, expected = { 0 };
	struct tensor_diff diff;
	struct err err;
	char place[256];

	if (read_output(folders->to, run->file, run->type, &actual, &err) ||
	    read_output(folders->from, run->file, run->type, &expected, &err)) {
		output->problem = arena_keep(arena, err.msg);
	} else {
		struct tensor_tolerance tolerance = tolerance_of(folders->opts, expected.type);

		output->is_equal = tensor_compare(&expected, &actual, tolerance, &diff);
		output->tolerance_abs = tolerance.absolute;
		output->tolerance_rel = tolerance.relative;
		output->n_elements = (int64_t)diff.n_elements;
		output->n_different = (int64_t)diff.n_off;
		output->max_abs = diff.n_finite ? diff.max_abs : NAN;
		output->max_rel = diff.n_relative ? diff.max_rel : NAN;
		output->cosine = diff.is_comparable ? diff.cosine : NAN;
		if (diff.n_finite && diff.max_abs > 0)
			output->where =
			    arena_keep(arena, tensor_place(&expected, diff.max_abs_index, place, sizeof place));
		if (*diff.why)
			output->problem = arena_keep(arena, diff.why);
	}
	tensor_done(&actual);
	tensor_done(&expected);
}

/* The runner has compared it. */
static void take_compared(struct model_output *output, const struct run_tensor *run, struct arena *arena)
{
	output->n_elements = (int64_t)run->n_elements;
	output->n_different = (int64_t)run->n_different;
	output->max_abs = run->max_abs;
	output->max_rel = run->max_rel;
	output->cosine = run->compared == RUN_NOT_COMPARABLE ? NAN : run->cosine;
	output->is_equal = run->compared == RUN_SAME;
	if (run->compared == RUN_NOT_COMPARABLE)
		output->problem = arena_keep(arena, run->why);
}

/* folders NULL: beside what was expected. */
static int fill(struct model_result *result, const struct run_record *run, const struct model_folders *folders,
		const char *against, struct arena *arena, struct err *err)
{
	struct model_output *outputs;

	if (!run->head)
		return 0;
	outputs = arena_alloc(arena, (run->head->n_tensors + 1) * sizeof *outputs);
	if (!outputs)
		return err_no_memory(err, "cannot compare outputs");
	for (uint32_t i = 0; i < run->head->n_tensors; i++) {
		const struct run_tensor *tensor = &run->head->tensors[i];
		bool is_there = folders ? *tensor->file : tensor->compared != RUN_NOT_COMPARED;

		if (!tensor->is_output || !is_there)
			continue;
		describe(&outputs[result->n_outputs], tensor, arena);
		if (folders)
			compare(&outputs[result->n_outputs], tensor, folders, arena);
		else
			take_compared(&outputs[result->n_outputs], tensor, arena);
		result->n_outputs++;
	}
	result->outputs = outputs;
	if (result->n_outputs)
		result->against = against;
	return 0;
}

int model_fill_outputs(struct model_result *result, const struct run_record *run, const struct model_folders *folders,
		       struct arena *arena, struct err *err)
{
	return fill(result, run, folders, folders->label, arena, err);
}

int model_fill_expected(struct model_result *result, const struct run_record *run, struct arena *arena, struct err *err)
{
	return fill(result, run, NULL, "expected", arena, err);
}
