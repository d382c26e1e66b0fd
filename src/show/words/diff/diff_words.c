// SPDX-License-Identifier: Apache-2.0
/*
 * A comparison in words: the answer in a few sentences, of which the first has the finding in at most 25 words, and the
 * words of tables. Computes nothing.
 */
#include "show/words/diff/diff_words.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/result/input_sizes.h"
#include "analyze/result/result_words.h"

enum { NAME = 60, SHAPE = 40, FACT = 300 };

struct units_text diff_change(double change)
{
	double percent = 100 * change;
	struct units_text text;

	if (isnan(percent))
		return (struct units_text){ "-" };
	if (fabs(percent) < 0.05)
		return (struct units_text){ "0 %" };
	if (percent >= 1000)
		snprintf(text.s, sizeof text.s, "x %.3g", 1 + change);
	else
		snprintf(text.s, sizeof text.s, fabs(percent) >= 9.95 ? "%+.0f %%" : "%+.1f %%", percent);
	return text;
}

struct units_text diff_interval(const struct diff_value *value)
{
	struct units_text text, low = diff_change(value->low), high = diff_change(value->high);
	char *percent = strstr(low.s, " %");

	if (isnan(value->low) || isnan(value->high))
		return (struct units_text){ "-" };
	if (percent && strstr(high.s, " %"))
		*percent = 0;
	snprintf(text.s, sizeof text.s, "%.20s to %.20s", low.s, high.s);
	return text;
}

enum diff_unit diff_unit_of(const char *unit)
{
	return unit && !strcmp(unit, "bytes") ? DIFF_BYTES : DIFF_PLAIN;
}

struct units_text diff_amount(double value, enum diff_unit unit)
{
	if (isnan(value))
		return (struct units_text){ "-" };
	switch (unit) {
	case DIFF_NS:
		return units_duration(value);
	case DIFF_PER_SECOND:
		return units_rate(value);
	case DIFF_BYTES:
		return units_bytes(value);
	default:
		return units_decimal(value);
	}
}

const char *diff_says_words(enum diff_says says, bool is_time)
{
	static const char *const words[] = { [DIFF_MISSING] = "-",	  [DIFF_UNTESTED] = "not judged",
					     [DIFF_OPEN] = "cannot tell", [DIFF_SAME] = "no difference",
					     [DIFF_WORSE] = "worse",	  [DIFF_BETTER] = "better" };

	if (is_time && says >= DIFF_WORSE)
		return says == DIFF_WORSE ? "slower" : "faster";
	return words[says];
}

const char *diff_says_key(enum diff_says says)
{
	static const char *const keys[] = { [DIFF_MISSING] = "missing",	 [DIFF_UNTESTED] = "not_judged",
					    [DIFF_OPEN] = "cannot_tell", [DIFF_SAME] = "no_difference",
					    [DIFF_WORSE] = "worse",	 [DIFF_BETTER] = "better" };

	return keys[says];
}

struct printable diff_name(const struct diff_operator *op, bool is_ascii)
{
	struct printable name = { "" };

	printable_add(&name, "%s %s", model_text(op->op_type, 30, is_ascii).s, model_text(op->node, NAME, is_ascii).s);
	return name;
}

/* "12 %" */
static struct units_text unsigned_change(double change)
{
	struct units_text text = diff_change(fabs(change));

	if (*text.s == '+')
		memmove(text.s, text.s + 1, strlen(text.s));
	return text;
}

/* What the times are of. */
static const char *counted(const struct diff_pair *pair)
{
	return diff_counts_tokens(pair) ? " a token" : " an inference";
}

/* "12 % slower"; a change below 0 is one of the other kind. */
static void add_slower(struct printable *to, double change)
{
	printable_add(to, "%s %s", unsigned_change(change).s, change > 0 ? "slower" : "faster");
}

/* " (9 to 15 %, 95 % confidence)", as amounts of the same direction. */
static void add_interval(struct printable *to, const struct diff_value *value)
{
	printable_add(to, " (%s, 95 %% confidence)", diff_interval(value).s);
}

/* "m", or "m -> m_int8"; "m on CUDA" if it is compared on the CPU as well */
static struct printable pair_name(const struct diff_pair *pair, bool is_ascii)
{
	struct printable name = model_text(pair->base->name, NAME, is_ascii);

