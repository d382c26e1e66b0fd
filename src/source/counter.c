// SPDX-License-Identifier: Apache-2.0
/* Defines counter tracks and puts values on them. */
#include "source/counter.h"

int counter_put(struct counter *counter, struct sink *out, uint32_t parent, const char *name, const char *unit,
		uint64_t time_ns, double value, struct err *err)
{
	struct event event = { .type = EVENT_TRACK, .time_ns = time_ns };
	struct track_def def = { .type = TRACK_COUNTER, .parent = parent };
	int result;

	if (!counter->track) {
		def.name = names_of(out->names, name);
		def.unit = names_of(out->names, unit);
		event.track = sink_new_track(out);
		event.def = &def;
		result = sink_put(out, &event, err);
		if (result)
			return result;
		counter->track = event.track;
	}
	event = (struct event){ .type = EVENT_COUNTER, .track = counter->track, .time_ns = time_ns, .value = value };
	return sink_put(out, &event, err);
}
