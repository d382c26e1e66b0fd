/* SPDX-License-Identifier: Apache-2.0 */
/* The options of ClickHouse. */
#ifndef FLEET_DOOR_DOOR_CLICKHOUSE_H
#define FLEET_DOOR_DOOR_CLICKHOUSE_H

#include <stdint.h>

/* Texts are borrowed; NULL: not given. */
struct door_clickhouse_opts {
	const char *url;	  /* of its HTTP interface, with a database if that is not inftrace */
	const char *headers_file; /* lines "Name: value": X-ClickHouse-User, X-ClickHouse-Key */
	const char *authority;	  /* certificates, PEM, that the server's is checked with */
	uint64_t every_ns;	  /* an insert each */
};

#endif
