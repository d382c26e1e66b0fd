/* SPDX-License-Identifier: Apache-2.0 */
/* Called once, when the agent is loaded and is to record: programs that this process starts have the agent, too. */
#ifndef CAPTURE_AGENT_EXEC_H
#define CAPTURE_AGENT_EXEC_H

void exec_start(void);

#endif
