// SPDX-License-Identifier: Apache-2.0
/* Tables of the slowest inferences of each model, and why they were slow: the words and figures of analyze/why. */
#include <stdlib.h>
#include <string.h>

#include "analyze/query/query_in.h"
#include "analyze/why/why.h"
#include "base/text/units.h"

#define GET(name) static void get_##name(sqlite3_context *to, const struct query_at *at)

enum { PARTS = WHY_PARTS + 1 }; /* and what is left */

static const struct summary_slow *slow_at(const struct query_at *at)
{
	return &at->query->summary->slowest[at->row];
}

static uint32_t rank_of(const struct query *query, size_t row)
{
	return (uint32_t)row - query->summary->models[query->summary->slowest[row].model].slowest.first + 1;
}

static bool has_slow(const struct query *query, size_t row)
{
	uint32_t model = query->summary->slowest[row].model;

	return model < query->summary->n_models && rank_of(query, row) <= query->summary->models[model].slowest.n;
}

static size_t count_slow(const struct query *query)
{
	return query->summary->n_slowest;
}

/* The last one is kept: each column asks for it. NULL: out of memory. */
static const struct why *why_of(const struct query *query_, size_t slow)
{
	struct query *query = (struct query *)query_;

	if (query->why && query->why_at == slow)
		return query->why;
	if (!query->why)
		query->why = malloc(sizeof *query->why);
	if (!query->why)
		return NULL;
	query->why_at = slow;
	why_find(query->why, query->summary, &query->summary->slowest[slow], false);
	return query->why;
}

static void put_run(sqlite3_context *to, struct query *query, const struct summary_slow *slow)
{
	uint32_t process = query_process_track(query, slow->process);
	uint64_t row;

	if (slow->number > 0 && slow->number <= UINT32_MAX &&
	    query_find_run(query, process, (uint32_t)slow->number, &row))
		query_put_count(to, row + 1);
}

GET(rank)
{
	query_put_count(to, rank_of(at->query, at->row));
}

GET(inference_id)
{
	put_run(to, at->query, slow_at(at));
}

GET(median)
{
	if (slow_at(at)->usual.n)
		query_put_count(to, slow_at(at)->usual.p50_ns);
}

GET(excess)
{
	if (slow_at(at)->usual.n)
		query_put_int(to, (int64_t)slow_at(at)->duration_ns - (int64_t)slow_at(at)->usual.p50_ns);
}

GET(cause)
{
	const struct why *why = why_of(at->query, at->row);

	if (why && why->n)
		sqlite3_result_text(to, why->part[0].cause, -1, SQLITE_STATIC);
}

GET(why)
{
	const struct why *why = why_of(at->query, at->row);
	struct printable text = { "" };

	if (!why || !why->is_known || why->excess_ns <= 0)
		return;
	for (uint32_t i = 0; i < why->n; i++)
		printable_add(&text, "%s%s %s", i ? ", " : "", units_duration(why->part[i].ns).s, why->part[i].words.s);
	if (why->rest_ns >= why->excess_ns / 20)
		printable_add(&text, "%s%s not explained", why->n ? ", " : "", units_duration(why->rest_ns).s);
	sqlite3_result_text(to, text.s, -1, SQLITE_TRANSIENT);
}

static const void *in_slow(const struct query_at *at)
{
	return slow_at(at);
}

#define SLOW(type, name) .in = in_slow, .field = COLUMN_##type, .offset = offsetof(struct summary_slow, name)

