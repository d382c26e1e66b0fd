/* SPDX-License-Identifier: Apache-2.0 */
/* Finding copies of runtimes in this process, and replacing their functions or putting them back (arm.c). */
#ifndef CAPTURE_AGENT_ARM_H
#define CAPTURE_AGENT_ARM_H

/* Arms what has come since the last time. Any thread, also inside the loader. */
void arm_new_modules(void);
/* In a child of fork: its segment does not know the copies yet. */
void arm_tell_again(void);
/* Before arming again after arm_undo: which of the copies that were armed are still there. */
void arm_check_again(void);
/* The originals are back in all tables; hooks run only where a call was under way. Any thread. */
void arm_undo(void);

#endif
