// SPDX-License-Identifier: Apache-2.0
/*
 * The latency report of Cloud AI 100: four lines, then CSV with a row for each inference, columns padded with blanks,
 * microseconds, N/A for what is unknown. Scripts made for that report read it.
 *
 * totalRoundtripTimeUs is the inference, preProcTimeUs its setup, execTotalUs the rest. Stages fill the columns that
 * they are called like, as an imported report has them, or that their common names stand for. devExecUs is also the sum
 * of the kernels inside an inference. devInfPerSec is the batch by devExecUs: what the device could do without pause.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "event/event_args.h"
#include "trace/export/pairing.h"

enum column {
	SAMPLE,
	QUEUE_DEPTH,
	IN_QUEUE,
	PER_SECOND,
	FIRST_TIME,
	DEVICE = FIRST_TIME,
	ENQUEUE = 8,
	PRE,
	SUBMIT,
	EXEC,
	POST = 14,
	TOTAL,
	N_COLUMNS
};
enum { UNKNOWN = -1 };

static const char *const columns[N_COLUMNS] = {
	"Sample",     "queueDepth",	  "numInfInQueue",    "devInfPerSec",
	"devExecUs",  "devInWaitTimeUs",  "devOutWaitTimeUs", "hostRoundTripUs",
	"enqTimeUs",  "preProcTimeUs",	  "submitTimeUs",     "execTotalUs",
	"exectoVcUs", "execToCompleteUs", "postProcUs",	      "totalRoundtripTimeUs",
};

/* What programs call the stages of an inference. */
static const struct {
	const char *name;
	enum column column;
} stage_names[] = {
	{ "queue", ENQUEUE }, { "enqueue", ENQUEUE }, { "pre", PRE },	{ "preprocess", PRE },
	{ "submit", SUBMIT }, { "device", DEVICE },   { "post", POST }, { "postprocess", POST },
};

static const char head[] = "Latency of inferences, written by inftrace\n"
			   "Times are microseconds of the host, N/A is unknown\n"
			   "Rows are in the order in which inferences end\n"
			   "\n";

/* Stages of the inference that is open on a track: nanoseconds, or UNKNOWN. */
struct stages {
	bool is_used;
	int64_t ns[N_COLUMNS], kernels_ns;
	double per_second; /* below 0: unknown */
};

struct latency {
	struct pairing pairing;
	struct array stages; /* struct stages, by number of the track */
	uint32_t model;
	uint64_t n_samples, n_of_others;
};

static struct stages *stages_of(struct latency *latency, uint32_t track)
{
	struct stages *stages;

	while (latency->stages.n <= track)
		if (!array_add(&latency->stages, sizeof *stages))
			return NULL;
	stages = (struct stages *)latency->stages.data + track;
	for (size_t i = 0; !stages->is_used && i < N_COLUMNS; i++)
		stages->ns[i] = UNKNOWN;
	if (!stages->is_used)
		stages->kernels_ns = UNKNOWN;
	stages->is_used = true;
	return stages;
}

static void add_time(int64_t *sum, int64_t ns)
{
	*sum = (*sum == UNKNOWN ? 0 : *sum) + ns;
}

/* SAMPLE: none. */
static enum column column_of(const char *name)
{
	for (size_t i = FIRST_TIME; i < TOTAL; i++) {
		size_t len = strlen(columns[i]) - strlen("Us");

		if (strlen(name) == len && !memcmp(columns[i], name, len))
			return (enum column)i;
	}
	for (size_t i = 0; i < sizeof stage_names / sizeof *stage_names; i++)
		if (!strcmp(name, stage_names[i].name))
			return stage_names[i].column;
	return SAMPLE;
}

/* Whether a stage is one of a column, to which its time is added. */
static bool note_stage(struct latency *latency, uint32_t track, const char *name, int64_t ns)
{
	enum column column = column_of(name);
	struct stages *stages = column == SAMPLE ? NULL : stages_of(latency, track);

	if (stages)
		add_time(&stages->ns[column], ns);
	return stages != NULL;
}

/* Whether a kernel lies in an inference of its track. */
static bool note_kernel(struct latency *latency, const struct pairing_slice *slice, int64_t ns)
{
	struct stages *stages =
	    slice->parent && slice->parent->kind != KIND_KERNEL ? stages_of(latency, slice->track) : NULL;

	if (stages)
		add_time(&stages->kernels_ns, ns);
	return stages != NULL;
}

static void put_field(struct text_out *out, const char *text, size_t column)
{
	for (size_t len = strlen(text); len < strlen(columns[column]); len++)
		text_out_char(out, ' ');
	text_out_text(out, text);
	text_out_text(out, column + 1 < N_COLUMNS ? ", " : "\n");
}

