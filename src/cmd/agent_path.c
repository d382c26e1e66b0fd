// SPDX-License-Identifier: Apache-2.0
/* Finds the agent library. Does not load it. */
#include "cmd/agent_path.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libinftrace-agent.so"

static int take(char *path, size_t size, const char *found, struct err *err)
{
	char real[PATH_MAX];

	if (!realpath(found, real) || access(real, R_OK))
		return err_set(err, errno, "cannot use the agent %s: %s", found, strerror(errno));
	if (strpbrk(real, " :"))
		return err_set(err, EINVAL, "cannot preload the agent from '%s': the loader takes no path with a space or a colon; "
			       "move inftrace elsewhere", real);
	if (strlen(real) >= size)
		return err_set(err, ENAMETOOLONG, "cannot use the agent %s: its path is too long", found);
	strcpy(path, real);
	return 0;
}

int agent_path(char *path, size_t size, struct err *err)
{
	/* Relative to the folder of the program; the second is the build folder. */
	static const char *const places[] = { LIBRARY, "src/agent/" LIBRARY, "../" INFTRACE_LIBDIR "/inftrace/" LIBRARY };
	const char *named = getenv("INFTRACE_AGENT");
	char program[PATH_MAX], candidate[2 * PATH_MAX];
	ssize_t len;

	if (named && *named)
		return take(path, size, named, err);
	len = readlink("/proc/self/exe", program, sizeof program - 1);
	if (len < 0)
		return err_set(err, errno, "cannot find the agent: cannot read /proc/self/exe: %s", strerror(errno));
	program[len] = 0;
	dirname(program);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		snprintf(candidate, sizeof candidate, "%s/%s", program, places[i]);
		if (!access(candidate, F_OK))
			return take(path, size, candidate, err);
	}
	return err_set(err, ENOENT, "cannot find the agent: " LIBRARY " is neither in %s nor in %s/../" INFTRACE_LIBDIR "/inftrace; "
		       "install inftrace again, or set INFTRACE_AGENT to its path", program, program);
}
