/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python wheels up to 1.18 keep ONNX Runtime inside their Python module and export nothing of its C API. The table of
 * the API is there all the same, and is found as the agent finds it (runtime/ort.h). No Python is needed for that.
 */
#ifndef MODEL_ORT_ORT_WHEEL_H
#define MODEL_ORT_ORT_WHEEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct ort_wheel {
	void *library;	    /* from dlopen */
	void *const *table; /* struct OrtApi, of the module's own version */
	unsigned n_slots;   /* that are certain to exist */
	char version[64];   /* "1.18.1" */
};

/* Whether a file of this name is such a module. */
bool ort_wheel_is_module(const char *path);
/* Loads it, which runs its constructors and not Python's entry. 0, or -errno and err. Nothing closes it again. */
int ort_wheel_open(struct ort_wheel *wheel, const char *path, struct err *err);

#endif
