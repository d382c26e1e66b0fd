/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory the process had, for the recorder, which cannot see that of one that has ended. */
#ifndef CAPTURE_AGENT_MEMORY_END_H
#define CAPTURE_AGENT_MEMORY_END_H

/* At exit: writes what is resident, and the most that was, into the segment. */
void memory_tell(void);

#endif
