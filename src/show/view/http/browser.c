// SPDX-License-Identifier: Apache-2.0
/* Starts xdg-open, which knows the user's browser. Nothing it prints is shown, and nothing waits for it. */
#include "show/view/http/browser.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

bool browser_is_there(void)
{
	return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
}

/* The grandchild belongs to init, so that it leaves no zombie. */
static void start(const char *address)
{
	int null;
	pid_t child = fork();

	if (child)
		_exit(child < 0);
	setsid();
	null = open("/dev/null", O_RDWR);
	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	execlp("xdg-open", "xdg-open", address, (char *)NULL);
	_exit(127);
}

bool browser_open(const char *address)
{
	int status = 1;
	pid_t child = fork();

	if (!child)
		start(address);
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}
