// SPDX-License-Identifier: Apache-2.0
/* The rows of the table of models: which, in which order, and what their cells say. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/top/top_in.h"

static double cpu_of(const struct live *live, const struct live_model *model)
{
	const struct live_counter *counter = live_counter_named(live, model->process, "cpu");

	return counter ? counter->value : NAN;
}

/* Over the window, so that rows do not change places with every noise. */
static double window_rate(const struct live *live, const struct live_model *model)
{
	struct live_interval newest, oldest;
	uint64_t n = live_n_intervals(live);

	if (!live_interval(live, 0, &newest) ||
	    !live_interval(live, n < LIVE_WINDOW ? (uint32_t)n - 1 : LIVE_WINDOW - 1, &oldest))
		return 0;
	return (double)model->window_n / ((double)(newest.end_ns - oldest.begin_ns) / 1e9);
}

/* With --sample and --rate most inferences are only counted, for the whole process. */
static double sampled_of(const struct live *live, const struct live_model *model)
{
	uint64_t n = 0, n_left_out = 0;

	for (uint32_t i = 0; i < live_n_processes(live); i++)
		if (live_process(live, i)->id == model->process)
			n_left_out = live_process(live, i)->n_sampled_out;
	for (uint32_t i = 0; i < live_n_models(live) && n_left_out; i++)
		if (live_model(live, i)->process == model->process)
			n += live_model(live, i)->sum.n;
	return n ? (double)(n + n_left_out) / (double)n : 1;
}

bool top_rows_match(const struct top *top, const struct top_row *row, const char *text)
{
	char pid[16];

	if (!*text || strcasestr(row->model->name, text) || strcasestr(row->model->process_name, text) ||
	    strcasestr(row->model->provider, text) || strcasestr(row->model->runtime, text))
		return true;
	for (uint32_t i = 0; i < row->n_members; i++) {
		const struct live_model *member = live_model_of(top->live, row->member[i]);

		snprintf(pid, sizeof pid, "%d", member ? (int)member->pid : 0);
		if (!strcmp(pid, text))
			return true;
	}
	return false;
}

/* Values that differ by less than a tenth are the same, and keep the order in which their models came. */
static double step_of(double value)
{
	return value > 0 ? floor(log(value) / log(1.1)) : -1e9;
}

static int compare_number(double a, double b)
{
	return a < b ? -1 : a > b;
}

static int compare_by(enum top_column column, const struct top_row *a, const struct top_row *b)
{
	const struct live_model *x = a->model, *y = b->model;

	switch (column) {
	case TOP_PID:
		return compare_number(x->pid, y->pid);
	case TOP_PROGRAM:
		return strcasecmp(x->process_name, y->process_name);
	case TOP_MODEL:
		return strcasecmp(x->name, y->name);
	case TOP_RUNTIME:
		return strcasecmp(x->runtime, y->runtime);
	case TOP_PROVIDER:
		return strcasecmp(x->provider, y->provider);
	case TOP_RATE:
		return compare_number(step_of(a->window_rate), step_of(b->window_rate));
	case TOP_MEDIAN:
		return compare_number(step_of((double)x->median_ns), step_of((double)y->median_ns));
	case TOP_P99:
		return compare_number(step_of((double)x->p99_ns), step_of((double)y->p99_ns));
	case TOP_TOKENS:
		return compare_number(step_of(a->tokens), step_of(b->tokens));
	case TOP_FIRST:
		return compare_number(step_of((double)x->first_token_ns), step_of((double)y->first_token_ns));
	case TOP_BUSY:
		return compare_number(step_of(a->busy), step_of(b->busy));
	case TOP_CPU:
		return compare_number(isnan(a->cpu) ? -1 : a->cpu, isnan(b->cpu) ? -1 : b->cpu);
	case TOP_SESSIONS:
		return compare_number(x->n_sessions, y->n_sessions);
	case TOP_PHASE:
		return compare_number(x->phase, y->phase);
	case TOP_TOTAL:
		return compare_number((double)x->sum.n, (double)y->sum.n);
	case TOP_FAILED:
		return compare_number((double)x->sum.n_failed, (double)y->sum.n_failed);
	default:
		return 0;
	}
}

struct order {
	enum top_column column;
	bool is_ascending;
};

static int compare(const void *left, const void *right, void *ctx)
{
	const struct top_row *a = left, *b = right;
	const struct order *order = ctx;
	int by = compare_by(order->column, a, b);

	if (by)
		return order->is_ascending ? by : -by;
	return a->member[0] < b->member[0] ? -1 : a->member[0] > b->member[0];
}

static bool is_shown(const struct top *top, const struct top_row *row)
{
	/* not those either that take too many steps */
	if (top->models && pattern_search(top->models, row->model->name, strlen(row->model->name)) != 1)
		return false;
	return top_rows_match(top, row, top->filter);
}

