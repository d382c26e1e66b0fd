/* SPDX-License-Identifier: Apache-2.0 */
/* A private folder that we and the target both see, whatever it calls its root. */
#ifndef CAPTURE_INJECT_INJECT_DIR_H
#define CAPTURE_INJECT_INJECT_DIR_H

#include "capture/inject/inject.h"

/*
 * Makes the folder, its lifeline, and where the target does not see our files a copy of the agent; fills in head.dir
 * and head.agent.
 */
int inject_dir_make(struct inject *inject, const char *agent, struct err *err);
void inject_dir_remove(struct inject *inject);
/* Whether somebody records into the folder that this head names. */
bool inject_dir_is_in_use(const struct inject *inject, const struct ferry_head *head);

#endif
