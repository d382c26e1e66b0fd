// SPDX-License-Identifier: Apache-2.0
/*
 * Finds copies of runtimes among the process's modules, and replaces the functions named in the table of runtimes by
 * the hooks of the agent's code for that runtime. Names no runtime itself.
 *
 * Called when a program is about to enter a runtime (first.c). One thread arms at a time. Another that comes meanwhile
 * only leaves a request, because it may hold the loader's lock, which arming needs.
 */
#include "capture/agent/arm.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "capture/agent/agent.h"
#include "capture/agent/code.h"
#include "capture/agent/copies.h"
#include "capture/agent/dict.h"
#include "capture/agent/module_walk.h"
#include "runtime/peek.h"

enum { MAX_KNOWN = 4096, MIN_RELRO = 4 << 10 };

/* Modules already inspected. */
static struct {
	uint64_t base, relro_end;
} known[MAX_KNOWN];
static uint32_t n_known;
static unsigned long long seen_adds, seen_subs;
static int arming, again;
static uint64_t counted; /* ticks already added to the segment's arm_ticks */

/* A permanent copy of a text; before: the former copy, NULL: none. */
static const char *keep(const char *text, const char *before)
{
	char *copy;

	if (before && !strcmp(before, text))
		return before;
	agent_lock();
	copy = arena_alloc(&agent.arena, strlen(text) + 1);
	agent_unlock();
	return copy ? strcpy(copy, text) : "";
}

static bool is_wanted(const struct runtime_family *family)
{
	return !family->is_operator || hot->level >= LEVEL_OPERATOR;
}

/* Replaces the family's slot in the tables of its classes. Returns the number of slots. */
static uint32_t patch_family(struct copy *copy, struct rtti *rtti, unsigned number, void *with)
{
	const struct runtime_family *family = &copy->found.runtime->family[number];
	struct rtti_vtable *vtable;
	size_t n = rtti_derived(rtti, family->only ? family->only : family->class_name, &vtable);
	uint32_t n_patched = 0;
	int slot = copy->found.slot[number];

	agent_lock();
	for (size_t i = 0; i < n; i++) {
		uint64_t at = vtable[i].slots + 8 * (uint64_t)slot;
		if (!image_has(rtti->image, image_word(rtti->image, at), IMAGE_X))
			continue;
		if (!hook_word(at, with))
			continue;
		n_patched++;
		if (!copy->original[number])
			copy->original[number] = hook_original(at);
		copy->check_at = at;
		copy->check_value = with;
	}
	agent_unlock();
	return n_patched;
}

static void describe(char *to, size_t size, const char *what, uint32_t n)
{
	char text[96], digits[16];
	int at = 0;
	size_t used = strlen(to), len;

	do
		digits[at++] = (char)('0' + n % 10);
	while (n /= 10);
	len = 0;
	while (at)
		text[len++] = digits[--at];
	text[len++] = ' ';
	strcpy(text + len, what);
	len += strlen(what);
	if (used + len + 3 > size)
		return;
	if (used) {
		strcpy(to + used, ", ");
		used += 2;
	}
	strcpy(to + used, text);
}

static void count_time(void)
{
	uint64_t now = agent_now();

	agent.segment->arm_ticks += now - counted;
	counted = now;
}

static void tell(const struct copy *copy)
{
	char program[512];
	ssize_t len = *copy->image.path ? -1 : readlink("/proc/self/exe", program, sizeof program - 1);

	program[len < 0 ? 0 : len] = 0;
	count_time(); /* the recorder reads it with the entry */
	dict_runtime(&(struct dict_copy){ .runtime = copy->found.runtime->name,
					  .path = len > 0 ? program : copy->image.path,
					  .version = copy->found.version,
					  .armed = copy->armed,
					  .left_out = copy->found.left_out });
	__atomic_store_n(&agent.segment->state, SEGMENT_ARMED, __ATOMIC_RELEASE);
}

void arm_tell_again(void)
{
	arming = again = 0; /* the thread that was arming has stayed in the parent */
	counted = agent_now();
	for (uint32_t i = 0; i < n_copies; i++)
		if (!copies[i].is_gone)
			tell(&copies[i]);
}

static bool is_image(const struct image *image, const struct image *other)
{
	return image->base == other->base && image->relro_end == other->relro_end && !strcmp(image->path, other->path);
}

/* A copy that was armed before, is not now, and is unchanged; else NULL. */
static struct copy *copy_again(const struct image *image)
{
	for (uint32_t i = 0; i < n_copies; i++)
		if (!copies[i].is_gone && is_image(&copies[i].image, image))
			return &copies[i];
	return NULL;
}

