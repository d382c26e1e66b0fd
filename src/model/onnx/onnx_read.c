// SPDX-License-Identifier: Apache-2.0
/* Opens a model's file and reads its outermost message. onnx_graph.c reads the graph. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/onnx/onnx_in.h"
#include "model/onnx/onnx_other.h"

static const char is_none[] = "this is not an ONNX model; names of models usually end in .onnx";

/* The arrays of a model while they are being filled. */
struct filling {
	struct onnx_opset *opsets;
	struct onnx_function *functions;
	struct onnx_metadata *metadata;
	uint32_t n_graphs;
};

static int read_metadata(struct onnx_in *in, const struct pb_field *field, struct onnx_metadata *to)
{
	struct onnx_message message;
	int next = onnx_in_open(&message, in, "metadata", field);

	while (!next && (next = onnx_in_next(&message)) > 0) {
		next = 0;
		if (message.field.number == 1)
			next = onnx_in_bytes(&message, &to->key);
		else if (message.field.number == 2)
			next = onnx_in_bytes(&message, &to->value);
	}
	return next;
}

static int read_inner(struct onnx_message *message, struct onnx_model *to, struct filling *fill)
{
	struct onnx_in *in = message->in;
	int code = onnx_in_is_message(message);

	if (code)
		return code;
	switch (message->field.number) {
	case 7:
		if (fill->n_graphs++)
			return onnx_in_fail(in, message->at, "the model has a second graph");
		return onnx_graph_read(in, &message->field, &to->graph);
	case 8:
		return onnx_opset_read(in, &message->field, &fill->opsets[to->n_opsets++]);
	case 14:
		return read_metadata(in, &message->field, &fill->metadata[to->n_metadata++]);
	case 25:
		return onnx_function_read(in, &message->field, &fill->functions[to->n_functions++]);
	}
	return 0;
}

static int read_field(struct onnx_message *message, struct onnx_model *to, struct filling *fill)
{
	switch (message->field.number) {
	case 1:
		return onnx_in_int(message, &to->ir_version);
	case 2:
		return onnx_in_text(message, &to->producer_name);
	case 3:
		return onnx_in_text(message, &to->producer_version);
	case 4:
		return onnx_in_text(message, &to->domain);
	case 5:
		return onnx_in_int(message, &to->version);
	case 6:
		return onnx_in_bytes(message, &to->doc);
	case 7:
	case 8:
	case 14:
	case 25:
		return read_inner(message, to, fill);
	}
	return 0;
}

/* Whether the first bytes look like a model's first field; if so, a later error means damage. */
static bool may_be_model(struct pb_in pb)
{
	static const uint8_t wires[] = { [1] = PB_VARINT, [2] = PB_BYTES, [3] = PB_BYTES, [4] = PB_BYTES,
					 [5] = PB_VARINT, [6] = PB_BYTES, [7] = PB_BYTES, [8] = PB_BYTES };
	uint64_t tag, value;

	if (!pb_get_varint(&pb, &tag) || tag >> 3 == 0 || tag >> 3 >= sizeof wires || wires[tag >> 3] != (tag & 7))
		return false;
	/* an IR version is a small number */
	return tag >> 3 != 1 || pb.at == pb.end || (pb_get_varint(&pb, &value) && value < 1000);
}

/* Checks for the fields that every model has. A file may be truncated between two fields, and only this shows it. */
static int check_whole(struct onnx_message *message, struct onnx_model *to, uint32_t n_graphs)
{
	const uint8_t *end = message->pb.end;

	if (!n_graphs && !to->ir_version)
		return onnx_in_fail(message->in, message->in->base, "%s", is_none);
	if (!n_graphs)
		return onnx_in_fail(message->in, end, "the file has no graph; it is truncated, or not an ONNX model");
	if (to->ir_version <= 0)
		return onnx_in_fail(message->in, end,
				    "the model has no IR version; it is damaged, or not an ONNX model");
	if (to->ir_version >= 3 && !to->n_opsets)
		return onnx_in_fail(message->in, end, "the file lacks the model's operator sets; it is truncated");
	return 0;
}

