// SPDX-License-Identifier: Apache-2.0
/*
 * Stands before the functions by which a process gives up rights or enters another root. A child of fork makes its
 * segment with its first event; after such a call it might not be allowed to, or not find the folder. So it is made
 * before the call.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "capture/agent/agent.h"
#include "capture/agent/arm/arm.h"
#include "capture/agent/glibc.h"

#define EXPORTED __attribute__((visibility("default")))

/* The name, the type and the name of each parameter, and the arguments. */
#define CHANGES(F) \
	F(setuid, (uid_t user), (user)) \
	F(seteuid, (uid_t user), (user)) \
	F(setreuid, (uid_t real_user, uid_t user), (real_user, user)) \
	F(setresuid, (uid_t real_user, uid_t user, uid_t saved), (real_user, user, saved)) \
	F(chroot, (const char *path), (path)) \
	F(unshare, (int flags), (flags)) \
	F(setns, (int fd, int type), (fd, type))

#define POINTER(name, params, args) int(*name) params;
static struct {
	CHANGES(POINTER)
} real;

static void look_up(void *to, const char *name)
{
	void *symbol = glibc_next(name);

	memcpy(to, &symbol, sizeof symbol);
}

void identity_start(void)
{
#define LOOK_UP(name, params, args) look_up(&real.name, #name);
	CHANGES(LOOK_UP)
}

#define CHANGE(name, params, args) \
	EXPORTED int name params \
	{ \
		if (!hot->generation && agent_is_wanted()) \
			agent_enter_process(); \
		if (!real.name) \
			identity_start(); \
		if (!real.name) { \
			errno = ENOSYS; \
			return -1; \
		} \
		return real.name args; \
	}
CHANGES(CHANGE)