/* The copy of the runtime that libraries belong to: one with a table of C functions. The last such copy wins. */
static const struct runtime_found *find_host(const struct runtime *runtime)
{
	const struct runtime_found *host = NULL;

	for (uint32_t i = 0; i < n_copies; i++)
		if (!copies[i].is_gone && copies[i].found.runtime == runtime && copies[i].found.api)
			host = &copies[i].found;
	return host;
}

/* A new entry for a copy; NULL: there are too many. */
static struct copy *new_copy(const struct image *image, const struct runtime *runtime, struct rtti *rtti)
{
	const struct agent_code *code = agent_code_of(runtime);
	const struct runtime_found *host = find_host(runtime);
	struct copy *copy = NULL;

	for (uint32_t i = 0; i < n_copies && !copy; i++)
		if (copies[i].is_gone)
			copy = &copies[i];
	if (!copy && n_copies < MAX_COPIES)
		copy = &copies[n_copies];
	if (!copy)
		return NULL;
	if (copy->is_gone) {
		agent_lock();
		hooks_out(&copy->image);
		agent_unlock();
	}
	memset(copy, 0, sizeof *copy);
	copy->number = (uint32_t)(copy - copies);
	copy->image = *image;
	copy->image.path = keep(image->path, NULL);
	runtimes_find(&copy->found, runtime, rtti, host);
	copy->found.image = &copy->image;
	copy->found.version = keep(copy->found.version, NULL);
	if (code->found)
		code->found(copy, rtti);
	if (copy->number == n_copies)
		n_copies++;
	copy->armed = "";
	return copy;
}

static void arm_families(struct copy *copy, struct rtti *rtti, char *armed, size_t size)
{
	const struct runtime *runtime = copy->found.runtime;
	const struct agent_code *code = agent_code_of(runtime);

	for (unsigned i = 0; i < runtime->n_families; i++) {
		void *with = copy->found.slot[i] < 0 || !is_wanted(&runtime->family[i]) ? NULL : code->hook(runtime, i);
		uint32_t n = with ? patch_family(copy, rtti, i, with) : 0;
		if (with && runtime->family[i].counted)
			describe(armed, size, runtime->family[i].counted, n);
	}
}

static void arm_module(const struct image *image, const struct runtime *runtime, struct rtti *rtti)
{
	struct copy *copy = copy_again(image);
	char armed[256] = "";

	if (!copy && !(copy = new_copy(image, runtime, rtti)))
		return;
	copy->is_armed = true;
	if (!hook_open(&copy->image)) {
		strcpy(copy->found.left_out, "everything (its tables cannot be written)");
		tell(copy);
		return;
	}
	hot->is_changing = agent.late_since != 0;
	arm_families(copy, rtti, armed, sizeof armed);
	hook_close(&copy->image);
	if (agent_code_of(runtime)->arm)
		agent_code_of(runtime)->arm(copy);
	hot->is_changing = 0;
	copy->armed = keep(armed, copy->armed);
	tell(copy);
}

static bool is_known(const struct image *image)
{
	for (uint32_t i = 0; i < n_known; i++)
		if (known[i].base == image->base && known[i].relro_end == image->relro_end)
			return true;
	return false;
}

/* Drops copies whose module was unloaded; another module, or the same again, may have taken its place. */
static void forget_unloaded(const struct image_set *set)
{
	for (uint32_t i = 0; i < n_copies; i++) {
		struct copy *copy = &copies[i];
		void *word;
		if (copy->is_gone || (image_set_at(set, copy->check_at, 8, IMAGE_R) &&
				      peek_read(copy->check_at, &word, sizeof word) && word == copy->check_value))
			continue;
		copy->is_gone = true;
	}
	for (const struct agent_code *const *code = agent_codes; *code; code++)
		if ((*code)->forget_gone)
			(*code)->forget_gone();
	n_known = 0;
	for (uint32_t i = 0; i < n_copies; i++)
		if (!copies[i].is_gone && copies[i].is_armed && n_known < MAX_KNOWN) {
			known[n_known].base = copies[i].image.base;
			known[n_known++].relro_end = copies[i].image.relro_end;
		}
}

static void look_at(const struct image *image, const struct image_set *set)
{
	const struct runtime *runtime;
	struct arena arena = { 0 };
	struct rtti rtti;

	if (!rtti_scan(&rtti, image, set, &arena) && (runtime = runtimes_in(&rtti)))
		arm_module(image, runtime, &rtti);
	arena_done(&arena);
}

