// SPDX-License-Identifier: Apache-2.0
/*
 * Reads each seccomp filter before the kernel gets it. One that can only refuse calls changes nothing: the agent takes
 * a call that fails as it comes. One that can kill is kept for the guard (guard.c). Before it counts, the agent lays in
 * what it will not be able to get any more. Its answers for the agent's calls say what will not be recorded.
 *
 * Not seen are filters set by a system call instruction in the program's own code (Go), or through a pointer to the C
 * library's function that was looked up in the C library alone.
 */
#include "capture/agent/exec/sandbox.h"

#include <elf.h>
#include <errno.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/processor.h"
#include "base/syscalls.h"
#include "capture/agent/agent.h"
#include "capture/agent/exec/exec_env.h"
#include "capture/agent/filter.h"
#include "capture/agent/glibc.h"
#include "capture/agent/guard.h"
#include "capture/agent/replace/hook.h"
#include "capture/agent/replace/jump.h"
#include "runtime/find/peek.h"

#define EXPORTED __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))

/* What a call changes, and what it needs to undo that. */
enum step_kind { STEP_NONE, STEP_STRICT, STEP_FILTER, STEP_CLOCK };
struct step {
	enum step_kind kind;
	bool can_kill, closes, is_borrowed;
	struct guard_filter *filter;
	uint32_t cost;
};

#define ARGS long a, long b, long c, long d, long e, long f
#define PASS a, b, c, d, e, f
typedef long syscall_function(long number, ARGS);
typedef int prctl_function(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);

/* The C library's own: what it does is one instruction, errno apart. */
static long call_directly(long number, ARGS)
{
	long result = guard_call(number, (const long[6]){ PASS });

	if ((unsigned long)result < -4095ul)
		return result;
	errno = (int)-result;
	return -1;
}

static int prctl_directly(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	return (int)call_directly(SYS_prctl, option, (long)a, (long)b, (long)c, (long)d, 0);
}

/* Never NULL: a constructor of another library may run before this one's. */
HIDDEN syscall_function *sandbox_next_syscall = call_directly;
static prctl_function *next_prctl = prctl_directly;

/* What this library defines for the program, under names that the C library does not have. */
HIDDEN int sandbox_prctl(int option, ...);
HIDDEN long sandbox_syscall(long number, ...);

static bool can_kill; /* a filter of this process */
static void (*before_kill)(void);
/* A child of vfork that has set a filter that can kill, 0: none. NULL: the filter could not be read. */
static pid_t borrower;
static const struct guard_filter *borrowers;

static enum step_kind kind_of(long number, const long args[6])
{
	bool is_prctl = number == SYS_prctl;
	int what = (int)args[0];

	if (is_prctl && what == PR_SET_TSC)
		return (int)args[1] == PR_TSC_SIGSEGV ? STEP_CLOCK : STEP_NONE;
	if (is_prctl && what == PR_SET_SECCOMP)
		return args[1] == SECCOMP_MODE_STRICT		   ? STEP_STRICT
		       : args[1] == SECCOMP_MODE_FILTER && args[2] ? STEP_FILTER
								   : STEP_NONE;
	if (number == SYS_seccomp && what == SECCOMP_SET_MODE_STRICT)
		return (int)args[1] || args[2] ? STEP_NONE : STEP_STRICT;
	return number == SYS_seccomp && what == SECCOMP_SET_MODE_FILTER && args[2] ? STEP_FILTER : STEP_NONE;
}

static bool can_read(uint64_t at, size_t bytes)
{
	char byte;

	return peek_read(at, &byte, 1) && peek_read(at + bytes - 1, &byte, 1);
}

/* A copy of the filter; NULL: out of memory, or unreadable, to which the kernel may have another opinion. */
static struct guard_filter *copy_filter(const struct sock_fprog *program)
{
	size_t bytes = program->len * sizeof *program->filter;
	struct guard_filter *filter = NULL;

	if (agent_try_lock()) {
		filter = arena_alloc(&agent.arena, sizeof *filter + bytes);
		agent_unlock();
	}
	if (!filter || !peek_read((uint64_t)(uintptr_t)program->filter, filter->program, bytes))
		return NULL;
	filter->n = program->len;
	return filter;
}

