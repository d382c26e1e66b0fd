// SPDX-License-Identifier: Apache-2.0
/* Where the time of a recording went: one bar, and one for each thread that creates sessions or runs inferences. */
#include <ctype.h>

#include "show/html/html_model.h"
#include "show/words/time_words.h"

enum { HEIGHT = 96, ROW = 30, BARS = 12, PARTS = 5 };

struct part {
	const char *name;
	uint64_t ns;
};

static void find_parts(const struct summary_time *time, struct part part[PARTS])
{
	part[0] = (struct part){ "running models", time->inferences_ns - time->first_ns - time->waiting_ns };
	part[1] = (struct part){ "waiting for a CPU", time->waiting_ns };
	part[2] = (struct part){ "first inferences", time->first_ns };
	part[3] = (struct part){ "creating sessions", time->creating_ns };
	part[4] = (struct part){ "outside of models", time->outside_ns };
}

static void put_key(struct html_page *page, const struct part *part)
{
	fputs("<ul class=\"key\">", page->out);
	for (uint32_t i = 0; i < PARTS; i++) {
		if (!part[i].ns)
			continue;
		if (i + 1 < PARTS)
			fprintf(page->out, "<li class=\"%s\">", html_phase_colour(i).s);
		else
			fputs("<li style=\"--k:var(--line)\">", page->out);
		html_words(page->out, "%s %s", part[i].name, units_duration((double)part[i].ns).s);
		fputs("</li>", page->out);
	}
	fputs("</ul>\n", page->out);
}

static void draw_bar(const struct plot *plot, double y, const struct summary_time *time)
{
	struct part part[PARTS];
	double at_ns = 0;

	find_parts(time, part);
	for (uint32_t i = 0; i < PARTS; i++) {
		struct printable kind = { "rest" };

		if (i + 1 < PARTS) {
			kind = (struct printable){ "fill " };
			printable_add(&kind, "%s", html_phase_colour(i).s);
		}
		html_bar(plot, y, at_ns, (double)part[i].ns, kind.s, part[i].name);
		at_ns += (double)part[i].ns;
	}
}

/* What the bars say, for those who cannot see them, and of the threads that have none. */
static void put_lines(struct html_page *page, uint32_t n_bars)
{
	struct printable line[TIME_CALLERS];
	uint32_t n = time_callers(page->summary, false, line);
	uint64_t n_left = time_n_callers(page->summary) - n_bars;

	if (n_left)
		html_paragraph(page, "Not drawn: %s more. All together:", printable_count(n_left, "thread").s);
	for (uint32_t i = 0; i < n; i++) {
		*line[i].s = (char)toupper((unsigned char)*line[i].s);
		html_paragraph(page, "%s.", line[i].s);
	}
}

static void draw_callers(struct html_page *page)
{
	const struct summary *summary = page->summary;
	uint32_t n = summary->n_callers < BARS ? summary->n_callers : BARS;
	struct plot plot = plot_of(page->out, 560, 62 + (double)ROW * n);
	uint64_t most_ns = 0;

	if (time_n_callers(summary) < 2)
		return;
	for (uint32_t i = 0; i < n; i++)
		most_ns = summary->callers[i].time.wall_ns > most_ns ? summary->callers[i].time.wall_ns : most_ns;
	plot.left = 176;
	plot.right = 546;
	plot.x = plot_axis_of(0, (double)most_ns, false);
	html_figure(page,
		    "Thread by thread: a process\342\200\231s first thread from its start to its end, another one "
		    "from its first call to the end of its last.");
	plot_begin(&plot, html_plot_id(page).s, "How threads spent their time", "The figures are in the text below.");
	plot_draw_x(&plot, html_ns, "");
	for (uint32_t i = 0; i < n; i++) {
		double y = plot.top + ROW * (double)i + ROW / 2.0;

		plot_text(&plot, plot.left - 8, y + 4, "end", "ink", "%s",
			  time_caller(summary, &summary->callers[i], 24, false).s);
		draw_bar(&plot, y, &summary->callers[i].time);
	}
	plot_end(&plot);
	fputs("</figure>\n", page->out);
	put_lines(page, n);
}

static void draw_all(struct html_page *page)
{
	const struct summary_time *time = &page->summary->time;
	struct plot plot = plot_of(page->out, 560, HEIGHT);
	struct part part[PARTS];

	find_parts(time, part);
	plot.left = 14;
	plot.right = 546;
	plot.x = plot_axis_of(0, (double)time->wall_ns, false);
	html_figure(page, "%s", time_sum(page->summary).s);
	put_key(page, part);
	plot_begin(&plot, html_plot_id(page).s, "Where the time went", time_sum(page->summary).s);
	plot_draw_x(&plot, html_ns, "");
	draw_bar(&plot, plot.top + 17, time);
	plot_end(&plot);
	fputs("</figure>\n", page->out);
}

void html_time(struct html_page *page)
{
	bool has_time = page->summary->time.wall_ns != 0, has_memory = html_has_moved(page);

	if (!has_time && !has_memory)
		return;
	html_section(page, "time",
		     !has_memory ? "Where the time went"
		     : has_time	 ? "Where the time went, and how memory moved"
				 : "How memory moved",
		     "%s",
		     has_time ? "Of all processes together. Waiting and first inferences are shares of the time of "
				"inferences, as their threads spent it."
			      : "Of each process.");
	fputs("<div class=\"pair\"><div>", page->out);
	if (has_time) {
		draw_all(page);
		draw_callers(page);
	}
	fputs(has_time && has_memory ? "</div>\n<div>" : "", page->out);
	if (has_memory)
		html_moved(page);
	fputs("</div></div></section>\n", page->out);
}
