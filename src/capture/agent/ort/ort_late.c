// SPDX-License-Identifier: Apache-2.0
/*
 * Sessions that existed before the agent was injected, and those whose creation no hook sees: up to 1.13, in Python, of
 * a model in ORT format.
 *
 * A hook sees a provider (or, behind the C API, a session's object) that the agent does not know. It searches for the
 * session's object among the words of this thread's stack, because the session's own functions are running. An object
 * is accepted only if its virtual table is that of class InferenceSession and its list of providers contains that very
 * provider:
 *
 * up to 1.20:	... std::string model_location_ | ExecutionProviders { std::vector<std::shared_ptr<...>> ... }
 * since then:	... ExecutionProviders { ... } of 184 bytes | std::string model_location_ | ...
 *
 * That text is the model's path; it is empty for a model from memory. It is used if exactly one of the two places holds
 * a string. On any doubt the model stays unknown. Memory is read in a way that cannot fault.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/ort/ort_in.h"
#include "event/event.h"
#include "runtime/find/peek.h"
#include "runtime/ort/ort_node.h"
#include "runtime/ort/ort_session_texts.h"

enum { OBJECT = 16 << 10, STACK = 64 << 10, CHUNK = 1 << 10, MAX_PROVIDERS = 16, STRANGERS = 32, MISSES = 32 };
enum { TEXTS = 24, TEXT = 512 }; /* of an object */

/* Under hot->adopting. */
static word object[OBJECT / 8];
static word stack[CHUNK / 8];
static word stranger[STRANGERS]; /* providers whose session was not found: not searched again */
static unsigned n_strangers;
static unsigned n_misses; /* rejected runs whose session was not found: after a few it is not searched again */

struct found {
	word object;
	word provider[MAX_PROVIDERS];
	size_t n_providers;
	size_t place; /* index on the stack */
	word list;    /* address of the list of providers */
	bool is_old_string;
};

/* The runtime whose class InferenceSession has this virtual table; NULL: another class. */
static const struct ort_copy *copy_of_session(word vptr)
{
	for (uint32_t i = 0; i < n_copies; i++)
		if (ort_copy_has_session(&ort_copies[i], vptr))
			return &ort_copies[i];
	return NULL;
}

static bool is_cpu_provider(word provider)
{
	word vptr;

	if (!provider || !peek_read(provider, &vptr, 8))
		return false;
	for (uint32_t i = 0; i < n_copies; i++)
		if (ort_copies[i].cpu_vtable == vptr && vptr && !copies[i].is_gone)
			return true;
	return false;
}

/*
 * Whether these are the bounds of a vector of shared pointers, one of which leads to `provider` (0: to any CPU
 * provider).
 */
static bool is_list(const word *bounds, word provider, struct found *found)
{
	word pair[2 * MAX_PROVIDERS], size = bounds[1] - bounds[0];
	bool has_it = false;

	if (!bounds[0] || (bounds[0] & 7) || bounds[1] <= bounds[0] || bounds[2] < bounds[1] || size > sizeof pair ||
	    size % 16 || (bounds[2] - bounds[0]) % 16 || !peek_read(bounds[0], pair, size))
		return false;
	found->n_providers = size / 16;
	for (size_t i = 0; i < found->n_providers; i++) {
		found->provider[i] = pair[2 * i];
		if (!pair[2 * i] || !pair[2 * i + 1])
			return false;
		has_it |= provider ? pair[2 * i] == provider : is_cpu_provider(pair[2 * i]);
	}
	return has_it;
}

/* Reads the object into `object`: how many words it has, as far as memory goes on. */
static size_t read_object(word at)
{
	size_t n = 0;

	while (n < OBJECT / 8 && peek_read(at + 8 * n, object + n, CHUNK))
		n += CHUNK / 8;
	return n;
}

static bool look_into(word at, word provider, struct found *found)
{
	const struct ort_copy *copy;
	size_t n;
	word vptr;

	if (at < 4096 || (at & 7) || !peek_read(at, &vptr, 8) || !(copy = copy_of_session(vptr)))
		return false;
	n = read_object(at);
	object[0] = 0; /* the copy is no session: its own address may be on the stack */
	for (size_t i = 1; i + 3 <= n; i++)
		if (is_list(object + i, provider, found)) {
			found->object = at;
			found->list = at + 8 * i;
			found->is_old_string = copy->copy->found.is_old_string;
			return true;
		}
	return false;
}

/* Searches this thread's stack from `at` on. */
static bool look_from(word at, word provider, struct found *found)
{
	word last = 0;

	for (word done = 0; done < STACK && peek_read(at + done, stack, CHUNK); done += CHUNK)
		for (size_t i = 0; i < CHUNK / 8; i++) {
			if (stack[i] == last || stack[i] - (at - STACK) < 2 * STACK)
				continue;
			last = stack[i];
			if (!look_into(last, provider, found))
				continue;
			found->place = done / 8 + i;
			return true;
		}
	return false;
}

