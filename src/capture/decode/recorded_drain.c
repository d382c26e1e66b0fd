// SPDX-License-Identifier: Apache-2.0
/* Reads the dictionary, rings and loss counts of a segment. Finds no segments and does not interpret records. */
#include "capture/decode/recorded_drain.h"

#include <errno.h>
#include <stdio.h>

#include "capture/decode/decode_in.h"
#include "capture/decode/records.h"
#include "event/device_record.h"

static int read_counts(struct recorded *process, const struct recorded_drain *drain, struct err *err)
{
	/* what was under way when a process began to share ends without a begin, which was not lost */
	uint64_t n_orphans = process->map.is_own && !process->has_lost ? 0 : process->lanes.n_orphans;
	const struct segment *segment = process->map.segment;
	const struct {
		uint64_t *before, now;
		const char *where;
	} counts[] = {
		{ &process->dict_lost, segment->dict_lost, "names, in the dictionary of the process" },
		{ &process->texts_lost, segment->texts_lost + process->map.n_passed,
		  "shapes, tags and messages of inferences" },
		{ &process->ring_lost, segment->ring_lost, "threads that got no ring" },
		{ &process->nonsense, process->map.n_nonsense,
		  "what the agent's memory holds is not valid, or was cut off" },
		{ &(uint64_t){ 0 }, n_orphans, "ends and parts whose begin was lost" },
	};
	int code = 0;

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		uint64_t before = *counts[i].before;
		*counts[i].before = counts[i].now;
		if (!code && counts[i].now > before)
			code = recorded_lost(process, drain->out, drain->now_ns, counts[i].now - before,
					     counts[i].where, err);
	}
	process->lanes.n_orphans = 0;
	return code;
}

/* Writes the losses that the agent has counted since the last call. */
static int read_losses(struct recorded *process, const struct recorded_drain *drain, struct err *err)
{
	int code = read_counts(process, drain, err);
	uint64_t bytes;
	char where[96];

	for (uint32_t i = 0; i < segment_rings(&process->map) && !code; i++) {
		struct ring *ring = segment_ring(&process->map, i, &bytes);
		struct reader *reader = &process->reader[i];
		uint64_t lost = ring ? __atomic_load_n(&ring->lost, __ATOMIC_RELAXED) : 0;
		if (lost <= reader->lost)
			continue;
		snprintf(where, sizeof where, "ring of thread %d, %llu KiB: full", reader->tid,
			 (unsigned long long)bytes >> 10);
		code = recorded_lost(process, drain->out, drain->now_ns, lost - reader->lost, where, err);
		reader->lost = lost;
		process->has_lost = true;
	}
	return code;
}

/* The read position of one ring. */
struct lap {
	size_t n_last;	  /* records that were there at the last look */
	uint64_t n_total; /* of this round, */
	uint64_t limit;	  /* and how many there are at most */
};

/* The ticks of the last of these records that has a time; 0: none has. */
static uint64_t last_time(const struct record *records, size_t n)
{
	while (n-- > 0)
		if (records[n].type != RECORD_RUN_USAGE && records[n].type != RECORD_RUN_READS &&
		    records[n].type < RECORD_DEVICE_MORE && records[n].time)
			return records[n].time;
	return 0;
}

/* Ticks that no pair explains: the machine may have been suspended since the clocks were last compared. */
static void check_clock(struct recorded *process, uint64_t ticks)
{
	if (process->clock && ticks && !clock_map_knows(process->clock, ticks))
		clock_map_update(process->clock);
}

