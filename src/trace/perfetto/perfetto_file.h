/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a recording: compresses packets on request and writes them. The file only grows by whole packets: a
 * packet that was written partly is cut off again, so that the file can be read at any time. One thread at a time.
 */
#ifndef TRACE_PERFETTO_PERFETTO_FILE_H
#define TRACE_PERFETTO_PERFETTO_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct libdeflate_compressor;

struct perfetto_file {
	int fd;		 /* borrowed */
	off_t end;	 /* end of the file's last whole packet; -1: not a file that can be cut */
	bool overwrites; /* the first packet replaces the file's content */
	uint64_t bytes;	 /* written so far */
	struct libdeflate_compressor *compressor; /* NULL: no compression */
	uint8_t *packed;
	size_t packed_size;
};

/* 0, or -errno and err. */
int perfetto_file_init(struct perfetto_file *file, int fd, bool compress, struct err *err);
void perfetto_file_done(struct perfetto_file *file);
/* Writes whole packets, compressed as one bundle. 0, or -errno and err: nothing may be written after that. */
int perfetto_file_write(struct perfetto_file *file, const uint8_t *data, size_t len, struct err *err);

#endif
