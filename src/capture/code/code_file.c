// SPDX-License-Identifier: Apache-2.0
/*
 * Functions by symbols; lines, and functions that were inlined, by DWARF. The child ends with the recording, so nothing
 * is given back.
 */
#include "capture/code/code_file.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct symbol {
	uint64_t begin, size;
	const char *name;
};

void code_file_open(struct code_file *file, int fd)
{
	const void *build;
	struct stat is;
	ssize_t n;
	void *data;

	if (fstat(fd, &is) || is.st_size <= 0)
		return;
	data = mmap(NULL, (size_t)is.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return;
	elf_version(EV_CURRENT);
	file->elf = elf_memory(data, (size_t)is.st_size);
	n = file->elf ? dwelf_elf_gnu_build_id(file->elf, &build) : 0;
	for (ssize_t i = 0; i < n && 2 * i + 3 < (ssize_t)sizeof file->build; i++)
		snprintf(file->build + 2 * i, 3, "%02x", ((const uint8_t *)build)[i]);
}

static bool find_part(const struct code_file *file, bool by_offset, uint64_t from, uint64_t *to)
{
	size_t n = 0;
	GElf_Phdr part;

	elf_getphdrnum(file->elf, &n);
	for (int i = 0; i < (int)n; i++) {
		uint64_t begin, other;

		if (!gelf_getphdr(file->elf, i, &part) || part.p_type != PT_LOAD)
			continue;
		begin = by_offset ? part.p_offset : part.p_vaddr;
		other = by_offset ? part.p_vaddr : part.p_offset;
		if ((by_offset && !(part.p_flags & PF_X)) || from - begin >= part.p_filesz)
			continue;
		*to = other + (from - begin);
		return true;
	}
	return false;
}

bool code_file_address(const struct code_file *file, uint64_t offset, uint64_t *address)
{
	return find_part(file, true, offset, address);
}

bool code_file_offset(const struct code_file *file, uint64_t address, uint64_t *offset)
{
	return find_part(file, false, address, offset);
}

/* Symbols. */

static void take_symbols(struct code_file *file, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym is;

	for (int i = 0; data && header->sh_entsize && gelf_getsym(data, i, &is); i++) {
		const char *name;
		struct symbol *symbol;

		if ((GELF_ST_TYPE(is.st_info) != STT_FUNC && GELF_ST_TYPE(is.st_info) != STT_GNU_IFUNC) ||
		    !is.st_value || !(name = elf_strptr(file->elf, header->sh_link, is.st_name)) || !*name ||
		    !(symbol = array_add(&file->symbols, sizeof *symbol)))
			continue;
		*symbol = (struct symbol){ is.st_value, is.st_size, name };
	}
}

/* Of names for one address the first of the alphabet that the program did not hide: "read", not "__read". */
static int compare(const void *a, const void *b)
{
	const struct symbol *one = a, *two = b;
	size_t hidden, other;

	if (one->begin != two->begin)
		return one->begin < two->begin ? -1 : 1;
	hidden = strspn(one->name, "_");
	other = strspn(two->name, "_");
	return hidden != other ? (hidden < other ? -1 : 1) : strcmp(one->name, two->name);
}

static void read_symbols(struct code_file *file)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	file->has_symbols = true;
	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			take_symbols(file, section, &header);
	if (file->symbols.n)
		qsort(file->symbols.data, file->symbols.n, sizeof(struct symbol), compare);
}

