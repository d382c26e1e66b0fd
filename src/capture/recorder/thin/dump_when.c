// SPDX-License-Identifier: Apache-2.0
/* Keeps the durations of the last inferences in a ring and sorts them when it looks. Makes no dump. */
#include "capture/recorder/thin/dump_when.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/units.h"
#include "event/open_runs.h"

const char dump_when_signal_name[] = "SIGUSR1";

struct value {
	uint64_t end_ns, ns;
};

struct dump_when {
	struct sink sink;
	struct dump_when_opts opts;
	struct open_runs open;
	struct value value[DUMP_VALUES];
	uint64_t sorted[DUMP_VALUES];
	uint64_t n, n_seen;		/* values so far; at the last look */
	uint64_t newest_ns, longest_ns; /* longest_ns: since the last look */
	uint32_t ok, status;		/* status: of a failed inference since the last look */
	bool is_asked;			/* a signal came */
};

static void take(struct dump_when *when, uint64_t begin_ns, const struct event *end)
{
	uint64_t ns = end->time_ns - begin_ns;

	when->value[when->n++ % DUMP_VALUES] = (struct value){ end->time_ns, ns };
	if (end->time_ns > when->newest_ns)
		when->newest_ns = end->time_ns;
	if (ns > when->longest_ns)
		when->longest_ns = ns;
	for (size_t i = 0; i < end->n_args; i++)
		if (end->args[i].key == KEY_STATUS && end->args[i].type == ARG_NAME && end->args[i].name &&
		    end->args[i].name != when->ok)
			when->status = end->args[i].name;
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct dump_when *when = (struct dump_when *)sink;
	uint64_t begin_ns;
	int code;

	if (event->type == EVENT_TRACK_END)
		open_runs_forget(&when->open, event->track);
	code = open_runs_take(&when->open, event, &begin_ns);
	if (code > 0)
		take(when, begin_ns, event);
	return code < 0 ? err_no_memory(err, "cannot watch inferences") : 0;
}

static int by_size(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* The durations of the window, ascending. */
static size_t sort_window(struct dump_when *when)
{
	uint64_t count = when->n < DUMP_VALUES ? when->n : DUMP_VALUES;
	size_t n = 0;

	for (uint64_t i = 0; i < count; i++)
		if (when->value[i].end_ns + DUMP_WINDOW_NS >= when->newest_ns)
			when->sorted[n++] = when->value[i].ns;
	qsort(when->sorted, n, sizeof *when->sorted, by_size);
	return n;
}

/* What a rule compares with its limit; 0: too few values. */
static uint64_t figure(const struct dump_when *when, const struct dump_rule *rule, size_t n)
{
	double sum = 0;

	if (rule->kind == DUMP_MAX)
		return when->longest_ns;
	if (rule->kind == DUMP_QUANTILE)
		return (double)n * (1 - rule->share) < 1 - 1e-9 ? 0 : when->sorted[(size_t)((double)n * rule->share)];
	for (size_t i = 0; i < n; i++)
		sum += (double)when->sorted[i];
	return n ? (uint64_t)(sum / (double)n) : 0;
}

static bool holds(const struct dump_when *when, const struct dump_rule *rule, size_t n, char *why, size_t size)
{
	uint64_t ns;

	if (rule->kind == DUMP_SIGNAL) {
		snprintf(why, size, "%s", dump_when_signal_name);
		return when->is_asked;
	}
	if (rule->kind == DUMP_ERROR) {
		snprintf(why, size, "an inference failed: %.150s", names_text(when->sink.names, when->status));
		return when->status != 0;
	}
	ns = figure(when, rule, n);
	if (rule->kind == DUMP_MAX)
		snprintf(why, size, "an inference took %s, more than %s", units_duration((double)ns).s,
			 units_duration((double)rule->limit_ns).s);
	else
		snprintf(why, size, "%s of the last 10 s is %s, more than %s", rule->name, units_duration((double)ns).s,
			 units_duration((double)rule->limit_ns).s);
	return ns > rule->limit_ns;
}

static int flush(struct sink *sink, struct err *err)
{
	struct dump_when *when = (struct dump_when *)sink;
	char why[240];
	size_t n;

	if (when->n == when->n_seen && !when->is_asked)
		return 0;
	n = sort_window(when);
	for (size_t i = 0; i < when->opts.rules.n; i++)
		if (holds(when, &when->opts.rules.rule[i], n, why, sizeof why)) {
			when->opts.ask(when->opts.ctx, why);
			break;
		}
	when->n_seen = when->n;
	when->longest_ns = 0;
	when->status = 0;
	when->is_asked = false;
	return 0;
}

struct dump_when *dump_when_new(const struct sink *of, const struct dump_when_opts *opts, struct err *err)
{
	struct dump_when *when = calloc(1, sizeof *when);

	if (!when) {
		err_no_memory(err, "cannot watch inferences");
		return NULL;
	}
	when->opts = *opts;
	when->sink = (struct sink){ .put = put, .names = of->names, .last_track = of->last_track, .flush = flush };
	when->ok = names_of(of->names, "ok");
	return when;
}

struct sink *dump_when_sink(struct dump_when *when)
{
	return &when->sink;
}

void dump_when_signal(struct dump_when *when)
{
	when->is_asked = true;
}

void dump_when_free(struct dump_when *when)
{
	if (when)
		open_runs_done(&when->open);
	free(when);
}
