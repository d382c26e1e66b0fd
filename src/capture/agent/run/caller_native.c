// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/run/caller_native.h"

#include <string.h>

#include "base/processor.h"
#include "capture/agent/replace/copies.h"
#include "capture/agent/replace/module_walk.h"
#include "runtime/find/eh_rule.h"
#include "runtime/find/peek.h"

enum { RULES = 64, FRAMES = 64, MOST_LOOKS = 1024, MOST_STACK = 1 << 20, PAGE = 4096, TOP_BITS = 48 };

enum verdict { VERDICT_END, VERDICT_ON, VERDICT_CALLER };

/* What is at an address to which a call returns. */
struct known {
	uint64_t address;
	uint32_t generation;
	uint8_t verdict; /* enum verdict */
	struct eh_rule rule;
};

struct kept {
	struct known known[RULES];
	uint64_t from, to; /* memory of the stack, found to be some */
};

/* What runtimes call on the way, and that no program's line is in. */
static bool is_of_system(const char *path)
{
	static const char *const names[] = { "libc.so", "libstdc++.so", "libc++.so",	"libtbb",
					     "libgomp", "libiomp",	"libpthread.so" };
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(file, names[i], strlen(names[i])))
			return true;
	return false;
}

static bool is_interpreter(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strncmp(slash ? slash + 1 : path, "libpython", 9);
}

/* The agent itself, a runtime, also one that is linked into the program, or what they call. */
static bool is_passed_over(const struct image *image)
{
	if (image_has(image, (uint64_t)(uintptr_t)caller_native_find, IMAGE_X) || is_of_system(image->path) ||
	    runtimes_is_library(image->path))
		return true;
	for (uint32_t i = 0; i < n_copies; i++)
		if (copies[i].image.base == image->base)
			return true;
	return false;
}

static void look(struct known *known)
{
	static uint32_t n_looks, generation; /* n_looks: in this generation */
	struct image_set set = { 0 };
	struct eh_frame frames;
	struct err ignored;

	if (__atomic_exchange_n(&generation, known->generation, __ATOMIC_RELAXED) != known->generation)
		__atomic_store_n(&n_looks, 0, __ATOMIC_RELAXED);
	if (__atomic_load_n(&n_looks, __ATOMIC_RELAXED) >= MOST_LOOKS)
		return;
	__atomic_fetch_add(&n_looks, 1, __ATOMIC_RELAXED);
	if (module_walk_images(&set))
		set.n = 0;
	for (size_t i = 0; i < set.n; i++) {
		const struct image *image = &set.image[i];

		if (!image_has(image, known->address - 1, IMAGE_X))
			continue;
		if (is_interpreter(image->path)) /* whose own frames were not understood */
			known->verdict = VERDICT_END;
		else if (!is_passed_over(image))
			known->verdict = *image->path == '/' || !*image->path ? VERDICT_CALLER : VERDICT_END;
		else if (!eh_frame_open(&frames, image, image->frames, image->frames_end, &ignored) &&
			 eh_rule_find(&frames, known->address, &known->rule) && !known->rule.is_end)
			known->verdict = VERDICT_ON;
		break;
	}
	image_set_done(&set);
}

static const struct known *known_of(struct kept *kept, const struct thread *thread, uint64_t address)
{
	struct known *known = &kept->known[(address * 0x9e3779b97f4a7c15u) >> 58];

	if (__builtin_expect(known->address != address || known->generation != thread->generation, 0)) {
		*known = (struct known){ .address = address, .generation = thread->generation };
		look(known);
	}
	return known;
}

/* Whether all pages up to the one of this word are memory. */
static bool extend(struct kept *kept, uint64_t at)
{
	uint64_t word;

	while (kept->to < at + 8) {
		uint64_t next = kept->to + (PAGE - kept->to % PAGE);

		if (!peek_read(next - 8, &word, 8))
			return false;
		kept->to = next;
	}
	return true;
}

/* What was found before may be the stack of a thread that has ended, or of a coroutine. */
static bool is_memory(struct kept *kept, uint64_t at)
{
	if (__builtin_expect(at >= kept->from && at + 8 <= kept->to, 1))
		return true;
	if (at >= kept->from && at - kept->from <= MOST_STACK && extend(kept, at))
		return true;
	kept->from = kept->to = at;
	return extend(kept, at);
}

static bool load(struct kept *kept, uint64_t at, uint64_t *word)
{
	if (at % 8 || !is_memory(kept, at))
		return false;
	*word = *(const uint64_t *)(uintptr_t)at;
	return true;
}

uint64_t caller_native_find(struct thread *thread)
{
	static uint32_t place;
	struct kept *kept = place ? thread->kept[place] : NULL;
	uint64_t stack = (uint64_t)(uintptr_t)__builtin_dwarf_cfa(), top = stack;
	uint64_t pointer = *(const uint64_t *)__builtin_frame_address(0);
	uint64_t address = (uint64_t)(uintptr_t)__builtin_return_address(0);

	if (!kept && !(kept = agent_keep(thread, &place, sizeof *kept)))
		return 0;
	for (int i = 0; i < FRAMES; i++) {
		const struct known *known = known_of(kept, thread, address);
		const struct eh_rule *rule = &known->rule;
		uint64_t frame;

		if (known->verdict != VERDICT_ON)
			return known->verdict == VERDICT_CALLER ? address : 0;
		frame = (rule->is_by_frame_pointer ? pointer : stack) + (uint64_t)(int64_t)rule->cfa;
		if (frame <= stack || frame - top > MOST_STACK ||
		    !load(kept, frame + (uint64_t)(int64_t)rule->return_at, &address) ||
		    (rule->has_frame_pointer &&
		     !load(kept, frame + (uint64_t)(int64_t)rule->frame_pointer_at, &pointer)))
			return 0;
		address &= (UINT64_C(1) << TOP_BITS) - 1; /* it may be signed */
		stack = frame;
	}
	return 0;
}