	if (pair->has_namesake && pair->base->provider)
		printable_add(&name, " on %s", model_provider(pair->base->provider, 40, is_ascii).s);
	if (pair->is_renamed)
		printable_add(&name, " -> %s", model_text(pair->fresh->name, NAME, is_ascii).s);
	return name;
}

/* Of rows with these words, the one that takes most more (or less), and how many there are. */
static const struct diff_row *find_row(const struct diff_pair *pair, enum diff_says says, uint32_t *n)
{
	const struct diff_row *found = NULL;

	*n = 0;
	for (uint32_t i = 0; i < pair->n_rows; i++) {
		if (pair->rows[i].value.says != says)
			continue;
		found = found ? found : &pair->rows[i];
		++*n;
	}
	return found;
}

/* ". 95 % confidence: +9 to +15 %" */
static void add_confidence(struct printable *to, const struct diff_value *value)
{
	printable_add(to, ". 95 %% confidence: %s", diff_interval(value).s);
}

/* ". Conv /layer1/conv takes 1.3 ms more of it" */
static void add_cause(struct printable *to, const struct diff_pair *pair, enum diff_says says, bool is_ascii)
{
	const struct diff_value *headline = &pair->value[diff_headline(pair)];
	uint32_t n;
	const struct diff_row *row = find_row(pair, says, &n);

	if (says == DIFF_WORSE && pair->waits_ns <= headline->fresh - headline->base)
		printable_add(to, ". It waited for a CPU %s of these", units_duration(pair->waits_ns).s);
	if (!row)
		return;
	printable_add(to, ". %s takes %s %s of these %s", diff_name(row->fresh, is_ascii).s,
		      units_duration(fabs(row->extra_ns)).s, says == DIFF_WORSE ? "more" : "less",
		      units_duration(fabs(headline->fresh - headline->base)).s);
	if (n > 1)
		printable_add(to, ", the most of %s", printable_count(n, "operator").s);
}

static const char *shapes_of(const struct diff_pair *pair, uint32_t size)
{
	return pair->sizes[size].any->shapes ? pair->sizes[size].any->shapes : "";
}

/* The one that a size is told from. */
static uint32_t other_of(const struct diff_pair *pair, uint32_t size)
{
	return size ? 0 : pair->n_sizes - 1;
}

/* "about 1,280 elements": in all, of any inputs. */
static struct printable mixed_size(const struct diff_size *size)
{
	struct printable words = { "" };

	printable_add(&words, "about %s", printable_count((uint64_t)size->elements, "element").s);
	return words;
}

struct printable diff_size_cell(const struct diff_pair *pair, const struct diff_size_row *const *rows, uint32_t n,
				uint32_t row, bool is_ascii)
{
	struct input_sizes_row names[DIFF_SIZE_ROWS];

	if (pair->are_sizes_mixed)
		return mixed_size(rows[row]->any);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t size = (uint32_t)(rows[i] - pair->sizes);

		names[i] = input_sizes_row(shapes_of(pair, size), shapes_of(pair, other_of(pair, size)));
	}
	return model_text(input_sizes_cell(names, n, row, SHAPE).s, 2 * SHAPE, is_ascii);
}

/* "input 2 of 3 of 256x4", "inputs of 256x4" */
static struct printable phrase_of(const struct diff_pair *pair, uint32_t size, bool is_ascii)
{
	struct printable words = { "" };

	if (!pair->are_sizes_mixed)
		return model_text(
		    input_sizes_phrase(shapes_of(pair, size), shapes_of(pair, other_of(pair, size)), SHAPE).s,
		    2 * SHAPE, is_ascii);
	printable_add(&words, "inputs of %s", mixed_size(pair->sizes[size].any).s);
	return words;
}

struct printable diff_mix(const struct diff_pair *pair, bool is_ascii)
{
	struct printable text = { "" };
	double n_base = 0, n_fresh = 0;

	if (!pair->moved)
		return text;
	for (uint32_t i = 0; i < pair->n_sizes; i++) {
		n_base += (double)pair->sizes[i].n_base;
		n_fresh += (double)pair->sizes[i].n_fresh;
	}
	printable_add(&text, "the mix of input sizes changed: inferences with %s are %s of all in new",
		      phrase_of(pair, pair->moved - 1, is_ascii).s,
		      units_percent((double)pair->sizes[pair->moved - 1].n_fresh / n_fresh).s);
	printable_add(&text, " instead of %s", units_percent((double)pair->sizes[pair->moved - 1].n_base / n_base).s);
	return text;
}

