/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of reading a trace: its sequences, their texts and clocks, the tracks. Private to perfetto_read.c and the
 * files split from it:
 *
 * perfetto_read.c    bytes -> packets
 * perfetto_event.c   packets -> events
 * perfetto_state.c   sequences, interned texts, clocks
 * perfetto_tracks.c  descriptors -> tracks
 * perfetto_sort.c    events of files that are not in the order of sinks
 */
#ifndef TRACE_PERFETTO_PERFETTO_STATE_H
#define TRACE_PERFETTO_PERFETTO_STATE_H

#include <stdbool.h>

#include "base/pb.h"
#include "event/sink.h"
#include "trace/perfetto/perfetto_map.h"

/* A clock: its times plus offset are times of the trace, on CLOCK_MONOTONIC if the trace has it. */
struct clock {
	uint32_t id;
	bool is_incremental;
	uint64_t unit_ns, last_ns;
	uint64_t offset_ns; /* modulo 2^64 */
};

struct clocks {
	struct clock *clock;
	uint32_t n;
};

enum { PERFETTO_LOW_KINDS = 32, PERFETTO_LOW_KEYS = 96 }; /* all that inftrace writes */

/* Numbers of texts; 0: none. */
struct texts {
	uint32_t *id; /* 1 + id in names */
	uint32_t room;
};

/*
 * What numbers mean on all sequences of a file of inftrace, which numbers its texts once for all of them: so a sequence
 * takes little memory.
 */
struct dictionary {
	struct texts names, strings;
	uint8_t kind[PERFETTO_LOW_KINDS], key[PERFETTO_LOW_KEYS];
};

/* What numbers of a sequence mean that has samples of stacks (perfetto_samples_read.c), plus 1. */
struct perfetto_stacks {
	struct perfetto_map functions, paths, sources; /* to names */
	struct perfetto_map mappings;		       /* to the name of its path */
	struct perfetto_map frames, stacks;	       /* to those of the stream */
};

/* The state of one writer of packets; its numbers are valid on its sequence only. */
struct sequence {
	bool is_valid;		/* false: packets may be missing, so numbers are invalid until the state is cleared */
	uint32_t default_clock; /* 0: the trace's */
	uint32_t default_track; /* index of a track, 0: none */
	uint32_t thread_track;	/* the same, by the older kind of descriptor */
	uint64_t thread_ns;	/* base for the times of events without one */
	struct clocks clocks;
	/*
	 * Its numbers: names and strings to 1 + id in names, categories to 1 + enum event_kind, keys to 1 + enum
	 * event_key. Without those that mean what they mean in struct dictionary.
	 */
	struct perfetto_map names, strings, categories, keys;
	bool has_own;			/* any of these */
	struct perfetto_stacks *stacks; /* NULL: none */
};

struct track {
	struct track_def def; /* parent: as last passed to the sink */
	uint64_t uuid, parent_uuid;
	uint32_t id;	 /* the sink's number; 0: not passed to the sink yet */
	uint32_t parent; /* index of the one passed to the sink */
	uint32_t depth;	 /* open slices */
	uint64_t last_ns;
	bool is_defined;	/* by a descriptor */
	bool is_incremental;	/* counter: values are differences */
	bool is_of_file;	/* a group of counters that the sink is not shown: they lie in its parent */
	double multiplier, sum; /* counter */
};

struct perfetto_sorter;

struct state {
	struct sink *out;
	struct perfetto_map sequence_of; /* by trusted_packet_sequence_id, to 1 + index */
	struct dictionary dictionary;	 /* of a file in order */
	struct sequence *sequence;
	uint32_t n_sequences, sequence_room;
	uint32_t last_id;
	uint32_t last_index;			  /* 1 + index of sequence last_id; 0: none yet */
	struct clocks clocks;			  /* of the whole trace */
	uint32_t primary_clock;			  /* 0: not given */
	struct perfetto_map track_of, process_of; /* by uuid, by pid; to the index of the track */
	struct track *track;			  /* index 0 unused */
	uint32_t n_tracks, track_room;
	bool is_in_order; /* written by inftrace: events go to the sink at once */
	uint64_t n_late;  /* events that were not in order in such a file */
	bool has_realtime;
	int64_t realtime_ns; /* CLOCK_REALTIME less the trace's clock, of the first snapshot that has it */
};

/* 0 or -ENOMEM, here and below. */
int perfetto_state_out_of_memory(struct err *err);
void perfetto_state_done(struct state *state);

/* The sequence with this number, created on first use; NULL: out of memory. Valid until the next call. */
struct sequence *perfetto_state_sequence_slow(struct state *state, uint32_t id);

static inline struct sequence *perfetto_state_sequence(struct state *state, uint32_t id)
{
	if (__builtin_expect(id == state->last_id && state->last_index, 1))
		return &state->sequence[state->last_index - 1];
	return perfetto_state_sequence_slow(state, id);
}

void perfetto_state_clear(struct sequence *sequence);

/* What numbers of a sequence mean, plus 1; 0: unknown. */
static inline uint32_t perfetto_state_text(const struct texts *texts, const struct perfetto_map *own, uint64_t number)
{
	uint32_t value = perfetto_map_get(own, number);

	return value || number >= texts->room ? value : texts->id[number];
}

static inline uint32_t perfetto_state_name(const struct state *state, const struct sequence *sequence, uint64_t number)
{
	return perfetto_state_text(&state->dictionary.names, &sequence->names, number);
}

static inline uint32_t perfetto_state_string(const struct state *state, const struct sequence *sequence,
					     uint64_t number)
{
	return perfetto_state_text(&state->dictionary.strings, &sequence->strings, number);
}

static inline uint32_t perfetto_state_kind(const struct state *state, const struct sequence *sequence, uint64_t number)
{
	uint32_t value = perfetto_map_get(&sequence->categories, number);

	return value || number >= PERFETTO_LOW_KINDS ? value : state->dictionary.kind[number];
}

static inline uint32_t perfetto_state_key(const struct state *state, const struct sequence *sequence, uint64_t number)
{
	uint32_t value = perfetto_map_get(&sequence->keys, number);

	return value || number >= PERFETTO_LOW_KEYS ? value : state->dictionary.key[number];
}

int perfetto_state_intern(struct state *state, struct sequence *sequence, struct pb_in in, struct err *err);
int perfetto_state_snapshot(struct state *state, struct sequence *sequence, struct pb_in in, struct err *err);
/* A packet's time on the trace's clock; false: unknown. clock 0: the sequence's default. */
bool perfetto_state_time(struct state *state, struct sequence *sequence, uint32_t clock, uint64_t time,
			 uint64_t *time_ns);

/* Index of the track with this uuid, created on first use; 0: out of memory. */
uint32_t perfetto_tracks_find(struct state *state, uint64_t uuid);
/* Index of the track of a process, created where there is none. */
uint32_t perfetto_tracks_process(struct state *state, int32_t pid);
/* Index of the track of a thread without a uuid. */
uint32_t perfetto_tracks_thread(struct state *state, int32_t pid, int32_t tid);
int perfetto_tracks_descriptor(struct state *state, struct pb_in in, struct err *err);
int perfetto_tracks_defaults(struct state *state, struct sequence *sequence, struct pb_in in, struct err *err);
int perfetto_tracks_thread_descriptor(struct state *state, struct sequence *sequence, struct pb_in in, struct err *err);
/* Passes a track to the sink if it is new there. */
int perfetto_tracks_emit(struct state *state, uint32_t index, struct err *err);
/* The same for all, parents first. */
int perfetto_tracks_emit_all(struct state *state, struct err *err);

#endif