static const struct symbol *find_symbol(struct code_file *file, uint64_t address)
{
	const struct symbol *symbol;
	size_t low = 0, high;

	if (!file->has_symbols)
		read_symbols(file);
	symbol = file->symbols.data;
	high = file->symbols.n;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (symbol[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	for (low--; low && symbol[low - 1].begin == symbol[low].begin;)
		low--;
	/* code in assembler has no size; the entry of a linkage table lies behind the last function */
	return address - symbol[low].begin < (symbol[low].size ? symbol[low].size : 4096) ? &symbol[low] : NULL;
}

/* Names. */

static void take(char *to, size_t size, const char *text)
{
	size_t len = text ? strnlen(text, size - 1) : 0;

	for (size_t i = 0; i < len; i++)
		to[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i];
	to[len] = 0;
}

/* The C++ library's, if this machine has one. */
static char *demangled(const char *name)
{
	static char *(*demangle)(const char *, char *, size_t *, int *);
	static bool is_tried;
	void *library;
	int status;

	if (!is_tried && (library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL)))
		*(void **)&demangle = dlsym(library, "__cxa_demangle");
	is_tried = true;
	return demangle ? demangle(name, NULL, NULL, &status) : NULL;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* How many characters the brackets are that begin here, with all in them. */
static size_t brackets(const char *at)
{
	size_t depth = 0, len = 0;

	for (; at[len]; len++) {
		if (strchr("(<{[", at[len]))
			depth++;
		else if (strchr(")>}]", at[len]) && (at[len] != '>' || !len || at[len - 1] != '-') && !--depth)
			return len + 1;
	}
	return len;
}

/* Longer ones first. */
static size_t operator_sign(const char *at)
{
	static const char *const signs[] = { "<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>",  "<=",
					     ">=",  "->",  "==",  "!=",	 "&&", "||", "++", "--",  "+=",
					     "-=",  "*=",  "/=",  "%=",	 "^=", "&=", "|=", "\"\"" };

	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (begins(at, signs[i]))
			return strlen(signs[i]);
	return *at && strchr("<>=!+-*/%^&|~,", *at) ? 1 : 0;
}

/* What belongs to a name as it is: "operator<<", "(anonymous namespace)", "{lambda(int)#1}". 0: nothing begins here. */
static size_t whole(const char *at)
{
	static const char word[] = "operator";

	if (begins(at, "(anonymous") || *at == '{')
		return brackets(at);
	if (!begins(at, word))
		return 0;
	at += sizeof word - 1;
	return sizeof word - 1 + (*at == ' ' ? strcspn(at, "(<") : operator_sign(at));
}

/* Without the lists of parameters and of templates, and without the type that it returns: "ns::Class::f". */
static void shorten(char *name)
{
	char *to = name;

	for (const char *at = name; *at;) {
		size_t len = whole(at);

		if (len) {
			memmove(to, at, len);
			to += len;
			at += len;
		} else if (*at == '(' || *at == '<') {
			len = brackets(at);
			if (*at == '(' && to != name && !begins(at + len, "::") && !begins(at + len, " const::") &&
			    !(to - name == 8 && begins(name, "decltype")))
				break;
			at += len + (begins(at + len, " const::") ? 6 : 0);
		} else if (*at == ' ') {
			to = name;
			at++;
		} else {
			*to++ = *at++;
		}
	}
	*to = 0;
}

/* Without what a compiler appends to the names of parts and copies of a function. */
static void cut_suffix(char *name)
{
	static const char *const suffixes[] = { ".isra.", ".constprop.", ".part.", ".cold", ".llvm." };

	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		char *at = strstr(name, suffixes[i]);

		if (at && at != name)
			*at = 0;
	}
}

/*
 * Rust's present form, "_RNvNtCs1234_3std2rt4main": the identifiers of the path, each after its length. What tells two
 * of one name apart, and types that a generic function is made for, are left out.
 */
static void take_rust(char *to, size_t size, const char *name)
{
	char text[512] = "";
	size_t len = 0;

	for (const char *at = name + 2; *at && *at != 'E';) {
		size_t other = (*at == 's' || *at == 'B') ? strcspn(at, "_") : 0, n;
		char *end;

		if (*at >= '0' && *at <= '9') {
			n = strtoul(at, &end, 10);
			at = end + (*end == '_');
			if (!n || n > strlen(at) || len + n + 3 > sizeof text)
				break;
			len += (size_t)snprintf(text + len, sizeof text - len, "%s%.*s", len ? "::" : "", (int)n, at);
			at += n;
		} else {
			at += other && at[other] ? other + 1 : *at == 'N' && at[1] ? 2 : 1;
		}
	}
	take(to, size, len ? text : name);
}

void code_name_plain(char *to, size_t size, const char *name)
{
	char *plain = !strncmp(name, "_Z", 2) ? demangled(name) : NULL;
	size_t len;

	if (!strncmp(name, "_R", 2)) {
		take_rust(to, size, name);
		return;
	}
	if (!plain) {
		take(to, size, name);
		cut_suffix(to);
		return;
	}
	len = strlen(plain);
	if (len > 19 && !strncmp(plain + len - 19, "::h", 3) && strspn(plain + len - 16, "0123456789abcdef") == 16)
		plain[len - 19] = 0; /* Rust */
	else
		shorten(plain);
	take(to, size, *plain ? plain : name);
	free(plain);
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));

	return name ? name : dwarf_diename(die);
}