static const struct query_column slow_columns[] = {
	{ "model", "TEXT", "name of the model", SLOW(MODEL_NAME, model) },
	{ "model_id", "INTEGER", "models.id", SLOW(MODEL, model) },
	{ "rank", "INTEGER", "1: the slowest of its model", get_rank },
	{ "inference_id", "INTEGER", "inferences.id", get_inference_id },
	{ "begin_ns", "INTEGER", "when it began, CLOCK_MONOTONIC", SLOW(COUNT, begin_ns) },
	{ "duration_ns", "INTEGER", "how long it took", SLOW(COUNT, duration_ns) },
	{ "median_ns", "INTEGER", "median of inferences like it: of the same input shapes, if there are enough",
	  get_median },
	{ "excess_ns", "INTEGER", "duration_ns - median_ns", get_excess },
	{ "is_failed", "INTEGER", "1: it failed; else 0", SLOW(FLAG, is_failed) },
	{ "cause", "TEXT",
	  "the cause of most of the excess: `cpu_wait`, `operators` ...; NULL: nothing recorded explains it",
	  get_cause },
	{ "why", "TEXT", "all causes in words, each with its time", get_why },
};

const struct query_table query_table_slowest = {
	.name = "slowest",
	.what = "The slowest inferences of each model, 20 at most, and why they were slow.",
	.rows = QUERY_LIST,
	.count = count_slow,
	.has = has_slow,
	QUERY_COLUMNS(slow_columns),
};

/* Causes: PARTS rows for each slow inference, of which those count that are there. */
static size_t count_parts(const struct query *query)
{
	return (size_t)query->summary->n_slowest * PARTS;
}

static bool has_part(const struct query *query, size_t row)
{
	const struct why *why = has_slow(query, row / PARTS) ? why_of(query, row / PARTS) : NULL;

	return why && why->is_known && why->excess_ns > 0 && row % PARTS <= why->n;
}

static const struct summary_slow *slow_of(const struct query_at *at)
{
	return &at->query->summary->slowest[at->row / PARTS];
}

/* NULL: what is left. */
static const struct why_part *part_at(const struct query_at *at)
{
	const struct why *why = why_of(at->query, at->row / PARTS);

	return why && at->row % PARTS < why->n ? &why->part[at->row % PARTS] : NULL;
}

GET(part_run)
{
	put_run(to, at->query, slow_of(at));
}

GET(part_rank)
{
	query_put_count(to, rank_of(at->query, at->row / PARTS));
}

GET(part_cause)
{
	const struct why_part *part = part_at(at);

	sqlite3_result_text(to, part ? part->cause : "unexplained", -1, SQLITE_STATIC);
}

GET(part_ns)
{
	const struct why_part *part = part_at(at);
	const struct why *why = why_of(at->query, at->row / PARTS);

	int64_t left_ns = why ? (int64_t)why->excess_ns : 0;

	for (uint32_t i = 0; why && !part && i < why->n; i++)
		left_ns -= (int64_t)why->part[i].ns;
	query_put_int(to, part ? (int64_t)part->ns : left_ns);
}

GET(part_words)
{
	const struct why_part *part = part_at(at);
	const struct why *why = why_of(at->query, at->row / PARTS);
	const char *words = part ? part->words.s : why ? why->missing.s : "";

	if (*words)
		sqlite3_result_text(to, words, -1, SQLITE_TRANSIENT);
}

static const void *in_slow_of(const struct query_at *at)
{
	return slow_of(at);
}

#define SLOW_OF(type, name) .in = in_slow_of, .field = COLUMN_##type, .offset = offsetof(struct summary_slow, name)

static const struct query_column part_columns[] = {
	{ "model", "TEXT", "name of the model", SLOW_OF(MODEL_NAME, model) },
	{ "rank", "INTEGER", "of the inference: slowest.rank", get_part_rank },
	{ "inference_id", "INTEGER", "inferences.id", get_part_run },
	{ "cause", "TEXT", "`cpu_wait`, `operators` ...; `unexplained`: the rest", get_part_cause },
	{ "excess_ns", "INTEGER", "its part of the inference's excess_ns; all parts add up to it", get_part_ns },
	{ "words", "TEXT", "the cause in words; of the rest why it is not explained", get_part_words },
};

const struct query_table query_table_slowest_causes = {
	.name = "slowest_causes",
	.what = "The causes of `slowest`, one row each.",
	.rows = QUERY_LIST,
	.count = count_parts,
	.has = has_part,
	QUERY_COLUMNS(part_columns),
};
