// SPDX-License-Identifier: Apache-2.0
/* Calls that wait, by number; a call that is not listed hardly ever blocks. Numbers differ by processor. */
#include "capture/stacks/stack_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

struct call {
	const char *name;
	enum stack_call_kind kind;
};

#define CALL(name, kind) [SYS_##name] = { #name, kind },

static const struct call calls[] = {
	CALL(read, CALL_FILE) CALL(write, CALL_FILE) CALL(readv, CALL_FILE) CALL(writev, CALL_FILE) CALL(
	    pread64, CALL_FILE) CALL(pwrite64, CALL_FILE) CALL(preadv, CALL_FILE) CALL(pwritev, CALL_FILE)
	    CALL(preadv2, CALL_FILE) CALL(pwritev2, CALL_FILE) CALL(sendfile, CALL_FILE) CALL(splice, CALL_FILE) CALL(
		copy_file_range, CALL_FILE) CALL(fsync, CALL_FILE) CALL(fdatasync, CALL_FILE)
		CALL(sync_file_range, CALL_FILE) CALL(ftruncate, CALL_FILE) CALL(fallocate, CALL_FILE) CALL(
		    flock, CALL_FILE) CALL(fcntl, CALL_FILE) CALL(ioctl, CALL_FILE) CALL(getdents64, CALL_FILE)
		    CALL(close, CALL_FILE) CALL(recvfrom, CALL_FILE) CALL(recvmsg, CALL_FILE) CALL(recvmmsg, CALL_FILE)
			CALL(sendto,
			     CALL_FILE) CALL(sendmsg, CALL_FILE) CALL(sendmmsg, CALL_FILE) CALL(accept, CALL_FILE)
			    CALL(accept4, CALL_FILE) CALL(connect, CALL_FILE) CALL(openat, CALL_OTHER)
				CALL(newfstatat, CALL_OTHER) CALL(statx, CALL_OTHER) CALL(epoll_pwait, CALL_OTHER) CALL(
				    ppoll, CALL_POLL) CALL(pselect6,
							   CALL_SELECT) CALL(nanosleep, CALL_SLEEP)
				    CALL(clock_nanosleep, CALL_SLEEP) CALL(futex, CALL_FUTEX) CALL(wait4, CALL_OTHER)
					CALL(waitid, CALL_OTHER) CALL(execve, CALL_OTHER) CALL(msync, CALL_OTHER) CALL(
					    mmap, CALL_OTHER) CALL(munmap, CALL_OTHER)
					    CALL(mprotect, CALL_OTHER) CALL(madvise, CALL_OTHER) CALL(brk, CALL_OTHER)
						CALL(sync, CALL_OTHER) CALL(restart_syscall, CALL_OTHER) CALL(
						    rt_sigsuspend, CALL_OTHER) CALL(rt_sigtimedwait, CALL_OTHER)
						    CALL(semop, CALL_OTHER)
							CALL(semtimedop, CALL_OTHER) CALL(msgrcv, CALL_OTHER) CALL(
							    msgsnd, CALL_OTHER) CALL(mq_timedreceive, CALL_FILE)
							    CALL(mq_timedsend, CALL_FILE) CALL(io_getevents, CALL_OTHER)
								CALL(io_uring_enter, CALL_FILE) CALL(
								    getrandom, CALL_OTHER) CALL(unlinkat, CALL_OTHER)
								    CALL(renameat2, CALL_OTHER) CALL(
									clone, CALL_OTHER) CALL(exit_group, CALL_OTHER)
#ifdef SYS_poll
									CALL(poll, CALL_POLL) CALL(select, CALL_SELECT)
									    CALL(epoll_wait,
										 CALL_OTHER) CALL(open, CALL_OTHER)
										CALL(pause, CALL_OTHER) CALL(vfork,
													     CALL_OTHER)
										    CALL(fork, CALL_OTHER)
											CALL(rename, CALL_OTHER)
											    CALL(unlink, CALL_OTHER)
												CALL(stat, CALL_OTHER)
#endif
};

#undef CALL

const char *stack_call_name(int64_t number, enum stack_call_kind *kind)
{
	const struct call *call = number >= 0 && (size_t)number < sizeof calls / sizeof *calls ? &calls[number] : NULL;

	*kind = call ? call->kind : CALL_OTHER;
	return call ? call->name : NULL;
}

bool stack_call_parse(const char *text, size_t len, struct stack_call *to)
{
	char line[256];

	if (!len || len >= sizeof line)
		return false;
	memcpy(line, text, len);
	line[len] = 0;
	*to = (struct stack_call){ .number = -1 };
	if (!strncmp(line, "running", 7)) {
		to->is_running = true;
		return true;
	}
	if (sscanf(line,
		   "%" SCNd64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
		   " %" SCNx64,
		   &to->number, &to->arg[0], &to->arg[1], &to->arg[2], &to->arg[3], &to->arg[4], &to->arg[5], &to->sp,
		   &to->pc) == 9)
		return true;
	*to = (struct stack_call){ .number = -1 };
	return sscanf(line, "-1 %" SCNx64 " %" SCNx64, &to->sp, &to->pc) == 2;
}
