// SPDX-License-Identifier: Apache-2.0
/*
 * Finds the calling line in Python (runtime/python). The first walk of a process reads by system calls, which fail
 * where a load would crash, and compares what it finds; only then are frames read by loads.
 */
#include "capture/agent/run/caller.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/syscalls.h"
#include "capture/agent/dict.h"
#include "capture/agent/replace/copies.h"
#include "capture/agent/replace/module_walk.h"
#include "capture/agent/run/caller_native.h"
#include "runtime/find/peek.h"
#include "runtime/python/cpython.h"
#include "runtime/runtimes.h"

enum { SITES = 16, CODES = 32, MOST_FRAMES = 200, MOST_FAILURES = 4, LOWEST = 4096 };

enum trust { TRUST_NONE, TRUST_UNTRIED, TRUST_LOADS, TRUST_BROKEN };

static struct {
	struct cpython by_loads, by_calls;
	uint64_t (*this_thread)(void);
	uint32_t trust, n_failures;
} interpreter;

/* A line that was found before. */
struct site {
	struct cpython_code code;
	uint64_t print; /* of what the code object contains */
	int32_t offset;
	uint32_t generation, text;
};

/* A code object, and whether it belongs to a runtime's package. */
struct seen_code {
	uint64_t at, file;
	int32_t first_line;
	bool is_runtimes;
};

struct kept {
	struct site site[SITES];
	struct seen_code code[CODES];
};

static bool load(void *of, uint64_t from, void *to, size_t size)
{
	if (from < LOWEST)
		return false;
	memcpy(to, (const void *)from, size);
	return true;
}

static bool peek(void *of, uint64_t from, void *to, size_t size)
{
	return peek_read(from, to, size);
}

void caller_look(const struct image *image)
{
	const struct cpython_memory loads = { load, NULL }, calls = { peek, NULL };
	struct cpython_place place;
	struct dynamic module;

	if (__atomic_load_n(&interpreter.trust, __ATOMIC_RELAXED) != TRUST_NONE || !dynamic_read(&module, image) ||
	    !cpython_find(&place, &module, 0) || !place.this_thread ||
	    (place.runtime && !image_has(image, place.runtime, IMAGE_R)))
		return;
	if (cpython_open(&interpreter.by_loads, &place, &loads))
		return;
	interpreter.by_calls = interpreter.by_loads;
	interpreter.by_calls.memory = calls;
	memcpy(&interpreter.this_thread, &place.this_thread, sizeof place.this_thread);
	__atomic_store_n(&interpreter.trust, TRUST_UNTRIED, __ATOMIC_RELEASE);
}

enum finding { FINDING_NONE, FINDING_WRONG, FINDING_RIGHT };

/*
 * Whether the structures are where they should be: this thread's own, and everything that all its frames lead to. NONE:
 * it has no frames.
 */
static enum finding compare(uint64_t at)
{
	const struct cpython *python = &interpreter.by_calls;
	enum cpython_step step;
	struct cpython_frame frame;
	struct cpython_code code;
	uint64_t pthread;
	char text[64];
	int n = 0;

	if (!cpython_word(python, at + python->layout.thread_pthread, &pthread) || pthread != (uint64_t)pthread_self())
		return FINDING_WRONG;
	for (step = cpython_first_frame(python, at, &frame); step == CPYTHON_FRAME && n < MOST_FRAMES; n++) {
		if (!cpython_read_code(python, frame.code, &code) ||
		    cpython_text(python, code.file, text, sizeof text) < 0 ||
		    cpython_text(python, code.name, text, sizeof text) < 0 ||
		    cpython_line(python, &code, frame.offset) < 0)
			return FINDING_WRONG;
		step = cpython_next_frame(python, &frame);
	}
	if (step == CPYTHON_TORN)
		return FINDING_WRONG;
	return n ? FINDING_RIGHT : FINDING_NONE;
}

static bool is_trusted(uint64_t at)
{
	uint32_t trust = __atomic_load_n(&interpreter.trust, __ATOMIC_ACQUIRE);
	enum finding finding;

	if (__builtin_expect(trust == TRUST_LOADS, 1))
		return true;
	if (trust != TRUST_UNTRIED)
		return false;
	finding = compare(at);
	if (finding == FINDING_RIGHT)
		__atomic_store_n(&interpreter.trust, TRUST_LOADS, __ATOMIC_RELEASE);
	if (finding == FINDING_RIGHT)
		return true;
	if (finding == FINDING_WRONG &&
	    __atomic_add_fetch(&interpreter.n_failures, 1, __ATOMIC_RELAXED) >= MOST_FAILURES)
		__atomic_store_n(&interpreter.trust, TRUST_BROKEN, __ATOMIC_RELEASE);
	return false;
}

/* Whether text begins with the name of a package, as a folder. */
static bool is_package(const char *text, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(text, name, len) && text[len] == '/';
}

/* Whether the folder that ends in this package's name in both is the one that the runtime's library lies in. */
static bool is_beside_library(const char *file, size_t folder)
{
	for (uint32_t i = 0; i < n_copies; i++)
		if (!strncmp(copies[i].image.path, file, folder))
			return true;
	return false;
}

