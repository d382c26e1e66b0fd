// SPDX-License-Identifier: Apache-2.0
/*
 * Reads numpy's .npz: a zip archive of .npy files, stored or deflated, with the 64-bit extension. Starts at the end:
 * the end record gives the place of the directory, the directory the place of each file. Of the local headers only the
 * length is used. Rejects encrypted archives, other compression methods, archives in parts and archives with data in
 * front.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "model/tensor/tensor_file.h"

enum {
	END_BYTES = 22,
	END_COMMENT_MAX = 65535,
	LOCATOR_BYTES = 20,
	END64_BYTES = 56,
	ENTRY_BYTES = 46,
	LOCAL_BYTES = 30,
	END_MAGIC = 0x06054b50,
	LOCATOR_MAGIC = 0x07064b50,
	END64_MAGIC = 0x06064b50,
	ENTRY_MAGIC = 0x02014b50,
	LOCAL_MAGIC = 0x04034b50,
	EXTRA_64 = 1,
	FLAG_ENCRYPTED = 1,
	STORED = 0,
	DEFLATED = 8,
	DEFLATE_RATIO_MAX = 1032, /* deflate's best ratio */
	FILE_RATIO_MAX = 64,
};

static const uint64_t total_min = 1u << 30;

struct archive {
	const uint8_t *data;
	size_t size;
	uint64_t left; /* bytes that its files may still unpack to */
	struct err *err;
};

struct directory {
	uint64_t offset, size, n;
};

struct entry {
	uint32_t flags, method, crc;
	uint64_t packed, size, offset; /* of the data: packed size, unpacked size; offset of the local header */
	const char *name;
	size_t name_len;
};

static uint64_t number(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	while (size-- > 0)
		value = value << 8 | at[size];
	return value;
}

static bool is_inside(const struct archive *zip, uint64_t offset, uint64_t size)
{
	return offset <= zip->size && size <= zip->size - offset;
}

static int find_end(const struct archive *zip, size_t *end)
{
	size_t lowest = zip->size > END_BYTES + END_COMMENT_MAX ? zip->size - END_BYTES - END_COMMENT_MAX : 0;

	if (zip->size < END_BYTES)
		return err_set(zip->err, EINVAL, "it is not an .npz file: too short");
	for (size_t at = zip->size - END_BYTES + 1; at-- > lowest;) {
		if (number(zip->data + at, 4) != END_MAGIC)
			continue;
		/* The comment must reach to the very end, or these bytes are themselves part of a comment. */
		if (number(zip->data + at + 20, 2) != zip->size - at - END_BYTES)
			continue;
		*end = at;
		return 0;
	}
	return err_set(zip->err, EINVAL,
		       "it is not an .npz file, or it is truncated: the end of the zip archive is missing");
}

static int find_directory(const struct archive *zip, struct directory *dir)
{
	const uint8_t *at;
	size_t end = 0;
	int ret = find_end(zip, &end);

	if (ret)
		return ret;
	at = zip->data + end;
	*dir = (struct directory){ number(at + 16, 4), number(at + 12, 4), number(at + 10, 2) };
	if (number(at + 4, 2) || number(at + 6, 2))
		return err_set(zip->err, EINVAL, "at byte %zu: the archive is one part of several", end);
	if (end >= LOCATOR_BYTES && number(at - LOCATOR_BYTES, 4) == LOCATOR_MAGIC) {
		uint64_t end64 = number(at - LOCATOR_BYTES + 8, 8);
		if (!is_inside(zip, end64, END64_BYTES) || number(zip->data + end64, 4) != END64_MAGIC)
			return err_set(zip->err, EINVAL, "at byte %zu: the 64-bit end record is misplaced",
				       end - LOCATOR_BYTES);
		at = zip->data + end64;
		*dir = (struct directory){ number(at + 48, 8), number(at + 40, 8), number(at + 32, 8) };
	}
	if (!is_inside(zip, dir->offset, dir->size))
		return err_set(zip->err, EINVAL, "its directory lies outside the file");
	return 0;
}

