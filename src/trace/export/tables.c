// SPDX-License-Identifier: Apache-2.0
/* Which tables there are, and the value of each column. */
#include "trace/export/tables.h"

#include <math.h>

#define IN_PROCESS \
	{ "process_id", "INTEGER", FROM_PROCESS_ID }, \
	{ \
		"pid", "INTEGER", FROM_PID \
	}
#define TIMES \
	{ "begin_ns", "INTEGER", FROM_BEGIN }, { "end_ns", "INTEGER", FROM_END }, \
	{ \
		"duration_ns", "INTEGER", FROM_DURATION \
	}
#define ON_TRACK { "track_id", "INTEGER", FROM_TRACK }
#define TID { "tid", "INTEGER", FROM_TID }
#define NAME { "name", "TEXT", FROM_NAME }
#define ARG(name, type, key) { name, type, FROM_ARG, key }
#define ARGS { "args", "TEXT", FROM_ARGS }
#define INFERENCE ARG("inference", "INTEGER", KEY_INFERENCE)

static const struct table_column session_columns[] = {
	ARG("model", "TEXT", KEY_MODEL),
	ARG("session", "INTEGER", KEY_SESSION),
	IN_PROCESS,
	TID,
	TIMES,
	{ "is_failed", "INTEGER", FROM_IS_FAILED },
	ARG("status", "TEXT", KEY_STATUS),
	ARG("path", "TEXT", KEY_MODEL_PATH),
	ARG("bytes", "INTEGER", KEY_BYTES),
	ARG("providers", "TEXT", KEY_PROVIDERS),
	ARG("options", "TEXT", KEY_OPTIONS),
	ARG("pool_threads", "INTEGER", KEY_POOL_THREADS),
	ARG("caller", "TEXT", KEY_CALLER),
};

static const struct table_column phase_columns[] = {
	{ "kind", "TEXT", FROM_KIND },
	NAME,
	TIMES,
	{ "model", "TEXT", FROM_SESSION, KEY_MODEL },
	{ "session", "INTEGER", FROM_SESSION, KEY_SESSION },
	IN_PROCESS,
	ON_TRACK,
	{ "depth", "INTEGER", FROM_DEPTH },
	ARG("modified", "INTEGER", KEY_MODIFIED),
	ARG("capabilities", "INTEGER", KEY_CAPABILITIES),
	ARG("count", "INTEGER", KEY_COUNT),
	ARG("bytes", "INTEGER", KEY_BYTES),
};

static const struct table_column inference_columns[] = {
	ARG("model", "TEXT", KEY_MODEL),
	TIMES,
	INFERENCE,
	ARG("session", "INTEGER", KEY_SESSION),
	ARG("number", "INTEGER", KEY_ID),
	IN_PROCESS,
	ON_TRACK,
	TID,
	ARG("status", "TEXT", KEY_STATUS),
	{ "is_first", "INTEGER", FROM_FLAG, KEY_FIRST },
	{ "is_failed", "INTEGER", FROM_IS_FAILED },
	{ "is_partial", "INTEGER", FROM_FLAG, KEY_PARTIAL },
	{ "setup_ns", "INTEGER", FROM_SETUP },
	ARG("thread_cpu_ns", "INTEGER", KEY_THREAD_CPU_NS),
	ARG("run_queue_ns", "INTEGER", KEY_RUN_QUEUE_NS),
	ARG("faults", "INTEGER", KEY_FAULTS),
	ARG("major_faults", "INTEGER", KEY_MAJOR_FAULTS),
	ARG("switches", "INTEGER", KEY_SWITCHES),
	ARG("read_bytes", "INTEGER", KEY_READ_BYTES),
	ARG("pool_queue_ns", "INTEGER", KEY_POOL_QUEUE_NS),
	{ "is_subnormal", "INTEGER", FROM_FLAG, KEY_SUBNORMAL },
	ARG("has_gradients", "INTEGER", KEY_GRADIENTS),
	ARG("is_training_mode", "INTEGER", KEY_TRAINING_MODE),
	ARG("shapes", "TEXT", KEY_SHAPES),
	ARG("batch", "INTEGER", KEY_BATCH),
	ARG("tag", "TEXT", KEY_TAG),
	ARG("weight", "INTEGER", KEY_WEIGHT),
	ARG("caller", "TEXT", KEY_CALLER),
};

