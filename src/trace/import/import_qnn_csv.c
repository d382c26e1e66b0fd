// SPDX-License-Identifier: Apache-2.0
/*
 * Turns the CSV file of QNN's profiler into events. device_profile_qnn.c reads the file.
 *
 * An execution of a QNN graph becomes an inference; a model with several QNN graphs has several per run. The file has
 * durations, but no begins: executions are laid end to end, in the order of the file, and so are the operators inside
 * one, which the CPU backend writes in microseconds. No rate follows from that, and none is reported.
 *
 * The HTP backend counts a node's cycles, which are not time: they become instants at the begin of their execution,
 * with the cycles and their share. Times of parts of an execution ("Accelerator (execute) time") become instants as
 * well, with the duration, because their place in the execution is unknown. FINALIZE and INIT, which belong to no
 * execution, are left out.
 */
#include <errno.h>

#include "trace/import/device_profile.h"
#include "trace/import/importer.h"
#include "trace/import/slices.h"

struct csv {
	struct device_profile profile;
	struct slices_stream stream;
	struct slices inferences, operators;
	uint32_t process, graph;
	uint64_t now_ns;
};

static int define_tracks(struct csv *csv)
{
	struct names *names = csv->stream.out->names;
	struct track_def process = { .type = TRACK_PROCESS, .name = csv->profile.source };
	struct track_def group = { .type = TRACK_GROUP, .name = csv->graph };
	struct track_def lane = { .type = TRACK_LANE, .name = names_of(names, "inferences") };
	struct track_def thread = { .type = TRACK_LANE, .name = names_of(names, "operators") };

	csv->process = group.parent = thread.parent = slices_define(&csv->stream, &process);
	if (group.parent)
		lane.parent = slices_define(&csv->stream, &group);
	if (lane.parent)
		csv->inferences.track = slices_define(&csv->stream, &lane);
	if (csv->inferences.track)
		csv->operators.track = slices_define(&csv->stream, &thread);
	return csv->operators.track ? 0 : -csv->stream.err->code;
}

static int64_t all_cycles(const struct device_row *row, const struct device_row *end)
{
	int64_t sum = 0;

	for (; row < end; row++)
		if (row->unit == DEVICE_CYCLES && !row->is_whole && row->value < INT64_MAX - sum)
			sum += row->value;
	return sum;
}

/* Puts a row that has no place in the execution. */
static int put_instant(struct csv *csv, const struct device_row *row, uint32_t inference, int64_t all)
{
	struct arg args[5] = { arg_int(KEY_INFERENCE, inference), arg_name(KEY_SOURCE, csv->profile.source) };
	struct event event = { .type = EVENT_INSTANT,
			       .kind = row->is_whole ? KIND_STAGE : KIND_KERNEL,
			       .track = csv->operators.track,
			       .name = row->name,
			       .time_ns = csv->now_ns,
			       .args = args };
	size_t n = 2;

	if (row->unit == DEVICE_CYCLES)
		args[n++] = arg_int(KEY_CYCLES, row->value);
	else
		args[n++] = arg_int(KEY_REPORTED_NS, row->value * 1000);
	if (row->unit == DEVICE_CYCLES && !row->is_whole && all > 0)
		args[n++] = arg_real(KEY_SHARE, (double)row->value / (double)all);
	if (row->source_ops)
		args[n++] = arg_name(KEY_SOURCE_OPS, row->source_ops);
	event.n_args = n;
	return sink_put(csv->stream.out, &event, csv->stream.err);
}

static int put_operator(struct csv *csv, const struct device_row *row, uint32_t inference, uint64_t *at_ns)
{
	struct arg args[2] = { arg_text(KEY_PROVIDER, csv->stream.out, "QNNExecutionProvider"),
			       arg_int(KEY_INFERENCE, inference) };
	struct event event = { .type = EVENT_BEGIN,
			       .kind = KIND_OPERATOR,
			       .track = csv->operators.track,
			       .name = row->name,
			       .time_ns = *at_ns,
			       .args = args,
			       .n_args = 2 };

	*at_ns += (uint64_t)row->value * 1000;
	return slices_put(&csv->stream, &csv->operators, &event, *at_ns);
}

