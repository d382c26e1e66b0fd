// SPDX-License-Identifier: Apache-2.0
/*
 * Reads the CSV file of QNN's profiler. The header names the columns; some versions write one more. Texts are not
 * quoted, and the identifier may contain commas: columns before it are counted from the left, those after it from the
 * right.
 *
 * Two forms. The HTP backend writes a run's times and its nodes' cycles first, then EXECUTE, which ends the run. The
 * CPU backend begins a run with EXECUTE and then writes its nodes' microseconds. Nodes of a FINALIZE belong to no run.
 */
#include <errno.h>
#include <string.h>

#include "trace/import/device_profile.h"

enum column { MESSAGE, TIME, UNIT, LEVEL, IDENTIFIER, SOURCE_OPS, N_COLUMNS };
enum { MAX_FIELDS = 32 };

struct span {
	const char *start;
	size_t len;
};

struct csv {
	struct device_profile *profile;
	int at[N_COLUMNS]; /* field number; -1: none */
	int n_fields;
	size_t pending;	 /* first row without an execution */
	bool is_open;	 /* rows of microseconds belong to the last execution */
	bool has_failed; /* out of memory */
};

static bool is(struct span span, const char *text)
{
	return span.len == strlen(text) && !memcmp(span.start, text, span.len);
}

static bool ends_with(struct span span, const char *text)
{
	size_t len = strlen(text);

	return span.len >= len && !memcmp(span.start + span.len - len, text, len);
}

static struct span line_at(const char *data, size_t size, size_t at, size_t *next)
{
	const char *newline = memchr(data + at, '\n', size - at);
	struct span line = { data + at, newline ? (size_t)(newline - data) - at : size - at };

	*next = at + line.len + (newline != NULL);
	if (line.len && line.start[line.len - 1] == '\r')
		line.len--;
	return line;
}

static int split(struct span line, struct span field[MAX_FIELDS])
{
	const char *at = line.start, *end = line.start + line.len;
	int n = 0;

	while (n < MAX_FIELDS) {
		const char *comma = memchr(at, ',', (size_t)(end - at));

		field[n++] = (struct span){ at, (size_t)((comma ? comma : end) - at) };
		if (!comma)
			break;
		at = comma + 1;
	}
	return n;
}

static bool read_header(struct csv *csv, struct span line)
{
	static const char *const titles[N_COLUMNS] = {
		"Message", "Time", "Unit of Measurement", "Event Level", "Event Identifier", "ONNX Source Ops"
	};
	struct span field[MAX_FIELDS];
	int n = split(line, field), at[N_COLUMNS];

	for (int column = 0; column < N_COLUMNS; column++) {
		at[column] = -1;
		for (int i = 0; i < n; i++)
			if (is(field[i], titles[column]))
				at[column] = i;
		if (at[column] < 0 && column != SOURCE_OPS)
			return false;
	}
	/* the identifier may contain commas: columns read from the left must precede it, all others follow it */
	for (int column = 0; column < IDENTIFIER; column++)
		if (at[column] > at[IDENTIFIER])
			return false;
	if (at[SOURCE_OPS] >= 0 && at[SOURCE_OPS] < at[IDENTIFIER])
		return false;
	memcpy(csv->at, at, sizeof at);
	csv->n_fields = n;
	return true;
}

/* A line's fields in the order of the header; false: too few. */
static bool read_fields(const struct csv *csv, struct span line, struct span column[N_COLUMNS])
{
	const char *end = line.start + line.len;
	int n_behind = csv->n_fields - csv->at[IDENTIFIER] - 1, n;
	struct span field[MAX_FIELDS], behind[MAX_FIELDS];

	n = split(line, field);
	if (n < csv->n_fields)
		return false;
	for (int i = n_behind - 1; i >= 0; i--) {
		const char *comma = memrchr(line.start, ',', (size_t)(end - line.start));

		behind[i] = (struct span){ comma + 1, (size_t)(end - comma - 1) };
		end = comma;
	}
	for (int i = 0; i < N_COLUMNS; i++)
		column[i] = csv->at[i] < 0		       ? (struct span){ "", 0 }
			    : csv->at[i] > csv->at[IDENTIFIER] ? behind[csv->at[i] - csv->at[IDENTIFIER] - 1]
							       : field[csv->at[i]];
	column[IDENTIFIER].len = (size_t)(end - column[IDENTIFIER].start);
	return true;
}

static bool read_count(struct span span, int64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < span.len; i++) {
		unsigned digit = (unsigned)(span.start[i] - '0');

		if (digit > 9 || *value > (INT64_MAX / 1000 - (int64_t)digit) / 10) /* must fit in nanoseconds, too */
			return false;
		*value = *value * 10 + digit;
	}
	return span.len != 0;
}

/* "/layer1/Conv:OpId_23 (cycles)" means the node /layer1/Conv; the CPU backend prefixes an underscore. */
static struct span node_of(struct span name, enum device_unit unit)
{
	static const char cycles[] = " (cycles)", number[] = ":OpId_";
	const char *colon;

