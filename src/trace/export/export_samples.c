// SPDX-License-Identifier: Apache-2.0
/*
 * Samples of threads as folded stacks: one line for each process, thread, stack and state, frames between semicolons,
 * and the nanoseconds spent so: the time that samples stand for, not their number. A thread that ran ends in its line;
 * one that waited in what it waited for. Of a sample that ran for a part of its time, all counts for its state.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "event/callstack.h"
#include "event/sample.h"
#include "trace/export/exporter.h"
#include "trace/export/text_out.h"
#include "trace/perfetto/perfetto_map.h"

/* A thread of a process, or a thread with a stack and what it did there. */
struct samples_row {
	uint32_t parent; /* row of the thread; of a thread: none */
	uint32_t stack, call, object;
	uint8_t state;
	uint32_t process, name; /* of a thread */
	int32_t tid;
	uint64_t ns;
};

struct samples {
	struct sink sink;
	struct text_out out;
	struct array rows;	   /* struct samples_row */
	struct perfetto_map index; /* hash of a row to 1 + its number */
	struct array programs;	   /* uint32_t: name of the process, by track */
	uint64_t n_slices, n_instants, n_values;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static bool is_same(const struct samples_row *a, const struct samples_row *b)
{
	return a->parent == b->parent && a->stack == b->stack && a->state == b->state && a->call == b->call &&
	       a->object == b->object && a->process == b->process && a->tid == b->tid;
}

/* The number of a row like this, from 1; 0: out of memory. */
static uint32_t find_or_add(struct samples *samples, const struct samples_row *wanted)
{
	uint64_t hash = mix(mix(wanted->parent, wanted->stack), (uint64_t)wanted->call << 32 | wanted->object);
	struct samples_row *row;
	uint32_t found;

	hash = mix(mix(hash, wanted->state), (uint64_t)wanted->process << 32 | (uint32_t)wanted->tid);
	for (;; hash = mix(hash, 1)) { /* another row has the same hash once in an age */
		found = perfetto_map_get(&samples->index, hash);
		if (!found || is_same((struct samples_row *)samples->rows.data + found - 1, wanted))
			break;
	}
	if (found)
		return found;
	row = array_add(&samples->rows, sizeof *row);
	if (!row || !perfetto_map_put(&samples->index, hash, (uint32_t)samples->rows.n))
		return 0;
	*row = *wanted;
	return (uint32_t)samples->rows.n;
}

static int take(struct samples *samples, const struct event *event)
{
	const struct event_sample *sample = event->sample;
	struct samples_row thread = { .process = event->track, .tid = sample->tid };
	struct samples_row row = {
		.stack = sample->stack, .call = sample->call, .object = sample->object, .state = sample->state
	};
	uint32_t number;

	row.parent = find_or_add(samples, &thread);
	number = row.parent ? find_or_add(samples, &row) : 0;
	if (!number)
		return -ENOMEM;
	((struct samples_row *)samples->rows.data)[number - 1].ns += sample->weight_ns;
	if (sample->thread_name)
		((struct samples_row *)samples->rows.data)[row.parent - 1].name = sample->thread_name;
	return 0;
}

static int define(struct samples *samples, const struct event *event)
{
	while (samples->programs.n <= event->track)
		if (!array_add(&samples->programs, sizeof(uint32_t)))
			return -ENOMEM;
	((uint32_t *)samples->programs.data)[event->track] = event->def->name;
	return 0;
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct samples *samples = (struct samples *)sink;
	int code = 0;

	if (event->type == EVENT_TRACK)
		code = define(samples, event);
	else if (event->type == EVENT_SAMPLE)
		code = take(samples, event);
	samples->n_slices += event->type == EVENT_BEGIN;
	samples->n_instants += event->type == EVENT_INSTANT;
	samples->n_values += event->type == EVENT_COUNTER;
	return code ? err_set(err, ENOMEM, "cannot export: out of memory") : 0;
}

static struct sink *start(int fd, struct names *names, uint32_t *last_track, struct err *err)
{
	struct samples *samples = calloc(1, sizeof *samples);

