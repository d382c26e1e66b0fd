/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What loads the program in a file: whether libraries for glibc can be preloaded into it. Reads the heads of the file
 * alone. Async-signal-safe, no allocation; changes errno.
 */
#ifndef BASE_PROGRAM_FILE_H
#define BASE_PROGRAM_FILE_H

enum program_file {
	PROGRAM_NO_ELF,
	PROGRAM_32_BIT,
	PROGRAM_OTHER_PROCESSOR,
	PROGRAM_STATIC, /* nothing loads it: what is preloaded is ignored */
	PROGRAM_MUSL,	/* or of another C library that is not glibc; or its loader, run by itself */
	PROGRAM_GLIBC,	/* or glibc's loader, run by itself */
};

/* fd stays where it is. What cannot be read is not there. */
enum program_file program_file_kind(int fd);

#endif