static int read_model(struct onnx_model *to, struct err *err)
{
	struct onnx_in in = { .model = to, .base = to->file.data, .err = err };
	struct pb_field whole = { .wire = PB_BYTES, .value = to->file.size, .data = to->file.data };
	struct onnx_message message;
	struct filling fill = { 0 };
	int next;

	to->producer_name = to->producer_version = to->domain = "";
	if (!may_be_model(pb_inside(&whole)))
		return onnx_in_fail(&in, in.base, "%s", is_none);
	if ((next = onnx_in_open(&message, &in, "the model", &whole)))
		return next;
	if (message.n[8] > ONNX_MAX_OPSETS)
		return onnx_in_fail(&in, in.base, "the model imports %u operator sets, which is impossible",
				    message.n[8]);
	fill.opsets = onnx_in_alloc(&in, message.n[8], sizeof *fill.opsets);
	fill.metadata = onnx_in_alloc(&in, message.n[14], sizeof *fill.metadata);
	fill.functions = onnx_in_alloc(&in, message.n[25], sizeof *fill.functions);
	if (!fill.opsets || !fill.metadata || !fill.functions)
		return -ENOMEM;
	to->opsets = fill.opsets;
	to->metadata = fill.metadata;
	to->functions = fill.functions;
	to->n_training = message.n[20];
	while (!next && (next = onnx_in_next(&message)) > 0)
		next = read_field(&message, to, &fill);
	return next ? next : check_whole(&message, to, fill.n_graphs);
}

int onnx_read_bytes(struct onnx_model *model, const void *bytes, size_t size, struct err *err)
{
	struct err unused;
	const char *other;

	*model = (struct onnx_model){ .file = { bytes, size } };
	err = err ? err : &unused;
	if (!size)
		return err_set(err, EINVAL, "it is empty");
	other = onnx_other_what(bytes, size);
	if (other)
		return err_set(err, EINVAL, "%s", other);
	return read_model(model, err);
}

/* MADV_RANDOM: read-ahead would read the weights. */
static int map_file(const char *path, struct onnx_bytes *to, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), code = 0;
	struct stat stat;
	void *data;

	if (fd < 0)
		return err_set(err, errno, "cannot open %s: %s", path, strerror(errno));
	if (fstat(fd, &stat))
		code = err_set(err, errno, "cannot inspect %s: %s", path, strerror(errno));
	else if (S_ISDIR(stat.st_mode))
		code = err_set(err, EISDIR, "cannot read %s: it is a folder; pass the .onnx file inside it", path);
	else if (!S_ISREG(stat.st_mode))
		code = err_set(err, EINVAL, "cannot read %s: it is not a regular file", path);
	else if (!stat.st_size)
		code = err_set(err, EINVAL,
			       "cannot read %s: the file is empty; check that it was written or downloaded completely",
			       path);
	else if ((data = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED)
		code = err_set(err, errno, "cannot map %s into memory: %s", path, strerror(errno));
	else
		*to = (struct onnx_bytes){ data, (size_t)stat.st_size };
	close(fd);
	if (!code)
		madvise((void *)to->data, to->size, MADV_RANDOM);
	return code;
}

int onnx_read_file(struct onnx_model *model, const char *path, struct err *err)
{
	struct onnx_bytes file = { 0 };
	int code;

	*model = (struct onnx_model){ 0 };
	if ((code = map_file(path, &file, err)))
		return code;
	code = onnx_read_bytes(model, file.data, file.size, err);
	model->is_mapped = true;
	if (code)
		return err_wrap(err, "cannot read %s", path);
	model->path = strdup(path);
	return model->path ? 0 : err_set(err, ENOMEM, "cannot read %s: out of memory", path);
}

void onnx_done(struct onnx_model *model)
{
	if (model->is_mapped && model->file.size)
		munmap((void *)model->file.data, model->file.size);
	arena_done(&model->arena);
	free(model->path);
	*model = (struct onnx_model){ 0 };
}

int64_t onnx_opset_version(const struct onnx_model *model, const char *domain)
{
	for (uint32_t i = 0; i < model->n_opsets; i++) {
		if (!strcmp(model->opsets[i].domain, domain))
			return model->opsets[i].version;
	}
	/* Before IR version 3, models did not state it. */
	return model->ir_version < 3 && !*domain ? 1 : 0;
}
