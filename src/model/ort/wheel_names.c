// SPDX-License-Identifier: Apache-2.0
/*
 * Reads the undefined names of a module from its table of dynamic symbols, and writes a small shared library that
 * defines them. Both are read and written as bytes, never run:
 *
 *   | header | 3 program headers | symbols | hash | names | dynamic | zeros ...
 *
 * All symbols have the same value: the start of the zeros. One hash bucket holds them all (ELF, gABI chapter 5).
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/processor.h"
#include "model/ort/ort_wheel.h"

enum { MAX_NAMES = 4096, MAX_LEN = 200, PAGE = PROCESSOR_MAX_PAGE, N_HEADERS = 3, N_TAGS = 6, ZEROS = 64 << 10 };

struct names {
	char text[64 << 10]; /* one after the other, each with its NUL; the first is empty */
	uint32_t at[MAX_NAMES];
	uint32_t n, len;
};

struct file {
	const uint8_t *bytes;
	size_t size;
};

static const void *part(const struct file *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset ? file->bytes + offset : NULL;
}

static bool add(struct names *names, const char *text, size_t len)
{
	if (strncmp(text, "Py", 2) && strncmp(text, "_Py", 3))
		return true;
	if (len >= MAX_LEN || names->n == MAX_NAMES || names->len + len + 1 > sizeof names->text)
		return false;
	names->at[names->n++] = names->len;
	memcpy(names->text + names->len, text, len + 1);
	names->len += (uint32_t)len + 1;
	return true;
}

static bool add_open(const struct file *file, const Elf64_Shdr *table, const Elf64_Shdr *strings, struct names *names)
{
	const char *text = part(file, strings->sh_offset, strings->sh_size);
	const uint8_t *symbols = part(file, table->sh_offset, table->sh_size);

	if (!text || !symbols)
		return false;
	for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;
		size_t room, len;

		memcpy(&symbol, symbols + at, sizeof symbol);
		if (symbol.st_shndx != SHN_UNDEF || symbol.st_name >= strings->sh_size)
			continue;
		room = strings->sh_size - symbol.st_name;
		len = strnlen(text + symbol.st_name, room);
		if (len == room || !add(names, text + symbol.st_name, len))
			return false;
	}
	return true;
}

static bool read_names(const struct file *file, struct names *names)
{
	const Elf64_Ehdr *header = part(file, 0, sizeof *header);
	const uint8_t *sections;
	Elf64_Shdr table, strings;

	if (!header || memcmp(header->e_ident, ELFMAG "\2\1", 6) || header->e_shentsize != sizeof table)
		return false;
	sections = part(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof table);
	for (unsigned i = 0; sections && i < header->e_shnum; i++) {
		memcpy(&table, sections + i * sizeof table, sizeof table);
		if (table.sh_type != SHT_DYNSYM || table.sh_link >= header->e_shnum)
			continue;
		memcpy(&strings, sections + table.sh_link * sizeof strings, sizeof strings);
		return add_open(file, &table, &strings, names);
	}
	return false;
}

static uint64_t aligned(uint64_t at, uint64_t to)
{
	return (at + to - 1) / to * to;
}

