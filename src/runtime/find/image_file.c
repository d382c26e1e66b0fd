// SPDX-License-Identifier: Apache-2.0
/*
 * Parses ELF by its program headers and its dynamic section alone, because sections may be stripped or wrong. Copies
 * and relocates writable segments (RELATIVE, and 64-bit words that name a symbol); reads all else in place. Words
 * listed in RELR are right as they stand in the file, since the base is 0. Does not provide .bss, the bytes of a
 * segment that the file does not hold.
 */
#include "runtime/find/image_file.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/processor.h"

enum { MAX_HEADERS = 64, PAGE = 4096, WHOLE = 256 << 20 };
static const uint64_t max_address = 1ull << 46, max_file = 1ull << 32;

/*
 * The three tables of the C++ library that type_infos point into, as laid out in the made-up image: { 0, type_info *,
 * one function (none) }, the type_infos { 0, name }, the names.
 */
struct cxx_class {
	uint64_t top, type_info, function;
	uint64_t vptr, name;
	char text[40];
};

static const char *const cxx_table[3] = {
	"_ZTVN10__cxxabiv117__class_type_infoE",
	"_ZTVN10__cxxabiv120__si_class_type_infoE",
	"_ZTVN10__cxxabiv121__vmi_class_type_infoE",
};

/* Entries of the dynamic section: addresses, 0: absent. */
struct dynamic {
	uint64_t rela, rela_size, symbols, texts, texts_size;
};

/* State of relocating. */
struct loader {
	struct image_file *file;
	struct image *image;
	struct dynamic dynamic;
	uint64_t cxx;	   /* address of the three struct cxx_class */
	uint32_t known[3]; /* symbol + 1 of each */
};

static bool is_inside(const struct image_file *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset;
}

static int refuse(const struct image_file *file, struct err *err, uint64_t at, const char *why)
{
	return err_set(err, ENOEXEC, "cannot read %s: at byte %llu: %s", image_file_image(file)->path,
		       (unsigned long long)at, why);
}

static int check_header(const struct image_file *file, Elf64_Ehdr *header, struct err *err)
{
	if (file->size < EI_NIDENT || memcmp(file->data, ELFMAG, SELFMAG))
		return refuse(file, err, 0, "it is not an ELF file");
	if (file->data[EI_CLASS] != ELFCLASS64)
		return refuse(file, err, EI_CLASS, "it is a 32-bit file; only 64-bit files are supported");
	if (file->data[EI_DATA] != ELFDATA2LSB)
		return refuse(file, err, EI_DATA, "its byte order is not this processor's");
	if (file->size < sizeof *header)
		return refuse(file, err, file->size, "it ends inside its header");
	memcpy(header, file->data, sizeof *header);
	if (header->e_machine != PROCESSOR_ELF)
		return refuse(file, err, 18, "it is not for " PROCESSOR_NAME);
	if (header->e_type != ET_DYN && header->e_type != ET_EXEC)
		return refuse(file, err, 16, "it is neither a program nor a shared library");
	if (header->e_phentsize != sizeof(Elf64_Phdr) || !header->e_phnum || header->e_phnum > MAX_HEADERS)
		return refuse(file, err, 54, "its program headers make no sense");
	if (!is_inside(file, header->e_phoff, (uint64_t)header->e_phnum * sizeof(Elf64_Phdr)))
		return refuse(file, err, header->e_phoff, "it ends inside its program headers");
	return 0;
}

/* A copy that is aligned like its addresses, with room to relocate the last word. */
static const uint8_t *copy_segment(struct image_file *file, const Elf64_Phdr *header)
{
	uint8_t *copy = arena_alloc(&file->set.arena, header->p_filesz + 32);

	if (!copy)
		return NULL;
	copy += header->p_vaddr & 15;
	memcpy(copy, file->data + header->p_offset, header->p_filesz);
	return copy;
}

