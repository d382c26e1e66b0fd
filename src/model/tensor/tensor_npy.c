// SPDX-License-Identifier: Apache-2.0
/*
 * Reads numpy's .npy, versions 1 to 3: a magic, the length of the header, the header (a Python dict with descr,
 * fortran_order and shape), the elements. Rejects arrays of objects (pickles) and of structures.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"
#include "model/tensor/tensor_file.h"

enum { MAGIC = 6, CODE_POINT = 4 };

static const struct dtype {
	char kind;
	uint8_t size;
	enum tensor_type type;
} dtypes[] = {
	{ 'b', 1, TENSOR_BOOL },
	{ 'i', 1, TENSOR_INT8 },
	{ 'i', 2, TENSOR_INT16 },
	{ 'i', 4, TENSOR_INT32 },
	{ 'i', 8, TENSOR_INT64 },
	{ 'u', 1, TENSOR_UINT8 },
	{ 'u', 2, TENSOR_UINT16 },
	{ 'u', 4, TENSOR_UINT32 },
	{ 'u', 8, TENSOR_UINT64 },
	{ 'f', 2, TENSOR_FLOAT16 },
	{ 'f', 4, TENSOR_FLOAT },
	{ 'f', 8, TENSOR_DOUBLE },
	{ 'c', 8, TENSOR_COMPLEX64 },
	{ 'c', 16, TENSOR_COMPLEX128 },
	/* numpy writes types of ml_dtypes as plain bytes, except float8_e5m2. */
	{ 'f', 1, TENSOR_FLOAT8E5M2 },
	{ 'V', 1, TENSOR_UINT8 },
	{ 'V', 2, TENSOR_UINT16 },
};

/* The parser's position in the header. */
struct text {
	const char *begin, *at, *end;
	size_t offset; /* of begin in the file */
	struct err *err;
};

struct header {
	char descr[16];
	bool has_descr, has_order, has_shape, is_fortran;
	int64_t dims[TENSOR_MAX_DIMS];
	size_t n_dims;
};

/* The element type in the file. */
struct layout {
	enum tensor_type type;
	char kind;
	size_t item_bytes;
	bool is_swapped;
};

static int expect(struct text *text, const char *what)
{
	return err_set(text->err, EINVAL, "at byte %zu: expected %s in the header",
		       text->offset + (size_t)(text->at - text->begin), what);
}

static char next_char(struct text *text)
{
	while (text->at < text->end && isspace((unsigned char)*text->at))
		text->at++;
	return text->at < text->end ? *text->at : 0;
}

static bool take_char(struct text *text, char c)
{
	if (next_char(text) != c)
		return false;
	text->at++;
	return true;
}

/* '...' or "...", without escapes: no known name contains any. */
static int take_string(struct text *text, char *to, size_t size)
{
	const char quote = next_char(text), *begin = text->at + 1, *end;

	if (quote != '\'' && quote != '"')
		return expect(text, "a text in quotes");
	end = memchr(begin, quote, (size_t)(text->end - begin));
	if (!end || (size_t)(end - begin) >= size)
		return expect(text, end ? "a known key" : "the end of the text");
	for (const char *at = begin; at < end; at++) {
		if (!isprint((unsigned char)*at))
			return expect(text, "printable text");
	}
	memcpy(to, begin, (size_t)(end - begin));
	to[end - begin] = 0;
	text->at = end + 1;
	return 0;
}

static int take_bool(struct text *text, bool *value)
{
	static const char *const words[] = { "False", "True" };

	next_char(text);
	for (int i = 0; i < 2; i++) {
		size_t len = strlen(words[i]);
		if ((size_t)(text->end - text->at) >= len && !memcmp(text->at, words[i], len)) {
			text->at += len;
			*value = i;
			return 0;
		}
	}
	return expect(text, "True or False");
}

static int take_dim(struct text *text, int64_t *dim)
{
	if (!isdigit((unsigned char)next_char(text)))
		return expect(text, "a dimension");
	for (*dim = 0; text->at < text->end && isdigit((unsigned char)*text->at); text->at++) {
		if (__builtin_mul_overflow(*dim, 10, dim) || __builtin_add_overflow(*dim, *text->at - '0', dim))
			return expect(text, "a dimension that fits in memory");
	}
	/* Python 2 writes 3L. */
	if (text->at < text->end && *text->at == 'L')
		text->at++;
	return 0;
}

static int take_shape(struct text *text, struct header *header)
{
	int ret = 0;

	if (!take_char(text, '('))
		return expect(text, "the '(' of a shape");
	while (!take_char(text, ')')) {
		if (header->n_dims == TENSOR_MAX_DIMS)
			return expect(text, "the end of the shape after 64 dimensions");
		ret = take_dim(text, &header->dims[header->n_dims++]);
		if (ret)
			return ret;
		if (!take_char(text, ',') && next_char(text) != ')')
			return expect(text, "',' or ')' of a shape");
	}
	return 0;
}

