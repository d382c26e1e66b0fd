// SPDX-License-Identifier: Apache-2.0
/* Hands inferences to analyze/generation, and takes over what it finds, by model. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/stats_drift.h"
#include "analyze/summary/sum_kinds.h"
#include "analyze/summary/sum_slow.h"

int sum_generations_add(struct summary_maker *maker, const struct run *run)
{
	uint32_t shapes = fact_text(&run->facts, FACT_SHAPES), sequences = fact_text(&run->facts, FACT_SEQUENCES);
	struct generation_run own = { .process = run->process,
				      .model = run->bucket,
				      .session = fact_int(&run->facts, FACT_SESSION, -1),
				      .thread = fact_int(&run->facts, FACT_TID, -1),
				      .begin_ns = run->begin_ns,
				      .end_ns = run->end_ns,
				      .number = run->number,
				      .follows = sum_at_least_0(fact_int(&run->facts, FACT_FOLLOWS, 0)) };

	if (!shapes && !sequences)
		return 0;
	if (!maker->generations && !(maker->generations = generations_new(maker->opts.with_tokens)))
		return -ENOMEM;
	own.shapes = shapes ? names_text(maker->names, shapes) : NULL;
	own.sequences = sequences ? names_text(maker->names, sequences) : NULL;
	return generations_take(maker->generations, &own);
}

static struct token_call *call_at(const struct summary_maker *maker, uint32_t index)
{
	return (struct token_call *)maker->token_calls.data + index;
}

/* Of "~48". */
static uint64_t n_seen(const char *sequences)
{
	return *sequences == '~' ? strtoull(sequences + 1, NULL, 10) : 0;
}

int sum_generations_call(struct summary_maker *maker, uint32_t process, const struct slice *slice, uint64_t end_ns,
			 struct moment *moment)
{
	uint32_t index = maker->free_token_call - 1;

	if (maker->free_token_call) {
		maker->free_token_call = call_at(maker, index)->next;
	} else {
		if (!array_add_raw(&maker->token_calls, sizeof(struct token_call)))
			return -ENOMEM;
		index = (uint32_t)maker->token_calls.n - 1;
	}
	*call_at(maker, index) =
	    (struct token_call){ .process = process,
				 .name = slice->name,
				 .thread = fact_int(&slice->facts, FACT_TID, -1),
				 .generator = sum_at_least_0(fact_int(&slice->facts, FACT_ID, 0)),
				 .begin_ns = slice->begin_ns,
				 .n_tokens = sum_at_least_0(fact_int(&slice->facts, FACT_BATCH, 0)),
				 .n_seen = n_seen(names_text(maker->names, fact_text(&slice->facts, FACT_SEQUENCES))) };
	*moment = (struct moment){ .time_ns = end_ns, .what = MOMENT_TOKENS, .index = index };
	return 0;
}

int sum_generations_pass(struct summary_maker *maker, const struct moment *moment)
{
	const struct summary_opts *opts = &maker->opts;
	struct token_call *call = call_at(maker, moment->index);
	uint64_t since_ns = call->begin_ns - maker->counts.first_ns;

	call->next = maker->free_token_call;
	maker->free_token_call = moment->index + 1;
	if (since_ns < opts->from_ns || (opts->to_ns && since_ns >= opts->to_ns))
		return 0;
	if (!maker->generations && !(maker->generations = generations_new(maker->opts.with_tokens)))
		return -ENOMEM;
	return generations_call(maker->generations,
				&(struct generation_call){ .process = call->process,
							   .thread = call->thread,
							   .generator = call->generator,
							   .name = names_text(maker->names, call->name),
							   .begin_ns = call->begin_ns,
							   .end_ns = moment->time_ns,
							   .n_tokens = call->n_tokens,
							   .n_seen = call->n_seen });
}

static struct summary_model *model_at(const struct end *end, uint32_t index)
{
	return (struct summary_model *)end->models.data + index;
}

/* Within caches of one length, all lengths together; NAN: of less than half of the tokens. */
static double drift_of(const struct generation_sums *sums)
{
	struct stats_within drift = { 0 };

	for (size_t i = 0; i < sums->lengths.n; i++) {
		const struct generation_length *row = (const struct generation_length *)sums->lengths.data + i;

		stats_drift_add(&drift, &row->inference, &row->length);
	}
	return stats_drift_ratio(&drift, sums->between.n);
}

static int by_length(const void *a_, const void *b_)
{
	const struct summary_length *a = a_, *b = b_;

	return (a->length > b->length) - (a->length < b->length);
}

