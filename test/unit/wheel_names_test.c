// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "model/ort/ort_wheel.h"

#define DATA TEST_DIR "/data/python_module/"

/* small.so imports PyExc_Error, PyLong_AsLong, _Py_NoneStruct and other. */
TEST(names_of_python_are_there_and_no_others)
{
	static const char *const names[] = { "PyExc_Error", "PyLong_AsLong", "_Py_NoneStruct" };
	struct err err = { 0 };

	assert_null(dlsym(RTLD_DEFAULT, "PyExc_Error"));
	assert_int_equal(wheel_names_load(DATA "good/small.so", &err), 0);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *zeros = dlsym(RTLD_DEFAULT, names[i]);
		assert_non_null(zeros);
		for (size_t at = 0; at < 64 << 10; at++)
			assert_int_equal(zeros[at], 0);
	}
	assert_null(dlsym(RTLD_DEFAULT, "other"));
}

TEST(module_can_be_loaded_then)
{
	struct err err = { 0 };

	assert_int_equal(wheel_names_load(DATA "good/small.so", &err), 0);
	assert_non_null(dlopen(DATA "good/small.so", RTLD_LAZY));
}

TEST(what_is_no_module_is_refused)
{
	static const char *const files[] = { "bad/cut_at_300.so", "bad/no_names.so", "bad/symbols_beyond_the_file.so",
					     "README" };
	struct err err = { 0 };

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char path[512];

		snprintf(path, sizeof path, DATA "%s", files[i]);
		assert_true(wheel_names_load(path, &err) < 0);
		assert_non_null(strstr(err.msg, path));
	}
}
