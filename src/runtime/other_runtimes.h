/* SPDX-License-Identifier: Apache-2.0 */
/* Runtimes whose inferences are not recorded: known by the names of their libraries, or by classes where they are
 * linked into a program, so that reports can name them. */
#ifndef RUNTIME_OTHER_RUNTIMES_H
#define RUNTIME_OTHER_RUNTIMES_H

#include <stdbool.h>

#include "runtime/find/rtti.h"

/* "PyTorch", for the file that a process has mapped as code; NULL: it belongs to none. path may have no folder. */
const char *other_runtimes_of(const char *path);
/* How the name of a library begins that is not loaded in a process with this runtime; NULL: none matters. */
const char *other_runtimes_without(const char *title);
/* The same for a module with these classes in which none of runtimes[] is. */
const char *other_runtimes_in(const struct rtti *rtti);
/* What is recorded of it, behind "whose inferences": mostly that nothing is. */
const char *other_runtimes_recorded(const char *title);
/* The name as this list has it; NULL: it has no such name. */
const char *other_runtimes_titled(const char *title);
/* Whether the file's name begins so. */
bool other_runtimes_is_file(const char *path, const char *begin);

#endif
