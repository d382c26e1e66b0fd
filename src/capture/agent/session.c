// SPDX-License-Identifier: Apache-2.0
/*
 * Sessions of the target, their names, and the objects that belong to them. A session's names are kept here as well as
 * in the dictionary: a child of fork writes them to a segment of its own.
 */
#include "capture/agent/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/syscalls.h"
#include "capture/agent/dict.h"
#include "event/event.h"
#include "runtime/model_name.h"
#include "runtime/onnx_peek.h"
#include "runtime/runtimes.h"

struct map session_providers;
static struct map sessions; /* the runtime's session object -> struct session */
static struct map known;
static struct session *free_sessions, *all_sessions;
static struct provider *free_providers;
static uint32_t n_living;
static struct session *latest;

static void put(char *to, size_t size, const char *text, size_t len)
{
	if (len >= size)
		len = size - 1;
	memcpy(to, text, len);
	to[len] = 0;
}

/* Its names are told again: see session_tell, which another thread may be in. */
static void changed(struct session *session)
{
	__atomic_fetch_add(&session->n_changes, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&session->generation, 0, __ATOMIC_RELEASE);
}

struct session *session_new(const struct runtime *runtime)
{
	struct session *session;

	agent_lock();
	session = free_sessions;
	if (session)
		free_sessions = session->next_free;
	else if ((session = arena_alloc(&agent.arena, sizeof *session))) {
		session->next_all = all_sessions;
		all_sessions = session;
	}
	if (session) {
		struct session *next_all = session->next_all;
		memset(session, 0, sizeof *session);
		session->next_all = next_all;
		session->number = ++agent.last_session;
		session->runtime = runtime;
		n_living++;
		latest = session;
	}
	agent_unlock();
	return session;
}

struct session *session_of_object(uintptr_t object)
{
	return map_get(&sessions, object);
}

struct session *session_of_provider(uintptr_t at)
{
	struct provider *provider = map_get(&session_providers, at);

	return provider && !provider->is_shared && provider->session &&
		       provider->session->number == provider->session_number
		   ? provider->session
		   : NULL;
}

bool session_is_shared(uintptr_t at)
{
	const struct provider *provider = map_get(&session_providers, at);

	return provider && provider->is_shared;
}

struct session *session_only(void)
{
	/* after injection: there may be sessions not seen yet */
	return n_living == 1 && latest && !latest->is_released && !agent.late_since ? latest : NULL;
}

static void forget_provider(struct provider *provider)
{
	map_put(&session_providers, provider->at, NULL);
	provider->session = NULL;
	provider->next = free_providers;
	free_providers = provider;
}

/* Those that several sessions have stay: there are few, for example one in a runtime for training. */
static void forget_providers(struct session *session)
{
	struct provider *provider = session->first_provider, *next;

	for (; provider; provider = next) {
		next = provider->next;
		provider->is_listed = false;
		if (!provider->is_shared)
			forget_provider(provider);
	}
	session->first_provider = NULL;
}

static void free_locked(struct session *session)
{
	forget_providers(session);
	if (session->object)
		map_put(&sessions, session->object, NULL);
	if (session->known_as)
		map_put(&known, session->known_as, NULL);
	if (session->learning)
		session->learning->forget(session);
	session->is_released = true;
	session->number = 0; /* providers and kernels that refer to it are stale from here on */
	session->next_free = free_sessions;
	free_sessions = session;
	n_living--;
}

void session_bind(struct session *session, uintptr_t object)
{
	struct session *before;

	if (!object || session->object == object)
		return;
	agent_lock();
	before = map_get(&sessions, object);
	if (before) /* its release was not seen */
		free_locked(before);
	if (map_put(&sessions, object, session)) {
		if (session->object)
			map_put(&sessions, session->object, NULL);
		session->object = object;
		changed(session);
	}
	agent_unlock();
}

static uint64_t known_key(uint32_t copy, uint32_t number)
{
	return ((uint64_t)copy + 1) << 40 | (uint64_t)number << 3;
}

void session_know(uint32_t copy, struct session *session, uint32_t number)
{
	agent_lock();
	if (map_put(&known, known_key(copy, number), session))
		session->known_as = known_key(copy, number);
	agent_unlock();
}

struct session *session_known(uint32_t copy, uint32_t number)
{
	return map_get(&known, known_key(copy, number));
}

void session_release(uintptr_t object)
{
	struct session *session = map_get(&sessions, object);

	if (!session)
		return;
	agent_lock();
	free_locked(session);
	agent_unlock();
}

void session_drop(struct session *session)
{
	agent_lock();
	if (!session->is_released)
		free_locked(session);
	agent_unlock();
}

void session_forget_all(void)
{
	agent_lock();
	for (struct session *session = all_sessions; session; session = session->next_all)
		if (!session->is_released)
			free_locked(session);
	for (uint64_t i = 0; session_providers.table && i <= session_providers.table->mask; i++) {
		struct provider *provider = session_providers.table->entry[i].value;
		if (provider)
			forget_provider(provider);
	}
	latest = NULL;
	agent_unlock();
}

void session_asked(struct session *session, const char *asked)
{
	size_t len = strlen(asked);

	if (len >= sizeof session->providers)
		len = sizeof session->providers - 1;
	memcpy(session->providers, asked, len);
	session->providers[len] = 0;
	session->was_asked = true;
	changed(session);
}

