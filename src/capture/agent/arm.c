// SPDX-License-Identifier: Apache-2.0
/*
 * Finding copies of the runtime among the process's modules, and replacing their functions.
 *
 * Called when a program is about to enter a runtime (first.c). One thread arms at a time; another that
 * comes meanwhile only leaves word, because it may hold the loader's lock, which arming needs.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "capture/agent/ort.h"
#include "runtime/ort_node.h"

enum { MAX_KNOWN = 4096, MIN_RELRO = 4 << 10 };

struct runtime runtimes[MAX_RUNTIMES];
uint32_t n_runtimes;

/* Modules that were looked at. */
static struct {
	uint64_t base, relro_end;
} known[MAX_KNOWN];
static uint32_t n_known;
static unsigned long long seen_adds, seen_subs;
static int arming, again;
static uint64_t counted; /* the segment's arm_ticks go up to here */

struct runtime *runtime_of(uintptr_t object)
{
	uintptr_t vptr = *(uintptr_t *)object;

	for (uint32_t i = 0; i < n_runtimes; i++) {
		const struct image *image = &runtimes[i].image;
		if (!runtimes[i].is_gone && (vptr - image->relro_start < image->relro_end - image->relro_start ||
					     image_has(image, vptr, IMAGE_R)))
			return &runtimes[i];
	}
	/* a hook was called all the same: the module is still there, and the hook needs the original */
	for (uint32_t i = 0; i < n_runtimes; i++)
		if (image_has(&runtimes[i].image, vptr, IMAGE_R))
			return &runtimes[i];
	return NULL;
}

/* A copy that stays; before: the copy of an earlier time, NULL: none. */
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

/* Families that only matter when operators are recorded. */
static bool is_wanted(enum ort_family family)
{
	if (family == ORT_COMPUTE || family == ORT_KERNEL_DELETE || family == ORT_PREPACK)
		return hot->level >= LEVEL_OPERATOR;
	return true;
}

/*
 * In a program that runs, calls are made while words are replaced one by one: ends go in before begins, so that what
 * is seen to begin is seen to end. Disarming goes the other way.
 */
static const uint8_t arm_order[N_ORT_FAMILIES] = {
	ORT_SESSION_DELETE,   ORT_KERNEL_DELETE,
	ORT_RUN_END,	      ORT_EVALUATION_STOP,
	ORT_SESSION_READY,    ORT_CREATION_END,
	ORT_LOAD_END,	      ORT_RUNTIME_ERROR,
	ORT_CREATION,	      ORT_PREPACK,
	ORT_GET_CAPABILITY,   ORT_COMPILE,
	ORT_TRANSFORM,	      ORT_PREDEFINED_TRANSFORMERS,
	ORT_LOAD_START,	      ORT_CREATION_START,
	ORT_COMPUTE,	      ORT_RUN_START,
	ORT_EVALUATION_START,
};

