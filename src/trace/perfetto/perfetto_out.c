// SPDX-License-Identifier: Apache-2.0
/* The buffer between the encoder and the file. Compresses and writes nothing itself. */
#include "trace/perfetto/perfetto_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int perfetto_out_init(struct perfetto_out *out, int fd, const struct perfetto_out_opts *opts, struct err *err)
{
	int code;

	*out = (struct perfetto_out){ .block = { .data = malloc(PERFETTO_BLOCK), .size = PERFETTO_BLOCK } };
	code = out->block.data ? perfetto_file_init(&out->file, fd, opts->compress, err)
			       : err_no_memory(err, "cannot write the recording");
	out->file.overwrites = opts->overwrites;
	if (!code && opts->max_blocks && !(out->queue = perfetto_queue_new(&out->file, opts->max_blocks, err)))
		code = -ENOMEM;
	if (code)
		perfetto_out_done(out);
	return code;
}

void perfetto_out_done(struct perfetto_out *out)
{
	perfetto_queue_free(out->queue);
	perfetto_file_done(&out->file);
	free(out->block.data);
	memset(out, 0, sizeof *out);
}

static int pass(struct perfetto_out *out, bool must_wait)
{
	int code;

	if (out->err.code)
		return -out->err.code;
	if (!out->block.len)
		return 0;
	if (out->queue)
		return perfetto_queue_pass(out->queue, &out->block, must_wait, &out->err);
	code = perfetto_file_write(&out->file, out->block.data, out->block.len, &out->err);
	out->block.len = 0;
	return code;
}

int perfetto_out_flush(struct perfetto_out *out)
{
	return pass(out, false);
}

int perfetto_out_sync(struct perfetto_out *out)
{
	int code = pass(out, true);

	return code || !out->queue ? code : perfetto_queue_wait(out->queue, &out->err);
}

uint64_t perfetto_out_bytes(const struct perfetto_out *out)
{
	return out->queue ? perfetto_queue_bytes(out->queue) : out->file.bytes;
}

uint8_t *perfetto_out_make_room(struct perfetto_out *out, size_t size)
{
	uint8_t *data;

	if (out->err.code || pass(out, true))
		return NULL;
	if (out->block.size < size) {
		data = realloc(out->block.data, size);
		if (!data) {
			err_no_memory(&out->err, "cannot write the recording");
			return NULL;
		}
		out->block.data = data;
		out->block.size = size;
	}
	return out->block.data;
}