static bool is_used_by_another(const struct provider *provider, const struct session *session)
{
	const struct session *other = provider->session;

	return provider->is_shared ||
	       (other && other != session && !other->is_released && other->number == provider->session_number);
}

/* Made if it is new. NULL: out of memory. */
static struct provider *provider_at(uintptr_t at)
{
	struct provider *provider = map_get(&session_providers, at);

	if (provider)
		return provider;
	provider = free_providers;
	if (provider)
		free_providers = provider->next;
	else
		provider = arena_alloc(&agent.arena, sizeof *provider);
	if (!provider)
		return NULL;
	memset(provider, 0, sizeof *provider);
	provider->at = at;
	if (map_put(&session_providers, at, provider))
		return provider;
	provider->next = free_providers;
	free_providers = provider;
	return NULL;
}

void session_add_provider(struct session *session, uintptr_t at, const char *name)
{
	struct provider *provider;
	size_t used = strlen(session->providers), len = strlen(name);

	agent_lock();
	provider = provider_at(at);
	if (provider) {
		/* other threads read it meanwhile */
		provider->is_shared = is_used_by_another(provider, session);
		provider->session = session;
		provider->session_number = session->number;
		put(provider->text, sizeof provider->text, name, len);
		provider->generation = 0;
	}
	if (provider && !provider->is_listed) {
		provider->is_listed = true;
		provider->next = session->first_provider;
		session->first_provider = provider;
	}
	agent_unlock();
	if (len && !session->was_asked && !strstr(session->providers, name) &&
	    used + len + 2 < sizeof session->providers) {
		if (used)
			session->providers[used++] = ',';
		memcpy(session->providers + used, name, len + 1);
		changed(session);
	}
}

void session_tell(struct session *session)
{
	uint32_t generation = hot->generation, n_changes = __atomic_load_n(&session->n_changes, __ATOMIC_ACQUIRE);

	if (__atomic_load_n(&session->generation, __ATOMIC_ACQUIRE) == generation || !session->number)
		return;
	dict_fact(session->number, KEY_RUNTIME, dict_text(session->runtime->name, strlen(session->runtime->name)), 0);
	dict_session(&(struct dict_session){ session->number, session->model, session->path, session->providers,
					     session->bytes, session->object });
	/* last: another thread that sees it may put a run of the session before the next instruction here */
	__atomic_store_n(&session->generation, generation, __ATOMIC_RELEASE);
	if (__atomic_load_n(&session->n_changes, __ATOMIC_ACQUIRE) != n_changes)
		__atomic_store_n(&session->generation, 0, __ATOMIC_RELEASE);
}

void session_tell_again(void)
{
	agent_lock();
	for (struct session *session = all_sessions; session; session = session->next_all)
		changed(session);
	agent_unlock();
}

void session_name_path(struct session *session, const char *path)
{
	size_t used = 0;

	if (path[0] != '/') {
		int saved = errno;
		if (CALL(SYS_getcwd, (long)session->path, sizeof session->path - 1) > 0 && session->path[0] == '/') {
			used = strlen(session->path);
			session->path[used++] = '/';
		}
		errno = saved;
		while (!strncmp(path, "./", 2))
			path += 2;
	}
	put(session->path + used, sizeof session->path - used, path, strlen(path));
	model_name_of_path(session->model, sizeof session->model, session->path);
	changed(session);
}

void session_name_found(struct session *session, const char *path)
{
	if (path[0] == '/') {
		session_name_path(session, path);
		return;
	}
	model_name_of_path(session->model, sizeof session->model, path);
	changed(session);
}

/* 1234567 as "1,234,567 bytes" */
static size_t put_bytes(char *to, uint64_t bytes)
{
	char digits[32];
	size_t n = 0, len = 0;

	do {
		if (n % 4 == 3)
			digits[n++] = ',';
		digits[n++] = (char)('0' + bytes % 10);
	} while (bytes /= 10);
	while (n)
		to[len++] = digits[--n];
	memcpy(to + len, " bytes", 7);
	return len + 6;
}

/* With a size in brackets, if it is known; of: what has this size. */
static void name_from_memory(struct session *session, const char *graph, uint64_t bytes, const char *of)
{
	size_t used;

	if (session->path[0] || session->model[0])
		return;
	put(session->model, sizeof session->model - 48, *graph ? graph : "model from memory",
	    *graph ? strlen(graph) : 17);
	used = strlen(session->model);
	if (bytes) {
		memcpy(session->model + used, " (", 2);
		used += 2 + put_bytes(session->model + used + 2, bytes);
		put(session->model + used, sizeof session->model - used, of, strlen(of));
	}
	changed(session);
}

void session_name_graph(struct session *session, const char *graph)
{
	name_from_memory(session, graph, (uint64_t)session->bytes, ")");
}

void session_name_weights(struct session *session, uint64_t n_bytes)
{
	name_from_memory(session, "", n_bytes, " of weights)");
}

void session_name_bytes(struct session *session, const char *bytes, uint64_t size)
{
	char graph[80];

	session->bytes = (int64_t)size;
	onnx_peek_graph_name(bytes, size, graph, sizeof graph);
	session_name_graph(session, graph);
}
