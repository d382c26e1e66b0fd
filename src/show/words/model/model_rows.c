// SPDX-License-Identifier: Apache-2.0
/* Rows of runs, latencies, session creation, memory and outputs. */
#include "show/words/model/model_rows.h"

#include <math.h>
#include <string.h>

static const struct model_result *result_of(const struct model_view *view, uint32_t r)
{
	return &view->analysis->report->results[r];
}

static uint32_t n_runs(const struct model_view *view)
{
	return view->analysis->report->n_results;
}

static struct printable name_of(const struct model_view *view, const char *text)
{
	return model_text(text, view->columns, view->is_ascii);
}

bool model_view_has(const struct model_view *view, bool (*has)(const struct model_run *run))
{
	for (uint32_t r = view->first; r < view->end; r++)
		if (has(&view->analysis->runs[r]))
			return true;
	return false;
}

bool model_has_latency(const struct model_run *run)
{
	return run->latency.n > 0;
}

bool model_has_phases(const struct model_run *run)
{
	return run->result->n_phases > 0;
}

bool model_has_operators(const struct model_run *run)
{
	return run->result->n_operators > 0;
}

bool model_has_bounds(const struct model_run *run)
{
	return run->bound_sums.rated_ns > 0;
}

static double known(int64_t value)
{
	return value < 0 ? NAN : (double)value;
}

static void put_duration(struct table *table, double ns)
{
	table_cell(table, isnan(ns) ? TABLE_DIM : TABLE_PLAIN, "%s", units_duration(ns).s);
}

static void put_speed(struct table *table, const struct model_view *view, uint32_t r)
{
	const struct stats_ratio *speed = &view->analysis->runs[r].speed;
	enum table_style style = !speed->is_known	? TABLE_PLAIN
				 : !speed->is_different ? TABLE_DIM
				 : speed->value > 1	? TABLE_GREEN
							: TABLE_RED;

	table_cell(table, r ? style : TABLE_PLAIN, "%s",
		   r		      ? model_ratio_words(speed).s
		   : n_runs(view) > 1 ? "1 x"
				      : "");
}

static const char *const axis_headers[N_MODEL_AXES] = {
	"model", "runtime", "provider", "threads", "batch", "optimization",
};

static bool differs_in(const struct model_view *view, int axis)
{
	return n_runs(view) && result_of(view, 0)->differs[axis];
}

/* Runs that differ in several things have a column for each; else their label says it. */
static bool has_axes(const struct model_view *view)
{
	int n = 0;

	for (int axis = 0; axis < N_MODEL_AXES; axis++)
		n += differs_in(view, axis);
	return n > 1;
}

static bool has_items(const struct model_view *view)
{
	for (uint32_t r = 0; r < n_runs(view); r++)
		if (result_of(view, r)->n_items > 1)
			return true;
	return false;
}

static bool has_tokens(const struct model_view *view)
{
	return !strcmp(model_per(view->analysis), "token");
}

/* Has it more columns than may fit? */
static bool is_wide(const struct model_view *view)
{
	return has_items(view) || has_axes(view);
}

static void put_names(struct table *table, const struct model_view *view, uint32_t r, enum table_style style)
{
	if (!has_axes(view))
		table_cell(table, style, "%s", view->label[r].s);
	for (int axis = 0; axis < N_MODEL_AXES && has_axes(view); axis++)
		if (differs_in(view, axis))
			table_cell(table, style, "%s", name_of(view, result_of(view, r)->differs[axis]).s);
}

static void name_columns(struct table *table, const struct model_view *view)
{
	if (!has_axes(view))
		table_column(table, "run", TABLE_LEFT | TABLE_SHRINKS | TABLE_KEEPS);
	for (int axis = 0; axis < N_MODEL_AXES && has_axes(view); axis++)
		if (differs_in(view, axis))
			table_column(table, axis_headers[axis],
				     axis == MODEL_AXIS_MODEL ? TABLE_LEFT | TABLE_SHRINKS | TABLE_KEEPS : TABLE_LEFT);
}

