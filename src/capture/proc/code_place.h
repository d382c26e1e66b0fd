/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The function, the file and the line of an address in a module's file, by what its compiler left there (DWARF, symbols
 * of ELF). Nothing is fetched and no other file is read. The module is untrusted: a child without rights reads it.
 */
#ifndef CAPTURE_PROC_CODE_PLACE_H
#define CAPTURE_PROC_CODE_PLACE_H

#include <stdint.h>

#include "base/err.h"

struct code_place {
	char function[256]; /* "": not known */
	char file[1024];    /* "": not known */
	uint32_t line;
};

/*
 * address: as the file has it, of the last byte of a call. 0; or -errno and err: ENOENT: the file says nothing of it,
 * ENOSYS: built without libdw; those of file_look_for.
 */
struct code_asked {
	int fd;
	const char *name; /* of the file, for errors */
	uint64_t address;
	unsigned most_ms; /* that it waits */
};
int code_place_find(struct code_place *place, const struct code_asked *asked, struct err *err);

#endif