static int take_entry(struct text *text, struct header *header)
{
	char key[16];
	int ret = take_string(text, key, sizeof key);

	if (ret)
		return ret;
	if (!take_char(text, ':'))
		return expect(text, "':'");
	if (!strcmp(key, "descr") && !header->has_descr) {
		header->has_descr = true;
		if (next_char(text) == '[')
			return err_set(text->err, EINVAL, "its elements are structures; expected numbers");
		return take_string(text, header->descr, sizeof header->descr);
	}
	if (!strcmp(key, "fortran_order") && !header->has_order) {
		header->has_order = true;
		return take_bool(text, &header->is_fortran);
	}
	if (!strcmp(key, "shape") && !header->has_shape) {
		header->has_shape = true;
		return take_shape(text, header);
	}
	return err_set(text->err, EINVAL, "the header key '%s' is unknown or repeated", key);
}

static int take_header(struct text *text, struct header *header)
{
	int ret;

	if (!take_char(text, '{'))
		return expect(text, "'{'");
	while (!take_char(text, '}')) {
		ret = take_entry(text, header);
		if (ret)
			return ret;
		if (!take_char(text, ',') && next_char(text) != '}')
			return expect(text, "',' or '}'");
	}
	if (next_char(text))
		return expect(text, "the end");
	if (!header->has_descr || !header->has_order || !header->has_shape)
		return err_set(text->err, EINVAL, "the header lacks descr, fortran_order or shape");
	return 0;
}

static int refuse(const char *descr, struct err *err)
{
	if (strchr(descr, 'O'))
		return err_set(err, EINVAL, "its elements are Python objects: save the array with a numeric dtype");
	return err_set(err, EINVAL, "its dtype '%s' is not supported by any model", descr);
}

/* "<f4": byte order, kind, bytes (of U: characters). */
static int understand(const char *descr, struct layout *layout, struct err *err)
{
	const char *at = descr;
	const bool has_order = *at && strchr("<>|=", *at);
	uint64_t size = 0;

	layout->is_swapped = *at == (tensor_file_is_big_endian_here() ? '<' : '>');
	at += has_order;
	layout->kind = *at ? *at++ : 0;
	for (; isdigit((unsigned char)*at) && size < UINT32_MAX; at++)
		size = size * 10 + (uint64_t)(*at - '0');
	if (*at || !size || size >= UINT32_MAX)
		return refuse(descr, err);
	if (layout->kind == 'U' || layout->kind == 'S') {
		layout->type = TENSOR_STRING;
		layout->item_bytes = layout->kind == 'U' ? size * CODE_POINT : size;
		return 0;
	}
	for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
		if (dtypes[i].kind != layout->kind || dtypes[i].size != size)
			continue;
		layout->type = dtypes[i].type;
		layout->item_bytes = size;
		return 0;
	}
	return refuse(descr, err);
}

/* Returns the elements in C order: copies them from Fortran order, where the first dimension runs fastest. */
static int in_order(const uint8_t *items, const struct header *header, size_t n, size_t item_bytes, uint8_t **copy,
		    struct err *err)
{
	size_t place[TENSOR_MAX_DIMS] = { 0 }, stride[TENSOR_MAX_DIMS], from = 0;

	if (!header->is_fortran || header->n_dims < 2 || !n)
		return 0;
	*copy = malloc(n * item_bytes);
	if (!*copy)
		return err_set(err, ENOMEM, "cannot byte-swap %zu bytes: out of memory", n * item_bytes);
	for (size_t i = 0, step = 1; i < header->n_dims; i++) {
		stride[i] = step;
		step *= (size_t)header->dims[i];
	}
	for (size_t i = 0; i < n; i++) {
		memcpy(*copy + i * item_bytes, items + from * item_bytes, item_bytes);
		for (size_t dim = header->n_dims; dim-- > 0;) {
			from += stride[dim];
			if (++place[dim] < (size_t)header->dims[dim])
				break;
			from -= stride[dim] * place[dim];
			place[dim] = 0;
		}
	}
	return 0;
}

static uint32_t code_point(const uint8_t *at, bool is_swapped)
{
	uint32_t code;

	memcpy(&code, at, sizeof code);
	return is_swapped ? __builtin_bswap32(code) : code;
}

/*
 * UTF-32 to UTF-8, without trailing zeros. Returns the length, SIZE_MAX: an invalid character. to has room for
 * item_bytes.
 */
static size_t take_unicode(const uint8_t *item, const struct layout *layout, char *to)
{
	size_t n = layout->item_bytes / CODE_POINT, used = 0;

	while (n && !code_point(item + (n - 1) * CODE_POINT, false))
		n--;
	for (size_t i = 0; i < n; i++) {
		const uint32_t code = code_point(item + i * CODE_POINT, layout->is_swapped);
		const size_t len = utf8_encode(to + used, code);
		if (!len)
			return SIZE_MAX;
		used += len;
	}
	return used;
}

