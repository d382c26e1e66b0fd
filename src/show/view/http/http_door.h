/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a server is reached: a port of 127.0.0.1, or a socket in the file system that only its owner can open. Opens
 * and names it; serves nothing.
 */
#ifndef SHOW_VIEW_HTTP_DOOR_H
#define SHOW_VIEW_HTTP_DOOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct http_door {
	uint16_t port;	    /* 0: any that is free */
	const char *socket; /* a path, instead of a port; NULL: none */
	bool is_framed;	    /* other pages of this machine, which know the address, may show the page in a frame */
};

/* The listening descriptor, with the port that was taken in *door; or -errno and err. */
int http_door_open(struct http_door *door, struct err *err);
/* Removes the socket's file. */
void http_door_close(const struct http_door *door);

#endif
