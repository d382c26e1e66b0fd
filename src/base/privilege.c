// SPDX-License-Identifier: Apache-2.0
/*
 * Knows capabilities of the file by AT_SECURE, which the kernel sets when exec has granted more than the caller had.
 * Keeps no state: what may be used is the permitted set, what is used the effective one.
 */
#include "base/privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF 39
#endif

struct sets {
	struct __user_cap_data_struct half[_LINUX_CAPABILITY_U32S_3];
};

static bool get(struct sets *sets)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return !syscall(SYS_capget, &header, sets->half);
}

static bool set(const struct sets *sets)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return !syscall(SYS_capset, &header, sets->half);
}

/* Whether the file has granted what the user does not have. */
static bool is_granted(void)
{
	return getauxval(AT_SECURE) && getuid();
}

bool privilege_is_for_everybody(void)
{
	struct stat stat_;

	return is_granted() && (stat("/proc/self/exe", &stat_) || (stat_.st_mode & S_IXOTH));
}

int privilege_begin(bool is_needed, struct err *err)
{
	static const uint32_t harmless = 1u << (CAP_PERFMON - 32) | 1u << (CAP_BPF - 32);
	struct sets sets;

	if (!is_granted())
		return 0;
	if (geteuid() != getuid() || getegid() != getgid())
		return err_set(err, EPERM,
			       "cannot run setuid or setgid; chmod u-s,g-s, and grant capabilities as doc/attach.md "
			       "says");
	if (!get(&sets))
		return err_set(err, errno, "cannot read the capabilities of this process: %s", strerror(errno));
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		sets.half[i].effective = 0;
		if (!is_needed)
			sets.half[i].permitted = 0;
		else if (privilege_is_for_everybody())
			sets.half[i].permitted &= i ? harmless : 0;
	}
	if (!set(&sets))
		return err_set(err, errno, "cannot give up capabilities: %s", strerror(errno));
	/* the kernel hides such a process, and what it forks, from its own user; nothing is left to hide */
	if (!is_needed)
		prctl(PR_SET_DUMPABLE, 1);
	return 0;
}

bool privilege_use(bool is_on)
{
	bool was_on = false;
	int saved = errno;
	struct sets sets;

	if (!is_granted() || !get(&sets))
		return false;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		was_on |= sets.half[i].effective != 0;
		sets.half[i].effective = is_on ? sets.half[i].permitted : 0;
	}
	set(&sets);
	errno = saved;
	return was_on;
}

bool privilege_reach(void)
{
	return privilege_is_for_everybody() && privilege_use(false);
}

void privilege_drop(void)
{
	static const struct sets none;

	/* root has no lesser user to run it as */
	if (!getuid())
		return;
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (!set(&none))
		_exit(1);
}
