// SPDX-License-Identifier: Apache-2.0
/*
 * Reads the two sections that it needs into memory of its own: a file that is mapped may be truncated. Sections are
 * input: sizes and names are checked.
 */
#include "capture/agent/replace/program_symbols.h"

#include <elf.h>
#include <string.h>

#include "base/syscalls.h"

enum { MOST_SECTIONS = 4096, MOST_BYTES = 256 << 20 };

static bool read_all(int fd, void *to, size_t size, uint64_t offset)
{
	for (size_t n = 0; n < size;) {
		ssize_t got = call_pread(fd, (char *)to + n, size - n, offset + n);
		if (got <= 0)
			return false;
		n += (size_t)got;
	}
	return true;
}

/* The table of symbols, and that of their names. */
static bool find_sections(int fd, Elf64_Shdr *symbols, Elf64_Shdr *texts)
{
	Elf64_Ehdr head;

	if (!read_all(fd, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shentsize != sizeof *symbols || head.e_shnum > MOST_SECTIONS)
		return false;
	for (unsigned i = 0; i < head.e_shnum; i++) {
		if (!read_all(fd, symbols, sizeof *symbols, head.e_shoff + i * sizeof *symbols))
			return false;
		if (symbols->sh_type == SHT_SYMTAB)
			return symbols->sh_link < head.e_shnum &&
			       read_all(fd, texts, sizeof *texts, head.e_shoff + symbols->sh_link * sizeof *texts);
	}
	return false;
}

static bool read_sections(struct program_symbols *symbols, int fd, const Elf64_Shdr *table, const Elf64_Shdr *texts)
{
	char *memory;

	if (!texts->sh_size || table->sh_size > MOST_BYTES || texts->sh_size > MOST_BYTES)
		return false;
	symbols->memory_size = table->sh_size + texts->sh_size;
	memory = call_map(NULL, symbols->memory_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	symbols->memory = memory;
	symbols->symbols = memory;
	symbols->n = table->sh_size / sizeof(Elf64_Sym);
	symbols->texts = memory + table->sh_size;
	symbols->texts_size = texts->sh_size;
	return read_all(fd, memory, table->sh_size, table->sh_offset) &&
	       read_all(fd, memory + table->sh_size, texts->sh_size, texts->sh_offset) &&
	       !symbols->texts[texts->sh_size - 1];
}

bool program_symbols_open(struct program_symbols *symbols, const struct image *image)
{
	Elf64_Shdr table, texts;
	bool is_open;
	int fd;

	*symbols = (struct program_symbols){ .image = image };
	call_begin();
	fd = call_open("/proc/self/exe", O_RDONLY | O_CLOEXEC, 0);
	is_open = fd >= 0 && find_sections(fd, &table, &texts) && read_sections(symbols, fd, &table, &texts);
	if (fd >= 0)
		call_close(fd);
	call_end();
	if (!is_open)
		program_symbols_close(symbols);
	return is_open;
}

void program_symbols_close(struct program_symbols *symbols)
{
	if (symbols->memory)
		call_unmap(symbols->memory, symbols->memory_size);
	*symbols = (struct program_symbols){ .image = symbols->image };
}

bool program_symbols_next(const struct program_symbols *symbols, size_t *at, struct program_function *function)
{
	while (*at < symbols->n) {
		Elf64_Sym symbol;
		uint64_t address;
		memcpy(&symbol, (const char *)symbols->symbols + (*at)++ * sizeof symbol, sizeof symbol);
		address = symbols->image->base + symbol.st_value;
		if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_shndx ||
		    symbol.st_name >= symbols->texts_size || !image_has(symbols->image, address, IMAGE_X))
			continue;
		*function = (struct program_function){ symbols->texts + symbol.st_name, address, symbol.st_size };
		return true;
	}
	return false;
}

uint64_t program_symbols_find(const struct program_symbols *symbols, const char *name)
{
	struct program_function function;

	for (size_t at = 0; program_symbols_next(symbols, &at, &function);)
		if (!strcmp(function.name, name))
			return function.address;
	return 0;
}
