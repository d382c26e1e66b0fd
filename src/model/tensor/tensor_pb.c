// SPDX-License-Identifier: Apache-2.0
/*
 * Reads ONNX's TensorProto, and the folders of test data that come with models: test_data_set_0/input_0.pb and so on.
 * Walks the message twice: first finds the type and shape and counts the values, then reads them.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/pb.h"
#include "model/tensor/tensor_file.h"

enum field {
	FIELD_DIMS = 1,
	FIELD_TYPE = 2,
	FIELD_SEGMENT = 3, /* in other messages: the content of a sequence, an optional or a map */
	FIELD_FLOATS = 4,
	FIELD_INT32S = 5,
	FIELD_STRINGS = 6,
	FIELD_INT64S = 7,
	FIELD_NAME = 8,
	FIELD_RAW = 9,
	FIELD_DOUBLES = 10,
	FIELD_UINT64S = 11,
	FIELD_EXTERNAL = 13,
	FIELD_LOCATION = 14,
};

/* The result of the first walk. */
struct proto {
	const uint8_t *begin;
	int64_t dims[TENSOR_MAX_DIMS];
	size_t n_dims;
	uint64_t type;
	struct pb_field name, raw;
	bool has_name, has_raw;
	struct err *err;
};

/* Where the values of a repeated field are written. */
struct values {
	struct tensor *tensor;
	enum field field;
	uint32_t wire;	/* of one value */
	size_t n, most; /* so far; room in the tensor */
	uint32_t bits;	/* of a value in memory */
	struct err *err;
	size_t *start; /* strings: where each begins in text */
	char *text;
	size_t n_text;
};

static int malformed(const struct proto *proto, const uint8_t *at, const char *what)
{
	return err_set(proto->err, EINVAL, "at byte %zu: %s: this is not an ONNX tensor, or it is damaged",
		       (size_t)(at - proto->begin), what);
}

static int take_dim(struct proto *proto, uint64_t dim)
{
	if (proto->n_dims == TENSOR_MAX_DIMS)
		return err_set(proto->err, EINVAL, "it has at most %d dimensions are allowed", TENSOR_MAX_DIMS);
	proto->dims[proto->n_dims++] = (int64_t)dim;
	return 0;
}

static int take_dims(struct proto *proto, const struct pb_field *field, const uint8_t *at)
{
	struct pb_in in;
	uint64_t dim;
	int ret = 0;

	if (field->wire == PB_VARINT)
		return take_dim(proto, field->value);
	if (field->wire != PB_BYTES)
		return malformed(proto, at, "dimensions are not integers");
	for (in = pb_inside(field); in.at < in.end && !ret;)
		ret = pb_get_varint(&in, &dim) ? take_dim(proto, dim)
					       : malformed(proto, in.at, "a dimension is truncated");
	return ret;
}

static int take_field(struct proto *proto, const struct pb_field *field, const uint8_t *at)
{
	switch (field->number) {
	case FIELD_DIMS:
		return take_dims(proto, field, at);
	case FIELD_TYPE:
		proto->type = field->value;
		return field->wire == PB_VARINT ? 0 : malformed(proto, at, "the element type is not a number");
	case FIELD_NAME:
		proto->name = *field;
		proto->has_name = true;
		return field->wire == PB_BYTES ? 0 : malformed(proto, at, "the name is not a text");
	case FIELD_RAW:
		proto->raw = *field;
		proto->has_raw = true;
		return field->wire == PB_BYTES ? 0 : malformed(proto, at, "raw_data is not bytes");
	case FIELD_LOCATION:
		if (field->value != 1)
			return 0;
		/* fall through */
	case FIELD_EXTERNAL:
		return err_set(proto->err, ENOTSUP,
			       "its data lie in another file (external data); save the tensor with its data inside");
	default:
		return 0;
	}
}

static int walk(struct proto *proto, const void *data, size_t size)
{
	struct pb_in in = pb_in(data, size);
	struct pb_field field;
	const uint8_t *at = in.at;
	int ret;

	/* Checked first, because all else in such a message looks damaged. */
	while ((ret = pb_next(&in, &field)) > 0) {
		if (field.number == FIELD_SEGMENT)
			return err_set(proto->err, ENOTSUP,
				       "it holds a sequence, an optional or a map; only single tensors are supported");
	}
	if (ret < 0)
		return malformed(proto, in.at, "a field is truncated or malformed");
	for (in = pb_in(data, size); !ret && pb_next(&in, &field) > 0; at = in.at)
		ret = take_field(proto, &field, at);
	return ret;
}

