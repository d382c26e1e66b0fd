// SPDX-License-Identifier: Apache-2.0
/* An error of a source ends that source only. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "capture/recorder/recorder_in.h"

static int start_one(struct recorder *recorder, const struct source *source, struct err *err)
{
	struct recorder_source *running = &recorder->source[recorder->n_sources];
	int code = source->check(recorder->target, err);

	if (code)
		return code;
	running->state = calloc(1, source->state_size);
	if (!running->state)
		return err_no_memory(err, "cannot record");
	code = source->start(running->state, recorder->target, &recorder->tap.sink, err);
	if (code) {
		source->stop(running->state);
		free(running->state);
		return code;
	}
	running->source = source;
	recorder->n_sources++;
	return 0;
}

static bool is_needed(const struct recorder *recorder, const struct source *source)
{
	return recorder->way->needed && !strcmp(recorder->way->needed, source->name);
}

/* The reason goes into the recording; a source that this kind of recording has no use for has none. */
static void note_missing(struct recorder *recorder, const struct source *source, const struct err *why)
{
	struct arg args[2] = { arg_text(KEY_SOURCE, &recorder->tap.sink, source->name),
			       arg_text(KEY_TEXT, &recorder->tap.sink, why->msg) };

	if (why->code != EOPNOTSUPP)
		recorder_note(recorder, EVENT_NOTE_MISSING, args, 2);
}

int recorder_sources_start(struct recorder *recorder, struct err *err)
{
	size_t n = 0;

	while (sources[n])
		n++;
	recorder->source = calloc(n, sizeof *recorder->source);
	if (!recorder->source)
		return err_no_memory(err, "cannot record");
	for (size_t i = 0; i < n; i++) {
		struct err why = { 0 };
		bool is_wanted = sources[i]->is_for_sums || !recorder->target->is_lean;
		int code = is_wanted ? start_one(recorder, sources[i], &why) : 0;
		if (code && is_needed(recorder, sources[i])) {
			*err = why;
			return code;
		}
		if (code)
			note_missing(recorder, sources[i], &why);
	}
	return 0;
}

static void stop_one(struct recorder_source *running)
{
	if (!running->source)
		return;
	running->source->stop(running->state);
	free(running->state);
	running->source = NULL;
}

static int fail(struct recorder *recorder, struct recorder_source *running, const struct err *why, struct err *err)
{
	struct arg args[2] = { arg_text(KEY_SOURCE, &recorder->tap.sink, running->source->name),
			       arg_text(KEY_TEXT, &recorder->tap.sink, why->msg) };
	bool has_to_end = is_needed(recorder, running->source);

	recorder_note(recorder, EVENT_NOTE_STOPPED, args, 2);
	stop_one(running);
	if (!has_to_end)
		return 0;
	*err = *why;
	return -EIO;
}

/* A recorder that rests wakes up for all sources at once: a little early rather than once more. */
static uint64_t due_of(const struct recorder *recorder, int ms)
{
	uint64_t now_ns = clock_ns(), due_ns = now_ns + (uint64_t)(ms > 0 ? ms : 1) * 1000000u;
	uint64_t early_ns = due_ns - due_ns % RECORDER_REST_NS;

	return recorder->target->rests && early_ns > now_ns ? early_ns : due_ns;
}

static int drain_one(struct recorder *recorder, struct recorder_source *running, uint64_t now_ns, struct err *err)
{
	int ms = (int)(recorder->target->interval_ns / 1000000);
	struct err why = { 0 };

	if (running->source->drain(running->state, &recorder->tap.sink, now_ns, &why))
		return fail(recorder, running, &why, err);
	if (running->source->due_ms)
		ms = running->source->due_ms(running->state);
	running->due_ns = due_of(recorder, ms);
	return 0;
}

int recorder_sources_drain(struct recorder *recorder, uint64_t now_ns, struct err *err)
{
	int code = 0;

	for (size_t i = 0; i < recorder->n_sources; i++) {
		struct recorder_source *running = &recorder->source[i];
		if (running->source && (now_ns >= running->due_ns || recorder->target->is_ending) &&
		    drain_one(recorder, running, now_ns, err))
			code = -EIO;
		if (recorder->target->is_ending)
			stop_one(running);
	}
	return code;
}

void recorder_sources_ask(struct recorder *recorder, uint64_t now_ns)
{
	for (size_t i = 0; i < recorder->n_sources; i++) {
		struct recorder_source *running = &recorder->source[i];
		if (running->source && running->source->due_ms && !running->source->due_ms(running->state))
			running->due_ns = now_ns;
	}
}

uint64_t recorder_sources_needed_ns(const struct recorder *recorder)
{
	for (size_t i = 0; i < recorder->n_sources; i++)
		if (recorder->source[i].source && is_needed(recorder, recorder->source[i].source))
			return recorder->source[i].due_ns;
	return UINT64_MAX;
}

void recorder_sources_hurry(struct recorder *recorder, uint64_t now_ns)
{
	for (size_t i = 0; i < recorder->n_sources; i++)
		if (recorder->source[i].source && recorder->source[i].source->due_ms)
			recorder->source[i].due_ns = now_ns;
}

uint64_t recorder_sources_due_ns(const struct recorder *recorder)
{
	uint64_t due_ns = UINT64_MAX;

	for (size_t i = 0; i < recorder->n_sources; i++)
		if (recorder->source[i].source && recorder->source[i].due_ns < due_ns)
			due_ns = recorder->source[i].due_ns;
	return due_ns;
}

void recorder_sources_stop(struct recorder *recorder)
{
	for (size_t i = 0; i < recorder->n_sources; i++)
		stop_one(&recorder->source[i]);
	free(recorder->source);
	recorder->source = NULL;
	recorder->n_sources = 0;
}
