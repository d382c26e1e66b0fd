/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses to listen on: "9465", "127.0.0.1:9465", "[::]:9465". Asks no name server. */
#ifndef FLEET_DOOR_ADDRESS_H
#define FLEET_DOOR_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

#include "base/err.h"

struct address {
	struct sockaddr_storage at;
	socklen_t size;
	bool is_local; /* only programs of this machine reach it */
	char text[80];
};

/* 0, or -EINVAL and err. */
int address_parse(const char *text, struct address *address, struct err *err);
/* A socket that listens there, or -errno and err. */
int address_listen(const struct address *address, struct err *err);

#endif
