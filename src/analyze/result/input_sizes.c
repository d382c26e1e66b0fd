// SPDX-License-Identifier: Apache-2.0
#include "analyze/result/input_sizes.h"

#include <math.h>
#include <string.h>

#include "analyze/store/shapes.h"
#include "base/text/units.h"

/* NAMED: inputs in a row of a table, at most. */
enum { LEAST = 3, NAMED = 4 };

static const double least_ratio = 2, least_share = 0.2;

const struct summary_size *input_sizes_usual(const struct summary *summary, const struct summary_model *model)
{
	const struct summary_size *size = summary->sizes + model->sizes.first, *most = NULL;

	for (uint32_t i = 0; i < model->sizes.n; i++)
		if (!most || size[i].n > most->n)
			most = &size[i];
	return most;
}

struct input_sizes input_sizes_of(const struct summary *summary, const struct summary_model *model)
{
	const struct summary_size *size = summary->sizes + model->sizes.first;
	struct input_sizes found = { NULL, NULL, 0, 0 };
	uint64_t n = 0, wall_ns = 0;

	for (uint32_t i = 0; i < model->sizes.n; i++) {
		n += size[i].n;
		wall_ns += size[i].wall_ns;
	}
	found.usual = input_sizes_usual(summary, model);
	for (uint32_t i = 0; i < model->sizes.n; i++)
		/* all of them are slow: not only those that met a busy moment */
		if (size[i].n >= LEAST && size[i].least_ns > found.usual->p50_ns &&
		    (double)size[i].p50_ns >= least_ratio * (double)found.usual->p50_ns &&
		    (double)size[i].wall_ns >= least_share * (double)wall_ns &&
		    (!found.slow || size[i].wall_ns > found.slow->wall_ns))
			found.slow = &size[i];
	if (!found.slow)
		return (struct input_sizes){ NULL, NULL, 0, 0 };
	found.share_of_runs = (double)found.slow->n / (double)n;
	found.share_of_time = (double)found.slow->wall_ns / (double)wall_ns;
	return found;
}

bool input_sizes_explain(const struct summary *summary, const struct summary_model *model, double edge_ns)
{
	const struct summary_size *size = summary->sizes + model->sizes.first;
	uint64_t n_above = 0, n_explained = 0;

	if (model->sizes.n < 2)
		return false;
	for (uint32_t i = 0; i < model->sizes.n; i++) {
		uint64_t above = (double)size[i].p50_ns > edge_ns   ? size[i].n
				 : (double)size[i].p90_ns > edge_ns ? size[i].n / 10
				 : (double)size[i].p99_ns > edge_ns ? size[i].n / 100 + 1
								    : 0;

		n_above += above;
		n_explained += (double)size[i].p50_ns > edge_ns ? above : 0;
	}
	return n_explained && n_explained * 5 >= n_above * 4;
}

/* The length of the input at text; *next: where the one after it is. */
static size_t input_at(const char *text, const char **next)
{
	size_t len = shapes_input(text);

	*next = text + len + (text[len] == ',');
	return len;
}

double input_sizes_ratio(const char *shapes, const char *others)
{
	uint64_t own, other;
	double most = 1, ratio;

	while (shapes_next(&shapes, &own)) {
		if (!shapes_next(&others, &other) || !own || !other)
			return 0;
		ratio = (double)own / (double)other;
		if (fabs(log(ratio)) > fabs(log(most)))
			most = ratio;
	}
	return shapes_end(shapes) && shapes_end(others) ? most : 0;
}

/* Tallies of a model come by their key, then the most frequent ones first. */
static const struct summary_tally *most_shapes(const struct summary *summary, const struct summary_model *model)
{
	const struct summary_tally *tally = summary->tallies + model->tallies.first;

	for (uint32_t i = 0; i < model->tallies.n; i++)
		if (tally[i].key == KEY_SHAPES)
			return 4 * tally[i].n >= model->runs.n ? &tally[i] : NULL;
	return NULL;
}

double input_sizes_ratio_of(const struct summary *summary, const struct summary_model *model,
			    const struct summary_slow *slow, const struct summary_tally **most)
{
	uint64_t elements;
	uint32_t size, own;

	*most = slow->shapes && !slow->usual.is_of_shape ? most_shapes(summary, model) : NULL;
	if (!*most)
		return 0;
	size = shapes_size(names_text(summary->names, (*most)->text), &elements);
	own = slow->size;
	if (model->are_sizes_mixed) {
		size = shapes_coarse(size);
		own = shapes_coarse(own);
	}
	if (slow->usual.is_of_size && size && own && size != own)
		return 0;
	return input_sizes_ratio(names_text(summary->names, slow->shapes), names_text(summary->names, (*most)->text));
}

/* By how many octaves the elements of an input differ; an empty one hardly says more than that it is another. */
static double octaves_between(uint64_t own, uint64_t other)
{
	return own && other ? fabs(log2((double)own / (double)other)) : own != other;
}

uint32_t input_sizes_varying(const char *shapes, const char *others)
{
	uint64_t own, other;
	double most = 0, octaves;
	uint32_t found = 0;

	for (uint32_t i = 1; shapes_next(&shapes, &own) && shapes_next(&others, &other); i++) {
		octaves = octaves_between(own, other);
		if (octaves > most) {
			most = octaves;
			found = i;
		}
	}
	return found;
}

uint64_t input_sizes_elements(const char *shapes, uint32_t input)
{
	uint64_t own = 0;

	while (input && shapes_next(&shapes, &own))
		input--;
	return input ? 0 : own;
}