static void put_run(struct table *table, const struct model_view *view, uint32_t r)
{
	const struct model_run *run = &view->analysis->runs[r];
	const struct model_result *result = run->result;

	put_names(table, view, r, result->error ? TABLE_RED : TABLE_BOLD);
	if (result->error) {
		/* not in a column that may be hidden */
		for (int i = 0; i < 6 + has_items(view) + view->analysis->is_per_item; i++) {
			bool is_word = i == (is_wide(view) ? 2 : 0);

			table_cell(table, is_word ? TABLE_RED : TABLE_PLAIN, "%s", is_word ? "failed" : "");
		}
		return;
	}
	put_duration(table, known(result->creation_ns));
	put_duration(table, known(result->first_ns));
	table_cell(table, TABLE_BOLD, "%s",
		   units_interval(run->latency.mean_ns, run->latency.interval_ns, view->is_ascii).s);
	put_duration(table, run->latency.percentile[0].ns);
	table_cell(table, TABLE_PLAIN, "%s", units_rate(run->rate_per_s).s);
	if (view->analysis->is_per_item)
		put_duration(table, run->latency.mean_ns / run->items);
	if (has_items(view))
		table_cell(table, TABLE_PLAIN, "%s", units_rate(run->items_per_s).s);
	put_speed(table, view, r);
}

void model_rows_runs(struct table *table, const struct model_view *view)
{
	int optional = is_wide(view) ? TABLE_OPTIONAL : 0;

	name_columns(table, view);
	table_column(table, "creation", TABLE_RIGHT | optional);
	table_column(table, "first", TABLE_RIGHT | (n_runs(view) > 1 ? TABLE_OPTIONAL : 0));
	table_column(table, view->is_ascii ? "mean +- 95 %" : "mean \302\261 95 %", TABLE_RIGHT);
	table_column(table, "median", TABLE_RIGHT | optional);
	table_column(table, has_tokens(view) ? "tokens" : "inferences", TABLE_RIGHT | optional);
	if (view->analysis->is_per_item)
		table_column(table, "per item", TABLE_RIGHT);
	if (has_items(view))
		table_column(table, "items", TABLE_RIGHT);
	table_column(table, "speed", TABLE_RIGHT);
	for (uint32_t r = 0; r < n_runs(view); r++)
		put_run(table, view, r);
}

static void put_series(struct table *table, enum table_style style, const char *name, const struct stats_series *series)
{
	if (!series->n)
		return;
	table_cell(table, style, "%s", name);
	table_cell(table, TABLE_PLAIN, "%s", units_count(series->n).s);
	put_duration(table, (double)series->min_ns);
	for (int i = 0; i < STATS_N_PERCENTILES; i++) {
		const struct stats_quantile *own = &series->percentile[i];

		if (isnan(own->ns))
			table_cell(table, TABLE_DIM, "?");
		else
			put_duration(table, own->ns);
	}
	put_duration(table, (double)series->max_ns);
}

void model_rows_latency(struct table *table, const struct model_view *view)
{
	static const char *const headers[] = { "count", "min", "p50", "p90", "p95", "p99", "p99.9", "max" };

	table_column(table, "run", TABLE_LEFT | TABLE_SHRINKS | TABLE_KEEPS);
	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
		table_column(table, headers[i], TABLE_RIGHT);
	for (uint32_t r = 0; r < n_runs(view); r++) {
		const struct model_run *run = &view->analysis->runs[r];
		struct printable name;

		put_series(table, TABLE_BOLD, view->label[r].s, &run->latency);
		for (uint32_t i = 0; run->n_groups > 1 && i < run->n_groups; i++) {
			name = (struct printable){ "  " };
			printable_add(&name, "%s", name_of(view, run->groups[i].shape).s);
			put_series(table, TABLE_PLAIN, name.s, &run->groups[i].latency);
		}
		put_series(table, TABLE_PLAIN, "  with waiting", &run->response);
	}
}

