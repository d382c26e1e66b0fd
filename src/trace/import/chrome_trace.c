// SPDX-License-Identifier: Apache-2.0
/* Parses Chrome's JSON trace into its events. Keeps none, and gives no meaning to a phase. */
#include <errno.h>
#include <string.h>

#include "trace/import/chrome_in.h"
#include "trace/import/ort_profile.h"

/* Times in a trace count from anywhere: 146 years are enough, and sums of two of them do not overflow. */
#define MAX_US (INT64_MAX / 2000)

enum { FIRST_KEY = 64, LONG_EVENT = 2000, NEAR = 16 << 10 };

static bool take_digits(const char **at, const char *end, uint64_t *value)
{
	const char *start = *at;

	for (*value = 0; *at < end && **at >= '0' && **at <= '9' && *value <= MAX_US; ++*at)
		*value = *value * 10 + (uint64_t)(**at - '0');
	return *at > start && *value <= MAX_US;
}

/* Microseconds, with or without a fraction, as nanoseconds. false: not a number, negative, or too large. */
static bool chrome_trace_ns(struct json_span number, uint64_t *ns)
{
	const char *at = number.start, *end = at ? at + number.len : NULL;
	uint64_t us, unit = 100;

	if (!at || !take_digits(&at, end, &us))
		return false;
	*ns = us * 1000;
	if (at < end && *at == '.')
		for (at++; at < end && *at >= '0' && *at <= '9'; at++, unit /= 10)
			*ns += (uint64_t)(*at - '0') * unit;
	return at == end; /* an exponent is for numbers that no clock has */
}

static void take_scalar(struct chrome_trace_event *event, const struct json_reader *reader, enum json_token token)
{
	struct json_span key = reader->key, value = reader->value;

	if (json_span_is(key, "ph") && token == JSON_TEXT)
		event->phase = value.len == 1 ? *value.start : 0;
	else if (json_span_is(key, "s") && token == JSON_TEXT)
		event->scope = value.len == 1 ? *value.start : 0;
	else if (json_span_is(key, "name"))
		event->name = value;
	else if (json_span_is(key, "cat"))
		event->category = value;
	else if (json_span_is(key, "ts"))
		event->has_ts = chrome_trace_ns(value, &event->ts_ns);
	else if (json_span_is(key, "dur"))
		event->has_dur = chrome_trace_ns(value, &event->dur_ns);
	else if (json_span_is(key, "tts"))
		event->has_cpu = chrome_trace_ns(value, &event->cpu_ns);
	else if (json_span_is(key, "tdur"))
		event->has_cpu_dur = chrome_trace_ns(value, &event->cpu_dur_ns);
	else if (json_span_is(key, "id"))
		event->id = value;
	else if (json_span_is(key, "pid"))
		event->pid = value, event->is_pid_text = token == JSON_TEXT;
	else if (json_span_is(key, "tid"))
		event->tid = value, event->is_tid_text = token == JSON_TEXT;
}

/* "id2":{"local":"0x1"} */
static bool read_id(struct json_reader *reader, struct chrome_trace_event *event)
{
	enum json_token token;

	while ((token = json_read_next(reader)) != JSON_CLOSE) {
		if (token == JSON_BROKEN || ((token == JSON_OBJECT || token == JSON_ARRAY) && !json_read_skip(reader)))
			return false;
		if (token == JSON_TEXT)
			event->id = reader->value;
	}
	return true;
}

/* Behind the brace of an event. false: broken. */
static bool read_event(struct json_reader *reader, struct chrome_trace_event *event)
{
	enum json_token token;

	while ((token = json_read_next(reader)) != JSON_CLOSE) {
		struct json_span key = reader->key;
		const char *start = reader->at - 1;

		if (token == JSON_BROKEN)
			return false;
		if (token != JSON_OBJECT && token != JSON_ARRAY) {
			take_scalar(event, reader, token);
			continue;
		}
		if (json_span_is(key, "id2") && token == JSON_OBJECT ? !read_id(reader, event)
								     : !json_read_skip(reader))
			return false;
		if (json_span_is(key, "args") && token == JSON_OBJECT)
			event->args = (struct json_span){ start, (size_t)(reader->at - start) };
	}
	return true;
}

static int take(struct chrome_trace *trace, const struct chrome_trace_event *event, struct err *err)
{
	trace->n_events++;
	if (!event->phase || (!event->has_ts && event->phase != 'M')) {
		trace->n_unread++;
		return 0;
	}
	return trace->take(trace, event, err);
}

/*
 * What is not JSON: at the end of the file, or behind events, it is cut off; else it is damaged. An array need not be
 * closed.
 */
static int broken(struct chrome_trace *trace, const struct import_bytes *in, const struct json_reader *reader,
		  const char *event, struct err *err)
{
	const char *at = reader->at, *end = in->data + in->size;
	bool is_text = memchr(event, '"', (size_t)(end - event)) != NULL;

	while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t' || *at == ','))
		at++;
	if (at == end || (is_text && !memchr(at, '\n', (size_t)(end - at)) && !memchr(at, '}', (size_t)(end - at)))) {
		trace->is_cut = at < end || reader->depth != 1;
		trace->cut_at = (uint64_t)(event - in->data);
		return 0;
	}
	if (trace->n_events) {
		trace->is_cut = true;
		trace->cut_at = (uint64_t)(at - in->data);
		return 0;
	}
	return err_set(err, EBADMSG, "at byte %zu: not JSON, in event %llu", (size_t)(at - in->data),
		       (unsigned long long)trace->n_events + 1);
}

