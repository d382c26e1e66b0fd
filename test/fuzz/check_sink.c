// SPDX-License-Identifier: Apache-2.0
/*
 * Checks every event against the contract: known track, times that never go back, ends with a begin, names that exist.
 */
#include "check_sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/callstack.h"
#include "event/sample.h"

#define REQUIRE(claim) \
	do { \
		if (!(claim)) { \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #claim); \
			abort(); \
		} \
	} while (0)

static struct check_track *track_of(struct check_sink *check, uint32_t number)
{
	REQUIRE(number >= 1 && number <= check->last_track);
	if (number >= check->capacity) {
		uint32_t capacity = number + number / 2 + 64;

		check->track = realloc(check->track, capacity * sizeof *check->track);
		REQUIRE(check->track);
		memset(check->track + check->capacity, 0, (capacity - check->capacity) * sizeof *check->track);
		check->capacity = capacity;
	}
	return &check->track[number];
}

static void check_args(const struct check_sink *check, const struct event *event)
{
	for (size_t i = 0; i < event->n_args; i++) {
		const struct arg *arg = &event->args[i];

		REQUIRE(arg->key > KEY_NONE && arg->key < N_KEYS);
		REQUIRE(arg->type == ARG_INT || arg->type == ARG_REAL || arg->type == ARG_NAME);
		REQUIRE(arg->type != ARG_NAME || arg->name <= names_count(check->sink.names));
	}
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct check_sink *check = (struct check_sink *)sink;
	struct check_track *track = track_of(check, event->track);

	REQUIRE(event->name <= names_count(sink->names));
	REQUIRE(event->kind < N_KINDS);
	check_args(check, event);
	if (event->type == EVENT_TRACK) {
		REQUIRE(event->def);
		REQUIRE(!event->def->parent || track_of(check, event->def->parent)->is_known);
		track_of(check, event->track)->is_known = true;
		return 0;
	}
	REQUIRE(track->is_known);
	if (event->type == EVENT_SAMPLE) {
		REQUIRE(event->sample && event->sample->state < N_SAMPLE_STATES);
		REQUIRE(event->sample->weight_ns <= event->time_ns);
		REQUIRE(event->sample->cpu_ns + event->sample->queue_ns <= event->sample->weight_ns);
		REQUIRE(event->sample->stack <= callstacks_n(names_callstacks(sink->names)));
		REQUIRE(event->sample->holder_stack <= callstacks_n(names_callstacks(sink->names)));
		return 0;
	}
	REQUIRE(event->time_ns >= track->last_ns || check->is_lenient);
	REQUIRE(event->type != EVENT_END || track->depth || check->is_lenient);
	track->last_ns = event->time_ns;
	track->depth += event->type == EVENT_BEGIN;
	track->depth -= event->type == EVENT_END && track->depth;
	return 0;
}

void check_sink_init(struct check_sink *check)
{
	*check = (struct check_sink){ 0 };
	check->sink = (struct sink){ put, names_new(), &check->last_track };
}

void check_sink_done(struct check_sink *check)
{
	names_free(check->sink.names);
	free(check->track);
}
