// SPDX-License-Identifier: Apache-2.0
/*
 * Parses ONNX Runtime's profile into its events. ort_profile_quick.c reads an event that is written as the runtime
 * writes it; this file reads the same JSON in any other form, as other tools write it. What is neither is counted, and
 * reading continues with the next line. Keeps no events and does not interpret them: the consumer does.
 */
#include "trace/import/ort_profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/import/ort_profile_in.h"

#define NODE_SUFFIX "_kernel_time"
#define WEBGPU "WebGpuExecutionProvider"

enum { EVENT_MAX_BYTES = 256 << 10 }; /* of an event that is read quickly */

static bool ends_with(struct json_span span, const char *suffix)
{
	size_t len = strlen(suffix);

	return span.len >= len && !memcmp(span.start + span.len - len, suffix, len);
}

static bool starts_with(struct json_span span, const char *prefix)
{
	size_t len = strlen(prefix);

	return span.len >= len && !memcmp(span.start, prefix, len);
}

static struct json_span without(struct json_span span, const char *prefix, const char *suffix)
{
	size_t before = strlen(prefix);

	if (ends_with(span, suffix))
		span.len -= strlen(suffix);
	if (span.len > before && starts_with(span, prefix))
		span = (struct json_span){ span.start + before, span.len - before };
	return span;
}

/* Any JSON. */

static bool read_args(struct json_reader *reader, struct ort_profile_line *line)
{
	enum json_token token;

	while ((token = json_read_next(reader)) != JSON_CLOSE) {
		struct json_span key = reader->key;
		const char *start = reader->at - 1;

		if (token == JSON_BROKEN)
			return false;
		if (token == JSON_TEXT)
			ort_profile_take_arg(line, key, reader->value, true);
		if (token != JSON_OBJECT && token != JSON_ARRAY)
			continue;
		if (!json_read_skip(reader))
			return false;
		ort_profile_take_arg(line, key, (struct json_span){ start, (size_t)(reader->at - start) }, false);
	}
	return true;
}

static int32_t id_of(struct json_span span)
{
	int64_t number;

	return json_span_int(span, &number) && number >= 0 && number <= INT32_MAX ? (int32_t)number : -1;
}

static void take_field(const struct json_reader *reader, enum json_token token, struct ort_profile_line *line)
{
	if (token == JSON_TEXT && json_span_is(reader->key, "cat"))
		line->category = reader->value;
	else if (token == JSON_TEXT && json_span_is(reader->key, "name"))
		line->name = reader->value;
	else if (token != JSON_NUMBER)
		return;
	else if (json_span_is(reader->key, "ts") && !json_span_int(reader->value, &line->ts))
		line->ts = -1;
	else if (json_span_is(reader->key, "dur") && !json_span_int(reader->value, &line->dur))
		line->dur = -1;
	else if (json_span_is(reader->key, "pid"))
		line->pid = id_of(reader->value);
	else if (json_span_is(reader->key, "tid"))
		line->tid = id_of(reader->value);
}

/* false: not a JSON object. The reader is then behind it, or at the error. */
static bool read_object(struct json_reader *reader, struct ort_profile_line *line)
{
	enum json_token token;

	ort_profile_line_clear(line);
	line->is_json = true;
	if (json_read_next(reader) != JSON_OBJECT)
		return false;
	while ((token = json_read_next(reader)) != JSON_CLOSE) {
		if (token == JSON_BROKEN)
			return false;
		if (token == JSON_OBJECT && json_span_is(reader->key, "args")
			? !read_args(reader, line)
			: (token == JSON_OBJECT || token == JSON_ARRAY) && !json_read_skip(reader))
			return false;
		take_field(reader, token, line);
	}
	return true;
}

/* Events. */

