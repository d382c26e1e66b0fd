/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the injector needs to know of a module's file: functions by name, the word to replace, unused bytes at the ends
 * of segments. Addresses are those in the process. Nothing is executed; the file is input.
 */
#ifndef CAPTURE_INJECT_INJECT_FILE_H
#define CAPTURE_INJECT_INJECT_FILE_H

#include "runtime/find/image_file.h"

enum inject_symbol {
	INJECT_PTHREAD_CREATE,
	INJECT_DLOPEN,
	INJECT_DLSYM,
	INJECT_DLERROR,
	INJECT_ERRNO,
	INJECT_ATFORK,
	INJECT_PTHREAD_DETACH,
	INJECT_KEY_CREATE,
	INJECT_SETSPECIFIC,
	N_INJECT_SYMBOLS
};
extern const char *const inject_symbols[N_INJECT_SYMBOLS];

enum { INJECT_GAPS = 8 };

/* From the end of a segment to the end of its last page: nobody uses that, but for loaders on their own data. */
struct inject_gap {
	uint64_t address, size;
	uint64_t offset; /* of code: what the page holds there in the file */
	bool is_code;	 /* else writable data, zero unless used */
};

struct inject_file {
	uint64_t map_start, map_offset;	   /* in: a mapping of the file in the process */
	uint64_t symbol[N_INJECT_SYMBOLS]; /* 0: not exported */
	uint64_t slot, original;	   /* a runtime: the word to replace, and what it holds; 0, 0: none */
	uint64_t unbound;		   /* what it may hold instead, until its first call; 0: nothing */
	char version[32];		   /* of the runtime */
	struct inject_gap gap[INJECT_GAPS];
	uint32_t n_gaps;
};

/*
 * For file_look_at (capture/proc/file_look.h). A file without a runtime is no error; one that is not understood is:
 * ENOTSUP.
 */
int inject_file_look(const struct image_file *file, void *result, struct err *err);
/* What came from another process keeps to its bounds. */
bool inject_file_is_sound(const struct inject_file *file);
/* The file's own address of an exported function, 0 if there is none. */
uint64_t inject_file_symbol(const struct image *image, const char *name);

#endif