struct call {
	long number;
	long args[6];
};

static bool allows(const struct guard_filter *filter, const struct call *calls)
{
	for (; calls->number >= 0; calls++)
		if (!guard_allows_with(filter, calls->number, calls->args))
			return false;
	return true;
}

#define CALLS(...) ((const struct call[]){ __VA_ARGS__, { -1, { 0 } } })
#define MAP { SYS_mmap, { 0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 } }
#define UNMAP { SYS_munmap, { 4096, 4096 } }
#define PROTECT \
	{ \
		SYS_mprotect, \
		{ \
			4096, 4096, PROT_READ | PROT_WRITE \
		} \
	}
#define POPULATE { SYS_madvise, { 4096, 4096, 23 } }
#define REMAP \
	{ \
		SYS_mremap, \
		{ \
			4096, 0, 8192, MREMAP_MAYMOVE \
		} \
	}
#define OPEN(flags) \
	{ \
		SYS_openat, \
		{ \
			AT_FDCWD, 4096, flags \
		} \
	}
#define CLOSE { SYS_close, { 3 } }

static bool can_read_memory(const struct guard_filter *filter)
{
	return allows(filter, CALLS({ SYS_getpid, { 0 } }, { SYS_process_vm_readv, { 1, 4096, 1, 4096, 1, 0 } })) ||
	       allows(filter, CALLS(OPEN(O_RDONLY | O_CLOEXEC), { SYS_pread64, { 3, 4096, 8, 4096 } }, CLOSE)) ||
	       allows(filter, CALLS({ SYS_futex, { 4096, FUTEX_CMP_REQUEUE_PRIVATE, 0, 0, 4096, 0 } }));
}

/* What is not recorded any more under this filter: enum filter_cost. */
static uint32_t cost_of(const struct guard_filter *filter)
{
	uint32_t cost = FILTER_PROGRAMS;

	if (!can_read_memory(filter))
		cost |= FILTER_NAMES;
	if (!allows(filter, CALLS(REMAP, POPULATE, MAP)))
		cost |= FILTER_ROOM;
	if (!allows(filter, CALLS(MAP, UNMAP, PROTECT)))
		cost |= FILTER_RUNTIMES;
	if (!allows(filter,
		    CALLS(OPEN(O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW), { SYS_ftruncate, { 3, 4096 } }, MAP,
			  REMAP, POPULATE, CLOSE, { SYS_renameat, { AT_FDCWD, 4096, AT_FDCWD, 4096 } },
			  { SYS_prlimit64, { 0, RLIMIT_AS, 0, 4096 } }, { SYS_getpid, { 0 } })))
		cost |= FILTER_FORKS;
	if (!allows(filter, CALLS({ SYS_getrusage, { RUSAGE_THREAD, 4096 } },
				  { SYS_clock_gettime, { CLOCK_THREAD_CPUTIME_ID, 4096 } })))
		cost |= FILTER_USAGE;
	return cost;
}

/* Whether the C library asks the kernel for the time, because the vDSO cannot tell it. */
static bool is_clock_a_call(void)
{
	static const char *const in_vdso[] = { "tsc\n", "kvm-clock\n", "hyperv_clocksource_tsc_page\n",
					       "arch_sys_counter\n" };
	char name[64] = "";
	int fd;

	call_begin();
	fd = call_open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC, 0);
	if (fd >= 0) {
		call_read(fd, name, sizeof name - 1);
		call_close(fd);
	}
	call_end();
	for (unsigned i = 0; i < sizeof in_vdso / sizeof *in_vdso && getauxval(AT_SYSINFO_EHDR); i++)
		if (!strcmp(name, in_vdso[i]))
			return false;
	return true;
}

