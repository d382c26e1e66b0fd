// SPDX-License-Identifier: Apache-2.0
/* Reads dynamic sections, symbols and relocations. Follows no address outside the module. */
#include "runtime/find/dynamic.h"

#include <elf.h>
#include <string.h>

#include "base/processor.h"

enum { MAX_SYMBOLS = 1 << 20, ANY = -1 };

/* glibc relocates the addresses in a loaded module's dynamic section; the vDSO's stay as they are. */
static uint64_t absolute(const struct image *image, uint64_t value)
{
	return value < image->base ? image->base + value : value;
}

static void take(struct dynamic *dynamic, int64_t tag, uint64_t value)
{
	uint64_t at = absolute(dynamic->image, value);

	if (tag == DT_SYMTAB)
		dynamic->symbols = at;
	else if (tag == DT_STRTAB)
		dynamic->strings = at;
	else if (tag == DT_STRSZ)
		dynamic->strings_size = value;
	else if (tag == DT_GNU_HASH)
		dynamic->gnu_hash = at;
	else if (tag == DT_HASH)
		dynamic->hash = at;
	else if (tag == DT_RELA || tag == DT_JMPREL)
		dynamic->rela[tag == DT_JMPREL] = at;
	else if (tag == DT_RELASZ || tag == DT_PLTRELSZ)
		dynamic->rela_size[tag == DT_PLTRELSZ] = value;
}

static const char *texts_of(const struct dynamic *dynamic)
{
	const char *texts =
	    dynamic->strings_size ? image_at(dynamic->image, dynamic->strings, dynamic->strings_size, 0) : NULL;

	return texts && !texts[dynamic->strings_size - 1] ? texts : NULL;
}

bool dynamic_read(struct dynamic *dynamic, const struct image *image)
{
	*dynamic = (struct dynamic){ .image = image };
	for (uint64_t at = image->dynamic; image->dynamic_end - at >= 16; at += 16) {
		int64_t tag = (int64_t)image_word(image, at);
		if (tag == DT_NULL)
			break;
		take(dynamic, tag, image_word(image, at + 8));
	}
	dynamic->texts = texts_of(dynamic);
	return dynamic->symbols && dynamic->strings;
}

static bool read_u32(const struct image *image, uint64_t at, uint32_t *value)
{
	const void *from = image_at(image, at, 4, 0);

	if (from)
		memcpy(value, from, 4);
	return from != NULL;
}

static bool read_symbol(const struct dynamic *dynamic, uint64_t number, Elf64_Sym *symbol)
{
	const void *from = image_at(dynamic->image, dynamic->symbols + number * sizeof *symbol, sizeof *symbol, 0);

	if (from)
		memcpy(symbol, from, sizeof *symbol);
	return from != NULL;
}

/* The address of its NUL-terminated name; NULL: outside. */
static const char *name_of(const struct dynamic *dynamic, const Elf64_Sym *symbol)
{
	uint64_t room = symbol->st_name < dynamic->strings_size ? dynamic->strings_size - symbol->st_name : 0;
	const char *text;

	if (dynamic->texts && room)
		return dynamic->texts + symbol->st_name;
	text = room ? image_at(dynamic->image, dynamic->strings + symbol->st_name, room, 0) : NULL;

	return text && memchr(text, 0, room) ? text : NULL;
}

static bool has_name(const struct dynamic *dynamic, const Elf64_Sym *symbol, const char *name)
{
	size_t size = strlen(name) + 1;
	const void *text;

	if (symbol->st_name > dynamic->strings_size || dynamic->strings_size - symbol->st_name < size)
		return false;
	text = image_at(dynamic->image, dynamic->strings + symbol->st_name, size, 0);
	return text && !memcmp(text, name, size);
}

/* A .gnu.hash: { n_buckets, first symbol, n_words of the filter, shift, filter, buckets, chains } */
struct gnu_hash {
	uint32_t n_buckets, first;
	uint64_t buckets, chains;
};

static bool read_hash(struct gnu_hash *hash, const struct dynamic *dynamic)
{
	const struct image *image = dynamic->image;
	uint32_t n_words;

	if (!dynamic->gnu_hash || !read_u32(image, dynamic->gnu_hash, &hash->n_buckets) ||
	    !read_u32(image, dynamic->gnu_hash + 4, &hash->first) ||
	    !read_u32(image, dynamic->gnu_hash + 8, &n_words) || !hash->n_buckets)
		return false;
	hash->buckets = dynamic->gnu_hash + 16 + 8 * (uint64_t)n_words;
	hash->chains = hash->buckets + 4 * (uint64_t)hash->n_buckets;
	return true;
}

static uint32_t gnu_hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

static bool is_defined(const Elf64_Sym *symbol, int type)
{
	return symbol->st_shndx && ELF64_ST_TYPE(symbol->st_info) == type;
}

