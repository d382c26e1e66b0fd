// SPDX-License-Identifier: Apache-2.0
/*
 * The CSV file of QNN's profiler, in the form of its CPU backend: EXECUTE is an inference, and the NODE rows behind it
 * are its operators, in whole microseconds; FINALIZE is the creation of a session. Inferences whose kernels have cycles
 * take the form of the HTP backend: their rows come first, and EXECUTE ends them.
 *
 * Rows of an inference wait until it ends. As the profiler does, this writes names without quotes.
 */
#include <errno.h>
#include <stdlib.h>

#include "trace/export/pairing.h"

enum { MAX_WAITING = 1 << 16 };

struct waiting {
	uint64_t key; /* process and inference */
	uint32_t name;
	bool is_cycles, is_whole;
	int64_t value; /* cycles or microseconds */
};

struct qnn {
	struct pairing pairing;
	struct array waiting; /* struct waiting */
	uint64_t n_homeless, n_too_many, n_beside, n_source_ops;
};

static const char head[] = "Msg Timestamp,Message,Time,Unit of Measurement,Timing Source,Event Level,Event "
			   "Identifier\n";

static int64_t microseconds(uint64_t ns)
{
	return (int64_t)(ns / 1000 + (ns % 1000 >= 500));
}

static void put_name(struct text_out *out, const char *name)
{
	for (; *name; name++)
		text_out_char(out, (unsigned char)*name < ' ' ? ' ' : *name);
}

/* message: up to the time; unit: behind it, up to the identifier. */
static void put_row(struct qnn *qnn, const char *message, int64_t value, const char *unit, const char *name)
{
	struct text_out *out = &qnn->pairing.out;

	text_out_text(out, "0,");
	text_out_text(out, message);
	text_out_char(out, ',');
	text_out_int(out, value);
	text_out_text(out, unit);
	put_name(out, name);
}

static void put_whole(struct qnn *qnn, const char *message, uint64_t ns, const char *name)
{
	put_row(qnn, message, microseconds(ns), ",US,BACKEND,ROOT,", name);
	text_out_char(&qnn->pairing.out, '\n');
}

static void put_waiting(struct qnn *qnn, const struct waiting *row)
{
	const char *name = pairing_text(&qnn->pairing, row->name);

	if (row->is_whole)
		put_row(qnn, "BACKEND", row->value, row->is_cycles ? ",CYCLES,BACKEND,ROOT," : ",US,BACKEND,ROOT,",
			name);
	else if (row->is_cycles)
		put_row(qnn, "NODE", row->value, ",CYCLES,BACKEND,SUB-EVENT,", name);
	else
		put_row(qnn, "NODE", row->value, ",US,BACKEND,SUB-EVENT,_", name);
	if (row->is_cycles && !row->is_whole) /* "Input OpId_2 (cycles)" has a number of its own */
		text_out_text(&qnn->pairing.out, strstr(name, " OpId_") ? " (cycles)" : ":OpId_0 (cycles)");
	text_out_char(&qnn->pairing.out, '\n');
}

static uint64_t key_of(const struct pairing_track *track, int64_t inference)
{
	return inference ? (uint64_t)track->process << 40 ^ (uint64_t)inference : 0;
}

static int let_wait(struct qnn *qnn, const struct waiting *row, struct err *err)
{
	struct waiting *added;

	if (!row->key) {
		qnn->n_homeless++;
		return 0;
	}
	if (qnn->waiting.n >= MAX_WAITING) {
		qnn->n_too_many++;
		return 0;
	}
	added = array_add_raw(&qnn->waiting, sizeof *added);
	if (!added)
		return err_no_memory(err, "cannot write the file");
	*added = *row;
	return 0;
}

static bool has_cycles(const struct qnn *qnn, uint64_t key)
{
	const struct waiting *row = qnn->waiting.data;

	for (size_t i = 0; i < qnn->waiting.n; i++)
		if (row[i].key == key && (row[i].is_cycles || row[i].is_whole))
			return true;
	return false;
}

/* Writes the rows of the inference that have their place here, and keeps those of others. */
static void put_rows(struct qnn *qnn, uint64_t key, bool is_htp)
{
	struct waiting *row = qnn->waiting.data;
	size_t n = 0;

	for (size_t i = 0; i < qnn->waiting.n; i++) {
		if (row[i].key != key)
			row[n++] = row[i];
		else if (is_htp && !row[i].is_cycles && !row[i].is_whole)
			qnn->n_beside++;
		else
			put_waiting(qnn, &row[i]);
	}
	qnn->waiting.n = n;
}