struct counts {
	unsigned long long adds, subs;
};

static int count(struct dl_phdr_info *info, size_t size, void *data)
{
	struct counts *counts = data;

	counts->adds = info->dlpi_adds;
	counts->subs = info->dlpi_subs;
	return 1;
}

/*
 * Keeps modules loaded, because other threads of a running program may unload them while they are read. Removes modules
 * that are gone already from the set. The handles are in the arena; NULL: out of memory.
 */
static void **pin(struct image_set *set, struct arena *arena)
{
	void **handle = arena_alloc(arena, set->n * sizeof *handle + 1);

	for (size_t i = 0; handle && i < set->n; i++) {
		struct image *image = &set->image[i];
		if (!strchr(image->path, '/')) /* the program, the vDSO: they stay */
			continue;
		handle[i] = dlopen(image->path, RTLD_LAZY | RTLD_NOLOAD);
		/* it may have been loaded anew, at another place */
		if (handle[i] && ((struct link_map *)handle[i])->l_addr != image->base) {
			dlclose(handle[i]);
			handle[i] = NULL;
		}
		if (!handle[i])
			image->n_segments = 0, image->relro_start = image->relro_end = 0;
	}
	return handle;
}

static void unpin(const struct image_set *set, void *const *handle)
{
	for (size_t i = 0; i < set->n; i++)
		if (handle[i])
			dlclose(handle[i]);
}

static struct counts count_modules(void)
{
	struct counts counts = { 0, 0 };

	module_walk_begin();
	dl_iterate_phdr(count, &counts);
	module_walk_end();
	return counts;
}

static void arm_all(void)
{
	struct counts counts = count_modules();
	struct image_set set = { 0 };
	struct arena arena = { 0 };
	void **handle = NULL;

	counted = agent_now();
	if (counts.adds == seen_adds && counts.subs == seen_subs)
		return;
	if (module_walk_images(&set))
		return;
	if (agent.late_since && !(handle = pin(&set, &arena))) {
		image_set_done(&set);
		return;
	}
	if (counts.subs != seen_subs)
		forget_unloaded(&set);
	seen_adds = counts.adds;
	seen_subs = counts.subs;
	for (size_t i = 0; i < set.n; i++) {
		const struct image *image = &set.image[i];
		if (is_known(image))
			continue;
		if (n_known < MAX_KNOWN) {
			known[n_known].base = image->base;
			known[n_known++].relro_end = image->relro_end;
		}
		if (image->relro_end - image->relro_start >= MIN_RELRO || (!image->relro_end && !image->path[0]))
			look_at(image, &set);
	}
	if (handle)
		unpin(&set, handle);
	arena_done(&arena);
	image_set_done(&set);
	count_time();
}

/* Called while the loader holds its lock, so that nothing can be unloaded. */
static int put_back(struct dl_phdr_info *info, size_t size, void *data)
{
	agent_lock();
	for (uint32_t i = n_copies; i-- > 0;)
		hooks_out(&copies[i].image);
	agent_unlock();
	return 1;
}

void arm_undo(void)
{
	int saved = errno;

	/* a child of fork has no other threads, but perhaps a lock that one of them held */
	if (agent_is_child()) {
		put_back(NULL, 0, NULL);
	} else {
		module_walk_begin();
		dl_iterate_phdr(put_back, NULL);
		module_walk_end();
	}
	for (uint32_t i = 0; i < n_copies; i++) {
		copies[i].check_value = hook_original(copies[i].check_at);
		copies[i].is_armed = false;
	}
	errno = saved;
}

void arm_check_again(void)
{
	struct image_set set = { 0 };

	if (module_walk_images(&set))
		return;
	for (uint32_t i = 0; i < n_copies; i++) {
		bool is_there = false;
		for (size_t k = 0; k < set.n; k++)
			is_there |= is_image(&copies[i].image, &set.image[k]);
		copies[i].is_gone |= !is_there;
	}
	forget_unloaded(&set);
	image_set_done(&set);
	n_known = 0;
	seen_subs = count_modules().subs;
	seen_adds = 0;
}

void arm_new_modules(void)
{
	int saved = errno;

	if (!agent_enter_process())
		return;
	__atomic_store_n(&again, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&again, __ATOMIC_ACQUIRE) && !__atomic_exchange_n(&arming, 1, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&again, 0, __ATOMIC_RELEASE);
		arm_all();
		__atomic_store_n(&arming, 0, __ATOMIC_RELEASE);
	}
	errno = saved;
}
