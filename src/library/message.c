// SPDX-License-Identifier: Apache-2.0
/* One line of text for each thread. Most failures have the same reason always: these are in a table. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "inftrace_profile.h"
#include "library/library_in.h"

static __thread char message[400];

static const struct {
	int code;
	const char *text;
} reasons[] = {
	{ -EINVAL, "an argument is missing, or has a value that makes no sense" },
	{ -EBADF, "the handle is closed" },
	{ -EBUSY, "the recorder that started the program has ended: start both again; or inftrace attach --inject "
		  "records this child of fork with its parent: end it" },
	{ -EAGAIN, "handles of latencies run without operators: stop them, and start this one before them" },
	{ -ENOENT, "there is no such program, or no libinftrace-agent.so beside the library" },
	{ -EALREADY, "it is so already" },
	{ -EDEADLK, "a callback cannot wait for itself" },
	{ -ECHILD, "handles of the parent do not run in a child of fork" },
	{ -EPERM, "the program is setuid, has capabilities of its file, or runs with INFTRACE_DISABLE" },
	{ -EIO, "the agent does not work in this process: no memory to share, or another version" },
	{ -ENOMEM, "out of memory" },
};

void message_clear(void)
{
	message[0] = 0;
}

void message_set(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(message, sizeof message, fmt, args);
	va_end(args);
}

int message_end(int code)
{
	for (size_t i = 0; code < 0 && !message[0] && i < sizeof reasons / sizeof *reasons; i++)
		if (reasons[i].code == code)
			message_set("%s", reasons[i].text);
	return code;
}

const char *inftrace_profile_message(void)
{
	return message;
}
