// SPDX-License-Identifier: Apache-2.0
/* Tokens that inferences make, as analyze/generation finds them. What the row of a model has of them. */
#include <stdlib.h>
#include <string.h>

#include "analyze/live/live_in.h"

/* Its row goes by the low half of its id: fewer than 2^32 rows come in the life of a program. */
static struct live_row *row_of(const struct live *live, uint32_t id)
{
	for (uint32_t i = 0; i < live->n_rows; i++)
		if ((uint32_t)live->row[i]->shown.id == id)
			return live->row[i];
	return NULL;
}

static void add_made(void *ctx, const struct generation_made *made)
{
	struct live_row *row = row_of(ctx, made->model);

	if (!row)
		return;
	row->n_tokens += made->n;
	row->now.n_tokens += (uint32_t)made->n;
	if (!made->first_token_ns)
		return;
	row->n_generations++;
	if (!row->firsts)
		row->firsts = calloc(1, sizeof *row->firsts);
	if (row->firsts)
		live_histogram_add(row->firsts, made->first_token_ns);
}

bool live_generations_init(struct live *live)
{
	live->generations = generations_watch(add_made, live);
	return live->generations != NULL;
}

/* Without memory its tokens are missing. */
void live_generations_take(struct live *live, const struct live_track *track, const struct live_row *row,
			   const struct event *end, uint64_t begin_ns)
{
	uint32_t shapes = track->shapes ? track->shapes : event_text(end, KEY_SHAPES);
	uint32_t sequences = event_text(end, KEY_SEQUENCES);
	struct generation_run run = { .process = (uint32_t)track->process_id,
				      .model = (uint32_t)row->shown.id,
				      .session = track->session,
				      .thread = track->thread,
				      .begin_ns = begin_ns,
				      .end_ns = end->time_ns,
				      .number = track->number,
				      .follows = (uint64_t)event_int(end, KEY_FOLLOWS, 0) };

	if (!shapes && !sequences)
		return;
	run.shapes = shapes ? names_text(live->sink.names, shapes) : NULL;
	run.sequences = sequences ? names_text(live->sink.names, sequences) : NULL;
	generations_take(live->generations, &run);
}

void live_generations_call(struct live *live, uint64_t process, const struct live_slice *slice, uint64_t end_ns)
{
	generations_call(live->generations,
			 &(struct generation_call){ .process = (uint32_t)process,
						    .thread = slice->call[0],
						    .generator = slice->number,
						    .name = names_text(live->sink.names, slice->name),
						    .begin_ns = slice->begin_ns,
						    .end_ns = end_ns,
						    .n_tokens = (uint64_t)slice->call[1] });
}

void live_generations_show(struct live_row *row)
{
	struct live_model *shown = &row->shown;

	shown->n_tokens = row->n_tokens;
	shown->n_generations = row->n_generations;
	if (!row->firsts)
		return;
	shown->window_firsts = row->firsts->n_all;
	shown->first_token_ns = live_histogram_quantile(row->firsts, 0.5, false);
	shown->first_token_p99_ns = live_histogram_quantile(row->firsts, 0.99, false);
	live_histogram_roll(row->firsts);
}
