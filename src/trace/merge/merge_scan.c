// SPDX-License-Identifier: Apache-2.0
/* Reads a file for its clock and its inferences. Compares no files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/event_args.h"
#include "trace/merge/merge_in.h"

enum { MAX_PARENTS = 16 };

struct scan_track {
	uint32_t parent, depth;
	uint32_t run_depth, sequence, run; /* the inference that is open, and the depth inside of it; 0: none */
	int32_t pid;
	bool is_process;
};

struct scan {
	struct sink sink;
	struct merge_facts *facts;
	struct array tracks;		 /* struct scan_track, by number */
	struct perfetto_map sequence_of; /* process and session: index + 1 */
	uint32_t last_track, n_runs;
};

static int out_of_memory(struct err *err)
{
	return err_set(err, ENOMEM, "out of memory");
}

static struct scan_track *track_at(const struct scan *scan, uint32_t track)
{
	return track < scan->tracks.n ? (struct scan_track *)scan->tracks.data + track : NULL;
}

static int take_track(struct scan *scan, const struct event *event, struct err *err)
{
	struct scan_track *track;
	int32_t *pid;

	while (scan->tracks.n <= event->track)
		if (!array_add(&scan->tracks, sizeof *track))
			return out_of_memory(err);
	track = track_at(scan, event->track);
	track->parent = event->def->parent;
	track->is_process = event->def->type == TRACK_PROCESS;
	track->pid = event->def->pid;
	if (event->def->pid <= 0)
		return 0;
	pid = scan->facts->pids.data;
	if (scan->facts->pids.n && pid[scan->facts->pids.n - 1] == event->def->pid)
		return 0;
	pid = array_add(&scan->facts->pids, sizeof *pid);
	if (!pid)
		return out_of_memory(err);
	*pid = event->def->pid;
	return 0;
}

/* 0: it belongs to none. */
static uint32_t process_of(const struct scan *scan, uint32_t id)
{
	const struct scan_track *track = track_at(scan, id);

	for (int i = 0; i < MAX_PARENTS && track; i++, track = track_at(scan, id)) {
		if (track->is_process)
			return id;
		id = track->parent;
	}
	return 0;
}

static const char *text_of(const struct scan *scan, const struct event *event, enum event_key key)
{
	return names_text(scan->sink.names, event_text(event, key));
}

/* Index + 1; 0: there are too many, or err. */
static uint32_t sequence_of(struct scan *scan, const struct event *event, struct err *err)
{
	uint32_t process = process_of(scan, event->track), index;
	uint64_t key = (uint64_t)process << 32 | (uint32_t)event_int(event, KEY_SESSION, 0);
	const struct scan_track *track = track_at(scan, process);
	struct merge_sequence *sequence;

	index = perfetto_map_get(&scan->sequence_of, key);
	if (index || scan->facts->sequences.n >= MERGE_MAX_SEQUENCES)
		return index;
	sequence = array_add(&scan->facts->sequences, sizeof *sequence);
	if (!sequence || !perfetto_map_put(&scan->sequence_of, key, (uint32_t)scan->facts->sequences.n)) {
		out_of_memory(err);
		return 0;
	}
	sequence->pid = process && track->pid > 0 ? track->pid : 0;
	return (uint32_t)scan->facts->sequences.n;
}

static int begin_run(struct scan *scan, const struct event *event, struct err *err)
{
	struct scan_track *track = track_at(scan, event->track);
	struct merge_sequence *sequence;
	struct merge_run *run;
	uint32_t index;

	err->code = 0;
	index = scan->n_runs < MERGE_MAX_RUNS ? sequence_of(scan, event, err) : 0;
	if (!index)
		return -err->code;
	sequence = (struct merge_sequence *)scan->facts->sequences.data + index - 1;
	run = array_add(&sequence->runs, sizeof *run);
	if (!run)
		return out_of_memory(err);
	*run = (struct merge_run){ event->time_ns, event->time_ns };
	track->run_depth = track->depth;
	track->sequence = index - 1;
	track->run = (uint32_t)sequence->runs.n - 1;
	scan->n_runs++;
	return 0;
}