static enum ort_profile_kind kind_of(const struct ort_profile_line *line)
{
	if (json_span_is(line->category, "Kernel"))
		return ORT_PROFILE_KERNEL;
	if (json_span_is(line->category, "Api"))
		return ORT_PROFILE_API;
	if (json_span_is(line->category, "Node")) /* fences have been empty since 1.14 */
		return ends_with(line->name, "_fence_before") || ends_with(line->name, "_fence_after")
			   ? ORT_PROFILE_OTHER
			   : ORT_PROFILE_NODE;
	if (!json_span_is(line->category, "Session"))
		return ORT_PROFILE_OTHER;
	if (json_span_is(line->name, "model_run"))
		return ORT_PROFILE_RUN;
	if (json_span_is(line->name, "session_initialization"))
		return ORT_PROFILE_INIT;
	if (starts_with(line->name, "model_loading_"))
		return ORT_PROFILE_LOAD;
	return ends_with(line->name, "Executor::Execute") ? ORT_PROFILE_EXECUTE : ORT_PROFILE_OTHER;
}

/* Rows of WebGPU: "conv_1&Conv&Conv2dMM" is the program Conv2dMM of the Conv conv_1. */
static void split_program(struct ort_profile_line *line)
{
	struct json_span name = line->name;
	const char *program = name.start && name.len ? memrchr(name.start, '&', name.len) : NULL;
	const char *type = program ? memrchr(name.start, '&', (size_t)(program - name.start)) : NULL;

	if (!type || type == name.start)
		return;
	line->implementation = (struct json_span){ program + 1, (size_t)(name.start + name.len - program - 1) };
	line->op_type = (struct json_span){ type + 1, (size_t)(program - type - 1) };
	if (!line->provider.start)
		line->provider = (struct json_span){ WEBGPU, sizeof WEBGPU - 1 };
	line->name.len = (size_t)(type - name.start);
}

/* Rejects events with impossible times. */
static bool is_plausible(const struct ort_profile_line *line)
{
	return line->ts >= 0 && line->dur >= 0 && line->ts < INT64_MAX / 4000 && line->dur < INT64_MAX / 4000;
}

static void fill(struct ort_profile *profile, struct ort_profile_line *line, struct ort_profile_event *event)
{
	struct ort_profile_texts *texts = profile->texts;
	struct names *names = profile->names;
	bool is_json = line->is_json;

	event->pid = line->pid;
	event->tid = line->tid;
	event->ts = line->ts;
	event->dur = line->dur;
	event->bytes = line->bytes;
	event->correlation = line->correlation;
	texts->has_memory |= line->has_memory;
	if (event->kind == ORT_PROFILE_API)
		split_program(line);
	event->name = ort_profile_name(texts, names,
				       without(line->name, event->kind == ORT_PROFILE_KERNEL ? "OV::" : "",
					       event->kind == ORT_PROFILE_NODE ? NODE_SUFFIX : ""),
				       is_json);
	event->op_type = ort_profile_text(texts, names, line->op_type);
	event->provider = ort_profile_text(texts, names, line->provider);
	event->implementation = ort_profile_text(texts, names, line->implementation);
	event->stream = ort_profile_text(texts, names, line->stream);
	event->operator = ort_profile_name(texts, names, without(line->operator, "", NODE_SUFFIX), is_json);
	event->shapes = ort_profile_shapes(texts, names, line);
}

static int take(struct ort_profile *profile, struct ort_profile_line *line, struct err *err)
{
	struct ort_profile_event event = { .kind = kind_of(line) };

	profile->n_events += event.kind != ORT_PROFILE_KERNEL && event.kind != ORT_PROFILE_API;
	if (event.kind == ORT_PROFILE_OTHER)
		return 0;
	if (!is_plausible(line)) {
		profile->n_unread++;
		return 0;
	}
	fill(profile, line, &event);
	return profile->take(profile, &event, err);
}

/* The file. */

static const char *next_line(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline + 1 : end;
}

static bool is_between(char c)
{
	return c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '[' || c == ']';
}

/* Behind the event at `at`; NULL: it is unreadable. */
static const char *read_event(const char *at, const char *end, struct ort_profile_line *line)
{
	const char *near = end - at > EVENT_MAX_BYTES ? at + EVENT_MAX_BYTES : end, *behind;
	struct json_reader reader;

	behind = ort_profile_quick(at, near, line);
	if (behind)
		return behind;
	json_read_init(&reader, at, (size_t)(end - at));
	return read_object(&reader, line) ? reader.at : NULL;
}

