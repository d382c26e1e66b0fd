// SPDX-License-Identifier: Apache-2.0
/*
 * Sequences, their interned texts and their clocks. The last snapshot that contains a clock defines it: times between
 * two snapshots are not interpolated. Does not handle tracks.
 */
#include "trace/perfetto/perfetto_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "trace/perfetto/perfetto_fields.h"

enum { MAX_CLOCKS = 256, MAX_SNAPSHOT = 64, MAX_SHARED = 1 << 24 };

int perfetto_state_out_of_memory(struct err *err)
{
	return err_set(err, ENOMEM, "out of memory");
}

static void forget_stacks(struct perfetto_stacks *stacks)
{
	if (!stacks)
		return;
	perfetto_map_done(&stacks->functions);
	perfetto_map_done(&stacks->paths);
	perfetto_map_done(&stacks->sources);
	perfetto_map_done(&stacks->mappings);
	perfetto_map_done(&stacks->frames);
	perfetto_map_done(&stacks->stacks);
	free(stacks);
}

void perfetto_state_clear(struct sequence *sequence)
{
	perfetto_map_done(&sequence->names);
	perfetto_map_done(&sequence->strings);
	perfetto_map_done(&sequence->categories);
	perfetto_map_done(&sequence->keys);
	forget_stacks(sequence->stacks);
	sequence->stacks = NULL;
	sequence->has_own = false;
	sequence->default_clock = 0;
	sequence->default_track = 0;
	sequence->is_valid = true;
}

void perfetto_state_done(struct state *state)
{
	for (uint32_t i = 0; i < state->n_sequences; i++) {
		perfetto_state_clear(&state->sequence[i]);
		free(state->sequence[i].clocks.clock);
	}
	free(state->sequence);
	free(state->clocks.clock);
	free(state->track);
	free(state->dictionary.names.id);
	free(state->dictionary.strings.id);
	perfetto_map_done(&state->sequence_of);
	perfetto_map_done(&state->track_of);
	perfetto_map_done(&state->process_of);
}

struct sequence *perfetto_state_sequence_slow(struct state *state, uint32_t id)
{
	uint32_t index = perfetto_map_get(&state->sequence_of, id);

	if (!index) {
		if (!ARRAY_ROOM(state->sequence, state->sequence_room, state->n_sequences + 1) ||
		    !perfetto_map_put(&state->sequence_of, id, state->n_sequences + 1))
			return NULL;
		index = ++state->n_sequences;
	}
	state->last_id = id;
	state->last_index = index;
	return &state->sequence[index - 1];
}

/* Interned texts. */

struct entry {
	uint64_t number;
	const char *text;
	size_t len;
};

static int read_entry(struct pb_in in, struct entry *entry)
{
	struct pb_field field;
	int more;

	*entry = (struct entry){ 0 };
	while ((more = pb_next(&in, &field)) > 0) {
		if (field.number == ENTRY_IID && field.wire == PB_VARINT)
			entry->number = field.value;
		if (field.number == ENTRY_TEXT && field.wire == PB_BYTES) {
			entry->text = (const char *)field.data;
			entry->len = field.value;
		}
	}
	return more;
}

static bool put_own(struct sequence *sequence, struct perfetto_map *own, uint64_t number, uint32_t value)
{
	sequence->has_own = true;
	return perfetto_map_put(own, number, value);
}

/* *shared: what it means on all sequences; NULL: nothing. */
static bool put_number(struct sequence *sequence, struct perfetto_map *own, uint64_t number, uint32_t value,
		       const uint32_t *shared)
{
	return shared && *shared == value && !own->slot ? true : put_own(sequence, own, number, value);
}

static bool keep_text(struct state *state, struct sequence *sequence, struct perfetto_map *own, struct texts *texts,
		      const struct entry *entry)
{
	uint32_t value = 1 + names_intern(state->out->names, entry->text, entry->len);

	if (!state->is_in_order || entry->number > MAX_SHARED)
		return put_own(sequence, own, entry->number, value);
	if (!ARRAY_ROOM(texts->id, texts->room, entry->number + 1))
		return false;
	if (!texts->id[entry->number])
		texts->id[entry->number] = value;
	return put_number(sequence, own, entry->number, value, &texts->id[entry->number]);
}

static bool keep_low(struct state *state, struct sequence *sequence, struct perfetto_map *own, uint64_t number,
		     uint32_t value, uint8_t *shared)
{
	uint32_t known;

	if (!state->is_in_order || !shared)
		return put_own(sequence, own, number, value);
	if (!*shared)
		*shared = (uint8_t)value;
	known = *shared;
	return put_number(sequence, own, number, value, &known);
}

static bool keep_entry(struct state *state, struct sequence *sequence, uint32_t list, const struct entry *entry)
{
	struct dictionary *dictionary = &state->dictionary;
	uint64_t number = entry->number;

	switch (list) {
	case INTERNED_NAMES:
		return keep_text(state, sequence, &sequence->names, &dictionary->names, entry);
	case INTERNED_ANNOTATION_STRINGS:
		return keep_text(state, sequence, &sequence->strings, &dictionary->strings, entry);
	case INTERNED_CATEGORIES:
		return keep_low(state, sequence, &sequence->categories, number,
				1 + event_kind_named(entry->text, entry->len),
				number < PERFETTO_LOW_KINDS ? &dictionary->kind[number] : NULL);
	case INTERNED_ANNOTATION_NAMES:
		return keep_low(state, sequence, &sequence->keys, number, 1 + event_key_named(entry->text, entry->len),
				number < PERFETTO_LOW_KEYS ? &dictionary->key[number] : NULL);
	}
	return true;
}

