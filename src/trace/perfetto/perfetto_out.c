// SPDX-License-Identifier: Apache-2.0
/*
 * Writes packets to a file. The file only grows by whole packets: a packet that was written partly is cut off again, so
 * that the file can be read at any time.
 */
#include "trace/perfetto/perfetto_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/pb.h"
#include "trace/perfetto/perfetto_fields.h"

/* also the largest compressed bundle */
enum { ROOM = 256 << 10 };
/* zlib level: 1 is as fast and 4 % larger, 6 is 4 times as slow and 8 % smaller. */
enum { LEVEL = 2 };
/* The two heads before the deflated bytes: packet, compressed_packets. */
enum { HEADS = 2 * (5 + PB_VARINT_MAX) };

static int fail(struct perfetto_out *out, int code)
{
	const char *next =
	    code == ENOSPC || code == EDQUOT ? "; free some room, or record to another place with -o" : "";

	return err_set(&out->err, code, "cannot write the recording: %s%s", strerror(code), next);
}

static int init_deflate(struct perfetto_out *out)
{
	out->deflate = calloc(1, sizeof *out->deflate);
	if (!out->deflate)
		return -1;
	if (deflateInit(out->deflate, LEVEL) == Z_OK)
		return 0;
	free(out->deflate);
	out->deflate = NULL;
	return -1;
}

int perfetto_out_init(struct perfetto_out *out, int fd, bool compress, struct err *err)
{
	*out = (struct perfetto_out){ .fd = fd, .end = lseek(fd, 0, SEEK_END), .size = ROOM };
	out->data = malloc(out->size);
	if (out->data && (!compress || !init_deflate(out)))
		return 0;
	perfetto_out_done(out);
	return err_set(err, ENOMEM, "cannot write the recording: out of memory");
}

void perfetto_out_done(struct perfetto_out *out)
{
	if (out->deflate)
		deflateEnd(out->deflate);
	free(out->deflate);
	free(out->packed);
	free(out->data);
	memset(out, 0, sizeof *out);
}

/* The end of the last packet that lies wholly within the first `size` bytes. */
static size_t whole_packets(const uint8_t *data, size_t size)
{
	struct pb_in in = pb_in(data, size);
	struct pb_field field;

	while (pb_next(&in, &field) > 0)
		;
	return (size_t)(in.at - data);
}

/* Pipes and devices cannot be cut: ftruncate refuses them with EINVAL. */
static int empty_file(struct perfetto_out *out)
{
	out->overwrites = false;
	if (ftruncate(out->fd, 0))
		return errno == EINVAL ? 0 : errno;
	out->end = lseek(out->fd, 0, SEEK_SET);
	return 0;
}

static int write_all(struct perfetto_out *out, const uint8_t *data, size_t size)
{
	size_t done = 0;
	int code = out->overwrites ? empty_file(out) : 0;

	while (done < size && !code) {
		ssize_t n = write(out->fd, data + done, size - done);
		if (n > 0)
			done += (size_t)n;
		else if (!n || errno != EINTR)
			code = n ? errno : ENOSPC;
	}
	if (code && out->end >= 0) {
		done = whole_packets(data, done);
		/* If even this fails, the reader cuts the broken packet off. */
		if (ftruncate(out->fd, out->end + (off_t)done) || lseek(out->fd, 0, SEEK_END) < 0)
			out->end = -1;
	}
	if (out->end >= 0)
		out->end += (off_t)done;
	out->bytes += done;
	return code ? fail(out, code) : 0;
}

/* Writes the head of a field whose len bytes start at `at`; returns where the head starts. */
static uint8_t *put_before(uint8_t *at, uint32_t number, size_t len)
{
	uint8_t head[5 + PB_VARINT_MAX];
	size_t n = (size_t)(pb_put_varint(pb_put_varint(head, PB_TAG(number, PB_BYTES)), len) - head);

	return memcpy(at - n, head, n);
}

static int write_bundle(struct perfetto_out *out)
{
	size_t bound = deflateBound(out->deflate, out->len);
	uint8_t *start, *end;

	if (out->packed_size < HEADS + bound) {
		free(out->packed);
		out->packed = malloc(HEADS + bound);
		out->packed_size = out->packed ? HEADS + bound : 0;
		if (!out->packed)
			return fail(out, ENOMEM);
	}
	deflateReset(out->deflate);
	out->deflate->next_in = out->data;
	out->deflate->avail_in = (uInt)out->len;
	out->deflate->next_out = out->packed + HEADS;
	out->deflate->avail_out = (uInt)bound;
	if (deflate(out->deflate, Z_FINISH) != Z_STREAM_END)
		return fail(out, EIO);
	end = out->deflate->next_out;
	start = out->packed + HEADS;
	start = put_before(start, PACKET_COMPRESSED, (size_t)(end - start));
	start = put_before(start, TRACE_PACKET, (size_t)(end - start));
	return write_all(out, start, (size_t)(end - start));
}

int perfetto_out_flush(struct perfetto_out *out)
{
	int result = 0;

	if (out->err.code)
		return -out->err.code;
	if (out->len)
		result = out->deflate ? write_bundle(out) : write_all(out, out->data, out->len);
	out->len = 0;
	return result;
}

uint8_t *perfetto_out_make_room(struct perfetto_out *out, size_t size)
{
	uint8_t *data;

	if (out->err.code || perfetto_out_flush(out))
		return NULL;
	if (out->size < size) {
		data = realloc(out->data, size);
		if (!data) {
			fail(out, ENOMEM);
			return NULL;
		}
		out->data = data;
		out->size = size;
	}
	return out->data;
}