static void take_inference(struct qnn *qnn, const struct pairing_slice *slice)
{
	uint64_t key = key_of(slice->of, pairing_int(slice, KEY_INFERENCE, 0)), ns = slice->end_ns - slice->begin_ns;
	bool is_htp = has_cycles(qnn, key);

	if (is_htp)
		put_rows(qnn, key, true);
	put_whole(qnn, "EXECUTE", ns, is_htp ? "QNN (execute) time" : "GRAPH_EXECUTE");
	if (!is_htp)
		put_rows(qnn, key, false);
}

/* A kernel with cycles, or a time of the execution as a whole. */
static int take_device(struct qnn *qnn, const struct pairing_slice *slice, struct err *err)
{
	int64_t cycles = pairing_int(slice, KEY_CYCLES, -1), ns = pairing_int(slice, KEY_REPORTED_NS, -1);
	struct waiting row = { .key = key_of(slice->of, pairing_int(slice, KEY_INFERENCE, 0)),
			       .name = slice->name,
			       .is_cycles = cycles >= 0,
			       .is_whole = slice->kind == KIND_STAGE,
			       .value = cycles >= 0 ? cycles : microseconds(ns > 0 ? (uint64_t)ns : 0) };

	qnn->n_source_ops += pairing_name(slice, KEY_SOURCE_OPS) != 0;
	return let_wait(qnn, &row, err);
}

static int take_operator(struct qnn *qnn, const struct pairing_slice *slice, struct err *err)
{
	struct waiting row = { .key = key_of(slice->of, pairing_int(slice, KEY_INFERENCE, 0)),
			       .name = slice->name,
			       .value = microseconds(slice->end_ns - slice->begin_ns) };

	return let_wait(qnn, &row, err);
}

static int take(struct pairing *pairing, const struct pairing_slice *slice, struct err *err)
{
	struct qnn *qnn = (struct qnn *)pairing;

	if (slice->kind == KIND_OPERATOR)
		return take_operator(qnn, slice, err);
	if (slice->kind == KIND_KERNEL && pairing_arg(slice, KEY_CYCLES, ARG_INT))
		return take_device(qnn, slice, err);
	if (slice->kind == KIND_INFERENCE)
		take_inference(qnn, slice);
	else if (slice->kind == KIND_SESSION)
		put_whole(qnn, "FINALIZE", slice->end_ns - slice->begin_ns, "GRAPH_FINALIZE");
	else
		pairing->n_slices++;
	return 0;
}

static int take_other(struct pairing *pairing, const struct event *event, struct err *err)
{
	struct pairing_slice slice = { .kind = event->kind,
				       .name = event->name,
				       .args = event->args,
				       .n_args = event->n_args,
				       .of = pairing_track(pairing, event->track) };
	bool has_value = pairing_arg(&slice, KEY_CYCLES, ARG_INT) ||
			 (event->kind == KIND_STAGE && pairing_arg(&slice, KEY_REPORTED_NS, ARG_INT));

	if (event->type == EVENT_INSTANT && has_value && (event->kind == KIND_KERNEL || event->kind == KIND_STAGE))
		return take_device((struct qnn *)pairing, &slice, err);
	pairing->n_instants += event->type == EVENT_INSTANT;
	pairing->n_samples += event->type == EVENT_COUNTER;
	return 0;
}

static struct sink *start(int fd, struct names *names, uint32_t *last_track, struct err *err)
{
	struct qnn *qnn = calloc(1, sizeof *qnn);

	if (!qnn) {
		err_no_memory(err, "cannot write the file");
		return NULL;
	}
	pairing_init(&qnn->pairing, fd, names, last_track);
	qnn->pairing.take = take;
	qnn->pairing.take_other = take_other;
	text_out_text(&qnn->pairing.out, head);
	return &qnn->pairing.sink;
}

static int end(struct sink *sink, struct export_losses *losses, struct err *err)
{
	struct qnn *qnn = (struct qnn *)sink;
	int code;

	if (!qnn)
		return 0;
	code = pairing_finish(&qnn->pairing, err);
	if (!code)
		code = text_out_flush(&qnn->pairing.out, err);
	if (losses) {
		pairing_losses(&qnn->pairing, losses);
		export_lost(losses, qnn->n_homeless + qnn->waiting.n, "row", " of no inference");
		export_lost(losses, qnn->n_too_many, "row", " beyond 65,536 of running inferences");
		export_lost(losses, qnn->n_beside, "operator", " beside kernels that have cycles");
		export_lost(losses, qnn->n_source_ops, "list", " of source nodes");
	}
	array_done(&qnn->waiting, sizeof(struct waiting));
	pairing_done(&qnn->pairing);
	free(qnn);
	return code;
}

const struct exporter export_qnn_csv = {
	.name = "qnn-csv",
	.suffix = ".qnn.csv",
	.help = "profile of QNN (CSV): inferences and operators in microseconds",
	.open = start,
	.close = end,
};
