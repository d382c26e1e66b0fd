// SPDX-License-Identifier: Apache-2.0
/* Arguments of events by their key. */
#include "analyze/live/live_in.h"

static const struct arg *live_arg(const struct event *event, enum event_key key, enum arg_type type)
{
	for (size_t i = 0; i < event->n_args; i++)
		if (event->args[i].key == key && event->args[i].type == type)
			return &event->args[i];
	return NULL;
}

uint32_t live_arg_name(const struct event *event, enum event_key key)
{
	const struct arg *arg = live_arg(event, key, ARG_NAME);

	return arg ? arg->name : 0;
}

int64_t live_arg_int(const struct event *event, enum event_key key, int64_t otherwise)
{
	const struct arg *arg = live_arg(event, key, ARG_INT);

	return arg ? arg->integer : otherwise;
}