/* What is sampled, or used, is so by process. */
static void add_member(const struct top *top, struct top_row *row, const struct live_model *member)
{
	double sampled = sampled_of(top->live, member);
	double cpu = member->phase == LIVE_OVER ? NAN : cpu_of(top->live, member);
	double tokens = live_model_tokens(top->live, member);

	row->tokens = isnan(row->tokens) ? tokens : isnan(tokens) ? row->tokens : row->tokens + tokens;
	row->rate += live_model_rate(top->live, member) * sampled;
	row->window_rate += window_rate(top->live, member) * sampled;
	row->busy += live_model_busy(top->live, member) * sampled;
	row->sampled += (double)member->sum.n * sampled;
	row->cpu = isnan(row->cpu) ? cpu : isnan(cpu) ? row->cpu : row->cpu + cpu;
}

static struct top_row row_at(const struct top *top, uint32_t index)
{
	struct top_row row = { .cpu = NAN, .tokens = NAN };

	if (top->is_by_process) {
		row.model = live_model(top->live, index);
		row.member = &row.model->id;
		row.n_members = 1;
	} else {
		row.model = live_joined(top->live, index);
		row.n_members = live_joined_members(top->live, index, &row.member);
	}
	for (uint32_t i = 0; i < row.n_members; i++) {
		const struct live_model *member = live_model_of(top->live, row.member[i]);

		if (member)
			add_member(top, &row, member);
	}
	row.sampled = row.model->sum.n ? row.sampled / (double)row.model->sum.n : 1;
	return row;
}

uint32_t top_rows_n(const struct top *top)
{
	return top->is_by_process ? live_n_models(top->live) : live_n_joined(top->live);
}

void top_rows_make(const struct top *top, struct top_rows *rows)
{
	struct order order = { top->sort, top->is_ascending };

	rows->n = rows->n_hidden = 0;
	for (uint32_t i = 0; i < top_rows_n(top); i++) {
		struct top_row row = row_at(top, i);

		if (is_shown(top, &row))
			rows->row[rows->n++] = row;
		else
			rows->n_hidden++;
	}
	qsort_r(rows->row, (size_t)rows->n, sizeof *rows->row, compare, &order);
	rows->chosen = rows->n ? 0 : -1;
	for (int i = 0; i < rows->n; i++)
		if (rows->row[i].model->id == top->chosen)
			rows->chosen = i;
}

bool top_rows_have(const struct top_rows *list, enum top_column column)
{
	bool is_of_tokens = column == TOP_TOKENS || column == TOP_FIRST;

	if (!is_of_tokens && column != TOP_RUNTIME)
		return true;
	for (int i = 0; i < list->n; i++)
		if (is_of_tokens ? list->row[i].model->n_tokens != 0
				 : strcmp(list->row[i].model->runtime, list->row[0].model->runtime) != 0)
			return true;
	return false;
}

static struct printable figure(struct units_text text)
{
	struct printable cell;

	snprintf(cell.s, sizeof cell.s, "%s", text.s);
	return cell;
}

static struct printable percent(double share_of_100)
{
	struct printable cell = { "" };

	if (isfinite(share_of_100))
		snprintf(cell.s, sizeof cell.s, share_of_100 < 9.95 ? "%.1f" : "%.0f", share_of_100);
	return cell;
}

static struct printable duration(uint64_t ns)
{
	return ns ? figure(units_duration((double)ns)) : (struct printable){ "" };
}

struct printable top_rows_cell(const struct top *top, const struct top_row *row, enum top_column column, int width)
{
	const struct live_model *model = row->model;
	struct printable cell = { "" };

	switch (column) {
	case TOP_PID:
		snprintf(cell.s, sizeof cell.s, model->n_processes > 1 ? "x%d" : "%d",
			 model->n_processes > 1 ? (int)model->n_processes : (int)model->pid);
		return cell;
	case TOP_PROGRAM:
		return top_cells_text(top, model->process_name, width);
	case TOP_MODEL:
		return top_cells_text(top, *model->name ? model->name : "?", width);
	case TOP_RUNTIME:
		return top_cells_text(top, model->runtime, width);
	case TOP_PROVIDER:
		return top_cells_provider(top, model->provider, width);
	case TOP_RATE:
		snprintf(cell.s, sizeof cell.s, "%s%s", row->sampled > 1 && row->rate > 0 ? "~" : "",
			 top_cells_rate(row->rate).s);
		return cell;
	case TOP_MEDIAN:
		return duration(model->median_ns);
	case TOP_P99:
		return duration(model->p99_ns);
	case TOP_TOKENS:
		if (isfinite(row->tokens))
			return figure(top_cells_rate(row->tokens));
		return cell;
	case TOP_FIRST:
		return duration(model->first_token_ns);
	case TOP_BUSY:
		return percent(row->busy * 100);
	case TOP_CPU:
		return percent(row->cpu);
	case TOP_SESSIONS:
		snprintf(cell.s, sizeof cell.s, "%u%s", model->n_sessions, model->has_more_sessions ? "+" : "");
		return cell;
	case TOP_PHASE:
		snprintf(cell.s, sizeof cell.s, "%s", top_cells_phase(model->phase));
		return cell;
	case TOP_TOTAL:
		return figure(top_cells_count(model->sum.n, width));
	case TOP_FAILED:
		return figure(top_cells_count(model->sum.n_failed, width));
	default:
		return cell;
	}
}
