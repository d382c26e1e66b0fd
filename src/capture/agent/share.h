/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that is recorded by a recorder may read its own recording beside it: for handles of libinftrace.
 * Both read the same rings, each to a tail of its own. A ring has room when both have read it, so a reader that is late
 * costs the other one records, which both count.
 *
 * When the recorder ends the recording while the process shares it, the agent goes on until the process is done.
 */
#ifndef CAPTURE_AGENT_SHARE_H
#define CAPTURE_AGENT_SHARE_H

#include <stdbool.h>

#include "event/port.h"

/* As port_calls has them. */
int32_t share_begin(struct port_share *share);
void share_end(void);

/*
 * In an injected program the agent's thread comes and goes with its recorder. share_open: the hooks are in, so the
 * recording may be shared. share_close: it may not be shared from now on; false: it is shared now, and stays open.
 */
void share_open(void);
bool share_close(void);
/* The recorder is dead, or has said that it has read everything: what it has not read holds nothing back. */
void share_take_over(bool is_dead);

#endif
