/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts a store to lines of text in order, so that two stores can be compared whatever the numbers of their tracks
 * and names. A track is identified by its path of names.
 */
#ifndef TEST_UNIT_STORE_TEXT_H
#define TEST_UNIT_STORE_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/store/store.h"

struct store_text {
	char **line;
	size_t n, capacity;
};

static inline void store_text_add(struct store_text *text, const char *line)
{
	if (text->n == text->capacity) {
		text->capacity = text->capacity ? text->capacity * 2 : 256;
		text->line = realloc(text->line, text->capacity * sizeof *text->line);
	}
	text->line[text->n++] = strdup(line);
}

static inline size_t store_text_track(char *to, size_t size, const struct store *store, uint32_t id)
{
	const struct store_track *track = store_track(store, id);
	const struct names *names = store_names(store);
	size_t used = 0;

	if (!track)
		return (size_t)snprintf(to, size, "undefined ");
	if (track->def.parent)
		used = store_text_track(to, size, store, track->def.parent);
	return used + (size_t)snprintf(to + used, size - used, "/%d %s %d %d [%s] ", track->def.type,
				       names_text(names, track->def.name), track->def.pid, track->def.tid,
				       names_text(names, track->def.unit));
}

static inline int store_text_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted by key. */
static inline size_t store_text_args(char *to, size_t size, const struct store *store, const uint32_t lists[2])
{
	size_t used = 0;

	for (unsigned key = 1; key < N_KEYS; key++)
		for (int i = 0; i < 2; i++) {
			const struct arg *arg = store_arg(store, lists[i], (enum event_key)key);
			if (!arg)
				continue;
			used += (size_t)snprintf(to + used, size - used, "%s=", event_key_name((enum event_key)key));
			if (arg->type == ARG_INT)
				used += (size_t)snprintf(to + used, size - used, "%lld ", (long long)arg->integer);
			else if (arg->type == ARG_REAL)
				used += (size_t)snprintf(to + used, size - used, "%.17g ", arg->real);
			else
				used += (size_t)snprintf(to + used, size - used, "'%s' ",
							 names_text(store_names(store), arg->name));
		}
	return used;
}

static inline void store_text_of_track(struct store_text *text, const struct store *store, uint32_t id)
{
	const struct store_track *track = store_track(store, id);
	const struct names *names = store_names(store);
	char line[8192];
	size_t used = store_text_track(line, sizeof line, store, id);

	snprintf(line + used, sizeof line - used, "start %llu command '%s'", (unsigned long long)track->def.start_ns,
		 names_text(names, track->def.command));
	store_text_add(text, line);
	for (size_t i = 0; i < track->slices.n; i++) {
		uint32_t lists[2] = { track->slices.args[i], track->slices.own_args ? track->slices.own_args[i] : 0 };
		size_t at = used + (size_t)snprintf(line + used, sizeof line - used,
						    "slice %llu %llu %s kind %d depth %d run %u ",
						    (unsigned long long)track->slices.begin_ns[i],
						    (unsigned long long)track->slices.end_ns[i],
						    names_text(names, track->slices.name[i]), track->slices.kind[i],
						    track->slices.depth[i], track->slices.inference[i]);
		store_text_args(line + at, sizeof line - at, store, lists);
		store_text_add(text, line);
	}
	for (size_t i = 0; i < track->samples.n; i++) {
		snprintf(line + used, sizeof line - used, "sample %llu %.17g",
			 (unsigned long long)track->samples.time_ns[i], track->samples.value[i]);
		store_text_add(text, line);
	}
}

static inline struct store_text store_text_of(const struct store *store)
{
	struct store_text text = { 0 };
	const struct store_instant *instant;
	size_t n;

	for (uint32_t id = 1; id <= store_n_tracks(store); id++)
		if (store_track(store, id))
			store_text_of_track(&text, store, id);
	instant = store_instants(store, &n);
	for (size_t i = 0; i < n; i++) {
		char line[8192];
		size_t used = store_text_track(line, sizeof line, store, instant[i].track);
		used += (size_t)snprintf(line + used, sizeof line - used, "instant %llu %s kind %d ",
					 (unsigned long long)instant[i].time_ns,
					 names_text(store_names(store), instant[i].name), instant[i].kind);
		store_text_args(line + used, sizeof line - used, store, (uint32_t[2]){ instant[i].args, 0 });
		store_text_add(&text, line);
	}
	qsort(text.line, text.n, sizeof *text.line, store_text_compare);
	return text;
}

static inline void store_text_done(struct store_text *text)
{
	for (size_t i = 0; i < text->n; i++)
		free(text->line[i]);
	free(text->line);
}

#endif