int perfetto_state_intern(struct state *state, struct sequence *sequence, struct pb_in in, struct err *err)
{
	struct pb_field field;
	struct entry entry;
	int more;

	while ((more = pb_next(&in, &field)) > 0) {
		if (field.wire != PB_BYTES ||
		    (field.number > INTERNED_ANNOTATION_NAMES && field.number != INTERNED_ANNOTATION_STRINGS))
			continue;
		if (read_entry(pb_inside(&field), &entry) < 0)
			return err_set(err, EBADMSG, "its interned data are malformed");
		if (!keep_entry(state, sequence, field.number, &entry))
			return perfetto_state_out_of_memory(err);
	}
	return more < 0 ? err_set(err, EBADMSG, "its interned data are malformed") : 0;
}

/* Clocks. */

static struct clock *find_clock(const struct clocks *clocks, uint32_t id)
{
	for (uint32_t i = 0; i < clocks->n; i++)
		if (clocks->clock[i].id == id)
			return &clocks->clock[i];
	return NULL;
}

static struct clocks *clocks_of(struct state *state, struct sequence *sequence, uint32_t id)
{
	return id >= CLOCK_SEQUENCE_ID && id <= CLOCK_SEQUENCE_LAST ? &sequence->clocks : &state->clocks;
}

static int set_clock(struct clocks *clocks, const struct clock *clock, struct err *err)
{
	struct clock *known = find_clock(clocks, clock->id), *more;

	if (!known) {
		if (clocks->n == MAX_CLOCKS)
			return 0;
		more = realloc(clocks->clock, (clocks->n + 1) * sizeof *clocks->clock);
		if (!more)
			return perfetto_state_out_of_memory(err);
		clocks->clock = more;
		known = &more[clocks->n++];
	}
	*known = *clock;
	return 0;
}

static int read_clock(struct pb_in in, struct clock *clock)
{
	struct pb_field field;
	int more;

	*clock = (struct clock){ .unit_ns = 1 };
	while ((more = pb_next(&in, &field)) > 0) {
		if (field.wire != PB_VARINT)
			continue;
		if (field.number == CLOCK_ENTRY_ID)
			clock->id = (uint32_t)field.value;
		if (field.number == CLOCK_ENTRY_TIME)
			clock->last_ns = field.value;
		if (field.number == CLOCK_ENTRY_IS_INCREMENTAL)
			clock->is_incremental = field.value;
		if (field.number == CLOCK_ENTRY_UNIT_NS && field.value)
			clock->unit_ns = field.value;
	}
	clock->last_ns *= clock->unit_ns;
	return more;
}

/* The snapshot's moment on the trace's clock; derived from a known clock if MONOTONIC is absent. */
static uint64_t moment_of(struct state *state, struct sequence *sequence, const struct clock *clock, size_t n)
{
	const struct clock *known;

	for (size_t i = 0; i < n; i++)
		if (clock[i].id == CLOCK_MONOTONIC_ID)
			return clock[i].last_ns;
	for (size_t i = 0; i < n; i++)
		if (!clock[i].is_incremental &&
		    (known = find_clock(clocks_of(state, sequence, clock[i].id), clock[i].id)))
			return clock[i].last_ns + known->offset_ns;
	for (size_t i = 0; i < n; i++)
		if (clock[i].id == CLOCK_BOOTTIME_ID)
			return clock[i].last_ns;
	return n ? clock[0].last_ns : 0;
}

int perfetto_state_snapshot(struct state *state, struct sequence *sequence, struct pb_in in, struct err *err)
{
	struct clock clock[MAX_SNAPSHOT];
	struct pb_field field;
	uint64_t moment_ns;
	size_t n = 0;
	int more;

	while ((more = pb_next(&in, &field)) > 0) {
		if (field.number == SNAPSHOT_PRIMARY && field.wire == PB_VARINT)
			state->primary_clock = (uint32_t)field.value;
		if (field.number != SNAPSHOT_CLOCKS || field.wire != PB_BYTES || n == MAX_SNAPSHOT)
			continue;
		more = read_clock(pb_inside(&field), &clock[n]);
		if (more < 0)
			break;
		n += clock[n].id != 0;
	}
	if (more < 0)
		return err_set(err, EBADMSG, "its clock snapshot is malformed");
	moment_ns = moment_of(state, sequence, clock, n);
	for (size_t i = 0; i < n; i++) {
		clock[i].offset_ns = moment_ns - clock[i].last_ns;
		if (set_clock(clocks_of(state, sequence, clock[i].id), &clock[i], err))
			return -ENOMEM;
		if (clock[i].id == CLOCK_REALTIME_ID && clock[i].last_ns && !state->has_realtime) {
			state->has_realtime = true;
			state->realtime_ns = (int64_t)(clock[i].last_ns - moment_ns);
		}
	}
	return 0;
}

bool perfetto_state_time(struct state *state, struct sequence *sequence, uint32_t id, uint64_t time, uint64_t *time_ns)
{
	struct clock *clock;

	if (!id)
		id = sequence->default_clock;
	if (!id)
		id = state->primary_clock ? state->primary_clock : CLOCK_BOOTTIME_ID;
	clock = find_clock(clocks_of(state, sequence, id), id);
	if (!clock) {
		/* a single clock, never compared with another: its times are usable as they are */
		*time_ns = time;
		return id < CLOCK_SEQUENCE_ID && time <= INT64_MAX;
	}
	*time_ns = time * clock->unit_ns;
	if (clock->is_incremental)
		*time_ns = clock->last_ns += *time_ns;
	*time_ns += clock->offset_ns;
	return *time_ns <= INT64_MAX;
}
