/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of kernels for tables. Most are mangled C++ names of hundreds of characters: a short one has the namespaces and
 * the function, with template arguments as far as they are types of the language and numbers.
 */
#ifndef CAPTURE_DECODE_KERNEL_NAME_H
#define CAPTURE_DECODE_KERNEL_NAME_H

#include <stdbool.h>
#include <stddef.h>

enum { KERNEL_NAME_MAX = 200 };

/* False: it is not mangled, or in a way that is not read; `to` has its first characters then. */
bool kernel_name_shorten(const char *mangled, char to[KERNEL_NAME_MAX]);

#endif