static int add_segment(struct image_file *file, const Elf64_Phdr *header, uint64_t at, struct err *err)
{
	struct image *image = &file->set.image[0];
	struct image_segment *segment = &image->segment[image->n_segments];

	if (header->p_vaddr >= max_address || header->p_filesz > max_address)
		return refuse(file, err, at, "a segment has an impossible address");
	if ((header->p_vaddr ^ header->p_offset) & (PAGE - 1))
		return refuse(file, err, at, "a segment could not be mapped: address and offset differ within a page");
	if (!is_inside(file, header->p_offset, header->p_filesz))
		return refuse(file, err, at, "it is truncated: a segment ends behind the end of the file");
	if (!header->p_filesz || !(header->p_flags & PF_R))
		return 0;
	file->loaded += header->p_filesz;
	if (file->loaded > file->size + PAGE * IMAGE_SEGMENTS)
		return refuse(file, err, at, "its segments overlap");
	if (image->n_segments == IMAGE_SEGMENTS)
		return refuse(file, err, at, "it has too many segments");
	*segment = (struct image_segment){ header->p_vaddr, header->p_vaddr + header->p_filesz,
					   (int)header->p_flags & 7, file->data + header->p_offset };
	if ((header->p_flags & PF_W) && !(segment->data = copy_segment(file, header)))
		return err_set(err, ENOMEM, "cannot read %s: out of memory", image->path);
	image->n_segments++;
	file->part[file->n_parts].address = header->p_vaddr;
	file->part[file->n_parts].offset = header->p_offset;
	file->part[file->n_parts++].size = header->p_filesz;
	return 0;
}

/* The build id out of a segment of notes: { name size, size, type } name, value, each rounded up to 4. */
static void read_notes(struct image_file *file, const Elf64_Phdr *header)
{
	uint64_t at = header->p_offset, end = at + header->p_filesz;

	if (!is_inside(file, header->p_offset, header->p_filesz))
		return;
	while (end - at >= 12) {
		uint32_t note[3];
		uint64_t name, size;
		memcpy(note, file->data + at, 12);
		name = ((uint64_t)note[0] + 3) & ~3ull;
		size = ((uint64_t)note[1] + 3) & ~3ull;
		at += 12;
		if (name > end - at || size > end - at - name)
			return;
		if (note[2] == NT_GNU_BUILD_ID && note[0] == 4 && !memcmp(file->data + at, "GNU", 4)) {
			file->build_id_size = note[1] < IMAGE_FILE_BUILD_ID ? note[1] : IMAGE_FILE_BUILD_ID;
			memcpy(file->build_id, file->data + at + name, file->build_id_size);
			return;
		}
		at += name + size;
	}
}

static int read_segments(struct image_file *file, const Elf64_Ehdr *header, struct err *err)
{
	struct image *image = &file->set.image[0];
	int failed;

	for (unsigned i = 0; i < header->e_phnum; i++) {
		uint64_t at = header->e_phoff + i * sizeof(Elf64_Phdr);
		Elf64_Phdr segment;
		memcpy(&segment, file->data + at, sizeof segment);
		if (segment.p_type == PT_LOAD && (failed = add_segment(file, &segment, at, err)))
			return failed;
		if (segment.p_type == PT_NOTE && !file->build_id_size)
			read_notes(file, &segment);
		if (segment.p_vaddr >= max_address || segment.p_memsz >= max_address)
			continue;
		if (segment.p_type == PT_GNU_RELRO) {
			image->relro_start = segment.p_vaddr;
			image->relro_end = segment.p_vaddr + segment.p_memsz;
		} else if (segment.p_type == PT_DYNAMIC) {
			image->dynamic = segment.p_vaddr;
			image->dynamic_end = segment.p_vaddr + segment.p_filesz;
		} else if (segment.p_type == PT_GNU_EH_FRAME) {
			file->frames = segment.p_vaddr;
			file->frames_end = segment.p_vaddr + segment.p_filesz;
		}
	}
	return image->n_segments ? 0 : refuse(file, err, header->e_phoff, "it has nothing to load");
}

/* RELRO as far as the file holds it: linkers fill the rest of its last page. */
static void bound_relro(struct image *image)
{
	for (int i = 0; i < image->n_segments; i++) {
		const struct image_segment *segment = &image->segment[i];
		if (image->relro_start < segment->start || image->relro_start >= segment->end)
			continue;
		if (image->relro_end > segment->end)
			image->relro_end = segment->end;
		return;
	}
	image->relro_start = image->relro_end = 0;
}

