// SPDX-License-Identifier: Apache-2.0
/*
 * When a provider's library crashes the process or hangs, writes into the result the phase, the cause and the library,
 * and exits with status 3. Does not prevent the crash. The handler runs in a broken process: it calls only
 * async-signal-safe functions.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/clock.h"
#include "model/run/run.h"

volatile int run_guard_stop;

static struct {
	struct run_result *result;
	bool is_quiet;
	volatile sig_atomic_t is_down;
	uint64_t asked_ns; /* time of the first request to stop */
} guard;

/* A signal to the whole group arrives twice, because the recorder forwards its own. */
enum { SAME_SIGNAL_NS = 500000000 };

/* Appends to the result's error; truncates at the end of the array. */
static void say(const char *text)
{
	char *error = guard.result->error;
	size_t used = strnlen(error, sizeof guard.result->error - 1), room = sizeof guard.result->error - 1 - used;
	size_t len = strlen(text);

	len = len < room ? len : room;
	memcpy(error + used, text, len);
	error[used + len] = 0;
}

static const char *signal_name(int number)
{
	switch (number) {
	case SIGSEGV:
		return "a segmentation fault (SIGSEGV)";
	case SIGBUS:
		return "an access beyond the end of a file (SIGBUS)";
	case SIGABRT:
		return "an abort (SIGABRT)";
	case SIGFPE:
		return "an arithmetic fault (SIGFPE)";
	case SIGILL:
		return "an illegal instruction (SIGILL)";
	}
	return "a signal";
}

#if defined(__x86_64__)
static void *fault_address(const ucontext_t *context)
{
	return (void *)context->uc_mcontext.gregs[REG_RIP];
}
#elif defined(__aarch64__)
static void *fault_address(const ucontext_t *context)
{
	return (void *)context->uc_mcontext.pc;
}
#endif

static void say_where(int number, const ucontext_t *context)
{
	Dl_info info;

	if (number == SIGABRT || number == SIGALRM || !dladdr(fault_address(context), &info) || !info.dli_fname)
		return;
	say(", in the code of ");
	say(basename(info.dli_fname));
}

static void end(void) __attribute__((noreturn));
static void end(void)
{
	struct run_result *result = guard.result;

	result->exit_status = 3;
	if (result->outcome == RUN_UNFINISHED)
		result->outcome = RUN_FAILED;
	result->phases[result->phase < RUN_N_PHASES ? result->phase : 0].state = RUN_FAILED_HERE;
	if (!guard.is_quiet && write(2, "inftrace-run: ", 14) > 0 &&
	    write(2, result->error, strlen(result->error)) > 0 && write(2, "\n", 1) > 0)
		_exit(3);
	_exit(3);
}

static void brought_down(int number, siginfo_t *info, void *context)
{
	if (guard.is_down)
		_exit(3);
	guard.is_down = 1;
	guard.result->error[0] = 0;
	say("cannot ");
	say(run_result_phase_text(guard.result->phase));
	if (number == SIGALRM) {
		say(": timed out");
	} else {
		say(": killed by ");
		say(signal_name(number));
	}
	say_where(number, context);
	if (guard.result->outcome == RUN_DONE)
		say("; all figures were complete before");
	end();
}

/* inftrace-run ends with _exit, so a library called exit. */
static void ended_by_another(void)
{
	if (guard.is_down)
		return;
	guard.result->error[0] = 0;
	say("cannot ");
	say(run_result_phase_text(guard.result->phase));
	say(": a library ended the process by calling exit");
	end();
}

/* From the first inference on, a first signal ends the run cleanly. An earlier or a later one ends the process. */
static void asked_to_stop(int number)
{
	uint64_t now_ns = clock_ns();

	if (!run_guard_stop)
		guard.asked_ns = now_ns;
	if (guard.result->phase >= RUN_FIRST && now_ns - guard.asked_ns < SAME_SIGNAL_NS) {
		run_guard_stop = 1;
		return;
	}
	guard.result->error[0] = 0;
	say("cannot ");
	say(run_result_phase_text(guard.result->phase));
	say(": stopped by a signal");
	end();
}

void run_guard_start(struct run_result *result, bool is_quiet)
{
	static const int deadly[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM };
	static char stack_bytes[1 << 16];
	stack_t stack = { .ss_sp = stack_bytes, .ss_size = sizeof stack_bytes };
	struct sigaction down = { .sa_sigaction = brought_down, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction stop = { .sa_handler = asked_to_stop, .sa_flags = SA_RESTART };

	guard.result = result;
	guard.is_quiet = is_quiet;
	sigaltstack(&stack, NULL);
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		sigaction(deadly[i], &down, NULL);
	atexit(ended_by_another);
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
}

void run_guard_unloading(unsigned seconds)
{
	alarm(seconds);
}