static void add_mix(struct printable *to, const struct diff_pair *pair, bool is_ascii)
{
	struct printable mix = diff_mix(pair, is_ascii);

	if (*mix.s)
		printable_add(to, ". %c%s", toupper((unsigned char)*mix.s), mix.s + 1);
}

static void add_model(struct printable *to, const struct diff_pair *pair, enum diff_says says, bool is_one,
		      bool is_ascii)
{
	enum diff_figure figure = diff_headline(pair);
	const struct diff_value *value = &pair->value[figure];

	printable_add(to, "%s is ", is_one ? "new" : pair_name(pair, is_ascii).s);
	add_slower(to, value->change);
	if (is_one)
		printable_add(to, " than base: %s%s %s ", figure == DIFF_OPERATORS ? "the operators of " : "",
			      pair_name(pair, is_ascii).s, figure == DIFF_OPERATORS ? "take" : "takes");
	else
		printable_add(to, " in new: %s", figure == DIFF_OPERATORS ? "its operators take " : "");
	printable_add(to, "%s instead of %s%s", units_duration(value->fresh).s, units_duration(value->base).s,
		      figure == DIFF_WITHIN ? " with inputs of the same size" : counted(pair));
	add_confidence(to, value);
	add_cause(to, pair, says, is_ascii);
	add_mix(to, pair, is_ascii);
}

static void add_operator(struct printable *to, const struct diff_pair *pair, enum diff_says says, bool is_ascii)
{
	const struct diff_value *whole = &pair->value[diff_headline(pair)];
	uint32_t n;
	const struct diff_row *row = find_row(pair, says, &n);

	if (n > 1)
		printable_add(to, "%s are %s in new, most of all ", printable_count(n, "operator").s,
			      says == DIFF_WORSE ? "slower" : "faster");
	printable_add(to, "%s %s ", diff_name(row->fresh, is_ascii).s, n > 1 ? "by" : "is");
	if (n > 1)
		printable_add(to, "%s", unsigned_change(row->value.change).s);
	else
		add_slower(to, row->value.change);
	printable_add(to, "%s: %s of %s%s of %s", n > 1 ? "" : " in new", units_duration(fabs(row->extra_ns)).s,
		      units_duration(whole->base).s, counted(pair), pair_name(pair, is_ascii).s);
	if (row->n_peers)
		printable_add(to, ". Beside the %s of its type, with 95 %% confidence: %s",
			      printable_count(row->n_peers, "other operator").s, diff_interval(&row->value).s);
	else
		add_confidence(to, &row->value);
	if (whole->says == DIFF_SAME)
		printable_add(to, ". The model as a whole does not differ");
	else if (whole->says == DIFF_OPEN)
		printable_add(to, ". Whether the whole model differs cannot be determined");
}

static void add_figure(struct printable *to, const char *what, const char *of, const struct diff_value *value,
		       enum diff_unit unit)
{
	printable_add(to, "%s of %s differs: %s in new instead of %s in base, %s", what, of,
		      diff_amount(value->fresh, unit).s, diff_amount(value->base, unit).s,
		      diff_change(value->change).s);
	add_confidence(to, value);
}

static double share_of(const struct diff *diff, const struct diff_pair *pair)
{
	double all_ns = 0;

	for (uint32_t i = 0; i < diff->n_pairs; i++)
		all_ns += isfinite(diff->pairs[i].base->wall_ns) ? diff->pairs[i].base->wall_ns : 0;
	return all_ns > 0 ? pair->base->wall_ns / all_ns : NAN;
}

/* The model whose headline says this and whose change moves most time, or the first; NULL: none does. */
static const struct diff_pair *find_pair(const struct diff *diff, enum diff_says says)
{
	const struct diff_pair *found = NULL;
	double most = -1;

	for (uint32_t i = 0; i < diff->n_pairs; i++) {
		const struct diff_value *value = &diff->pairs[i].value[diff_headline(&diff->pairs[i])];
		double ns = fabs(value->change) * diff->pairs[i].base->wall_ns;

		if (value->says == says && (!found || ns > most)) {
			found = &diff->pairs[i];
			most = ns;
		}
	}
	return found;
}