/* Searches this thread's stack, from the current frame on. Callee-saved registers are spilled there first. */
static __attribute__((noinline)) bool look_on_stack(word provider, struct found *found)
{
	__builtin_unwind_init();
	return look_from(((word)__builtin_frame_address(0) - 128) & ~7ull, provider, found);
}

/* Reads a string that may be the model's path: its length, 0 for an empty one; -1: not a path. */
static int read_path(word at, bool is_old, char *path, size_t size)
{
	int len = peek_string_abi(at, is_old, path, size);
	word text, bounds[2];

	/* the text of a short string lies inside it, that of a longer one has room for it */
	if (len >= 0 && !is_old &&
	    (!peek_read(at, &text, 8) || !peek_read(at + 8, bounds, 16) ||
	     (text == at + 16 ? bounds[0] > 15 : bounds[1] < bounds[0] || bounds[1] > 1 << 20)))
		return -1;
	return len > 0 && !strchr(path, '.') ? -1 : len; /* other strings have no suffix */
}

static void name(struct session *session, const struct found *found)
{
	enum { PROVIDERS = 184 };
	char before[sizeof session->path], behind[sizeof session->path];
	word own_size = found->is_old_string ? 8 : 32;
	int len = read_path(found->list - own_size, found->is_old_string, before, sizeof before);
	int len_behind = read_path(found->list + PROVIDERS, found->is_old_string, behind, sizeof behind);
	bool is_behind = len < 0;

	/* many words look like an empty string of the older kind; only a path looks like a path */
	if (found->is_old_string && (len > 0) != (len_behind > 0))
		is_behind = len_behind > 0;
	else if ((len < 0) == (len_behind < 0))
		return;
	if (is_behind)
		len = len_behind;
	if (len > 0 && (size_t)len < sizeof before - 1)
		session_name_found(session, is_behind ? behind : before);
	else if (!len)
		session_name_graph(session, "");
}

/* The name first: from its object and its providers on, other threads find the session. */
static void bind(struct session *session, const struct found *found)
{
	name(session, found);
	session_bind(session, found->object);
	for (size_t i = 0; i < found->n_providers; i++) {
		unsigned offset = 0;
		char text[64] = "";
		ort_provider_name(found->provider[i], &offset, text, sizeof text);
		session_add_provider(session, found->provider[i], text);
	}
}

static struct session *new_session(void)
{
	struct session *session = session_new(&runtime_onnxruntime);

	if (!session)
		return NULL;
	session->is_late = true;
	session->has_run = true; /* unknown, so that no run is marked as the first */
	return session;
}

static struct session *adopt(const struct found *found)
{
	struct session *session = session_of_object(found->object);

	if (!session)
		session = new_session();
	if (session)
		bind(session, found);
	return session;
}

/* All that is known: this provider belongs to a session, because every session has a CPU provider of its own. */
static struct session *adopt_unknown(word provider)
{
	struct session *session;

	if (!is_cpu_provider(provider)) {
		if (n_strangers < STRANGERS)
			stranger[n_strangers++] = provider;
		return NULL;
	}
	session = new_session();
	if (session)
		session_add_provider(session, provider, "CPUExecutionProvider");
	return session;
}

static bool is_stranger(word provider)
{
	for (unsigned i = 0; i < n_strangers; i++)
		if (stranger[i] == provider)
			return true;
	return n_strangers == STRANGERS;
}

struct session *ort_late_session(uintptr_t provider)
{
	struct session *session;
	struct found found;
	int saved = errno;

	if (!provider)
		return NULL;
	lock_take(&hot->adopting);
	session = session_of_provider(provider);
	if (!session && !session_is_shared(provider) && !is_stranger(provider))
		session = look_on_stack(provider, &found) ? adopt(&found) : adopt_unknown(provider);
	lock_give(&hot->adopting);
	errno = saved;
	return session;
}

/* The texts of an object that was read into `object`, as far as there is room. */
static size_t find_texts(word at, size_t n_words, bool is_old, struct ort_text *text, char room[][TEXT])
{
	size_t n = 0;

	for (size_t i = 0; i + 4 <= n_words && n < TEXTS; i++) {
		int len = object[i] < 4096			  ? 0
			  : is_old				  ? peek_string_abi(at + 8 * i, true, room[n], TEXT)
			  : object[i + 1] && object[i + 1] < TEXT ? peek_string_in(at, object, 8 * i, room[n], TEXT)
								  : 0;
		if (len <= 0 || !*room[n])
			continue;
		text[n] = (struct ort_text){ .offset = (uint32_t)(8 * i), .text = room[n] };
		n++;
	}
	return n;
}

