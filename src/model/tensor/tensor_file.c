// SPDX-License-Identifier: Apache-2.0
/* Loads files and keeps lists of tensors, for the readers of all formats. Parses no format. */
#include "model/tensor/tensor_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void tensor_list_done(struct tensor_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->item[i].name);
		tensor_done(&list->item[i].tensor);
	}
	free(list->item);
	*list = (struct tensor_list){ 0 };
}

int tensor_list_take(struct tensor_list *list, const char *name, int position, struct tensor *tensor, struct err *err)
{
	struct tensor_item *item = realloc(list->item, (list->n + 1) * sizeof *item);
	char *copy = strdup(name);

	if (item)
		list->item = item;
	if (!item || !copy) {
		free(copy);
		tensor_done(tensor);
		return err_no_memory(err, "cannot keep a tensor");
	}
	item[list->n++] = (struct tensor_item){ copy, position, *tensor };
	*tensor = (struct tensor){ 0 };
	return 0;
}

static int read_all(int fd, uint8_t *data, size_t size, struct err *err)
{
	while (size) {
		ssize_t n = read(fd, data, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_set(err, n ? errno : EIO, "cannot read it: %s",
				       n ? strerror(errno) : "it shrank while being read");
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

int tensor_file_load(const char *path, void **data, size_t *size, struct err *err)
{
	/* O_NONBLOCK: opening a pipe without a writer would block. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret;
	struct stat stat;

	*data = NULL;
	if (fd < 0 || fstat(fd, &stat) < 0) {
		ret = err_set(err, errno, "cannot open it: %s", strerror(errno));
		goto out;
	}
	if (!S_ISREG(stat.st_mode)) {
		ret = err_set(err, EINVAL, "cannot read it: it is not a regular file");
		goto out;
	}
	*size = (size_t)stat.st_size;
	*data = malloc(*size ? *size : 1);
	ret = *data ? read_all(fd, *data, *size, err)
		    : err_set(err, ENOMEM, "cannot read %zu bytes: out of memory", *size);
out:
	if (fd >= 0)
		close(fd);
	if (ret) {
		free(*data);
		*data = NULL;
		err_wrap(err, "%s", path);
	}
	return ret;
}

static void swap(uint8_t *at, size_t size)
{
	for (size_t i = 0; i < size / 2; i++) {
		uint8_t byte = at[i];
		at[i] = at[size - 1 - i];
		at[size - 1 - i] = byte;
	}
}

void tensor_file_swap(struct tensor *tensor)
{
	const struct tensor_type_info *info = tensor_type_info(tensor->type);
	const size_t step = info->bits / 8 / (info->kind == TENSOR_KIND_COMPLEX ? 2 : 1);
	uint8_t *data = tensor->data;

	for (size_t at = 0; step > 1 && at < tensor->size_bytes; at += step)
		swap(data + at, step);
}

void tensor_file_settle(struct tensor *tensor)
{
	uint8_t *data = tensor->data;

	for (size_t i = 0; tensor->type == TENSOR_BOOL && i < tensor->n_elements; i++)
		data[i] = data[i] != 0;
}
