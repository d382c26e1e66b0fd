// SPDX-License-Identifier: Apache-2.0
/*
 * Hooks for functions that a copy of ONNX Runtime imports; they show what no virtual function does. open: the model's
 * file. PyBytes_AsString and PyBytes_Size: a model in memory, in Python. __cxa_throw: the message of an error on its
 * way to the program. pthread_create: the purpose of a worker thread. dlopen and dlsym: a provider's library. Only this
 * module's imports are replaced.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/agent/arm/first.h"
#include "capture/agent/glibc.h"
#include "capture/agent/guard.h"
#include "capture/agent/ort/ort_in.h"
#include "capture/agent/replace/jump.h"
#include "event/event.h"
#include "runtime/find/peek.h"
#include "runtime/onnx_peek.h"

typedef void throw_function(void *object, void *type, void (*destroy)(void *));
static throw_function *real_throw;
static char *(*real_bytes)(void *);
static ssize_t (*real_bytes_size)(void *);
static const char *(*real_utf8)(void *, ssize_t *);

static int on_open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode = 0;
	int saved, fd;
	struct thread *thread;

	va_start(args, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(args, mode_t);
	va_end(args);
	fd = open(path, flags, mode);
	saved = errno;
	if (path && (flags & O_ACCMODE) == O_RDONLY && !(flags & O_DIRECTORY) && (thread = agent_thread()))
		creation_path(thread, path);
	errno = saved;
	return fd;
}

static char *on_bytes(void *object)
{
	char *bytes = real_bytes(object);
	struct thread *thread = agent_thread();

	if (thread)
		thread->python_bytes = bytes;
	return bytes;
}

/*
 * Texts that Python passes to the runtime. Between the load of a model and the session's initialisation they are the
 * names of providers, then keys and values of their options.
 */
static const char *on_utf8(void *object, ssize_t *size)
{
	const char *text = real_utf8(object, size);
	struct thread *thread = self_thread;

	if (thread && thread->hint.time && text) {
		ort_python_look();
		creation_asked(thread, text);
	}
	return text;
}

static ssize_t on_bytes_size(void *object)
{
	ssize_t size = real_bytes_size(object);
	struct thread *thread = agent_thread();

	if (thread && thread->python_bytes && size > 16 && onnx_peek_is_model(thread->python_bytes, (size_t)size))
		creation_bytes(thread, thread->python_bytes, (uint64_t)size);
	else if (thread && thread->python_bytes && size >= 0)
		creation_unsure(thread, (uint64_t)size);
	if (thread)
		thread->python_bytes = NULL;
	return size;
}

static const char *file_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The file that the loader has opened; NULL: unknown. */
static const char *opened_file(void *handle)
{
	const struct link_map *map = handle;

	return map->l_name ? file_of(map->l_name) : NULL;
}

static void tell_provider(struct thread *thread, const char *file, uint64_t start, uint64_t end)
{
	uint8_t lane = inference_take_lane(start);
	struct record *record = agent_claim(thread);

	if (record) {
		*record = (struct record){ .time = start,
					   .value = end,
					   .run = lane,
					   .text = dict_text(file, strlen(file)),
					   .type = RECORD_SLICE,
					   .flags = KIND_PROVIDER_READY };
		agent_publish(thread);
	}
	inference_give_lane(lane, end);
}

static uint32_t hash_of(const char *text)
{
	uint32_t hash = 0x811c9dc5u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x01000193u;
	return hash ? hash : 1;
}

/*
 * Called by import_dlopen below. A path with a slash gives the same file for any caller; for a bare name the real
 * dlopen must see the runtime as its caller, and does not come back here. The runtime looks up a function of the
 * library next: import_opened.
 */
struct opened {
	void *handle;
	uintptr_t is_done;
};
__attribute__((used, visibility("hidden"))) struct opened import_look(const char *path, int flags);

struct opened import_look(const char *path, int flags)
{
	struct opened opened = { NULL, 0 };
	struct thread *thread;
	uint64_t start;