/* Writes the library into zeroed memory of at least a page; returns its length in the file. */
static size_t write_library(const struct names *names, uint8_t *to, size_t size)
{
	uint32_t n = names->n + 1;
	uint64_t symbols = sizeof(Elf64_Ehdr) + N_HEADERS * sizeof(Elf64_Phdr), hash = symbols + n * sizeof(Elf64_Sym);
	uint64_t text = hash + (2 + 1 + n) * sizeof(uint32_t), dynamic = aligned(text + names->len, 8);
	uint64_t end = dynamic + N_TAGS * sizeof(Elf64_Dyn), zeros = aligned(end, PAGE);
	Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			      .e_type = ET_DYN,
			      .e_version = EV_CURRENT,
			      .e_phoff = sizeof header,
			      .e_ehsize = sizeof header,
			      .e_phentsize = sizeof(Elf64_Phdr),
			      .e_phnum = N_HEADERS,
			      .e_machine = PROCESSOR_ELF };
	Elf64_Phdr headers[N_HEADERS] = {
		{ .p_type = PT_LOAD,
		  .p_flags = PF_R | PF_W,
		  .p_filesz = end,
		  .p_memsz = zeros + ZEROS,
		  .p_align = PAGE },
		{ .p_type = PT_DYNAMIC,
		  .p_flags = PF_R | PF_W,
		  .p_offset = dynamic,
		  .p_vaddr = dynamic,
		  .p_paddr = dynamic,
		  .p_filesz = N_TAGS * sizeof(Elf64_Dyn),
		  .p_memsz = N_TAGS * sizeof(Elf64_Dyn),
		  .p_align = 8 },
		{ .p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16 },
	};
	Elf64_Dyn tags[N_TAGS] = {
		{ DT_HASH, { hash } },	      { DT_SYMTAB, { symbols } },	    { DT_STRTAB, { text } },
		{ DT_STRSZ, { names->len } }, { DT_SYMENT, { sizeof(Elf64_Sym) } }, { DT_NULL, { 0 } },
	};
	uint32_t buckets[3] = { 1, n, n > 1 };

	if (end > size)
		return 0;
	memcpy(to, &header, sizeof header);
	memcpy(to + sizeof header, headers, sizeof headers);
	memcpy(to + hash, buckets, sizeof buckets);
	memcpy(to + text, names->text, names->len);
	memcpy(to + dynamic, tags, sizeof tags);
	for (uint32_t i = 1; i < n; i++) {
		Elf64_Sym symbol = { .st_name = names->at[i - 1],
				     .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
				     .st_shndx = 1,
				     .st_value = zeros,
				     .st_size = ZEROS };
		uint32_t next = i + 1 < n ? i + 1 : 0;

		memcpy(to + symbols + i * sizeof symbol, &symbol, sizeof symbol);
		memcpy(to + hash + (3 + i) * sizeof next, &next, sizeof next);
	}
	return end;
}

long wheel_names_library(const void *module, size_t size, void *library, size_t room)
{
	struct names *names = calloc(1, sizeof *names);
	struct file file = { module, size };
	long length = 0;

	if (!names)
		return -ENOMEM;
	names->len = 1;
	if (!read_names(&file, names))
		length = -ENOEXEC;
	else if (names->n && !(length = (long)write_library(names, library, room)))
		length = -ENOMEM;
	free(names);
	return length;
}

/* The module's bytes; NULL and err. */
static void *map_module(const char *path, size_t *size, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *bytes = MAP_FAILED;

	errno = 0;
	if (fd >= 0 && !fstat(fd, &status) && status.st_size > 0) {
		*size = (size_t)status.st_size;
		bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (bytes == MAP_FAILED)
		err_set(err, errno ? errno : EIO, "cannot read %s: %s", path, errno ? strerror(errno) : "it is empty");
	if (fd >= 0)
		close(fd);
	return bytes == MAP_FAILED ? NULL : bytes;
}

/* Loads a library from memory, through a file descriptor. */
static int load(const void *library, size_t size, struct err *err)
{
	int fd = memfd_create("python-names", MFD_CLOEXEC), code = 0;
	char path[64];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, library, size) != (ssize_t)size)
		code = err_set(err, errno, "cannot stand in for Python: %s", strerror(errno));
	else if (!dlopen(path, RTLD_NOW | RTLD_GLOBAL))
		code = err_set(err, ENOEXEC, "cannot stand in for Python: %s", dlerror());
	if (fd >= 0)
		close(fd);
	return code;
}

int wheel_names_load(const char *path, struct err *err)
{
	size_t size;
	void *module = map_module(path, &size, err), *library;
	long length;

	if (!module)
		return -err->code;
	library = calloc(1, WHEEL_NAMES_ROOM);
	length = library ? wheel_names_library(module, size, library, WHEEL_NAMES_ROOM) : -ENOMEM;
	munmap(module, size);
	if (length == -ENOEXEC)
		length =
		    err_set(err, ENOEXEC, "cannot use %s as the runtime: its dynamic symbols cannot be read", path);
	else if (length < 0)
		length = err_set(err, ENOMEM, "cannot load %s: out of memory", path);
	else if (length)
		length = load(library, (size_t)length, err);
	free(library);
	return (int)length;
}
