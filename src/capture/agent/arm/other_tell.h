/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the recorder, at a normal exit, which runtimes that are not recorded the process has loaded. */
#ifndef CAPTURE_AGENT_OTHER_TELL_H
#define CAPTURE_AGENT_OTHER_TELL_H

void other_tell(void);

#endif
