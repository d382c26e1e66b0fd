/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names that a Python extension module wants from the interpreter, so that it can be loaded where there is none.
 */
#ifndef MODEL_ORT_WHEEL_NAMES_H
#define MODEL_ORT_WHEEL_NAMES_H

#include <stddef.h>

#include "base/err.h"

enum { WHEEL_NAMES_ROOM = 512 << 10 }; /* enough for every module that is taken */

/*
 * Loads a library made for the purpose, in which every name of Python's that the ELF file at path leaves open is
 * there and is 64 KiB of zeros, for all that is loaded later. Calling one of them as a function ends the program: it is
 * for modules whose own code outside of Python's entry is wanted. 0, or -errno and err. Stays loaded.
 */
int wheel_names_load(const char *path, struct err *err);

/*
 * The library itself, from a module's bytes, which are not trusted: its length in `library`, 0 where the module leaves
 * no name of Python's open, -ENOEXEC: the bytes cannot be read as a module, -ENOMEM: it has no room.
 */
long wheel_names_library(const void *module, size_t size, void *library, size_t room);

#endif
