/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers whole packets for a file: collects, compresses on request, writes, and cuts the file back when the file
 * system is full. perfetto_write.c determines their content. One thread.
 */
#ifndef TRACE_PERFETTO_PERFETTO_OUT_H
#define TRACE_PERFETTO_PERFETTO_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct z_stream_s;

struct perfetto_out {
	int fd;		 /* borrowed */
	off_t end;	 /* end of the file's last whole packet; -1: not a file that can be cut */
	bool overwrites; /* the first packet replaces the file's content */
	uint64_t bytes;	 /* written so far */
	uint8_t *data;	 /* whole packets that are not written yet */
	size_t len, size;
	struct z_stream_s *deflate; /* NULL: no compression */
	uint8_t *packed;
	size_t packed_size;
	struct err err; /* the first failure; no packet is accepted after it */
};

/* 0, or -errno and err. */
int perfetto_out_init(struct perfetto_out *out, int fd, bool compress, struct err *err);
void perfetto_out_done(struct perfetto_out *out);

int perfetto_out_flush(struct perfetto_out *out);
uint8_t *perfetto_out_make_room(struct perfetto_out *out, size_t size);

/* Room for one packet of up to size bytes; perfetto_out_end adds it to out. NULL: out->err has the reason. */
static inline uint8_t *perfetto_out_room(struct perfetto_out *out, size_t size)
{
	if (__builtin_expect(out->size - out->len >= size && !out->err.code, 1))
		return out->data + out->len;
	return perfetto_out_make_room(out, size);
}

static inline void perfetto_out_end(struct perfetto_out *out, const uint8_t *end)
{
	out->len = (size_t)(end - out->data);
}

#endif
