/* SPDX-License-Identifier: Apache-2.0 */
/* Finds copies of runtimes in this process, replaces their functions, and restores them (arm.c). */
#ifndef CAPTURE_AGENT_ARM_ARM_H
#define CAPTURE_AGENT_ARM_ARM_H

/* Arms modules loaded since the last call. Any thread, also inside the loader. */
void arm_new_modules(void);
/* In a child of fork: writes the copies into its segment. */
void arm_tell_again(void);
/* Before arming again after arm_undo: finds out which armed copies still exist. */
void arm_check_again(void);
/* Restores the original functions in all tables; afterwards hooks run only in calls already under way. Any thread. */
void arm_undo(void);

/* Called once, when the agent is loaded: looks up the functions that this file stands before. */
void identity_start(void);

/* How much memory the process had, for the recorder, which cannot see that of one that has ended. */
/* At exit: writes what is resident, and the most that was, into the segment. */
void memory_tell(void);

/* Tells the recorder, at a normal exit, which runtimes that are not recorded the process has loaded. */
void other_tell(void);

#endif