/* Which input differs first, as text; 0: none does. */
static uint32_t first_other(const char *shapes, const char *others)
{
	for (uint32_t i = 1; !shapes_end(shapes); i++) {
		const char *next, *other_next;
		size_t len = input_at(shapes, &next);

		if (len != input_at(others, &other_next) || strncmp(shapes, others, len) != 0)
			return i;
		shapes = next;
		others = other_next;
	}
	return 0;
}

/* The place of an input, from 1; "*48" is one. *len: of its text. */
static const char *input_of(const char *shapes, uint32_t input, size_t *len)
{
	const char *own = shapes, *next = shapes;

	for (*len = 0; input; input--) {
		own = next;
		*len = input_at(own, &next);
	}
	return own;
}

uint64_t input_sizes_number(const char *shapes, uint32_t input)
{
	uint64_t n = 1;

	for (const char *next; input > 1 && !shapes_end(shapes); input--, shapes = next) {
		n += shapes_times(shapes);
		input_at(shapes, &next);
	}
	return n;
}

uint64_t input_sizes_count(const char *shapes)
{
	return input_sizes_number(shapes, UINT32_MAX) - 1;
}

uint32_t input_sizes_telling(const char *shapes, const char *others)
{
	uint32_t varying = input_sizes_varying(shapes, others);

	return varying ? varying : first_other(shapes, others);
}

/* "64x512*4" of "float32[64x512]*4"; input 0: the whole text. */
static struct printable part_of(const char *shapes, uint32_t input, int columns)
{
	size_t len = strlen(shapes), n_own;
	const char *own = input ? input_of(shapes, input, &len) : shapes, *open, *close;
	struct printable part;

	open = input ? memchr(own, '[', len) : NULL;
	close = open ? memchr(open, ']', (size_t)(own + len - open)) : NULL;
	if (!close || close == open + 1)
		return printable_text(own, len, columns, true);
	n_own = (size_t)(own + len - close) - 1;
	part = printable_text(open + 1, (size_t)(close - open) - 1, columns - (int)n_own, true);
	printable_add(&part, "%s", printable_text(close + 1, n_own, columns, true).s);
	return part;
}

/* "2 of 3"; "": there is one, or it is the whole text. */
static struct printable place_of(const char *shapes, uint32_t input)
{
	uint64_t n = input_sizes_count(shapes);
	struct printable place = { "" };

	if (input && n > 1)
		printable_add(&place, "%s of %s", units_count(input_sizes_number(shapes, input)).s, units_count(n).s);
	return place;
}

struct printable input_sizes_part(const char *shapes, const char *others, int columns)
{
	return part_of(shapes, input_sizes_telling(shapes, others), columns);
}

static struct printable placed(const char *shapes, uint32_t input, int columns)
{
	struct printable text = place_of(shapes, input);

	printable_add(&text, "%s%s", *text.s ? ": " : "", part_of(shapes, input, columns).s);
	return text;
}

struct printable input_sizes_name(const char *shapes, const char *others, int columns)
{
	uint32_t input = input_sizes_telling(shapes, others);
	struct printable name = { "" };

	printable_add(&name, "%s%s", *place_of(shapes, input).s ? "input " : "", placed(shapes, input, columns).s);
	return name;
}

struct printable input_sizes_phrase(const char *shapes, const char *others, int columns)
{
	uint32_t input = input_sizes_telling(shapes, others);
	struct printable place = place_of(shapes, input), phrase = { "" };

	if (*place.s)
		printable_add(&phrase, "input %s of ", place.s);
	else
		printable_add(&phrase, "inputs of ");
	printable_add(&phrase, "%s", part_of(shapes, input, columns).s);
	return phrase;
}

static bool are_alike(const char *shapes, const char *others, uint32_t input)
{
	size_t len, other_len;
	const char *own = input_of(shapes, input, &len), *other = input_of(others, input, &other_len);

	return len == other_len && !memcmp(own, other, len);
}

/* The inputs that a row names. */
struct named {
	uint32_t n, input[NAMED];
};

/* Another row may be said in the same words: that of inputs which are alike in all that this one names. */
static bool is_told(const struct named *named, const char *shapes, const char *others)
{
	for (uint32_t i = 0; i < named->n; i++)
		if (!are_alike(shapes, others, named->input[i]))
			return true;
	return false;
}

static struct named inputs_named(const struct input_sizes_row *rows, uint32_t n, uint32_t row)
{
	const char *own = rows[row].shapes;
	struct named named = { 1, { rows[row].input } };

	for (uint32_t i = 0; i < n && named.n < NAMED; i++) {
		bool may_be_it = rows[i].input == rows[row].input && !is_told(&named, own, rows[i].shapes);
		uint32_t input = may_be_it ? input_sizes_telling(own, rows[i].shapes) : 0;

		if (input)
			named.input[named.n++] = input;
	}
	return named;
}

struct input_sizes_row input_sizes_row(const char *shapes, const char *others)
{
	return (struct input_sizes_row){ shapes, input_sizes_telling(shapes, others) };
}

struct printable input_sizes_cell(const struct input_sizes_row *rows, uint32_t n, uint32_t row, int columns)
{
	const struct input_sizes_row *own = &rows[row];
	struct named named = own->input ? inputs_named(rows, n, row) : (struct named){ 0 };
	struct printable cell = placed(own->shapes, own->input, columns);

	for (uint32_t i = 1; i < named.n; i++)
		printable_add(&cell, ", %s", placed(own->shapes, named.input[i], columns).s);
	return cell;
}
