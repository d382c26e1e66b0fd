// SPDX-License-Identifier: Apache-2.0
/*
 * Operators, where they are recorded: which types took how long in an inference, and in a series. They come before the
 * inference that they are of, so that their sums wait for its end under its number. The time of an operator has that of
 * operators inside it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/provider.h"
#include "base/text/units.h"
#include "fleet/aggregate/fleet_in.h"

enum { SHOWN = 3 };

static struct fleet_open_run *place_in(struct fleet_open_runs *open, uint64_t number)
{
	return &open->run[number & (open->n - 1)];
}

/* NULL: none were seen. */
static struct fleet_open_run *find(const struct fleet_process *process, uint64_t number)
{
	struct fleet_open_run *place = process->open ? place_in(process->open, number) : NULL;

	return place && place->key == number + 1 ? place : NULL;
}

/* Numbers follow each other: with twice the places each keeps one of its own. False: there are enough. */
static bool grow(struct fleet *fleet, struct fleet_process *process)
{
	struct fleet_open_runs *open = process->open, *grown;
	uint32_t n = open ? 2 * open->n : FLEET_FIRST_OPEN;

	/* one whose end was lost is in the way; or many processes wait for a machine that has no time for us */
	if (open && (open->n_used <= open->n / 2 || fleet->n_open_places >= FLEET_ALL_OPEN))
		return false;
	grown = n <= FLEET_OPEN ? calloc(1, sizeof *grown + n * sizeof *grown->run) : NULL;
	if (!grown)
		return false;
	grown->n = n;
	grown->n_used = open ? open->n_used : 0;
	for (uint32_t i = 0; open && i < open->n; i++)
		if (open->run[i].key)
			*place_in(grown, open->run[i].key - 1) = open->run[i];
	free(open);
	process->open = grown;
	fleet->n_open_places += grown->n - (open ? grown->n / 2 : 0);
	return true;
}

/* The sums of an inference of a process. NULL: out of memory. */
static struct fleet_operators *sums_of(struct fleet *fleet, struct fleet_process *process, uint64_t number)
{
	struct fleet_open_run *place = find(process, number);

	if (place)
		return &place->sums;
	while ((!process->open || place_in(process->open, number)->key) && grow(fleet, process))
		;
	if (!process->open)
		return NULL;
	place = place_in(process->open, number);
	process->open->n_used += !place->key;
	*place = (struct fleet_open_run){ .key = number + 1 };
	return &place->sums;
}

static struct fleet_operator *row_of(struct fleet_operators *operators, uint32_t type, uint32_t provider)
{
	for (uint32_t i = 0; i < operators->n; i++)
		if (operators->row[i].type == type && operators->row[i].provider == provider)
			return &operators->row[i];
	if (operators->n == FLEET_OPERATORS)
		return NULL;
	operators->row[operators->n] = (struct fleet_operator){ .type = type, .provider = provider };
	return &operators->row[operators->n++];
}

static void count_provider(struct fleet_operators *operators, uint32_t provider)
{
	for (int i = 0; provider && i < FLEET_PROVIDERS; i++)
		if (!operators->by[i].n || operators->by[i].provider == provider) {
			operators->by[i].provider = provider;
			operators->by[i].n++;
			return;
		}
}

static void add(struct fleet *fleet, struct fleet_process *process, const struct fleet_open_operator *open,
		uint64_t end_ns)
{
	struct fleet_operators *sums = open->type ? sums_of(fleet, process, open->number) : NULL;
	uint64_t ns = end_ns > open->begin_ns ? end_ns - open->begin_ns : 0;
	struct fleet_operator *row = sums ? row_of(sums, open->type, open->provider) : NULL;

	if (sums)
		count_provider(sums, open->provider);
	if (row) {
		row->n++;
		row->ns += ns;
	} else if (sums) {
		sums->n_others++;
		sums->others_ns += ns;
	}
}

/* type 0: it is no operator, or of no inference. */
static struct fleet_open_operator opened(const struct event *event)
{
	int64_t number = event->kind == KIND_OPERATOR ? event_int(event, KEY_INFERENCE, -1) : -1;
	uint32_t type = event_text(event, KEY_OP_TYPE);

	return (struct fleet_open_operator){ .begin_ns = event->time_ns,
					     .number = number < 0 ? 0 : (uint64_t)number,
					     .type = number < 0 ? 0
						     : type	? type
								: event->name,
					     .provider = event_text(event, KEY_PROVIDER) };
}

