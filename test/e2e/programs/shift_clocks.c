/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded: moves the kernel's clocks for inftrace alone, by the nanoseconds in the file $SHIFT_CLOCKS
 * (CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME), which a test changes meanwhile. The processor's counter stays as
 * it is.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *shift;

__attribute__((constructor)) static void open_file(void)
{
	const char *path = getenv("SHIFT_CLOCKS");
	int fd = path && !strcmp(program_invocation_short_name, "inftrace") ? open(path, O_RDONLY) : -1;
	void *at = fd < 0 ? MAP_FAILED : mmap(NULL, 24, PROT_READ, MAP_SHARED, fd, 0);

	shift = at == MAP_FAILED ? NULL : at;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	long code = syscall(SYS_clock_gettime, clock, time);
	int64_t ns;

	if (code || !shift || (clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME && clock != CLOCK_REALTIME))
		return (int)code;
	ns = time->tv_nsec + shift[clock == CLOCK_MONOTONIC ? 0 : clock == CLOCK_BOOTTIME ? 1 : 2];
	time->tv_sec += ns / 1000000000 - (ns % 1000000000 < 0);
	time->tv_nsec = ns % 1000000000 + (ns % 1000000000 < 0 ? 1000000000 : 0);
	return 0;
}