	if (ends_with(name, cycles))
		name.len -= strlen(cycles);
	colon = memrchr(name.start, ':', name.len);
	if (colon && colon > name.start && (size_t)(name.start + name.len - colon) > strlen(number) &&
	    !memcmp(colon, number, strlen(number)))
		name.len = (size_t)(colon - name.start);
	if (unit == DEVICE_US && name.len > 1 && *name.start == '_')
		name = (struct span){ name.start + 1, name.len - 1 };
	return name;
}

static void add_row(struct csv *csv, const struct span column[N_COLUMNS], enum device_unit unit, int64_t value,
		    bool is_whole)
{
	struct device_row *row = device_profile_row(csv->profile);
	struct span name = is_whole ? column[IDENTIFIER] : node_of(column[IDENTIFIER], unit);

	if (!row) {
		csv->has_failed = true;
		return;
	}
	*row = (struct device_row){
		.name = names_intern(csv->profile->names, name.start, name.len),
		.source_ops = names_intern(csv->profile->names, column[SOURCE_OPS].start, column[SOURCE_OPS].len),
		.unit = unit,
		.is_whole = is_whole,
		.value = value,
		.offset_us = -1,
	};
}

/* Rows since the last execution belong to none. */
static void drop_pending(struct csv *csv)
{
	csv->profile->n_rows = csv->pending;
}

/* The last row is its time. */
static void add_execution(struct csv *csv)
{
	struct device_execution *execution = device_profile_execution(csv->profile);

	if (!execution) {
		csv->has_failed = true;
		return;
	}
	*execution = (struct device_execution){ .whole = csv->profile->n_rows - 1,
						.first = csv->pending,
						.n = csv->profile->n_rows - csv->pending };
	csv->pending = csv->profile->n_rows;
}

static void take_root(struct csv *csv, const struct span column[N_COLUMNS], enum device_unit unit, int64_t value)
{
	bool has_nodes = csv->profile->n_rows > csv->pending;

	if (is(column[MESSAGE], "EXECUTE") && unit == DEVICE_US) {
		add_row(csv, column, unit, value, true);
		if (!csv->has_failed)
			add_execution(csv);
		csv->is_open = !has_nodes;
		return;
	}
	csv->is_open = false;
	if (is(column[MESSAGE], "BACKEND"))
		add_row(csv, column, unit, value, true);
	else /* INIT, FINALIZE, DE-INIT: the rows before belong to these */
		drop_pending(csv);
}

static void take_node(struct csv *csv, const struct span column[N_COLUMNS], enum device_unit unit, int64_t value)
{
	struct device_profile *profile = csv->profile;

	if (unit == DEVICE_CYCLES) { /* belongs to the next execution */
		csv->is_open = false;
		add_row(csv, column, unit, value, false);
	} else if (csv->is_open) {
		add_row(csv, column, unit, value, false);
		csv->pending = profile->n_rows;
		if (!csv->has_failed)
			profile->executions[profile->n_executions - 1].n++;
	}
}

static bool take_line(struct csv *csv, struct span line)
{
	struct span column[N_COLUMNS];
	enum device_unit unit;
	int64_t value;

	if (!read_fields(csv, line, column))
		return false;
	if (is(column[UNIT], "US"))
		unit = DEVICE_US;
	else if (is(column[UNIT], "CYCLES"))
		unit = DEVICE_CYCLES;
	else
		return true; /* counts, bytes: not times */
	if (!read_count(column[TIME], &value))
		return false;
	if (is(column[MESSAGE], "NODE"))
		take_node(csv, column, unit, value);
	else if (is(column[LEVEL], "ROOT"))
		take_root(csv, column, unit, value);
	return true;
}

bool device_profile_is_qnn(const char *first, size_t size)
{
	struct csv csv;
	size_t next;

	return size && read_header(&csv, line_at(first, size, 0, &next));
}

int device_profile_qnn(struct device_profile *profile, struct names *names, const char *data, size_t size,
		       struct err *err)
{
	struct csv csv = { .profile = profile };
	size_t next = 0, rest;
	bool is_whole = size && data[size - 1] == '\n';

	*profile = (struct device_profile){ .names = names, .source = names_of(names, "QNN profile") };
	if (!size || !read_header(&csv, line_at(data, size, 0, &next)))
		return err_set(err, EBADMSG, "cannot read it: at byte 0: the header is not that of a QNN profile");
	while (next < size && !csv.has_failed) {
		size_t at = next;
		struct span line = line_at(data, size, at, &next);

		if (next == size && !is_whole) /* cut off: its last field may be incomplete */
			break;
		if (line.len && !read_header(&csv, line) && !take_line(&csv, line))
			profile->n_unread++;
	}
	rest = profile->n_rows - csv.pending;
	drop_pending(&csv);
	profile->is_cut = rest || !is_whole;
	return csv.has_failed ? err_no_memory(err, "cannot read it") : 0;
}
