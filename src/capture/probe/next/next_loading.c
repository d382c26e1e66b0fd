// SPDX-License-Identifier: Apache-2.0
/*
 * A dynamic loader calls the C library for memory, and functions of libraries that choose between others (IFUNC): the
 * thread is not in the loader's code then. But once all addresses are in a library's data, the loader's last step
 * before the library's own code runs is to make a part of them read-only (PT_GNU_RELRO).
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/processor.h"
#include "capture/probe/next/next_in.h"
#include "capture/proc/modules.h"

enum { MAX_HEADERS = 64 };

/* Program headers of the file, at most MAX_HEADERS; 0: it has none that can be read. */
static unsigned read_headers(int fd, Elf64_Phdr headers[MAX_HEADERS])
{
	Elf64_Ehdr elf;
	ssize_t size;

	if (pread(fd, &elf, sizeof elf, 0) != sizeof elf || memcmp(elf.e_ident, ELFMAG, SELFMAG) ||
	    elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_phentsize != sizeof *headers || elf.e_phnum > MAX_HEADERS ||
	    elf.e_phoff > INT64_MAX)
		return 0;
	size = (ssize_t)(elf.e_phnum * sizeof *headers);
	return pread(fd, headers, (size_t)size, (off_t)elf.e_phoff) == size ? elf.e_phnum : 0;
}

static uint64_t page_of(uint64_t address)
{
	return address & ~(page_size() - 1);
}

/* Where in the process the part is that becomes read-only; 0: there is none, or it is not known. */
static uint64_t read_only_part(int fd, const struct next_mapping *mapping)
{
	Elf64_Phdr headers[MAX_HEADERS];
	unsigned n = read_headers(fd, headers);
	uint64_t code = 0, begin = 0, end = 0;
	bool has_code = false;

	for (unsigned i = 0; i < n; i++) {
		const Elf64_Phdr *header = &headers[i];

		if (header->p_type == PT_LOAD && header->p_flags & PF_X &&
		    page_of(header->p_offset) == mapping->offset) {
			code = page_of(header->p_vaddr);
			has_code = true;
		} else if (header->p_type == PT_GNU_RELRO) {
			begin = page_of(header->p_vaddr);
			end = page_of(header->p_vaddr + header->p_memsz);
		}
	}
	return has_code && begin < end ? mapping->start - code + begin : 0;
}

static bool is_writable(pid_t pid, uint64_t address)
{
	char path[64], line[4352], writable = '-';
	unsigned long long start, end;
	FILE *maps;

	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof line, maps))
		if (sscanf(line, "%llx-%llx %*c%c", &start, &end, &writable) == 3 && address >= start && address < end)
			break;
		else
			writable = '-';
	if (maps)
		fclose(maps);
	return writable == 'w';
}

bool next_is_loading(const struct next_mapping *mapping)
{
	struct module module = { .path = (char *)(uintptr_t)mapping->path,
				 .major = mapping->major,
				 .minor = mapping->minor,
				 .inode = mapping->inode,
				 .start = mapping->start,
				 .end = mapping->start + mapping->size,
				 .offset = mapping->offset };
	uint64_t address = 0;
	struct err err;
	int fd = modules_open(mapping->pid, &module, &err);

	if (fd >= 0) {
		address = read_only_part(fd, mapping);
		close(fd);
	}
	return address && is_writable(mapping->pid, address);
}