static void put_output(struct table *table, const struct model_view *view, uint32_t r,
		       const struct model_output *output)
{
	enum table_style style = output->is_equal ? TABLE_GREEN : TABLE_RED;

	table_cell(table, TABLE_BOLD, "%s", view->label[r].s);
	table_cell(table, TABLE_PLAIN, "%s", name_of(view, output->name).s);
	table_cell(table, TABLE_PLAIN, "%s", model_text(result_of(view, r)->against, 20, view->is_ascii).s);
	table_cell(table, style, "%s",
		   output->problem    ? name_of(view, output->problem).s
		   : output->is_equal ? "agrees"
				      : "differs");
	if (output->n_different < 0 || output->n_elements < 0)
		table_cell(table, TABLE_DIM, "-");
	else
		table_cell(table, TABLE_PLAIN, "%s of %s", units_count((uint64_t)output->n_different).s,
			   units_count((uint64_t)output->n_elements).s);
	table_cell(table, TABLE_PLAIN, isfinite(output->max_abs) ? "%.3g" : "-", output->max_abs);
	table_cell(table, TABLE_PLAIN, isfinite(output->max_rel) ? "%.3g" : "-", output->max_rel);
	if (!view->is_roomy)
		return;
	table_cell(table, TABLE_PLAIN, isfinite(output->cosine) ? "%.6g" : "-", output->cosine);
	table_cell(table, TABLE_PLAIN, "%s", output->where ? name_of(view, output->where).s : "-");
	table_cell(table, TABLE_PLAIN, "%s[%s]", name_of(view, output->type).s,
		   output->shape ? name_of(view, output->shape).s : "?");
}

void model_rows_outputs(struct table *table, const struct model_view *view)
{
	table_column(table, "run", TABLE_LEFT | TABLE_SHRINKS | TABLE_KEEPS);
	table_column(table, "output", TABLE_LEFT | TABLE_SHRINKS | TABLE_NAME | TABLE_KEEPS);
	table_column(table, "against", TABLE_LEFT);
	table_column(table, "result", TABLE_LEFT | TABLE_SHRINKS);
	table_column(table, "different", TABLE_RIGHT);
	table_column(table, "absolute", TABLE_RIGHT);
	table_column(table, "relative", TABLE_RIGHT);
	if (view->is_roomy) {
		table_column(table, "cosine", TABLE_RIGHT);
		table_column(table, "largest at", TABLE_LEFT);
		table_column(table, "type", TABLE_LEFT);
	}
	for (uint32_t r = 0; r < n_runs(view); r++)
		for (uint32_t i = 0; i < result_of(view, r)->n_outputs; i++)
			put_output(table, view, r, &result_of(view, r)->outputs[i]);
}

static void add_name(struct model_names *list, const char *name)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (!strcmp(list->name[i], name))
			return;
	if (list->n < sizeof list->name / sizeof *list->name)
		list->name[list->n++] = name;
}

struct model_names model_phase_names(const struct model_view *view)
{
	struct model_names list = { .n = 0 };

	for (uint32_t r = view->first; r < view->end; r++)
		for (uint32_t i = 0; i < result_of(view, r)->n_phases; i++)
			add_name(&list, result_of(view, r)->phases[i].name);
	return list;
}

struct model_names model_step_names(const struct model_view *view)
{
	struct model_names list = { .n = 0 };

	for (uint32_t r = view->first; r < view->end; r++)
		for (uint32_t i = 0; i < result_of(view, r)->n_steps; i++)
			add_name(&list, result_of(view, r)->steps[i].name);
	return list;
}

double model_phase_ns(const struct model_result *result, const char *name)
{
	for (uint32_t i = 0; i < result->n_phases; i++)
		if (!strcmp(result->phases[i].name, name))
			return known(result->phases[i].ns);
	return NAN;
}

