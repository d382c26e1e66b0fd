// SPDX-License-Identifier: Apache-2.0
/*
 * A list of what is allowed, in the order of its use: a kernel walks it for each call. Programs cannot be started,
 * processes not looked into or signalled, probes not made, files not mounted.
 */
#include "fleet/ship/confine.h"

#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/privilege.h"

enum { NOBODY = 65534 };

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define OLD_CALLS \
	SYS_poll, SYS_epoll_wait, SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_rename, SYS_unlink, SYS_readlink, \
	    SYS_getdents64, SYS_select, SYS_pipe, SYS_mkdir, SYS_rmdir, SYS_time, SYS_chmod, SYS_arch_prctl, SYS_dup2,
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define OLD_CALLS SYS_getdents64,
#endif

static const unsigned allowed[] = { SYS_read,
				    SYS_write,
				    SYS_recvmsg,
				    SYS_sendto,
				    SYS_sendmsg,
				    SYS_recvfrom,
				    SYS_ppoll,
				    SYS_epoll_pwait,
				    SYS_epoll_ctl,
				    SYS_epoll_create1,
				    SYS_accept4,
				    SYS_accept,
				    SYS_close,
				    SYS_mmap,
				    SYS_munmap,
				    SYS_mremap,
				    SYS_mprotect,
				    SYS_madvise,
				    SYS_brk,
				    SYS_futex,
				    SYS_fstat,
				    SYS_newfstatat,
				    SYS_statx,
				    SYS_lseek,
				    SYS_pread64,
				    SYS_pwrite64,
				    SYS_readv,
				    SYS_writev,
				    SYS_clock_gettime,
				    SYS_clock_nanosleep,
				    SYS_nanosleep,
				    SYS_gettimeofday,
				    SYS_getrandom,
				    SYS_getpid,
				    SYS_gettid,
				    SYS_getuid,
				    SYS_geteuid,
				    SYS_getgid,
				    SYS_getegid,
				    SYS_rt_sigaction,
				    SYS_rt_sigprocmask,
				    SYS_rt_sigreturn,
				    SYS_sigaltstack,
				    SYS_exit,
				    SYS_exit_group,
				    SYS_sched_yield,
				    SYS_shutdown,
				    SYS_getsockopt,
				    SYS_setsockopt,
				    SYS_getsockname,
				    SYS_getpeername,
				    SYS_socket,
				    SYS_connect,
				    SYS_bind,
				    SYS_sendmmsg,
				    SYS_recvmmsg,
				    SYS_socketpair,
				    SYS_eventfd2,
				    SYS_pipe2,
				    SYS_fcntl,
				    SYS_ioctl,
				    SYS_openat,
				    SYS_faccessat,
				    SYS_renameat,
				    SYS_unlinkat,
				    SYS_readlinkat,
				    SYS_mkdirat,
				    SYS_ftruncate,
				    SYS_fsync,
				    SYS_fdatasync,
				    SYS_fallocate,
				    SYS_fchmod,
				    SYS_fchown,
				    SYS_statfs,
				    SYS_fstatfs,
				    SYS_getcwd,
				    SYS_uname,
				    SYS_sysinfo,
				    SYS_getrusage,
				    SYS_prlimit64,
				    SYS_sched_getaffinity,
				    SYS_clone,
				    SYS_clone3,
				    SYS_set_robust_list,
				    SYS_rseq,
				    SYS_prctl,
				    SYS_umask,
				    SYS_restart_syscall,
				    SYS_membarrier,
				    SYS_tgkill,
				    OLD_CALLS };

enum { N_ALLOWED = sizeof allowed / sizeof *allowed };

static int filter(void)
{
	struct sock_filter program[N_ALLOWED + 6];
	struct sock_fprog whole = { .filter = program };
	unsigned n = 0;

	program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
	program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (unsigned i = 0; i < N_ALLOWED; i++)
		program[n++] =
		    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], (uint8_t)(N_ALLOWED - i), 0);
	program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	whole.len = (unsigned short)n;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &whole);
}

_Static_assert(N_ALLOWED < 255, "jumps reach so far");

int confine(bool becomes_nobody, struct err *err)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct nothing[_LINUX_CAPABILITY_U32S_3] = { 0 };
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	/* a user who is not root has nobody else to become */
	if (becomes_nobody && !geteuid() &&
	    (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY)))
		return err_set(err, errno, "cannot give up the rights of root: %s", strerror(errno));
	/* those of the file, and those of root */
	privilege_drop();
	if (syscall(SYS_capset, &header, nothing) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || filter())
		return err_set(err, errno, "cannot filter system calls: %s", strerror(errno));
	return 0;
}
