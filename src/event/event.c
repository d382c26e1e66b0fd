// SPDX-License-Identifier: Apache-2.0
/* The names of event kinds and argument keys, as written into a recording. */
#include "event/event.h"

#include <string.h>

#define KIND_TEXT(name, text) [KIND_##name] = text,
static const char *const kind_names[N_KINDS] = { EVENT_KINDS(KIND_TEXT) };

#define KEY_TEXT_OF(name, text) [KEY_##name] = text,
static const char *const key_names[N_KEYS] = { EVENT_KEYS(KEY_TEXT_OF) };

const char *event_kind_name(enum event_kind kind)
{
	return (unsigned)kind < N_KINDS ? kind_names[kind] : "";
}

const char *event_key_name(enum event_key key)
{
	return (unsigned)key < N_KEYS ? key_names[key] : "";
}

static int is(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && !memcmp(name, text, len);
}

enum event_kind event_kind_named(const char *text, size_t len)
{
	for (unsigned i = 1; i < N_KINDS; i++)
		if (is(kind_names[i], text, len))
			return i;
	return KIND_NONE;
}

enum event_key event_key_named(const char *text, size_t len)
{
	for (unsigned i = 1; i < N_KEYS; i++)
		if (is(key_names[i], text, len))
			return i;
	return KEY_NONE;
}

const char *event_why_no_runs(const char *status)
{
	static const char *const families[] = { "runs (", "inferences (", "everything (" };

	for (size_t i = 0; i < sizeof families / sizeof *families && status; i++)
		for (const char *at = strstr(status, families[i]); at; at = strstr(at + 1, families[i]))
			if (at == status || (at - status > 1 && at[-2] == ';'))
				return at + strlen(families[i]);
	return NULL;
}
