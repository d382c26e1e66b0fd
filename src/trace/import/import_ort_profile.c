// SPDX-License-Identifier: Apache-2.0
/*
 * ONNX Runtime's own profile: an array of events, one in a line. The runtime escapes nothing, so that a line with a
 * quote in a name is no JSON; each line is read by itself, and one that cannot be read is counted.
 *
 * A row of category Kernel tells when the operator that it ran in began, in microseconds since 1970. Rows of category
 * Api tell nothing of the kind, but lie inside of the inference (category Session, model_run) whose commands the
 * device carried out. Operators (category Node) are only read for their names and times: the profile's own times count
 * from a moment that it does not name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "trace/import/device_profile.h"

#define NODE_SUFFIX "_kernel_time"

enum { MAX_TRIES = 1000 };
enum category { OTHER, SESSION, RUN, NODE, KERNEL, API };

struct line {
	enum category category;
	int64_t ts, dur;
	uint64_t correlation;
	uint32_t name, operator, op_type, implementation;
};

struct node {
	uint32_t name;
	int64_t ts;
};

/* An inference. */
struct model_run {
	int64_t ts, dur;
};

struct kernel {
	struct line line;
	size_t at; /* in the file: stays in order */
};

struct profile {
	struct device_profile *to;
	struct node *nodes;
	struct kernel *kernels;
	struct model_run *runs;
	size_t n_nodes, n_kernels, n_runs, node_room, kernel_room, run_room;
};

/* As it stands: nothing in it is escaped. */
static uint32_t intern(struct profile *profile, struct json_span span, const char *prefix, const char *suffix)
{
	size_t before = strlen(prefix), behind = strlen(suffix);

	if (span.len >= behind && !memcmp(span.start + span.len - behind, suffix, behind))
		span.len -= behind;
	if (span.len > before && !memcmp(span.start, prefix, before))
		span = (struct json_span){ span.start + before, span.len - before };
	return names_intern(profile->to->names, span.start, span.len);
}

static void take_arg(struct profile *profile, const struct json_reader *reader, struct line *line)
{
	int64_t number;

	if (json_span_is(reader->key, "parent_ort_event_name"))
		line->operator = intern(profile, reader->value, "", NODE_SUFFIX);
	else if (json_span_is(reader->key, "ov_node_type"))
		line->op_type = intern(profile, reader->value, "", "");
	else if (json_span_is(reader->key, "ov_exec_type"))
		line->implementation = intern(profile, reader->value, "", "");
	else if (json_span_is(reader->key, "ort_correlation_id") && json_span_int(reader->value, &number))
		line->correlation = (uint64_t)number;
}

static bool read_args(struct profile *profile, struct json_reader *reader, struct line *line)
{
	enum json_token token;

	while ((token = json_read_next(reader)) != JSON_CLOSE) {
		if (token == JSON_BROKEN)
			return false;
		if (token == JSON_TEXT)
			take_arg(profile, reader, line);
		else if ((token == JSON_OBJECT || token == JSON_ARRAY) && !json_read_skip(reader))
			return false;
	}
	return true;
}

static void take_field(struct profile *profile, const struct json_reader *reader, enum json_token token,
		       struct line *line, struct json_span *name)
{
	if (token == JSON_TEXT && json_span_is(reader->key, "cat"))
		line->category = json_span_is(reader->value, "Kernel")	  ? KERNEL
				 : json_span_is(reader->value, "Api")	  ? API
				 : json_span_is(reader->value, "Node")	  ? NODE
				 : json_span_is(reader->value, "Session") ? SESSION
									  : OTHER;
	else if (token == JSON_TEXT && json_span_is(reader->key, "name"))
		*name = reader->value;
	else if (token == JSON_NUMBER && json_span_is(reader->key, "ts") && !json_span_int(reader->value, &line->ts))
		line->ts = -1;
	else if (token == JSON_NUMBER && json_span_is(reader->key, "dur") && !json_span_int(reader->value, &line->dur))
		line->dur = -1;
}