static size_t take_bytes(const uint8_t *item, const struct layout *layout, char *to)
{
	size_t n = layout->item_bytes;

	while (n && !item[n - 1])
		n--;
	memcpy(to, item, n);
	return n;
}

static int take_strings(const uint8_t *items, size_t n, const struct header *header, const struct layout *layout,
			struct tensor *tensor, struct err *err)
{
	size_t *start = calloc(n + 1, sizeof *start), used = 0;
	char *bytes = malloc(n * layout->item_bytes + 1);
	int ret = 0;

	if (!start || !bytes) {
		ret = err_set(err, ENOMEM, "cannot store %zu strings: out of memory", n);
		goto out;
	}
	for (size_t i = 0; i < n; i++) {
		const uint8_t *item = items + i * layout->item_bytes;
		size_t len = layout->kind == 'U' ? take_unicode(item, layout, bytes + used)
						 : take_bytes(item, layout, bytes + used);
		if (len == SIZE_MAX) {
			ret = err_set(err, EINVAL, "string %zu holds an invalid character", i);
			goto out;
		}
		start[i] = used;
		used += len;
	}
	ret = tensor_alloc_strings(tensor, header->dims, header->n_dims, &(struct tensor_texts){ bytes, used, start },
				   err);
out:
	free(bytes);
	free(start);
	return ret;
}

static int take_items(const uint8_t *items, size_t n, const struct header *header, const struct layout *layout,
		      struct tensor *tensor, struct err *err)
{
	int ret;

	if (layout->type == TENSOR_STRING)
		return take_strings(items, n, header, layout, tensor, err);
	ret = tensor_alloc(tensor, layout->type, header->dims, header->n_dims, err);
	if (ret)
		return ret;
	if (n)
		memcpy(tensor->data, items, tensor->size_bytes);
	if (layout->is_swapped)
		tensor_file_swap(tensor);
	tensor_file_settle(tensor);
	return 0;
}

static int take_array(const uint8_t *data, size_t size, size_t begin, const struct header *header,
		      struct tensor *tensor, struct err *err)
{
	struct layout layout = { 0 };
	size_t n, n_bytes, needed;
	uint8_t *copy = NULL;
	int ret = understand(header->descr, &layout, err);

	if (!ret)
		ret = tensor_measure(layout.type, header->dims, header->n_dims, &n, &n_bytes, err);
	if (ret)
		return ret;
	if (__builtin_mul_overflow(n, layout.item_bytes, &needed) || needed > size - begin)
		return err_set(err, EINVAL,
			       "the file is truncated: %zu elements of %zu bytes need more than the %zu bytes present",
			       n, layout.item_bytes, size - begin);
	if (needed < size - begin)
		return err_set(err, EINVAL,
			       "at byte %zu: data follow the array; files with several arrays are not supported",
			       begin + needed);
	ret = in_order(data + begin, header, n, layout.item_bytes, &copy, err);
	if (!ret)
		ret = take_items(copy ? copy : data + begin, n, header, &layout, tensor, err);
	free(copy);
	return ret;
}

int tensor_npy_parse(const void *data, size_t size, struct tensor *tensor, struct err *err)
{
	const uint8_t *bytes = data;
	const unsigned version = size > MAGIC ? bytes[MAGIC] : 0, n_len = version == 1 ? 2 : 4;
	struct header header = { 0 };
	struct text text = { .err = err };
	size_t len = 0, begin = MAGIC + 2 + n_len;
	int ret;

	*tensor = (struct tensor){ 0 };
	if (size < MAGIC || memcmp(bytes, "\x93NUMPY", MAGIC))
		return err_set(err, EINVAL, "it is not an .npy file");
	if (version > 3)
		return err_set(err, EINVAL, "at byte %d: version %u is unknown; 1 to 3 are supported", MAGIC, version);
	if (!version || size < begin)
		return err_set(err, EINVAL, "the file ends within its first bytes");
	for (unsigned i = n_len; i-- > 0;)
		len = len << 8 | bytes[MAGIC + 2 + i];
	if (len > size - begin)
		return err_set(err, EINVAL, "the file ends within its header of %zu bytes", len);
	text.begin = text.at = (const char *)bytes + begin;
	text.end = text.begin + len;
	text.offset = begin;
	ret = take_header(&text, &header);
	return ret ? ret : take_array(bytes, size, begin + len, &header, tensor, err);
}

int tensor_npy_read(const char *path, struct tensor *tensor, struct err *err)
{
	void *data;
	size_t size;
	int ret = tensor_file_load(path, &data, &size, err);

	*tensor = (struct tensor){ 0 };
	if (ret)
		return ret;
	ret = tensor_npy_parse(data, size, tensor, err);
	free(data);
	return ret ? err_wrap(err, "cannot read %s", path) : 0;
}
