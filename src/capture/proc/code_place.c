// SPDX-License-Identifier: Apache-2.0
/* Reads DWARF and symbols with elfutils' libdw, in a child (file_look.h). */
#include "capture/proc/code_place.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>

#include "capture/proc/file_look.h"

/* Plain data, because it is sent through a pipe. The address is set before the child begins. */
struct answer {
	uint64_t address;
	struct code_place place;
};

static void take(char *to, size_t size, const char *text)
{
	size_t len = text ? strnlen(text, size - 1) : 0;

	memcpy(to, text ? text : "", len);
	to[len] = 0;
}

/* The name of the symbol that contains the address, in a table of symbols. */
static void find_symbol(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct answer *answer)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && header->sh_entsize && gelf_getsym(data, i, &symbol); i++)
		if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && answer->address - symbol.st_value < symbol.st_size)
			take(answer->place.function, sizeof answer->place.function,
			     elf_strptr(elf, header->sh_link, symbol.st_name));
}

static void find_symbols(Elf *elf, struct answer *answer)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			find_symbol(elf, section, &header, answer);
}

static int look_at_function(Dwarf_Die *function, void *opaque)
{
	struct answer *answer = opaque;

	if (dwarf_haspc(function, answer->address) != 1)
		return DWARF_CB_OK;
	take(answer->place.function, sizeof answer->place.function, dwarf_diename(function));
	return DWARF_CB_ABORT;
}

static void find_in_unit(Dwarf_Die *unit, struct answer *answer)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, answer->address);
	int number = 0;

	dwarf_getfuncs(unit, look_at_function, answer, 0);
	if (!line || dwarf_lineno(line, &number) || number <= 0)
		return;
	take(answer->place.file, sizeof answer->place.file, dwarf_linesrc(line, NULL, NULL));
	answer->place.line = (uint32_t)number;
}

static void find_unit(Dwarf *dwarf, struct answer *answer)
{
	Dwarf_Off at = 0, next;
	size_t head;
	Dwarf_Die unit;

	for (; !dwarf_nextcu(dwarf, at, &next, &head, NULL, NULL, NULL); at = next)
		if (dwarf_offdie(dwarf, at + head, &unit) && dwarf_haspc(&unit, answer->address) == 1) {
			find_in_unit(&unit, answer);
			return;
		}
}

static int look(const struct image_file *file, void *opaque, struct err *err)
{
	struct answer *answer = opaque;
	Dwarf *dwarf;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)file->data, file->size);
	if (!elf)
		return err_set(err, EINVAL, "cannot read symbols of %s", image_file_image(file)->path);
	find_symbols(elf, answer);
	dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (dwarf)
		find_unit(dwarf, answer);
	/* the child ends: nothing is given back */
	return *answer->place.function ? 0
				       : err_set(err, ENOENT, "cannot find a function of %s: it has no symbol",
						 image_file_image(file)->path);
}

/* The child has read hostile bytes. */
static bool is_text(const char *text, size_t size)
{
	if (!memchr(text, 0, size))
		return false;
	for (; *text; text++)
		if ((unsigned char)*text < ' ')
			return false;
	return true;
}

int code_place_find(struct code_place *place, const struct code_asked *asked, struct err *err)
{
	struct answer answer = { .address = asked->address };
	const struct file_look_result to = { &answer, sizeof answer, asked->most_ms };
	int code = file_look_for(look, &to, asked->fd, asked->name, err);

	if (code)
		return code;
	if (!is_text(answer.place.function, sizeof answer.place.function) ||
	    !is_text(answer.place.file, sizeof answer.place.file))
		return err_set(err, EIO, "cannot find a line of %s: the answer makes no sense", asked->name);
	*place = answer.place;
	return 0;
}
