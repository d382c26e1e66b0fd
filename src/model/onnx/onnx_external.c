// SPDX-License-Identifier: Apache-2.0
/* Finds the tensors whose data lies in other files, and checks that these files exist and are long enough. */
#include "model/onnx/onnx_external.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "model/onnx/onnx_in.h"

struct finder {
	struct onnx_model *model;
	struct onnx_map by_location;
	struct onnx_externals *to;
	uint32_t n_room;
	bool is_out_of_memory;
};

static void complain(struct finder *finder, struct onnx_external *file, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void complain(struct finder *finder, struct onnx_external *file, const char *fmt, ...)
{
	char text[400], *copy;
	va_list args;

	if (file->problem)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	copy = arena_alloc(&finder->model->arena, strlen(text) + 1);
	if (copy)
		file->problem = strcpy(copy, text);
	else
		finder->is_out_of_memory = true;
}

/* The runtime rejects a path that leaves the folder, and so does this: it inspects no other files. */
static bool leads_out(const char *location)
{
	if (*location == '/')
		return true;
	for (const char *part = location; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL) {
		if (!strncmp(part, "..", 2) && (!part[2] || part[2] == '/'))
			return true;
	}
	return false;
}

static void look(struct finder *finder, struct onnx_external *file)
{
	const char *model = finder->model->path, *slash = model ? strrchr(model, '/') : NULL;
	char path[4096];
	struct stat stat_buf;

	file->file_bytes = -1;
	if (leads_out(file->location)) {
		complain(finder, file, "%.200s leads out of the model's folder; external data must be inside it",
			 file->location);
		return;
	}
	if (!model) {
		complain(finder, file, "%.200scannot be found: the model was not read from a file", file->location);
		return;
	}
	if (snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - model + 1) : 0, model, file->location) >=
	    (int)sizeof path)
		complain(finder, file, "%.200scannot be opened: its path is too long", file->location);
	else if (stat(path, &stat_buf) && errno == ENOENT)
		complain(finder, file, "%.200s is missing, but holds weights; put it beside the model under this name",
			 path);
	else if (stat(path, &stat_buf))
		complain(finder, file, "%.200scannot be inspected: %s", path, strerror(errno));
	else if (!S_ISREG(stat_buf.st_mode))
		complain(finder, file, "%.200s is not a regular file, but should hold weights", path);
	else
		file->file_bytes = stat_buf.st_size;
}

static struct onnx_external *file_of(struct finder *finder, const char *location)
{
	struct onnx_external *file = onnx_map_get(&finder->by_location, location);
	struct onnx_externals *to = finder->to;

	if (file)
		/* The array may have moved since. */
		return &to->files[(uintptr_t)file - 1];
	if (to->n == finder->n_room) {
		finder->n_room = finder->n_room ? 2 * finder->n_room : 4;
		file =
		    arena_grow(&finder->model->arena, to->files, to->n * sizeof *file, finder->n_room * sizeof *file);
		if (!file)
			return NULL;
		to->files = file;
	}
	if (onnx_map_put(&finder->by_location, location, (void *)((uintptr_t)to->n + 1)))
		return NULL;
	file = &to->files[to->n++];
	*file = (struct onnx_external){ .location = location };
	look(finder, file);
	return file;
}

static void add_tensor(struct finder *finder, const struct onnx_tensor *tensor)
{
	int64_t bytes = onnx_tensor_bytes(tensor), end;
	struct onnx_external *file;

	if (tensor->where != ONNX_EXTERNAL)
		return;
	file = file_of(finder, tensor->location);
	if (!file) {
		finder->is_out_of_memory = true;
		return;
	}
	file->n_tensors++;
	if (bytes < 0)
		bytes = tensor->length;
	else if (tensor->length >= 0 && tensor->length != bytes)
		complain(finder, file, "%.100s: tensor %.100s claims %lld bytes there, but its shape needs %lld",
			 file->location, tensor->name, (long long)tensor->length, (long long)bytes);
	if (bytes < 0)
		return;
	if (__builtin_add_overflow(file->bytes, bytes, &file->bytes))
		file->bytes = INT64_MAX;
	if (file->file_bytes >= 0 && (__builtin_add_overflow(tensor->offset, bytes, &end) || end > file->file_bytes))
		complain(finder, file,
			 "%.100s has %lld bytes, but tensor %.100s needs %lld at byte %lld; the file is truncated, or "
			 "belongs to another model",
			 file->location, (long long)file->file_bytes, tensor->name, (long long)bytes,
			 (long long)tensor->offset);
}

static void add_graph(struct finder *finder, const struct onnx_graph *graph);

static void add_attrs(struct finder *finder, const struct onnx_attr *attrs, uint32_t n)
{
	for (uint32_t a = 0; a < n; a++) {
		for (uint32_t i = 0; attrs[a].tensors && i < attrs[a].n; i++)
			add_tensor(finder, &attrs[a].tensors[i]);
		for (uint32_t i = 0; attrs[a].sparse && i < attrs[a].n; i++) {
			add_tensor(finder, &attrs[a].sparse[i].values);
			add_tensor(finder, &attrs[a].sparse[i].indices);
		}
		for (uint32_t i = 0; attrs[a].graphs && i < attrs[a].n; i++)
			add_graph(finder, &attrs[a].graphs[i]);
	}
}

/* Recursion is as deep as the reader lets graphs be nested. */
static void add_graph(struct finder *finder, const struct onnx_graph *graph)
{
	for (uint32_t i = 0; i < graph->n_initializers; i++)
		add_tensor(finder, &graph->initializers[i]);
	for (uint32_t i = 0; i < graph->n_sparse; i++) {
		add_tensor(finder, &graph->sparse[i].values);
		add_tensor(finder, &graph->sparse[i].indices);
	}
	for (uint32_t i = 0; i < graph->n_nodes; i++)
		add_attrs(finder, graph->nodes[i].attrs, graph->nodes[i].n_attrs);
}

int onnx_external_find(struct onnx_model *model, struct onnx_externals *to, struct err *err)
{
	struct finder finder = { .model = model, .to = to, .by_location = { .arena = &model->arena } };

	*to = (struct onnx_externals){ 0 };
	add_graph(&finder, &model->graph);
	for (uint32_t f = 0; f < model->n_functions; f++) {
		add_attrs(&finder, model->functions[f].defaults, model->functions[f].n_defaults);
		for (uint32_t i = 0; i < model->functions[f].n_nodes; i++)
			add_attrs(&finder, model->functions[f].nodes[i].attrs, model->functions[f].nodes[i].n_attrs);
	}
	return finder.is_out_of_memory ? err_no_memory(err, "cannot find external data") : 0;
}

int onnx_external_check(const struct onnx_externals *externals, struct err *err)
{
	for (uint32_t i = 0; i < externals->n; i++) {
		if (externals->files[i].problem)
			return err_set(err, externals->files[i].file_bytes < 0 ? ENOENT : EINVAL, "%s",
				       externals->files[i].problem);
	}
	return 0;
}
