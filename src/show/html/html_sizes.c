// SPDX-License-Identifier: Apache-2.0
/* Latency by the size of the inputs of a model, and by the processes that run it. */
#include <math.h>

#include "analyze/result/input_sizes.h"
#include "show/html/html_model.h"
#include "show/words/size_rows.h"
#include "show/words/worker_rows.h"

/* WIDE: all inputs together tell sizes that far apart. */
enum { MOST_WORKERS = 20, WIDE = 2 };

/* The elements that tell sizes apart: of all inputs, or of one that varies beside large ones that do not. */
struct axis {
	uint32_t input; /* from 1; 0: all */
	double low, high;
};

static double elements_of(const struct html_page *page, const struct summary_size *size, uint32_t input)
{
	uint64_t own = input ? input_sizes_elements(names_text(page->summary->names, size->shapes), input) : 0;

	return input ? fmax((double)own, 1) : (double)size->elements;
}

static struct axis axis_of(const struct html_page *page, const struct summary_size *size, uint32_t n, uint32_t input)
{
	struct axis axis = { input, INFINITY, 0 };

	for (uint32_t i = 0; i < n; i++) {
		axis.low = fmin(axis.low, elements_of(page, &size[i], input));
		axis.high = fmax(axis.high, elements_of(page, &size[i], input));
	}
	return axis;
}

static struct axis choose_axis(const struct html_page *page, const struct summary_size *size, uint32_t n)
{
	const struct names *names = page->summary->names;
	struct axis all = axis_of(page, size, n, 0), own;
	uint32_t input = input_sizes_varying(names_text(names, size[0].shapes), names_text(names, size[n - 1].shapes));

	if (page->summary->models[page->model].are_sizes_mixed || !input || all.high / all.low >= WIDE)
		return all;
	own = axis_of(page, size, n, input);
	return own.high / own.low > all.high / all.low ? own : all;
}

static struct plot plot_of_sizes(const struct html_page *page, const struct summary_size *size, uint32_t n,
				 const struct axis *axis)
{
	struct plot plot = plot_of(page->out, 560, 260);
	double low = INFINITY, high = 0;

	for (uint32_t i = 0; i < n; i++) {
		low = fmin(low, (double)size[i].p50_ns);
		high = fmax(high, (double)size[i].p90_ns);
	}
	plot.x = plot_axis_of(axis->low / 1.2, axis->high * 1.2, true);
	plot.y = plot_axis_of(low / 1.2, high * 1.2, true);
	return plot;
}

/* Its area is the share of the inferences. */
static void draw_size(const struct plot *plot, const struct summary_size *size, double n_elements, uint64_t n_all)
{
	double x = plot_x(plot, n_elements), y = plot_y(plot, (double)size->p50_ns);

	if (size->p90_ns > size->p50_ns)
		fprintf(plot->out, "<path class=\"line %s\" d=\"M%.1f %.1fV%.1f\"/>", html_colour(0).s, x, y,
			plot_y(plot, (double)size->p90_ns));
	fprintf(plot->out, "<circle class=\"fill %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"><title>%s, %s",
		html_colour(0).s, x, y, 3 + 12 * sqrt((double)size->n / (double)n_all),
		printable_count((uint64_t)n_elements, "element").s, printable_count(size->n, "inference").s);
	fprintf(plot->out, ", median %s</title></circle>\n", units_duration((double)size->p50_ns).s);
}

static struct units_text elements(double n)
{
	return n >= 1 && n < 1e18 ? units_count((uint64_t)n) : units_decimal(n);
}

static void draw(struct html_page *page, const struct summary_size *size, uint32_t n)
{
	struct axis axis = choose_axis(page, size, n);
	struct plot plot = plot_of_sizes(page, size, n, &axis);
	struct printable label = { "" };
	uint64_t n_all = 0;

	for (uint32_t i = 0; i < n; i++)
		n_all += size[i].n;
	html_figure(page,
		    "Median latency by the size of the inputs. The area of a circle is its share of the inferences; a "
		    "line ends at the 90th percentile.");
	plot_begin(&plot, html_plot_id(page).s, "Median latency by the size of the inputs",
		   "The figures are in the table with it.");
	if (axis.input)
		printable_add(
		    &label, "elements of input %s (logarithmic)",
		    units_count(input_sizes_number(names_text(page->summary->names, size->shapes), axis.input)).s);
	else
		printable_add(&label, "elements of all inputs (logarithmic)");
	plot_draw_x(&plot, elements, label.s);
	plot_draw_y(&plot, html_ns, "");
	for (uint32_t i = 0; i < n; i++)
		draw_size(&plot, &size[i], elements_of(page, &size[i], axis.input), n_all);
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

void html_sizes(struct html_page *page)
{
	const struct summary *summary = page->summary;
	const struct summary_model *model = &summary->models[page->model];
	struct table table = { 0 };

	if (model->sizes.n < 2)
		return;
	html_section(page, "sizes", "Size of the inputs",
		     "Inferences whose inputs have about as many elements%s form one size.",
		     model->are_sizes_mixed ? " in all" : "");
	html_pair(page);
	draw(page, summary->sizes + model->sizes.first, model->sizes.n);
	fputs("<div>", page->out);
	size_rows(&table, summary, model, UINT32_MAX);
	html_table_of(page->out, "Latency by the size of the inputs", &table);
	fputs("</div></div>\n</section>\n", page->out);
}

void html_workers(struct html_page *page)
{
	const struct summary_model *model = &page->summary->models[page->model];
	struct table table = { 0 };

	worker_rows(&table, page->summary, model, MOST_WORKERS);
	if (!table.n_columns)
		return;
	html_section(page, "workers", "Processes", "%s run the model. The slowest are listed.",
		     printable_count(model->n_processes, "process").s);
	html_table_of(page->out, "Median and 90th percentile of each", &table);
	fputs("</section>\n", page->out);
}