/* Some producers escape nothing in names, or write NaN: one such event is no reason to lose the others. */

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Whether an event begins with this brace: behind a comma, with a key that events have. */
static bool begins_event(const char *first, const char *brace, const char *end)
{
	static const char *const keys[] = { "ph", "name", "cat", "ts", "pid", "tid", "args", "dur", "id" };
	const char *before = brace, *key = brace + 1;

	while (before > first && is_space(before[-1]))
		before--;
	while (key < end && is_space(*key))
		key++;
	if (before == first || before[-1] != ',' || key == end || *key++ != '"')
		return false;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		size_t len = strlen(keys[i]);

		if ((size_t)(end - key) > len && !memcmp(key, keys[i], len) && key[len] == '"')
			return true;
	}
	return false;
}

/* The first one of a line, if the next line begins with one. */
static const char *next_event(const char *first, const char *at, const char *end)
{
	const char *line = memchr(at, '\n', end - at < NEAR ? (size_t)(end - at) : NEAR);

	while (line && line < end && is_space(*line))
		line++;
	if (line && line < end && *line == '{' && begins_event(first, line, end))
		return line;
	for (; at < end && (at = memchr(at, '{', (size_t)(end - at))); at++)
		if (begins_event(first, at, end))
			return at;
	return NULL;
}

/* Goes on at the next event. false: there is none. level: the reader, behind the bracket of the events. */
static bool resume(struct chrome_trace *trace, const struct import_bytes *in, struct json_reader *reader,
		   const struct json_reader *level, const char *begin)
{
	const char *at = reader->at, *newline = memchr(begin, '\n', (size_t)(at - begin)), *next;

	/* a quote too many hides the begin of the next line */
	next = next_event(in->data, newline && at - begin < NEAR ? newline : at, reader->end);
	if (!next || next <= begin)
		return false;
	if (!trace->n_damaged++)
		trace->damaged_at = (uint64_t)(at - in->data);
	*reader = *level;
	reader->at = next;
	return true;
}

/* The end of the events; or that of something in a damaged one. */
static bool is_end(const struct chrome_trace *trace, const struct json_reader *reader)
{
	return !trace->n_damaged || !memmem(reader->at, (size_t)(reader->end - reader->at), "\"ph\"", 4);
}

static bool read_one(struct json_reader *reader, enum json_token token, struct chrome_trace_event *event)
{
	if (token == JSON_OBJECT)
		return read_event(reader, event);
	return token == JSON_ARRAY ? json_read_skip(reader) : token != JSON_BROKEN && token != JSON_CLOSE;
}

/* Behind the bracket of the events. */
static int read_events(struct chrome_trace *trace, const struct import_bytes *in, struct json_reader *reader,
		       struct err *err)
{
	const struct json_reader level = *reader;
	const char *kept = in->data, *begin = reader->at;
	enum json_token token;

	while ((token = json_read_next(reader)) != JSON_CLOSE || !is_end(trace, reader)) {
		struct chrome_trace_event event = { .begin = reader->at - 1 };
		int code;

		begin = token == JSON_BROKEN ? begin : event.begin;
		if (!read_one(reader, token, &event)) {
			if (resume(trace, in, reader, &level, begin))
				continue;
			return broken(trace, in, reader, begin, err);
		}
		code = take(trace, &event, err);
		if (code)
			return code;
		begin = reader->at;
		kept = import_forget(in, kept, reader->at);
	}
	return 0;
}

int chrome_trace_read(struct chrome_trace *trace, const struct import_bytes *in, struct err *err)
{
	struct json_reader reader;
	enum json_token token;

	json_read_init(&reader, in->data, in->size);
	token = json_read_next(&reader);
	if (token == JSON_ARRAY)
		return read_events(trace, in, &reader, err);
	if (token != JSON_OBJECT)
		return err_set(err, EBADMSG, "at byte 0: not a trace of Chrome, neither an object nor an array");
	while ((token = json_read_next(&reader)) != JSON_CLOSE) {
		const char *begin = reader.at - 1;
		int code;

		if (token == JSON_ARRAY && json_span_is(reader.key, "traceEvents")) {
			code = read_events(trace, in, &reader, err);
			if (code || trace->is_cut)
				return code;
		} else if (token == JSON_NUMBER && json_span_is(reader.key, "baseTimeNanoseconds")) {
			trace->has_base = json_span_int(reader.value, &trace->base_ns);
		} else if (token == JSON_BROKEN ||
			   ((token == JSON_OBJECT || token == JSON_ARRAY) && !json_read_skip(&reader))) {
			return broken(trace, in, &reader, begin, err);
		}
	}
	return 0;
}

/* Is this an event, as far as it goes, whose name or category alone is longer than what is looked at? */
static bool is_long_event(const char *event, size_t size)
{
	return size >= LONG_EVENT && !memchr(event, '}', size) &&
	       (memmem(event, FIRST_KEY, "\"name\"", 6) || memmem(event, FIRST_KEY, "\"cat\"", 5));
}

bool chrome_trace_sniff(const char *first, size_t size)
{
	static const char *const of_objects[] = { "\"traceEvents\"", "\"displayTimeUnit\"", "\"deviceProperties\"" };
	size_t at = 0, inner;

	while (at < size && first[at] && strchr(" \n\r\t", first[at]))
		at++;
	if (at == size)
		return false;
	for (size_t i = 0; first[at] == '{' && i < sizeof of_objects / sizeof *of_objects; i++)
		if (memmem(first, size, of_objects[i], strlen(of_objects[i])))
			return true;
	for (inner = at + 1; inner < size && first[inner] && strchr(" \n\r\t", first[inner]);)
		inner++;
	return first[at] == '[' && !ort_profile_sniff(first, size) && inner < size && first[inner] == '{' &&
	       (memmem(first, size, "\"ph\"", 4) || is_long_event(first + inner, size - inner));
}