/* The "[" before the events, also in {"traceEvents": [...]}; NULL: there is none. */
static const char *events_of(const struct import_bytes *in)
{
	static const char key[] = "\"traceEvents\"";
	const char *end = in->data + in->size, *at = in->data;

	while (at < end && strchr(" \n\r\t", *at) && *at)
		at++;
	if (at < end && *at == '{' && (at = memmem(at, (size_t)(end - at), key, sizeof key - 1)))
		for (at += sizeof key - 1; at < end && *at && strchr(" \n\r\t:", *at);)
			at++;
	return at && at < end && *at == '[' ? at : NULL;
}

static int read_events(struct ort_profile *profile, const struct import_bytes *in, struct err *err)
{
	const char *data = in->data, *at = events_of(in), *end = data + in->size, *kept = data,
		   *broken = NULL; /* the first unreadable event since the last readable one */
	struct ort_profile_line line;
	bool is_closed = false, is_object = *data != '[';

	while (at < end && !(is_object && is_closed)) {
		const char *behind;
		int code;

		if (is_between(*at)) {
			is_closed |= *at++ == ']';
			continue;
		}
		is_closed = false;
		behind = read_event(at, end, &line);
		if (!behind) {
			profile->n_broken++;
			profile->n_unread++;
			broken = broken ? broken : at;
			at = next_line(at, end);
			continue;
		}
		profile->n_broken = 0;
		broken = NULL;
		at = behind;
		kept = import_forget(in, kept, at);
		code = take(profile, &line, err);
		if (code)
			return code;
	}
	profile->is_cut = !is_closed;
	if (profile->is_cut)
		profile->cut_at = (uint64_t)((broken ? broken : end) - data);
	else
		profile->n_broken = 0;
	return 0;
}

int ort_profile_read(struct ort_profile *profile, const struct import_bytes *in, struct err *err)
{
	int code;

	if (!events_of(in))
		return err_set(err, EBADMSG, "cannot read it: at byte 0: not a profile of ONNX Runtime%s",
			       in->size ? "" : ", it is empty");
	profile->texts = calloc(1, sizeof *profile->texts);
	if (!profile->texts)
		return err_no_memory(err, "cannot read it");
	code = read_events(profile, in, err);
	perfetto_map_done(&profile->texts->joined);
	free(profile->texts);
	profile->texts = NULL;
	return code;
}

/* Behind any space. */
static size_t skip_space(const char *first, size_t at, size_t size)
{
	while (at < size && first[at] && strchr(" \n\r\t", first[at]))
		at++;
	return at;
}

static bool has(const char *first, size_t size, const char *text)
{
	return memmem(first, size, text, strlen(text)) != NULL;
}

/* Names that only the runtime's profile has, whoever wrote the file again: {"traceEvents": [...]}, other spaces. */
static bool is_rewritten(const char *first, size_t size)
{
	size_t at = skip_space(first, 0, size);
	bool is_object = at < size && first[at] == '{';

	if (at == size || (!is_object && first[at] != '[') || (is_object && !has(first, size, "\"traceEvents\"")))
		return false;
	return has(first, size, "\"cat\"") && has(first, size, "\"dur\"") &&
	       (has(first, size, NODE_SUFFIX "\"") || has(first, size, "\"session_initialization\"") ||
		has(first, size, "\"SequentialExecutor::Execute\"") || has(first, size, "\"model_loading_uri\""));
}

/* Whether [{"cat":" stands there, with any space in between; *at: behind it. */
static bool begins(const char *first, size_t size, size_t *at)
{
	static const char begin[] = "[{\"cat\":\"";
	size_t n = 0;

	for (*at = 0; *at < size && begin[n]; ++*at) {
		if (first[*at] == begin[n])
			n++;
		else if (!n || !strchr(" \n\r\t", first[*at]) || !first[*at])
			return false;
	}
	return !begin[n];
}

bool ort_profile_sniff(const char *first, size_t size)
{
	static const char *const categories[] = { "Session", "Node", "Kernel", "Api" };
	size_t at;

	if (!begins(first, size, &at))
		return is_rewritten(first, size);
	for (size_t i = 0; i < sizeof categories / sizeof *categories; i++) {
		size_t len = strlen(categories[i]), left = size - at;

		if (left <= len ? !memcmp(first + at, categories[i], left) /* cut off here */
				: !memcmp(first + at, categories[i], len) && first[at + len] == '"')
			return true;
	}
	return false;
}
