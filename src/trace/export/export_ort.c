// SPDX-License-Identifier: Apache-2.0
/*
 * The file that ONNX Runtime's own profiler writes: an array of complete events ("ph" : "X"), one a line, in the order
 * of their ends, whole microseconds, numbers in arguments as texts. Scripts made for it read whole recordings.
 *
 * load                  model_loading_uri, or model_loading_array if the model has no path
 * session               session_initialization: from the end of loading to the end of the session's creation
 * inference             model_run, and SequentialExecutor::Execute: from the end of setup to the end of the inference
 * operator              <name>_kernel_time
 * kernel                category Kernel, process and thread -1
 *
 * Begins and ends are each rounded down, so that slices nest and sums have no bias. Times count from the begin of the
 * recording; of a file that does not name it, they are its own. Not written is what a recording does not have: indexes
 * of nodes, statistics of thread pools, memory of arenas. Lists of shapes are always there, because scripts rely on
 * them: [] is unknown. Bytes of weights are in activation_size.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/export/held_rows.h"
#include "trace/export/pairing.h"
#include "trace/perfetto/perfetto_map.h"

/* Longer texts are cut: no name of a node is so long, and any row fits into the buffer. */
enum { TEXT_MAX = 1500, SHAPES_MAX = 4000 };

#define INITIALIZATION "session_initialization"

struct ort {
	struct pairing pairing;
	uint64_t start_ns; /* of the recording; 0: unknown */
	uint64_t n_early, n_sessions, n_cut;
	struct perfetto_map type_of; /* name of an operator: its type */
	bool has_start;
	struct text_out row; /* the one that is being made; in memory only */
	struct held_rows rows;
};

struct row {
	const char *category, *name, *suffix; /* the suffix closes the name's quotes */
	int32_t pid, tid;
	uint64_t begin_ns, end_ns;
};

static uint64_t microseconds(struct ort *ort, uint64_t time_ns)
{
	return time_ns > ort->start_ns ? (time_ns - ort->start_ns) / 1000 : 0;
}

static void put_json(struct ort *ort, const char *text, const char *suffix)
{
	char start[TEXT_MAX + 1];

	if (strnlen(text, TEXT_MAX + 1) > TEXT_MAX) {
		ort->n_cut++;
		memcpy(start, text, TEXT_MAX);
		start[TEXT_MAX] = 0;
		text = start;
	}
	text_out_json(&ort->row, text);
	ort->row.n--; /* the quote */
	text_out_text(&ort->row, suffix);
}

/* Up to the arguments. */
static void begin_row(struct ort *ort, const struct row *row)
{
	struct text_out *out = &ort->row;
	uint64_t ts = microseconds(ort, row->begin_ns);

	ort->n_early += row->begin_ns < ort->start_ns;
	text_out_init(out, -1);
	text_out_text(out, "{\"cat\" : \"");
	text_out_text(out, row->category);
	text_out_text(out, "\",\"pid\" :");
	text_out_int(out, row->pid);
	text_out_text(out, ",\"tid\" :");
	text_out_int(out, row->tid);
	text_out_text(out, ",\"dur\" :");
	text_out_uint(out, microseconds(ort, row->end_ns) - ts);
	text_out_text(out, ",\"ts\" :");
	text_out_uint(out, ts);
	text_out_text(out, ",\"ph\" : \"X\",\"name\" :");
	put_json(ort, row->name, row->suffix);
	text_out_text(out, ",\"args\" : {");
}

static void end_row(struct ort *ort)
{
	text_out_text(&ort->row, "}}");
}

static void put_row(struct ort *ort, const struct row *row)
{
	begin_row(ort, row);
	end_row(ort);
	held_rows_put(&ort->rows, ort->row.data, ort->row.n, 0);
}

static void put_text(struct ort *ort, const char **between, const char *key, const char *value)
{
	struct text_out *out = &ort->row;

	text_out_text(out, *between);
	*between = ",";
	text_out_char(out, '"');
	text_out_text(out, key);
	text_out_text(out, "\" : ");
	put_json(ort, value, "\"");
}

static void put_number(struct ort *ort, const char **between, const char *key, int64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%lld", (long long)value);
	put_text(ort, between, key, text);
}

/* Shapes: float32[64x256],int64[] is [{"float":[64,256]},{"int64":[]}]. */

