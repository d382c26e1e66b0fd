// SPDX-License-Identifier: Apache-2.0
/* Asks a pidfd how its process ended. Waits for no process. */
#include "capture/proc/process_end.h"

#include <errno.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <time.h>

/* linux/pidfd.h of kernel 6.15; the headers here may be older. */
struct pidfd_answer {
	uint64_t mask, cgroup;
	uint32_t pid, tgid, ppid, ids[8];
	int32_t exit_code;
};
#define PIDFD_ASK _IOWR(0xff, 11, struct pidfd_answer)
enum { PIDFD_ANSWER_EXIT = 1 << 3, PAUSE_NS = 2000000 };

bool process_end(int pidfd, int n_tries, int *wait_status)
{
	for (int i = 0; i < n_tries; i++) {
		struct pidfd_answer answer = { .mask = PIDFD_ANSWER_EXIT };

		if (i)
			nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
		if (ioctl(pidfd, PIDFD_ASK, &answer)) {
			if (errno != ESRCH)
				return false;
			continue; /* nothing was written: the mask is the one that was asked with */
		}
		*wait_status = answer.exit_code;
		if (answer.mask & PIDFD_ANSWER_EXIT)
			return true;
	}
	return false;
}