/* Why no hook may do anything under this filter, not even call the runtime, which takes memory; NULL: it may. */
static const char *why_stop(const struct guard_filter *filter)
{
	if (!filter)
		return "the program has set a seccomp filter that cannot be read";
	if (!allows(filter, CALLS({ SYS_brk, { 4096 } }, MAP)))
		return "the program has set a seccomp filter that kills it if it takes memory";
	if (!allows(filter, CALLS({ SYS_clock_gettime, { CLOCK_MONOTONIC, 4096 } })) && is_clock_a_call())
		return "the program has set a seccomp filter that kills it if it reads the clock";
	return NULL;
}

/* Says when; afterwards nobody may ask. */
static void say_when(void)
{
	if (agent.segment && hot->generation && !agent.segment->filtered)
		__atomic_store_n(&agent.segment->filtered, agent_now(), __ATOMIC_RELEASE);
}

static void halt(const char *why)
{
	say_when();
	agent_halt(why);
}

/* Refuses all calls: none that hooks make from now on is worth a look at a filter. */
static void stop(struct step *step, const char *why)
{
	if (before_kill)
		before_kill();
	guard_close(true);
	step->closes = true;
	guard_wait();
	halt(why);
}

/* In a child of vfork the memory belongs to the parent, to which the filter does not apply. */
static bool is_borrowed(void)
{
	int pid = hot->generation && agent.segment ? call_pid() : 0;

	return pid > 0 && pid != agent.segment->pid;
}

static void begin_filter(struct step *step, uint64_t at)
{
	struct sock_fprog program;
	const char *why;

	if (!peek_read(at, &program, sizeof program))
		program.len = 0;
	if (!program.len || program.len > BPF_MAXINSNS)
		return;
	/* the kernel cannot read it either */
	if (!guard_is_on && !can_read((uint64_t)(uintptr_t)program.filter, program.len * sizeof *program.filter))
		return;
	step->filter = copy_filter(&program);
	step->can_kill = !step->filter || filter_can_kill(step->filter->program, step->filter->n);
	if (!step->can_kill)
		return;
	if (step->is_borrowed) {
		borrowers = step->filter;
		borrower = call_pid();
		return;
	}
	if (before_kill)
		before_kill();
	if (!hot->generation && agent_is_wanted())
		agent_enter_process(); /* a child of fork, for the last time perhaps */
	why = why_stop(step->filter);
	if (why) {
		stop(step, why);
		return;
	}
	step->cost = cost_of(step->filter);
	if ((step->cost & FILTER_ROOM) && hot->level && agent.segment && agent_try_lock()) {
		agent_lay_in();
		agent_unlock();
	}
	guard_add(step->filter);
	guard_wait();
}

static void count_filters(int more)
{
	uint32_t n = __atomic_add_fetch(&agent.n_filters, (uint32_t)more, __ATOMIC_RELAXED);

	if (agent.segment && hot->generation)
		__atomic_store_n(&agent.segment->n_filters, n, __ATOMIC_RELAXED);
}

static void begin(struct step *step, long number, const long args[6])
{
	int saved = errno;

	*step = (struct step){ .kind = kind_of(number, args) };
	step->is_borrowed = step->kind != STEP_NONE && is_borrowed();
	if (step->kind == STEP_STRICT && !step->is_borrowed)
		stop(step, "the program has entered seccomp's strict mode");
	else if (step->kind == STEP_CLOCK && !step->is_borrowed)
		halt("the program has forbidden itself to read the " PROCESSOR_COUNTER_TITLE " (PR_SET_TSC)");
	else if (step->kind == STEP_FILTER)
		begin_filter(step, (uint64_t)args[2]);
	/* before the kernel does: the recorder counts, too */
	if (step->kind == STEP_FILTER && !step->is_borrowed)
		count_filters(1);
	errno = saved;
}

static void tell(const struct step *step)
{
	if (agent.segment && hot->generation)
		__atomic_fetch_or(&agent.segment->filter_cost, step->cost, __ATOMIC_RELAXED);
	say_when();
}

static void end(struct step *step, bool is_done)
{
	int saved = errno;

	if (step->kind == STEP_FILTER && is_done)
		exec_env_filters(agent.n_filters + step->is_borrowed);
	if (step->kind == STEP_NONE || step->is_borrowed)
		return;
	if (step->kind == STEP_FILTER && !is_done)
		count_filters(-1);
	if (step->closes && !is_done)
		guard_close(false);
	else if (step->can_kill && step->filter && !is_done)
		__atomic_store_n(&step->filter->is_void, true, __ATOMIC_RELEASE);
	can_kill |= is_done && (step->can_kill || step->kind == STEP_STRICT);
	if (step->cost && is_done)
		tell(step);
	errno = saved;
}