/* The field that holds a type's values, and the form of one value on the wire and in memory. */
static void values_for(enum tensor_type type, struct values *values)
{
	const struct tensor_type_info *info = tensor_type_info(type);

	values->wire = PB_VARINT;
	values->bits = info->bits;
	if (type == TENSOR_FLOAT || type == TENSOR_COMPLEX64) {
		values->field = FIELD_FLOATS;
		values->wire = PB_FIXED32;
		values->bits = 32;
	} else if (type == TENSOR_DOUBLE || type == TENSOR_COMPLEX128) {
		values->field = FIELD_DOUBLES;
		values->wire = PB_FIXED64;
		values->bits = 64;
	} else if (type == TENSOR_INT64) {
		values->field = FIELD_INT64S;
	} else if (type == TENSOR_UINT32 || type == TENSOR_UINT64) {
		values->field = FIELD_UINT64S;
	} else if (type == TENSOR_STRING) {
		values->field = FIELD_STRINGS;
		values->wire = PB_BYTES;
	} else {
		values->field = FIELD_INT32S;
		/* Types of 2 and 4 bits are stored byte by byte. */
		if (info->bits < 6)
			values->bits = 8;
	}
}

static bool fits(const struct values *values, uint64_t value)
{
	const int64_t number = (int64_t)value;

	if (values->bits >= 64 || values->wire != PB_VARINT)
		return true;
	return number >= -(INT64_C(1) << (values->bits - 1)) && number < INT64_C(1) << values->bits;
}

static void save(const struct values *values, uint64_t value)
{
	uint8_t *data = values->tensor->data;

	switch (values->bits) {
	case 8:
		data[values->n] = (uint8_t)value;
		break;
	case 16:
		memcpy(data + values->n * 2, &(uint16_t){ (uint16_t)value }, 2);
		break;
	case 32:
		memcpy(data + values->n * 4, &(uint32_t){ (uint32_t)value }, 4);
		break;
	case 64:
		memcpy(data + values->n * 8, &value, 8);
		break;
	default:
		tensor_put_int(values->tensor, values->n, (int64_t)value);
	}
}

static int take_value(struct values *values, uint64_t value)
{
	if (values->n < values->most) {
		if (!fits(values, value))
			return err_set(values->err, EINVAL, "value %zu is %" PRId64 ", which %s does not have",
				       values->n, (int64_t)value, tensor_type_name(values->tensor->type));
		save(values, value);
	}
	values->n++;
	return 0;
}

static bool next_packed(struct pb_in *in, uint32_t wire, uint64_t *value)
{
	const size_t size = wire == PB_FIXED32 ? 4 : 8;

	if (wire == PB_VARINT)
		return pb_get_varint(in, value);
	if ((size_t)(in->end - in->at) < size)
		return false;
	*value = 0;
	for (size_t i = size; i-- > 0;)
		*value = *value << 8 | in->at[i];
	in->at += size;
	return true;
}

static int take_string(struct values *values, const struct pb_field *field)
{
	if (values->n < values->most) {
		values->start[values->n] = values->n_text;
		memcpy(values->text + values->n_text, field->data, field->value);
		values->n_text += field->value;
	}
	values->n++;
	return 0;
}

static int take_values(struct values *values, const struct pb_field *field)
{
	struct pb_in in;
	uint64_t value;
	int ret = 0;

	if (values->wire == PB_BYTES && field->wire == PB_BYTES)
		return take_string(values, field);
	if (field->wire == values->wire)
		return take_value(values, field->value);
	if (field->wire != PB_BYTES)
		return err_set(values->err, EINVAL, "value %zu has wire type %u: this is not an ONNX tensor", values->n,
			       field->wire);
	for (in = pb_inside(field); in.at < in.end && !ret;)
		ret = next_packed(&in, values->wire, &value)
			  ? take_value(values, value)
			  : err_set(values->err, EINVAL, "value %zu is truncated", values->n);
	return ret;
}

/* Reads the values; with most 0 only counts them. */
static int walk_values(struct values *values, const void *data, size_t size)
{
	struct pb_in in = pb_in(data, size);
	struct pb_field field;
	int ret = 0;

	while (!ret && pb_next(&in, &field) > 0) {
		if (field.number == values->field)
			ret = take_values(values, &field);
	}
	return ret;
}

static int take_strings(const struct proto *proto, struct values *values, const void *data, size_t size,
			struct tensor *tensor)
{
	int ret;

	values->start = calloc(values->most + 1, sizeof *values->start);
	values->text = malloc(size + 1);
	if (values->start && values->text)
		ret = walk_values(values, data, size);
	else
		ret = err_set(proto->err, ENOMEM, "cannot store %zu strings: out of memory", values->most);
	if (!ret)
		ret = tensor_alloc_strings(tensor, proto->dims, proto->n_dims,
					   &(struct tensor_texts){ values->text, values->n_text, values->start },
					   proto->err);
	free(values->start);
	free(values->text);
	return ret;
}

/* The number of values that the field must have for the tensor. */
static size_t needed_values(const struct values *values, enum tensor_type type, size_t n_elements, size_t size_bytes)
{
	if (type == TENSOR_STRING || values->bits == 6)
		return n_elements;
	return size_bytes / (values->bits / 8);
}

