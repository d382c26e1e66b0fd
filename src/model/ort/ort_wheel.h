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

/*
 * Defines the names that a Python extension module imports from the interpreter, so that it can be loaded without one.
 */
enum { WHEEL_NAMES_ROOM = 512 << 10 }; /* enough for every supported module */

/*
 * Writes and loads a library that defines every Python name which the ELF file at path leaves undefined, for all
 * libraries loaded later. Each is 64 KiB of zeros; calling one as a function ends the program, so this is for modules
 * whose code outside of Python's entry point is used. 0, or -errno and err. Stays loaded.
 */
int wheel_names_load(const char *path, struct err *err);

/*
 * Makes that library from a module's bytes, which are not trusted. Returns its length in `library`; 0: the module
 * leaves no Python name undefined, -ENOEXEC: not a valid module, -ENOMEM: too large.
 */
long wheel_names_library(const void *module, size_t size, void *library, size_t room);

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

/* Lists the folders in which ONNX Runtime and its packages may be installed. Does not look into them. */
/*
 * sysroot: "" on a live machine. For another machine's files below that folder only fixed places are listed, because
 * variables, the current folder and the home belong to this machine.
 */

/* folder exists; both texts are valid during the call only. how: "Python in ...". */
typedef void (*ort_place)(void *ctx, const char *folder, const char *how);

/* The loader's path, Python installations, Node installations, common folders, in this order. */
void ort_places_each(const char *sysroot, ort_place look, void *ctx);

/* Folders with Python packages: site-packages and dist-packages. */
void ort_places_each_site(const char *sysroot, ort_place look, void *ctx);

#endif
