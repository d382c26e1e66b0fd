/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What loads the program in a file: whether libraries for glibc can be preloaded into it. Reads the heads of the file
 * alone. Async-signal-safe, no allocation; changes errno.
 */
#ifndef BASE_PROGRAM_FILE_H
#define BASE_PROGRAM_FILE_H

#include <stdbool.h>

/* 2.17: what libraries that are loaded into programs may need. */
#define GLIBC_OLDEST 17

enum program_file {
	PROGRAM_NO_ELF,
	PROGRAM_32_BIT,
	PROGRAM_OTHER_PROCESSOR,
	PROGRAM_STATIC,	   /* nothing loads it: what is preloaded is ignored */
	PROGRAM_MUSL,	   /* or of another C library that is not glibc; or its loader, run by itself */
	PROGRAM_OLD_GLIBC, /* older than GLIBC_OLDEST: its loader ends where a library needs that */
	PROGRAM_GLIBC,	   /* or glibc's loader, run by itself */
};

/* fd stays where it is. What cannot be read is not there. */
enum program_file program_file_kind(int fd);

/*
 * Whether a file of glibc's is older than GLIBC_OLDEST by its name, "libc-2.12.so" or "ld-2.12.so" (up to 2.33 they
 * have such names). minor: the number behind "2.".
 */
bool program_file_is_old(const char *path, int *minor);

#endif
