// SPDX-License-Identifier: Apache-2.0
#include "show/words/generation_words.h"

#include <math.h>

#include "base/text/units.h"

enum { LEAST_P99 = 100 };

/* "5,400 tokens/s" */
static struct printable rate_of(double per_s)
{
	struct printable words = { "" };

	if (isfinite(per_s))
		printable_add(&words, "%s tokens/s",
			      per_s >= 10 ? units_count((uint64_t)(per_s + 0.5)).s : units_decimal(per_s).s);
	return words;
}

static void add_worst(struct printable *to, const struct summary_spread *spread)
{
	if (spread->n >= LEAST_P99)
		printable_add(to, "p99 %s", units_duration((double)spread->p99_ns).s);
	else
		printable_add(to, "slowest %s", units_duration((double)spread->max_ns).s);
}

struct printable generation_speed(const struct summary_generations *of)
{
	struct printable words = { "" }, rate = rate_of(of->tokens_per_s);
	const char *before = ": ";

	if (!of->n)
		return words;
	if (of->first.n) {
		printable_add(&words, "%sfirst token %s", before, units_duration((double)of->first.p50_ns).s);
		if (of->first.n > 1) {
			printable_add(&words, " (");
			add_worst(&words, &of->first);
			printable_add(&words, ")");
		}
		before = ", ";
	}
	if (of->between.n) {
		printable_add(&words, "%s%s a token", before, units_duration(of->between.mean_ns).s);
		before = ", ";
	}
	if (*rate.s)
		printable_add(&words, "%s%s", before, rate.s);
	return words;
}

static void add_prompts(struct printable *to, const struct summary_generations *of)
{
	if (!of->n_whole)
		return;
	if (of->least_prompt == of->most_prompt)
		printable_add(to, "; %s of %s", of->n_whole == 1 ? "a prompt" : "prompts",
			      printable_count(of->most_prompt, "token").s);
	else
		printable_add(to, "; prompts of %s to %s tokens", units_count(of->least_prompt).s,
			      units_count(of->most_prompt).s);
	if (of->cached_tokens)
		printable_add(to, " behind %s in the cache", units_count(of->cached_tokens).s);
}

struct printable generation_counts(const struct summary_generations *of)
{
	struct printable words = { "" };

	if (!of->n)
		return words;
	printable_add(&words, "%s", printable_count(of->n, "generation").s);
	if (of->most_at_a_time > 1)
		printable_add(&words, ", up to %s at a time", units_count(of->most_at_a_time).s);
	else if (of->most_at_a_time && of->n > 1)
		printable_add(&words, ", one at a time");
	if (of->n_whole < of->n)
		printable_add(&words, ", %s of them begun before the recording", units_count(of->n - of->n_whole).s);
	add_prompts(&words, of);
	printable_add(&words, ", %s made", printable_count(of->output_tokens, "token").s);
	if (of->longest)
		printable_add(&words, ", caches of up to %s", units_count(of->longest).s);
	if (of->cache_bytes)
		printable_add(&words, " (%s, %s copied)", units_bytes((double)of->cache_bytes).s,
			      units_bytes((double)of->copied_bytes).s);
	return words;
}

struct printable generation_times(const struct summary_generations *of, bool is_ascii)
{
	struct printable words = { "" };

	if (of->first.n) {
		printable_add(&words, "first after %s", units_duration((double)of->first.p50_ns).s);
		if (of->first.n > 1) {
			printable_add(&words, " (median; ");
			add_worst(&words, &of->first);
			printable_add(&words, ")");
		}
	}
	if (of->between.n < 2)
		return words;
	printable_add(&words, "%sbetween tokens median %s", *words.s ? "; " : "",
		      units_duration((double)of->between.p50_ns).s);
	printable_add(&words, ", mean %s", units_interval(of->between.mean_ns, of->between.interval_ns, is_ascii).s);
	printable_add(&words, ", ");
	add_worst(&words, &of->between);
	return words;
}

static void add_share(struct printable *to, const char *what, uint64_t ns, uint64_t all_ns)
{
	if (ns && all_ns)
		printable_add(to, "%s%s %s", *to->s ? ", " : "", what, units_percent((double)ns / (double)all_ns).s);
}

struct printable generation_shares(const struct summary_generations *of)
{
	struct printable words = { "" };

	add_share(&words, "encoder", of->encoder_ns, of->wall_ns);
	add_share(&words, of->encoder_ns ? "rest of the prefill" : "prefill", of->prefill_ns - of->encoder_ns,
		  of->wall_ns);
	add_share(&words, "decode", of->decode_ns, of->wall_ns);
	add_share(&words, "other generations of the thread", of->others_ns, of->wall_ns);
	add_share(&words, "sampling", of->sampling_ns, of->wall_ns);
	add_share(&words, "decoding of text", of->text_ns, of->wall_ns);
	add_share(&words, "outside of the model", of->outside_ns - of->sampling_ns - of->text_ns, of->wall_ns);
	if (*words.s)
		printable_add(&words, " of their time");
	if (!isfinite(of->tokens_per_s) || !isfinite(of->tokens_per_s_each))
		return words;
	printable_add(&words, "%s%s each", *words.s ? "; " : "", rate_of(of->tokens_per_s_each).s);
	printable_add(&words, ", %s in all", rate_of(of->tokens_per_s).s);
	return words;
}

static void put_row(struct table *table, const struct summary *summary, const struct generation *row)
{
	uint64_t wall_ns = row->end_ns - row->begin_ns;

	table_cell(table, TABLE_DIM, "%s", units_duration((double)(row->begin_ns - summary->recording.begin_ns)).s);
	table_cell(table, TABLE_PLAIN, "%s", row->n_prefills ? units_count(row->prompt_tokens).s : "-");
	table_cell(table, TABLE_PLAIN, "%s", units_count(row->output_tokens).s);
	table_cell(table, TABLE_PLAIN, "%s", row->first_token_ns ? units_duration((double)row->first_token_ns).s : "-");
	table_cell(table, TABLE_PLAIN, "%s", units_duration(row->per_token_ns).s);
	table_cell(table, TABLE_PLAIN, "%s", row->max_ns ? units_duration((double)row->max_ns).s : "-");
	table_cell(table, TABLE_PLAIN, "%s", isfinite(row->tokens_per_s) ? rate_of(row->tokens_per_s).s : "-");
	table_cell(table, TABLE_PLAIN, "%s",
		   units_percent(wall_ns ? (double)row->outside_ns / (double)wall_ns : NAN).s);
	table_cell(table, TABLE_DIM, "%s", units_count(row->length).s);
}

uint64_t generation_rows(struct table *table, const struct summary *summary, const struct summary_model *model,
			 uint32_t n_most)
{
	const struct summary_range *rows = &model->generations.rows;
	uint32_t n = rows->n < n_most ? rows->n : n_most;

	if (!n)
		return 0;
	table_column(table, "begin", TABLE_RIGHT);
	table_column(table, "prompt", TABLE_RIGHT);
	table_column(table, "tokens", TABLE_RIGHT);
	table_column(table, "first token", TABLE_RIGHT);
	table_column(table, "per token", TABLE_RIGHT);
	table_column(table, "longest", TABLE_RIGHT);
	table_column(table, "speed", TABLE_RIGHT);
	table_column(table, "outside", TABLE_RIGHT);
	table_column(table, "cache", TABLE_RIGHT);
	for (uint32_t i = 0; i < n; i++)
		put_row(table, summary, &summary->generations[rows->first + i]);
	return model->generations.n - n;
}