/* Reads those of the three numbers that did not fit in 32 bits, in this order. */
static bool take_extra_64(const uint8_t *at, size_t size, struct entry *entry)
{
	uint64_t *const value[] = { &entry->size, &entry->packed, &entry->offset };

	for (size_t i = 0; i < 3; i++) {
		if (*value[i] != UINT32_MAX)
			continue;
		if (size < 8)
			return false;
		*value[i] = number(at, 8);
		at += 8;
		size -= 8;
	}
	return true;
}

static bool take_extras(const uint8_t *at, size_t size, struct entry *entry)
{
	while (size >= 4) {
		const size_t len = number(at + 2, 2);
		if (len > size - 4)
			return false;
		if (number(at, 2) == EXTRA_64)
			return take_extra_64(at + 4, len, entry);
		at += 4 + len;
		size -= 4 + len;
	}
	return true;
}

/* Moves *offset behind the entry. */
static int take_entry(const struct archive *zip, uint64_t *offset, uint64_t end, struct entry *entry)
{
	const uint8_t *at = zip->data + *offset;
	size_t extra_len, comment_len;

	if (end - *offset < ENTRY_BYTES || number(at, 4) != ENTRY_MAGIC)
		return err_set(zip->err, EINVAL, "at byte %zu: expected a directory entry", (size_t)*offset);
	*entry = (struct entry){ .flags = (uint32_t)number(at + 8, 2),
				 .method = (uint32_t)number(at + 10, 2),
				 .crc = (uint32_t)number(at + 16, 4),
				 .packed = number(at + 20, 4),
				 .size = number(at + 24, 4),
				 .offset = number(at + 42, 4),
				 .name = (const char *)at + ENTRY_BYTES,
				 .name_len = number(at + 28, 2) };
	extra_len = number(at + 30, 2);
	comment_len = number(at + 32, 2);
	if (entry->name_len + extra_len + comment_len > end - *offset - ENTRY_BYTES ||
	    !take_extras(at + ENTRY_BYTES + entry->name_len, extra_len, entry))
		return err_set(zip->err, EINVAL, "at byte %zu: the entry exceeds the directory", (size_t)*offset);
	*offset += ENTRY_BYTES + entry->name_len + extra_len + comment_len;
	return 0;
}

/* Where the entry's data begins; the archive contains all of it. */
static int find_data(const struct archive *zip, const struct entry *entry, const uint8_t **data)
{
	uint64_t begin;

	if (!is_inside(zip, entry->offset, LOCAL_BYTES) || number(zip->data + entry->offset, 4) != LOCAL_MAGIC)
		return err_set(zip->err, EINVAL, "the directory points at no file");
	begin = entry->offset + LOCAL_BYTES + number(zip->data + entry->offset + 26, 2) +
		number(zip->data + entry->offset + 28, 2);
	if (!is_inside(zip, begin, entry->packed))
		return err_set(zip->err, EINVAL, "its data lie outside the archive");
	*data = zip->data + begin;
	return 0;
}

/* Whether the data unpacks to exactly the directory's size. zlib counts in 32 bits. */
static bool unpack(const uint8_t *data, size_t packed, uint8_t *to, size_t size)
{
	const size_t step = 1u << 30;
	z_stream stream = { .next_in = (uint8_t *)data, .next_out = to };
	int ret;

	if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
		return false;
	do {
		size_t in_left = packed - (size_t)(stream.next_in - data),
		       out_left = size - (size_t)(stream.next_out - to);
		stream.avail_in = (uInt)(in_left < step ? in_left : step);
		stream.avail_out = (uInt)(out_left < step ? out_left : step);
		ret = inflate(&stream, Z_NO_FLUSH);
	} while (ret == Z_OK);
	inflateEnd(&stream);
	return ret == Z_STREAM_END && stream.next_in == data + packed && stream.next_out == to + size;
}