/* Lines. */

static bool find_unit(Dwarf *dwarf, uint64_t address, Dwarf_Die *unit)
{
	Dwarf_Off at = 0, next;
	size_t head;

	if (dwarf_addrdie(dwarf, address, unit)) /* a table of addresses, if there is one */
		return true;
	for (; !dwarf_nextcu(dwarf, at, &next, &head, NULL, NULL, NULL); at = next)
		if (dwarf_offdie(dwarf, at + head, unit) && dwarf_haspc(unit, address) == 1)
			return true;
	return false;
}

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = 0;

	if (dwarf_formudata(dwarf_attr(die, name, &attribute), &value))
		return 0;
	return value < UINT32_MAX ? (uint32_t)value : 0;
}

static const char *file_of_call(Dwarf_Die *unit, Dwarf_Die *call)
{
	uint32_t number = number_of(call, DW_AT_call_file);
	Dwarf_Files *files;
	size_t n;

	if (dwarf_getsrcfiles(unit, &files, &n) || number >= n)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

/* The scopes of the address, innermost first: functions that were inlined into each other, and the one of all. */
static void put_scopes(Dwarf_Die *unit, uint64_t address, struct code_place *place)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	Dwarf_Die *lexical = NULL, *scopes = NULL;
	int number = 0, n = 0;

	if (line && dwarf_lineno(line, &number))
		number = 0;
	/* the innermost one, and from it outwards as the code lies, not as the program was written */
	if (dwarf_getscopes(unit, address, &lexical) > 0)
		n = dwarf_getscopes_die(&lexical[0], &scopes);
	place->n = 0;
	for (int i = 0; i < n && place->n < CODE_INLINE; i++) {
		int tag = dwarf_tag(&scopes[i]);
		const char *name;

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		name = linkage_name(&scopes[i]);
		if (name) {
			code_name_plain(place->at[place->n].function, sizeof place->at->function, name);
			take(place->at[place->n].file, sizeof place->at->file, number > 0 ? file : NULL);
			place->at[place->n++].line = number > 0 ? (uint32_t)number : 0;
		}
		if (tag == DW_TAG_subprogram)
			break;
		number = (int)number_of(&scopes[i], DW_AT_call_line);
		file = file_of_call(unit, &scopes[i]);
	}
	free(lexical);
	free(scopes);
}

bool code_file_place(struct code_file *file, uint64_t offset, struct code_place *place)
{
	const struct symbol *symbol;
	Dwarf_Die unit;

	if (!code_file_address(file, offset, &place->address))
		return false;
	memcpy(place->build, file->build, sizeof place->build);
	symbol = find_symbol(file, place->address);
	if (symbol) {
		place->begin = symbol->begin;
		code_name_plain(place->at[0].function, sizeof place->at->function, symbol->name);
		place->n = 1;
	}
	if (!file->has_dwarf) {
		file->has_dwarf = true;
		file->dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	}
	if (file->dwarf && find_unit(file->dwarf, place->address, &unit)) {
		struct code_place by_symbol = *place;

		put_scopes(&unit, place->address, place);
		if (!place->n)
			*place = by_symbol;
	}
	return true;
}
