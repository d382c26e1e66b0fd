/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers whole packets for a file, and passes them on to it (perfetto_file.h), at once or through a queue
 * (perfetto_queue.h). perfetto_write.c determines their content. One thread.
 */
#ifndef TRACE_PERFETTO_PERFETTO_OUT_H
#define TRACE_PERFETTO_PERFETTO_OUT_H

#include "trace/perfetto/perfetto_queue.h"

struct perfetto_out {
	struct perfetto_block block; /* whole packets that are not passed on yet */
	struct perfetto_file file;
	struct perfetto_queue *queue; /* NULL: packets are written by this thread */
	struct err err;		      /* the first failure; no packet is accepted after it */
};

struct perfetto_out_opts {
	bool compress, overwrites;
	size_t max_blocks; /* of the queue; 0: no queue */
};

/* 0, or -errno and err. */
int perfetto_out_init(struct perfetto_out *out, int fd, const struct perfetto_out_opts *opts, struct err *err);
/* Packets that were not passed on are lost. */
void perfetto_out_done(struct perfetto_out *out);

/* Passes the packets on; with a queue that is full they stay. 0, or -errno and out->err. */
int perfetto_out_flush(struct perfetto_out *out);
/* Returns when all packets are in the file. 0, or -errno and out->err. */
int perfetto_out_sync(struct perfetto_out *out);
/* In the file so far. */
uint64_t perfetto_out_bytes(const struct perfetto_out *out);
uint8_t *perfetto_out_make_room(struct perfetto_out *out, size_t size);

/* Room for one packet of up to size bytes; perfetto_out_end adds it to out. NULL: out->err has the reason. */
static inline uint8_t *perfetto_out_room(struct perfetto_out *out, size_t size)
{
	if (__builtin_expect(out->block.size - out->block.len >= size && !out->err.code, 1))
		return out->block.data + out->block.len;
	return perfetto_out_make_room(out, size);
}

static inline void perfetto_out_end(struct perfetto_out *out, const uint8_t *end)
{
	out->block.len = (size_t)(end - out->block.data);
}

#endif