/* Also adds up the unpacked sizes: many entries can name one file's data. */
static int check_entry(struct archive *zip, const struct entry *entry)
{
	if (entry->flags & FLAG_ENCRYPTED)
		return err_set(zip->err, EINVAL, "it is encrypted");
	if (entry->method != STORED && entry->method != DEFLATED)
		return err_set(zip->err, EINVAL, "compression method %u is not supported; only deflate is",
			       entry->method);
	if (entry->method == STORED ? entry->size != entry->packed : entry->size / DEFLATE_RATIO_MAX > entry->packed)
		return err_set(zip->err, EINVAL, "%zu bytes cannot unpack to %zu", (size_t)entry->packed,
			       (size_t)entry->size);
	if (entry->size > zip->left)
		return err_set(zip->err, E2BIG, "the archive unpacks to far more than its size; refused");
	zip->left -= entry->size;
	return 0;
}

static int take_tensor(struct archive *zip, const struct entry *entry, struct tensor *tensor)
{
	const uint8_t *data = NULL;
	uint8_t *unpacked = NULL;
	int ret = find_data(zip, entry, &data);

	if (ret)
		return ret;
	if (entry->method == DEFLATED) {
		unpacked = malloc(entry->size + 1);
		if (!unpacked)
			return err_set(zip->err, ENOMEM, "cannot unpack %zu bytes: out of memory", (size_t)entry->size);
		if (!unpack(data, entry->packed, unpacked, entry->size)) {
			ret = err_set(zip->err, EINVAL, "its data are damaged: decompression failed");
			goto out;
		}
		data = unpacked;
	}
	if (crc32_z(0, data, entry->size) != entry->crc)
		ret = err_set(zip->err, EINVAL, "its data are damaged: the checksum does not match");
	else
		ret = tensor_npy_parse(data, entry->size, tensor, zip->err);
out:
	free(unpacked);
	return ret;
}

/* Without .npy, as in numpy. NULL: out of memory, or an invalid name (then err is filled). */
static char *take_name(const struct archive *zip, const struct entry *entry)
{
	static const char suffix[] = ".npy";
	const size_t suffix_len = sizeof suffix - 1;
	char *name;

	if (entry->name_len < suffix_len || memchr(entry->name, 0, entry->name_len) ||
	    memcmp(entry->name + entry->name_len - suffix_len, suffix, suffix_len)) {
		err_set(zip->err, EINVAL, "its name does not end in .npy");
		return NULL;
	}
	name = strndup(entry->name, entry->name_len - suffix_len);
	if (!name)
		err_set(zip->err, ENOMEM, "out of memory");
	return name;
}

static int take_item(struct archive *zip, const struct entry *entry, struct tensor_list *list)
{
	struct tensor tensor = { 0 };
	char *name = take_name(zip, entry);
	int ret = name ? take_tensor(zip, entry, &tensor) : zip->err ? -zip->err->code : -EINVAL;

	if (!ret)
		ret = tensor_list_take(list, name, -1, &tensor, zip->err);
	free(name);
	return ret;
}

/* Reads each entry into the list; without a list, only checks whether all of them may be unpacked. */
static int walk(struct archive *zip, const struct directory *dir, struct tensor_list *list)
{
	uint64_t at = dir->offset, end = dir->offset + dir->size;
	struct entry entry = { 0 };
	int ret = 0;

	for (uint64_t i = 0; i < dir->n && !ret; i++) {
		ret = take_entry(zip, &at, end, &entry);
		if (ret)
			return ret;
		ret = list ? take_item(zip, &entry, list) : check_entry(zip, &entry);
		if (ret)
			err_wrap(zip->err, "file %zu of the archive", (size_t)i);
	}
	if (!ret && at != end)
		ret = err_set(zip->err, EINVAL, "at byte %zu: its directory is longer than it claims", (size_t)at);
	return ret;
}

int tensor_npz_parse(const void *data, size_t size, struct tensor_list *list, struct err *err)
{
	struct archive zip = { .data = data, .size = size, .left = total_min, .err = err };
	struct directory dir = { 0 };
	int ret = find_directory(&zip, &dir);

	if (size > total_min / FILE_RATIO_MAX)
		zip.left = (uint64_t)size * FILE_RATIO_MAX;
	if (!ret)
		ret = walk(&zip, &dir, NULL);
	if (!ret)
		ret = walk(&zip, &dir, list);
	if (ret)
		tensor_list_done(list);
	return ret;
}