static int put_lengths(struct generation_sums *sums, uint32_t model, struct end *end, struct summary_range *range)
{
	*range = (struct summary_range){ (uint32_t)end->lengths.n, (uint32_t)sums->lengths.n };
	for (size_t i = 0; i < sums->lengths.n; i++) {
		struct generation_length *from = (struct generation_length *)sums->lengths.data + i;
		struct summary_length *to = array_add(&end->lengths, sizeof *to);

		if (!to)
			return -ENOMEM;
		*to = (struct summary_length){ .model = model,
					       .length = (uint64_t)stats_mean(&from->length),
					       .n = from->between.n,
					       .p50_ns = stats_percentile(&from->between, 0.5),
					       .p90_ns = stats_percentile(&from->between, 0.9),
					       .p99_ns = stats_percentile(&from->between, 0.99),
					       .inference_p50_ns = stats_percentile(&from->inference, 0.5) };
	}
	if (range->n)
		qsort((struct summary_length *)end->lengths.data + range->first, range->n,
		      sizeof(struct summary_length), by_length);
	return 0;
}

static int put_sums(struct generation_sums *from, uint32_t model, struct end *end)
{
	struct summary_generations *to = &model_at(end, model)->generations;
	double span_ns = from->end_ns > from->begin_ns ? (double)(from->end_ns - from->begin_ns) : NAN;

	*to = (struct summary_generations){ .n = from->n,
					    .n_whole = from->n_whole,
					    .by_cache = from->n_by_cache != 0,
					    .n_repeated = from->n_repeated,
					    .prompt_tokens = from->prompt_tokens,
					    .cached_tokens = from->cached_tokens,
					    .output_tokens = from->output_tokens,
					    .seen_tokens = from->seen_tokens,
					    .seen_ns = from->seen_ns,
					    .cache_bytes = from->cache_bytes,
					    .copied_bytes = from->copied_bytes,
					    .prefill_ns = from->prefill_ns,
					    .encoder_ns = from->encoder_ns,
					    .decode_ns = from->decode_ns,
					    .others_ns = from->others_ns,
					    .outside_ns = from->outside_ns,
					    .sampling_ns = from->sampling_ns,
					    .text_ns = from->text_ns,
					    .wall_ns = from->wall_ns,
					    .begin_ns = from->begin_ns,
					    .end_ns = from->end_ns,
					    .drift = drift_of(from) };
	if (from->prompts.n) {
		to->least_prompt = from->prompts.min;
		to->median_prompt = stats_percentile(&from->prompts, 0.5);
		to->most_prompt = from->prompts.max;
	}
	to->tokens_per_s = (double)from->output_tokens * 1e9 / span_ns;
	to->tokens_per_s_each = from->wall_ns ? (double)from->output_tokens * 1e9 / (double)from->wall_ns : NAN;
	to->at_a_time = (double)from->wall_ns / span_ns;
	for (size_t i = 0; i < from->lengths.n; i++) {
		uint64_t longest = ((const struct generation_length *)from->lengths.data)[i].length.max;

		to->longest = longest > to->longest ? longest : to->longest;
	}
	to->first = sum_spread(&from->first);
	to->per_token = sum_spread(&from->per_token);
	to->wall = sum_spread(&from->wall);
	to->between = sum_spread(&from->between);
	return put_lengths(from, model, end, &to->lengths);
}

/* Those of all its buckets in the first of them. NULL: there are none, or out of memory. */
static struct generation_sums *join(struct summary_maker *maker, uint32_t model, int *rc)
{
	struct generation_sums *first = NULL;

	for (uint32_t i = 0; !*rc && i < maker->buckets.n; i++) {
		struct generation_sums *own = generations_of(maker->generations, i);

		if (!own || bucket_at(maker, i)->model != model)
			continue;
		if (first)
			*rc = generation_sums_merge(first, own);
		else
			first = own;
	}
	return *rc ? NULL : first;
}

/* In the order of models, then as they began. */
struct row {
	struct generation *row;
	uint32_t place;
};

