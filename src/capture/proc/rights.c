// SPDX-License-Identifier: Apache-2.0
/*
 * Checks /proc and the kernel for missing rights, in the order in which a user meets them. On a live machine it loads
 * and drops the smallest BPF program, because a filter of system calls can be detected in no other way. Changes
 * nothing.
 */
#include "capture/proc/rights.h"

#include <linux/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/privilege.h"
#include "capture/proc/proc.h"

static const char effective[] = "\nCapEff:";
enum { CAP_SYS_PTRACE_BIT = 19, CAP_SYS_ADMIN_BIT = 21, CAP_PERFMON_BIT = 38, CAP_BPF_BIT = 39 };

/* A capability set of this process, such as "\nCapEff:"; false: unknown. */
static bool read_rights(const char *sysroot, const char *set, uint64_t *rights)
{
	char text[8192], *at;
	ssize_t got = proc_read(sysroot, 0, "self/status", text, sizeof text - 1);

	if (got < 0)
		return false;
	text[got] = 0;
	at = strstr(text, set);
	if (!at)
		return false;
	*rights = strtoull(at + strlen(set), NULL, 16);
	return true;
}

static bool has(uint64_t rights, int bit)
{
	return rights >> bit & 1;
}

/* "[none] integrity confidentiality": the selected one. */
static bool is_locked_down(const char *sysroot)
{
	char path[300], text[128];
	ssize_t got = -1;
	int fd;

	snprintf(path, sizeof path, "%s/sys/kernel/security/lockdown", sysroot);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, sizeof text - 1);
	close(fd);
	text[got > 0 ? got : 0] = 0;
	return strstr(text, "[confidentiality]") != NULL;
}

static bool is_there(const char *sysroot, const char *name)
{
	char path[300];
	struct stat stat_;

	snprintf(path, sizeof path, "%s%s", sysroot, name);
	return !stat(path, &stat_);
}

/* Rights in a user namespace of its own (a container without privileges) do not apply to the kernel. */
static bool is_initial_user_namespace(const char *sysroot)
{
	char text[256];
	ssize_t got = proc_read(sysroot, 0, "self/uid_map", text, sizeof text - 1);
	unsigned long inside, outside, n;

	if (got < 0)
		return true;
	text[got] = 0;
	return sscanf(text, "%lu %lu %lu", &inside, &outside, &n) != 3 || (!inside && !outside && n == 4294967295u);
}

/* Whether root, or a file with capabilities, could get them here; containers drop them for all processes. */
enum bound { IS_FREE, IS_BOUND, IS_UNKNOWN };

static enum bound bound_of(const char *sysroot)
{
	uint64_t rights;

	if (!read_rights(sysroot, "\nCapBnd:", &rights))
		return IS_UNKNOWN;
	return has(rights, CAP_BPF_BIT) && has(rights, CAP_PERFMON_BIT) && has(rights, CAP_SYS_PTRACE_BIT) ? IS_FREE
													   : IS_BOUND;
}

void rights_advise(const char *sysroot, bool may_be_root, char *to, size_t size)
{
	bool is_container = is_there(sysroot, "/.dockerenv") || is_there(sysroot, "/run/.containerenv");
	enum bound bound = bound_of(sysroot);
	char path[110];
	ssize_t got = readlink("/proc/self/exe", path, sizeof path - 1);

	path[got > 0 ? got : 0] = 0;
	if (is_container && bound != IS_FREE)
		snprintf(to, size, "start the container with --cap-add BPF --cap-add PERFMON --cap-add SYS_PTRACE");
	else if (bound == IS_BOUND)
		snprintf(to, size,
			 "the bounding set of this shell lacks it, so neither sudo nor setcap helps; run it from "
			 "another shell");
	else if (got <= 0 || got == sizeof path - 1)
		snprintf(to, size, may_be_root ? "run it with sudo" : "give it CAP_SYS_PTRACE");
	else
		snprintf(to, size,
			 "%sonce: sudo sh -c 'chgrp GROUP $0; chmod 0750 $0; "
			 "setcap cap_bpf,cap_perfmon,cap_sys_ptrace=ep $0' %s",
			 may_be_root ? "run it with sudo, or " : "", path);
}

unsigned rights_count_filters(void)
{
	char text[8192];
	uint64_t mode = 0, n = 0;
	ssize_t got = proc_read("", 0, "self/status", text, sizeof text);

	if (got <= 0 || !proc_field(text, (size_t)got, "Seccomp", &mode) || !mode)
		return 0;
	return proc_field(text, (size_t)got, "Seccomp_filters", &n) && n ? (unsigned)n : 1;
}

bool rights_is_filtered(void)
{
	return rights_count_filters() != 0;
}

