// SPDX-License-Identifier: Apache-2.0
/* Decompresses files: all members of a gzip file, all frames of a zstd file, the only file of a zip archive. Bytes
 * behind the last one are ignored. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "trace/import/input.h"

enum { CHUNK = 256 << 10 };

/* Passes the next bytes of the file to zlib, which counts in 32 bits. */
static void feed(z_stream *stream, const struct input *input, size_t *at)
{
	size_t n = input->size - *at < 1u << 30 ? input->size - *at : 1u << 30;

	stream->next_in = (Bytef *)input->data + *at;
	stream->avail_in = (uInt)n;
	*at += n;
}

static int inflate_to(struct input *input, z_stream *stream, int to, struct err *err)
{
	static const char magic[] = { 0x1f, (char)0x8b };
	unsigned char *out = malloc(CHUNK);
	int code = out ? 0 : err_set(err, ENOMEM, "out of memory"), state = Z_OK;
	size_t at = 0;

	while (!code) {
		if (!stream->avail_in && at < input->size)
			feed(stream, input, &at);
		if (state == Z_STREAM_END) {
			if (stream->avail_in < 2 || memcmp(stream->next_in, magic, 2) || inflateReset(stream) != Z_OK)
				break;
		}
		stream->next_out = out;
		stream->avail_out = CHUNK;
		state = inflate(stream, Z_NO_FLUSH);
		code = decompressor_write(to, (char *)out, CHUNK - stream->avail_out, err);
		if (!code && state == Z_BUF_ERROR && at == input->size) {
			input->is_cut = true;
			break;
		}
		if (!code && state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
			code = err_set(err, EBADMSG, "at byte %zu: its gzip data is damaged", at - stream->avail_in);
	}
	free(out);
	return code;
}

static int run_gzip(struct input *input, int to, struct err *err)
{
	z_stream stream = { 0 };
	int code;

	if (inflateInit2(&stream, 15 + 16) != Z_OK)
		return err_set(err, ENOMEM, "out of memory");
	code = inflate_to(input, &stream, to, err);
	inflateEnd(&stream);
	return code;
}

/* Whether a frame begins there: of data, or one that is skipped. */
static bool is_frame(const char *at, size_t left)
{
	static const char magic[] = "\x28\xb5\x2f\xfd", skipped[] = "\x2a\x4d\x18";

	return left >= 4 && (!memcmp(at, magic, 4) || ((*at & 0xf0) == 0x50 && !memcmp(at + 1, skipped, 3)));
}

static int unpack_to(struct input *input, ZSTD_DStream *stream, char *out, int to, struct err *err)
{
	ZSTD_inBuffer in = { input->data, input->size, 0 };
	size_t state = 0, last = 0; /* 0: at the end of a frame */
	int code = 0;

	while (!code) {
		ZSTD_outBuffer to_write = { out, CHUNK, 0 };

		if (!state && (in.pos == in.size || !is_frame(input->data + in.pos, in.size - in.pos)))
			break;
		last = in.pos;
		state = ZSTD_decompressStream(stream, &to_write, &in);
		code = decompressor_write(to, out, to_write.pos, err);
		if (!code && ZSTD_isError(state))
			return err_set(err, EBADMSG, "at byte %zu: its zstd data cannot be decompressed: %s", last,
				       ZSTD_getErrorName(state));
		if (in.pos == in.size && state && !to_write.pos) {
			input->is_cut = true;
			break;
		}
	}
	return code;
}

static int run_zstd(struct input *input, int to, struct err *err)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	char *out = malloc(CHUNK);
	int code = stream && out ? unpack_to(input, stream, out, to, err) : err_set(err, ENOMEM, "out of memory");

	free(out);
	ZSTD_freeDStream(stream);
	return code;
}

static const struct decompressor decompressors[] = {
	{ "gzip", "\x1f\x8b", 2, run_gzip },
	{ "zip", "PK\3\4", 4, decompress_zip },
	{ "zstd", "\x28\xb5\x2f\xfd", 4, run_zstd },
};

const struct decompressor *decompressor_of(const struct input *input)
{
	for (size_t i = 0; i < sizeof decompressors / sizeof *decompressors; i++)
		if (input->size > decompressors[i].n_magic &&
		    !memcmp(input->data, decompressors[i].magic, decompressors[i].n_magic))
			return &decompressors[i];
	return NULL;
}