/* Makes the C++ library's tables, at an address behind everything else. */
static int make_cxx(struct loader *loader, struct err *err)
{
	struct image_set *set = &loader->file->set;
	struct image *image = &set->image[1];
	struct cxx_class *class = arena_alloc(&set->arena, 3 * sizeof *class);
	uint64_t at = 0;

	if (!class)
		return err_set(err, ENOMEM, "cannot read %s: out of memory", set->image[0].path);
	for (int i = 0; i < loader->image->n_segments; i++)
		if (loader->image->segment[i].end > at)
			at = loader->image->segment[i].end;
	at = (at + 2 * PAGE) & ~(uint64_t)(PAGE - 1);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t self = at + i * sizeof *class;
		/* _ZTV<name> is the table of the class that type_infos call <name> */
		snprintf(class[i].text, sizeof class[i].text, "%s", cxx_table[i] + 4);
		class[i].type_info = self + offsetof(struct cxx_class, vptr);
		class[i].name = self + offsetof(struct cxx_class, text);
	}
	loader->cxx = at;
	image->path = "";
	image->base = at;
	image->segment[image->n_segments++] =
	    (struct image_segment){ at, at + 3 * sizeof *class, IMAGE_R | IMAGE_W, (const uint8_t *)class };
	set->n = 2;
	return 0;
}

static void read_dynamic(struct loader *loader)
{
	struct dynamic *dynamic = &loader->dynamic;
	const struct image *image = loader->image;

	for (uint64_t at = image->dynamic; at && at + 16 <= image->dynamic_end; at += 16) {
		uint64_t tag = image_word(image, at), value = image_word(image, at + 8);
		switch (tag) {
		case DT_NULL:
			return;
		case DT_RELA:
			dynamic->rela = value;
			break;
		case DT_RELASZ:
			dynamic->rela_size = value;
			break;
		case DT_SYMTAB:
			dynamic->symbols = value;
			break;
		case DT_STRTAB:
			dynamic->texts = value;
			break;
		case DT_STRSZ:
			dynamic->texts_size = value;
			break;
		default:
			break;
		}
	}
}

/* Writes a word into a copied segment; ignores other addresses. */
static void put_word(const struct image *image, uint64_t at, uint64_t word)
{
	const void *to = at < max_address ? image_at(image, at, 8, IMAGE_W) : NULL;

	if (to)
		memcpy((void *)(uintptr_t)to, &word, 8);
}

/* Names of symbols may lie in a writable segment: patchelf puts them there. */
static bool has_text(const struct image *image, uint64_t address, const char *text)
{
	size_t size = strlen(text) + 1;
	const void *at = image_at(image, address, size, 0);

	return at && !memcmp(at, text, size);
}

/* The symbol's address; false: it is not in this file, and none of the three tables. */
static bool find_symbol(struct loader *loader, uint32_t number, uint64_t *value)
{
	uint64_t address = loader->dynamic.symbols + (uint64_t)number * sizeof(Elf64_Sym);
	const void *at = image_at(loader->image, address, sizeof(Elf64_Sym), 0);
	Elf64_Sym symbol;

	for (unsigned i = 0; i < 3; i++) {
		if (loader->known[i] == number + 1) {
			*value = loader->cxx + i * sizeof(struct cxx_class);
			return true;
		}
	}
	if (!at)
		return false;
	memcpy(&symbol, at, sizeof symbol);
	*value = symbol.st_value;
	if (symbol.st_shndx != SHN_UNDEF)
		return true;
	for (unsigned i = 0; symbol.st_name < loader->dynamic.texts_size && i < 3; i++) {
		if (has_text(loader->image, loader->dynamic.texts + symbol.st_name, cxx_table[i])) {
			loader->known[i] = number + 1;
			*value = loader->cxx + i * sizeof(struct cxx_class);
			return true;
		}
	}
	return false;
}

static int relocate(struct loader *loader, struct err *err)
{
	const struct dynamic *dynamic = &loader->dynamic;
	const uint8_t *at;

	if (!dynamic->rela || !dynamic->rela_size)
		return 0;
	at = image_at(loader->image, dynamic->rela, dynamic->rela_size, 0);
	if (!at)
		return refuse(loader->file, err, loader->image->dynamic, "its relocations lie outside the file");
	for (uint64_t i = 0; i < dynamic->rela_size / sizeof(Elf64_Rela); i++) {
		Elf64_Rela rela;
		uint64_t value;
		memcpy(&rela, at + i * sizeof rela, sizeof rela);
		if (ELF64_R_TYPE(rela.r_info) == PROCESSOR_RELATIVE)
			put_word(loader->image, rela.r_offset, (uint64_t)rela.r_addend);
		else if (ELF64_R_TYPE(rela.r_info) == PROCESSOR_WORD &&
			 find_symbol(loader, ELF64_R_SYM(rela.r_info), &value))
			put_word(loader->image, rela.r_offset, value + (uint64_t)rela.r_addend);
	}
	return 0;
}

