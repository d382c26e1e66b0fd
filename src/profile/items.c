// SPDX-License-Identifier: Apache-2.0
/* An array of programs, looked through from the first to the last: a handle has few. Sends no report. */
#include "profile/items.h"

#include <stdlib.h>
#include <string.h>

extern const struct exporter export_chrome, export_latency_csv;

struct profile_item *items_named(const struct inftrace_profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->items.n; i++)
		if (!item_at(profile, i)->object && !strcmp(item_at(profile, i)->name, name))
			return item_at(profile, i);
	return NULL;
}

struct profile_item *items_of_object(const struct inftrace_profile *profile, uint64_t object)
{
	for (size_t i = 0; i < profile->items.n; i++)
		if (item_at(profile, i)->object == object)
			return item_at(profile, i);
	return NULL;
}

struct profile_item *items_add(struct inftrace_profile *profile, const char *name, uint64_t object)
{
	char *copy = name ? strdup(name) : NULL;
	struct profile_item *item = copy || object ? array_add(&profile->items, sizeof *item) : NULL;

	if (!item) {
		free(copy);
		return NULL;
	}
	*item = (struct profile_item){ .name = copy, .object = object };
	report_init(&item->report, profile->type == INFTRACE_TRACE ? &export_chrome : &export_latency_csv);
	return item;
}

void items_remove(struct inftrace_profile *profile, struct profile_item *item)
{
	size_t at = (size_t)(item - item_at(profile, 0));

	report_done(&item->report);
	free(item->name);
	memmove(item, item + 1, (profile->items.n - at - 1) * sizeof *item);
	profile->items.n--;
}

void items_bind(struct profile_item *item, const struct gather_program *program, const char *name)
{
	char *copy;

	item->number = program->number;
	if (item->name && !strcmp(item->name, name))
		return;
	copy = strdup(name);
	if (!copy)
		return;
	free(item->name);
	item->name = copy;
}
