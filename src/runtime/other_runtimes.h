/* SPDX-License-Identifier: Apache-2.0 */
/* Runtimes whose inferences are not recorded: known by the names of their libraries, so that reports can name them. */
#ifndef RUNTIME_OTHER_RUNTIMES_H
#define RUNTIME_OTHER_RUNTIMES_H

#include <stdbool.h>

/* "PyTorch", for the file that a process has mapped as code; NULL: it belongs to none. path may have no folder. */
const char *other_runtimes_of(const char *path);
/* How the name of a library begins that is not loaded in a process with this runtime; NULL: none matters. */
const char *other_runtimes_without(const char *title);
/* Whether the file's name begins so. */
bool other_runtimes_is_file(const char *path, const char *begin);

#endif
