/* SPDX-License-Identifier: Apache-2.0 */
/* Converts events to lines of text, to compare streams, and checks the contract of sinks. Include after cmocka.h. */
#ifndef TEST_UNIT_LINES_H
#define TEST_UNIT_LINES_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/sink.h"

/* A sink that keeps events as text, and checks the contract of sinks. */
struct lines {
	struct sink sink;
	uint32_t last_track;
	char **line;
	size_t n, room;
	uint64_t last_ns[256];
	uint32_t depth[256];
	bool is_known[256];
};

static inline void say(FILE *out, const struct names *names, const struct arg *arg)
{
	fprintf(out, " %s=", event_key_name(arg->key));
	if (arg->type == ARG_INT)
		fprintf(out, "%" PRId64, arg->integer);
	else if (arg->type == ARG_REAL)
		fprintf(out, "%a", arg->real);
	else
		fprintf(out, "'%s'", names_text(names, arg->name));
}

static inline void say_track(FILE *out, const struct names *names, const struct track_def *def)
{
	fprintf(out, " type %d parent %u '%s' pid %d tid %d unit '%s' start %" PRIu64 " command '%s'", def->type,
		def->parent, names_text(names, def->name), def->pid, def->tid, names_text(names, def->unit),
		def->start_ns, names_text(names, def->command));
}

static inline char *line_of(const struct names *names, const struct event *event)
{
	static const char *const types[] = { "TRACK", "BEGIN", "END", "INSTANT", "COUNTER", "TRACK_END", "SAMPLE" };
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "%s %u", types[event->type], event->track);
	if (event->type == EVENT_TRACK)
		say_track(out, names, event->def);
	else
		fprintf(out, " at %" PRIu64, event->time_ns);
	if (event->type == EVENT_BEGIN || event->type == EVENT_INSTANT)
		fprintf(out, " %s '%s'", event_kind_name(event->kind), names_text(names, event->name));
	if (event->type == EVENT_COUNTER)
		fprintf(out, " %a", event->value);
	for (size_t i = 0; i < event->n_args; i++)
		say(out, names, &event->args[i]);
	fclose(out);
	return text;
}

static inline int lines_put(struct sink *sink, const struct event *event, struct err *err)
{
	struct lines *lines = (struct lines *)sink;
	uint32_t track = event->track;

	assert_in_range(track, 1, *sink->last_track);
	if (event->type == EVENT_TRACK) {
		assert_true(!event->def->parent || lines->is_known[event->def->parent]);
		lines->is_known[track] = true;
	} else {
		assert_true(lines->is_known[track]);
		assert_true(event->time_ns >= lines->last_ns[track]);
		lines->last_ns[track] = event->time_ns;
		assert_true(event->type != EVENT_END || lines->depth[track]);
		lines->depth[track] += event->type == EVENT_BEGIN;
		lines->depth[track] -= event->type == EVENT_END;
	}
	if (lines->n == lines->room) {
		lines->room = lines->room ? lines->room * 2 : 64;
		lines->line = realloc(lines->line, lines->room * sizeof *lines->line);
	}
	lines->line[lines->n++] = line_of(sink->names, event);
	return 0;
}

static inline void lines_init(struct lines *lines)
{
	memset(lines, 0, sizeof *lines);
	lines->sink = (struct sink){ lines_put, names_new(), &lines->last_track };
}

static inline void lines_done(struct lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		free(lines->line[i]);
	free(lines->line);
	names_free(lines->sink.names);
}

static inline void assert_first_lines(const struct lines *all, const struct lines *first)
{
	assert_true(first->n <= all->n);
	for (size_t i = 0; i < first->n; i++)
		assert_string_equal(all->line[i], first->line[i]);
}

static inline void assert_same_lines(const struct lines *wanted, const struct lines *got)
{
	assert_first_lines(wanted, got);
	assert_int_equal(wanted->n, got->n);
}

#endif