static const struct table_column operator_columns[] = {
	NAME,
	ARG("op_type", "TEXT", KEY_OP_TYPE),
	ARG("provider", "TEXT", KEY_PROVIDER),
	TIMES,
	{ "self_ns", "INTEGER", FROM_SELF },
	INFERENCE,
	IN_PROCESS,
	ON_TRACK,
	TID,
	{ "depth", "INTEGER", FROM_DEPTH },
	ARG("shapes", "TEXT", KEY_SHAPES),
	ARG("bytes", "INTEGER", KEY_BYTES),
	ARG("allocated_bytes", "INTEGER", KEY_ALLOCATED),
	ARG("allocations", "INTEGER", KEY_ALLOCATIONS),
	ARG("status", "TEXT", KEY_STATUS),
};

static const struct table_column kernel_columns[] = {
	NAME,
	ARG("op_type", "TEXT", KEY_OP_TYPE),
	TIMES,
	INFERENCE,
	ARG("operator", "TEXT", KEY_OPERATOR),
	{ "stream", "TEXT", FROM_TRACK_NAME },
	IN_PROCESS,
	ON_TRACK,
	ARG("provider", "TEXT", KEY_PROVIDER),
	ARG("implementation", "TEXT", KEY_IMPLEMENTATION),
	ARG("source_ops", "TEXT", KEY_SOURCE_OPS),
	ARG("cycles", "INTEGER", KEY_CYCLES),
	ARG("share", "REAL", KEY_SHARE),
	ARG("reported_ns", "INTEGER", KEY_REPORTED_NS),
	ARG("source", "TEXT", KEY_SOURCE),
};

static const struct table_column slice_columns[] = {
	{ "kind", "TEXT", FROM_KIND },	    NAME, TIMES, IN_PROCESS, ON_TRACK, TID, INFERENCE,
	{ "depth", "INTEGER", FROM_DEPTH }, ARGS,
};

static const struct table_column sample_columns[] = {
	{ "time_ns", "INTEGER", FROM_TIME },	 { "name", "TEXT", FROM_TRACK_NAME }, { "value", "REAL", FROM_VALUE },
	{ "unit", "TEXT", FROM_TRACK_UNIT },	 { "device", "TEXT", FROM_GROUP },    IN_PROCESS,
	{ "counter_id", "INTEGER", FROM_TRACK },
};

static const struct table_column loss_columns[] = {
	{ "time_ns", "INTEGER", FROM_TIME },
	ARG("events", "INTEGER", KEY_COUNT),
	ARG("place", "TEXT", KEY_WHERE),
	IN_PROCESS,
};

static const struct table_column note_columns[] = {
	{ "time_ns", "INTEGER", FROM_TIME }, { "topic", "TEXT", FROM_NAME }, IN_PROCESS,
	ARG("state", "TEXT", KEY_STATE),     ARG("text", "TEXT", KEY_TEXT),  ARGS,
};

static const struct table_column instant_columns[] = {
	{ "time_ns", "INTEGER", FROM_TIME }, { "kind", "TEXT", FROM_KIND }, NAME, IN_PROCESS, ON_TRACK, TID, ARGS,
};

static const struct table_column process_columns[] = {
	{ "id", "INTEGER", FROM_TRACK },     { "pid", "INTEGER", FROM_PID },	    { "name", "TEXT", FROM_TRACK_NAME },
	{ "command", "TEXT", FROM_COMMAND }, { "start_ns", "INTEGER", FROM_START },
};

