// SPDX-License-Identifier: Apache-2.0
/* The operators of the chosen model: their order, and what their cells say. Figures are those of the window. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/provider.h"
#include "show/top/top_in.h"

struct order {
	const struct top *top;
	enum top_operator_column column;
	bool is_ascending;
};

static int compare_number(double a, double b)
{
	return a < b ? -1 : a > b;
}

static double mean_of(const struct live_operator *op)
{
	return op->window_n ? (double)op->window_ns / (double)op->window_n : 0;
}

static int compare_by(const struct order *order, const struct live_operator *a, const struct live_operator *b)
{
	const struct names *names = order->top->names;

	switch (order->column) {
	case TOP_CALLS:
		return compare_number((double)a->window_n, (double)b->window_n);
	case TOP_MEAN:
		return compare_number(mean_of(a), mean_of(b));
	case TOP_TIME:
		return compare_number((double)a->self_ns, (double)b->self_ns);
	case TOP_RAN_ON:
		return strcasecmp(names_text(names, a->provider), names_text(names, b->provider));
	case TOP_TYPE:
		return strcasecmp(names_text(names, a->type), names_text(names, b->type));
	case TOP_NODE:
		return strcasecmp(names_text(names, a->name), names_text(names, b->name));
	default:
		return a->window_ns || b->window_ns ? compare_number((double)a->window_ns, (double)b->window_ns)
						    : compare_number((double)a->self_ns, (double)b->self_ns);
	}
}

static int compare(const void *left, const void *right, void *ctx)
{
	const struct live_operator *a = *(const struct live_operator *const *)left,
				   *b = *(const struct live_operator *const *)right;
	const struct order *order = ctx;
	int by = compare_by(order, a, b);

	if (by)
		return order->is_ascending ? by : -by;
	return a < b ? -1 : a > b; /* in the order in which they came */
}

const struct live_operator **top_operators_sort(const struct top *top, const struct live_model *model, int *n)
{
	static const struct live_operator *list[LIVE_OPERATORS];
	struct order order = { top, top->operator_sort, top->is_operator_ascending };
	const struct live_operator *from = NULL;

	*n = 0;
	if (model) {
		from = top->is_by_type ? model->type : model->node;
		*n = (int)(top->is_by_type ? model->n_types : model->n_nodes);
	}
	for (int i = 0; i < *n; i++)
		list[i] = &from[i];
	qsort_r(list, (size_t)*n, sizeof *list, compare, &order);
	return list;
}

static double top_operators_share(const struct live_model *model, const struct live_operator *op)
{
	uint64_t window_ns = model->other_types.window_ns, all_ns = model->other_types.self_ns;

	for (uint32_t i = 0; i < model->n_types; i++) {
		window_ns += model->type[i].window_ns;
		all_ns += model->type[i].self_ns;
	}
	if (window_ns)
		return (double)op->window_ns / (double)window_ns;
	return all_ns ? (double)op->self_ns / (double)all_ns : NAN;
}

/* Seconds that the window is long. */
static double window_s(const struct top *top)
{
	struct live_interval newest, oldest;
	uint64_t n = live_n_intervals(top->live);

	if (!live_interval(top->live, 0, &newest) ||
	    !live_interval(top->live, n < LIVE_WINDOW ? (uint32_t)n - 1 : LIVE_WINDOW - 1, &oldest))
		return NAN;
	return (double)(newest.end_ns - oldest.begin_ns) / 1e9;
}

struct printable top_operators_cell(const struct top *top, const struct live_model *model,
				    const struct live_operator *op, enum top_operator_column column, int width)
{
	double mean = op->n ? (double)op->self_ns / (double)op->n : NAN;
	struct printable cell = { "" };
	const char *name;

	switch (column) {
	case TOP_SHARE:
		snprintf(cell.s, sizeof cell.s, "%s", units_percent(top_operators_share(model, op)).s);
		return cell;
	case TOP_CALLS:
		snprintf(cell.s, sizeof cell.s, "%s", top_cells_rate((double)op->window_n / window_s(top)).s);
		return cell;
	case TOP_MEAN:
		snprintf(cell.s, sizeof cell.s, "%s", units_duration(op->window_n ? mean_of(op) : mean).s);
		return cell;
	case TOP_TIME:
		snprintf(cell.s, sizeof cell.s, "%s", units_duration((double)op->self_ns).s);
		return cell;
	case TOP_RAN_ON:
		return top_cells_provider(top, names_text(top->names, op->provider), width);
	case TOP_TYPE:
		name = names_text(top->names, op->type);
		return top_cells_text(top, *name ? name : "-", width);
	default:
		name = names_text(top->names, op->name);
		return top_cells_text(top, *name ? name : "-", width);
	}
}

struct printable top_operators_deferred(const struct top *top, const struct live_model *model)
{
	struct printable words = { "" };

	for (uint32_t i = 0; i < model->n_types && !*words.s; i++)
		words = provider_deferred_words(names_text(top->names, model->type[i].provider), top->is_ascii);
	*words.s = (char)toupper((unsigned char)*words.s);
	return words;
}