/* By .hash: { n_buckets, n_symbols, buckets, chains }, as System V's linkers and those of old systems make it. */
static bool look_up_old(const struct dynamic *dynamic, const char *name, int type, Elf64_Sym *symbol)
{
	const struct image *image = dynamic->image;
	uint64_t buckets = dynamic->hash + 8, chains;
	uint32_t hash = 0, n_buckets, index;

	for (const char *at = name; *at; at++) {
		hash = (hash << 4) + (unsigned char)*at;
		hash = (hash ^ (hash >> 24 & 0xf0)) & 0xfffffff;
	}
	if (!dynamic->hash || !read_u32(image, dynamic->hash, &n_buckets) || !n_buckets ||
	    !read_u32(image, buckets + 4 * (uint64_t)(hash % n_buckets), &index))
		return false;
	chains = buckets + 4 * (uint64_t)n_buckets;
	for (uint32_t step = 0; step < MAX_SYMBOLS && index; step++)
		if (read_symbol(dynamic, index, symbol) && (type == ANY || is_defined(symbol, type)) &&
		    has_name(dynamic, symbol, name))
			return true;
		else if (!read_u32(image, chains + 4 * (uint64_t)index, &index))
			return false;
	return false;
}

/*
 * Linkers put those symbols into the table that the module defines, and some that it imports: functions whose address
 * is that of a stub of the module. type: of a definition; ANY: imports, too.
 */
static bool look_up(const struct dynamic *dynamic, const char *name, int type, Elf64_Sym *symbol)
{
	uint32_t index, hash = gnu_hash_of(name), found;
	const struct image *image = dynamic->image;
	struct gnu_hash table;

	if (!dynamic->gnu_hash)
		return look_up_old(dynamic, name, type, symbol);
	if (!read_hash(&table, dynamic) ||
	    !read_u32(image, table.buckets + 4 * (uint64_t)(hash % table.n_buckets), &index) || index < table.first)
		return false;
	for (uint32_t step = 0; step < MAX_SYMBOLS; step++, index++) {
		if (!read_u32(image, table.chains + 4 * (uint64_t)(index - table.first), &found))
			return false;
		if ((found | 1) == (hash | 1) && read_symbol(dynamic, index, symbol) &&
		    (type == ANY || is_defined(symbol, type)) && has_name(dynamic, symbol, name))
			return true;
		if (found & 1)
			return false;
	}
	return false;
}

/* 0: the module does not define it. */
static uint64_t find(const struct dynamic *dynamic, const char *name, int type, Elf64_Sym *symbol)
{
	return look_up(dynamic, name, type, symbol) ? dynamic->image->base + symbol->st_value : 0;
}

uint64_t dynamic_function(const struct dynamic *dynamic, const char *name)
{
	Elf64_Sym symbol;
	uint64_t at = find(dynamic, name, STT_FUNC, &symbol);

	return at && image_has(dynamic->image, at, IMAGE_X) ? at : 0;
}

uint64_t dynamic_variable(const struct dynamic *dynamic, const char *name)
{
	Elf64_Sym symbol;
	uint64_t at = find(dynamic, name, STT_OBJECT, &symbol);

	return at && image_has(dynamic->image, at, IMAGE_R) ? at : 0;
}

uint64_t dynamic_lies_at(const struct dynamic *dynamic, const char *name, uint64_t *size)
{
	Elf64_Sym symbol;
	uint64_t at = find(dynamic, name, STT_OBJECT, &symbol);

	*size = at ? symbol.st_size : 0;
	return at;
}

bool dynamic_has(const struct dynamic *dynamic, const char *name)
{
	Elf64_Sym symbol;

	return look_up(dynamic, name, ANY, &symbol);
}

static bool relocates_any(const struct dynamic *dynamic, bool (*is_wanted)(const char *name))
{
	struct dynamic_place place = { 0, 0 };
	const char *name;

	while (dynamic_next(dynamic, &place, &name))
		if (is_wanted(name))
			return true;
	return false;
}

/* Imports come first among the symbols, before those that .gnu.hash has; a table without any does not count them. */
bool dynamic_imports_any(const struct dynamic *dynamic, bool (*is_wanted)(const char *name))
{
	struct gnu_hash hash;

	if (!read_hash(&hash, dynamic) || hash.first <= 1)
		return relocates_any(dynamic, is_wanted);
	for (uint32_t i = 1; i < hash.first && i < MAX_SYMBOLS; i++) {
		Elf64_Sym symbol;
		const char *name;
		if (!read_symbol(dynamic, i, &symbol))
			break;
		if (!symbol.st_shndx && (name = name_of(dynamic, &symbol)) && is_wanted(name))
			return true;
	}
	return false;
}

uint64_t dynamic_next(const struct dynamic *dynamic, struct dynamic_place *place, const char **name)
{
	for (; place->table < 2; *place = (struct dynamic_place){ place->table + 1, 0 }) {
		uint64_t size = dynamic->rela_size[place->table];
		const Elf64_Rela *rela = image_at(dynamic->image, dynamic->rela[place->table], size, 0);
		while (rela && place->entry < size / sizeof *rela) {
			const Elf64_Rela *at = &rela[place->entry++];
			uint32_t type = (uint32_t)ELF64_R_TYPE(at->r_info);
			uint64_t slot = dynamic->image->base + at->r_offset;
			Elf64_Sym symbol;
			if ((type == PROCESSOR_JUMP_SLOT || type == PROCESSOR_GLOB_DAT) &&
			    read_symbol(dynamic, ELF64_R_SYM(at->r_info), &symbol) &&
			    (*name = name_of(dynamic, &symbol)) && image_at(dynamic->image, slot, 8, IMAGE_W))
				return slot;
		}
	}
	return 0;
}

uint64_t dynamic_next_of(const struct dynamic *dynamic, struct dynamic_place *place, const char *name)
{
	const char *found;
	uint64_t slot;

	while ((slot = dynamic_next(dynamic, place, &found)))
		if (!strcmp(found, name))
			return slot;
	return 0;
}
