/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of a gather: sessions and annotated models come and go. For gather.c. */
#ifndef PROFILE_PROGRAMS_H
#define PROFILE_PROGRAMS_H

#include "profile/gather.h"

/*
 * Finds or adds it. number 0: the annotated model. is_new: it was created just now. NULL: out of memory. Valid until
 * the next call.
 */
struct gather_program *programs_at(struct gather *gather, uint32_t process, uint32_t number, uint32_t model,
				   bool is_new);
/* It was released at that time; programs_end tells. */
void programs_release(struct gather *gather, uint32_t process, uint32_t number, uint64_t time_ns);
/* The process has ended: all of its programs are released. */
void programs_release_all(struct gather *gather, uint32_t process, uint64_t time_ns);
/* Takes out those that are gone before then, and tells the owner. */
void programs_end(struct gather *gather, uint64_t until_ns);
/* Finds objects that were not known so far. */
void programs_look_up(struct gather *gather);

#endif