/* A size, of up to 18 digits. Behind it; NULL: it is none. */
static const char *read_size(const char *at, const char *end)
{
	const char *start = at < end && *at == '-' ? at + 1 : at;

	for (at = start; at < end && *at >= '0' && *at <= '9'; at++)
		;
	return at == start || at - start > 18 || (*start == '0' && at - start > 1) ? NULL : at;
}

/* A tensor with type and sizes. Behind it; NULL: it is none. */
static const char *read_tensor(const char *at, const char *end)
{
	const char *type = at;

	while (at < end && ((*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9') || strchr("_()", *at)))
		at++;
	if (at == type || at == end || *at++ != '[')
		return NULL;
	if (at < end && *at == ']')
		return at + 1;
	while ((at = read_size(at, end)) && at < end && *at == 'x')
		at++;
	return at && at < end && *at == ']' ? at + 1 : NULL;
}

static void put_tensor(struct text_out *out, const char *text, const char *end)
{
	size_t type = strcspn(text, "[");

	text_out_text(out, "{\"");
	if (type == 7 && !memcmp(text, "float32", 7))
		text_out_text(out, "float");
	else if (type == 7 && !memcmp(text, "float64", 7))
		text_out_text(out, "double");
	else
		text_out_put(out, text, type);
	text_out_text(out, "\":[");
	for (const char *at = text + type + 1; at < end - 1; at++)
		text_out_char(out, *at == 'x' ? ',' : *at);
	text_out_text(out, "]}");
}

/* Whether it is a list of such tensors. */
static bool is_list(const char *at, const char *end)
{
	while ((at = read_tensor(at, end)) && at < end && *at == ',')
		at++;
	return at == end;
}

static void put_shapes(struct ort *ort, const char **between, const char *key, const char *text, size_t len)
{
	struct text_out *out = &ort->row;
	const char *end = text + (len <= SHAPES_MAX && is_list(text, text + len) ? len : 0), *next;

	text_out_text(out, *between);
	*between = ",";
	text_out_char(out, '"');
	text_out_text(out, key);
	text_out_text(out, "\" : [");
	for (; text < end; text = next < end ? next + 1 : next) {
		next = read_tensor(text, end);
		put_tensor(out, text, next);
		if (next < end)
			text_out_char(out, ',');
	}
	text_out_char(out, ']');
}

static int bytes_of_type(const char *text, size_t len)
{
	static const struct {
		const char *name;
		int bytes;
	} types[] = { { "float32", 4 }, { "float64", 8 }, { "float16", 2 }, { "bfloat16", 2 }, { "int64", 8 },
		      { "uint64", 8 },	{ "int32", 4 },	  { "uint32", 4 },  { "int16", 2 },    { "uint16", 2 },
		      { "int8", 1 },	{ "uint8", 1 },	  { "bool", 1 } };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strlen(types[i].name) == len && !memcmp(types[i].name, text, len))
			return types[i].bytes;
	return 0;
}

/* Bytes of a list of tensors; 0: unknown. */
static int64_t bytes_of(const char *text)
{
	uint64_t sum = 0, one;

	while (*text) {
		size_t type = strcspn(text, "[");

		one = (uint64_t)bytes_of_type(text, type);
		text += type;
		for (; one && *text && *text != ']'; text += strcspn(text, "x]"))
			if (*++text != ']' && __builtin_mul_overflow(one, strtoull(text, NULL, 10), &one))
				return 0;
		if (!one || *text != ']' || __builtin_add_overflow(sum, one, &sum) || sum > INT64_MAX)
			return 0;
		text += text[1] == ',' ? 2 : 1;
	}
	return (int64_t)sum;
}

/* The rows. */

/* Its own, or that of a slice around it. */
static int32_t thread_of(const struct pairing_slice *slice)
{
	const struct arg *args = slice->of->args.data;

	for (size_t i = slice->of->args.n; i-- > 0;)
		if (args[i].key == KEY_TID && args[i].type == ARG_INT && args[i].integer > 0 &&
		    args[i].integer <= INT32_MAX)
			return (int32_t)args[i].integer;
	return slice->of->def.tid > 0 ? slice->of->def.tid : slice->of->def.pid;
}

static struct row row_of(const struct pairing_slice *slice, const char *category, const char *name)
{
	return (struct row){ .category = category,
			     .name = name,
			     .suffix = "\"",
			     .pid = slice->of->def.pid,
			     .tid = thread_of(slice),
			     .begin_ns = slice->begin_ns,
			     .end_ns = slice->end_ns };
}

static bool has_path(const struct pairing_slice *load)
{
	const struct arg *args = load->of->args.data;

	for (size_t i = 0; i < load->of->args.n; i++)
		if (args[i].key == KEY_MODEL_PATH)
			return true;
	return false;
}

static void put_load(struct ort *ort, const struct pairing_slice *slice)
{
	const char *name = pairing_text(&ort->pairing, slice->name);
	struct row row = row_of(slice, "Session", has_path(slice) ? "model_loading_uri" : "model_loading_array");

	if (!strncmp(name, "model_loading_", 14))
		row.name = name;
	if (slice->parent && !slice->parent->from_ns)
		slice->parent->from_ns = slice->end_ns;
	put_row(ort, &row);
}

static void put_specialize(struct ort *ort, const struct pairing_slice *slice)
{
	struct row row = row_of(slice, "Session", INITIALIZATION);

	if (strcmp(pairing_text(&ort->pairing, slice->name), INITIALIZATION)) {
		ort->pairing.n_slices++;
		return;
	}
	if (slice->parent)
		slice->parent->to_ns = slice->end_ns; /* it has one */
	put_row(ort, &row);
}

static void put_session(struct ort *ort, const struct pairing_slice *slice)
{
	struct row row = row_of(slice, "Session", INITIALIZATION);

	ort->n_sessions++;
	if (slice->self->to_ns)
		return;
	if (slice->self->from_ns)
		row.begin_ns = slice->self->from_ns;
	put_row(ort, &row);
}

static void put_inference(struct ort *ort, const struct pairing_slice *slice)
{
	struct row run = row_of(slice, "Session", "model_run"), execute = run;

	execute.name = "SequentialExecutor::Execute";
	if (slice->self->to_ns)
		execute.begin_ns = slice->self->to_ns;
	put_row(ort, &execute);
	put_row(ort, &run);
}

static void put_sizes(struct ort *ort, const char **between, int64_t bytes, const char *outputs)
{
	int64_t known = bytes_of(outputs);

	if (bytes < 0)
		return;
	if (known > bytes)
		known = 0;
	put_number(ort, between, "activation_size", bytes - known);
	put_number(ort, between, "parameter_size", 0);
	put_number(ort, between, "output_size", known);
}

static int put_operator(struct ort *ort, const struct pairing_slice *slice, struct err *err)
{
	const struct pairing *pairing = &ort->pairing;
	struct row row = row_of(slice, "Node", pairing_text(pairing, slice->name));
	uint32_t type = pairing_name(slice, KEY_OP_TYPE), provider = pairing_name(slice, KEY_PROVIDER);
	const char *inputs = pairing_text(pairing, pairing_name(slice, KEY_SHAPES)), *arrow = strstr(inputs, "->");
	const char *outputs = arrow ? arrow + 2 : "", *between = "";

	row.suffix = "_kernel_time\"";
	begin_row(ort, &row);
	put_text(ort, &between, "op_name", pairing_text(pairing, type));
	if (provider)
		put_text(ort, &between, "provider", pairing_text(pairing, provider));
	put_shapes(ort, &between, "input_type_shape", inputs, arrow ? (size_t)(arrow - inputs) : strlen(inputs));
	put_shapes(ort, &between, "output_type_shape", outputs, strlen(outputs));
	put_sizes(ort, &between, pairing_int(slice, KEY_BYTES, -1), outputs);
	end_row(ort);
	held_rows_put(&ort->rows, ort->row.data, ort->row.n, (uint64_t)pairing_int(slice, KEY_FLOW, 0));
	if (type && slice->name && perfetto_map_get(&ort->type_of, slice->name) != type &&
	    !perfetto_map_put(&ort->type_of, slice->name, type))
		return err_set(err, ENOMEM, "cannot write the file: out of memory");
	return 0;
}

static void put_kernel(struct ort *ort, const struct pairing_slice *slice)
{
	const struct pairing *pairing = &ort->pairing;
	struct row row = row_of(slice, "Kernel", pairing_text(pairing, slice->name));
	uint32_t operator = pairing_name(slice, KEY_OPERATOR), type = pairing_name(slice, KEY_OP_TYPE);
	uint32_t provider = pairing_name(slice, KEY_PROVIDER), way = pairing_name(slice, KEY_IMPLEMENTATION);
	const char *lane = pairing_text(pairing, slice->of->def.name), *between = "";
	char parent[TEXT_MAX + 1];

	row.pid = row.tid = -1;
	begin_row(ort, &row);
	if (!strncmp(lane, "stream ", 7))
		put_text(ort, &between, "stream", lane + 7);
	if (!type && operator)
		type = perfetto_map_get(&ort->type_of, operator);
	if (type || operator)
		put_text(ort, &between, "op_name", pairing_text(pairing, type));
	if (operator) {
		snprintf(parent, sizeof parent, "%.1400s_kernel_time", pairing_text(pairing, operator));
		put_text(ort, &between, "parent_name", parent);
	}
	if (provider)
		put_text(ort, &between, "provider", pairing_text(pairing, provider));
	if (way)
		put_text(ort, &between, "ov_exec_type", pairing_text(pairing, way)); /* OpenVINO's name for it */
	end_row(ort);
	held_rows_put_behind(&ort->rows, ort->row.data, ort->row.n, (uint64_t)pairing_int(slice, KEY_FLOW, 0));
}

static int take(struct pairing *pairing, const struct pairing_slice *slice, struct err *err)
{
	struct ort *ort = (struct ort *)pairing;

	switch (slice->kind) {
	case KIND_LOAD:
		put_load(ort, slice);
		break;
	case KIND_SPECIALIZE:
		put_specialize(ort, slice);
		break;
	case KIND_SESSION:
		put_session(ort, slice);
		break;
	case KIND_SETUP:
		if (slice->parent)
			slice->parent->to_ns = slice->end_ns;
		break;
	case KIND_INFERENCE:
		put_inference(ort, slice);
		break;
	case KIND_OPERATOR:
		return put_operator(ort, slice, err);
	case KIND_KERNEL:
		put_kernel(ort, slice);
		break;
	default:
		pairing->n_slices++;
	}
	return 0;
}

/* The begin of the recording is time 0. */
static int take_other(struct pairing *pairing, const struct event *event, struct err *err)
{
	struct ort *ort = (struct ort *)pairing;
	const char *name = pairing_text(pairing, event->name);

	(void)err;
	if (event->type == EVENT_COUNTER) {
		pairing->n_samples++;
	} else if (event->kind == KIND_NOTE && !strcmp(name, EVENT_NOTE_RECORDING) && !ort->has_start &&
		   !ort->rows.has_row) {
		ort->start_ns = event->time_ns;
		ort->has_start = true;
	} else {
		pairing->n_instants++;
	}
	return 0;
}

static struct sink *open(int fd, struct names *names, uint32_t *last_track, struct err *err)
{
	struct ort *ort = calloc(1, sizeof *ort);

	if (!ort) {
		err_set(err, ENOMEM, "cannot write the file: out of memory");
		return NULL;
	}
	pairing_init(&ort->pairing, fd, names, last_track);
	ort->rows.out = &ort->pairing.out;
	ort->pairing.take = take;
	ort->pairing.take_other = take_other;
	return &ort->pairing.sink;
}

static int end(struct sink *sink, struct export_losses *losses, struct err *err)
{
	struct ort *ort = (struct ort *)sink;
	int code;

	if (!ort)
		return 0;
	code = pairing_finish(&ort->pairing, err);
	held_rows_end(&ort->rows);
	if (!code)
		code = text_out_flush(&ort->pairing.out, err);
	if (losses) {
		pairing_losses(&ort->pairing, losses);
		export_lost(losses, ort->n_early, "begin", " before that of the recording, which are at 0 now");
		export_lost(losses, ort->n_sessions > 1 ? ort->n_sessions : 0, "session",
			    " in one file, which it does not tell apart");
		export_lost(losses, ort->n_cut, "text", " cut to 1,500 bytes");
	}
	held_rows_done(&ort->rows);
	perfetto_map_done(&ort->type_of);
	pairing_done(&ort->pairing);
	free(ort);
	return code;
}

const struct exporter export_ort = {
	.name = "ort",
	.suffix = ".ort.json",
	.help = "profile of ONNX Runtime (JSON), for scripts that read the runtime's own profiles",
	.open = open,
	.close = end,
};
