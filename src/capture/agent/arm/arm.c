// SPDX-License-Identifier: Apache-2.0
/*
 * Finds copies of runtimes among the process's modules, and replaces the functions named in the table of runtimes by
 * the hooks of the agent's code for that runtime. Names no runtime itself.
 *
 * Called when a program is about to enter a runtime (first.c). One thread arms at a time. Another that comes meanwhile
 * only leaves a request, because it may hold the loader's lock, which arming needs.
 */
#include "capture/agent/arm/arm.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "base/syscalls.h"
#include "capture/agent/agent.h"
#include "capture/agent/arm/code.h"
#include "capture/agent/dict.h"
#include "capture/agent/exec/sandbox.h"
#include "capture/agent/glibc.h"
#include "capture/agent/guard.h"
#include "capture/agent/heap.h"
#include "capture/agent/replace/copies.h"
#include "capture/agent/replace/module_walk.h"
#include "capture/agent/run/caller.h"
#include "capture/agent/usage.h"
#include "runtime/find/peek.h"
#include "runtime/other_runtimes.h"

enum { MAX_KNOWN = 4096, MIN_RELRO = 4 << 10 };

/* Modules already inspected. */
static struct known {
	uint64_t base, relro_end, path; /* path: its hash */
} known[MAX_KNOWN];
static uint32_t n_known;
static unsigned long long seen_adds, seen_subs;
static int arming, again;
static uint64_t counted; /* ticks already added to the segment's arm_ticks */

static uint64_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

/* A permanent copy of a text: a module that is loaded again and again has the same ones. */
static const char *keep(const char *text)
{
	static struct map kept;
	uint64_t hash = hash_of(text) | 1;
	char *copy = map_get(&kept, hash);

	if (copy && !strcmp(copy, text))
		return copy;
	agent_lock();
	copy = arena_alloc(&agent.arena, strlen(text) + 1);
	if (copy) {
		strcpy(copy, text);
		map_put(&kept, hash, copy);
	}
	agent_unlock();
	return copy ? copy : "";
}

static bool is_wanted(const struct runtime_family *family)
{
	if (family->is_detail && hot->level != LEVEL_DETAIL)
		return false;
	return !family->is_operator || hot->level >= LEVEL_OPERATOR;
}