double model_rss_after(const struct model_result *result, const char *name)
{
	for (uint32_t i = 0; i < result->n_steps; i++)
		if (!strcmp(result->steps[i].name, name))
			return known(result->steps[i].rss_bytes);
	return NAN;
}

static void run_columns(struct table *table, const struct model_view *view, const char *first, int flags)
{
	table_column(table, first, TABLE_LEFT | flags);
	for (uint32_t r = view->first; r < view->end; r++)
		table_column(table, view->label[r].s, TABLE_RIGHT | TABLE_SHRINKS);
}

static void put_share(struct table *table, double ns, double of_ns)
{
	if (isnan(ns) || !(of_ns > 0))
		put_duration(table, ns);
	else
		table_cell(table, TABLE_PLAIN, "%s (%.0f %%)", units_duration(ns).s, 100 * ns / of_ns);
}

void model_rows_creation(struct table *table, const struct model_view *view)
{
	struct model_names names = model_phase_names(view);

	run_columns(table, view, "phase", 0);
	for (uint32_t i = 0; i < names.n; i++) {
		table_cell(table, TABLE_PLAIN, "%s", name_of(view, names.name[i]).s);
		for (uint32_t r = view->first; r < view->end; r++)
			put_share(table, model_phase_ns(result_of(view, r), names.name[i]),
				  known(result_of(view, r)->creation_ns));
	}
	table_cell(table, TABLE_DIM, "unattributed");
	for (uint32_t r = view->first; r < view->end; r++)
		put_share(table, known(view->analysis->runs[r].creation_rest_ns),
			  known(result_of(view, r)->creation_ns));
	table_cell(table, TABLE_BOLD, "in total");
	for (uint32_t r = view->first; r < view->end; r++)
		table_cell(table, TABLE_BOLD, "%s", units_duration(known(result_of(view, r)->creation_ns)).s);
}

static void put_bytes(struct table *table, enum table_style style, double bytes)
{
	table_cell(table, isnan(bytes) ? TABLE_DIM : style, "%s", units_bytes(bytes).s);
}

static bool makes_tokens(const struct model_view *view)
{
	return view->first < view->end && result_of(view, view->first)->n_tokens > 0;
}

void model_rows_memory(struct table *table, const struct model_view *view)
{
	struct model_names names = model_step_names(view);

	run_columns(table, view, "after", 0);
	for (uint32_t i = 0; i < names.n; i++) {
		table_cell(table, TABLE_PLAIN, "%s",
			   name_of(view, model_step_words(names.name[i], makes_tokens(view))).s);
		for (uint32_t r = view->first; r < view->end; r++)
			put_bytes(table, TABLE_PLAIN, model_rss_after(result_of(view, r), names.name[i]));
	}
	table_cell(table, TABLE_BOLD, "peak");
	for (uint32_t r = view->first; r < view->end; r++)
		put_bytes(table, TABLE_BOLD, known(result_of(view, r)->peak_bytes));
	table_cell(table, TABLE_PLAIN, "CPUs in use");
	for (uint32_t r = view->first; r < view->end; r++)
		table_cell(table, TABLE_PLAIN, "%s", units_decimal(view->analysis->runs[r].cores).s);
	table_cell(table, TABLE_PLAIN, "CPUs used by others");
	for (uint32_t r = view->first; r < view->end; r++)
		table_cell(table, TABLE_PLAIN, "%s", units_decimal(view->analysis->runs[r].others_cores).s);
	table_cell(table, TABLE_PLAIN, "energy per %s", has_tokens(view) ? "token" : "inference");
	for (uint32_t r = view->first; r < view->end; r++) {
		double joules = view->analysis->runs[r].energy_joules;

		if (isfinite(joules))
			table_cell(table, TABLE_PLAIN, "%s", units_joules(joules).s);
		else
			table_cell(table, TABLE_DIM, "not known");
	}
}
