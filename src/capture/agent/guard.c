// SPDX-License-Identifier: Apache-2.0
/*
 * A thread says that it calls before it looks at the filters, and a filter is announced before the threads are counted:
 * so each call has either seen the filter or ended before the kernel gets it.
 */
#include "capture/agent/guard.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/audit.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/processor.h"
#include "base/syscalls.h"
#include "capture/agent/agent.h"
#include "capture/agent/filter.h"
#include "capture/agent/glibc.h"

bool guard_is_on;
static bool is_closed;
static struct guard_filter *filters;
/* Calls of this thread under way: the handler of a signal may set a filter. */
static __thread int32_t n_own __attribute__((tls_model("initial-exec")));

/* What counts at one moment. */
struct state {
	const struct guard_filter *filters;
	bool is_closed;
};

/* Of the brackets of this thread (call_begin): what counted when the outermost one began. */
static __thread struct {
	uint32_t depth;
	int32_t *n_calls;
	struct state state;
} bracket __attribute__((tls_model("initial-exec")));

static struct state now(void)
{
	return (struct state){ __atomic_load_n(&filters, __ATOMIC_SEQ_CST),
			       __atomic_load_n(&is_closed, __ATOMIC_SEQ_CST) };
}

static bool is_harmless(const struct guard_filter *filter, const struct seccomp_data *data)
{
	return filter_is_harmless(filter_answer(filter->program, filter->n, data));
}

static bool allows(const struct state *state, const struct guard_filter *more, long number, const long args[6])
{
	struct seccomp_data data = { .nr = (int)number,
				     .arch = PROCESSOR_AUDIT,
				     .instruction_pointer = (uint64_t)(uintptr_t)guard_called };

	if (state->is_closed)
		return false;
	for (int i = 0; i < 6; i++)
		data.args[i] = (uint64_t)args[i];
	for (const struct guard_filter *filter = state->filters; filter; filter = filter->next)
		if (!__atomic_load_n(&filter->is_void, __ATOMIC_RELAXED) && !is_harmless(filter, &data))
			return false;
	return !more || is_harmless(more, &data);
}

bool guard_allows_with(const struct guard_filter *more, long number, const long args[6])
{
	const struct state state = now();

	return allows(&state, more, number, args);
}

/* The page of the count: a child of fork gets a wiped one, and the first page is replaced by another. */
static int32_t *begin(void)
{
	int32_t *n_calls = &hot->n_calls;

	n_own++;
	__atomic_fetch_add(n_calls, 1, __ATOMIC_SEQ_CST);
	return n_calls;
}

static void end(int32_t *n_calls)
{
	__atomic_fetch_sub(n_calls, 1, __ATOMIC_RELEASE);
	n_own--;
}

static void put_bracket(bool begins)
{
	if (begins && !bracket.depth++) {
		bracket.n_calls = begin();
		bracket.state = now();
	} else if (!begins && !--bracket.depth) {
		end(bracket.n_calls);
	}
}

/* What cannot be closed is not opened. */
static bool is_allowed(long number, const long args[6])
{
	static const long any[6] = { 3 };
	const struct state state = bracket.depth ? bracket.state : now();

	return allows(&state, NULL, number, args) && (number != SYS_openat || allows(&state, NULL, SYS_close, any));
}

bool guard_is_told(void)
{
	const struct segment *segment = agent.segment; /* in a child of fork, its parent's at first */

	if (!segment || !__atomic_load_n(&segment->is_confined, __ATOMIC_RELAXED))
		return false;
	guard_close(true);
	return true;
}

static long way(long number, const long args[6])
{
	int32_t *n_calls = begin();
	long result = -EPERM;

	if (!guard_is_told() && (!__atomic_load_n(&guard_is_on, __ATOMIC_SEQ_CST) || is_allowed(number, args)))
		result = guard_call(number, args);
	end(n_calls);
	if ((unsigned long)result < -4095ul)
		return result;
	errno = (int)-result;
	return -1;
}

void guard_start(void)
{
	call_way = way;
	call_bracket = put_bracket;
}

void guard_add(struct guard_filter *filter)
{
	filter->next = __atomic_load_n(&filters, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&filters, &filter->next, filter, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
	__atomic_store_n(&guard_is_on, true, __ATOMIC_SEQ_CST);
}

void guard_close(bool closes)
{
	__atomic_store_n(&is_closed, closes, __ATOMIC_SEQ_CST);
	__atomic_store_n(&guard_is_on, closes || filters, __ATOMIC_SEQ_CST);
}

void guard_wait(void)
{
	const uint64_t until_ns = clock_ns() + 2000000000u;

	while (__atomic_load_n(&hot->n_calls, __ATOMIC_SEQ_CST) > n_own && clock_ns() < until_ns)
		if (guard_allows(SYS_sched_yield))
			guard_call(SYS_sched_yield, (const long[6]){ 0 });
}

#ifdef SYS_readlink
enum { READ_LINK = SYS_readlink };
#else
enum { READ_LINK = SYS_readlinkat };
#endif

static bool may_load(void)
{
	static const long calls[] = { SYS_openat, SYS_read, SYS_pread64,  SYS_fstat,  SYS_newfstatat,
				      READ_LINK,  SYS_mmap, SYS_mprotect, SYS_munmap, SYS_close };

	if (guard_is_told())
		return false;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (!guard_allows(calls[i]))
			return false;
	return true;
}

void *guard_dlopen(const char *path, int flags)
{
	void *library = NULL;

	if (!glibc.dlopen)
		return NULL;
	if (flags & RTLD_NOLOAD && (!path || *path == '/'))
		return glibc.dlopen(path, flags);
	call_begin();
	if (may_load())
		library = glibc.dlopen(path, flags);
	call_end();
	return library;
}