	if (!samples) {
		err_set(err, ENOMEM, "cannot export: out of memory");
		return NULL;
	}
	samples->sink = (struct sink){ .put = put, .names = names, .last_track = last_track };
	text_out_init(&samples->out, fd);
	return &samples->sink;
}

static void put_text(struct samples *samples, const char *text)
{
	text = *text ? text : "?";
	for (; *text; text++)
		text_out_char(&samples->out, *text == ';'				   ? ':'
					     : (unsigned char)*text < ' ' || *text == 0x7f ? ' '
											   : *text);
}

static void put_name(struct samples *samples, uint32_t name)
{
	put_text(samples, names_text(samples->sink.names, name));
}

static void put_frame(struct samples *samples, const struct frame *frame)
{
	char text[32];

	if (frame->kind == FRAME_CUT) {
		put_text(samples, "(more frames)");
		return;
	}
	put_name(samples, frame->function ? frame->function : frame->module);
	if (!frame->function) {
		snprintf(text, sizeof text, "+0x%llx", (unsigned long long)frame->offset);
		put_text(samples, text);
	}
	if (!frame->file)
		return;
	snprintf(text, sizeof text, ":%u)", frame->line);
	put_text(samples, " (");
	put_name(samples, frame->file);
	put_text(samples, text);
}

/* Outermost first. */
static void put_stack(struct samples *samples, uint32_t stack)
{
	const struct callstacks *stacks = names_callstacks(samples->sink.names);
	uint32_t path[4096], n = 0;

	for (; stack && n < sizeof path / sizeof *path; stack = callstacks_get(stacks, stack)->caller)
		path[n++] = callstacks_get(stacks, stack)->frame;
	while (n-- > 0) {
		text_out_char(&samples->out, ';');
		put_frame(samples, callstacks_frame_of(stacks, path[n]));
	}
}

static void put_line(struct samples *samples, const struct samples_row *row)
{
	const struct samples_row *thread = (const struct samples_row *)samples->rows.data + row->parent - 1;
	const uint32_t *programs = samples->programs.data;
	char text[32];

	put_name(samples, thread->process < samples->programs.n ? programs[thread->process] : 0);
	text_out_char(&samples->out, ';');
	put_name(samples, thread->name);
	snprintf(text, sizeof text, " %d", (int)thread->tid);
	put_text(samples, text);
	put_stack(samples, row->stack);
	if (row->state != SAMPLE_RAN) {
		text_out_char(&samples->out, ';');
		put_text(samples, sample_state_name(row->state));
		if (row->call) {
			put_text(samples, ": ");
			put_name(samples, row->call);
		}
		if (row->object) {
			put_text(samples, " ");
			put_name(samples, row->object);
		}
	}
	text_out_char(&samples->out, ' ');
	text_out_uint(&samples->out, row->ns);
	text_out_char(&samples->out, '\n');
}

static int end(struct sink *sink, struct export_losses *losses, struct err *err)
{
	struct samples *samples = (struct samples *)sink;
	const struct samples_row *row;
	int code;

	if (!samples)
		return 0;
	row = samples->rows.data;
	for (size_t i = 0; i < samples->rows.n; i++)
		if (row[i].ns)
			put_line(samples, &row[i]);
	code = text_out_flush(&samples->out, err);
	if (losses) {
		export_lost(losses, samples->n_slices, "slice", "");
		export_lost(losses, samples->n_instants, "instant", "");
		export_lost(losses, samples->n_values, "value of a counter", "");
	}
	array_done(&samples->rows, sizeof(struct samples_row));
	array_done(&samples->programs, sizeof(uint32_t));
	perfetto_map_done(&samples->index);
	free(samples);
	return code;
}

const struct exporter export_samples = {
	.name = "samples",
	.suffix = ".samples.folded",
	.help = "what threads did, by stack: folded, in nanoseconds, for flamegraph.pl, inferno and Speedscope",
	.open = start,
	.close = end,
};
