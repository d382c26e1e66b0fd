// SPDX-License-Identifier: Apache-2.0
/* Numbers alone: a name could mean another address tomorrow. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fleet/door/door_in.h"

static bool parse_port(const char *text, uint16_t *port)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || number > 65535)
		return false;
	*port = (uint16_t)number;
	return true;
}

static bool take_host(struct address *address, const char *host, uint16_t port)
{
	struct sockaddr_in *four = (struct sockaddr_in *)&address->at;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address->at;

	if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
		four->sin_family = AF_INET;
		four->sin_port = htons(port);
		address->size = sizeof *four;
		address->is_local = ntohl(four->sin_addr.s_addr) >> 24 == 127;
		return true;
	}
	if (inet_pton(AF_INET6, host, &six->sin6_addr) != 1)
		return false;
	six->sin6_family = AF_INET6;
	six->sin6_port = htons(port);
	address->size = sizeof *six;
	address->is_local = IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
	return true;
}

int address_parse(const char *text, struct address *address, struct err *err)
{
	const char *colon = strrchr(text, ':'), *port_text = colon ? colon + 1 : text;
	char host[60] = "127.0.0.1";
	uint16_t port = 0;

	*address = (struct address){ .size = 0 };
	if (colon && colon != text) {
		bool has_brackets = *text == '[' && colon[-1] == ']';
		snprintf(host, sizeof host, "%.*s", (int)(colon - text - 2 * has_brackets), text + has_brackets);
	}
	if (!parse_port(port_text, &port) || !take_host(address, host, port))
		return err_set(err, EINVAL,
			       "'%.60s' is no address to listen on: give a port, ADDRESS:PORT or [ADDRESS]:PORT, in "
			       "numbers",
			       text);
	snprintf(address->text, sizeof address->text, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host, port);
	return 0;
}

int address_listen(const struct address *address, struct err *err)
{
	const int yes = 1;
	int fd = socket(address->at.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), code;

	if (fd < 0)
		return err_set(err, errno, "cannot listen on %s: %s", address->text, strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	if (!bind(fd, (const struct sockaddr *)&address->at, address->size) && !listen(fd, 64))
		return fd;
	code = errno;
	close(fd);
	return err_set(err, code, "cannot listen on %s: %s", address->text,
		       code == EADDRINUSE ? "another program uses this port" : strerror(code));
}
