// SPDX-License-Identifier: Apache-2.0
/* Inferences and creations of sessions: what each adds to its series. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/aggregate/fleet_in.h"

void fleet_run_begin(struct fleet *fleet, struct fleet_track *track, const struct event *event)
{
	struct fleet_process *process = fleet_process_of(fleet, track);
	int64_t number = event_int(event, KEY_SESSION, -1);
	uint32_t model = event_text(event, KEY_MODEL);
	struct fleet_session *session =
	    process ? fleet_session_of(fleet, process, number, model ? model : event->name) : NULL;

	track->series = session ? fleet_series_of(fleet, process, session) : NULL;
	if (!track->series)
		return;
	/* of a session that ran before it was watched, the first one is not known */
	track->is_first = event_int(event, KEY_FIRST, 0) || (session->is_new && !session->n_runs);
	session->n_runs++;
	track->tid = (int32_t)event_int(event, KEY_TID, 0);
	track->number = (uint64_t)event_int(event, KEY_INFERENCE, 0);
	track->tag = event_text(event, KEY_TAG);
	track->session = number;
	track->shapes = event_text(event, KEY_SHAPES);
	fleet_kernels_run(process, track->number, track->series);
	track->series->n_open++;
}

static bool is_hex(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strchr("0123456789abcdef", text[i]) || !text[i])
			return false;
	return true;
}

/* A run tag that is a trace context of W3C: 00-<32 digits>-<16 digits>-<2 digits>. */
static void take_trace(struct tail_run *run, const char *tag)
{
	enum { TRACE_AT = 3, SPAN_AT = 36, FLAGS_AT = 53, LENGTH = 55 };

	if (strlen(tag) != LENGTH || strncmp(tag, "00-", TRACE_AT) != 0 || tag[SPAN_AT - 1] != '-' ||
	    tag[FLAGS_AT - 1] != '-' || !is_hex(tag + TRACE_AT, 32) || !is_hex(tag + SPAN_AT, 16))
		return;
	memcpy(run->trace, tag + TRACE_AT, 32);
	memcpy(run->span, tag + SPAN_AT, 16);
}

static void note_slowest(struct series *series, const struct tail_run *run)
{
	struct series_example *slowest = &series->now_slowest;

	if (run->ns < slowest->ns)
		return;
	*slowest = (struct series_example){
		.ns = run->ns, .realtime_ns = run->realtime_ns, .pid = run->pid, .number = run->number
	};
	memcpy(slowest->trace, run->trace, sizeof slowest->trace);
	memcpy(slowest->span, run->span, sizeof slowest->span);
}

void fleet_run_end(struct fleet *fleet, struct fleet_track *track, const struct event *event, uint64_t begin_ns)
{
	struct fleet_process *process = fleet_process_of(fleet, track);
	uint32_t status = event_text(event, KEY_STATUS);
	struct series *series = track->series;
	struct series_sums *sums;
	struct tail_run run;

	track->series = NULL;
	if (!series)
		return;
	series->n_open -= series->n_open > 0;
	/* it was cut off: it ended later, or never */
	if (event_int(event, KEY_PARTIAL, 0))
		return;
	run = (struct tail_run){ .series = series,
				 .ns = event->time_ns > begin_ns ? event->time_ns - begin_ns : 0,
				 .realtime_ns = event->time_ns + (uint64_t)fleet->to_realtime_ns,
				 .number = track->number,
				 .pid = process ? process->pid : 0,
				 .tid = track->tid,
				 .cpu_ns = event_int(event, KEY_THREAD_CPU_NS, -1),
				 .queued_ns = event_int(event, KEY_RUN_QUEUE_NS, -1),
				 .major_faults = event_int(event, KEY_MAJOR_FAULTS, -1),
				 .read_bytes = event_int(event, KEY_READ_BYTES, -1),
				 .n_open = series->n_open + 1,
				 .is_first = track->is_first };
	if (track->tag)
		take_trace(&run, names_text(fleet->sink.names, track->tag));
	if (status && status != fleet->ok) {
		const char *text = names_text(fleet->sink.names, status);
		origin_copy(run.status, sizeof run.status, *text ? text : "failed", *text ? strlen(text) : 6);
	}
	if (process)
		fleet_operators_take(fleet, process, &run, series);
	sums = &series->now;
	if (*run.status)
		sums->failed[failure_of(run.status)]++;
	if (!series_times_add(&sums->runs, run.ns, 1) || (run.is_first && !series_times_add(&sums->firsts, run.ns, 1)))
		fleet->is_out_of_memory = true;
	fleet_usage_add(sums, &run);
	if (process)
		fleet_unseen_note(fleet, process, &run, series);
	if (!*run.status)
		fleet_generations_run(fleet, track, series, event, begin_ns);
	note_slowest(series, &run);
	tail_add(&fleet->now_tail, &run);
}

