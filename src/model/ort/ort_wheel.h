/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python wheels up to 1.18 contain ONNX Runtime inside their Python module and export nothing of its C API. This loads
 * the module without Python and finds the API table in memory, with the agent's method (runtime/ort.h).
 */
#ifndef MODEL_ORT_ORT_WHEEL_H
#define MODEL_ORT_ORT_WHEEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct ort_wheel {
	void *library;	    /* from dlopen */
	void *const *table; /* struct OrtApi, of the module's own version */
	unsigned n_slots;   /* sure to exist */
	char version[64];   /* "1.18.1" */
};

/* Whether a file of this name is such a Python module. */
bool ort_wheel_is_module(const char *path);
/* Loads it, which runs its constructors but not Python's entry point. 0, or -errno and err. There is no close. */
int ort_wheel_open(struct ort_wheel *wheel, const char *path, struct err *err);

#endif