/* WebGPU's rows: "conv_1&Conv&Conv2dMM" is the program Conv2dMM of the Conv conv_1. */
static struct json_span split_program(struct profile *profile, struct json_span name, struct line *line)
{
	const char *program = name.start && name.len ? memrchr(name.start, '&', name.len) : NULL;
	const char *type = program ? memrchr(name.start, '&', (size_t)(program - name.start)) : NULL;

	if (!type || type == name.start)
		return name;
	line->implementation =
	    names_intern(profile->to->names, program + 1, (size_t)(name.start + name.len - program - 1));
	line->op_type = names_intern(profile->to->names, type + 1, (size_t)(program - type - 1));
	return (struct json_span){ name.start, (size_t)(type - name.start) };
}

/* false: it is no JSON object. */
static bool read_line(struct profile *profile, const char *text, size_t len, struct line *line)
{
	struct json_span name = { "", 0 };
	struct json_reader reader;
	enum json_token token;

	*line = (struct line){ .ts = -1, .dur = -1 };
	json_read_init(&reader, text, len);
	if (json_read_next(&reader) != JSON_OBJECT)
		return false;
	while ((token = json_read_next(&reader)) != JSON_CLOSE) {
		if (token == JSON_BROKEN)
			return false;
		if (token == JSON_OBJECT && json_span_is(reader.key, "args")
			? !read_args(profile, &reader, line)
			: (token == JSON_OBJECT || token == JSON_ARRAY) && !json_read_skip(&reader))
			return false;
		take_field(profile, &reader, token, line, &name);
	}
	if (line->category == SESSION)
		line->category = json_span_is(name, "model_run") ? RUN : OTHER;
	if (line->category == API)
		name = split_program(profile, name, line);
	if (line->category != OTHER)
		line->name = intern(profile, name, line->category == KERNEL ? "OV::" : "",
				    line->category == NODE ? NODE_SUFFIX : "");
	return json_read_next(&reader) == JSON_END;
}

static bool room(void **array, size_t n, size_t *room_for, size_t size)
{
	size_t more = *room_for ? 2 * *room_for : 256;
	void *bigger = n < *room_for ? *array : reallocarray(*array, more, size);

	if (!bigger)
		return false;
	*room_for = n < *room_for ? *room_for : more;
	*array = bigger;
	return true;
}

/* Times that no run has: such a line is not taken. */
static bool is_plausible(const struct line *line)
{
	return line->ts >= 0 && line->dur >= 0 && line->ts < INT64_MAX / 4000 && line->dur < INT64_MAX / 4000;
}

static bool keep_line(struct profile *profile, const struct line *line)
{
	if (line->category == NODE) {
		if (!room((void **)&profile->nodes, profile->n_nodes, &profile->node_room, sizeof *profile->nodes))
			return false;
		profile->nodes[profile->n_nodes++] = (struct node){ line->name, line->ts };
	} else if (line->category == RUN) {
		if (!room((void **)&profile->runs, profile->n_runs, &profile->run_room, sizeof *profile->runs))
			return false;
		profile->runs[profile->n_runs++] = (struct model_run){ line->ts, line->dur };
	} else if (line->category != OTHER) {
		if (!room((void **)&profile->kernels, profile->n_kernels, &profile->kernel_room,
			  sizeof *profile->kernels))
			return false;
		profile->kernels[profile->n_kernels] = (struct kernel){ *line, profile->n_kernels };
		profile->n_kernels++;
	}
	return true;
}