/* r0 = 0; exit. 0 or -errno. */
static int try_program(void)
{
	struct bpf_insn program[2] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_JMP | BPF_EXIT } };
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof attr);
	attr.prog_type = BPF_PROG_TYPE_KPROBE;
	attr.insns = (uint64_t)(uintptr_t)program;
	attr.insn_cnt = 2;
	attr.license = (uint64_t)(uintptr_t)"GPL";
	fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof attr);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int check_kernel(struct err *err)
{
	int code = try_program();

	if (!code)
		return 0;
	if (rights_is_filtered())
		return err_set(err, EPERM,
			       "cannot probe running programs: a seccomp filter blocks bpf(); start the container with "
			       "--security-opt seccomp=unconfined, or run inftrace on the host");
	if (code == -ENOSYS || code == -EINVAL)
		return err_set(err, ENOTSUP,
			       "cannot probe running programs: this kernel lacks BPF for probes (CONFIG_BPF_SYSCALL, "
			       "CONFIG_BPF_EVENTS)");
	return err_set(err, -code, "cannot probe running programs: the kernel rejects BPF programs: %s",
		       strerror(-code));
}

static int check_capabilities(const char *sysroot, struct err *err)
{
	char missing[64] = "", advice[RIGHTS_ADVICE];
	uint64_t rights;

	if (!read_rights(sysroot, effective, &rights) || has(rights, CAP_SYS_ADMIN_BIT))
		return 0;
	if (!has(rights, CAP_BPF_BIT))
		strcat(missing, " CAP_BPF");
	if (!has(rights, CAP_PERFMON_BIT))
		strcat(missing, " CAP_PERFMON");
	if (!*missing)
		return 0;
	rights_advise(sysroot, true, advice, sizeof advice);
	return err_set(err, EPERM, "cannot probe running programs: missing%s; %s", missing, advice);
}

int rights_check(const char *sysroot, struct err *err)
{
	int code;

	if (!is_there(sysroot, "/sys/bus/event_source/devices/uprobe"))
		return err_set(err, ENOTSUP,
			       "cannot probe running programs: this kernel has no uprobes, or a container hides /sys; "
			       "run inftrace on the host");
	if (is_locked_down(sysroot))
		return err_set(err, EPERM,
			       "cannot probe running programs: the kernel is locked down (confidentiality mode); boot "
			       "without lockdown");
	code = check_capabilities(sysroot, err);
	if (code)
		return code;
	if (!is_initial_user_namespace(sysroot))
		return err_set(
		    err, EPERM,
		    "cannot probe running programs: the kernel wants the capabilities in the initial user namespace, "
		    "and this is another one (an unprivileged container); run inftrace on the host");
	return *sysroot ? 0 : check_kernel(err);
}

/* Opens an event that counts nothing, on this process. */
static int try_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = PERF_COUNT_SW_DUMMY, .exclude_kernel = 1
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/*
 * Opens a probe on something that is not a file: the kernel checks the right before the file. 0, or -errno of the
 * first.
 */
static int try_probe(void)
{
	struct perf_event_attr attr = { .size = sizeof attr, .config1 = (uintptr_t)"/" };
	FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	int fd;

	if (!file)
		return 0;
	if (fscanf(file, "%u", &attr.type) != 1)
		attr.type = UINT32_MAX;
	fclose(file);
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd < 0 && (errno == EACCES || errno == EPERM) ? -errno : 0;
}

int rights_check_perf(bool are_probes, struct err *err)
{
	char level[16] = "";
	int code = are_probes ? try_probe() : try_event();
	ssize_t got = code ? proc_read("", 0, "sys/kernel/perf_event_paranoid", level, sizeof level - 1) : 0;

	if (!code)
		return 0;
	if (rights_is_filtered())
		return err_set(err, -code,
			       "a seccomp filter blocks perf_event_open(); start the container with --security-opt "
			       "seccomp=unconfined, or run inftrace on the host");
	if (are_probes)
		return err_set(
		    err, -code,
		    "this kernel needs root or CAP_SYS_ADMIN for probes by perf events; run inftrace with sudo");
	/* distributions have added levels above 2, some with CAP_PERFMON, some not */
	if (got > 0 && atoi(level) > 2)
		return err_set(err, -code,
			       "kernel.perf_event_paranoid is %d, which reserves perf events for root; run inftrace "
			       "with sudo, or run once: sudo sysctl kernel.perf_event_paranoid=2",
			       atoi(level));
	return err_set(err, -code, "the kernel rejects perf events: %s; run inftrace with sudo", strerror(-code));
}

