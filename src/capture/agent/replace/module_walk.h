/* SPDX-License-Identifier: Apache-2.0 */
/* Walks through the modules of this process while other threads fork (module_walk.c says why). */
#ifndef CAPTURE_AGENT_MODULE_WALK_H
#define CAPTURE_AGENT_MODULE_WALK_H

#include "runtime/find/image.h"

/* Once in a process, before the first walk. */
void module_walk_start(void);
/* Call around every dl_iterate_phdr. A walk may begin inside another one of the same thread. */
void module_walk_begin(void);
void module_walk_end(void);
/* image_set_self as such a walk: 0 or -ENOMEM. */
int module_walk_images(struct image_set *set);

#endif