/* False: no text names the model. */
static bool name_by_texts(struct session *session, word at, bool is_old)
{
	static char room[TEXTS][TEXT]; /* under hot->adopting */
	struct ort_text text[TEXTS];
	size_t n = find_texts(at, read_object(at), is_old, text, room);
	const char *path = ort_texts_path(text, n, is_old);
	const char *graph = path ? NULL : ort_texts_graph(text, n, is_old);

	if (path)
		session_name_found(session, path);
	else if (graph)
		session_name_graph(session, graph);
	return path || graph;
}

/*
 * Without type information no class tells that the object is a session. The program gave it to the C function that
 * runs one.
 */
static struct session *adopt_untyped(word at)
{
	struct session *session = new_session();

	if (session && !name_by_texts(session, at, false))
		name_by_texts(session, at, true);
	if (session)
		session_bind(session, at);
	return session;
}

struct session *ort_late_session_of_object(const struct ort_copy *copy, uintptr_t at)
{
	struct session *session;
	struct found found;
	int saved = errno;

	lock_take(&hot->adopting);
	session = session_of_object(at);
	if (!session && look_into(at, 0, &found)) {
		for (size_t i = 0; i < found.n_providers && !session; i++)
			session = session_of_provider(found.provider[i]);
		/* a session whose object is known only shares that provider */
		if (!session || session->object)
			session = new_session();
		if (session)
			bind(session, &found);
	} else if (!session && copy && !copy->cpu_vtable)
		session = adopt_untyped(at);
	lock_give(&hot->adopting);
	errno = saved;
	return session;
}

struct session *ort_late_running(struct ort_copy *copy, uintptr_t provider, uintptr_t saved)
{
	struct session *session;
	struct found found;
	int saved_errno = errno;

	lock_take(&hot->adopting);
	session = session_of_provider(provider);
	copy->n_looks += session != NULL;
	if (look_from(saved, provider, &found)) {
		session = session_of_object(found.object);
		if (!session)
			session = adopt(&found);
		if (found.place < ORT_NEAR)
			copy->session_place = (unsigned)found.place;
	}
	lock_give(&hot->adopting);
	errno = saved_errno;
	return session;
}

struct session *ort_late_unseen(uintptr_t provider, uintptr_t saved)
{
	struct session *session;
	struct found found;
	int saved_errno = errno;

	lock_take(&hot->adopting);
	session = session_of_provider(provider);
	if (!session && !is_stranger(provider)) {
		if (look_from(saved, provider, &found))
			session = adopt(&found);
		else if (n_strangers < STRANGERS)
			stranger[n_strangers++] = provider;
	}
	lock_give(&hot->adopting);
	errno = saved_errno;
	return session;
}

struct session *ort_late_rejected(uintptr_t saved)
{
	struct found found;
	int saved_errno = errno;
	bool is_found = false;

	lock_take(&hot->adopting);
	if (n_misses < MISSES) {
		is_found = look_from(saved, 0, &found);
		n_misses += !is_found;
	}
	lock_give(&hot->adopting);
	errno = saved_errno;
	return is_found ? ort_late_session_of_object(NULL, found.object) : NULL;
}

void ort_late_name(struct session *session, uintptr_t provider)
{
	struct found found;
	int saved = errno;

	lock_take(&hot->adopting);
	if (!session->object && !session->was_sought && look_on_stack(provider, &found) &&
	    !session_of_object(found.object))
		bind(session, &found);
	session->was_sought = true;
	lock_give(&hot->adopting);
	errno = saved;
}

/*
 * Only what was seen of it is written: from its first operator on, else its end alone. Others of the thread may have
 * passed since the injection, and even since this hook went in: those that begin are put in last.
 */
void ort_late_end(struct thread *thread, const struct ort_copy *copy, struct session *session)
{
	bool has_operator = thread->unbegun && thread->unbegun_copy == copy->copy->number;
	uint64_t start = has_operator ? thread->unbegun : agent_now();
	struct open_run *run = inference_begin(thread, OWNER_PROVIDER, start, session);

	thread->unbegun = 0;
	thread->is_settled = hot->is_changing != CHANGE_IN;
	if (!run)
		return;
	run->is_partial = true;
	run->is_executing = true;
	inference_tell(thread, run, NULL);
	inference_end(thread, OWNER_PROVIDER, 0);
}

void ort_late_forget_all(void)
{
	n_strangers = n_misses = 0;
	for (uint32_t i = 0; i < n_copies; i++)
		ort_copies[i].n_looks = 0;
}