	if (!path || (flags & RTLD_NOLOAD) || !(thread = agent_thread()))
		return opened;
	start = agent_now();
	thread->opening = 0;
	if (!strchr(path, '/')) {
		thread->opening_since = start;
		thread->opening = hash_of(path);
		return opened;
	}
	opened.handle = glibc.dlopen(path, flags);
	opened.is_done = 1;
	if (opened.handle) {
		const char *file = opened_file(opened.handle);
		tell_provider(thread, file ? file : file_of(path), start, agent_now());
	}
	return opened;
}

/* Called by import_dlsym below. */
__attribute__((used, visibility("hidden"))) void import_opened(void *handle);

void import_opened(void *handle)
{
	struct thread *thread = self_thread;
	int saved = errno;
	const char *file;

	if (!thread || !thread->opening || handle == RTLD_DEFAULT || handle == RTLD_NEXT)
		return;
	/* one that could not be opened is followed by another one */
	file = opened_file(handle);
	if (file && hash_of(file) == thread->opening && agent_thread() == thread)
		tell_provider(thread, file, thread->opening_since, agent_now());
	thread->opening = 0;
	errno = saved;
}

void *import_dlopen(const char *path, int flags) __attribute__((visibility("hidden")));
void *import_dlsym(void *handle, const char *name) __attribute__((visibility("hidden")));
JUMP_UNLESS_DONE(import_dlopen, import_look, import_real_dlopen);
JUMP_AFTER(import_dlsym, import_opened, import_real_dlsym);
/* what the module's own import is bound to: ours, if this library was loaded with the program */
void *(*import_real_dlsym)(void *, const char *)__attribute__((visibility("hidden"))) = dlsym;
void *(*import_real_dlopen)(const char *, int)__attribute__((visibility("hidden")));

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* The runtime's own exceptions, and the standard ones that it throws, derive from std::exception. */
static uint32_t message_of(void *object, const char *type)
{
	const char *text;

	if (!starts(type, "N11onnxruntime") && !starts(type, "St13runtime_error") && !starts(type, "St16invalid_arg") &&
	    !starts(type, "St11logic_error") && !starts(type, "St9bad_alloc") && !starts(type, "St12out_of_range"))
		return 0;
	text = (*(const char *(***)(void *))object)[2](object);
	return text ? dict_text_of_run(text, strnlen(text, 2000)) : 0;
}

/* Where no copy's runs are seen, an error outside of them is not that of a creation. */
static bool are_runs_seen(void)
{
	for (uint32_t i = 0; i < n_copies; i++)
		if (copies[i].found.slot[ORT_RUN_START] >= 0)
			return true;
	return !n_copies;
}

static void throw_seen(void *object, void *type)
{
	struct thread *thread = agent_thread();
	const char *name = ((const char **)type)[1];
	struct open_run *run;
	uint32_t message;

	if (!thread || !name)
		return;
	message = message_of(object, name + (*name == '*'));
	thread->last_throw = agent_now();
	thread->allocating.frame = 0;
	thread->is_packing = false;
	if (message)
		thread->last_message = message;
	/* classes of the Python binding: the error leaves the runtime for good */
	if (!starts(name, "N11onnxruntime6python"))
		return;
	run = creation_is_open(thread) ? NULL : ort_run_of(thread);
	if (run) {
		run->message = message;
		inference_end(thread, OWNER_EVALUATION, message);
	} else if (are_runs_seen())
		creation_refused(thread, &runtime_onnxruntime, message);
}

static __attribute__((noreturn)) void on_throw(void *object, void *type, void (*destroy)(void *))
{
	int saved = errno;

	if (object && type)
		throw_seen(object, type);
	errno = saved;
	real_throw(object, type, destroy);
	__builtin_unreachable();
}

/* The argument of a worker thread, and its real start function. */
struct start {
	void *(*function)(void *);
	void *arg;
	char role[16];
	struct pool *pool; /* of the thread that starts it; NULL: none */
	uint32_t round;
	struct start *next_free;
};
static struct start *free_starts;