static int compare_rows(const void *a_, const void *b_)
{
	const struct row *a = a_, *b = b_;

	if (a->row->model != b->row->model)
		return a->row->model < b->row->model ? -1 : 1;
	if (a->row->begin_ns != b->row->begin_ns)
		return a->row->begin_ns < b->row->begin_ns ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static const char *name_of_way(uint32_t way)
{
	static const char *const names[N_GENERATION_WAYS] = {
		[GENERATION_BY_CACHE] = "cache inputs",
		[GENERATION_BY_LENGTH] = "length of a mask",
		[GENERATION_BY_SEQUENCE] = "sequences of batches",
		[GENERATION_BY_CALLS] = "calls of the runtime",
	};

	return way < N_GENERATION_WAYS ? names[way] : "";
}

static int put_row(struct summary_maker *maker, struct end *end, const struct generation *row)
{
	struct generation *to = array_add(&end->generations, sizeof *to);
	struct summary_range *range = &model_at(end, row->model)->generations.rows;

	if (!to)
		return -ENOMEM;
	*to = *row;
	to->process = process_at(maker, row->process)->index;
	to->way = names_of(maker->names, name_of_way(row->way));
	range->first = range->n++ ? range->first : (uint32_t)end->generations.n - 1;
	return 0;
}

static int put_tokens(struct summary_maker *maker, struct end *end, const uint32_t *rank)
{
	const struct array *tokens = generations_tokens(maker->generations);
	const struct generation_token *from = tokens->data;

	for (size_t i = 0; i < tokens->n; i++) {
		struct generation_token *to = array_add(&end->tokens, sizeof *to);

		if (!to)
			return -ENOMEM;
		*to = from[i];
		to->generation = rank[from[i].generation];
		to->model = bucket_at(maker, from[i].model)->model;
		to->process = process_at(maker, from[i].process)->index;
	}
	return 0;
}

static int put_rows(struct summary_maker *maker, struct end *end)
{
	const struct array *rows = generations_rows(maker->generations);
	struct row *order = calloc(rows->n + 1, sizeof *order);
	uint32_t *rank = calloc(rows->n + 1, sizeof *rank);
	int rc = order && rank ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < rows->n; i++) {
		order[i] = (struct row){ (struct generation *)rows->data + i, i };
		order[i].row->model = bucket_at(maker, order[i].row->model)->model;
	}
	if (!rc)
		qsort(order, rows->n, sizeof *order, compare_rows);
	for (uint32_t i = 0; !rc && i < rows->n; i++) {
		rank[order[i].place] = i;
		rc = put_row(maker, end, order[i].row);
	}
	rc = rc ? rc : put_tokens(maker, end, rank);
	free(order);
	free(rank);
	return rc;
}

static int by_number(const void *a_, const void *b_)
{
	const uint64_t *a = a_, *b = b_;

	return (*a > *b) - (*a < *b);
}

/* The most at one time: begins and ends, each in order. */
static int count_at_a_time(const struct generation *row, struct summary_generations *to)
{
	uint64_t *begin = calloc(2 * (size_t)to->rows.n + 1, sizeof *begin), *end = begin + to->rows.n;
	uint32_t n_ended = 0;

	if (!begin)
		return -ENOMEM;
	for (uint32_t i = 0; i < to->rows.n; i++) {
		begin[i] = row[i].begin_ns;
		end[i] = row[i].end_ns;
	}
	qsort(begin, to->rows.n, sizeof *begin, by_number);
	qsort(end, to->rows.n, sizeof *end, by_number);
	for (uint32_t i = 0; i < to->rows.n; i++) {
		while (end[n_ended] <= begin[i] && n_ended < i)
			n_ended++;
		if (i + 1 - n_ended > to->most_at_a_time)
			to->most_at_a_time = i + 1 - n_ended;
	}
	free(begin);
	return 0;
}

/*
 * What lies between two generations of a thread. They ran one at a time, so what others filled of it is the sum of
 * their times. A process may have many threads: those beyond QUEUE_THREADS are left out.
 */
static void find_gaps(const struct generation *row, struct summary_generations *to)
{
	enum { QUEUE_THREADS = 64 };
	struct {
		uint32_t process;
		int64_t thread;
		uint64_t end_ns, sum_ns; /* of its last one; of all up to that */
	} last[QUEUE_THREADS];
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < to->rows.n; i++) {
		uint32_t k = 0;

		while (k < to->n_threads && (last[k].thread != row[i].thread || last[k].process != row[i].process))
			k++;
		if (k < to->n_threads) {
			to->n_gaps++;
			to->between_ns += row[i].begin_ns - last[k].end_ns;
			to->filled_ns += sum_ns - last[k].sum_ns;
		}
		sum_ns += row[i].end_ns - row[i].begin_ns;
		if (k == QUEUE_THREADS)
			continue;
		to->n_threads += k == to->n_threads;
		last[k].process = row[i].process;
		last[k].thread = row[i].thread;
		last[k].end_ns = row[i].end_ns;
		last[k].sum_ns = sum_ns;
	}
}

int sum_generations_make(struct summary_maker *maker, struct end *end)
{
	int rc = maker->generations ? generations_finish(maker->generations) : 0;

	if (rc || !maker->generations)
		return rc;
	for (uint32_t i = 0; !rc && i < end->models.n; i++) {
		struct generation_sums *sums = join(maker, i, &rc);

		rc = rc || !sums ? rc : put_sums(sums, i, end);
	}
	rc = rc ? rc : put_rows(maker, end);
	for (uint32_t i = 0; !rc && i < end->models.n; i++) {
		struct summary_generations *own = &model_at(end, i)->generations;

		const struct generation *rows = (struct generation *)end->generations.data + own->rows.first;

		if (own->n && own->n == own->rows.n)
			rc = count_at_a_time(rows, own);
		if (own->most_at_a_time == 1)
			find_gaps(rows, own);
	}
	return rc;
}
