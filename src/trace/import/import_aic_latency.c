// SPDX-License-Identifier: Apache-2.0
/*
 * Turns the latency report of Cloud AI 100 into events: some lines of text, a line with the names of columns, and a
 * line for each sampled inference, with microseconds or N/A.
 *
 * The report has durations, but no begins, and does not name the model: inferences are laid end to end, and no rate is
 * reported. Stages of the host follow each other inside of their inference. Those of the device and of the driver
 * overlap, so that their place is unknown: they are instants with their duration. Depths of queues and rates are
 * samples.
 */
#include <errno.h>
#include <string.h>

#include "trace/import/importer.h"
#include "trace/import/slices.h"

enum { MAX_COLUMNS = 64, MAX_HEADER = 4096 };

/* Stages come in the order in which they run. */
enum role { UNUSED, TOTAL, STAGE, INNER, APART, SAMPLE, N_ROLES };

static const struct known {
	const char *name; /* without the unit */
	enum role role;
} known[] = {
	{ "totalRoundtripTime", TOTAL }, { "enqTime", STAGE },
	{ "preProcTime", STAGE },	 { "submitTime", STAGE },
	{ "execTotal", STAGE },		 { "exectoVc", INNER }, /* in execTotal */
	{ "execToComplete", INNER },	 { "postProc", STAGE },
	{ "hostRoundTrip", APART },	 { "devExec", APART },
	{ "devInWaitTime", APART },	 { "devOutWaitTime", APART },
	{ "queueDepth", SAMPLE },	 { "numInfInQueue", SAMPLE },
	{ "devInfPerSec", SAMPLE },
};

enum { N_KNOWN = sizeof known / sizeof *known, UNKNOWN = -1, EXEC = 4 };

/* Names that other versions of the report use. */
static const struct {
	const char *name;
	size_t known;
} others[] = {
	{ "totalRoundTripTime", 0 },
	{ "enqueueLatencyTime", 1 },
	{ "preProcessingLatencyTime", 2 },
	{ "submitLatencyTime", 3 },
	{ "execTotalTime", 4 },
	{ "execKernelToVcTime", 5 },
	{ "execKernelToComplete", 6 },
	{ "postProcessingLatencyTime", 7 },
	{ "hostRoundTripTime", 8 },
	{ "deviceExecTime", 9 },
};

struct span {
	const char *at;
	size_t len;
};

struct report {
	struct slices_stream stream;
	struct slices inferences;
	uint32_t process, model;
	int column[MAX_COLUMNS]; /* index in known; UNKNOWN: not used */
	size_t n_columns;
	uint32_t track[N_KNOWN]; /* of samples */
	double value[N_KNOWN];	 /* of the line; below 0: N/A */
	uint64_t now_ns;
	int64_t n_inferences, n_unread, n_long;
};

static struct span line_at(const struct import_bytes *in, size_t at, size_t *next)
{
	const char *newline = memchr(in->data + at, '\n', in->size - at);
	size_t len = newline ? (size_t)(newline - in->data) - at : in->size - at;

	*next = at + len + (newline != NULL);
	return (struct span){ in->data + at, len };
}

/* The next field of the line, without the blanks around it. false: none is left. */
static bool next_field(struct span *line, struct span *field)
{
	const char *comma;
	size_t len;

	if (!line->at)
		return false;
	comma = memchr(line->at, ',', line->len);
	len = comma ? (size_t)(comma - line->at) : line->len;
	*field = (struct span){ line->at, len };
	*line = comma ? (struct span){ comma + 1, line->len - len - 1 } : (struct span){ NULL, 0 };
	while (field->len && strchr(" \t\r", *field->at)) {
		field->at++;
		field->len--;
	}
	while (field->len && strchr(" \t\r", field->at[field->len - 1]))
		field->len--;
	return true;
}

static bool is(struct span field, const char *text)
{
	return field.len == strlen(text) && !memcmp(field.at, text, field.len);
}

static int column_named(struct span field)
{
	if (field.len > 2 && !memcmp(field.at + field.len - 2, "Us", 2))
		field.len -= 2;
	for (size_t i = 0; i < N_KNOWN; i++)
		if (is(field, known[i].name))
			return (int)i;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (is(field, others[i].name))
			return (int)others[i].known;
	return UNKNOWN;
}

/* Reads the names of columns. Whether the line is that of the report: it has the whole time, and something else. */
static bool read_header(struct span line, int *column, size_t *n_columns)
{
	struct span field;
	size_t n = 0, n_known = 0;
	bool has_total = false;

	while (n < MAX_COLUMNS && next_field(&line, &field)) {
		column[n] = column_named(field);
		has_total |= column[n] == 0;
		n_known += column[n] != UNKNOWN;
		n++;
	}
	*n_columns = n;
	return has_total && n_known > 1;
}

/* Where the lines with values begin; 0: it is another file. */
static size_t find_header(const struct import_bytes *in, int *column, size_t *n_columns)
{
	size_t at = 0, next;

	while (at < in->size && at < MAX_HEADER) {
		struct span line = line_at(in, at, &next);

		if (read_header(line, column, n_columns))
			return next;
		at = next;
	}
	return 0;
}

