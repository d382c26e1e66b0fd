/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of a gather: sessions and annotated models come and go. For gather.c. */
#ifndef PROFILE_PROGRAMS_H
#define PROFILE_PROGRAMS_H

#include "profile/gather.h"

/* Finds or adds it, and tells the owner. number 0: the annotated model. NULL: out of memory. Valid until the next call.
 */
struct gather_program *programs_at(struct gather *gather, uint32_t process, uint32_t number, uint32_t model);
/* Adds one that was created before that time, of which programs_time may tell later. 0, -ENOMEM. */
int programs_add(struct gather *gather, uint32_t process, uint32_t number, uint32_t model, uint64_t before_ns);
void programs_time(struct gather *gather, uint32_t process, uint32_t number, uint64_t time_ns);
/* It was released at that time; programs_advance tells. */
void programs_release(struct gather *gather, uint32_t process, uint32_t number, uint64_t time_ns);
/* The process has ended: all of its programs are released. */
void programs_release_all(struct gather *gather, uint32_t process, uint64_t time_ns);
/* Tells the owner who has come and gone until then. */
void programs_advance(struct gather *gather, uint64_t until_ns);
/* Finds objects that were not known so far. */
void programs_look_up(struct gather *gather);

#endif
