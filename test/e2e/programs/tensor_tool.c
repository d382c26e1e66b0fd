// SPDX-License-Identifier: Apache-2.0
/*
 * Tensors from the command line, for tests that compare them with numpy and onnx. Prints "type[dims] position name" for
 * each tensor that it reads; prints errors to stderr and exits with 1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/tensor/tensor_file.h"

static int say(const struct tensor *tensor, const char *name, int position)
{
	char text[2000];

	return printf("%s %d %s\n", tensor_describe(tensor, text, sizeof text), position, name) < 0;
}

/* PATH FOLDER: reads a file of any format, writes FOLDER/0.npy and so on. */
static int tool_unpack(char **arg, struct err *err)
{
	struct tensor_list list = { 0 };
	char path[4096];
	int ret = tensor_file_read(arg[0], &list, err);

	for (size_t i = 0; i < list.n && !ret; i++) {
		say(&list.item[i].tensor, list.item[i].name, list.item[i].position);
		snprintf(path, sizeof path, "%s/%zu.npy", arg[1], i);
		ret = tensor_npy_write(&list.item[i].tensor, path, err);
	}
	tensor_list_done(&list);
	return ret;
}

/* FOLDER: the tensors of a folder with test_data_set_0 and so on. */
static int tool_sets(char **arg, struct err *err)
{
	static const char *const prefixes[] = { "input", "output" };
	const unsigned n = tensor_pb_count_sets(arg[0]);
	char path[4096];
	int ret = 0;

	for (unsigned i = 0; i < 2 * n && !ret; i++) {
		struct tensor_list list = { 0 };
		snprintf(path, sizeof path, "%s/test_data_set_%u", arg[0], i / 2);
		ret = tensor_pb_read_folder(path, prefixes[i % 2], &list, err);
		for (size_t k = 0; k < list.n; k++)
			say(&list.item[k].tensor, prefixes[i % 2], list.item[k].position);
		tensor_list_done(&list);
	}
	return ret;
}

static enum tensor_type type_of(const char *name)
{
	int type = TENSOR_N_TYPES - 1;

	while (type > TENSOR_UNDEFINED && strcmp(tensor_type_name(type), name))
		type--;
	return type;
}

/* IN.npy TYPE OUT.npy: converts every value to that type. */
static int tool_cast(char **arg, struct err *err)
{
	struct tensor from, to = { 0 };
	int ret = tensor_npy_read(arg[0], &from, err);

	if (ret)
		return ret;
	ret = tensor_alloc(&to, type_of(arg[1]), from.dims, from.n_dims, err);
	for (size_t i = 0; i < to.n_elements; i++)
		tensor_put(&to, i, 0, tensor_get(&from, i, 0));
	if (!ret)
		ret = tensor_npy_write(&to, arg[2], err);
	tensor_done(&from);
	tensor_done(&to);
	return ret;
}

/* IN.npy TYPE OUT.npy: the file's elements as that type, then each value as a double. */
static int tool_values(char **arg, struct err *err)
{
	struct tensor from, to = { 0 };
	int ret = tensor_npy_read(arg[0], &from, err);

	if (ret)
		return ret;
	ret = tensor_npy_retype(&from, type_of(arg[1]), err);
	if (!ret)
		ret = tensor_alloc(&to, TENSOR_DOUBLE, from.dims, from.n_dims, err);
	for (size_t i = 0; i < to.n_elements; i++)
		tensor_put(&to, i, 0, tensor_get(&from, i, 0));
	if (!ret)
		ret = tensor_npy_write(&to, arg[2], err);
	tensor_done(&from);
	tensor_done(&to);
	return ret;
}

/* TYPE N SEED NAME KIND OUT.npy [LOW HIGH] */
static int tool_fill(char **arg, struct err *err)
{
	static const char *const kinds[] = { "uniform", "normal", "zeros", "ones" };
	struct tensor_fill fill = { .seed = strtoull(arg[2], NULL, 10) };
	const int64_t dims[] = { atoll(arg[1]) };
	struct tensor tensor;
	int ret = tensor_alloc(&tensor, type_of(arg[0]), dims, 1, err);

	if (ret)
		return ret;
	for (unsigned i = 0; i < 4; i++) {
		if (!strcmp(arg[4], kinds[i]))
			fill.kind = i;
	}
	if (arg[6]) {
		fill.has_range = true;
		fill.low = atof(arg[6]);
		fill.high = atof(arg[7]);
	}
	ret = tensor_fill(&tensor, &fill, arg[3], err);
	if (!ret)
		ret = tensor_npy_write(&tensor, arg[5], err);
	tensor_done(&tensor);
	return ret;
}

/* A JSON object; json_real would round. */
static void say_diff(const struct tensor_diff *diff, bool is_same)
{
	const struct {
		const char *name;
		size_t value;
	} counts[] = {
		{ "n_off", diff->n_off },
		{ "first_off", diff->first_off },
		{ "n_one_nan", diff->n_one_nan },
		{ "n_one_infinite", diff->n_one_infinite },
		{ "n_finite", diff->n_finite },
		{ "n_relative", diff->n_relative },
		{ "max_abs_index", diff->max_abs_index },
	};

	printf("{ \"is_same\": %s, \"why\": \"%s\"", is_same ? "true" : "false", diff->why);
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		printf(", \"%s\": %zu", counts[i].name, counts[i].value);
	printf(", \"max_abs\": %.17g, \"max_rel\": %.17g", diff->max_abs, diff->max_rel);
	if (!isnan(diff->cosine))
		printf(", \"cosine\": %.17g", diff->cosine);
	printf(" }\n");
}

/* EXPECTED.npy ACTUAL.npy TYPE ABSOLUTE RELATIVE */
static int tool_compare(char **arg, struct err *err)
{
	const enum tensor_type type = type_of(arg[2]);
	struct tensor expected, actual = { 0 };
	struct tensor_diff diff;
	int ret = tensor_npy_read(arg[0], &expected, err);

	if (ret)
		return ret;
	ret = tensor_npy_read(arg[1], &actual, err);
	if (!ret && type)
		ret = tensor_npy_retype(&expected, type, err);
	if (!ret && type)
		ret = tensor_npy_retype(&actual, type, err);
	if (!ret)
		say_diff(&diff, tensor_compare(&expected, &actual,
					       (struct tensor_tolerance){ atof(arg[3]), atof(arg[4]) }, &diff));
	tensor_done(&expected);
	tensor_done(&actual);
	return ret;
}

static const struct tool {
	const char *name;
	int n_args;
	int (*run)(char **arg, struct err *err);
} tools[] = {
	{ "unpack", 2, tool_unpack }, { "sets", 1, tool_sets }, { "cast", 3, tool_cast },
	{ "values", 3, tool_values }, { "fill", 6, tool_fill }, { "compare", 5, tool_compare },
};

int main(int argc, char **argv)
{
	struct err err = { 0 };

	for (size_t i = 0; argc > 1 && i < sizeof tools / sizeof *tools; i++) {
		if (strcmp(argv[1], tools[i].name) || argc - 2 < tools[i].n_args)
			continue;
		if (!tools[i].run(argv + 2, &err))
			return 0;
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	fprintf(stderr, "tensor_tool: no such tool\n");
	return 2;
}
