// SPDX-License-Identifier: Apache-2.0
/*
 * Tokens that inferences make, as analyze/generation finds them: where the stream has the shapes of inputs, names of
 * sequences, or calls of generators. The input of a generation counts once its first token is known.
 */
#include "fleet/aggregate/fleet_in.h"

/* After so long without a token a generation is over. */
#define REST_NS UINT64_C(60000000000)

static bool add_time(struct series_tokens *tokens, enum series_generation_time time, uint64_t ns)
{
	return !ns || series_times_add(&tokens->times[time], ns, 1);
}

/* Its last token follows its first one by this. */
static uint64_t per_token_ns(const struct generation *whole)
{
	uint64_t n = whole->batch ? whole->output_tokens / whole->batch : 0;
	uint64_t wall_ns = whole->end_ns - whole->begin_ns;

	return n > 1 && wall_ns > whole->first_token_ns ? (wall_ns - whole->first_token_ns) / (n - 1) : 0;
}

/* What is only known of one that has its prompt. */
static bool add_whole(struct series_tokens *tokens, const struct generation *whole)
{
	if (!whole->first_token_ns || !whole->output_tokens)
		return true;
	return add_time(tokens, SERIES_GENERATION, whole->end_ns - whole->begin_ns) &&
	       add_time(tokens, SERIES_PER_TOKEN, per_token_ns(whole));
}

static void add_made(void *ctx, const struct generation_made *made)
{
	struct fleet *fleet = ctx;
	struct series *series = series_numbered(&fleet->series, made->model);
	struct series_tokens *tokens = series ? series_tokens_now(series) : NULL;

	if (!tokens) {
		fleet->is_out_of_memory |= series != NULL;
		return;
	}
	tokens->n_out += made->n;
	if (made->first_token_ns)
		tokens->n_in += made->whole->prompt_tokens * made->whole->batch;
	if (!add_time(tokens, SERIES_FIRST_TOKEN, made->first_token_ns) ||
	    !add_time(tokens, SERIES_BETWEEN_TOKENS, made->since_ns) ||
	    (made->is_over && !add_whole(tokens, made->whole)))
		fleet->is_out_of_memory = true;
}

bool fleet_generations_init(struct fleet *fleet)
{
	fleet->generations = generations_watch(add_made, fleet);
	return fleet->generations != NULL;
}

void fleet_generations_run(struct fleet *fleet, const struct fleet_track *track, const struct series *series,
			   const struct event *end, uint64_t begin_ns)
{
	const struct fleet_process *process = fleet_process_of(fleet, track);
	uint32_t shapes = track->shapes ? track->shapes : event_text(end, KEY_SHAPES);
	uint32_t sequences = event_text(end, KEY_SEQUENCES);
	struct generation_run run = { .model = series->number,
				      .session = track->session,
				      .thread = track->tid,
				      .begin_ns = begin_ns,
				      .end_ns = end->time_ns };

	if (!process || (!shapes && !sequences))
		return;
	run.process = process->number;
	run.shapes = shapes ? names_text(fleet->sink.names, shapes) : NULL;
	run.sequences = sequences ? names_text(fleet->sink.names, sequences) : NULL;
	if (generations_take(fleet->generations, &run))
		fleet->is_out_of_memory = true;
}

void fleet_generations_call(struct fleet *fleet, const struct event *event, uint64_t end_ns)
{
	const struct fleet_track *track = fleet_track_at(fleet, event->track);
	const struct fleet_process *process = track ? fleet_process_of(fleet, track) : NULL;
	const struct generation_call call = { .process = process ? process->number : 0,
					      .thread = event_int(event, KEY_TID, -1),
					      .generator = (uint64_t)event_int(event, KEY_ID, 0),
					      .name = names_text(fleet->sink.names, event->name),
					      .begin_ns = event->time_ns,
					      .end_ns = end_ns,
					      .n_tokens = (uint64_t)event_int(event, KEY_BATCH, 0) };

	if (process && generations_call(fleet->generations, &call))
		fleet->is_out_of_memory = true;
}

void fleet_generations_roll(struct fleet *fleet, uint64_t now_ns)
{
	if (now_ns > REST_NS && generations_rest(fleet->generations, now_ns - REST_NS))
		fleet->is_out_of_memory = true;
}
