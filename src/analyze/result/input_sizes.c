// SPDX-License-Identifier: Apache-2.0
#include "analyze/result/input_sizes.h"

#include <math.h>
#include <string.h>

#include "analyze/store/shapes.h"

enum { LEAST = 3 };

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
	size_t len = strcspn(text, ",");

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
	for (uint32_t i = 1; *shapes; i++) {
		const char *next, *other_next;
		size_t len = input_at(shapes, &next);

		if (len != input_at(others, &other_next) || strncmp(shapes, others, len) != 0)
			return i;
		shapes = next;
		others = other_next;
	}
	return 0;
}

uint32_t input_sizes_count(const char *shapes)
{
	uint64_t own;
	uint32_t n = 0;

	while (shapes_next(&shapes, &own))
		n++;
	return n;
}

uint32_t input_sizes_telling(const char *shapes, const char *others)
{
	uint32_t varying = input_sizes_varying(shapes, others);

	return varying ? varying : first_other(shapes, others);
}

struct printable input_sizes_part(const char *shapes, const char *others, int columns)
{
	uint32_t input = input_sizes_telling(shapes, others);
	const char *own = shapes, *next = shapes, *open;
	size_t len = strlen(shapes);

	for (uint32_t i = 0; i < input; i++) {
		own = next;
		len = input_at(own, &next);
	}
	open = input ? memchr(own, '[', len) : NULL;
	if (open && own[len - 1] == ']') {
		len -= (size_t)(open + 1 - own) + 1;
		own = open + 1;
	}
	return printable_text(own, len, columns, true);
}

struct printable input_sizes_name(const char *shapes, const char *others, int columns)
{
	uint32_t input = input_sizes_telling(shapes, others), n = input_sizes_count(shapes);
	struct printable name = { "" };

	if (input && n > 1)
		printable_add(&name, "input %u of %u: ", input, n);
	printable_add(&name, "%s", input_sizes_part(shapes, others, columns).s);
	return name;
}
