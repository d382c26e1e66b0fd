// SPDX-License-Identifier: Apache-2.0
/* Counts by kind of event. Changes and holds back nothing. */
#include "capture/recorder/recorder_in.h"
#include "event/event_args.h"
#include "event/process_note.h"

static uint64_t count_of(const struct event *event)
{
	return (uint64_t)event_int(event, KEY_COUNT, 0);
}

static void count_runtime(struct recorder_tap *tap, const struct event *event)
{
	uint32_t status = event_text(event, KEY_STATUS);

	tap->n_runtimes++;
	tap->lacks_runs |= status && event_why_no_runs(names_text(tap->sink.names, status));
}

static void take_other(struct recorder_tap *tap, const struct event *event)
{
	if (tap->other)
		return;
	tap->other = event_text(event, KEY_RUNTIME);
	tap->other_version = event_text(event, KEY_VERSION);
}

static void count_instant(struct recorder_tap *tap, const struct event *event)
{
	if (event->kind == KIND_NOTE && event->name == tap->runtime_topic)
		count_runtime(tap, event);
	else if (event->kind == KIND_NOTE && event->name == tap->other_topic)
		take_other(tap, event);
	else if (event->kind == KIND_NOTE && event->name == tap->process_topic)
		tap->n_unseen += count_of(event);
	else if (event->kind == KIND_NOTE && event->name == tap->sampled_topic)
		tap->n_sampled_out += count_of(event);
	else if (event->kind == KIND_NOTE && event->name == tap->created_topic)
		latency_take_created(&tap->latency, event);
	else if (event->kind == KIND_LOST)
		tap->n_lost += count_of(event);
}

static int put_track(struct recorder_tap *tap, const struct event *event, struct err *err)
{
	struct track_def def = *event->def;
	struct event track = *event;
	bool is_new;

	def.serial = recorder_tracks_define(&tap->tracks, event->track, def.parent, &is_new);
	if (is_new)
		open_runs_forget(&tap->latency.open, event->track);
	tap->n_processes += is_new && def.type == TRACK_PROCESS;
	track.def = &def;
	return sink_put(tap->to, &track, err);
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct recorder_tap *tap = (struct recorder_tap *)sink;

	if (event->type == EVENT_BEGIN) {
		tap->n_events++;
		tap->n_inferences += event->kind == KIND_INFERENCE;
		latency_take(&tap->latency, tap->sink.names, event);
	} else if (event->type == EVENT_END) {
		latency_take(&tap->latency, tap->sink.names, event);
	} else if (event->type == EVENT_INSTANT) {
		tap->n_events++;
		count_instant(tap, event);
	} else if (event->type == EVENT_TRACK) {
		return put_track(tap, event, err);
	} else if (event->type == EVENT_TRACK_END) {
		return recorder_tracks_end(&tap->tracks, event->track, tap->to, err);
	}
	return sink_put(tap->to, event, err);
}

static int put_slice(struct sink *sink, const struct event *slice, uint64_t end_ns, struct err *err)
{
	struct recorder_tap *tap = (struct recorder_tap *)sink;

	if (slice->kind == KIND_INFERENCE || open_runs_has(&tap->latency.open, slice->track))
		return sink_put_parts(sink, slice, end_ns, err);
	tap->n_events++;
	return sink_put_slice(tap->to, slice, end_ns, err);
}

static int flush(struct sink *sink, struct err *err)
{
	struct recorder_tap *tap = (struct recorder_tap *)sink;
	int code = sink_flush(tap->to, err);

	sink->n_bytes = tap->to->n_bytes;
	sink->n_moved = tap->to->n_moved;
	return code;
}

static int sync_(struct sink *sink, struct err *err)
{
	struct recorder_tap *tap = (struct recorder_tap *)sink;
	int code = sink_sync(tap->to, err);

	sink->n_bytes = tap->to->n_bytes;
	return code;
}

void recorder_tap_init(struct recorder_tap *tap, struct sink *const *sinks, size_t n)
{
	*tap = (struct recorder_tap){ 0 };
	tee_init(&tap->tee, sinks, n);
	tap->to = n == 1 ? sinks[0] : &tap->tee.sink;
	tap->sink = (struct sink){ .put = put,
				   .put_slice = put_slice,
				   .names = sinks[0]->names,
				   .last_track = sinks[0]->last_track,
				   .free_tracks = &tap->tracks.free,
				   .flush = flush,
				   .sync = sync_ };
	tap->runtime_topic = names_of(tap->sink.names, EVENT_NOTE_RUNTIME);
	tap->other_topic = names_of(tap->sink.names, EVENT_NOTE_OTHER_RUNTIME);
	tap->created_topic = names_of(tap->sink.names, EVENT_NOTE_CREATED);
	tap->process_topic = names_of(tap->sink.names, EVENT_NOTE_PROCESS);
	tap->sampled_topic = names_of(tap->sink.names, EVENT_NOTE_SAMPLED_OUT);
}

void recorder_tap_done(struct recorder_tap *tap)
{
	latency_done(&tap->latency);
	recorder_tracks_done(&tap->tracks);
}
