// SPDX-License-Identifier: Apache-2.0
/*
 * Compresses with libdeflate: at its level 1 it takes half the time of zlib's fastest level, for 5 % fewer bytes. Each
 * bundle is a zlib stream of its own, as Perfetto wants it.
 */
#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pb.h"
#include "trace/perfetto/perfetto_fields.h"
#include "trace/perfetto/perfetto_out.h"

/* libdeflate's levels, on operators of a chain: 1 packs 500 MB/s to 15 %, 3 200 MB/s to 14 %, 6 90 MB/s to 12 %. */
enum { LEVEL = 1 };
/* The two heads before the deflated bytes: packet, compressed_packets. */
enum { HEADS = 2 * (5 + PB_VARINT_MAX) };

int perfetto_file_init(struct perfetto_file *file, int fd, bool compress, struct err *err)
{
	*file = (struct perfetto_file){ .fd = fd, .end = lseek(fd, 0, SEEK_END) };
	if (!compress || (file->compressor = libdeflate_alloc_compressor(LEVEL)))
		return 0;
	return err_no_memory(err, "cannot write the recording");
}

void perfetto_file_done(struct perfetto_file *file)
{
	if (file->compressor)
		libdeflate_free_compressor(file->compressor);
	free(file->packed);
	memset(file, 0, sizeof *file);
}

static int fail(int code, struct err *err)
{
	const char *next =
	    code == ENOSPC || code == EDQUOT ? "; free some room, or write to another place with -o" : "";

	return err_set(err, code, "cannot write the recording: %s%s", strerror(code), next);
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
static int empty_file(struct perfetto_file *file)
{
	file->overwrites = false;
	if (ftruncate(file->fd, 0))
		return errno == EINVAL ? 0 : errno;
	file->end = lseek(file->fd, 0, SEEK_SET);
	return 0;
}

static int write_all(struct perfetto_file *file, const uint8_t *data, size_t size, struct err *err)
{
	size_t done = 0;
	int code = file->overwrites ? empty_file(file) : 0;

	while (done < size && !code) {
		ssize_t n = write(file->fd, data + done, size - done);
		if (n > 0)
			done += (size_t)n;
		else if (!n || errno != EINTR)
			code = n ? errno : ENOSPC;
	}
	if (code && file->end >= 0) {
		done = whole_packets(data, done);
		/* If even this fails, the reader cuts the broken packet off. */
		if (ftruncate(file->fd, file->end + (off_t)done) || lseek(file->fd, 0, SEEK_END) < 0)
			file->end = -1;
	}
	if (file->end >= 0)
		file->end += (off_t)done;
	file->bytes += done;
	return code ? fail(code, err) : 0;
}

/* Writes the head of a field whose len bytes start at `at`; returns where the head starts. */
static uint8_t *put_before(uint8_t *at, uint32_t number, size_t len)
{
	uint8_t head[5 + PB_VARINT_MAX];
	size_t n = (size_t)(pb_put_varint(pb_put_varint(head, PB_TAG(number, PB_BYTES)), len) - head);

	return memcpy(at - n, head, n);
}

static int write_bundle(struct perfetto_file *file, const uint8_t *data, size_t len, struct err *err)
{
	size_t bound = libdeflate_zlib_compress_bound(file->compressor, len), n;
	uint8_t *start;

	if (file->packed_size < HEADS + bound) {
		free(file->packed);
		file->packed = malloc(HEADS + bound);
		file->packed_size = file->packed ? HEADS + bound : 0;
		if (!file->packed)
			return fail(ENOMEM, err);
	}
	start = file->packed + HEADS;
	n = libdeflate_zlib_compress(file->compressor, data, len, start, bound);
	if (!n)
		return fail(EIO, err);
	start = put_before(start, PACKET_COMPRESSED, n);
	start = put_before(start, TRACE_PACKET, (size_t)(file->packed + HEADS + n - start));
	return write_all(file, start, (size_t)(file->packed + HEADS + n - start), err);
}

int perfetto_file_write(struct perfetto_file *file, const uint8_t *data, size_t len, struct err *err)
{
	return file->compressor ? write_bundle(file, data, len, err) : write_all(file, data, len, err);
}