static const struct table_column thread_columns[] = {
	TID,
	{ "name", "TEXT", FROM_TRACK_NAME },
	IN_PROCESS,
	ON_TRACK,
};

#define BIT(n) (UINT32_C(1) << (n))
#define COLUMNS(list) list, sizeof list / sizeof *list

_Static_assert(N_KINDS <= 32, "a kind is a bit");

#define PHASES (BIT(KIND_LOAD) | BIT(KIND_SPECIALIZE) | BIT(KIND_PHASE) | BIT(KIND_PROVIDER_READY))
#define NAMED (PHASES | BIT(KIND_SESSION) | BIT(KIND_INFERENCE) | BIT(KIND_OPERATOR) | BIT(KIND_KERNEL))

/* The first one that takes an event has it: slices and instants of no other table come last. */
const struct table tables_list[N_TABLES] = {
	{ "sessions", ROWS_SLICES, BIT(KIND_SESSION), COLUMNS(session_columns) },
	{ "phases", ROWS_SLICES, PHASES, COLUMNS(phase_columns) },
	{ "inferences", ROWS_SLICES, BIT(KIND_INFERENCE), COLUMNS(inference_columns) },
	{ "operators", ROWS_SLICES, BIT(KIND_OPERATOR), COLUMNS(operator_columns) },
	{ "kernels", ROWS_SLICES, BIT(KIND_KERNEL), COLUMNS(kernel_columns) },
	{ "slices", ROWS_SLICES, ~NAMED, COLUMNS(slice_columns) },
	{ "samples", ROWS_SAMPLES, ~UINT32_C(0), COLUMNS(sample_columns) },
	{ "losses", ROWS_INSTANTS, BIT(KIND_LOST), COLUMNS(loss_columns) },
	{ "notes", ROWS_INSTANTS, BIT(KIND_NOTE), COLUMNS(note_columns) },
	{ "instants", ROWS_INSTANTS, ~(BIT(KIND_LOST) | BIT(KIND_NOTE)), COLUMNS(instant_columns) },
	{ "processes", ROWS_TRACKS, BIT(TRACK_PROCESS), COLUMNS(process_columns) },
	{ "threads", ROWS_TRACKS, BIT(TRACK_THREAD), COLUMNS(thread_columns) },
};

/* What a row is of; NULL: not of that. */
struct row_of {
	const struct pairing_slice *slice; /* of instants: only its arguments */
	const struct pairing_track *track;
	const struct event *event;
	uint32_t number; /* of the track */
};

static struct table_value none(void)
{
	return (struct table_value){ .type = TABLE_NULL };
}

static struct table_value integer(int64_t value)
{
	return (struct table_value){ .type = TABLE_INT, .integer = value };
}

