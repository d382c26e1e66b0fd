/* SPDX-License-Identifier: Apache-2.0 */
/* The value of --keep: how long, or how large, a recording may be whose newest part is kept. */
#ifndef CMD_KEEP_OPTION_H
#define CMD_KEEP_OPTION_H

#include <stdint.h>

#include "base/err.h"

struct keep_option {
	uint64_t ns, bytes; /* one of them; both 0: everything is kept */
};

/* text NULL: everything. "10m" is ten minutes, "10M" ten MiB. 0, or opt_misused's code and err. */
int keep_option_parse(const char *text, struct keep_option *keep, struct err *err);

#endif
