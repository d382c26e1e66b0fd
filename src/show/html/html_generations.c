// SPDX-License-Identifier: Apache-2.0
/* Generations of a model: their figures, the first ones on a time line, the time between tokens over the length of the
 * cache, and some of them. */
#include <math.h>

#include "show/html/html_model.h"
#include "show/words/generation_words.h"

enum { MOST_ROWS = 20, MOST_BARS = 48, BAR = 6, LANE = 9 };

static struct units_text tokens(double n)
{
	return n >= 1 && n < 1e18 ? units_count((uint64_t)n) : units_decimal(n);
}

static void draw_length(const struct plot *plot, const struct summary_length *row)
{
	double x = plot_x(plot, (double)row->length), y = plot_y(plot, (double)row->p50_ns);

	if (row->p90_ns > row->p50_ns)
		fprintf(plot->out, "<path class=\"line %s\" d=\"M%.1f %.1fV%.1f\"/>", html_colour(0).s, x, y,
			plot_y(plot, (double)row->p90_ns));
	fprintf(plot->out, "<circle class=\"fill %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>%s in the cache, ",
		html_colour(0).s, x, y, printable_count(row->length, "token").s);
	fprintf(plot->out, "%s made: median %s, ", printable_count(row->n, "token").s,
		units_duration((double)row->p50_ns).s);
	fprintf(plot->out, "of the inference %s</title></circle>\n", units_duration((double)row->inference_p50_ns).s);
}

/* The medians of the inferences alone, as a line below. */
static void draw_inferences(const struct plot *plot, const struct summary_length *row, uint32_t n)
{
	fprintf(plot->out, "<path class=\"line %s\" d=\"", html_colour(1).s);
	for (uint32_t i = 0; i < n; i++)
		fprintf(plot->out, "%c%.1f %.1f", i ? 'L' : 'M', plot_x(plot, (double)row[i].length),
			plot_y(plot, (double)row[i].inference_p50_ns));
	fputs("\"><title>Median of the inferences alone</title></path>\n", plot->out);
}

static void draw(struct html_page *page, const struct summary_length *row, uint32_t n)
{
	struct plot plot = plot_of(page->out, 560, 260);
	double high = 0;

	for (uint32_t i = 0; i < n; i++)
		high = fmax(high, (double)row[i].p90_ns);
	plot.x = plot_axis_of(0, (double)row[n - 1].length * 1.05, false);
	plot.y = plot_axis_of(0, high * 1.1, false);
	html_figure(page, "Median time between tokens over the length of the cache; a line upwards ends at the 90th "
			  "percentile. The line below is the median of the inferences alone: the rest is outside of "
			  "the model.");
	plot_begin(&plot, html_plot_id(page).s, "Time between tokens over the length of the cache",
		   "The figures are in the JSON report, and in the table token_lengths of queries.");
	plot_draw_x(&plot, tokens, "tokens in the cache");
	plot_draw_y(&plot, html_ns, "");
	draw_inferences(&plot, row, n);
	for (uint32_t i = 0; i < n; i++)
		draw_length(&plot, &row[i]);
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

static struct printable first_words(const struct generation *row)
{
	struct printable text = { "" };

	if (row->prompt_tokens)
		printable_add(&text, "prompt of %s, ", printable_count(row->prompt_tokens, "token").s);
	printable_add(&text, "first token after %s", units_duration((double)row->first_token_ns).s);
	return text;
}

/* Of the tokens behind the first one, or of all where the prompt is not in the recording. */
static struct printable rest_words(const struct generation *row)
{
	struct printable text = { "" };
	uint64_t n = row->output_tokens - (row->first_token_ns ? row->batch : 0);

	printable_add(&text, "%s%s", printable_count(n, "token").s, row->first_token_ns ? " behind it" : "");
	if (isfinite(row->per_token_ns))
		printable_add(&text, ", each %s", units_duration(row->per_token_ns).s);
	return text;
}

static void draw_bar(const struct plot *plot, double from, double to, double y, uint32_t colour, const char *words)
{
	double x = plot_x(plot, from), width = fmax(plot_x(plot, to) - x, 0.5);

	fprintf(plot->out, "<rect class=\"fill %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\">",
		html_colour(colour).s, x, y, width, BAR);
	fprintf(plot->out, "<title>%s</title></rect>\n", words);
}

/* Up to the first token, then from there to the last one. */
static void draw_generation(const struct plot *plot, const struct generation *row, uint64_t begin_ns, uint32_t i)
{
	double from = (double)(row->begin_ns - begin_ns), first = from + (double)row->first_token_ns;
	double y = plot->top + i * LANE;

	if (row->first_token_ns)
		draw_bar(plot, from, first, y, 1, first_words(row).s);
	if (row->n_steps)
		draw_bar(plot, first, (double)(row->end_ns - begin_ns), y, 0, rest_words(row).s);
}

static void draw_times(struct html_page *page, const struct generation *row, uint32_t n)
{
	uint64_t begin_ns = row[0].begin_ns, last_ns = 0;
	struct plot plot;

	n = n < MOST_BARS ? n : MOST_BARS;
	for (uint32_t i = 0; i < n; i++)
		last_ns = row[i].end_ns > last_ns ? row[i].end_ns : last_ns;
	plot = plot_of(page->out, 1180, 60 + n * LANE);
	plot.kind = "long";
	plot.x = plot_axis_of(0, (double)(last_ns - begin_ns), false);
	html_figure(page,
		    "The first generations on a time line, a row each: up to the first token, then the tokens behind "
		    "it. Each token is in inftrace view, and in the table tokens of queries.");
	plot_begin(&plot, html_plot_id(page).s, "Generations on a time line",
		   "The figures are in the table of generations.");
	plot_draw_x(&plot, html_ns, "since the first one began");
	for (uint32_t i = 0; i < n; i++)
		draw_generation(&plot, &row[i], begin_ns, i);
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

void html_generations(struct html_page *page)
{
	const struct summary *summary = page->summary;
	const struct summary_model *model = &summary->models[page->model];
	const struct summary_generations *own = &model->generations;
	struct printable counts = generation_counts(own), times = generation_times(own, false),
			 shares = generation_shares(own);
	struct table table = { 0 };
	uint64_t n_left;

	if (!own->n)
		return;
	html_section(page, "generations", "Generations", "%s.", counts.s);
	html_paragraph(page, "Tokens: %s. %s.", times.s, shares.s);
	if (own->rows.n)
		draw_times(page, summary->generations + own->rows.first, own->rows.n);
	n_left = generation_rows(&table, summary, model, MOST_ROWS);
	html_pair(page);
	if (own->lengths.n)
		draw(page, summary->lengths + own->lengths.first, own->lengths.n);
	fputs("<div>", page->out);
	html_table_of(page->out, "Generations in the order of their begins", &table);
	if (n_left)
		html_paragraph(page, "%s more are in the JSON report.", printable_count(n_left, "generation").s);
	fputs("</div></div>\n</section>\n", page->out);
}