static bool sniff(const char *first, size_t size)
{
	struct import_bytes in = { .data = first, .size = size };
	int column[MAX_COLUMNS];
	size_t n_columns;

	return size && *first != '{' && *first != '[' && find_header(&in, column, &n_columns);
}

/* A number of up to 15 digits before its point. false: it is none. */
static bool read_number(struct span field, double *value)
{
	uint64_t whole = 0, part = 0, scale = 1;
	size_t i = 0;

	for (; i < field.len && i < 15 && field.at[i] >= '0' && field.at[i] <= '9'; i++)
		whole = whole * 10 + (uint64_t)(field.at[i] - '0');
	if (!i)
		return false;
	if (i < field.len && field.at[i] == '.')
		for (i++; i < field.len && field.at[i] >= '0' && field.at[i] <= '9'; i++)
			if (scale < 1000000000) {
				part = part * 10 + (uint64_t)(field.at[i] - '0');
				scale *= 10;
			}
	*value = (double)whole + (double)part / (double)scale;
	return i == field.len;
}

/* false: it is not a line of values. */
static bool read_values(struct report *report, struct span line)
{
	struct span field;
	size_t n = 0;

	for (size_t i = 0; i < N_KNOWN; i++)
		report->value[i] = UNKNOWN;
	for (; n < report->n_columns && next_field(&line, &field); n++) {
		double *value = report->column[n] == UNKNOWN ? NULL : &report->value[report->column[n]];

		if (value && field.len && !is(field, "N/A") && !read_number(field, value))
			return false;
	}
	return n == report->n_columns && report->value[0] >= 0;
}

static uint64_t ns_of(const struct report *report, size_t column)
{
	double ns = report->value[column] * 1000 + 0.5;

	return ns >= 1 ? (uint64_t)ns : 0;
}

/* Events. */

static int define_tracks(struct report *report)
{
	struct names *names = report->stream.out->names;
	struct track_def process = { .type = TRACK_PROCESS, .name = names_of(names, "latency report") };
	struct track_def group = { .type = TRACK_GROUP, .name = report->model };
	struct track_def lane = { .type = TRACK_LANE, .name = names_of(names, "inferences") };

	report->process = group.parent = slices_define(&report->stream, &process);
	if (group.parent)
		lane.parent = slices_define(&report->stream, &group);
	if (lane.parent)
		report->inferences.track = slices_define(&report->stream, &lane);
	return report->inferences.track ? 0 : -report->stream.err->code;
}

static int put_stage(struct report *report, size_t column, uint64_t *at_ns)
{
	struct event event = { .type = EVENT_BEGIN,
			       .kind = KIND_STAGE,
			       .track = report->inferences.track,
			       .name = names_of(report->stream.out->names, known[column].name),
			       .time_ns = *at_ns };

	*at_ns += ns_of(report, column);
	return slices_put(&report->stream, &report->inferences, &event, *at_ns);
}

/* Whether these follow each other within the time. */
static bool fit(const struct report *report, enum role role, uint64_t whole_ns)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < N_KNOWN; i++)
		if (known[i].role == role && report->value[i] >= 0)
			sum += ns_of(report, i);
	return sum <= whole_ns;
}

static int put_instant(struct report *report, size_t column)
{
	struct arg args[2] = { arg_int(KEY_INFERENCE, report->n_inferences),
			       arg_int(KEY_REPORTED_NS, (int64_t)ns_of(report, column)) };
	struct event event = { .type = EVENT_INSTANT,
			       .kind = KIND_STAGE,
			       .track = report->inferences.track,
			       .name = names_of(report->stream.out->names, known[column].name),
			       .time_ns = report->now_ns,
			       .args = args,
			       .n_args = 2 };

	return sink_put(report->stream.out, &event, report->stream.err);
}

static int put_sample(struct report *report, size_t column)
{
	struct names *names = report->stream.out->names;
	struct track_def def = { .type = TRACK_COUNTER,
				 .parent = report->process,
				 .name = names_of(names, known[column].name),
				 .unit = names_of(names, "count") };
	struct event event = { .type = EVENT_COUNTER, .time_ns = report->now_ns, .value = report->value[column] };

	if (!report->track[column])
		report->track[column] = slices_define(&report->stream, &def);
	event.track = report->track[column];
	return event.track ? sink_put(report->stream.out, &event, report->stream.err) : -report->stream.err->code;
}

/* Stages in the order in which they run, and those inside of the execution. */
static int put_stages(struct report *report, uint64_t at_ns)
{
	bool has_inner = report->value[EXEC] >= 0 && fit(report, INNER, ns_of(report, EXEC));
	uint64_t inner_ns;
	int code = 0;

	for (size_t i = 0; i < N_KNOWN && !code; i++) {
		if (report->value[i] < 0 || known[i].role != STAGE)
			continue;
		inner_ns = at_ns;
		code = put_stage(report, i, &at_ns);
		for (size_t j = 0; j < N_KNOWN && i == EXEC && has_inner && !code; j++)
			if (report->value[j] >= 0 && known[j].role == INNER)
				code = put_stage(report, j, &inner_ns);
	}
	return code;
}