uint8_t fleet_phase_of(const struct fleet *fleet, const struct event *event)
{
	const char *name = names_text(fleet->sink.names, event->name);

	if (event->kind == KIND_LOAD || event->kind == KIND_SPECIALIZE)
		return event->kind == KIND_LOAD ? SERIES_PHASE_LOAD : SERIES_PHASE_SPECIALIZE;
	for (int i = 1; event->kind == KIND_PHASE && i < N_EVENT_PHASES; i++)
		if (!strcmp(name, series_phase_name(i)))
			return (uint8_t)i;
	return 0;
}

void fleet_phase_end(struct fleet_track *track, const struct fleet_slice *slice, uint64_t end_ns)
{
	uint64_t ns = end_ns > slice->begin_ns ? end_ns - slice->begin_ns : 0;
	struct fleet_slice *outer = track->depth ? &track->slice[track->depth - 1] : NULL;

	if (!track->phase_ns || !outer)
		return;
	if (slice->phase)
		track->phase_ns[slice->phase] += ns > slice->inner_ns ? ns - slice->inner_ns : 0;
	outer->inner_ns += slice->phase ? ns : slice->inner_ns;
}

static void take_phases(const struct fleet_track *track, struct series_sums *sums, const struct fleet_slice *whole,
			uint64_t ns)
{
	for (int i = 1; track->phase_ns && i < N_SERIES_PHASES; i++)
		sums->phase_ns[i] += track->phase_ns[i];
	sums->phase_ns[SERIES_PHASE_OTHER] += ns > whole->inner_ns ? ns - whole->inner_ns : 0;
}

void fleet_creation_begin(struct fleet_track *track, const struct event *event)
{
	if (!track->phase_ns)
		track->phase_ns = calloc(N_SERIES_PHASES, sizeof *track->phase_ns);
	else
		memset(track->phase_ns, 0, N_SERIES_PHASES * sizeof *track->phase_ns);
	track->session = event_int(event, KEY_SESSION, -1);
}

void fleet_creation_end(struct fleet *fleet, struct fleet_track *track, const struct event *event,
			const struct fleet_slice *slice)
{
	const struct fleet_track *group = fleet_track_at(fleet, track->parent);
	struct fleet_process *process = fleet_process_of(fleet, track);
	uint64_t ns = event->time_ns > slice->begin_ns ? event->time_ns - slice->begin_ns : 0;
	uint32_t model = event_text(event, KEY_MODEL), status = event_text(event, KEY_STATUS);
	struct fleet_session *session;
	struct series *series;

	if (slice->kind != KIND_SESSION || !process)
		return;
	model = model ? model : group ? group->name : 0;
	session = fleet_session_of(fleet, process, event_int(event, KEY_SESSION, track->session), model);
	if (session && event_text(event, KEY_PROVIDERS))
		session->provider = event_text(event, KEY_PROVIDERS);
	series = session ? fleet_series_of(fleet, process, session) : NULL;
	if (!series)
		return;
	series->now.creating_ns += ns;
	take_phases(track, &series->now, slice, ns);
	if (status && status != fleet->ok)
		series->now.n_not_created++;
	else
		series->now.n_created++;
	session->is_new = true;
}
