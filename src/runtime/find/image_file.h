/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A module's file, read as if it had been loaded at the addresses that the file names (base 0). The words that the
 * loader would relocate are relocated in a copy, so that rtti.c and ort.c read a file as they read a process. Nothing
 * is executed. Every byte of the file is input: lengths are checked, and unsupported content is rejected with its byte
 * offset. The file is mapped: if it is truncated while being read, SIGBUS is raised. Read a file that others may change
 * in a child process (capture/proc/file_look.h).
 *
 * std::type_info objects point into the C++ library, which is not loaded. Its three tables that matter get a made-up
 * image of their own in the set.
 */
#ifndef RUNTIME_IMAGE_FILE_H
#define RUNTIME_IMAGE_FILE_H

#include "base/err.h"
#include "runtime/find/image.h"

enum { IMAGE_FILE_BUILD_ID = 32 }; /* bytes kept of a longer build id */

struct image_file {
	struct image_set set; /* image[0]: the file; image[1]: the C++ library's tables */
	const uint8_t *data;
	size_t size;
	bool is_mapped;
	uint64_t loaded; /* bytes of all parts together */
	struct {
		uint64_t address, offset, size; /* size: bytes present in the file */
	} part[IMAGE_SEGMENTS];
	int n_parts;
	uint64_t frames, frames_end; /* addresses of .eh_frame_hdr; 0, 0: none */
	uint8_t build_id[IMAGE_FILE_BUILD_ID];
	unsigned build_id_size; /* 0: the file has none */
};

/*
 * The caller keeps fd. name: for messages, and the path of image[0]. 0, or -errno and err: not ELF, 32 bit, for another
 * processor, truncated, out of bounds. Any thread. Call image_file_close after a failure, too.
 */
int image_file_open(struct image_file *file, int fd, const char *name, struct err *err);
/*
 * The same for bytes in memory, at an address that is a multiple of 4096. The caller keeps them alive until the file is
 * closed.
 */
int image_file_parse(struct image_file *file, const void *data, size_t size, const char *name, struct err *err);
void image_file_close(struct image_file *file);

static inline const struct image *image_file_image(const struct image_file *file)
{
	return &file->set.image[0];
}

/* The file offset of the byte at an address; false: the file does not hold it. */
bool image_file_offset(const struct image_file *file, uint64_t address, uint64_t *offset);
/*
 * The difference between addresses in a process and in the file, for the mapping that begins at map_start with offset
 * map_offset of the file. False: no part of the file begins there.
 */
bool image_file_bias(const struct image_file *file, uint64_t map_start, uint64_t map_offset, uint64_t *bias);
/* The address of a symbol of .symtab, which also has those that the file does not export; 0: there is none. */
uint64_t image_file_symbol(const struct image_file *file, const char *name, uint64_t *size);
/* The build id in hexadecimal; "" when there is none. */
void image_file_build_id(const struct image_file *file, char text[2 * IMAGE_FILE_BUILD_ID + 1]);

#endif
