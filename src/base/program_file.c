// SPDX-License-Identifier: Apache-2.0
/*
 * A loader may be run by itself, with a program as its argument ("ld.so PROGRAM"), and then preloads as always. It has
 * no interpreter, as static programs have none, but it is a library: its own dynamic section does not say that it is a
 * position-independent executable. glibc's has the name ld-linux-*.so.*; a loader with another name is not glibc's.
 *
 * Up to 2.33 that name is a link to ld-2.N.so, which gives the version. Newer ones have no such link, and are new
 * enough.
 */
#include "base/program_file.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "base/processor.h"
#include "base/syscalls.h"

enum { MAX_SEGMENTS = 64, MAX_ENTRIES = 128, TEXT = 128 };

/* Segments of the file, as far as they matter here. */
struct segments {
	Elf64_Phdr interpreter, dynamic; /* p_type 0: none */
	Elf64_Phdr load[8];
	int n_loads;
};

static bool read_at(int fd, void *to, size_t size, uint64_t at)
{
	return call_pread(fd, to, size, at) == (ssize_t)size;
}

static void read_segments(int fd, const Elf64_Ehdr *header, struct segments *segments)
{
	Elf64_Phdr segment;

	memset(segments, 0, sizeof *segments);
	for (int i = 0; i < header->e_phnum && i < MAX_SEGMENTS; i++) {
		if (!read_at(fd, &segment, sizeof segment, header->e_phoff + (uint64_t)i * header->e_phentsize))
			return;
		if (segment.p_type == PT_INTERP)
			segments->interpreter = segment;
		else if (segment.p_type == PT_DYNAMIC)
			segments->dynamic = segment;
		else if (segment.p_type == PT_LOAD &&
			 segments->n_loads < (int)(sizeof segments->load / sizeof *segments->load))
			segments->load[segments->n_loads++] = segment;
	}
}

/* A text of at most TEXT bytes. */
static void read_text(int fd, uint64_t at, char text[TEXT])
{
	ssize_t got = call_pread(fd, text, TEXT - 1, at);

	text[got > 0 ? got : 0] = 0;
}

static uint64_t offset_of(const struct segments *segments, uint64_t address)
{
	for (int i = 0; i < segments->n_loads; i++) {
		const Elf64_Phdr *load = &segments->load[i];
		if (address >= load->p_vaddr && address - load->p_vaddr < load->p_filesz)
			return address - load->p_vaddr + load->p_offset;
	}
	return 0;
}

/* Of a file without an interpreter. */
static enum program_file loader_kind(int fd, const struct segments *segments)
{
	uint64_t n = segments->dynamic.p_filesz / sizeof(Elf64_Dyn), texts = 0, name = 0, flags = 0;
	char text[TEXT] = "";
	Elf64_Dyn entry;

	for (uint64_t i = 0; i < n && i < MAX_ENTRIES; i++) {
		if (!read_at(fd, &entry, sizeof entry, segments->dynamic.p_offset + i * sizeof entry))
			return PROGRAM_STATIC;
		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_STRTAB)
			texts = entry.d_un.d_ptr;
		else if (entry.d_tag == DT_SONAME)
			name = entry.d_un.d_val;
		else if (entry.d_tag == DT_FLAGS_1)
			flags = entry.d_un.d_val;
	}
	if (flags & DF_1_PIE)
		return PROGRAM_STATIC;
	if (name && offset_of(segments, texts))
		read_text(fd, offset_of(segments, texts) + name, text);
	return strncmp(text, "ld-linux", 8) ? PROGRAM_MUSL : PROGRAM_GLIBC;
}

bool program_file_is_old(const char *path, int *minor)
{
	const char *slash = strrchr(path, '/'), *at = slash ? slash + 1 : path;
	size_t n_digits;

	if (!strncmp(at, "libc-2.", 7))
		at += 7;
	else if (!strncmp(at, "ld-2.", 5))
		at += 5;
	else
		return false;
	n_digits = strspn(at, "0123456789");
	/* "2.11.1" is a version, too */
	if (!n_digits || n_digits > 2 || at[n_digits] != '.')
		return false;
	*minor = at[0] - '0';
	if (n_digits == 2)
		*minor = *minor * 10 + at[1] - '0';
	return *minor < GLIBC_OLDEST;
}

/* Of a program with this interpreter. */
static enum program_file interpreted_kind(const char *interpreter)
{
	char real[TEXT];
	ssize_t got;
	int minor;

	if (strstr(interpreter, "musl"))
		return PROGRAM_MUSL;
	got = call_readlink(interpreter, real, sizeof real - 1);
	real[got > 0 ? got : 0] = 0;
	return program_file_is_old(real, &minor) ? PROGRAM_OLD_GLIBC : PROGRAM_GLIBC;
}

enum program_file program_file_kind(int fd)
{
	struct segments segments;
	char interpreter[TEXT];
	Elf64_Ehdr header;
	ssize_t got = call_pread(fd, &header, sizeof header, 0);

	if (got < EI_NIDENT || memcmp(header.e_ident, ELFMAG, SELFMAG))
		return PROGRAM_NO_ELF;
	if (header.e_ident[EI_CLASS] != ELFCLASS64)
		return PROGRAM_32_BIT;
	if (got != sizeof header || header.e_machine != PROCESSOR_ELF)
		return PROGRAM_OTHER_PROCESSOR;
	read_segments(fd, &header, &segments);
	if (segments.interpreter.p_type) {
		read_text(fd, segments.interpreter.p_offset, interpreter);
		return interpreted_kind(interpreter);
	}
	return segments.dynamic.p_type ? loader_kind(fd, &segments) : PROGRAM_STATIC;
}