static bool is_installed(const char *file, const char *at)
{
	static const char *const folders[] = { "/site-packages/", "/dist-packages/" };

	for (int i = 0; i < 2; i++) {
		size_t len = strlen(folders[i]);
		if ((size_t)(at - file) >= len && !strncmp(at - len, folders[i], len))
			return true;
	}
	return false;
}

/* As a package of site-packages, of a bundle (a path that begins with it), or beside the runtime's own library. */
static bool is_of_package(const char *file, const char *name)
{
	if (is_package(file, name))
		return true;
	for (const char *at = strchr(file, '/'); at; at = strchr(at, '/')) {
		at++;
		if (is_package(at, name) &&
		    (is_installed(file, at) || is_beside_library(file, (size_t)(at - file) + strlen(name) + 1)))
			return true;
	}
	return false;
}

static bool is_of_a_runtime(const char *file)
{
	/* what starts modules, and imports them */
	if (!strncmp(file, "<frozen ", 8))
		return true;
	for (const struct runtime *const *runtime = runtimes; *runtime; runtime++)
		for (const char *const *name = (*runtime)->packages; name && *name; name++)
			if (is_of_package(file, *name))
				return true;
	return false;
}

static unsigned place_of(uint64_t code, int32_t offset)
{
	return (unsigned)(((code >> 4) + (uint64_t)(uint32_t)offset * 0x9e3779b1u) * 0x9e3779b97f4a7c15u >> 40);
}

static bool is_runtimes(struct kept *kept, const struct cpython_code *code)
{
	struct seen_code *seen = &kept->code[place_of(code->at, 0) % CODES];
	char file[SEGMENT_MAX_TEXT];

	if (__builtin_expect(seen->at == code->at && seen->file == code->file && seen->first_line == code->first_line,
			     1))
		return seen->is_runtimes;
	if (cpython_text(&interpreter.by_loads, code->file, file, sizeof file) < 0)
		return false;
	*seen = (struct seen_code){ code->at, code->file, code->first_line, is_of_a_runtime(file) };
	return seen->is_runtimes;
}

static uint64_t stir(uint64_t print, uint64_t word)
{
	print = (print ^ word) * 0x9e3779b97f4a7c15u;
	return print ^ print >> 32;
}

/* Mixes bytes of memory; all of them where there are few. Four words at a time: a multiplication waits for the last. */
static uint64_t mix(uint64_t print, uint64_t from, uint64_t size)
{
	enum { MOST = 128, LANES = 4 };
	uint64_t word[LANES], lane[LANES] = { print, size, 2, 3 };

	if (size > MOST)
		size = MOST;
	for (; size >= sizeof word; size -= sizeof word, from += sizeof word) {
		memcpy(word, (const void *)from, sizeof word);
		for (int i = 0; i < LANES; i++)
			lane[i] = stir(lane[i], word[i]);
	}
	for (; size >= 8; size -= 8, from += 8) {
		memcpy(word, (const void *)from, 8);
		lane[0] = stir(lane[0], word[0]);
	}
	for (word[0] = 0; size; size--)
		word[0] = word[0] << 8 | *(const uint8_t *)from++;
	return stir(lane[0], lane[1]) ^ stir(lane[2] ^ word[0], lane[3]);
}

/*
 * A function that a program makes, calls and drops again and again has the same addresses each time, of its texts, too:
 * contents tell one from the next. Texts have their length and their hash behind their head, tables their length.
 */
static uint64_t print_of(const struct cpython_code *code)
{
	enum { HASHED = 16, BYTES_HEAD = 16 };
	const uint64_t head = interpreter.by_loads.layout.object_size;
	uint64_t n, name[2], file[2];

	memcpy(&n, (const void *)(code->lines + head), 8);
	memcpy(name, (const void *)(code->name + head), HASHED);
	memcpy(file, (const void *)(code->file + head), HASHED);
	return mix(stir(name[0] ^ file[0], name[1]) + file[1], code->lines + head + BYTES_HEAD, n);
}

static uint32_t tell(const struct cpython_code *code, int32_t offset)
{
	const struct cpython *python = &interpreter.by_loads;
	enum { NAME = 512, LINE = 16 };
	char text[SEGMENT_MAX_TEXT];
	int len = cpython_text(python, code->name, text, NAME), line, file;

	if (len < 0)
		return 0;
	memcpy(text + len, " (", 2);
	len += 2;
	file = cpython_text(python, code->file, text + len, sizeof text - (size_t)len - LINE);
	line = cpython_line(python, code, offset);
	if (file < 0 || line < 0)
		return 0;
	len += file;
	len += snprintf(text + len, LINE, line ? ":%d)" : ")", line);
	return dict_caller(text, (size_t)len);
}

