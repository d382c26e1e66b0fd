// SPDX-License-Identifier: Apache-2.0
/* The thread that fetches what a device's library has recorded. Does not know the library. */
#include "capture/agent/device/device_flusher.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/clock.h"
#include "base/syscalls.h"
#include "capture/agent/glibc.h"

enum { FLUSH_MS = 100 };

static void sleep_until_told(struct device_flusher *flusher)
{
	struct timespec time = { .tv_nsec = (flusher->ms ? flusher->ms : FLUSH_MS) * 1000000l };

	CALL(SYS_futex, (long)&flusher->command, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, DEVICE_GO_ON, (long)&time);
}

static void *run(void *arg)
{
	struct device_flusher *flusher = arg;
	uint32_t number = __atomic_load_n(&flusher->running, __ATOMIC_ACQUIRE), command;

	CALL(SYS_prctl, PR_SET_NAME, (long)"inftrace-gpu");
	do {
		if (__atomic_load_n(&flusher->command, __ATOMIC_ACQUIRE) == DEVICE_GO_ON)
			sleep_until_told(flusher);
		command = __atomic_exchange_n(&flusher->command, DEVICE_GO_ON, __ATOMIC_ACQ_REL);
		if (!flusher->turn(command))
			break;
	} while (command != DEVICE_LEAVE);
	/* another one may have been started meanwhile */
	__atomic_compare_exchange_n(&flusher->running, &number, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	return NULL;
}

bool device_flusher_start(struct device_flusher *flusher)
{
	uint64_t every = ~0ull, before = 0;
	pthread_t thread;
	int failed;

	if (!glibc.pthread_create || !glibc.pthread_detach)
		return false;
	flusher->pid = call_pid();
	flusher->command = DEVICE_GO_ON;
	__atomic_store_n(&flusher->running, ++flusher->n_threads, __ATOMIC_RELEASE);
	CALL(SYS_rt_sigprocmask, SIG_SETMASK, (long)&every, (long)&before, sizeof every);
	failed = glibc.pthread_create(&thread, NULL, run, flusher);
	CALL(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof before);
	if (failed)
		flusher->running = 0;
	else
		glibc.pthread_detach(thread);
	return !failed;
}

bool device_flusher_runs(const struct device_flusher *flusher)
{
	return __atomic_load_n(&flusher->running, __ATOMIC_ACQUIRE) && flusher->pid == call_pid();
}

static void tell(struct device_flusher *flusher, enum device_command command)
{
	__atomic_store_n(&flusher->command, command, __ATOMIC_RELEASE);
	CALL(SYS_futex, (long)&flusher->command, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, 0);
}

bool device_wait(const uint32_t *word, uint32_t value, unsigned ms)
{
	uint64_t until_ns = clock_ns() + ms * 1000000ull;

	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) {
		if (clock_ns() >= until_ns)
			return false;
		call_sleep_ns(1000000);
	}
	return true;
}

bool device_flusher_end(struct device_flusher *flusher, unsigned ms)
{
	if (!device_flusher_runs(flusher))
		return true;
	tell(flusher, DEVICE_LEAVE);
	return device_wait(&flusher->running, 0, ms);
}
