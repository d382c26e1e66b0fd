// SPDX-License-Identifier: Apache-2.0
/* Which file each run is of, and the sizes of its free dimensions. The analysis itself is model/onnx. */
#include "experiment/model_files.h"

#include <string.h>

#include "experiment/model_in.h"
#include "model/onnx/onnx_other.h"
#include "model/run/genai_folder.h"

/* One file while it is read. */
struct reading {
	struct model_files *files;
	struct model_static *to;
	const struct model_opts *opts;
	const struct model_way *way;
	struct err *err;
};

/* Those given; of several that take turns the first. What is no number stays as it is: reading it says so. */
static int take_dims(struct reading *reading)
{
	const struct opt_list *list = &reading->opts->run.dimension;
	struct opt_list dims = { .n = 0 };

	for (size_t i = 0; i < list->n; i++) {
		size_t size = strlen(list->item[i]) + 1, len;
		const char *value = run_opts_pair(list->item[i], &len);
		char *copy = arena_alloc(&reading->files->arena, size);

		if (!copy)
			return err_no_memory(reading->err, "cannot analyse the model");
		memcpy(copy, list->item[i], size);
		if (value && value[strspn(value, "0123456789")] == ',')
			copy[len + 1 + strspn(value, "0123456789")] = 0;
		dims.item[dims.n++] = copy;
	}
	return model_static_dims(reading->to, &dims, reading->err);
}

/* What the runner does with a free dimension that nobody gave: the shape of its input, the batch size, or 1. */
static int64_t assume_size(void *ctx, const struct model_free_dim *dim)
{
	const struct reading *reading = ctx;
	const struct run_opts *run = &reading->opts->run;
	int64_t size[TENSOR_MAX_DIMS];
	const char *end;
	size_t len;

	for (size_t i = 0; i < run->shape.n; i++) {
		const char *shape = run_opts_pair(run->shape.item[i], &len);

		if (shape && strlen(dim->input) == len && !memcmp(dim->input, run->shape.item[i], len))
			return run_opts_shape(shape, size, TENSOR_MAX_DIMS, &end, NULL) > (int)dim->axis
				   ? size[dim->axis]
				   : -1;
	}
	if (dim->given >= 0)
		return dim->given;
	return !dim->axis && reading->way->batch ? reading->way->batch : 1;
}

static void find_free_batch(void *ctx, const struct model_free_dim *dim)
{
	*(bool *)ctx |= !dim->axis && dim->given < 0;
}

/* Without a free first dimension the batch size would have no effect. Inputs without a shape, the runner judges. */
static int check_batch(const struct reading *reading)
{
	const struct onnx_graph *graph = &reading->to->model.graph;
	bool is_free = false;

	if (!reading->way->batch)
		return 0;
	for (uint32_t i = 0; i < graph->n_inputs; i++)
		is_free |= graph->inputs[i].type.kind != ONNX_TENSOR || !graph->inputs[i].type.has_shape;
	model_static_free_dims(reading->to, find_free_batch, &is_free);
	if (is_free)
		return 0;
	return opt_misused(reading->err,
			   "cannot use --batch-size %lld: no input of %s has a free first dimension; export the model "
			   "with a dynamic batch size, or leave the option out",
			   (long long)reading->way->batch, reading->way->model);
}

static const char only_ort_reads[] =
    "only ONNX Runtime reads its own format (.ort); the .onnx file that it was made from "
    "has nodes, parameters and FLOPs";

/* Of its decoder. */
static int read_folder(struct reading *reading)
{
	struct genai_folder folder;
	int code = genai_folder_read(&folder, reading->way->model, reading->err);

	if (!code && !reading->opts->run.tokens && !reading->opts->dry_run)
		return opt_misused(reading->err, "%s is a folder: pass --tokens to run the decoder in it",
				   reading->way->model);
	if (!code && onnx_other_is_gguf(folder.model))
		return opt_misused(reading->err, "%s is a folder whose decoder is a GGUF file: pass %s",
				   reading->way->model, folder.model);
	if (!code && !reading->opts->dry_run && onnx_other_is_ort(folder.model))
		return model_static_close(reading->to, reading->way->model, only_ort_reads, reading->err);
	code = code ? code : model_static_read(reading->to, folder.model, reading->err);
	return code ? code : model_static_count(reading->to, assume_size, reading, reading->err);
}