int image_file_parse(struct image_file *file, const void *data, size_t size, const char *name, struct err *err)
{
	struct loader loader = { .file = file };
	Elf64_Ehdr header;
	int failed;
	char *path;

	*file = (struct image_file){ .data = data, .size = size };
	file->set.image = arena_alloc(&file->set.arena, 2 * sizeof *file->set.image);
	path = arena_alloc(&file->set.arena, strlen(name) + 1);
	if (!file->set.image || !path)
		return err_set(err, ENOMEM, "cannot read %s: out of memory", name);
	file->set.image[0].path = strcpy(path, name);
	file->set.n = 1;
	file->set.capacity = 2;
	loader.image = &file->set.image[0];
	if ((failed = check_header(file, &header, err)) || (failed = read_segments(file, &header, err)) ||
	    (failed = make_cxx(&loader, err)))
		return failed;
	bound_relro(loader.image);
	read_dynamic(&loader);
	return relocate(&loader, err);
}

int image_file_open(struct image_file *file, int fd, const char *name, struct err *err)
{
	struct stat stat_;
	int failed;
	void *data;

	memset(file, 0, sizeof *file);
	if (fstat(fd, &stat_))
		return err_set(err, errno, "cannot read %s: %s", name, strerror(errno));
	if (!S_ISREG(stat_.st_mode))
		return err_set(err, ENOEXEC, "cannot read %s: it is not a regular file", name);
	if (!stat_.st_size || (uint64_t)stat_.st_size > max_file)
		return err_set(err, ENOEXEC, "cannot read %s: it is %s", name,
			       stat_.st_size ? "larger than 4 GiB" : "empty");
	/* shared: the kernel writes the breakpoints of probes in all processes into private mappings, ours included */
	data = mmap(NULL, (size_t)stat_.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED) /* some file systems have private ones only */
		data = mmap(NULL, (size_t)stat_.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return err_set(err, errno, "cannot read %s: %s", name, strerror(errno));
	if (stat_.st_size <= WHOLE)
		madvise(data, (size_t)stat_.st_size, MADV_POPULATE_READ); /* nearly all of it is read: fault it in at
									   * once */
	failed = image_file_parse(file, data, (size_t)stat_.st_size, name, err);
	file->is_mapped = true;
	return failed;
}

void image_file_close(struct image_file *file)
{
	image_set_done(&file->set);
	if (file->is_mapped)
		munmap((void *)(uintptr_t)file->data, file->size);
	memset(file, 0, sizeof *file);
}

bool image_file_offset(const struct image_file *file, uint64_t address, uint64_t *offset)
{
	for (int i = 0; i < file->n_parts; i++) {
		if (address < file->part[i].address || address - file->part[i].address >= file->part[i].size)
			continue;
		*offset = file->part[i].offset + (address - file->part[i].address);
		return true;
	}
	return false;
}

bool image_file_bias(const struct image_file *file, uint64_t map_start, uint64_t map_offset, uint64_t *bias)
{
	bool found = false;

	/*
	 * a page of the file may belong to two parts, the end of one and the begin of the next; this is the next one's
	 * mapping
	 */
	for (int i = 0; i < file->n_parts; i++) {
		uint64_t start = file->part[i].offset & ~(page_size() - 1);
		if (map_offset < start || map_offset - start >= file->part[i].size + (file->part[i].offset - start))
			continue;
		*bias = map_start - ((file->part[i].address & ~(page_size() - 1)) + (map_offset - start));
		found = true;
		if (map_offset == start)
			break;
	}
	return found;
}

void image_file_build_id(const struct image_file *file, char text[2 * IMAGE_FILE_BUILD_ID + 1])
{
	*text = 0;
	for (unsigned i = 0; i < file->build_id_size; i++)
		snprintf(text + (size_t)2 * i, 3, "%02x", file->build_id[i]);
}
