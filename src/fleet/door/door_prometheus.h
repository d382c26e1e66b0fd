/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the page that Prometheus scrapes. */
#ifndef FLEET_DOOR_DOOR_PROMETHEUS_H
#define FLEET_DOOR_DOOR_PROMETHEUS_H

/* Texts are borrowed; NULL: not given. */
struct door_prometheus_opts {
	const char *address;	       /* beyond this machine all of the following are needed */
	const char *token_file;	       /* who asks must bear this token */
	const char *certificate, *key; /* files, PEM: TLS */
};

#endif