/* Replaces the family's slot in the tables of its classes. Returns the number of slots. */
static uint32_t patch_family(struct copy *copy, struct rtti *rtti, unsigned number, void *with)
{
	const struct runtime_family *family = &copy->found.runtime->family[number];
	struct rtti_vtable *vtable, own;
	size_t n = rtti_derived(rtti, family->only ? family->only : family->class_name, &vtable);
	uint32_t n_patched = 0;
	int slot = copy->found.slot[number];

	/* its first functions are another module's */
	if (!n && family->only && (own.slots = rtti_table(rtti, family->only))) {
		vtable = &own;
		n = 1;
	}
	agent_lock();
	for (size_t i = 0; i < n; i++) {
		uint64_t at = vtable[i].slots + 8 * (uint64_t)slot;
		uint64_t function = image_word(rtti->image, at);
		if (!image_has(rtti->image, function, IMAGE_X) && !(family->is_inherited && function))
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

/* Of the program too, which has none in its image. */
static const char *path_of(const struct image *image, char *program, size_t size)
{
	ssize_t len = *image->path ? -1 : call_readlink("/proc/thread-self/exe", program, size - 1);

	program[len < 0 ? 0 : len] = 0;
	return len > 0 ? program : image->path;
}

static void tell(const struct copy *copy)
{
	char program[512];

	usage_measure();
	heap_start();
	if (copy->found.is_part && !copy->found.left_out[0]) {
		__atomic_store_n(&agent.segment->state, SEGMENT_ARMED, __ATOMIC_RELEASE);
		return;
	}
	count_time(); /* the recorder reads it with the entry */
	dict_runtime(&(struct dict_copy){ .runtime = copy->found.runtime->name,
					  .path = path_of(&copy->image, program, sizeof program),
					  .version = copy->found.version,
					  .armed = copy->armed,
					  .left_out = copy->found.left_out,
					  .since = copy->since });
	__atomic_store_n(&agent.segment->state, SEGMENT_ARMED, __ATOMIC_RELEASE);
}

void arm_tell_again(void)
{
	arming = again = 0; /* the thread that was arming has stayed in the parent */
	counted = agent_now();
	for (uint32_t i = 0; i < n_copies; i++) {
		copies[i].since = 0; /* they were there when this process began */
		if (!copies[i].is_gone)
			tell(&copies[i]);
	}
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
		if (copy->is_unloaded)
			hooks_forget(&copy->image);
		hooks_out(&copy->image);
		agent_unlock();
	}
	memset(copy, 0, sizeof *copy);
	copy->number = (uint32_t)(copy - copies);
	copy->image = *image;
	copy->image.path = keep(image->path);
	runtimes_find(&copy->found, runtime, rtti, host);
	copy->found.image = &copy->image;
	copy->found.version = keep(copy->found.version);
	if (code->found)
		code->found(copy, rtti);
	if (copy->number == n_copies)
		n_copies++;
	copy->armed = "";
	return copy;
}

static void arm_families(struct copy *copy, struct rtti *rtti, const struct image_set *set, char *armed, size_t size)
{
	const struct runtime *runtime = copy->found.runtime;
	const struct agent_code *code = agent_code_of(runtime);

	for (unsigned i = 0; code->hook && i < runtime->n_families; i++) {
		void *with = copy->found.slot[i] < 0 || !is_wanted(&runtime->family[i]) ? NULL : code->hook(runtime, i);
		uint32_t n = with ? patch_family(copy, rtti, i, with) : 0;
		if (with && runtime->family[i].counted)
			describe(armed, size, runtime->family[i].counted, n);
	}
	if (code->replace) {
		uint32_t n = code->replace(copy, set);
		if (n)
			describe(armed, size, code->counted, n);
	}
}

static void arm_module(const struct image *image, const struct image_set *set, const struct runtime *runtime,
		       struct rtti *rtti, bool is_linked_in)
{
	struct copy *copy = copy_again(image);
	char armed[256] = "";

	if (!copy && !(copy = new_copy(image, runtime, rtti)))
		return;
	copy->is_linked_in = is_linked_in;
	copy->found.is_part &= !is_linked_in;
	copy->is_armed = true;
	if (!hook_open(&copy->image)) {
		strcpy(copy->found.left_out, "everything (its tables cannot be written)");
		tell(copy);
		return;
	}
	hot->is_changing = agent.late_since ? CHANGE_IN : CHANGE_NONE;
	arm_families(copy, rtti, set, armed, sizeof armed);
	hook_close(&copy->image);
	copy->is_half_armed = agent_code_of(runtime)->arm && !agent.late_since;
	if (agent_code_of(runtime)->arm && agent.late_since)
		agent_code_of(runtime)->arm(copy);
	copy->since = agent.late_since ? agent_now() : 0;
	copy->armed = keep(armed);
	tell(copy);
}

static bool is_the_same(const struct known *module, const struct image *image)
{
	return module->base == image->base && module->relro_end == image->relro_end &&
	       module->path == hash_of(image->path);
}

static bool is_known(const struct image *image)
{
	for (uint32_t i = 0; i < n_known; i++)
		if (known[i].base == image->base && is_the_same(&known[i], image))
			return true;
	return false;
}

/* Whether a module that was inspected is still there, and not as a new copy of a runtime. */
static bool stays_known(const struct known *module, const struct image_set *set)
{
	for (uint32_t i = 0; i < n_copies; i++)
		if (copies[i].image.base == module->base && (copies[i].is_gone || !copies[i].is_armed))
			return false;
	for (size_t i = 0; i < set->n; i++)
		if (is_the_same(module, &set->image[i]))
			return true;
	return false;
}

static bool has_image(const struct image_set *set, const struct image *image)
{
	for (size_t i = 0; i < set->n; i++)
		if (is_image(image, &set->image[i]))
			return true;
	return false;
}

/* Drops copies whose module was unloaded; another module, or the same again, may have taken its place. */
static void forget_unloaded(const struct image_set *set)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < n_copies; i++) {
		struct copy *copy = &copies[i];
		void *word;
		copy->is_unloaded = !has_image(set, &copy->image);
		if (!copy->check_at && !copy->is_unloaded) /* nothing of it was replaced */
			continue;
		if (copy->is_gone || (image_set_at(set, copy->check_at, 8, IMAGE_R) &&
				      peek_read(copy->check_at, &word, sizeof word) && word == copy->check_value))
			continue;
		copy->is_gone = true;
	}
	for (const struct agent_code *const *code = agent_codes; *code; code++)
		if ((*code)->forget_gone)
			(*code)->forget_gone();
	for (uint32_t i = 0; i < n_known; i++)
		if (stays_known(&known[i], set))
			known[left++] = known[i];
	n_known = left;
}

