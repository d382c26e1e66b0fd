// SPDX-License-Identifier: Apache-2.0
/*
 * Parses ONNX Runtime's profile into its events. The runtime escapes nothing, so a quote in a name makes its event
 * invalid JSON: such an event is counted, and reading continues with the next line. Keeps no events and does not
 * interpret them: the consumer does.
 */
#include "trace/import/ort_profile.h"

#include <errno.h>
#include <string.h>

#include "base/json_read.h"

#define NODE_SUFFIX "_kernel_time"

enum { SHAPES_MAX = 1000 };

/* One event while it is being read. */
struct line {
	struct ort_profile_event event;
	struct json_span category, name;
	char inputs[SHAPES_MAX], outputs[SHAPES_MAX];
	size_t n_inputs, n_outputs; /* bytes */
};

struct text {
	char *data;
	size_t len;
	bool is_full;
};

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

/* Copied as it is: nothing in it is escaped. */
static uint32_t intern(struct names *names, struct json_span span, const char *prefix, const char *suffix)
{
	size_t before = strlen(prefix);

	if (ends_with(span, suffix))
		span.len -= strlen(suffix);
	if (span.len > before && starts_with(span, prefix))
		span = (struct json_span){ span.start + before, span.len - before };
	return names_intern(names, span.start, span.len);
}

/* Shapes: [{"float":[64,256]},{"int64":[]}] becomes float32[64x256],int64[], the form of recordings. */

static void append(struct text *to, const char *text, size_t len)
{
	if (to->is_full || len > SHAPES_MAX - to->len) {
		to->is_full = true;
		return;
	}
	memcpy(to->data + to->len, text, len);
	to->len += len;
}

static void append_type(struct text *to, struct json_span type)
{
	if (to->len)
		append(to, ",", 1);
	if (json_span_is(type, "float"))
		append(to, "float32", 7);
	else if (json_span_is(type, "double"))
		append(to, "float64", 7);
	else
		append(to, type.start, type.len);
	append(to, "[", 1);
}

/* Starts after the opening bracket of the array. false: broken. */
static bool read_dims(struct json_reader *reader, struct text *to)
{
	enum json_token token;
	bool is_first = true;

	for (; (token = json_read_next(reader)) != JSON_CLOSE; is_first = false) {
		if (token == JSON_BROKEN)
			return false;
		if (!is_first)
			append(to, "x", 1);
		if (token == JSON_NUMBER)
			append(to, reader->value.start, reader->value.len);
		else if ((token == JSON_OBJECT || token == JSON_ARRAY) && !json_read_skip(reader))
			return false;
	}
	append(to, "]", 1);
	return true;
}

static bool read_tensor(struct json_reader *reader, struct text *to)
{
	enum json_token token;

	while ((token = json_read_next(reader)) != JSON_CLOSE) {
		if (token == JSON_BROKEN)
			return false;
		if (token == JSON_ARRAY) {
			append_type(to, reader->key);
			if (!read_dims(reader, to))
				return false;
		} else if (token == JSON_OBJECT && !json_read_skip(reader)) {
			return false;
		}
	}
	return true;
}

/* Leaves out a list of shapes that is too long: half of it would be wrong. */
static bool read_shapes(struct json_reader *reader, char *data, size_t *len)
{
	struct text to = { .data = data };
	enum json_token token;

	while ((token = json_read_next(reader)) != JSON_CLOSE) {
		if (token == JSON_BROKEN)
			return false;
		if (token == JSON_OBJECT ? !read_tensor(reader, &to) : token == JSON_ARRAY && !json_read_skip(reader))
			return false;
	}
	*len = to.is_full ? 0 : to.len;
	return true;
}

static void join_shapes(struct names *names, struct line *line)
{
	char both[2 * SHAPES_MAX + 2];
	size_t n = line->n_inputs;

	memcpy(both, line->inputs, n);
	if (line->n_outputs) {
		memcpy(both + n, "->", 2);
		memcpy(both + n + 2, line->outputs, line->n_outputs);
		n += 2 + line->n_outputs;
	}
	line->event.shapes = names_intern(names, both, n);
}

