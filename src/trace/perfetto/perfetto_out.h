/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers whole packets for a file, and passes them on to it (perfetto_file.c), at once or through a queue
 * (perfetto_queue.c). perfetto_write.c determines their content. One thread.
 */
#ifndef TRACE_PERFETTO_PERFETTO_OUT_H
#define TRACE_PERFETTO_PERFETTO_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "event/event.h"
#include "event/names.h"

/*
 * The file of a recording: compresses packets on request and writes them. The file only grows by whole packets: a
 * packet that was written partly is cut off again, so that the file can be read at any time. One thread at a time.
 */
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

/*
 * Writes a recording's packets in a thread of its own, so that a disk that stalls does not keep the recorder from
 * draining its rings. The queue between them is bounded: when it is full, whoever fills it waits.
 *
 *   perfetto_write.c --packets--> block --queue--> thread: compress, write --> file
 *
 * The thread starts with the first block and blocks all signals. It is the only one that uses the file from then on.
 */
enum { PERFETTO_BLOCK = 256 << 10 }; /* also the largest compressed bundle, but for a single packet above it */

struct perfetto_queue;

/* A buffer from malloc; data NULL: none. */
struct perfetto_block {
	uint8_t *data;
	size_t len, size;
};

/* file is borrowed. NULL and err: out of memory. */
struct perfetto_queue *perfetto_queue_new(struct perfetto_file *file, size_t max_blocks, struct err *err);
/*
 * Takes the block's packets over and leaves it an empty buffer. When the queue is full it waits if must_wait is set;
 * else the block stays as it is, as does one that is less than half full while others wait: small ones would fill the
 * queue. 0, or -errno and err: of an earlier block, or out of memory.
 */
int perfetto_queue_pass(struct perfetto_queue *queue, struct perfetto_block *block, bool must_wait, struct err *err);
/* Waits until everything is written. 0, or -errno and err. */
int perfetto_queue_wait(struct perfetto_queue *queue, struct err *err);
/* Written so far. */
uint64_t perfetto_queue_bytes(struct perfetto_queue *queue);
/* Writes what it has taken over and ends the thread. NULL does nothing. */
void perfetto_queue_free(struct perfetto_queue *queue);

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

/*
 * Writes the packets of a trace that describe machine, clocks and tracks, not events. For perfetto_write.c. Functions
 * that return int put a whole packet: 0, or -1 and out->err.
 */
/* The sequence of packets that need no sequence of their own. */
enum { PERFETTO_SHARED_SEQUENCE = 1 };

/*
 * A text field, repaired if it is not UTF-8; at has room for 3 * len + 16 bytes. Returns the position of the next byte.
 */
uint8_t *perfetto_describe_text(uint8_t *at, uint32_t number, const char *text, size_t len);
/* One clock of a clock snapshot. */
uint8_t *perfetto_describe_clock(uint8_t *at, uint32_t clock, uint64_t time_ns, bool is_incremental);

int perfetto_describe_clocks(struct perfetto_out *out, bool is_import);
int perfetto_describe_system(struct perfetto_out *out, bool is_import);
/* parent_uuid 0: none. Siblings are shown by rank. */
int perfetto_describe_track(struct perfetto_out *out, const struct names *names, const struct track_def *def,
			    uint64_t uuid, uint64_t parent_uuid, uint32_t rank);
/* A group of counters that only the file has (perfetto_fields.h); parent_uuid 0: the machine's. */
int perfetto_describe_counters(struct perfetto_out *out, uint64_t uuid, uint64_t parent_uuid);

#endif
