/* SPDX-License-Identifier: Apache-2.0 */
/* Builds recordings for tests by hand: a store, and short functions for its events. Times are in microseconds. */
#ifndef TEST_UNIT_STREAM_H
#define TEST_UNIT_STREAM_H

#include <stdlib.h>
#include <string.h>

#include "analyze/store/store.h"
#include "analyze/summary/summary_maker.h"
#include "base/array.h"

struct stream_event {
	struct event event;
	struct arg args[16];
	struct track_def def;
};

struct stream {
	struct names *names;
	uint32_t last_track;
	struct store *store;
	struct sink *sink;
	struct array log;    /* struct stream_event: all that was put */
	struct arg args[16]; /* of the next event, see stream_int and stream_text */
	size_t n_args;
};

static inline void stream_init(struct stream *s)
{
	*s = (struct stream){ .names = names_new() };
	s->store = store_new(s->names, &s->last_track);
	s->sink = store_sink(s->store);
}

/* Puts all events so far into another sink. */
static inline void stream_replay(const struct stream *s, struct sink *sink)
{
	for (size_t i = 0; i < s->log.n; i++) {
		const struct stream_event *from = (struct stream_event *)s->log.data + i;
		struct event event = from->event;

		event.args = from->args;
		event.def = event.def ? &from->def : NULL;
		if (sink_put(sink, &event, NULL))
			abort();
	}
}

/* The summary of the events so far. The caller frees it. */
static inline struct summary *stream_summary_of(struct stream *s, const struct summary_opts *opts,
						const struct summary_file *file)
{
	struct summary_maker *maker = summary_begin(s->names, &s->last_track, opts);
	struct summary *summary;

	stream_replay(s, summary_sink(maker));
	summary = summary_end(maker, file, NULL);
	summary->store = s->store;
	return summary;
}

static inline struct summary *stream_summary(struct stream *s, const struct summary_file *file)
{
	return stream_summary_of(s, NULL, file);
}

static inline void stream_done(struct stream *s)
{
	store_free(s->store);
	names_free(s->names);
	array_done(&s->log, sizeof(struct stream_event));
}

static inline uint32_t stream_name(struct stream *s, const char *text)
{
	return names_of(s->names, text);
}

static inline void stream_int(struct stream *s, enum event_key key, int64_t value)
{
	s->args[s->n_args++] = arg_int(key, value);
}

static inline void stream_real(struct stream *s, enum event_key key, double value)
{
	s->args[s->n_args++] = arg_real(key, value);
}

static inline void stream_text(struct stream *s, enum event_key key, const char *text)
{
	s->args[s->n_args++] = arg_text(key, s->sink, text);
}

static inline void stream_put(struct stream *s, struct event event)
{
	struct stream_event *copy = array_add(&s->log, sizeof *copy);

	event.args = s->args;
	event.n_args = s->n_args;
	*copy = (struct stream_event){ .event = event };
	memcpy(copy->args, s->args, sizeof copy->args);
	if (event.def)
		copy->def = *event.def;
	if (sink_put(s->sink, &event, NULL))
		abort();
	s->n_args = 0;
}

static inline uint32_t stream_track(struct stream *s, struct track_def def)
{
	uint32_t id = sink_new_track(s->sink);

	stream_put(s, (struct event){ .type = EVENT_TRACK, .track = id, .def = &def });
	return id;
}

static inline uint32_t stream_process(struct stream *s, int32_t pid, const char *name)
{
	return stream_track(s, (struct track_def){ .type = TRACK_PROCESS, .pid = pid, .name = stream_name(s, name) });
}

static inline uint32_t stream_thread(struct stream *s, uint32_t process, int32_t tid)
{
	return stream_track(s, (struct track_def){ .type = TRACK_THREAD, .parent = process, .tid = tid });
}

/* A lane in a group of its own. */
static inline uint32_t stream_lane(struct stream *s, uint32_t process, const char *group)
{
	uint32_t id = stream_track(
	    s, (struct track_def){ .type = TRACK_GROUP, .parent = process, .name = stream_name(s, group) });

	return stream_track(s, (struct track_def){ .type = TRACK_LANE, .parent = id });
}

static inline uint32_t stream_counter(struct stream *s, uint32_t process, const char *name, const char *unit)
{
	return stream_track(s, (struct track_def){ .type = TRACK_COUNTER,
						   .parent = process,
						   .name = stream_name(s, name),
						   .unit = stream_name(s, unit) });
}

static inline void stream_sample(struct stream *s, uint32_t track, uint64_t us, double value)
{
	stream_put(s, (struct event){ .type = EVENT_COUNTER, .track = track, .time_ns = us * 1000, .value = value });
}

static inline void stream_begin(struct stream *s, uint32_t track, uint64_t us, enum event_kind kind, const char *name)
{
	stream_put(s, (struct event){ .type = EVENT_BEGIN,
				      .track = track,
				      .time_ns = us * 1000,
				      .kind = kind,
				      .name = stream_name(s, name) });
}

static inline void stream_end(struct stream *s, uint32_t track, uint64_t us)
{
	stream_put(s, (struct event){ .type = EVENT_END, .track = track, .time_ns = us * 1000 });
}

static inline void stream_instant(struct stream *s, uint32_t track, uint64_t us, enum event_kind kind, const char *name)
{
	stream_put(s, (struct event){ .type = EVENT_INSTANT,
				      .track = track,
				      .time_ns = us * 1000,
				      .kind = kind,
				      .name = stream_name(s, name) });
}

/* Begins an operator of an inference (0: none). */
static inline void stream_operator(struct stream *s, uint32_t track, uint64_t us, const char *name, const char *type,
				   int64_t inference)
{
	stream_text(s, KEY_OP_TYPE, type);
	stream_text(s, KEY_PROVIDER, "CPUExecutionProvider");
	if (inference)
		stream_int(s, KEY_INFERENCE, inference);
	stream_begin(s, track, us, KIND_OPERATOR, name);
}

/* Begins an inference, with the arguments set before. */
static inline void stream_inference(struct stream *s, uint32_t track, uint64_t us, const char *model, int64_t session,
				    int64_t number)
{
	stream_text(s, KEY_MODEL, model);
	stream_int(s, KEY_SESSION, session);
	stream_int(s, KEY_INFERENCE, number);
	stream_begin(s, track, us, KIND_INFERENCE, model);
}

#endif