static int read_ring(const struct records_step *first, struct ring *ring, uint64_t bytes, struct lap *lap)
{
	struct records_step step = *first;
	const struct segment_map *map = &first->process->map;
	const struct record *records;
	int code = 0;

	while (!code && lap->n_total < lap->limit &&
	       (records = ring_read_at(ring, bytes, segment_tail(map, ring), &lap->n_last)) && lap->n_last) {
		if (lap->n_last > lap->limit - lap->n_total)
			lap->n_last = lap->limit - lap->n_total;
		/* names used by these records were published before them */
		code = recorded_read_names(step.process, step.out, step.now_ns, step.err);
		check_clock(step.process, last_time(records, lap->n_last));
		code = code ? code : records_take_all(&step, records, lap->n_last);
		segment_read_done(map, ring, lap->n_last);
		lap->n_total += lap->n_last;
	}
	return code;
}

/*
 * What is in each ring when a round begins. A thread that moves goes to a ring of a higher number, where it writes
 * nothing before it has left the old one: the last ring first, so that a round has both sides of a move, or the old one
 * alone.
 */
static uint32_t note_heads(struct recorded *process)
{
	uint32_t n_rings = segment_rings(&process->map);
	uint64_t bytes;

	for (uint32_t i = n_rings; i-- > 0;) {
		struct ring *ring = segment_ring(&process->map, i, &bytes);
		process->reader[i].head = ring ? __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) : 0;
	}
	return n_rings;
}

static int read_rings(struct recorded *process, struct recorded_drain *drain, struct err *err)
{
	struct records_step step = { .process = process, .out = drain->out, .now_ns = drain->now_ns, .err = err };
	uint32_t n_rings = note_heads(process);
	int code = 0;

	for (uint32_t i = 0; i < n_rings && !code; i++) {
		uint64_t bytes;
		struct ring *ring = segment_ring(&process->map, i, &bytes);
		struct lap lap = { 0 };
		unsigned fill;

		step.reader = &process->reader[i];
		if (!ring)
			continue;
		lap.limit = step.reader->head - segment_tail(&process->map, ring);
		if (lap.limit > bytes / sizeof(struct record))
			continue; /* an impossible head: a broken writer */
		code = read_ring(&step, ring, bytes, &lap);
		fill = (unsigned)(lap.n_total * 100 / (bytes / sizeof(struct record)));
		drain->fill = fill > drain->fill ? fill : drain->fill;
		if (lap.n_total * sizeof(struct record) > 64 << 10)
			segment_forget(&process->map, i);
	}
	return code == -ENOMEM ? err_no_memory(err, "cannot read the agent's records") : code;
}

int recorded_put(struct recorded *process, struct sink *out, uint64_t until_ns, uint64_t now_ns, struct err *err)
{
	bool is_last = until_ns == UINT64_MAX;
	uint64_t placed_ns = callers_settle(&process->callers, &process->lanes, out->names, is_last);
	int code;

	if (placed_ns == UINT64_MAX) /* else what waits may be of a session that is released */
		sessions_end_round(&process->sessions);
	code = device_put(process, out, is_last, err);
	if (!code && is_last)
		code = device_tell_end(process, out, now_ns, err);
	if (code ||
	    (!process->lanes.n && !process->lanes.calls.waiting.n && !process->memory.n && !process->memory.n_accounts))
		return code;
	process->memory.process_track = recorded_track(process, out);
	code = lanes_put(&process->lanes, &process->sessions, out, placed_ns < until_ns ? placed_ns : until_ns, err);
	if (!code)
		code = memory_apply(&process->memory, out, until_ns, err);
	return code ? code : memory_tell(process, out, now_ns, is_last, err);
}

int recorded_drain(struct recorded *process, struct recorded_drain *drain, struct err *err)
{
	uint64_t until_ns = process->clock ? clock_map_now(process->clock) : clock_ns();
	int code = recorded_read_names(process, drain->out, drain->now_ns, err);

	if (!code)
		code = read_rings(process, drain, err);
	if (!code)
		code = recorded_put(process, drain->out, drain->is_last ? UINT64_MAX : until_ns, drain->now_ns, err);
	segment_forget_names(&process->map);
	return code ? code : read_losses(process, drain, err);
}
