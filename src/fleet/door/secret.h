/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets, which come from files and never from the command line, where every user of the machine would see them. */
#ifndef FLEET_DOOR_SECRET_H
#define FLEET_DOOR_SECRET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* The content of a small file, without the white space at its end. The caller frees it. NULL and err: also an empty
 * one. */
char *secret_read(const char *path, const char *what, struct err *err);
/* Whether an Authorization header bears it: "Bearer <secret>". given: NULL for none. */
bool secret_is_borne(const char *secret, const char *given);

#endif