/* Arguments and fields. */

static void add_bytes(struct ort_profile_event *event, struct json_span value)
{
	int64_t bytes;

	if (!json_span_int(value, &bytes) || bytes < 0 || bytes > INT64_MAX / 4)
		return;
	event->bytes = event->bytes < 0 ? bytes : event->bytes + bytes;
}

static void take_arg(struct names *names, const struct json_reader *reader, struct ort_profile_event *event)
{
	struct json_span key = reader->key, value = reader->value;
	int64_t number;

	if (json_span_is(key, "op_name") || json_span_is(key, "ov_node_type"))
		event->op_type = intern(names, value, "", "");
	else if (json_span_is(key, "provider") || json_span_is(key, "ep"))
		event->provider = intern(names, value, "", "");
	else if (json_span_is(key, "activation_size") || json_span_is(key, "parameter_size") ||
		 json_span_is(key, "output_size"))
		add_bytes(event, value);
	else if (json_span_is(key, "parent_ort_event_name") || json_span_is(key, "parent_name"))
		event->operator = intern(names, value, "", NODE_SUFFIX);
	else if (json_span_is(key, "ov_exec_type"))
		event->implementation = intern(names, value, "", "");
	else if (json_span_is(key, "stream"))
		event->stream = intern(names, value, "", "");
	else if (json_span_is(key, "ort_correlation_id") && json_span_int(value, &number))
		event->correlation = (uint64_t)number;
}

static bool read_args(struct names *names, struct json_reader *reader, struct line *line)
{
	enum json_token token;

	while ((token = json_read_next(reader)) != JSON_CLOSE) {
		bool is_whole = true;

		if (token == JSON_BROKEN)
			return false;
		if (token == JSON_TEXT)
			take_arg(names, reader, &line->event);
		else if (token == JSON_ARRAY && json_span_is(reader->key, "input_type_shape"))
			is_whole = read_shapes(reader, line->inputs, &line->n_inputs);
		else if (token == JSON_ARRAY && json_span_is(reader->key, "output_type_shape"))
			is_whole = read_shapes(reader, line->outputs, &line->n_outputs);
		else if (token == JSON_OBJECT || token == JSON_ARRAY)
			is_whole = json_read_skip(reader);
		if (!is_whole)
			return false;
	}
	return true;
}

static int32_t id_of(struct json_span span)
{
	int64_t number;

	return json_span_int(span, &number) && number >= 0 && number <= INT32_MAX ? (int32_t)number : -1;
}

static void take_field(const struct json_reader *reader, enum json_token token, struct line *line)
{
	struct ort_profile_event *event = &line->event;

	if (token == JSON_TEXT && json_span_is(reader->key, "cat"))
		line->category = reader->value;
	else if (token == JSON_TEXT && json_span_is(reader->key, "name"))
		line->name = reader->value;
	else if (token != JSON_NUMBER)
		return;
	else if (json_span_is(reader->key, "ts") && !json_span_int(reader->value, &event->ts))
		event->ts = -1;
	else if (json_span_is(reader->key, "dur") && !json_span_int(reader->value, &event->dur))
		event->dur = -1;
	else if (json_span_is(reader->key, "pid"))
		event->pid = id_of(reader->value);
	else if (json_span_is(reader->key, "tid"))
		event->tid = id_of(reader->value);
}

static enum ort_profile_kind kind_of(const struct line *line)
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
static struct json_span split_program(struct names *names, struct line *line)
{
	struct json_span name = line->name;
	const char *program = name.start && name.len ? memrchr(name.start, '&', name.len) : NULL;
	const char *type = program ? memrchr(name.start, '&', (size_t)(program - name.start)) : NULL;

	if (!type || type == name.start)
		return name;
	line->event.implementation = names_intern(names, program + 1, (size_t)(name.start + name.len - program - 1));
	line->event.op_type = names_intern(names, type + 1, (size_t)(program - type - 1));
	return (struct json_span){ name.start, (size_t)(type - name.start) };
}

