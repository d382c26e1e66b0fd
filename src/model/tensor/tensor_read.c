// SPDX-License-Identifier: Apache-2.0
/* Chooses the reader of a tensor file by its first bytes. Parses no format itself. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/tensor/tensor_file.h"

static bool begins_with(const void *data, size_t size, const void *magic, size_t len)
{
	return size >= len && !memcmp(data, magic, len);
}

static int parse_any(const void *data, size_t size, struct tensor_list *list, struct err *err)
{
	struct tensor tensor = { 0 };
	char *name = NULL;
	int ret;

	/* An empty archive begins with its end record. */
	if (begins_with(data, size, "PK\3\4", 4) || begins_with(data, size, "PK\5\6", 4))
		return tensor_npz_parse(data, size, list, err);
	if (begins_with(data, size, "\x93NUMPY", 6))
		ret = tensor_npy_parse(data, size, &tensor, err);
	else if ((ret = tensor_pb_parse(data, size, &tensor, &name, err)))
		err_wrap(err, "it is neither .npy nor .npz, and as an ONNX tensor");
	if (!ret)
		ret = tensor_list_take(list, name ? name : "", 0, &tensor, err);
	free(name);
	return ret;
}

int tensor_file_read(const char *path, struct tensor_list *list, struct err *err)
{
	struct stat stat_;
	void *data;
	size_t size;
	int ret;

	if (!stat(path, &stat_) && S_ISDIR(stat_.st_mode))
		return tensor_pb_read_folder(path, "input", list, err);
	ret = tensor_file_load(path, &data, &size, err);
	if (ret)
		return ret;
	ret = parse_any(data, size, list, err);
	free(data);
	return ret ? err_wrap(err, "cannot read %s", path) : 0;
}