static void put_row(struct latency *latency, const struct stages *stages)
{
	char text[40];

	snprintf(text, sizeof text, "%llu", (unsigned long long)latency->n_samples++);
	put_field(&latency->pairing.out, text, SAMPLE);
	for (size_t i = SAMPLE + 1; i < N_COLUMNS; i++) {
		snprintf(text, sizeof text, "N/A");
		if (stages->ns[i] >= 0)
			snprintf(text, sizeof text, "%lld.%03d", (long long)(stages->ns[i] / 1000),
				 (int)(stages->ns[i] % 1000));
		else if (i == PER_SECOND && stages->per_second >= 0)
			snprintf(text, sizeof text, "%.3f", stages->per_second);
		put_field(&latency->pairing.out, text, i);
	}
}

static int64_t batch_of(const struct pairing_slice *slice)
{
	for (size_t i = 0; i < slice->n_args; i++)
		if (slice->args[i].key == KEY_BATCH && slice->args[i].type == ARG_INT && slice->args[i].integer > 0)
			return slice->args[i].integer;
	return 1;
}

/* What follows from the stages that are known. */
static void complete(struct stages *stages, int64_t total, int64_t setup, int64_t batch)
{
	static const enum column around[] = { ENQUEUE, PRE, SUBMIT, POST };
	int64_t rest = total;
	bool is_known = false;

	stages->ns[TOTAL] = total;
	if (setup && stages->ns[PRE] < 0)
		stages->ns[PRE] = setup;
	if (stages->ns[DEVICE] < 0)
		stages->ns[DEVICE] = stages->kernels_ns;
	stages->per_second = stages->ns[DEVICE] > 0 ? 1e9 * (double)batch / (double)stages->ns[DEVICE] : -1;
	for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
		is_known |= stages->ns[around[i]] >= 0;
		rest -= stages->ns[around[i]] >= 0 ? stages->ns[around[i]] : 0;
	}
	if (is_known && stages->ns[EXEC] < 0)
		stages->ns[EXEC] = rest > 0 ? rest : 0;
}

static int take_inference(struct latency *latency, const struct pairing_slice *slice, struct err *err)
{
	struct stages *stages = stages_of(latency, slice->track);

	if (!stages)
		return err_no_memory(err, "cannot write the file");
	if (!latency->n_samples)
		latency->model = slice->name;
	latency->n_of_others += slice->name != latency->model;
	complete(stages, (int64_t)(slice->end_ns - slice->begin_ns), (int64_t)slice->self->from_ns, batch_of(slice));
	put_row(latency, stages);
	stages->is_used = false;
	return 0;
}

static int take(struct pairing *pairing, const struct pairing_slice *slice, struct err *err)
{
	struct latency *latency = (struct latency *)pairing;
	int64_t ns = (int64_t)(slice->end_ns - slice->begin_ns);

	if (slice->kind == KIND_INFERENCE)
		return take_inference(latency, slice, err);
	if (slice->kind == KIND_SETUP && slice->parent)
		slice->parent->from_ns += (uint64_t)ns;
	else if (!(slice->kind == KIND_STAGE &&
		   note_stage(latency, slice->track, pairing_text(pairing, slice->name), ns)) &&
		 !(slice->kind == KIND_KERNEL && note_kernel(latency, slice, ns)))
		pairing->n_slices++;
	return 0;
}

/* Stages whose place in the inference is unknown are instants. */
static int take_other(struct pairing *pairing, const struct event *event, struct err *err)
{
	struct latency *latency = (struct latency *)pairing;
	int64_t ns = event->kind == KIND_STAGE ? event_int(event, KEY_REPORTED_NS, UNKNOWN) : UNKNOWN;

	if (event->type == EVENT_COUNTER)
		pairing->n_samples++;
	else if (ns < 0 || !note_stage(latency, event->track, pairing_text(pairing, event->name), ns))
		pairing->n_instants++;
	return 0;
}

static struct sink *start(int fd, struct names *names, uint32_t *last_track, struct err *err)
{
	struct latency *latency = calloc(1, sizeof *latency);

	if (!latency) {
		err_no_memory(err, "cannot write the file");
		return NULL;
	}
	pairing_init(&latency->pairing, fd, names, last_track);
	latency->pairing.take = take;
	latency->pairing.take_other = take_other;
	text_out_text(&latency->pairing.out, head);
	for (size_t i = 0; i < N_COLUMNS; i++)
		put_field(&latency->pairing.out, columns[i], i);
	return &latency->pairing.sink;
}

static int end(struct sink *sink, struct export_losses *losses, struct err *err)
{
	struct latency *latency = (struct latency *)sink;
	int code;

	if (!latency)
		return 0;
	code = pairing_finish(&latency->pairing, err);
	if (!code)
		code = text_out_flush(&latency->pairing.out, err);
	if (losses) {
		pairing_losses(&latency->pairing, losses);
		export_lost(losses, latency->n_of_others, "inference",
			    " of models other than the first, not distinguished");
	}
	array_done(&latency->stages, sizeof(struct stages));
	pairing_done(&latency->pairing);
	free(latency);
	return code;
}

const struct exporter export_latency_csv = {
	.name = "latency-csv",
	.suffix = "-latency.txt",
	.help = "latency report of Cloud AI 100 (CSV): a row for each inference",
	.open = start,
	.close = end,
};