static int put_rows(struct csv *csv, const struct device_execution *execution, uint32_t inference, uint64_t end_ns)
{
	const struct device_row *first = csv->profile.rows + execution->first, *end = first + execution->n;
	const struct device_row *whole = csv->profile.rows + execution->whole;
	int64_t all = all_cycles(first, end);
	uint64_t at_ns = csv->now_ns;
	int code = slices_close(&csv->stream, &csv->operators, UINT64_MAX);

	for (const struct device_row *row = first; row < end && !code; row++)
		if (row != whole && (row->is_whole || row->unit == DEVICE_CYCLES))
			code = put_instant(csv, row, inference, all);
	for (const struct device_row *row = first; row < end && !code; row++) {
		if (row->is_whole || row->unit == DEVICE_CYCLES)
			continue;
		if (row->value * 1000 > (int64_t)(end_ns - at_ns)) { /* longer in total than the execution */
			csv->stream.n_moved++;
			break;
		}
		code = put_operator(csv, row, inference, &at_ns);
	}
	return code;
}

static int put_execution(struct csv *csv, const struct device_execution *execution, uint32_t number)
{
	struct arg args[3] = { arg_name(KEY_MODEL, csv->graph), arg_int(KEY_ID, number),
			       arg_int(KEY_INFERENCE, number) };
	struct event event = { .type = EVENT_BEGIN,
			       .kind = KIND_INFERENCE,
			       .track = csv->inferences.track,
			       .name = csv->graph,
			       .time_ns = csv->now_ns,
			       .args = args,
			       .n_args = 3 };
	uint64_t ns;
	int code;

	if (execution->whole == DEVICE_NO_ROW)
		return 0;
	ns = (uint64_t)csv->profile.rows[execution->whole].value * 1000;
	if (ns > INT64_MAX - csv->now_ns)
		return err_set(csv->stream.err, EBADMSG, "its executions take longer than 292 years in total");
	code = slices_put(&csv->stream, &csv->inferences, &event, csv->now_ns + ns);
	if (!code)
		code = put_rows(csv, execution, number, csv->now_ns + ns);
	csv->now_ns += ns;
	return code;
}

static int put_fact(struct csv *csv, const char *name, enum event_kind kind, const struct arg args[2])
{
	struct event event = { .type = EVENT_INSTANT,
			       .kind = kind,
			       .track = csv->process,
			       .name = names_of(csv->stream.out->names, name),
			       .time_ns = csv->now_ns,
			       .args = args,
			       .n_args = 2 };

	return sink_put(csv->stream.out, &event, csv->stream.err);
}

/* Notes what is missing. */
static int put_losses(struct csv *csv)
{
	struct sink *out = csv->stream.out;
	struct arg lost[2] = { arg_int(KEY_COUNT, (int64_t)csv->profile.n_unread),
			       arg_text(KEY_WHERE, out, "in the profile: lines of unknown form") };
	struct arg begins[2] = { arg_int(KEY_COUNT, (int64_t)csv->profile.n_executions),
				 arg_text(KEY_TEXT, out,
					  "begins of inferences; the file has durations, shown end to end") };
	struct arg clock[2] = { arg_text(KEY_SOURCE, out, EVENT_CLOCK_NONE), arg_name(KEY_TEXT, csv->profile.source) };
	int code = csv->profile.n_unread ? put_fact(csv, "lost", KIND_LOST, lost) : 0;

	if (!code)
		code = put_fact(csv, EVENT_NOTE_CLOCK, KIND_NOTE, clock);
	return code || !csv->profile.n_executions ? code : put_fact(csv, EVENT_NOTE_LEFT_OUT, KIND_NOTE, begins);
}

static int put_all(struct csv *csv)
{
	int code = define_tracks(csv);

	for (size_t i = 0; i < csv->profile.n_executions && !code; i++)
		code = put_execution(csv, &csv->profile.executions[i], (uint32_t)i + 1);
	if (!code)
		code = slices_close(&csv->stream, &csv->operators, UINT64_MAX);
	if (!code)
		code = slices_close(&csv->stream, &csv->inferences, UINT64_MAX);
	return code ? code : put_losses(csv);
}

/* The position after the last complete line. */
static size_t last_line(const struct import_bytes *in)
{
	size_t at = in->size;

	while (at && in->data[at - 1] != '\n')
		at--;
	return at;
}

static int read(const struct import_bytes *in, struct sink *out, struct import_result *result, struct err *err)
{
	struct csv csv = { .stream = { .out = out, .err = err }, .graph = names_of(out->names, "QNN graph") };
	int code = device_profile_qnn(&csv.profile, out->names, in->data, in->size, err);

	if (!code)
		code = put_all(&csv);
	result->is_cut = csv.profile.is_cut;
	result->cut_at = csv.profile.is_cut ? last_line(in) : 0;
	result->n_late = csv.stream.n_moved;
	device_profile_done(&csv.profile);
	return code;
}

const struct importer import_qnn_csv = {
	.name = "qnn-csv",
	.help = "profile of QNN (CSV)",
	.sniff = device_profile_is_qnn,
	.read = read,
};