static bool add_any_figure(struct printable *to, const struct diff *diff, enum diff_says says, bool is_ascii)
{
	for (uint32_t i = 0; i < diff->n_pairs; i++)
		for (int k = 0; k < N_DIFF_FIGURES; k++)
			if (diff->pairs[i].value[k].says == says) {
				add_figure(to, diff_words_of(&diff->pairs[i], k),
					   pair_name(&diff->pairs[i], is_ascii).s, &diff->pairs[i].value[k],
					   diff_figure_name(k).unit);
				return true;
			}
	for (uint32_t i = 0; i < diff->n_resources; i++)
		if (diff->resources[i].max.says == says) {
			struct printable name = model_text(diff->resources[i].name, NAME, is_ascii);

			printable_add(&name, " (largest)");
			add_figure(to, name.s, model_text(diff->resources[i].scope, NAME, is_ascii).s,
				   &diff->resources[i].max, diff_unit_of(diff->resources[i].unit));
			return true;
		}
	return false;
}

static void add_found(struct printable *to, const struct diff *diff, enum diff_says says, bool is_ascii)
{
	const struct diff_pair *pair = find_pair(diff, says);
	uint32_t n = 0, n_like = 0;

	for (uint32_t i = 0; i < diff->n_pairs; i++)
		n_like += diff->pairs[i].value[diff_headline(&diff->pairs[i])].says == says;
	if (pair) {
		add_model(to, pair, says, diff->n_pairs == 1, is_ascii);
		if (diff->n_pairs > 1)
			printable_add(to, ". %u of %s %s %s; this one has %s of base's inference time", n_like,
				      printable_count(diff->n_pairs, "model").s, n_like == 1 ? "is" : "are",
				      says == DIFF_WORSE ? "slower" : "faster", units_percent(share_of(diff, pair)).s);
		return;
	}
	for (uint32_t i = 0; i < diff->n_pairs; i++)
		if (find_row(&diff->pairs[i], says, &n)) {
			add_operator(to, &diff->pairs[i], says, is_ascii);
			return;
		}
	add_any_figure(to, diff, says, is_ascii);
}

/* What may be the reason instead: ". Base and new differ in runtime, settings" */
static void add_circumstances(struct printable *to, const struct diff *diff)
{
	static const enum diff_fact facts[] = { DIFF_RUNTIME, DIFF_LEVEL, DIFF_MEMORY,	DIFF_KERNEL,
						DIFF_SERVICE, DIFF_MODEL, DIFF_SETTINGS };
	uint32_t n = 0;

	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
		if (diff->fact_differs[facts[i]])
			printable_add(to, "%s%s", n++ ? ", " : ". Base and new differ in ", diff_facts[facts[i]]);
}

struct printable diff_note(const struct diff *diff, uint32_t i, bool is_ascii)
{
	struct printable to = { "" };

	for (int fact = 0; fact < N_DIFF_FACTS; fact++) {
		if (!diff->fact_differs[fact] || fact == DIFF_COMMAND || fact == DIFF_VERSION || i--)
			continue;
		printable_add(&to, "%s: %s", diff_facts[fact],
			      model_text(diff->base.runs->fact[fact], FACT, is_ascii).s);
		printable_add(&to, "; now %s", model_text(diff->fresh.runs->fact[fact], FACT, is_ascii).s);
		break;
	}
	return to;
}

static void add_threshold(struct printable *to, const struct diff *diff)
{
	if (diff->says == DIFF_WORSE && !diff->is_regression)
		printable_add(to, ". This is within the threshold of %s %%",
			      units_decimal(100 * diff->opts.threshold).s);
}

static void add_same(struct printable *to, const struct diff *diff, bool is_ascii)
{
	const struct diff_pair *pair = find_pair(diff, DIFF_SAME);
	enum diff_figure figure = diff_headline(pair);

	printable_add(to, "no difference was found: ");
	printable_add(to, "the %s of %s is the same within %s",
		      figure == DIFF_OPERATORS ? "time of the operators" : diff_words_of(pair, (int)figure),
		      pair_name(pair, is_ascii).s,
		      unsigned_change(fmax(fabs(pair->value[figure].low), fabs(pair->value[figure].high))).s);
	add_confidence(to, &pair->value[figure]);
	if (diff->n_pairs > 1)
		printable_add(to, ". Of %s, this one differs most", printable_count(diff->n_pairs, "model").s);
	add_mix(to, pair, is_ascii);
}