static int take_fields(const struct proto *proto, const void *data, size_t size, struct tensor *tensor)
{
	struct values values = { .tensor = tensor, .err = proto->err };
	size_t n_elements, size_bytes;
	int ret = tensor_measure(proto->type, proto->dims, proto->n_dims, &n_elements, &size_bytes, proto->err);

	if (ret)
		return ret;
	values_for(proto->type, &values);
	ret = walk_values(&values, data, size);
	if (ret)
		return ret;
	/* checked before memory is allocated for them */
	values.most = needed_values(&values, proto->type, n_elements, size_bytes);
	if (values.n != values.most)
		return err_set(proto->err, EINVAL, "it has %zu values, but its shape needs %zu", values.n, values.most);
	values.n = 0;
	if (proto->type == TENSOR_STRING)
		return take_strings(proto, &values, data, size, tensor);
	ret = tensor_alloc(tensor, proto->type, proto->dims, proto->n_dims, proto->err);
	return ret ? ret : walk_values(&values, data, size);
}

static int take_raw(const struct proto *proto, struct tensor *tensor)
{
	size_t n_elements, size_bytes;
	int ret = tensor_measure(proto->type, proto->dims, proto->n_dims, &n_elements, &size_bytes, proto->err);

	if (!ret && proto->type == TENSOR_STRING)
		ret = err_set(proto->err, EINVAL, "it holds strings as raw_data, which ONNX does not allow");
	if (!ret && proto->raw.value != size_bytes)
		ret = err_set(proto->err, EINVAL, "it has %" PRIu64 " bytes of data, but its shape needs %zu",
			      proto->raw.value, size_bytes);
	if (!ret)
		ret = tensor_alloc(tensor, proto->type, proto->dims, proto->n_dims, proto->err);
	if (ret)
		return ret;
	memcpy(tensor->data, proto->raw.data, size_bytes);
	if (tensor_file_is_big_endian_here())
		tensor_file_swap(tensor);
	return 0;
}

int tensor_pb_parse(const void *data, size_t size, struct tensor *tensor, char **name, struct err *err)
{
	struct proto proto = { .begin = data, .err = err };
	int ret = walk(&proto, data, size);

	*tensor = (struct tensor){ 0 };
	if (ret)
		return ret;
	if (!tensor_type_info((int64_t)proto.type))
		return err_set(err, EINVAL,
			       "its element type is %" PRIu64 ", which is unknown: this may not be an ONNX tensor",
			       proto.type);
	if (proto.has_name && memchr(proto.name.data, 0, proto.name.value))
		return err_set(err, EINVAL, "its name contains a NUL byte");
	ret = proto.has_raw ? take_raw(&proto, tensor) : take_fields(&proto, data, size, tensor);
	if (!ret)
		tensor_file_settle(tensor);
	if (!ret && name) {
		*name =
		    strndup(proto.has_name ? (const char *)proto.name.data : "", proto.has_name ? proto.name.value : 0);
		ret = *name ? 0 : err_no_memory(err, "cannot store its name");
	}
	if (ret)
		tensor_done(tensor);
	return ret;
}

int tensor_pb_read(const char *path, struct tensor *tensor, char **name, struct err *err)
{
	void *data;
	size_t size;
	int ret = tensor_file_load(path, &data, &size, err);

	*tensor = (struct tensor){ 0 };
	if (ret)
		return ret;
	ret = tensor_pb_parse(data, size, tensor, name, err);
	free(data);
	return ret ? err_wrap(err, "cannot read %s", path) : 0;
}

/* The number of files PREFIX_<number>.pb; -errno. */
static int count_files(const char *folder, const char *prefix)
{
	DIR *dir = opendir(folder);
	const size_t len = strlen(prefix);
	int n = 0;

	if (!dir)
		return -errno;
	for (struct dirent *entry; (entry = readdir(dir));) {
		const char *at = entry->d_name;
		if (strncmp(at, prefix, len) || at[len] != '_')
			continue;
		at += len + 1;
		n += strspn(at, "0123456789") && !strcmp(at + strspn(at, "0123456789"), ".pb");
	}
	closedir(dir);
	return n;
}

int tensor_pb_read_folder(const char *folder, const char *prefix, struct tensor_list *list, struct err *err)
{
	int n = count_files(folder, prefix), ret = 0;

	if (n < 0)
		return err_set(err, -n, "cannot read %s: %s", folder, strerror(-n));
	if (!n)
		return err_set(err, ENOENT, "cannot find tensors in %s: %s_0.pb does not exist", folder, prefix);
	for (int i = 0; i < n && !ret; i++) {
		struct tensor tensor;
		char *name = NULL, *path;
		if (asprintf(&path, "%s/%s_%d.pb", folder, prefix, i) < 0)
			path = NULL;
		ret = path ? tensor_pb_read(path, &tensor, &name, err) : err_set(err, ENOMEM, "out of memory");
		if (!ret)
			ret = tensor_list_take(list, name, i, &tensor, err);
		free(name);
		free(path);
	}
	if (ret)
		tensor_list_done(list);
	return ret;
}

unsigned tensor_pb_count_sets(const char *folder)
{
	unsigned n = 0;
	struct stat stat_;
	bool is_there = true;

	for (char *path; is_there && asprintf(&path, "%s/test_data_set_%u", folder, n) >= 0; free(path)) {
		is_there = !stat(path, &stat_) && S_ISDIR(stat_.st_mode);
		n += is_there;
	}
	return n;
}
