// SPDX-License-Identifier: Apache-2.0
/* Inferences of models, and what is shown of them after each interval. Operators are in live_operators.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/live/live_in.h"

void live_run_begin(struct live *live, struct live_track *track, const struct event *event)
{
	uint32_t name = event_text(event, KEY_MODEL);
	int64_t number = event_int(event, KEY_INFERENCE, 0), session = event_int(event, KEY_SESSION, -1);
	struct live_row *row = live_row_named(live, track, name ? name : event->name, session);

	track->row = row ? row->shown.id : 0;
	track->session = session;
	track->thread = event_int(event, KEY_TID, -1);
	track->number = number > 0 ? (uint64_t)number : 0;
	track->shapes = event_text(event, KEY_SHAPES);
	if (row)
		row->n_open++;
	if (number > 0)
		live_place_put(live, track->process_id, (uint64_t)number, track->row);
}

static void add_run(struct live_sum *sum, uint64_t ns, bool is_failed)
{
	sum->n++;
	sum->n_failed += is_failed;
	sum->wall_ns += ns;
}

void live_run_end(struct live *live, struct live_track *track, const struct event *event, uint64_t begin_ns)
{
	uint64_t ns = event->time_ns > begin_ns ? event->time_ns - begin_ns : 0;
	uint32_t status = event_text(event, KEY_STATUS);
	bool is_failed = status && status != live->ok;
	struct live_row *row = live_row_of(live, track->row);
	struct live_session *session;

	add_run(&live->sums.all, ns, is_failed);
	if (!row) {
		add_run(&live->sums.others, ns, is_failed);
		return;
	}
	add_run(&row->sum, ns, is_failed);
	row->n_open -= row->n_open > 0;
	row->last_interval = live->n_intervals;
	row->now.n++;
	row->now.n_failed += is_failed;
	row->now.wall_ns += ns;
	if (ns > row->max_ns)
		row->max_ns = ns;
	if (!is_failed)
		live_generations_take(live, track, row, event, begin_ns);
	session = live_session_of(live, track, row, track->session);
	if (session) {
		session->n++;
		session->n_failed += is_failed;
	}
	if (!row->histogram)
		row->histogram = calloc(1, sizeof *row->histogram);
	if (row->histogram)
		live_histogram_add(row->histogram, ns);
}

static enum live_phase phase_of(const struct live_row *row)
{
	if (row->over_interval)
		return LIVE_OVER;
	if (row->n_creating)
		return row->n_loading ? LIVE_LOADING : row->n_specializing ? LIVE_SPECIALIZING : LIVE_CREATING;
	return row->n_open || row->now.n ? LIVE_RUNNING : LIVE_IDLE;
}

/* The provider that most of the operators' time went to. */
static uint32_t busiest_provider(const struct live_row *row)
{
	const struct live_operator *type = row->types.shown.data;
	const struct live_operator *best = NULL;

	for (size_t i = 0; i < row->types.shown.n; i++)
		if (type[i].provider && (!best || type[i].self_ns > best->self_ns))
			best = &type[i];
	return best ? best->provider : 0;
}

static void show_provider(const struct live *live, struct live_row *row)
{
	uint32_t ran = busiest_provider(row);

	snprintf(row->shown.provider, sizeof row->shown.provider, "%s",
		 ran ? names_text(live->sink.names, ran) : row->requested);
}

static void show_window(struct live_row *row)
{
	struct live_histogram *histogram = row->histogram;

	row->shown.window_n = row->shown.median_ns = row->shown.p99_ns = 0;
	if (!histogram)
		return;
	row->shown.window_n = histogram->n_all;
	row->shown.median_ns = live_histogram_quantile(histogram, 0.5, false);
	row->shown.p99_ns = live_histogram_quantile(histogram, 0.99, false);
	row->now.median_ns = (float)live_histogram_quantile(histogram, 0.5, true);
	row->now.p99_ns = (float)live_histogram_quantile(histogram, 0.99, true);
	live_histogram_roll(histogram);
	row->n_quiet = row->now.n ? 0 : row->n_quiet + 1;
	if (row->n_quiet <= LIVE_WINDOW)
		return;
	free(histogram);
	row->histogram = NULL;
	row->n_quiet = 0;
}

static void roll_row(struct live *live, struct live_row *row)
{
	struct live_model *shown = &row->shown;

	shown->phase = phase_of(row);
	shown->sum = row->sum;
	shown->max_ns = row->max_ns;
	shown->n_open = row->n_open;
	shown->open_ns = row->open_ns;
	shown->n_not_ended = row->n_not_ended;
	shown->n_created = row->n_created;
	shown->n_creations_failed = row->n_creations_failed;
	shown->creating_ns = row->creating_ns;
	memcpy(shown->session, row->session, row->n_sessions * sizeof *row->session);
	shown->n_sessions = row->n_sessions;
	shown->has_more_sessions = row->has_more_sessions;
	show_window(row);
	live_generations_show(row);
	live_ops_roll(live, row);
	show_provider(live, row);
	live_runtime_version(live, row);
	shown->last = row->now;
	row->now = (struct live_point){ 0 };
}

static void find_open(struct live *live, uint64_t now_ns)
{
	for (uint32_t i = 0; i < live->n_rows; i++)
		live->row[i]->open_ns = 0;
	for (uint32_t i = 0; i < live->tracks.n; i++) {
		const struct live_track *track = live_track_at(live, i);
		struct live_row *row = track->run_depth ? live_row_of(live, track->row) : NULL;
		uint64_t begin_ns = row ? track->slice[track->run_depth - 1].begin_ns : now_ns;

		if (row && row->n_open && now_ns > begin_ns && now_ns - begin_ns > row->open_ns)
			row->open_ns = now_ns - begin_ns;
	}
}

void live_rows_roll(struct live *live, uint64_t now_ns)
{
	live_rows_drop_old(live);
	find_open(live, now_ns);
	live_join_begin(live);
	for (uint32_t i = 0; i < live->n_rows; i++)
		roll_row(live, live->row[i]);
	live_join_show(live);
}