/* What has no place in the inference. */
static int put_rest(struct report *report, bool has_stages)
{
	bool has_inner = has_stages && report->value[EXEC] >= 0 && fit(report, INNER, ns_of(report, EXEC));
	int code = 0;

	for (size_t i = 0; i < N_KNOWN && !code; i++) {
		enum role role = known[i].role;

		if (report->value[i] < 0)
			continue;
		if (role == SAMPLE)
			code = put_sample(report, i);
		else if (role == APART || (role == STAGE && !has_stages) || (role == INNER && !has_inner))
			code = put_instant(report, i);
	}
	return code;
}

static int put_inference(struct report *report)
{
	uint64_t total_ns = ns_of(report, 0);
	struct arg args[3] = { arg_name(KEY_MODEL, report->model), arg_int(KEY_ID, ++report->n_inferences),
			       arg_int(KEY_INFERENCE, report->n_inferences) };
	struct event event = { .type = EVENT_BEGIN,
			       .kind = KIND_INFERENCE,
			       .track = report->inferences.track,
			       .name = report->model,
			       .time_ns = report->now_ns,
			       .args = args,
			       .n_args = 3 };
	bool has_stages = fit(report, STAGE, total_ns);
	int code;

	if (total_ns > INT64_MAX - report->now_ns)
		return err_set(report->stream.err, EBADMSG, "its inferences take longer than 292 years in total");
	code = slices_put(&report->stream, &report->inferences, &event, report->now_ns + total_ns);
	if (!code)
		code = put_rest(report, has_stages);
	if (!code && has_stages)
		code = put_stages(report, report->now_ns);
	report->n_long += !has_stages;
	report->now_ns += total_ns;
	return code;
}

static int put_fact(struct report *report, const char *name, enum event_kind kind, const struct arg args[2])
{
	struct event event = { .type = EVENT_INSTANT,
			       .kind = kind,
			       .track = report->process,
			       .name = names_of(report->stream.out->names, name),
			       .time_ns = report->now_ns,
			       .args = args,
			       .n_args = 2 };

	return sink_put(report->stream.out, &event, report->stream.err);
}

/* Notes what is missing. */
static int put_facts(struct report *report)
{
	struct sink *out = report->stream.out;
	struct arg lost[2] = { arg_int(KEY_COUNT, report->n_unread),
			       arg_text(KEY_WHERE, out, "in the report: lines that are not readable") };
	struct arg begins[2] = { arg_int(KEY_COUNT, report->n_inferences),
				 arg_text(KEY_TEXT, out,
					  "begins of inferences; the file has durations, shown end to end") };
	struct arg clock[2] = { arg_text(KEY_SOURCE, out, EVENT_CLOCK_NONE),
				arg_text(KEY_TEXT, out, "latency report of Cloud AI 100") };
	int code = report->n_unread ? put_fact(report, "lost", KIND_LOST, lost) : 0;

	if (!code)
		code = put_fact(report, EVENT_NOTE_CLOCK, KIND_NOTE, clock);
	return code || !report->n_inferences ? code : put_fact(report, EVENT_NOTE_LEFT_OUT, KIND_NOTE, begins);
}

static int put_lines(struct report *report, const struct import_bytes *in, size_t at, struct import_result *result)
{
	const char *kept = in->data;
	int code = 0;

	while (at < in->size && !code) {
		size_t next;
		struct span line = line_at(in, at, &next), field = line, rest = line;

		if (next == in->size && in->data[next - 1] != '\n') {
			result->is_cut = true;
			result->cut_at = at;
			break;
		}
		if (read_values(report, line))
			code = put_inference(report);
		else if (next_field(&rest, &field) && (field.len || rest.at))
			report->n_unread++;
		kept = import_forget(in, kept, in->data + next);
		at = next;
	}
	return code;
}

static int read(const struct import_bytes *in, struct sink *out, struct import_result *result, struct err *err)
{
	struct report report = { .stream = { .out = out, .err = err }, .model = names_of(out->names, "unknown model") };
	size_t at = find_header(in, report.column, &report.n_columns);
	int code;

	if (!at)
		return err_set(err, EBADMSG, "cannot read it: at byte 0: not a latency report of Cloud AI 100");
	code = define_tracks(&report);
	if (!code)
		code = put_lines(&report, in, at, result);
	if (!code)
		code = slices_close(&report.stream, &report.inferences, UINT64_MAX);
	if (!code)
		code = put_facts(&report);
	result->n_late = (uint64_t)report.n_long;
	return code;
}

const struct importer import_aic_latency = {
	.name = "aic-latency",
	.help = "latency report of Cloud AI 100 (CSV)",
	.sniff = sniff,
	.read = read,
};