static bool read_lines(struct profile *profile, const char *data, size_t size)
{
	for (size_t at = 0, next; at < size; at = next) {
		const char *newline = memchr(data + at, '\n', size - at);
		size_t len = newline ? (size_t)(newline - data) - at : size - at;
		struct line line;

		next = at + len + (newline != NULL);
		while (len && strchr("\r ,", data[at + len - 1]) && data[at + len - 1])
			len--;
		if (len < 2) /* brackets of the whole */
			continue;
		if (!read_line(profile, data + at, len, &line) || (line.category != OTHER && !is_plausible(&line)))
			profile->to->n_unread++;
		else if (!keep_line(profile, &line))
			return false;
	}
	return true;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static bool is_apart(const struct kernel *kernel)
{
	return kernel->line.category == API || !kernel->line.correlation;
}

/* Executions in order; rows of none behind all. */
static int by_execution(const void *left, const void *right)
{
	const struct kernel *a = left, *b = right;
	int order = is_apart(a) - is_apart(b);

	if (!order && !is_apart(a))
		order = compare(a->line.correlation, b->line.correlation);
	if (!order)
		order = compare((uint64_t)a->line.ts, (uint64_t)b->line.ts);
	return order ? order : compare(a->at, b->at);
}

static int by_time(const void *left, const void *right)
{
	const struct node *a = left, *b = right;

	return compare((uint64_t)a->ts, (uint64_t)b->ts);
}

static int by_begin(const void *left, const void *right)
{
	const struct model_run *a = left, *b = right;

	return compare((uint64_t)a->ts, (uint64_t)b->ts);
}

/* In order; inferences at the same time tell nothing: whose commands a device carries out then is not known. */
static void sort_runs(struct profile *profile)
{
	if (profile->n_runs)
		qsort(profile->runs, profile->n_runs, sizeof *profile->runs, by_begin);
	for (size_t i = 1; i < profile->n_runs; i++)
		if (profile->runs[i].ts < profile->runs[i - 1].ts + profile->runs[i - 1].dur)
			profile->n_runs = 0;
}

/* How many operators began before ts. */
static size_t n_before(const struct profile *profile, int64_t ts)
{
	size_t low = 0, high = profile->n_nodes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (profile->nodes[middle].ts < ts)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The moment that the profile's times count from: a kernel tells when its operator began since 1970, and that operator
 * is the last of that name that began before it. 0: no kernel's operator is there.
 */
static uint64_t zero_us(const struct profile *profile, size_t n_kernels)
{
	for (size_t i = 0; i < n_kernels; i++) {
		const struct line *line = &profile->kernels[i].line;

		for (size_t n = n_before(profile, line->ts + 1); n-- > 0;)
			if (profile->nodes[n].name == line->operator)
				return line->correlation - (uint64_t)profile->nodes[n].ts;
		if (i == MAX_TRIES)
			break;
	}
	return 0;
}

/* The operator that began then; of several, the one that the kernel names. The name alone is not to be trusted: it is
 * that of an outer event at times. */
static const struct node *operator_at(const struct profile *profile, const struct line *line, uint64_t zero)
{
	uint64_t ts = line->correlation - zero;
	const struct node *found = NULL;

	if (!zero || line->correlation < zero || ts >= INT64_MAX)
		return NULL;
	for (size_t n = n_before(profile, (int64_t)ts); n < profile->n_nodes && (uint64_t)profile->nodes[n].ts == ts;
	     n++)
		if (!found || profile->nodes[n].name == line->operator)
			found = &profile->nodes[n];
	return found;
}

/* begin: when its operator or inference did; -1: not known. */
static bool add_row(struct device_profile *to, const struct line *line, int64_t begin)
{
	struct device_row *row = device_profile_row(to);

	if (row)
		*row = (struct device_row){ .name = line->name,
					    .op_type = line->op_type,
					    .implementation = line->implementation,
					    .unit = DEVICE_US,
					    .value = line->dur,
					    .offset_us = begin >= 0 && line->ts >= begin ? line->ts - begin : -1 };
	return row != NULL;
}

static bool add_execution(struct profile *profile, size_t first, size_t end, uint64_t zero)
{
	const struct line *line = &profile->kernels[first].line;
	const struct node *node = operator_at(profile, line, zero);
	struct device_execution *execution = device_profile_execution(profile->to);

	if (!execution)
		return false;
	*execution = (struct device_execution){ .operator = node ? node->name : line->operator,
						.whole = DEVICE_NO_ROW,
						.first = profile->to->n_rows,
						.n = end - first };
	for (size_t i = first; i < end; i++)
		if (!add_row(profile->to, &profile->kernels[i].line, node ? node->ts : -1))
			return false;
	return true;
}

static bool is_inside(const struct line *line, const struct model_run *run)
{
	return line->ts >= run->ts && line->ts + line->dur <= run->ts + run->dur;
}

/* An execution for each inference, also for those in which nothing ran: they are told apart by their order. Rows of
 * none stay, in order. */
static bool add_inferences(struct profile *profile, size_t first)
{
	size_t n_left = 0, at = first, n_before = profile->to->n_executions;

	for (size_t i = 0; i < profile->n_runs; i++) {
		struct device_execution *execution = device_profile_execution(profile->to);

		if (!execution)
			return false;
		*execution = (struct device_execution){ .is_inference = true,
							.whole = DEVICE_NO_ROW,
							.first = profile->to->n_rows };
		for (; at < profile->n_kernels &&
		       profile->kernels[at].line.ts < profile->runs[i].ts + profile->runs[i].dur;
		     at++) {
			const struct line *line = &profile->kernels[at].line;

			if (!is_inside(line, &profile->runs[i]))
				profile->kernels[first + n_left++] = profile->kernels[at];
			else if (!add_row(profile->to, line, profile->runs[i].ts))
				return false;
		}
		execution = &profile->to->executions[profile->to->n_executions - 1];
		execution->n = profile->to->n_rows - execution->first;
	}
	for (; at < profile->n_kernels; at++)
		profile->kernels[first + n_left++] = profile->kernels[at];
	if (first + n_left == profile->n_kernels)
		profile->to->n_executions = n_before;
	profile->n_kernels = first + n_left;
	return true;
}

static bool add_all(struct profile *profile)
{
	size_t n_kernels = 0, at = 0, next;
	uint64_t zero;

	if (profile->n_kernels)
		qsort(profile->kernels, profile->n_kernels, sizeof *profile->kernels, by_execution);
	if (profile->n_nodes)
		qsort(profile->nodes, profile->n_nodes, sizeof *profile->nodes, by_time);
	sort_runs(profile);
	while (n_kernels < profile->n_kernels && !is_apart(&profile->kernels[n_kernels]))
		n_kernels++;
	zero = zero_us(profile, n_kernels);
	for (; at < n_kernels; at = next) {
		for (next = at; next < n_kernels &&
				profile->kernels[next].line.correlation == profile->kernels[at].line.correlation;)
			next++;
		if (!add_execution(profile, at, next, zero))
			return false;
	}
	if (at < profile->n_kernels && !add_inferences(profile, at))
		return false;
	profile->to->n_apart = profile->n_kernels - n_kernels;
	for (; at < profile->n_kernels; at++)
		if (!add_row(profile->to, &profile->kernels[at].line, -1))
			return false;
	return true;
}

int import_ort_profile(struct device_profile *to, struct names *names, const char *data, size_t size, struct err *err)
{
	struct profile profile = { .to = to };
	bool is_done;

	*to = (struct device_profile){ .names = names, .source = names_of(names, "ONNX Runtime's profile") };
	if (!size || *data != '[')
		return err_set(err, EBADMSG, "cannot read it: at byte 0: no profile of ONNX Runtime%s",
			       size ? "" : ", it is empty");
	is_done = read_lines(&profile, data, size) && add_all(&profile);
	free(profile.nodes);
	free(profile.runs);
	free(profile.kernels);
	if (!is_done)
		return err_set(err, ENOMEM, "cannot read it: out of memory");
	for (size_t end = size; end;) { /* the array is closed when the file is whole */
		if (!strchr("\r\n ", data[--end]) || !data[end]) {
			to->is_cut = data[end] != ']';
			break;
		}
	}
	return 0;
}
