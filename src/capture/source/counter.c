// SPDX-License-Identifier: Apache-2.0
/* Defines counter tracks and puts their values. */
#include "capture/source/counter.h"

int counter_put(struct counter *counter, const struct counter_value *value, struct sink *out, struct err *err)
{
	struct event event = { .type = EVENT_TRACK, .time_ns = value->time_ns };
	struct track_def def = { .type = TRACK_COUNTER, .parent = value->parent };
	int result;

	if (!counter->track) {
		def.name = names_of(out->names, value->name);
		def.unit = names_of(out->names, value->unit);
		event.track = sink_new_track(out);
		event.def = &def;
		result = sink_put(out, &event, err);
		if (result)
			return result;
		counter->track = event.track;
	}
	event = (struct event){
		.type = EVENT_COUNTER, .track = counter->track, .time_ns = value->time_ns, .value = value->value
	};
	return sink_put(out, &event, err);
}
