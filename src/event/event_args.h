/* SPDX-License-Identifier: Apache-2.0 */
/* What an event says under a key: the first argument of it that has this type. */
#ifndef EVENT_EVENT_ARGS_H
#define EVENT_EVENT_ARGS_H

#include "event/event.h"

/* NULL: it says nothing. */
static inline const struct arg *event_arg(const struct event *event, enum event_key key, enum arg_type type)
{
	for (size_t i = 0; i < event->n_args; i++)
		if (event->args[i].key == key && event->args[i].type == type)
			return &event->args[i];
	return NULL;
}

static inline int64_t event_int(const struct event *event, enum event_key key, int64_t otherwise)
{
	const struct arg *arg = event_arg(event, key, ARG_INT);

	return arg ? arg->integer : otherwise;
}

/* A name of the sink; 0: it says nothing. */
static inline uint32_t event_text(const struct event *event, enum event_key key)
{
	const struct arg *arg = event_arg(event, key, ARG_NAME);

	return arg ? arg->name : 0;
}

#endif
