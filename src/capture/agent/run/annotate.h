/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotations: what a program that uses libinftrace says about itself (include/inftrace.h), as records. event/port.h
 * describes how the library and the agent find each other.
 */
#ifndef CAPTURE_AGENT_ANNOTATE_H
#define CAPTURE_AGENT_ANNOTATE_H

#include <stdbool.h>

/* From now on libraries that are in the process, or come, send their annotations here; or no longer. */
void annotate_switch(bool on);
/* Finds a library that was there before the agent. May wait for the loader's lock. */
void annotate_find_library(void);

#endif