static int read_gguf(struct reading *reading)
{
	if (!reading->opts->run.tokens)
		return opt_misused(reading->err, "%s is a GGUF file: pass --tokens to run the decoder in it",
				   reading->way->model);
	return model_static_close(reading->to, reading->way->model,
				  "only llama.cpp reads GGUF files, so nothing is computed from this one",
				  reading->err);
}

static int read_one(struct reading *reading)
{
	int code = take_dims(reading);

	if (!code && !reading->opts->dry_run && onnx_other_is_gguf(reading->way->model))
		return read_gguf(reading);
	/* --dry-run needs the graph, and says why there is none */
	if (!code && !reading->opts->dry_run && onnx_other_is_ort(reading->way->model))
		return model_static_close(reading->to, reading->way->model, only_ort_reads, reading->err);
	if (!code && genai_folder_is(reading->way->model))
		return read_folder(reading);
	code = code ? code : model_static_read(reading->to, reading->way->model, reading->err);
	code = code ? code : check_batch(reading);
	return code ? code : model_static_count(reading->to, assume_size, reading, reading->err);
}

static bool is_of(const struct model_way *a, const struct model_way *b)
{
	return !strcmp(a->model, b->model) && a->batch == b->batch;
}

int model_files_read(struct model_files *files, const struct model_opts *opts, const struct model_ways *ways,
		     struct err *err)
{
	int code = 0;

	memset(files, 0, sizeof *files);
	for (int i = 0; i < ways->n && !code; i++) {
		struct reading reading = { files, &files->item[files->n], opts, &ways->way[i], err };
		int k = 0;

		while (k < files->n && !is_of(&ways->way[files->way[k]], &ways->way[i]))
			k++;
		files->of[i] = k;
		if (k < files->n)
			continue;
		files->way[files->n++] = i;
		code = read_one(&reading);
	}
	return code;
}

int model_files_check(const struct model_files *files, struct err *err)
{
	int code = 0;

	for (int i = 0; i < files->n && !code; i++)
		code = onnx_external_check(&files->item[i].externals, err);
	return code;
}

/* The inputs of a run with this analysis; NULL: none came so far. */
static struct model_tensors *inputs_of(const struct model_files *files, struct model_runs *runs, int file)
{
	for (uint32_t r = 0; r < runs->report.n_results; r++)
		if (files->of[r] == file && runs->inputs[r].item)
			return &runs->inputs[r];
	return NULL;
}

int model_files_describe(struct model_files *files, struct model_runs *runs, struct err *err)
{
	struct model_facts *facts = arena_alloc(&files->arena, (size_t)files->n * sizeof *facts);
	int code = facts ? 0 : err_no_memory(err, "cannot report on the model");

	for (int i = 0; i < files->n && !code; i++) {
		struct model_tensors *inputs = inputs_of(files, runs, i);

		model_facts_init(&facts[i]);
		if (inputs && !files->item[i].graph_missing)
			code = model_static_count(&files->item[i], model_runs_size, inputs, err);
		code = code ? code : model_fill_facts(&facts[i], &files->item[i], &files->arena, err);
	}
	if (code)
		return code;
	runs->report.model = facts[0];
	for (uint32_t r = 0; r < runs->report.n_results; r++)
		runs->results[r].facts = files->of[r] ? &facts[files->of[r]] : NULL;
	return 0;
}

void model_files_done(struct model_files *files)
{
	for (int i = 0; i < files->n; i++)
		model_static_done(&files->item[i]);
	arena_done(&files->arena);
	memset(files, 0, sizeof *files);
}