void fleet_operators_add(struct fleet *fleet, const struct event *event, uint64_t end_ns)
{
	const struct fleet_track *thread = fleet_track_at(fleet, event->track);
	struct fleet_process *process = thread ? fleet_process_of(fleet, thread) : NULL;
	struct fleet_open_operator open = opened(event);

	if (process)
		add(fleet, process, &open, end_ns);
}

void fleet_operators_begin(struct fleet_track *thread, const struct event *event)
{
	if (!thread->open && !(thread->open = calloc(FLEET_DEPTH, sizeof *thread->open)))
		return;
	if (thread->n_open++ < FLEET_DEPTH)
		thread->open[thread->n_open - 1] = opened(event);
}

void fleet_operators_end(struct fleet *fleet, struct fleet_track *thread, const struct event *event)
{
	struct fleet_process *process = fleet_process_of(fleet, thread);

	if (thread->n_open && --thread->n_open < FLEET_DEPTH && process)
		add(fleet, process, &thread->open[thread->n_open], event->time_ns);
}

static int by_time(const void *left, const void *right)
{
	uint64_t a = ((const struct fleet_operator *)left)->ns, b = ((const struct fleet_operator *)right)->ns;

	return a < b ? 1 : a > b ? -1 : 0;
}

/* "MatMul 12.1 ms, Softmax 3.2 ms, 97 others 1.1 ms". */
static void say(const struct fleet *fleet, const struct fleet_operators *operators, char *text, size_t size)
{
	uint64_t n_others = operators->n_others, others_ns = operators->others_ns;
	size_t used = 0;

	for (uint32_t i = 0; i < operators->n; i++) {
		const struct fleet_operator *row = &operators->row[i];
		char type[32];

		if (i >= SHOWN) {
			n_others += row->n;
			others_ns += row->ns;
			continue;
		}
		origin_copy(type, sizeof type, names_text(fleet->sink.names, row->type),
			    strlen(names_text(fleet->sink.names, row->type)));
		used += (size_t)snprintf(text + used, size - used, "%s%s %s", used ? ", " : "", type,
					 units_duration((double)row->ns).s);
		used = used < size ? used : size - 1;
	}
	if (n_others)
		snprintf(text + used, size - used, ", %llu other%s %s", (unsigned long long)n_others,
			 n_others == 1 ? "" : "s", units_duration((double)others_ns).s);
}

static void add_to_series(const struct fleet *fleet, struct series *series, const struct fleet_operator *row)
{
	const char *type = names_text(fleet->sink.names, row->type);
	const char *provider = names_text(fleet->sink.names, row->provider);
	char type_text[32], provider_text[48];

	origin_copy(type_text, sizeof type_text, type, strlen(type));
	origin_copy(provider_text, sizeof provider_text, provider, provider_length(provider, strlen(provider)));
	series_operator_add(series, type_text, provider_text, row->ns);
}

/* Those that ran elsewhere than on the provider that the session asked for first. */
static void note_fallback(const struct fleet *fleet, struct series *series, const struct fleet_operators *operators)
{
	uint64_t n = 0;

	for (int i = 0; i < FLEET_PROVIDERS && operators->by[i].n; i++) {
		const char *ran = names_text(fleet->sink.names, operators->by[i].provider);
		size_t len = provider_length(ran, strlen(ran));

		if (strlen(series->labels.provider) != len || memcmp(series->labels.provider, ran, len) != 0)
			n += operators->by[i].n;
	}
	if (*series->labels.provider && operators->by[0].n)
		series_note_fallback(series, n);
}

void fleet_operators_take(const struct fleet *fleet, struct fleet_process *process, struct tail_run *run,
			  struct series *series)
{
	struct fleet_open_run *open = find(process, run->number);
	struct fleet_operators *sums = open ? &open->sums : NULL;

	series_count_operators(series, sums != NULL, 1);
	if (!sums)
		return;
	qsort(sums->row, sums->n, sizeof *sums->row, by_time);
	say(fleet, sums, run->operators, sizeof run->operators);
	for (uint32_t i = 0; i < sums->n; i++)
		add_to_series(fleet, series, &sums->row[i]);
	if (sums->n_others)
		series_operator_add(series, SERIES_OTHER, "", sums->others_ns);
	note_fallback(fleet, series, sums);
	open->key = 0;
	process->open->n_used--;
}
