/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that is recorded from its start may read its own recording beside the recorder: for handles of libinftrace.
 * Both read the same rings, each to a tail of its own. A ring has room when both have read it, so a reader that is late
 * costs the other one records, which both count.
 *
 * When the recorder ends the recording while the process shares it, the agent goes on until the process is done.
 */
#ifndef CAPTURE_AGENT_SHARE_H
#define CAPTURE_AGENT_SHARE_H

#include "event/port.h"

/* As port_calls has them. */
int32_t share_begin(struct port_share *share);
void share_end(void);

#endif