static void end_slice(struct scan *scan, const struct event *event)
{
	struct scan_track *track = track_at(scan, event->track);

	if (track->run_depth && track->run_depth == track->depth) {
		const struct merge_sequence *sequence =
		    (struct merge_sequence *)scan->facts->sequences.data + track->sequence;

		((struct merge_run *)sequence->runs.data)[track->run].end_ns = event->time_ns;
		track->run_depth = 0;
	}
	track->depth -= track->depth > 0;
}

static void take_note(struct scan *scan, const struct event *event)
{
	const char *topic = names_text(scan->sink.names, event->name);
	struct merge_facts *facts = scan->facts;
	int64_t realtime_ns = event_int(event, KEY_START_REALTIME_NS, 0), by_ns = event_int(event, KEY_BY_NS, 0);

	if (!strcmp(topic, EVENT_NOTE_RECORDING)) {
		facts->is_recording = true;
		if (!facts->has_realtime && realtime_ns > 0) {
			facts->realtime_ns = realtime_ns - (int64_t)event->time_ns;
			facts->has_realtime = true;
		}
		snprintf(facts->machine, sizeof facts->machine, "%s", text_of(scan, event, KEY_MACHINE));
	} else if (!strcmp(topic, EVENT_NOTE_CLOCK)) {
		facts->has_no_begins |= !strcmp(text_of(scan, event, KEY_SOURCE), EVENT_CLOCK_NONE);
	} else if (!strcmp(topic, EVENT_NOTE_CLOCK_CHANGED) &&
		   !strcmp(text_of(scan, event, KEY_STATE), EVENT_CLOCK_SET)) {
		facts->set_ns += by_ns < 0 ? 0 - (uint64_t)by_ns : (uint64_t)by_ns;
	}
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct scan *scan = (struct scan *)sink;
	struct merge_facts *facts = scan->facts;
	struct scan_track *track;

	if (event->type == EVENT_TRACK)
		return take_track(scan, event, err);
	if (!facts->has_events || event->time_ns < facts->first_ns)
		facts->first_ns = event->time_ns;
	if (event->time_ns > facts->last_ns)
		facts->last_ns = event->time_ns;
	facts->has_events = true;
	track = track_at(scan, event->track);
	if (event->type == EVENT_INSTANT && event->kind == KIND_NOTE)
		take_note(scan, event);
	if (event->type == EVENT_END && track)
		end_slice(scan, event);
	if (event->type != EVENT_BEGIN || !track)
		return 0;
	track->depth++;
	return event->kind == KIND_INFERENCE && !track->run_depth ? begin_run(scan, event, err) : 0;
}

static int compare_runs(const void *a, const void *b)
{
	const struct merge_run *left = a, *right = b;

	return (left->begin_ns > right->begin_ns) - (left->begin_ns < right->begin_ns);
}

int merge_scan(struct import *import, struct merge_facts *facts, struct err *err)
{
	struct scan scan = { .facts = facts };
	struct names *names = names_new();
	struct merge_sequence *sequences;
	int code;

	*facts = (struct merge_facts){ 0 };
	scan.sink = (struct sink){ .put = put, .names = names, .last_track = &scan.last_track };
	code = names ? import_read(import, &scan.sink, err) : out_of_memory(err);
	if (import->result.has_realtime) {
		facts->has_realtime = true;
		facts->realtime_is = import->result.realtime_is;
		facts->realtime_ns = import->result.realtime_ns;
	}
	sequences = facts->sequences.data;
	for (size_t i = 0; i < facts->sequences.n; i++)
		qsort(sequences[i].runs.data, sequences[i].runs.n, sizeof(struct merge_run), compare_runs);
	array_done(&scan.tracks, sizeof(struct scan_track));
	perfetto_map_done(&scan.sequence_of);
	names_free(names);
	return code;
}

void merge_facts_done(struct merge_facts *facts)
{
	struct merge_sequence *sequences = facts->sequences.data;

	for (size_t i = 0; i < facts->sequences.n; i++)
		array_done(&sequences[i].runs, sizeof(struct merge_run));
	array_done(&facts->sequences, sizeof *sequences);
	array_done(&facts->pids, sizeof(int32_t));
	*facts = (struct merge_facts){ 0 };
}
