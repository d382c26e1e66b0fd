// SPDX-License-Identifier: Apache-2.0
/*
 * How long an inference of RunAsync waited in the queue of the runtime's pool.
 *
 * RunAsync gives a std::function to Schedule, the first virtual function of Eigen's ThreadPoolInterface. In libstdc++
 * it has four words: two that hold its closure (here the address of one), the manager and the invoker. The hook
 * remembers when the closure was given, and replaces the invoker by one that tells the thread, then calls the true one.
 * All closures of RunAsync in a copy of the runtime have the same type, and so the same invoker: it is known whatever
 * becomes of the closure. The type is asked of the manager, as std::function::target_type does, once for each manager.
 */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "capture/agent/ort/ort_call.h"
#include "capture/agent/run/caller.h"
#include "runtime/find/peek.h"

enum { N_WAITING = 4096, PROBES = 16, N_OTHERS = 16, TAKEN = 1 };

/* How libstdc++ lays a std::function<void()> out. */
struct function {
	word closure, more;
	void (*manager)(void *result, const struct function *of, int operation);
	void (*invoker)(const struct function *of);
};
enum { GET_TYPE = 0 };

/* A closure in a queue; 0: free, TAKEN: being filled in. A closure that was dropped with its queue stays, until one has
 * its address again. */
static struct {
	word closure;
	uint64_t since, asked_by;
} waiting[N_WAITING];

static word others[N_OTHERS]; /* managers of other types; a race does no harm */

static unsigned place(word closure, unsigned probe)
{
	return ((unsigned)((closure >> 4) * 0x9e3779b97f4a7c15u >> 40) + probe) % N_WAITING;
}

static void remember(word closure, uint64_t now, uint64_t asked_by)
{
	unsigned free = PROBES;

	for (unsigned i = 0; i < PROBES; i++) {
		word there = __atomic_load_n(&waiting[place(closure, i)].closure, __ATOMIC_ACQUIRE);
		if (there == closure) {
			waiting[place(closure, i)].asked_by = asked_by;
			__atomic_store_n(&waiting[place(closure, i)].since, now, __ATOMIC_RELEASE);
			return;
		}
		if (!there && free == PROBES)
			free = i;
	}
	for (unsigned i = free; i < PROBES; i++) {
		word none = 0;
		if (!__atomic_compare_exchange_n(&waiting[place(closure, i)].closure, &none, TAKEN, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&waiting[place(closure, i)].since, now, __ATOMIC_RELAXED);
		waiting[place(closure, i)].asked_by = asked_by;
		__atomic_store_n(&waiting[place(closure, i)].closure, closure, __ATOMIC_RELEASE);
		return;
	}
}

/* Since when it has waited; 0: not known. */
static uint64_t take(word closure, uint64_t *asked_by)
{
	for (unsigned i = 0; i < PROBES; i++) {
		unsigned at = place(closure, i);
		uint64_t since;

		if (__atomic_load_n(&waiting[at].closure, __ATOMIC_ACQUIRE) != closure)
			continue;
		since = __atomic_load_n(&waiting[at].since, __ATOMIC_RELAXED);
		*asked_by = waiting[at].asked_by;
		__atomic_store_n(&waiting[at].closure, 0, __ATOMIC_RELEASE);
		return since;
	}
	return 0;
}

static void invoke(unsigned copy, const struct function *of)
{
	int saved = errno;
	uint64_t asked_by = 0, since = take(of->closure, &asked_by);
	struct thread *thread = since ? agent_thread() : NULL;

	if (thread && !thread->n_runs) {
		thread->queued_since = since;
		thread->asked_by = asked_by;
	}
	errno = saved;
	((void (*)(const struct function *))ort_copies[copy].async_invoker)(of);
	if (thread)
		thread->queued_since = thread->asked_by = 0;
}

#define INVOKE(n) \
	static void invoke_##n(const struct function *of) \
	{ \
		invoke(n, of); \
	}
INVOKE(0)
INVOKE(1)
INVOKE(2)
INVOKE(3)
INVOKE(4)
INVOKE(5)
INVOKE(6)
INVOKE(7)

static void (*const ours[MAX_COPIES])(const struct function *of) = { invoke_0, invoke_1, invoke_2, invoke_3,
								     invoke_4, invoke_5, invoke_6, invoke_7 };

static bool is_of_run_async(const struct function *of)
{
	struct {
		word vptr, name;
	} type;
	word at[2] = { 0 };
	char name[64] = "";

	of->manager(at, of, GET_TYPE);
	return at[0] && peek_read(at[0], &type, sizeof type) && peek_read(type.name, name, sizeof name - 1) &&
	       strstr(name, "16InferenceSession8RunAsyncE");
}

/* Whether it is a closure of RunAsync, and its invoker is the one that ours calls. */
static bool is_seen(struct ort_copy *copy, const struct function *of)
{
	const struct image *image = &copy->copy->image;
	word manager = (word)of->manager, invoker = (word)of->invoker, *other = &others[(manager >> 4) % N_OTHERS];
	word known = __atomic_load_n(&copy->async_manager, __ATOMIC_ACQUIRE);

	if (known || __atomic_load_n(other, __ATOMIC_RELAXED) == manager)
		return known == manager && copy->async_invoker == invoker;
	if (!image_has(image, manager, PF_X) || !image_has(image, invoker, PF_X))
		return false;
	if (!is_of_run_async(of)) {
		__atomic_store_n(other, manager, __ATOMIC_RELAXED);
		return false;
	}
	agent_lock();
	if (!copy->async_manager) {
		copy->async_invoker = invoker;
		__atomic_store_n(&copy->async_manager, manager, __ATOMIC_RELEASE);
	}
	agent_unlock();
	return copy->async_manager == manager && copy->async_invoker == invoker;
}

/* b: std::function<void()> */
word ort_on_schedule(ORT_REGISTERS)
{
	struct ort_met met = ort_meet(a, b, ORT_SCHEDULE);
	struct function *function = (struct function *)b;
	struct thread *thread;
	int saved = errno;

	/* without an address there is no closure to know it by */
	if (met.vptr && function->closure > TAKEN && function->manager && function->invoker &&
	    is_seen(&ort_copies[met.copy->copy->number], function)) {
		thread = agent_thread();
		remember(function->closure, agent_now(), thread ? caller_asks(thread) : 0);
		function->invoker = ours[met.copy->copy->number];
	}
	errno = saved;
	return ((ort_registers_function *)(word)met.next)(a, b, c, d, e, f);
}