static void *worker(void *arg)
{
	struct start start = *(struct start *)arg, *mine = arg;

	agent_lock();
	mine->next_free = free_starts;
	free_starts = mine;
	agent_unlock();
	dict_role(agent_tid(), start.role);
	if (start.pool)
		pool_join(start.pool, start.round);
	return start.function(start.arg);
}

/* The runtime's threads get { const char *prefix; int index; ... }: "session-1-intra-op". */
static const char *role_of(void *arg)
{
	uint64_t text;
	char prefix[64];

	if (!peek_read((uint64_t)arg, &text, 8))
		return NULL;
	memset(prefix, 0, sizeof prefix);
	for (unsigned i = 0; i < sizeof prefix - 1; i++)
		if (!peek_read(text + i, prefix + i, 1) || !prefix[i])
			break;
	if (strstr(prefix, "intra-op"))
		return "intra-op";
	return strstr(prefix, "inter-op") ? "inter-op" : NULL;
}

static int on_thread(pthread_t *id, const pthread_attr_t *attributes, void *(*function)(void *), void *arg)
{
	const char *role = agent_thread() ? role_of(arg) : NULL;
	struct start *start = NULL;
	int failed;

	if (role) {
		agent_lock();
		start = free_starts;
		if (start)
			free_starts = start->next_free;
		else
			start = arena_alloc(&agent.arena, sizeof *start);
		agent_unlock();
	}
	if (!start)
		return glibc.pthread_create(id, attributes, function, arg);
	start->function = function;
	start->arg = arg;
	strcpy(start->role, role);
	start->pool = self_thread ? &self_thread->pool : NULL;
	start->round = self_thread ? self_thread->pool.round : 0;
	failed = glibc.pthread_create(id, attributes, worker, start);
	if (self_thread) {
		self_thread->pool.n_started += !failed;
		creation_prepared(self_thread);
	}
	if (failed) {
		agent_lock();
		start->next_free = free_starts;
		free_starts = start;
		agent_unlock();
	}
	return failed;
}

void ort_import_prepare(void)
{
	if (!real_bytes || !real_bytes_size) {
		real_bytes = (char *(*)(void *))first_dlsym(RTLD_DEFAULT, "PyBytes_AsString");
		real_bytes_size = (ssize_t (*)(void *))first_dlsym(RTLD_DEFAULT, "PyBytes_Size");
	}
	if (!real_utf8)
		real_utf8 = (const char *(*)(void *, ssize_t *))first_dlsym(RTLD_DEFAULT, "PyUnicode_AsUTF8AndSize");
}

/* The __cxa_throw that this module calls. It may not be bound yet; after injection nothing may be looked up. */
static throw_function *find_throw(const struct copy *copy)
{
	throw_function *found = (throw_function *)hook_bound(&copy->image, "__cxa_throw");
	void *handle;

	if (found || agent.late_since)
		return found;
	handle =
	    glibc.dlclose ? guard_dlopen(copy->image.path[0] ? copy->image.path : NULL, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	if (!handle)
		return NULL;
	found = (throw_function *)first_dlsym(handle, "__cxa_throw");
	glibc.dlclose(handle);
	return found;
}

void ort_import_arm(const struct copy *copy)
{
	throw_function *found = find_throw(copy);

	hook_import(&copy->image, "open", on_open);
	import_real_dlopen = glibc.dlopen;
	if (glibc.pthread_create)
		hook_import(&copy->image, "pthread_create", on_thread);
	if (glibc.dlopen)
		hook_import(&copy->image, "dlopen", import_dlopen);
	hook_import(&copy->image, "dlsym", import_dlsym);
	if (found && (!real_throw || real_throw == found)) {
		real_throw = found;
		hook_import(&copy->image, "__cxa_throw", on_throw);
	}
	if (real_utf8)
		hook_import(&copy->image, "PyUnicode_AsUTF8AndSize", on_utf8);
	if (real_bytes && real_bytes_size) {
		hook_import(&copy->image, "PyBytes_AsString", on_bytes);
		hook_import(&copy->image, "PyBytes_Size", on_bytes_size);
	}
}
