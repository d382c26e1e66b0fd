// SPDX-License-Identifier: Apache-2.0
/* Nests slices on a track. Sorts nothing: the caller has the order. */
#include "trace/import/slices.h"

uint32_t slices_define(struct slices_stream *stream, const struct track_def *def)
{
	struct event event = { .type = EVENT_TRACK, .track = sink_new_track(stream->out), .def = def };

	return sink_put(stream->out, &event, stream->err) ? 0 : event.track;
}

int slices_close(struct slices_stream *stream, struct slices *slices, uint64_t until_ns)
{
	while (slices->depth && slices->end_ns[slices->depth - 1] <= until_ns) {
		struct event end = { .type = EVENT_END,
				     .track = slices->track,
				     .time_ns = slices->end_ns[--slices->depth] };
		int code = sink_put(stream->out, &end, stream->err);

		if (code)
			return code;
	}
	return 0;
}

int slices_put(struct slices_stream *stream, struct slices *slices, const struct event *begin, uint64_t end_ns)
{
	int code = slices_close(stream, slices, begin->time_ns);

	if (code)
		return code;
	if (slices->depth == SLICES_DEPTH) {
		stream->n_too_deep++;
		return 0;
	}
	if (slices->depth && end_ns > slices->end_ns[slices->depth - 1]) {
		stream->n_moved += end_ns - slices->end_ns[slices->depth - 1] > stream->tolerance_ns;
		end_ns = slices->end_ns[slices->depth - 1];
	}
	slices->end_ns[slices->depth++] = end_ns;
	return sink_put(stream->out, begin, stream->err);
}
