/* SPDX-License-Identifier: Apache-2.0 */
/* A file of code that the child of code_reader.h has, and what is answered of it, by elfutils' libdw. */
#ifndef CAPTURE_CODE_CODE_FILE_H
#define CAPTURE_CODE_CODE_FILE_H

#include <elfutils/libdw.h>

#include "base/array.h"
#include "capture/code/code_reader.h"

struct code_file {
	Elf *elf; /* NULL: it cannot be read */
	Dwarf *dwarf;
	Dwarf_CFI *frames, *debug_frames;
	struct array symbols; /* private */
	bool has_symbols, has_dwarf, has_frames;
	char build[64];
};

void code_file_open(struct code_file *file, int fd);
/* The address of a byte of the file, as its headers count; false: it maps none. */
bool code_file_address(const struct code_file *file, uint64_t offset, uint64_t *address);
bool code_file_offset(const struct code_file *file, uint64_t address, uint64_t *offset);
bool code_file_rule(struct code_file *file, uint64_t offset, struct code_rule *rule);
bool code_file_place(struct code_file *file, uint64_t offset, struct code_place *place);
/* C++ and older Rust without parameters; what is not mangled as it is. */
void code_name_plain(char *to, size_t size, const char *name);

#endif
