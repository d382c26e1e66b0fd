// SPDX-License-Identifier: Apache-2.0
/* Reads complete sets of inputs, and expected outputs if present: .npz, .npy, .pb, folders of test data. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/run/run.h"

static const struct tensor_item *item_for(const struct tensor_list *list, const char *name, size_t position)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->item[i].name && !strcmp(list->item[i].name, name))
			return &list->item[i];
	for (size_t i = 0; i < list->n; i++)
		if (list->item[i].position == (int)position && (!list->item[i].name || !*list->item[i].name))
			return &list->item[i];
	return NULL;
}

/* Sorts the file's tensors into the order of the model's inputs. */
static int sort_out(struct run *run, const char *path, struct tensor_list *list, struct run_set *set, struct err *err)
{
	for (size_t i = 0; i < run->n_inputs; i++) {
		const struct run_value *input = &run->input[i];
		struct tensor_item *item = (struct tensor_item *)item_for(list, input->name, i);

		if (!item)
			return err_set(err, EINVAL, "cannot use %s: it has no value for input '%s'", path, input->name);
		if (tensor_npy_retype(&item->tensor, input->type, err))
			return err_wrap(err, "cannot use %s for input '%s'", path, input->name);
		if (run_sets_check(input, item->tensor.dims, item->tensor.n_dims, err))
			return err_wrap(err, "cannot use %s for input '%s'", path, input->name);
		set->tensor[i] = item->tensor;
		memset(&item->tensor, 0, sizeof item->tensor);
	}
	return 0;
}

static int read_expected(const char *path, struct run_set *set, struct err *err)
{
	struct stat status;
	int rc;

	if (stat(path, &status) || !S_ISDIR(status.st_mode))
		return 0;
	rc = tensor_pb_read_folder(path, "output", &set->expected, err);
	return rc == -ENOENT ? 0 : rc;
}

/* The last part of a path, which may end in slashes. */
static void put_name(char *name, size_t size, const char *path)
{
	size_t end = strlen(path), begin;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (begin = end; begin && path[begin - 1] != '/'; begin--)
		;
	snprintf(name, size, "%.*s", (int)(end - begin), path + begin);
}

static int read_set(struct run *run, const char *path, struct err *err)
{
	struct run_set set = { .tensor = calloc(run->n_inputs + 1, sizeof *set.tensor) };
	char name[RUN_TEXT];
	struct tensor_list list = { 0 };
	int rc;

	if (!set.tensor)
		return err_set(err, ENOMEM, "cannot read %s: out of memory", path);
	rc = tensor_file_read(path, &list, err);
	if (!rc)
		rc = sort_out(run, path, &list, &set, err);
	tensor_list_done(&list);
	if (!rc)
		rc = read_expected(path, &set, err);
	put_name(name, sizeof name, path);
	return rc ? rc : run_sets_add(run, &set, name, -1, err);
}

int run_data_read(struct run *run, struct err *err)
{
	char path[PATH_MAX];
	int rc = 0;

	for (size_t i = 0; i < run->opts->data.n && !rc; i++) {
		const char *given = run->opts->data.item[i];
		unsigned n = tensor_pb_count_sets(given);

		if (!n)
			rc = read_set(run, given, err);
		for (unsigned k = 0; k < n && !rc; k++) {
			snprintf(path, sizeof path, "%s/test_data_set_%u", given, k);
			rc = read_set(run, path, err);
		}
	}
	return rc;
}