/* The runtime that the module contains by what its code knows; NULL: none. */
static const struct runtime *linked_in(const struct rtti *rtti)
{
	for (const struct agent_code *const *code = agent_codes; *code; code++)
		if ((*code)->is_linked_in && (*code)->is_linked_in(rtti))
			return (*code)->runtime;
	return NULL;
}

static void look_at(const struct image *image, const struct image_set *set)
{
	char program[512];
	const struct runtime *runtime;
	struct arena arena = { 0 };
	const char *other;
	struct rtti rtti;

	if (!rtti_scan(&rtti, image, set, &arena)) {
		if ((runtime = runtimes_in(&rtti)))
			arm_module(image, set, runtime, &rtti, false);
		else if ((runtime = linked_in(&rtti)))
			arm_module(image, set, runtime, &rtti, true);
		else if ((other = other_runtimes_in(&rtti)))
			dict_other(path_of(image, program, sizeof program), other);
	}
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

static struct counts count_modules(void)
{
	struct counts counts = { 0, 0 };

	module_walk_begin();
	dl_iterate_phdr(count, &counts);
	module_walk_end();
	return counts;
}

static void know(const struct image *image)
{
	if (n_known < MAX_KNOWN)
		known[n_known++] = (struct known){ image->base, image->relro_end, hash_of(image->path) };
}

static bool is_candidate(const struct image *image)
{
	return image->relro_end - image->relro_start >= MIN_RELRO || (!image->relro_end && !image->path[0]) ||
	       runtimes_by_symbols(image);
}

/* After injection: modules by which the program may confine itself. A permanent copy of each, used again. */
static struct watched {
	struct image image;
	struct watched *next;
} *watched;

static void watch(const struct image *image)
{
	struct watched *at = watched;

	if (!hook_has_import(image, "prctl") && !hook_has_import(image, "syscall"))
		return;
	while (at && !is_image(&at->image, image))
		at = at->next;
	if (!at) {
		agent_lock();
		at = arena_alloc(&agent.arena, sizeof *at);
		agent_unlock();
		if (!at)
			return;
		at->image = *image;
		at->image.path = keep(image->path);
		at->next = watched;
		watched = at;
	}
	sandbox_watch(&at->image);
}

/* The modules at one moment, and the first that was not inspected. */
struct look {
	struct image_set set;
	size_t next;
	bool is_done;
};

/* Lists the modules, unless they are still those that were listed. Under the loader's lock. False: out of memory. */
static bool list_modules(struct look *look, const struct dl_phdr_info *info)
{
	if (look->set.n && info->dlpi_adds == seen_adds && info->dlpi_subs == seen_subs)
		return true;
	if (image_set_self(&look->set))
		return false;
	look->next = 0;
	if (info->dlpi_subs != seen_subs)
		forget_unloaded(&look->set);
	seen_adds = info->dlpi_adds;
	seen_subs = info->dlpi_subs;
	return true;
}

/*
 * Inspects the next new module. The loader's lock is held, so that other threads cannot unload a module meanwhile. One
 * module at a time, because they wait.
 */
static int look_once(struct dl_phdr_info *info, size_t size, void *data)
{
	struct look *look = data;

	look->is_done = true;
	if (!list_modules(look, info))
		return 1;
	while (look->next < look->set.n && look->is_done) {
		const struct image *image = &look->set.image[look->next++];
		if (is_known(image))
			continue;
		if (n_known == MAX_KNOWN)
			break;
		know(image);
		if (agent.late_since)
			watch(image);
		caller_look(image);
		if (is_candidate(image)) {
			look_at(image, &look->set);
			look->is_done = false;
		}
	}
	return 1;
}

/* Keeps a copy's module loaded. NULL: it is gone already. */
static void *pin(const struct copy *copy)
{
	const char *path = copy->image.path[0] ? copy->image.path : NULL;
	void *handle = glibc.dlclose ? guard_dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;

	/* it may have been loaded anew, at another place */
	if (handle && ((struct link_map *)handle)->l_addr != copy->image.base) {
		glibc.dlclose(handle);
		return NULL;
	}
	return handle;
}

/*
 * The rest of arming, which looks names up and so must not hold the loader's lock. In an injected program it was done
 * under that lock, without look-ups: to unpin on the agent's thread might run a library's destructors there.
 */
static void arm_rest(void)
{
	for (uint32_t i = 0; i < n_copies; i++) {
		void *handle = copies[i].is_half_armed && !copies[i].is_gone ? pin(&copies[i]) : NULL;
		if (handle) {
			agent_learn(handle);
			agent_code_of(copies[i].found.runtime)->arm(&copies[i]);
			glibc.dlclose(handle);
		}
		copies[i].is_half_armed = false;
	}
}

static void arm_all(void)
{
	struct counts counts = count_modules();
	struct look look = { .is_done = false };

	counted = agent_now();
	if (counts.adds == seen_adds && counts.subs == seen_subs)
		return;
	for (const struct agent_code *const *code = agent_codes; *code; code++)
		if ((*code)->prepare)
			(*code)->prepare();
	while (!look.is_done) {
		module_walk_begin();
		dl_iterate_phdr(look_once, &look);
		module_walk_end();
	}
	image_set_done(&look.set);
	/* only now: operators of one module may be part of another's runs, as those of a provider's library are */
	if (hot->is_changing == CHANGE_IN)
		hot->is_changing = CHANGE_NONE;
	arm_rest();
	count_time();
}

/* Called while the loader holds its lock, so that nothing can be unloaded. */
static int put_back(struct dl_phdr_info *info, size_t size, void *data)
{
	agent_lock();
	for (uint32_t i = n_copies; i-- > 0;)
		hooks_out(&copies[i].image);
	for (const struct watched *at = watched; at; at = at->next)
		hooks_out(&at->image);
	agent_unlock();
	return 1;
}

void arm_undo(void)
{
	int saved = errno;

	/* a child of fork has no other threads, but perhaps a lock that one of them held */
	if (agent_is_child()) {
		arming = again = 0;
		put_back(NULL, 0, NULL);
	} else {
		module_walk_begin();
		dl_iterate_phdr(put_back, NULL);
		module_walk_end();
	}
	for (uint32_t i = 0; i < n_copies; i++) {
		if (copies[i].is_armed && !copies[i].is_gone && agent_code_of(copies[i].found.runtime)->disarm)
			agent_code_of(copies[i].found.runtime)->disarm(&copies[i]);
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
	for (uint32_t i = 0; i < n_copies; i++)
		copies[i].is_gone |= !has_image(&set, &copies[i].image);
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
