/* SPDX-License-Identifier: Apache-2.0 */
/* Called once, when the agent is loaded: looks up the functions that this file stands before. */
#ifndef CAPTURE_AGENT_IDENTITY_H
#define CAPTURE_AGENT_IDENTITY_H

void identity_start(void);

#endif