static int refuse_map(const char *sysroot, pid_t pid, int code, struct err *err)
{
	char advice[RIGHTS_ADVICE];
	uint64_t rights = 0;

	if (!read_rights(sysroot, effective, &rights) || has(rights, CAP_SYS_PTRACE_BIT))
		return err_set(err, code,
			       "cannot attach to process %d: cannot read /proc/%d/maps: %s; CAP_SYS_PTRACE is present, "
			       "so a security module may forbid it",
			       (int)pid, (int)pid, strerror(code));
	rights_advise(sysroot, true, advice, sizeof advice);
	if (privilege_is_for_everybody())
		return err_set(err, code,
			       "cannot attach to process %d: every user may execute this inftrace, so it reaches your "
			       "own programs only; %s",
			       (int)pid, advice);
	return err_set(err, code,
		       "cannot attach to process %d: this needs CAP_SYS_PTRACE, because the process has another user "
		       "or more privileges than inftrace; %s",
		       (int)pid, advice);
}

/* The kernel's version is at least this; true if it cannot be read. */
static bool is_kernel_since(const char *sysroot, unsigned major, unsigned minor)
{
	unsigned its_major, its_minor;
	char text[128];
	ssize_t got = proc_read(sysroot, 0, "sys/kernel/osrelease", text, sizeof text - 1);

	text[got > 0 ? got : 0] = 0;
	return sscanf(text, "%u.%u", &its_major, &its_minor) != 2 || its_major > major ||
	       (its_major == major && its_minor >= minor);
}

int rights_check_returns(const char *sysroot, pid_t pid, struct err *err)
{
	char text[8192], *features;
	ssize_t got = proc_read(sysroot, pid, "status", text, sizeof text - 1);

	text[got > 0 ? got : 0] = 0;
	features = strstr(text, "\nx86_Thread_features:");
	if (features)
		features[1 + strcspn(features + 1, "\n")] = 0;
	if (!features || !strstr(features, "shstk") || is_kernel_since(sysroot, 6, 11))
		return 0;
	return err_set(
	    err, ENOTSUP,
	    "cannot probe process %d: it has a shadow stack, and probes on returns would kill it before Linux "
	    "6.11; start it with GLIBC_TUNABLES=glibc.cpu.x86_shstk=off, or use attach --inject",
	    (int)pid);
}

bool rights_is_yama(const char *sysroot, char *why, size_t size)
{
	char scope[16] = "", advice[RIGHTS_ADVICE];
	uint64_t rights = 0;

	*why = 0;
	if (proc_read(sysroot, 0, "sys/kernel/yama/ptrace_scope", scope, sizeof scope - 1) <= 0 || *scope < '1' ||
	    *scope > '3')
		return false;
	if (*scope == '3') {
		snprintf(
		    why, size,
		    "kernel.yama.ptrace_scope is 3, which forbids it to all users until a reboot without that setting");
		return true;
	}
	if (read_rights(sysroot, effective, &rights) && has(rights, CAP_SYS_PTRACE_BIT))
		return false;
	rights_advise(sysroot, false, advice, sizeof advice);
	snprintf(why, size, "kernel.yama.ptrace_scope is %c and CAP_SYS_PTRACE is missing; %s", *scope, advice);
	return true;
}

static int refuse_memory(pid_t pid, struct err *err)
{
	char why[RIGHTS_WHY];
	uint64_t rights;

	if (read_rights("", effective, &rights) && has(rights, CAP_SYS_PTRACE_BIT))
		return err_set(err, EPERM,
			       "models already loaded by process %d will be unnamed: cannot read its memory although "
			       "CAP_SYS_PTRACE is present (%s)",
			       (int)pid,
			       rights_is_filtered() ? "a seccomp filter blocks process_vm_readv()"
						    : "a security module may forbid it");
	if (rights_is_yama("", why, sizeof why))
		return err_set(err, EPERM,
			       "models already loaded by process %d will be unnamed: cannot read its memory: %s",
			       (int)pid, why);
	return err_set(
	    err, EPERM,
	    "models already loaded by process %d will be unnamed: cannot read its memory without CAP_SYS_PTRACE",
	    (int)pid);
}

int rights_check_pid(const char *sysroot, pid_t pid, struct err *err)
{
	unsigned long long start;
	struct iovec to, from;
	char text[256];
	ssize_t got = proc_read(sysroot, pid, "maps", text, sizeof text - 1);

	if (got == -ENOENT || got == -ESRCH)
		return err_set(err, ESRCH, "cannot attach to process %d: no such process", (int)pid);
	if (got < 0)
		return refuse_map(sysroot, pid, (int)-got, err);
	text[got] = 0;
	if (*sysroot || sscanf(text, "%llx-", &start) != 1)
		return 0;
	to = (struct iovec){ text, 1 };
	from = (struct iovec){ (void *)(uintptr_t)start, 1 };
	if (process_vm_readv(pid, &to, 1, &from, 1, 0) < 0 && errno == EPERM)
		return refuse_memory(pid, err);
	return 0;
}
