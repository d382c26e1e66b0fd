/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the process into which the agent comes, through inject->memory. Addresses are the process's. */
#ifndef CAPTURE_INJECT_INJECT_MEMORY_H
#define CAPTURE_INJECT_INJECT_MEMORY_H

#include "capture/inject/inject.h"

/* 0, or -errno and err: it may be touched by nobody, or not by us. */
int inject_memory_open(struct inject *inject, struct err *err);
/* False: there is no such memory, or no such process any more. */
bool inject_memory_get(const struct inject *inject, uint64_t at, void *to, size_t size);
/* The same where it must be there: 0, or -errno and err; ESRCH: the process has ended. */
int inject_memory_read(const struct inject *inject, uint64_t at, void *to, size_t size, struct err *err);
int inject_memory_write(const struct inject *inject, uint64_t at, const void *from, size_t size, struct err *err);
/* Aligned words are written whole. */
int inject_memory_write_word(const struct inject *inject, uint64_t at, uint64_t word, struct err *err);

#endif
