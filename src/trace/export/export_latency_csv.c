// SPDX-License-Identifier: Apache-2.0
/*
 * The latency report of Cloud AI 100: four lines, then CSV with a row for each inference, columns padded with blanks,
 * microseconds, N/A for what is unknown. Scripts made for that report read it.
 *
 * totalRoundtripTimeUs is the inference, preProcTimeUs its setup, execTotalUs the rest. Stages that have the name of a
 * column, as an imported report has them, fill it instead.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace/export/pairing.h"

enum column { SAMPLE, QUEUE_DEPTH, IN_QUEUE, PER_SECOND, FIRST_TIME, PRE = 9, EXEC = 11, TOTAL = 15, N_COLUMNS };
enum { UNKNOWN = -1 };

static const char *const columns[N_COLUMNS] = {
	"Sample",     "queueDepth",	  "numInfInQueue",    "devInfPerSec",
	"devExecUs",  "devInWaitTimeUs",  "devOutWaitTimeUs", "hostRoundTripUs",
	"enqTimeUs",  "preProcTimeUs",	  "submitTimeUs",     "execTotalUs",
	"exectoVcUs", "execToCompleteUs", "postProcUs",	      "totalRoundtripTimeUs",
};

static const char head[] = "Latency of inferences, written by inftrace\n"
			   "Times are microseconds of the host, N/A is unknown\n"
			   "Rows are in the order in which inferences end\n"
			   "\n";

/* Stages of the inference that is open on a track: nanoseconds, or UNKNOWN. */
struct stages {
	bool is_used;
	int64_t ns[N_COLUMNS];
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
	stages->is_used = true;
	return stages;
}

/* Whether a stage has the name of a column, whose time it then is. */
static bool note_stage(struct latency *latency, uint32_t track, const char *name, int64_t ns)
{
	struct stages *stages = stages_of(latency, track);

	for (size_t i = FIRST_TIME; stages && i < TOTAL; i++) {
		size_t len = strlen(columns[i]) - strlen("Us");

		if (strlen(name) != len || memcmp(columns[i], name, len) != 0)
			continue;
		stages->ns[i] = ns;
		return true;
	}
	return false;
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
		put_field(&latency->pairing.out, text, i);
	}
}

static int take_inference(struct latency *latency, const struct pairing_slice *slice, struct err *err)
{
	struct stages *stages = stages_of(latency, slice->track);
	int64_t total = (int64_t)(slice->end_ns - slice->begin_ns), setup = (int64_t)slice->self->from_ns;

	if (!stages)
		return err_set(err, ENOMEM, "cannot write the file: out of memory");
	if (!latency->n_samples)
		latency->model = slice->name;
	latency->n_of_others += slice->name != latency->model;
	stages->ns[TOTAL] = total;
	if (setup && stages->ns[PRE] < 0 && stages->ns[EXEC] < 0) {
		stages->ns[PRE] = setup;
		stages->ns[EXEC] = total > setup ? total - setup : 0;
	}
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
	else if (slice->kind != KIND_STAGE ||
		 !note_stage(latency, slice->track, pairing_text(pairing, slice->name), ns))
		pairing->n_slices++;
	return 0;
}

/* Stages whose place in the inference is unknown are instants. */
static int take_other(struct pairing *pairing, const struct event *event, struct err *err)
{
	struct latency *latency = (struct latency *)pairing;
	int64_t ns = UNKNOWN;

	for (size_t i = 0; event->kind == KIND_STAGE && i < event->n_args; i++)
		if (event->args[i].key == KEY_REPORTED_NS && event->args[i].type == ARG_INT)
			ns = event->args[i].integer;
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
		err_set(err, ENOMEM, "cannot write the file: out of memory");
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
			    " of another model than the first, not told apart");
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
