/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of a handle: adding, finding, removing. For profile.c. */
#ifndef PROFILE_ITEMS_H
#define PROFILE_ITEMS_H

#include "profile/profile.h"

static inline struct profile_item *item_at(const struct inftrace_profile *profile, size_t i)
{
	return (struct profile_item *)profile->items.data + i;
}

/* By name; NULL: it is not there. */
struct profile_item *items_named(const struct inftrace_profile *profile, const char *name);
struct profile_item *items_of_object(const struct inftrace_profile *profile, uint64_t object);
/* One of them is set: name, object. NULL: out of memory. */
struct profile_item *items_add(struct inftrace_profile *profile, const char *name, uint64_t object);
void items_remove(struct inftrace_profile *profile, struct profile_item *item);
/* It is this session from now on. */
void items_bind(struct profile_item *item, const struct gather_program *program, const char *name);

#endif
