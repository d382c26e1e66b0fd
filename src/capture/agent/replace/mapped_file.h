/* SPDX-License-Identifier: Apache-2.0 */
/* Which file of the program lies at an address in memory (mapped_file.c). */
#ifndef CAPTURE_AGENT_MAPPED_FILE_H
#define CAPTURE_AGENT_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Its path, as the kernel has it. False: none lies there, or there is no room. Not for the hot path. */
bool mapped_file_at(uint64_t address, char *path, size_t size);

#endif
