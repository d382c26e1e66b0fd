// SPDX-License-Identifier: Apache-2.0
/* Opens the port or the socket of a server; see http_door.h. */
#include "show/view/http/http_door.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 128 };

static int fail(int listener, const struct http_door *door, int code, struct err *err)
{
	if (listener >= 0)
		close(listener);
	if (door->socket && code == EADDRINUSE)
		return err_set(err, code, "cannot serve the page on %s: the file exists already; give another --socket",
			       door->socket);
	if (door->socket)
		return err_set(err, code, "cannot serve the page on %s: %s", door->socket, strerror(code));
	if (code == EADDRINUSE)
		return err_set(err, code,
			       "cannot serve the page on port %u: another program uses it; give another --port, or "
			       "none to take any that is free",
			       door->port);
	if (code == EACCES)
		return err_set(err, code,
			       "cannot serve the page on port %u: ports below 1024 need root; give another --port, or "
			       "none to take any that is free",
			       door->port);
	return err_set(err, code, "cannot serve the page on port %u: %s", door->port, strerror(code));
}

static int open_socket(const struct http_door *door, struct err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	mode_t mask;
	int listener, code;

	if (!*door->socket || strlen(door->socket) >= sizeof address.sun_path)
		return err_set(err, ENAMETOOLONG,
			       "cannot serve the page on '%.200s': the path of a socket has 1 to %zu characters",
			       door->socket, sizeof address.sun_path - 1);
	strcpy(address.sun_path, door->socket);
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (listener < 0)
		return fail(listener, door, errno, err);
	mask = umask(0177); /* the file gets its mode when it appears */
	code = bind(listener, (struct sockaddr *)&address, sizeof address) ? errno : 0;
	umask(mask);
	if (code)
		return fail(listener, door, code, err);
	if (!listen(listener, BACKLOG))
		return listener;
	code = errno;
	http_door_close(door);
	return fail(listener, door, code, err);
}

static int open_port(struct http_door *door, struct err *err)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(door->port),
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof address;
	const int yes = 1;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (listener < 0)
		return fail(listener, door, errno, err);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, BACKLOG) ||
	    getsockname(listener, (struct sockaddr *)&address, &size))
		return fail(listener, door, errno, err);
	door->port = ntohs(address.sin_port);
	return listener;
}

int http_door_open(struct http_door *door, struct err *err)
{
	return door->socket ? open_socket(door, err) : open_port(door, err);
}

void http_door_close(const struct http_door *door)
{
	if (door->socket)
		unlink(door->socket);
}
