/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole packets on their way into a file: collected, deflated if wanted, handed over, cut back when the file
 * system is full. What the packets say is perfetto_write.c's business. One thread.
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
	off_t end;	 /* where the file's last whole packet ends; -1: not a file that can be cut */
	bool overwrites; /* the first packet takes the place of all that the file holds */
	uint64_t bytes;	 /* handed over */
	uint8_t *data;	 /* whole packets that were not handed over yet */
	size_t len, size;
	struct z_stream_s *deflate; /* NULL: no compression */
	uint8_t *packed;
	size_t packed_size;
	struct err err; /* the first failure; nothing is taken after it */
};

/* 0, or -errno and err. */
int perfetto_out_init(struct perfetto_out *out, int fd, bool compress, struct err *err);
void perfetto_out_done(struct perfetto_out *out);

int perfetto_out_flush(struct perfetto_out *out);
uint8_t *perfetto_out_make_room(struct perfetto_out *out, size_t size);

/* Room for one packet of up to size bytes; its end is put into out with perfetto_out_end. NULL: out->err says why. */
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
