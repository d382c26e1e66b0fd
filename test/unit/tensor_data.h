/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of tensor files: the files of test/data, whose folder gives the verdict, and small tensors. */
#ifndef TEST_TENSOR_DATA_H
#define TEST_TENSOR_DATA_H

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/tensor/tensor_file.h"

typedef int (*read_file)(const char *path, struct err *err);

static inline void each_file_reads(const char *folder, read_file read, bool is_good)
{
	char pattern[4096];
	glob_t found;

	snprintf(pattern, sizeof pattern, TEST_DIR "/data/%s/%s/*", folder, is_good ? "good" : "bad");
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_true(found.gl_pathc >= 5);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct err err = { 0 };
		int ret = read(found.gl_pathv[i], &err);
		if (!ret != is_good)
			fail_msg("%s: %d %s", found.gl_pathv[i], ret, err.msg);
		assert_int_equal(ret, -err.code);
		for (const char *at = err.msg; *at; at++)
			assert_true(isprint((unsigned char)*at));
	}
	globfree(&found);
}

/* A bad file is rejected for its actual defect. */
static inline void assert_refusal(read_file read, const char *file, const char *words)
{
	struct err err = { 0 };
	char path[4096];

	snprintf(path, sizeof path, TEST_DIR "/data/%s", file);
	assert_true(read(path, &err) < 0);
	if (!strstr(err.msg, words))
		fail_msg("%s: %s", file, err.msg);
}

/* A name for a file that is removed when the test succeeds. */
static inline const char *scratch(void)
{
	static char path[] = "/tmp/inftrace-test-XXXXXX";
	static bool is_made;

	if (!is_made)
		close(mkstemp(path));
	is_made = true;
	return path;
}

static inline void spill(const void *data, size_t size)
{
	FILE *out = fopen(scratch(), "wb");

	assert_non_null(out);
	assert_int_equal(fwrite(data, 1, size, out), size);
	fclose(out);
}

static inline struct tensor make(enum tensor_type type, size_t n_dims, const int64_t *dims)
{
	struct tensor tensor;

	assert_int_equal(tensor_alloc(&tensor, type, dims, n_dims, NULL), 0);
	return tensor;
}

/* One dimension, these values. */
static inline struct tensor make_of(enum tensor_type type, size_t n, const double *value)
{
	struct tensor tensor = make(type, 1, (int64_t[]){ (int64_t)n });

	for (size_t i = 0; i < n; i++)
		tensor_put(&tensor, i, 0, value[i]);
	return tensor;
}

#define VALUES(...) \
	sizeof((double[]){ __VA_ARGS__ }) / sizeof(double), (double[]) \
	{ \
		__VA_ARGS__ \
	}

#endif
