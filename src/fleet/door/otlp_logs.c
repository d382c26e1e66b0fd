// SPDX-License-Identifier: Apache-2.0
/* What has happened, as log records: inferences that failed, recordings that were asked for. */
#include <string.h>

#include "fleet/door/door_in.h"

enum { LOG_TIME = 1, LOG_SEVERITY, LOG_SEVERITY_TEXT, LOG_BODY = 5, LOG_ATTRIBUTE, LOG_TRACE = 9, LOG_SPAN };
enum { LOG_OBSERVED = 11, LOG_EVENT };
enum { TEXT_VALUE = 1, SEVERITY_INFO = 9, SEVERITY_ERROR = 17 };

struct entry {
	const char *event, *body;
	bool is_error;
	uint64_t realtime_ns;
};

static uint8_t *put_head(uint8_t *at, const struct door_in *in, const struct entry *entry)
{
	const char *severity = entry->is_error ? "ERROR" : "INFO";
	uint8_t *inside;

	at = pb_put_fixed64(at, LOG_TIME, entry->realtime_ns);
	at = pb_put_uint(at, LOG_SEVERITY, entry->is_error ? SEVERITY_ERROR : SEVERITY_INFO);
	at = otlp_put_bytes(at, LOG_SEVERITY_TEXT, severity, strlen(severity));
	at = pb_open(at, LOG_BODY, &inside);
	at = otlp_put_bytes(at, TEXT_VALUE, entry->body, strlen(entry->body));
	at = pb_close(at, inside);
	at = pb_put_fixed64(at, LOG_OBSERVED, fleet_interval(in->fleet)->end_realtime_ns);
	return otlp_put_bytes(at, LOG_EVENT, entry->event, strlen(entry->event));
}

static void put_failed(FILE *out, const struct door_in *in, const struct tail_row *row)
{
	const struct tail_run *run = &row->run;
	const struct entry entry = { "inftrace.inference.failed", run->status, true, run->realtime_ns };
	uint8_t buf[OTLP_LONGEST], *at = put_head(buf, in, &entry);

	at = otlp_put_row(at, LOG_ATTRIBUTE, in, row);
	at = otlp_put_attribute(at, LOG_ATTRIBUTE, "error.type", failure_name(failure_of(run->status)));
	if (*run->trace)
		at = otlp_put_id(otlp_put_id(at, LOG_TRACE, run->trace), LOG_SPAN, run->span);
	otlp_put_record(out, in->own, &run->series->labels, buf, (size_t)(at - buf));
}

static void put_recording(FILE *out, const struct door_in *in, const struct fleet_recording *recording)
{
	char body[FLEET_PATH + 80];
	const struct entry entry = { "inftrace.recording", body, false, fleet_interval(in->fleet)->end_realtime_ns };
	uint8_t buf[OTLP_LONGEST], *at;

	snprintf(body, sizeof body, "a recording of what happened: %s", recording->path);
	at = put_head(buf, in, &entry);
	at = otlp_put_attribute(at, LOG_ATTRIBUTE, "inftrace.recording", recording->path);
	at = otlp_put_attribute(at, LOG_ATTRIBUTE, "inftrace.why", recording->why);
	otlp_put_record(out, in->own, NULL, buf, (size_t)(at - buf));
}

bool otlp_write_logs(const struct door_in *in, FILE *out)
{
	const struct fleet_recording *recording = fleet_new_recording(in->fleet);
	const struct tail *tail = fleet_tail(in->fleet);

	for (uint32_t i = 0; i < tail->n[TAIL_FAILED]; i++)
		put_failed(out, in, &tail->row[TAIL_FAILED][i]);
	if (recording)
		put_recording(out, in, recording);
	return recording || tail->n[TAIL_FAILED];
}
