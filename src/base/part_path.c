// SPDX-License-Identifier: Apache-2.0
/* Finds the agent library and the runner. Does not load or start them. */
#include "base/part_path.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct part {
	const char *what, *file, *variable;
	int mode; /* for access */
};

static int take(const struct part *part, char *path, size_t size, const char *found, struct err *err)
{
	char real[PATH_MAX];

	if (!realpath(found, real) || access(real, part->mode))
		return err_set(err, errno, "cannot use the %s %s: %s", part->what, found, strerror(errno));
	if (strlen(real) >= size)
		return err_set(err, ENAMETOOLONG, "cannot use the %s %s: its path is too long", part->what, found);
	strcpy(path, real);
	return 0;
}

static int find(const struct part *part, char *path, size_t size, struct err *err)
{
	/* in a build folder; in an installation; in a package that has no folders of one kind of machine */
	static const char *const folders[] = { "", "../" INFTRACE_LIBDIR "/inftrace/", "../lib/inftrace/" };
	const char *named = secure_getenv(part->variable);
	char program[PATH_MAX], candidate[2 * PATH_MAX];
	ssize_t len;

	if (named && *named)
		return take(part, path, size, named, err);
	len = readlink("/proc/self/exe", program, sizeof program - 1);
	if (len < 0)
		return err_set(err, errno, "cannot find the %s: cannot read /proc/self/exe: %s", part->what,
			       strerror(errno));
	program[len] = 0;
	dirname(program);
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		snprintf(candidate, sizeof candidate, "%s/%s%s", program, folders[i], part->file);
		if (!access(candidate, F_OK))
			return take(part, path, size, candidate, err);
	}
	return err_set(err, ENOENT,
		       "cannot find the %s: %s is neither in %s nor in %s/../" INFTRACE_LIBDIR "/inftrace; "
		       "install inftrace again, or set %s to its path",
		       part->what, part->file, program, program, part->variable);
}

int agent_path(char *path, size_t size, struct err *err)
{
	static const struct part agent = { "agent", "libinftrace-agent.so", "INFTRACE_AGENT", R_OK };

	return find(&agent, path, size, err);
}

int agent_preload_path(char *path, size_t size, struct err *err)
{
	int code = agent_path(path, size, err);

	if (!code && strpbrk(path, " :"))
		return err_set(err, EINVAL,
			       "cannot preload the agent from '%s': the loader takes no path with a space or a colon; "
			       "move inftrace elsewhere",
			       path);
	return code;
}

int runner_path(char *path, size_t size, struct err *err)
{
	static const struct part runner = { "runner", "inftrace-run", "INFTRACE_RUN", X_OK };

	return find(&runner, path, size, err);
}
