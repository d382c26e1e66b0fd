// SPDX-License-Identifier: Apache-2.0
#include "analyze/result/input_sizes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Of "float32[1x3x640x512]"; 0: it does not look like that, or has none. */
static double elements_of(const char *text, size_t len)
{
	const char *at = memchr(text, '[', len), *end = text + len;
	double elements = 1;
	char *next;

	if (!at || text[len - 1] != ']')
		return 0;
	for (at++; at < end - 1; at = next + (*next == 'x')) {
		elements *= (double)strtoull(at, &next, 10);
		if (next == at || next >= end || (*next != 'x' && *next != ']'))
			return 0;
	}
	return elements;
}

double input_sizes_ratio(const char *shapes, const char *others)
{
	const char *next, *other_next;
	double most = 1;

	for (; *shapes && *others; shapes = next, others = other_next) {
		double own = elements_of(shapes, input_at(shapes, &next));
		double other = elements_of(others, input_at(others, &other_next));
		double ratio = own / other;

		if (!(own > 0 && other > 0))
			return 0;
		if (fabs(log(ratio)) > fabs(log(most)))
			most = ratio;
	}
	return *shapes || *others ? 0 : most;
}

const struct summary_tally *input_sizes_most(const struct summary *summary, const struct summary_model *model)
{
	const struct summary_tally *most = NULL;

	for (uint32_t i = 0; i < model->tallies.n; i++) {
		const struct summary_tally *tally = &summary->tallies[model->tallies.first + i];

		if (tally->key == KEY_SHAPES && (!most || tally->n > most->n))
			most = tally;
	}
	return most && 4 * most->n >= model->runs.n ? most : NULL;
}

double input_sizes_ratio_to(const struct summary *summary, const struct summary_tally *most, uint32_t shapes)
{
	return most && shapes
		   ? input_sizes_ratio(names_text(summary->names, shapes), names_text(summary->names, most->text))
		   : 0;
}

struct printable input_sizes_part(const char *shapes, const char *others, int columns)
{
	const char *own = shapes, *other = others, *next, *other_next, *open;
	size_t len = 0;

	while (*own) {
		len = input_at(own, &next);
		if (len != input_at(other, &other_next) || strncmp(own, other, len) != 0)
			break;
		own = next;
		other = other_next;
	}
	if (!*own)
		return printable_text(shapes, strlen(shapes), columns, true);
	open = memchr(own, '[', len);
	if (open && own[len - 1] == ']') {
		len -= (size_t)(open + 1 - own) + 1;
		own = open + 1;
	}
	return printable_text(own, len, columns, true);
}
