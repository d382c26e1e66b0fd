// SPDX-License-Identifier: Apache-2.0
/* A datagram to the socket that $NOTIFY_SOCKET names: sd_notify(3). Where there is none, nothing happens. */
#include "cmd/fleet/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void tell(const char *text)
{
	const char *path = secure_getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (!len || len >= sizeof address.sun_path || (*path != '/' && *path != '@'))
		return;
	memcpy(address.sun_path, path, len);
	if (*path == '@') /* an abstract one */
		*address.sun_path = 0;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&address,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	close(fd);
}

void notify_ready(void)
{
	tell("READY=1");
}

void notify_watchdog(void)
{
	tell("WATCHDOG=1");
}

void notify_stopping(void)
{
	tell("STOPPING=1");
}
