// SPDX-License-Identifier: Apache-2.0
/*
 * The file that ONNX Runtime's own profiler writes: an array of complete events ("ph" : "X"), one a line, in the order
 * of their ends, whole microseconds, numbers in arguments as texts. Scripts made for it read whole recordings.
 *
 * load                  model_loading_uri, or model_loading_array if the model has no path
 * session               session_initialization: from the end of loading to the end of the session's creation
 * inference             model_run, and SequentialExecutor::Execute: from the end of setup to the end of the inference
 * operator              <name>_kernel_time
 * kernel                category Kernel, or Api of WebGPU; process and thread -1
 *
 * Begins and ends are each rounded down, so that slices nest and sums have no bias. Times count from the begin of the
 * recording; of a file that does not name it, they are its own. Not written is what a recording does not have: indexes
 * of nodes, statistics of thread pools, memory of arenas. Lists of shapes are always there, because scripts rely on
 * them: [] is unknown. Bytes of weights are in activation_size.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/export/export_ort_in.h"
#include "trace/export/pairing.h"
#include "trace/perfetto/perfetto_map.h"

/* Longer texts are cut: no name of a node is so long, and any row fits into the buffer. */
enum { TEXT_MAX = 1500 };

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

static void put_shapes(struct ort *ort, const char **between, const char *key, const char *text, size_t len)
{
	text_out_text(&ort->row, *between);
	*between = ",";
	text_out_char(&ort->row, '"');
	text_out_text(&ort->row, key);
	text_out_text(&ort->row, "\" : ");
	ort_shapes_put(&ort->row, text, len);
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
	int64_t known = ort_shapes_bytes(outputs);

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
		return err_no_memory(err, "cannot write the file");
	return 0;
}

/* What a row of a kernel needs. */
struct kernel_row {
	const char *name, *type, *operator, *provider, *way, *stream; /* "": unknown */
	uint64_t flow;
};

static void put_known(struct ort *ort, const char **between, const char *key, const char *value)
{
	if (*value)
		put_text(ort, between, key, value);
}

/* Of any provider: scripts group kernels by op_name and parent_name. */
static void put_kernel_args(struct ort *ort, const char **between, const struct kernel_row *kernel, const char *parent)
{
	put_known(ort, between, "stream", kernel->stream);
	if (*kernel->type || *parent)
		put_text(ort, between, "op_name", kernel->type);
	put_known(ort, between, "parent_name", parent);
}

/* The form of OpenVINO's rows, for scripts that read these, and what put_kernel_args adds. */
static void put_openvino(struct ort *ort, const char **between, const struct kernel_row *kernel, const char *parent)
{
	put_known(ort, between, "ep", kernel->provider);
	put_known(ort, between, "parent_ort_event_name", parent);
	put_known(ort, between, "ov_node_type", kernel->type);
	put_known(ort, between, "ov_exec_type", kernel->way);
}

static void put_kernel_row(struct ort *ort, struct row *row, const struct kernel_row *kernel)
{
	bool is_openvino = !strcmp(kernel->provider, "OpenVINOExecutionProvider");
	char parent[TEXT_MAX + 1] = "", name[TEXT_MAX + 8];
	const char *between = "";

	snprintf(name, sizeof name, "%s%s", is_openvino ? "OV::" : "", kernel->name);
	if (*kernel->operator)
		snprintf(parent, sizeof parent, "%.1400s_kernel_time", kernel->operator);
	row->name = name;
	begin_row(ort, row);
	if (is_openvino)
		put_openvino(ort, &between, kernel, parent);
	put_kernel_args(ort, &between, kernel, parent);
	if (!is_openvino) {
		put_known(ort, &between, "provider", kernel->provider);
		put_known(ort, &between, "ov_exec_type", kernel->way); /* OpenVINO's name for it */
	}
}

/* WebGPU has a category and a form of its own: the node, its type and the program in the name. */
static bool is_webgpu(const struct kernel_row *kernel)
{
	return !strcmp(kernel->provider, "WebGpuExecutionProvider") && *kernel->type && *kernel->way;
}

static void put_webgpu_row(struct ort *ort, struct row *row, const struct kernel_row *kernel)
{
	char name[TEXT_MAX + 8];

	snprintf(name, sizeof name, "%s&%s&%s", kernel->name, kernel->type, kernel->way);
	row->category = "Api";
	row->name = name;
	begin_row(ort, row);
}

static void put_kernel(struct ort *ort, const struct pairing_slice *slice)
{
	const struct pairing *pairing = &ort->pairing;
	struct row row = row_of(slice, "Kernel", "");
	uint32_t operator = pairing_name(slice, KEY_OPERATOR), type = pairing_name(slice, KEY_OP_TYPE);
	const char *lane = pairing_text(pairing, slice->of->def.name);
	struct kernel_row kernel = { .name = pairing_text(pairing, slice->name),
				     .type = pairing_text(
					 pairing, type || !operator ? type : perfetto_map_get(&ort->type_of, operator)),
				     .operator = pairing_text(pairing, operator),
				     .provider = pairing_text(pairing, pairing_name(slice, KEY_PROVIDER)),
				     .way = pairing_text(pairing, pairing_name(slice, KEY_IMPLEMENTATION)),
				     .stream = strncmp(lane, "stream ", 7) ? "" : lane + 7,
				     .flow = (uint64_t)pairing_int(slice, KEY_FLOW, 0) };

	row.pid = row.tid = -1;
	if (is_webgpu(&kernel))
		put_webgpu_row(ort, &row, &kernel);
	else
		put_kernel_row(ort, &row, &kernel);
	end_row(ort);
	held_rows_put_behind(&ort->rows, ort->row.data, ort->row.n, kernel.flow);
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
		err_no_memory(err, "cannot write the file");
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
			    " in one file, which it does not distinguish");
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
