// SPDX-License-Identifier: Apache-2.0
/* Looks through .symtab from its beginning: it has no index. Sections are input like the rest of the file. */
#include <elf.h>
#include <string.h>

#include "runtime/find/image_file.h"

/* NULL: the file does not hold it. */
static const uint8_t *bytes_at(const struct image_file *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset ? file->data + offset : NULL;
}

static bool read_section(const struct image_file *file, const Elf64_Ehdr *head, uint64_t i, Elf64_Shdr *section)
{
	const uint8_t *at = i < head->e_shnum ? bytes_at(file, head->e_shoff, head->e_shnum * sizeof *section) : NULL;

	if (at)
		memcpy(section, at + i * sizeof *section, sizeof *section);
	return at;
}

static uint64_t find(const struct image_file *file, const Elf64_Shdr *symbols, const Elf64_Shdr *names,
		     const char *name, uint64_t *size)
{
	const uint8_t *at = bytes_at(file, symbols->sh_offset, symbols->sh_size);
	const uint8_t *texts = bytes_at(file, names->sh_offset, names->sh_size);
	size_t len = strlen(name) + 1;
	Elf64_Sym symbol;

	for (uint64_t i = 0; at && texts && i < symbols->sh_size / sizeof symbol; i++) {
		memcpy(&symbol, at + i * sizeof symbol, sizeof symbol);
		if (symbol.st_name >= names->sh_size || names->sh_size - symbol.st_name < len ||
		    memcmp(texts + symbol.st_name, name, len) != 0)
			continue;
		*size = symbol.st_size;
		return symbol.st_value;
	}
	return 0;
}

uint64_t image_file_symbol(const struct image_file *file, const char *name, uint64_t *size)
{
	const uint8_t *begin = bytes_at(file, 0, sizeof(Elf64_Ehdr));
	Elf64_Shdr symbols, names;
	Elf64_Ehdr head;

	if (!begin)
		return 0;
	memcpy(&head, begin, sizeof head);
	if (head.e_shentsize != sizeof symbols)
		return 0;
	for (uint64_t i = 0; i < head.e_shnum && read_section(file, &head, i, &symbols); i++)
		if (symbols.sh_type == SHT_SYMTAB)
			return read_section(file, &head, symbols.sh_link, &names)
				   ? find(file, &symbols, &names, name, size)
				   : 0;
	return 0;
}
