// SPDX-License-Identifier: Apache-2.0
/*
 * Finds out whether a file may contain a runtime of the table, by the marks of its row in the file's read-only data:
 * names of types, which a stripped module keeps. Reads the file and never maps it, because it may be truncated at any
 * moment. Does not check whether the runtime is supported: the row's find_sites does.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/processor.h"
#include "capture/proc/modules.h"
#include "runtime/runtimes.h"

struct modules_file {
	uint64_t device, inode, size;
	int64_t changed_s, changed_ns;
	enum modules_verdict verdict;
};

enum { MAX_HEADERS = 64, CHUNK = 1 << 18, OVERLAP = 64, SMALLEST = 1 << 18, MAX_SEEN = 1 << 16 };

enum { MAX_RUNTIMES = 16 };

/* Marks of one runtime found in the file. */
struct marks_found {
	unsigned n; /* prefixes */
	bool has_whole, has_part;
};

static bool describe(int fd, struct modules_file *file)
{
	struct stat stat_;

	if (fstat(fd, &stat_) || !S_ISREG(stat_.st_mode))
		return false;
	*file = (struct modules_file){ stat_.st_dev,	     stat_.st_ino,	    (uint64_t)stat_.st_size,
				       stat_.st_ctim.tv_sec, stat_.st_ctim.tv_nsec, MODULES_OTHER };
	return true;
}

/* The file's entry in the table, or its free place. */
static struct modules_file *find(const struct modules_seen *seen, const struct modules_file *file)
{
	size_t mask = seen->capacity - 1, i = (file->inode * 0x9e3779b97f4a7c15u >> 32) & mask;

	for (;; i = (i + 1) & mask) {
		struct modules_file *known = &seen->file[i];
		if (!known->inode ||
		    (known->inode == file->inode && known->device == file->device && known->size == file->size &&
		     known->changed_s == file->changed_s && known->changed_ns == file->changed_ns))
			return known;
	}
}

/* Without memory nothing is remembered, and files are read again. */
static void remember(struct modules_seen *seen, const struct modules_file *file)
{
	if (seen->n * 2 >= seen->capacity) {
		struct modules_seen grown = { .capacity = seen->capacity ? seen->capacity * 2 : 256 };
		bool is_full = seen->capacity >= MAX_SEEN;
		grown.file = calloc(is_full ? 256 : grown.capacity, sizeof *grown.file);
		if (!grown.file)
			return;
		for (size_t i = 0; i < seen->capacity && !is_full; i++)
			if (seen->file[i].inode)
				*find(&grown, &seen->file[i]) = seen->file[i];
		grown.n = is_full ? 0 : seen->n;
		grown.capacity = is_full ? 256 : grown.capacity;
		free(seen->file);
		*seen = grown;
	}
	*find(seen, file) = *file;
	seen->n++;
}

bool modules_is_known(const struct modules_seen *seen, int fd, enum modules_verdict *verdict)
{
	const struct modules_file *known;
	struct modules_file file;

	*verdict = MODULES_OTHER;
	if (!describe(fd, &file) || file.size < SMALLEST)
		return true;
	known = seen->capacity ? find(seen, &file) : NULL;
	if (!known || !known->inode)
		return false;
	*verdict = known->verdict;
	return true;
}

static bool is_one_of(const char *at, const char *end, const char *const rest[RUNTIME_MARKS])
{
	for (int i = 0; i < RUNTIME_MARKS && rest[i]; i++) {
		size_t size = strlen(rest[i]) + 1;
		if ((size_t)(end - at) >= size && !memcmp(at, rest[i], size))
			return true;
	}
	return false;
}

/*
 * buf begins with the last `kept` bytes of the previous chunk: marks that began in them are counted already, unless
 * they cross the border.
 */
static void look_at_bytes(const char *buf, size_t size, size_t kept, const struct runtime_marks *marks,
			  struct marks_found *found)
{
	const char *at = buf, *end = buf + size;
	size_t len = strlen(marks->prefix);
	const char *counted = kept < len ? buf : buf + kept - (len - 1);

	while ((at = memmem(at, (size_t)(end - at), marks->prefix, len))) {
		found->n += at >= counted;
		at += len;
		found->has_whole |= is_one_of(at, end, marks->whole);
		found->has_part |= is_one_of(at, end, marks->part);
	}
}

static enum modules_verdict verdict_of_one(const struct runtime *runtime, const struct marks_found *found)
{
	if (found->n < runtime->marks.fewest)
		return MODULES_OTHER;
	return found->has_whole ? MODULES_RUNTIME : found->has_part ? MODULES_LIBRARY : MODULES_OTHER;
}

