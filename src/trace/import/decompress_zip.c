// SPDX-License-Identifier: Apache-2.0
/*
 * The only file of a zip archive, which people attach to reports. Archives of several files, with passwords, over 4 GiB
 * or in several parts are refused in words. The format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT,
 * sections 4.3.7 (local header), 4.3.12 (entries) and 4.3.16 (the end).
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "trace/import/input.h"

enum { LOCAL = 30, ENTRY = 46, END = 22, MAX_COMMENT = 65535, CHUNK = 256 << 10 };
enum { STORED = 0, DEFLATED = 8, ENCRYPTED = 1 };

/* A file in the archive. */
struct member {
	uint32_t flags, method, packed, size, crc, local;
	const char *name;
	uint32_t n_name;
};

static uint32_t number(const char *at, int n)
{
	uint32_t value = 0;

	while (n--)
		value = value << 8 | (unsigned char)at[n];
	return value;
}

/* NULL: there is none. */
static const char *find_end(const struct input *input)
{
	const char *least =
	    input->size > END + MAX_COMMENT ? input->data + input->size - END - MAX_COMMENT : input->data;

	if (input->size < END)
		return NULL;
	for (const char *at = input->data + input->size - END; at >= least; at--)
		if (!memcmp(at, "PK\5\6", 4))
			return at;
	return NULL;
}

/* Folders, and what systems add by themselves. */
static bool is_wanted(const struct member *member)
{
	static const char of_mac[] = "__MACOSX/";

	return member->n_name && member->name[member->n_name - 1] != '/' &&
	       (member->n_name < sizeof of_mac || memcmp(member->name, of_mac, sizeof of_mac - 1) != 0);
}

/* The next entry; false: there is none, or it is not whole. */
static bool next_entry(const char **at, const char *end, struct member *member)
{
	const char *entry = *at;

	if (end - entry < ENTRY || memcmp(entry, "PK\1\2", 4) != 0)
		return false;
	*member = (struct member){ .flags = number(entry + 8, 2),
				   .method = number(entry + 10, 2),
				   .crc = number(entry + 16, 4),
				   .packed = number(entry + 20, 4),
				   .size = number(entry + 24, 4),
				   .n_name = number(entry + 28, 2),
				   .local = number(entry + 42, 4),
				   .name = entry + ENTRY };
	if ((size_t)(end - entry - ENTRY) < member->n_name)
		return false;
	*at = entry + ENTRY + member->n_name;
	if ((size_t)(end - *at) < number(entry + 30, 2) + number(entry + 32, 2))
		return false;
	*at += number(entry + 30, 2) + number(entry + 32, 2);
	return true;
}

static int find_only(const struct input *input, struct member *found, struct err *err)
{
	const char *end = find_end(input), *at;
	struct member member;
	uint32_t n = 0;

	if (!end)
		return err_set(err, EBADMSG, "its zip archive is cut off: the list of files at its end is missing");
	if (number(end + 16, 4) > (size_t)(end - input->data))
		return err_set(err, ENOTSUP, "its zip archive has several parts, or is over 4 GiB; unpack it first");
	for (at = input->data + number(end + 16, 4); next_entry(&at, end, &member);)
		if (is_wanted(&member) && !n++)
			*found = member;
	if (!n)
		return err_set(err, EBADMSG, "its zip archive has no file");
	if (n > 1)
		return err_set(err, EINVAL, "its zip archive has %u files; unpack it, and give one of them", n);
	if (found->flags & ENCRYPTED)
		return err_set(err, ENOTSUP, "its zip archive has a password; unpack it first");
	if ((found->method != STORED && found->method != DEFLATED) || found->size == UINT32_MAX)
		return err_set(err, ENOTSUP, "its zip archive is packed by method %u, or over 4 GiB; unpack it first",
			       found->method);
	return 0;
}

/* Where the bytes of the file are; NULL: not in the archive. */
static const char *bytes_of(const struct input *input, const struct member *member)
{
	const char *local = input->data + member->local;
	size_t left = member->local < input->size ? input->size - member->local : 0, before;

	if (left < LOCAL || memcmp(local, "PK\3\4", 4) != 0)
		return NULL;
	before = LOCAL + (size_t)number(local + 26, 2) + number(local + 28, 2);
	return left >= before && left - before >= member->packed ? local + before : NULL;
}

static int inflate_member(const struct member *member, const char *data, int to, struct err *err)
{
	z_stream stream = { .next_in = (Bytef *)data, .avail_in = member->packed };
	char *out = malloc(CHUNK);
	int code = 0, state = Z_OK;

	if (!out || inflateInit2(&stream, -15) != Z_OK) {
		free(out);
		return err_set(err, ENOMEM, "out of memory");
	}
	while (!code && state == Z_OK) {
		stream.next_out = (Bytef *)out;
		stream.avail_out = CHUNK;
		state = inflate(&stream, Z_NO_FLUSH);
		code = decompressor_write(to, out, CHUNK - stream.avail_out, err);
	}
	if (!code && (state != Z_STREAM_END || stream.total_out != member->size))
		code = err_set(err, EBADMSG, "at byte %u of its packed file: its zip data is damaged",
			       member->packed - stream.avail_in);
	inflateEnd(&stream);
	free(out);
	return code;
}

int decompress_zip(struct input *input, int to, struct err *err)
{
	struct member member = { .flags = 0 };
	int code = find_only(input, &member, err);
	const char *data = code ? NULL : bytes_of(input, &member);

	if (code)
		return code;
	if (!data)
		return err_set(err, EBADMSG, "at byte %u: the file of its zip archive is not there", member.local);
	return member.method == STORED ? decompressor_write(to, data, member.packed, err)
				       : inflate_member(&member, data, to, err);
}