static void add_reason(struct printable *to, const struct diff *diff, const struct diff_pair *pair)
{
	enum diff_source source = diff->fresh.runs->source;
	const char *more = source == DIFF_OF_RESULT ? "reports" : source == DIFF_OF_WATCH ? "machines" : "recordings";

	if (pair->no_verdict)
		printable_add(to, ". %c%s", toupper((unsigned char)*pair->no_verdict), pair->no_verdict + 1);
	if (isfinite(pair->waits_ns))
		printable_add(to, ". Of the %s by which the mean is longer, it waited %s for a CPU",
			      units_duration(pair->value[DIFF_MEAN].fresh - pair->value[DIFF_MEAN].base).s,
			      units_duration(pair->waits_ns).s);
	if (pair->does_other_work)
		return;
	if (!diff_is_single(diff))
		printable_add(to, ". More %s of each narrow it down", more);
	else if (source == DIFF_OF_WATCH)
		printable_add(to, ". Rows of several machines of each narrow it down");
	else if (source == DIFF_OF_RESULT)
		printable_add(to, ". Measure each several times, in turn, and give all reports to inftrace diff");
	else
		printable_add(to, ". Record each several times, in turn");
}

static void add_open(struct printable *to, const struct diff *diff, bool is_ascii)
{
	const struct diff_pair *pair = find_pair(diff, DIFF_OPEN);
	const struct diff_value *value;

	pair = pair ? pair : find_pair(diff, DIFF_UNTESTED);
	pair = pair ? pair : diff->pairs;
	value = &pair->value[diff_headline(pair)];
	printable_add(to, "cannot tell: ");
	if (value->says == DIFF_MISSING) {
		printable_add(to, "%s", pair->no_verdict ? pair->no_verdict : "there is no figure on both sides");
		return;
	}
	printable_add(to, "the %s of %s changes by %s",
		      diff_headline(pair) == DIFF_OPERATORS ? "time of the operators"
							    : diff_words_of(pair, (int)diff_headline(pair)),
		      pair_name(pair, is_ascii).s, diff_change(value->change).s);
	if (isfinite(value->low))
		add_interval(to, value);
	add_mix(to, pair, is_ascii);
	add_reason(to, diff, pair);
}

static void add_no_pair(struct printable *to, const struct diff *diff, bool is_ascii)
{
	printable_add(to, "cannot compare: base and new have no model in common. Base has ");
	if (!diff->n_only_base)
		printable_add(to, "none");
	for (uint32_t i = 0; i < diff->n_only_base && i < 3; i++)
		printable_add(to, "%s%s", i ? ", " : "", model_text(diff->only_base[i]->name, NAME, is_ascii).s);
	printable_add(to, ", new has ");
	if (!diff->n_only_fresh)
		printable_add(to, "none");
	for (uint32_t i = 0; i < diff->n_only_fresh && i < 3; i++)
		printable_add(to, "%s%s", i ? ", " : "", model_text(diff->only_fresh[i]->name, NAME, is_ascii).s);
}

/* The first that a side has; NULL: none. */
static const char *not_ended(const struct diff_side *side)
{
	for (uint32_t i = 0; i < side->n_runs; i++)
		if (side->runs[i].not_ended)
			return side->runs[i].not_ended;
	return NULL;
}

struct printable diff_answer(const struct diff *diff, bool is_ascii)
{
	struct printable to = { "" };

	if (!diff->n_pairs)
		add_no_pair(&to, diff, is_ascii);
	else if (diff->no_verdict)
		printable_add(&to, "cannot tell: %s", diff->no_verdict);
	else if (diff->says >= DIFF_WORSE)
		add_found(&to, diff, diff->says, is_ascii);
	else if (diff->says == DIFF_SAME)
		add_same(&to, diff, is_ascii);
	else
		add_open(&to, diff, is_ascii);
	add_threshold(&to, diff);
	if (diff->n_pairs && !diff->no_verdict)
		add_circumstances(&to, diff);
	return to;
}

struct printable diff_verdict(const struct diff *diff, bool is_ascii)
{
	const char *base = not_ended(&diff->base), *fresh = not_ended(&diff->fresh);
	struct printable to = { "" }, answer = diff_answer(diff, is_ascii);

	if (fresh && !base)
		printable_add(&to, "In new, %s. ", model_text(fresh, 200, is_ascii).s);
	printable_add(&to, "%c%s", toupper((unsigned char)*answer.s), answer.s + 1);
	return to;
}
