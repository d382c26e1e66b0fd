// SPDX-License-Identifier: Apache-2.0
/* Where the time of a recording went: one bar. */
#include "show/html/html_model.h"
#include "show/words/time_words.h"

enum { HEIGHT = 96 };

struct part {
	const char *name;
	uint64_t ns;
};

static void put_key(struct html_page *page, const struct part *part, uint32_t n)
{
	fputs("<ul class=\"key\">", page->out);
	for (uint32_t i = 0; i < n; i++) {
		if (!part[i].ns)
			continue;
		if (i + 1 < n)
			fprintf(page->out, "<li class=\"%s\">", html_phase_colour(i).s);
		else
			fputs("<li style=\"--k:var(--line)\">", page->out);
		html_words(page->out, "%s %s", part[i].name, units_duration((double)part[i].ns).s);
		fputs("</li>", page->out);
	}
	fputs("</ul>\n", page->out);
}

void html_time(struct html_page *page)
{
	const struct summary_time *time = &page->summary->time;
	const struct part part[] = {
		{ "running models", time->inferences_ns - time->first_ns - time->waiting_ns },
		{ "waiting for a CPU", time->waiting_ns },
		{ "first inferences", time->first_ns },
		{ "creating sessions", time->creating_ns },
		{ "outside of models", time->outside_ns },
	};
	enum { N = sizeof part / sizeof *part };
	struct plot plot = plot_of(page->out, 560, HEIGHT);
	double at_ns = 0;

	if (!time->wall_ns)
		return;
	html_section(page, "time", "Where the time went",
		     "Of all processes together. Waiting and first inferences are shares of the time of inferences, as "
		     "their threads spent it.");
	plot.left = 14;
	plot.right = 546;
	plot.x = plot_axis_of(0, (double)time->wall_ns, false);
	html_figure(page, "%s", time_sum(page->summary).s);
	put_key(page, part, N);
	plot_begin(&plot, html_plot_id(page).s, "Where the time went", time_sum(page->summary).s);
	plot_draw_x(&plot, html_ns, "");
	for (uint32_t i = 0; i < N; i++) {
		struct printable kind = { "rest" };

		if (i + 1 < N) {
			kind = (struct printable){ "fill " };
			printable_add(&kind, "%s", html_phase_colour(i).s);
		}
		html_bar(&plot, plot.top + 17, at_ns, (double)part[i].ns, kind.s, part[i].name);
		at_ns += (double)part[i].ns;
	}
	plot_end(&plot);
	fputs("</figure></section>\n", page->out);
}