static struct table_value counted(uint64_t value)
{
	return integer(value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static struct table_value text_of(const struct tables *tables, uint32_t name)
{
	const char *text = pairing_text(&tables->pairing, name);

	return (struct table_value){ .type = *text ? TABLE_TEXT : TABLE_NULL, .text = text };
}

static struct table_value value_of(const struct tables *tables, const struct arg *arg)
{
	if (arg->type == ARG_INT)
		return integer(arg->integer);
	if (arg->type == ARG_REAL)
		return (struct table_value){ .type = TABLE_REAL, .real = arg->real };
	return text_of(tables, arg->name);
}

/* Whether a value of this type belongs into the column. */
static bool fits(const struct table_column *column, const struct arg *arg)
{
	return (arg->type == ARG_NAME) == (*column->type == 'T') && (arg->type != ARG_REAL || *column->type == 'R');
}

static struct table_value arg_of(const struct tables *tables, const struct row_of *row,
				 const struct table_column *column)
{
	for (size_t i = row->slice->n_args; i-- > 0;)
		if (row->slice->args[i].key == column->key && fits(column, &row->slice->args[i]))
			return value_of(tables, &row->slice->args[i]);
	return none();
}

/* Of the slice, or of those around it. */
static struct table_value session_arg(const struct tables *tables, const struct row_of *row,
				      const struct table_column *column)
{
	const struct arg *args = row->track->args.data;

	for (size_t i = row->track->args.n; i-- > 0;)
		if (args[i].key == column->key && fits(column, &args[i]))
			return value_of(tables, &args[i]);
	return none();
}

/* All arguments of the row; what would not fit into the buffer is left out. */
static struct table_value json_of(struct tables *tables, const struct row_of *row)
{
	struct text_out *out = &tables->args;
	const char *between = "{\"";

	text_out_init(out, -1);
	for (size_t i = 0; i < row->slice->n_args; i++) {
		const struct arg *arg = &row->slice->args[i];
		const char *text = arg->type == ARG_NAME ? pairing_text(&tables->pairing, arg->name) : "";

		if (!*event_key_name(arg->key) || out->n + 6 * strlen(text) + 200 > sizeof out->data)
			continue;
		text_out_text(out, between);
		between = ",\"";
		text_out_text(out, event_key_name(arg->key));
		text_out_text(out, "\":");
		if (arg->type == ARG_INT)
			text_out_int(out, arg->integer);
		else if (arg->type == ARG_REAL && isfinite(arg->real))
			text_out_real(out, arg->real);
		else if (arg->type == ARG_REAL)
			text_out_text(out, "null");
		else
			text_out_json(out, text);
	}
	if (!out->n)
		return none();
	text_out_put(out, "}", 2); /* with its NUL */
	return (struct table_value){ .type = TABLE_TEXT, .text = out->data };
}

static struct table_value tid_of(const struct row_of *row)
{
	int64_t tid = row->slice ? pairing_int(row->slice, KEY_TID, 0) : 0;

	if (tid <= 0 && row->track->def.type == TRACK_THREAD)
		tid = row->track->def.tid;
	return tid > 0 ? integer(tid) : none();
}

static struct table_value of_track(const struct tables *tables, const struct row_of *row,
				   const struct table_column *column)
{
	const struct pairing_track *track = row->track;
	const struct pairing_track *parent = pairing_track((struct pairing *)&tables->pairing, track->def.parent);

	switch (column->source) {
	case FROM_PROCESS_ID:
		return track->process ? integer(track->process) : none();
	case FROM_PID:
		return track->def.pid > 0 ? integer(track->def.pid) : none();
	case FROM_TRACK:
		return integer(row->number);
	case FROM_TRACK_NAME:
		return text_of(tables, track->def.name);
	case FROM_TRACK_UNIT:
		return text_of(tables, track->def.unit);
	case FROM_GROUP:
		return parent && parent->def.type == TRACK_GROUP ? text_of(tables, parent->def.name) : none();
	case FROM_COMMAND:
		return text_of(tables, track->def.command);
	case FROM_START:
		return track->def.start_ns ? counted(track->def.start_ns) : none();
	default:
		return tid_of(row);
	}
}

static struct table_value is_failed(const struct tables *tables, const struct pairing_slice *slice)
{
	uint32_t status = pairing_name(slice, KEY_STATUS);

	return integer(status && strcmp(pairing_text(&tables->pairing, status), "ok") != 0);
}

static struct table_value of_slice(const struct tables *tables, const struct row_of *row,
				   const struct table_column *column)
{
	const struct pairing_slice *slice = row->slice;
	uint64_t duration = slice->end_ns - slice->begin_ns;
	const struct arg *arg;

	switch (column->source) {
	case FROM_FLAG:
		arg = pairing_arg(slice, column->key, ARG_INT);
		return integer(arg && arg->integer);
	case FROM_KIND:
		return (struct table_value){ .type = *event_kind_name(slice->kind) ? TABLE_TEXT : TABLE_NULL,
					     .text = event_kind_name(slice->kind) };
	case FROM_NAME:
		return text_of(tables, slice->name);
	case FROM_DEPTH:
		return counted(row->track->open.n ? row->track->open.n - 1 : 0);
	case FROM_BEGIN:
	case FROM_TIME:
		return counted(slice->begin_ns);
	case FROM_END:
		return counted(slice->end_ns);
	case FROM_DURATION:
		return counted(duration);
	case FROM_SELF:
		return counted(duration > slice->self->to_ns ? duration - slice->self->to_ns : 0);
	case FROM_SETUP:
		return slice->self->from_ns ? counted(slice->self->from_ns) : none();
	default:
		return is_failed(tables, slice);
	}
}

static struct table_value column_value(struct tables *tables, const struct row_of *row,
				       const struct table_column *column)
{
	switch (column->source) {
	case FROM_ARG:
		return arg_of(tables, row, column);
	case FROM_SESSION:
		return session_arg(tables, row, column);
	case FROM_ARGS:
		return json_of(tables, row);
	case FROM_VALUE:
		return (struct table_value){ .type = TABLE_REAL, .real = row->event->value };
	case FROM_PROCESS_ID:
	case FROM_PID:
	case FROM_TID:
	case FROM_TRACK:
	case FROM_TRACK_NAME:
	case FROM_TRACK_UNIT:
	case FROM_GROUP:
	case FROM_COMMAND:
	case FROM_START:
		return of_track(tables, row, column);
	default:
		return of_slice(tables, row, column);
	}
}

static int put_row(struct tables *to, enum table_rows rows, unsigned bit, const struct row_of *row, struct err *err)
{
	struct table_value values[TABLE_MAX_COLUMNS];
	size_t table = 0;

	while (table < N_TABLES && (tables_list[table].rows != rows || !(tables_list[table].kinds & BIT(bit))))
		table++;
	if (table == N_TABLES)
		return 0;
	for (size_t i = 0; i < tables_list[table].n_columns; i++)
		values[i] = column_value(to, row, &tables_list[table].columns[i]);
	return to->row(to, table, values, err);
}

static int take(struct pairing *pairing, const struct pairing_slice *slice, struct err *err)
{
	struct row_of row = { .slice = slice, .track = slice->of, .number = slice->track };
	struct pairing_open *parent = slice->parent;

	if (parent && slice->kind == KIND_SETUP)
		parent->from_ns += slice->end_ns - slice->begin_ns;
	if (parent && slice->kind == parent->kind)
		parent->to_ns += slice->end_ns - slice->begin_ns;
	return put_row((struct tables *)pairing, ROWS_SLICES, slice->kind, &row, err);
}

static int take_other(struct pairing *pairing, const struct event *event, struct err *err)
{
	struct pairing_slice slice = { .kind = event->kind,
				       .name = event->name,
				       .begin_ns = event->time_ns,
				       .end_ns = event->time_ns,
				       .args = event->args,
				       .n_args = event->n_args };
	struct row_of row = {
		.slice = &slice, .track = pairing_track(pairing, event->track), .event = event, .number = event->track
	};
	bool is_sample = event->type == EVENT_COUNTER;

	return put_row((struct tables *)pairing, is_sample ? ROWS_SAMPLES : ROWS_INSTANTS,
		       is_sample ? 0 : (unsigned)event->kind, &row, err);
}

void tables_init(struct tables *to, int fd, struct names *names, uint32_t *last_track)
{
	pairing_init(&to->pairing, fd, names, last_track);
	to->pairing.take = take;
	to->pairing.take_other = take_other;
}

int tables_finish(struct tables *to, struct err *err)
{
	int code = pairing_finish(&to->pairing, err);

	for (uint32_t i = 1; i < to->pairing.tracks.n && !code; i++) {
		struct row_of row = { .track = pairing_track(&to->pairing, i), .number = i };

		if (row.track)
			code = put_row(to, ROWS_TRACKS, row.track->def.type, &row, err);
	}
	return code;
}