/* false: not a JSON object. The reader is then behind it, or at the error. */
static bool read_object(struct names *names, struct json_reader *reader, struct line *line)
{
	enum json_token token;

	line->event = (struct ort_profile_event){ .ts = -1, .dur = -1, .pid = -1, .tid = -1, .bytes = -1 };
	line->category = line->name = (struct json_span){ "", 0 };
	line->n_inputs = line->n_outputs = 0;
	if (json_read_next(reader) != JSON_OBJECT)
		return false;
	while ((token = json_read_next(reader)) != JSON_CLOSE) {
		if (token == JSON_BROKEN)
			return false;
		if (token == JSON_OBJECT && json_span_is(reader->key, "args")
			? !read_args(names, reader, line)
			: (token == JSON_OBJECT || token == JSON_ARRAY) && !json_read_skip(reader))
			return false;
		take_field(reader, token, line);
	}
	return true;
}

/* Rejects events with impossible times. */
static bool is_plausible(const struct ort_profile_event *event)
{
	return event->ts >= 0 && event->dur >= 0 && event->ts < INT64_MAX / 4000 && event->dur < INT64_MAX / 4000;
}

static int take(struct ort_profile *profile, struct line *line, struct err *err)
{
	struct ort_profile_event *event = &line->event;
	struct json_span name = line->name;

	event->kind = kind_of(line);
	profile->n_events += event->kind != ORT_PROFILE_KERNEL && event->kind != ORT_PROFILE_API;
	if (event->kind == ORT_PROFILE_OTHER)
		return 0;
	if (!is_plausible(event)) {
		profile->n_unread++;
		return 0;
	}
	if (event->kind == ORT_PROFILE_API)
		name = split_program(profile->names, line);
	event->name = intern(profile->names, name, event->kind == ORT_PROFILE_KERNEL ? "OV::" : "",
			     event->kind == ORT_PROFILE_NODE ? NODE_SUFFIX : "");
	if (line->n_inputs || line->n_outputs)
		join_shapes(profile->names, line);
	return profile->take(profile, event, err);
}

static size_t next_line(const char *data, size_t size, size_t at)
{
	const char *newline = memchr(data + at, '\n', size - at);

	return newline ? (size_t)(newline - data) + 1 : size;
}

static bool is_between(char c)
{
	return c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '[' || c == ']';
}

int ort_profile_read(struct ort_profile *profile, const char *data, size_t size, struct err *err)
{
	size_t at = 0, broken = 0; /* the first unreadable event since the last readable one; 0: none */
	bool is_closed = false;
	struct line line;

	if (!size || *data != '[')
		return err_set(err, EBADMSG, "cannot read it: at byte 0: not a profile of ONNX Runtime%s",
			       size ? "" : ", it is empty");
	while (at < size) {
		struct json_reader reader;
		int code;

		if (is_between(data[at])) {
			is_closed |= data[at++] == ']';
			continue;
		}
		is_closed = false;
		json_read_init(&reader, data + at, size - at);
		if (!read_object(profile->names, &reader, &line)) {
			profile->n_broken++;
			profile->n_unread++;
			broken = broken ? broken : at;
			at = next_line(data, size, at);
			continue;
		}
		profile->n_broken = broken = 0;
		at = (size_t)(reader.at - data);
		code = take(profile, &line, err);
		if (code)
			return code;
	}
	profile->is_cut = !is_closed;
	if (profile->is_cut)
		profile->cut_at = broken ? broken : size;
	else
		profile->n_broken = 0;
	return 0;
}

bool ort_profile_sniff(const char *first, size_t size)
{
	static const char begin[] = "[{\"cat\":\"", *const categories[] = { "Session", "Node", "Kernel", "Api" };
	size_t n = 0, at = 0;

	for (; at < size && n < sizeof begin - 1; at++) {
		if (first[at] == begin[n])
			n++;
		else if (!n || !strchr(" \n\r\t", first[at]) || !first[at])
			return false;
	}
	for (size_t i = 0; i < sizeof categories / sizeof *categories && n == sizeof begin - 1; i++)
		if (size - at > strlen(categories[i]) && !memcmp(first + at, categories[i], strlen(categories[i])) &&
		    first[at + strlen(categories[i])] == '"')
			return true;
	return false;
}
