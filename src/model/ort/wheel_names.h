/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defines the names that a Python extension module imports from the interpreter, so that it can be loaded without one.
 */
#ifndef MODEL_ORT_WHEEL_NAMES_H
#define MODEL_ORT_WHEEL_NAMES_H

#include <stddef.h>

#include "base/err.h"

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

#endif