static uint32_t patch_family(struct runtime *runtime, struct rtti *rtti, enum ort_family family)
{
	const char *base = family == ORT_RUN_START || family == ORT_RUN_END ? "N11onnxruntime20CPUExecutionProviderE"
									    : ort_class(family);
	struct rtti_vtable *vtable;
	size_t n = rtti_derived(rtti, base, &vtable);
	uint32_t n_patched = 0;
	int slot = runtime->ort.slot[family];

	agent_lock();
	for (size_t i = 0; i < n; i++) {
		uint64_t at = vtable[i].slots + 8 * (uint64_t)slot;
		if (!image_has(rtti->image, image_word(rtti->image, at), IMAGE_X))
			continue;
		if (!hook_word(at, arm_hook(family)))
			continue;
		n_patched++;
		runtime->check_at = at;
		runtime->check_value = arm_hook(family);
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

static void tell(const struct runtime *runtime)
{
	char program[512];
	ssize_t len = *runtime->image.path ? -1 : readlink("/proc/self/exe", program, sizeof program - 1);

	program[len < 0 ? 0 : len] = 0;
	count_time(); /* whoever reads the entry wants to know it */
	dict_runtime(len > 0 ? program : runtime->image.path, runtime->ort.version, runtime->armed,
		     runtime->ort.left_out);
	__atomic_store_n(&agent.segment->state, SEGMENT_ARMED, __ATOMIC_RELEASE);
}

void arm_tell_again(void)
{
	arming = again = 0; /* whoever was at it has stayed in the parent */
	counted = agent_now();
	for (uint32_t i = 0; i < n_runtimes; i++)
		if (!runtimes[i].is_gone)
			tell(&runtimes[i]);
}

static bool is_image(const struct image *image, const struct image *other)
{
	return image->base == other->base && image->relro_end == other->relro_end && !strcmp(image->path, other->path);
}

/* A copy that was armed before, is not now, and is still the same; else NULL. */
static struct runtime *runtime_again(const struct image *image)
{
	for (uint32_t i = 0; i < n_runtimes; i++)
		if (!runtimes[i].is_gone && is_image(&runtimes[i].image, image))
			return &runtimes[i];
	return NULL;
}

/* A place for a new copy, with what is known of it; NULL: there are too many. */
static struct runtime *new_runtime(const struct image *image, struct rtti *rtti)
{
	struct runtime *runtime = NULL, *host = NULL;
	struct rtti_vtable *vtable;
	bool is_library;
	size_t n;

	for (uint32_t i = 0; i < n_runtimes; i++) {
		if (runtimes[i].is_gone && !runtime)
			runtime = &runtimes[i];
		if (!runtimes[i].is_gone && runtimes[i].ort.api)
			host = &runtimes[i];
	}
	if (!runtime && n_runtimes < MAX_RUNTIMES)
		runtime = &runtimes[n_runtimes];
	if (!runtime)
		return NULL;
	if (runtime->is_gone) {
		agent_lock();
		hooks_out(&runtime->image);
		agent_unlock();
	}
	memset(runtime, 0, sizeof *runtime);
	runtime->number = (uint32_t)(runtime - runtimes);
	runtime->image = *image;
	runtime->image.path = keep(image->path, NULL);
	is_library = host && !rtti_named(rtti, "N11onnxruntime20CPUExecutionProviderE");
	ort_find(&runtime->ort, rtti, is_library ? &host->ort : NULL);
	runtime->ort.image = &runtime->image;
	runtime->ort.version = keep(runtime->ort.version, NULL);
	if (rtti_derived(rtti, "N11onnxruntime20CPUExecutionProviderE", &vtable))
		runtime->cpu_vtable = vtable[0].slots;
	n = rtti_derived(rtti, "N11onnxruntime16InferenceSessionE", &vtable);
	for (size_t i = 0; i < n && i < 4; i++)
		runtime->session_vtable[i] = vtable[i].slots;
	if (runtime->number == n_runtimes)
		n_runtimes++;
	runtime->armed = "";
	return runtime;
}

static void arm_module(const struct image *image, struct rtti *rtti)
{
	struct runtime *runtime = runtime_again(image);
	char armed[256] = "";

	if (!runtime && !(runtime = new_runtime(image, rtti)))
		return;
	runtime->is_armed = true;
	if (!hook_open(&runtime->image)) {
		strcpy(runtime->ort.left_out, "everything (its tables cannot be written)");
		tell(runtime);
		return;
	}
	hot->is_changing = agent.late_since != 0;
	for (int i = 0; i < N_ORT_FAMILIES; i++) {
		enum ort_family family = (enum ort_family)arm_order[i];
		uint32_t n;
		if (runtime->ort.slot[family] < 0 || !is_wanted(family))
			continue;
		n = patch_family(runtime, rtti, family);
		if (family == ORT_COMPUTE)
			describe(armed, sizeof armed, "operator classes", runtime->n_operators = n);
		if (family == ORT_TRANSFORM)
			describe(armed, sizeof armed, "graph transformers", n);
	}
	hook_close(&runtime->image);
	api_arm(runtime);
	import_arm(runtime);
	hot->is_changing = 0;
	runtime->armed = keep(armed, runtime->armed);
	tell(runtime);
}

static bool is_known(const struct image *image)
{
	for (uint32_t i = 0; i < n_known; i++)
		if (known[i].base == image->base && known[i].relro_end == image->relro_end)
			return true;
	return false;
}

/* Copies whose module was unloaded, perhaps with another one, or itself again, in its place. */
static void forget_unloaded(const struct image_set *set)
{
	for (uint32_t i = 0; i < n_runtimes; i++) {
		struct runtime *runtime = &runtimes[i];
		void *word;
		if (runtime->is_gone ||
		    (image_set_at(set, runtime->check_at, 8, IMAGE_R) &&
		     ort_peek(runtime->check_at, &word, sizeof word) && word == runtime->check_value))
			continue;
		runtime->is_gone = true;
	}
	hooks_forget();
	n_known = 0;
	for (uint32_t i = 0; i < n_runtimes; i++)
		if (!runtimes[i].is_gone && runtimes[i].is_armed && n_known < MAX_KNOWN) {
			known[n_known].base = runtimes[i].image.base;
			known[n_known++].relro_end = runtimes[i].image.relro_end;
		}
}

static void look_at(const struct image *image, const struct image_set *set)
{
	struct arena arena = { 0 };
	struct rtti rtti;

	if (!rtti_scan(&rtti, image, set, &arena) && ort_is_in(&rtti))
		arm_module(image, &rtti);
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
 * In a program that runs, other threads may unload modules while we read them: keeps them loaded. One that has gone
 * already is taken out of the set. The handles are in the arena; NULL: memory is out.
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

	walk_begin();
	dl_iterate_phdr(count, &counts);
	walk_end();
	return counts;
}

int arm_modules(struct image_set *set)
{
	int code;

	walk_begin();
	code = image_set_self(set);
	walk_end();
	return code;
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
	if (arm_modules(&set))
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

/* Called while the loader holds the lock without which it unloads nothing. */
static int put_back(struct dl_phdr_info *info, size_t size, void *data)
{
	agent_lock();
	for (uint32_t i = n_runtimes; i-- > 0;)
		hooks_out(&runtimes[i].image);
	agent_unlock();
	return 1;
}

void disarm(void)
{
	int saved = errno;

	/* a child of fork has no other threads, but perhaps a lock that one of them held */
	if (inject_is_child()) {
		put_back(NULL, 0, NULL);
	} else {
		walk_begin();
		dl_iterate_phdr(put_back, NULL);
		walk_end();
	}
	for (uint32_t i = 0; i < n_runtimes; i++) {
		runtimes[i].check_value = hook_original(runtimes[i].check_at);
		runtimes[i].is_armed = false;
	}
	errno = saved;
}

void arm_check_again(void)
{
	struct image_set set = { 0 };

	if (arm_modules(&set))
		return;
	for (uint32_t i = 0; i < n_runtimes; i++) {
		bool is_there = false;
		for (size_t k = 0; k < set.n; k++)
			is_there |= is_image(&runtimes[i].image, &set.image[k]);
		runtimes[i].is_gone |= !is_there;
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