static enum modules_verdict verdict_of(const struct marks_found found[MAX_RUNTIMES])
{
	enum modules_verdict verdict = MODULES_OTHER, one;

	for (int i = 0; i < MAX_RUNTIMES && runtimes[i] && verdict != MODULES_RUNTIME; i++) {
		one = verdict_of_one(runtimes[i], &found[i]);
		verdict = one ? one : verdict;
	}
	return verdict;
}

struct modules_looking {
	struct modules_seen *seen;
	struct modules_file file;
	int fd;
	struct marks_found found[MAX_RUNTIMES]; /* by index in runtimes[] */
	struct {
		uint64_t offset, size;
	} part[MAX_HEADERS];
	unsigned n_parts, at; /* parts that hold texts, and the current one */
	size_t kept;	      /* bytes of the last chunk at the beginning of buf: a name may cross the border */
	char buf[CHUNK + OVERLAP];
};

/* Finds the read-only parts of the file: one of them holds the names. */
static void find_parts(struct modules_looking *looking)
{
	Elf64_Phdr header[MAX_HEADERS];
	uint64_t file_size = looking->file.size;
	Elf64_Ehdr elf;
	size_t size;

	if (pread(looking->fd, &elf, sizeof elf, 0) != sizeof elf || memcmp(elf.e_ident, ELFMAG, SELFMAG) ||
	    elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_machine != PROCESSOR_ELF ||
	    elf.e_phentsize != sizeof *header || elf.e_phnum > MAX_HEADERS || elf.e_phoff > file_size)
		return;
	size = elf.e_phnum * sizeof *header;
	if (pread(looking->fd, header, size, (off_t)elf.e_phoff) != (ssize_t)size)
		return;
	for (unsigned i = 0; i < elf.e_phnum; i++) {
		if (header[i].p_type != PT_LOAD || (header[i].p_flags & PF_W) || header[i].p_offset >= file_size ||
		    header[i].p_filesz > file_size - header[i].p_offset)
			continue;
		looking->part[looking->n_parts].offset = header[i].p_offset;
		looking->part[looking->n_parts++].size = header[i].p_filesz;
	}
}

struct modules_looking *modules_look_begin(struct modules_seen *seen, int fd)
{
	struct modules_looking *looking = malloc(sizeof *looking);

	if (!looking)
		return NULL;
	looking->seen = seen;
	looking->fd = fd;
	memset(looking->found, 0, sizeof looking->found);
	looking->n_parts = looking->at = 0;
	looking->kept = 0;
	if (describe(fd, &looking->file))
		find_parts(looking);
	else
		looking->file.inode = 0;
	return looking;
}

bool modules_look_on(struct modules_looking *looking)
{
	uint64_t *offset, *left;
	ssize_t got;
	size_t all;

	if (looking->at == looking->n_parts || verdict_of(looking->found) == MODULES_RUNTIME)
		return false;
	offset = &looking->part[looking->at].offset;
	left = &looking->part[looking->at].size;
	got = pread(looking->fd, looking->buf + looking->kept, *left < CHUNK ? (size_t)*left : CHUNK, (off_t)*offset);
	if (got <= 0) {
		looking->at++;
		looking->kept = 0;
		return true;
	}
	all = looking->kept + (size_t)got;
	for (int i = 0; i < MAX_RUNTIMES && runtimes[i]; i++)
		look_at_bytes(looking->buf, all, looking->kept, &runtimes[i]->marks, &looking->found[i]);
	*offset += (uint64_t)got;
	*left -= (uint64_t)got;
	looking->kept = all < OVERLAP ? all : OVERLAP;
	memmove(looking->buf, looking->buf + all - looking->kept, looking->kept);
	return true;
}

enum modules_verdict modules_look_end(struct modules_looking *looking)
{
	enum modules_verdict verdict = verdict_of(looking->found);

	looking->file.verdict = verdict;
	if (looking->file.inode)
		remember(looking->seen, &looking->file);
	free(looking);
	return verdict;
}

enum modules_verdict modules_look(struct modules_seen *seen, int fd)
{
	struct modules_looking *looking;
	enum modules_verdict verdict;

	if (modules_is_known(seen, fd, &verdict) || !(looking = modules_look_begin(seen, fd)))
		return verdict;
	while (modules_look_on(looking))
		;
	return modules_look_end(looking);
}

void modules_seen_done(struct modules_seen *seen)
{
	free(seen->file);
	memset(seen, 0, sizeof *seen);
}
