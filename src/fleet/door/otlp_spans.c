// SPDX-License-Identifier: Apache-2.0
/*
 * Inferences of the tail as spans. With a trace context the span lies below the one of the program; without, it is a
 * trace of its own. Its own id is made of what it is of, so that a request that is sent twice has the same spans.
 */
#include <string.h>

#include "fleet/door/door_in.h"

enum { TRACE_ID = 1, SPAN_ID, PARENT = 4, SPAN_NAME, KIND, START, END, ATTRIBUTE, STATUS = 15 };
enum { STATUS_MESSAGE = 2, STATUS_CODE };
enum { KIND_INTERNAL = 1, CODE_ERROR = 2 };

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static uint64_t own_id(const struct metrics_own *own, const struct tail_run *run, uint64_t salt)
{
	uint64_t hash = salt;

	for (const char *at = own->host.boot; *at; at++)
		hash = mix(hash, (unsigned char)*at);
	hash = mix(mix(mix(hash, (uint64_t)run->pid), run->number), run->realtime_ns);
	return hash ? hash : 1;
}

static uint8_t *put_ids(uint8_t *at, const struct metrics_own *own, const struct tail_run *run)
{
	uint64_t trace[2] = { own_id(own, run, 1), own_id(own, run, 2) }, span = own_id(own, run, 3);

	at = *run->trace ? otlp_put_id(at, TRACE_ID, run->trace) : otlp_put_bytes(at, TRACE_ID, trace, sizeof trace);
	at = otlp_put_bytes(at, SPAN_ID, &span, sizeof span);
	return *run->trace ? otlp_put_id(at, PARENT, run->span) : at;
}

static void put_span(FILE *out, const struct door_in *in, const struct tail_row *row)
{
	const struct tail_run *run = &row->run;
	const char *model = run->series->labels.model, *name = *model ? model : "inference";
	uint8_t buf[OTLP_LONGEST], *at = buf, *inside;

	at = put_ids(at, in->own, run);
	at = otlp_put_bytes(at, SPAN_NAME, name, strlen(name));
	at = pb_put_uint(at, KIND, KIND_INTERNAL);
	at = pb_put_fixed64(at, START, run->realtime_ns - run->ns);
	at = pb_put_fixed64(at, END, run->realtime_ns);
	at = otlp_put_row(at, ATTRIBUTE, in, row);
	if (*run->status) {
		at = pb_open(at, STATUS, &inside);
		at = otlp_put_bytes(at, STATUS_MESSAGE, run->status, strlen(run->status));
		at = pb_put_uint(at, STATUS_CODE, CODE_ERROR);
		at = pb_close(at, inside);
	}
	otlp_put_record(out, in->own, &run->series->labels, buf, (size_t)(at - buf));
}

bool otlp_write_spans(const struct door_in *in, FILE *out)
{
	const struct tail *tail = fleet_tail(in->fleet);
	bool has_any = false;

	for (int reason = 0; reason < N_TAIL_REASONS; reason++)
		for (uint32_t i = 0; i < tail->n[reason]; i++) {
			put_span(out, in, &tail->row[reason][i]);
			has_any = true;
		}
	return has_any;
}