static uint32_t site_of(struct kept *kept, const struct thread *thread, const struct cpython_frame *frame,
			const struct cpython_code *code)
{
	struct site *site = &kept->site[place_of(code->at, frame->offset) % SITES];
	uint64_t print = print_of(code);

	if (__builtin_expect(site->print == print && site->offset == frame->offset &&
				 site->generation == thread->generation && site->code.at == code->at &&
				 site->code.file == code->file && site->code.name == code->name &&
				 site->code.lines == code->lines && site->code.first_line == code->first_line,
			     1))
		return site->text;
	*site = (struct site){ .code = *code, .print = print, .offset = frame->offset };
	site->text = tell(code, frame->offset);
	site->generation = site->text ? thread->generation : 0;
	return site->text;
}

static struct kept *kept_of(struct thread *thread)
{
	static uint32_t place;
	struct kept *kept = place ? thread->kept[place] : NULL;

	return kept ? kept : agent_keep(thread, &place, sizeof *kept);
}

/* *n: frames that were looked at. */
static uint32_t of_python(struct thread *thread, uint64_t at, int *n)
{
	const struct cpython *python = &interpreter.by_loads;
	struct kept *kept = kept_of(thread);
	enum cpython_step step;
	struct cpython_frame frame;
	struct cpython_code code;

	if (!kept)
		return 0;
	for (step = cpython_first_frame(python, at, &frame); step == CPYTHON_FRAME && *n < MOST_FRAMES; ++*n) {
		if (!cpython_read_code(python, frame.code, &code))
			return 0;
		if (!is_runtimes(kept, &code))
			return site_of(kept, thread, &frame, &code);
		step = cpython_next_frame(python, &frame);
	}
	return 0;
}

static uint32_t tell_address(const struct image_set *set, uint64_t address)
{
	char text[SEGMENT_MAX_TEXT], exe[1024];

	for (size_t i = 0; i < set->n; i++) {
		const struct image *image = &set->image[i];
		const char *path = image->path;
		ssize_t len;
		if (!image_has(image, address, IMAGE_X))
			continue;
		if (!*path) {
			len = call_readlink("/proc/self/exe", exe, sizeof exe - 1);
			exe[len > 0 ? len : 0] = 0;
			path = exe;
		}
		if (*path != '/' || runtimes_is_library(path))
			return 0;
		len = snprintf(text, sizeof text, "%s+0x%llx", path, (unsigned long long)(address - image->base));
		return (size_t)len < sizeof text ? dict_caller(text, (size_t)len) : 0;
	}
	return 0;
}

/* The module is looked up once for each address and thread; code that is made while the program runs has none. */
static uint32_t of_address(struct thread *thread, uint64_t address)
{
	enum { MOST_UNKNOWN = 256, BY_ADDRESS = -1000 };
	static uint32_t n_unknown, generation; /* n_unknown: in this generation */
	struct kept *kept = kept_of(thread);
	struct site *site = kept ? &kept->site[place_of(address, BY_ADDRESS) % SITES] : NULL;
	struct image_set set = { 0 };

	if (!site)
		return 0;
	if (__builtin_expect(
		site->code.at == address && site->offset == BY_ADDRESS && site->generation == thread->generation, 1))
		return site->text;
	if (__atomic_exchange_n(&generation, thread->generation, __ATOMIC_RELAXED) != thread->generation)
		__atomic_store_n(&n_unknown, 0, __ATOMIC_RELAXED);
	if (__atomic_load_n(&n_unknown, __ATOMIC_RELAXED) >= MOST_UNKNOWN)
		return 0;
	*site = (struct site){ .code.at = address, .offset = BY_ADDRESS, .generation = thread->generation };
	if (!module_walk_images(&set))
		site->text = tell_address(&set, address);
	image_set_done(&set);
	if (!site->text)
		__atomic_fetch_add(&n_unknown, 1, __ATOMIC_RELAXED);
	return site->text;
}

uint32_t caller_of(struct thread *thread)
{
	uint64_t from = thread->called_from, at = 0;
	bool is_known = true; /* that no line of Python asked for it */
	uint32_t caller = 0;
	int saved, n = 0;

	if (__atomic_load_n(&interpreter.trust, __ATOMIC_RELAXED) != TRUST_NONE)
		at = interpreter.this_thread();
	saved = errno;
	thread->called_from = 0;
	if (at && (is_known = is_trusted(at)))
		caller = of_python(thread, at, &n);
	/* a call from Python comes by the runtime's binding */
	if (!caller && !n && !from && is_known)
		from = caller_native_find(thread);
	if (!caller && !n && from)
		caller = of_address(thread, from);
	errno = saved;
	return caller;
}

uint64_t caller_frame(uint64_t code, int32_t *offset)
{
	struct cpython_frame frame;
	enum cpython_step step;
	uint64_t at;

	if (__atomic_load_n(&interpreter.trust, __ATOMIC_ACQUIRE) != TRUST_LOADS || !(at = interpreter.this_thread()))
		return 0;
	step = cpython_first_frame(&interpreter.by_loads, at, &frame);
	for (int n = 0; step == CPYTHON_FRAME && n < 2; n++) {
		*offset = frame.offset;
		if (frame.code == code)
			return frame.at;
		step = cpython_next_frame(&interpreter.by_loads, &frame);
	}
	return 0;
}
