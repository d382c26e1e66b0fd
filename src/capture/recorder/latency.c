// SPDX-License-Identifier: Apache-2.0
/* A bin is at most 0.1 % wide, and its middle stands for all times in it. */
#include "capture/recorder/latency.h"

#include <stdlib.h>
#include <string.h>

#include "base/log_bins.h"

static bool is_failure(const struct names *names, const struct event *end)
{
	uint32_t status = event_text(end, KEY_STATUS);

	return status && strcmp(names_text(names, status), "ok") != 0;
}

static void take_model(struct latency *latency, const struct event *event)
{
	if (event->type != EVENT_BEGIN || event->kind != KIND_INFERENCE)
		return;
	latency->is_mixed |= latency->model && latency->model != event->name;
	latency->model = event->name;
}

void latency_take(struct latency *latency, const struct names *names, const struct event *event)
{
	uint64_t begin_ns, ns, *kept;

	take_model(latency, event);
	if (open_runs_take(&latency->open, event, &begin_ns) <= 0 || latency->open.run[event->track].is_odd ||
	    open_runs_is_odd(event) || is_failure(names, event))
		return;
	ns = event->time_ns - begin_ns;
	latency->bin[log_bins_of(ns, LATENCY_BITS)]++;
	latency->n++;
	if (latency->n <= LATENCY_KEPT && (kept = array_add_raw(&latency->kept, sizeof *kept)))
		*kept = ns;
	latency->slowest_ns = ns > latency->slowest_ns ? ns : latency->slowest_ns;
}

void latency_take_created(struct latency *latency, const struct event *note)
{
	struct latency_file file = { event_text(note, KEY_MODEL), event_text(note, KEY_MODEL_PATH) };
	uint32_t at = 0;

	if (!file.model || !file.path)
		return;
	while (at < latency->n_files && latency->file[at].model != file.model)
		at++;
	if (at < latency->n_files)
		latency->is_mixed |= latency->file[at].path != file.path;
	else if (at < LATENCY_FILES)
		latency->file[latency->n_files++] = file;
}

uint64_t latency_quantile(const struct latency *latency, double share)
{
	return log_bins_quantile(latency->bin, LATENCY_BINS, latency->n, share, LATENCY_BITS);
}

static int by_length(const void *a_, const void *b_)
{
	const uint64_t *a = a_, *b = b_;

	return (*a > *b) - (*a < *b);
}

uint64_t latency_exact(struct latency *latency, double share)
{
	const struct array *kept = &latency->kept;

	if (!latency->n || kept->n != latency->n)
		return latency_quantile(latency, share);
	qsort(kept->data, kept->n, sizeof(uint64_t), by_length);
	return ((const uint64_t *)kept->data)[log_bins_rank(share, kept->n) - 1];
}

void latency_done(struct latency *latency)
{
	open_runs_done(&latency->open);
	array_done(&latency->kept, sizeof(uint64_t));
	*latency = (struct latency){ 0 };
}