bool sandbox_lets_next_start(void)
{
	static const struct call pid = { SYS_getpid, { 0 } };

	if (can_kill || guard_is_told() || !borrower)
		return !can_kill && !guard_is_told();
	return borrowers && guard_allows_with(borrowers, pid.number, pid.args) && call_pid() != borrower;
}

static uint32_t number_behind(const char *text, const char *name)
{
	const char *at = text ? strstr(text, name) : NULL;
	uint32_t number = 0;

	for (at = at ? at + strlen(name) : ""; *at == ' ' || *at == '\t'; at++)
		;
	for (; *at >= '0' && *at <= '9'; at++)
		number = number * 10 + (uint32_t)(*at - '0');
	return number;
}

/* How many filters apply; kernels before 5.9 only say that there are some. */
static uint32_t read_filters(void)
{
	char text[8192];
	int fd = call_open("/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
	ssize_t got = fd < 0 ? 0 : call_read(fd, text, sizeof text - 1);
	uint32_t n;

	if (fd >= 0)
		call_close(fd);
	text[got > 0 ? got : 0] = 0;
	n = number_behind(text, "\nSeccomp_filters:");
	return n || number_behind(text, "\nSeccomp:") != SECCOMP_MODE_FILTER ? n : 1;
}

bool sandbox_start(void (*departs)(void))
{
	const char *known = getenv("INFTRACE_FILTERS");
	void *found = glibc_next("syscall");

	if (found)
		memcpy(&sandbox_next_syscall, &found, sizeof found);
	found = glibc_next("prctl");
	if (found)
		memcpy(&next_prctl, &found, sizeof found);
	before_kill = departs;
	agent.n_filters = read_filters();
	return !known || agent.n_filters <= number_behind(known, "");
}

void *sandbox_instead_of(const char *name, const void *found)
{
	if (found == (void *)sandbox_next_syscall && !strcmp(name, "syscall"))
		return (void *)sandbox_syscall;
	return found == (void *)next_prctl && !strcmp(name, "prctl") ? (void *)sandbox_prctl : NULL;
}

bool sandbox_watch(const struct image *image)
{
	int n = 0;

	if (hook_has_import(image, "prctl"))
		n += hook_import(image, "prctl", (void *)sandbox_prctl);
	if (hook_has_import(image, "syscall"))
		n += hook_import(image, "syscall", (void *)sandbox_syscall);
	return n != 0;
}

/* syscall() leads here with a call that may change what the process may do. */
HIDDEN __attribute__((used)) long sandbox_call(long number, ARGS);

long sandbox_call(long number, ARGS)
{
	struct step step;
	long result;

	begin(&step, number, (const long[6]){ PASS });
	result = sandbox_next_syscall(number, PASS);
	end(&step, result == 0 || (result > 0 && ((unsigned long)b & SECCOMP_FILTER_FLAG_NEW_LISTENER)));
	return result;
}

EXPORTED int prctl(int option, ...) __attribute__((alias("sandbox_prctl")));

int sandbox_prctl(int option, ...)
{
	unsigned long args[4];
	struct step step;
	va_list list;
	int result;

	va_start(list, option);
	for (int i = 0; i < 4; i++)
		args[i] = va_arg(list, unsigned long);
	va_end(list);
	begin(&step, SYS_prctl,
	      (const long[6]){ option, (long)args[0], (long)args[1], (long)args[2], (long)args[3], 0 });
	result = next_prctl(option, args[0], args[1], args[2], args[3]);
	end(&step, result == 0);
	return result;
}

/* A tail jump for all other calls: one that returns twice must return to the program. */
JUMP_BY_NUMBER(syscall, sandbox_syscall, SYS_seccomp, SYS_prctl, sandbox_call, sandbox_next_syscall);
