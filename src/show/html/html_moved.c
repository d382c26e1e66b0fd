// SPDX-License-Identifier: Apache-2.0
/*
 * How the memory of processes moved: what was resident, and what their runtimes' allocators had taken. Of many
 * processes, those with most.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/html/html_model.h"
#include "show/words/resource_words.h"

enum { PROCESSES = 6, HEIGHT = 280 };

static const double mebibyte = 1 << 20;

static bool is_resident(const struct summary *summary, const struct summary_resource *own)
{
	return own->curve.n > 1 && !strcmp(names_text(summary->names, own->name), "rss");
}

/* The largest first; how many there are in all. */
static uint32_t find_resident(const struct summary *summary, const struct summary_resource *found[PROCESSES])
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < summary->n_resources; i++) {
		const struct summary_resource *own = &summary->resources[i];
		uint32_t at = n < PROCESSES ? n : PROCESSES;

		if (!is_resident(summary, own))
			continue;
		for (; at && found[at - 1]->max < own->max; at--)
			if (at < PROCESSES)
				found[at] = found[at - 1];
		if (at < PROCESSES)
			found[at] = own;
		n++;
	}
	return n;
}

/* What the allocators of the same process had taken; NULL: not known. */
static const struct summary_resource *taken_of(const struct summary *summary, const struct summary_resource *resident)
{
	for (uint32_t i = 0; i < summary->n_resources; i++)
		if (summary->resources[i].process == resident->process && summary->resources[i].curve.n > 1 &&
		    !is_resident(summary, &summary->resources[i]))
			return &summary->resources[i];
	return NULL;
}

static void draw_line(const struct html_page *page, const struct plot *plot, const struct summary_resource *own,
		      uint32_t colour, bool is_dashed)
{
	const struct summary *summary = page->summary;
	const struct curve_point *point = summary->curves + own->curve.first;

	fprintf(page->out, "<path class=\"line %s%s\" d=\"", html_colour(colour).s, is_dashed ? " dash" : "");
	for (uint32_t i = 0; i < own->curve.n; i++)
		fprintf(page->out, "%c%.1f %.1f", i ? 'L' : 'M',
			plot_x(plot, (double)(point[i].time_ns - summary->recording.begin_ns)),
			plot_y(plot, point[i].value / mebibyte));
	fputs("\"/>\n", page->out);
}

static struct printable name_of(const struct summary *summary, const struct summary_resource *own)
{
	struct printable text = { "" };

	if (summary->n_processes > 1 && own->process != SUMMARY_NONE)
		printable_add(&text, "process %d: ", summary->processes[own->process].pid);
	return text;
}

static void put_key(struct html_page *page, const struct summary_resource *const *resident, uint32_t n)
{
	const struct summary *summary = page->summary;
	bool has_taken = false;

	fputs("<ul class=\"key\">", page->out);
	for (uint32_t i = 0; i < n; i++) {
		fprintf(page->out, "<li class=\"%s\">", html_colour(i).s);
		html_words(page->out, "%s%s", name_of(summary, resident[i]).s, resource_memory(resident[i]).s);
		fputs("</li>", page->out);
		has_taken |= taken_of(summary, resident[i]) != NULL;
	}
	if (has_taken)
		fputs("<li style=\"--k:transparent\">dashed: taken by the runtime\342\200\231s allocators</li>",
		      page->out);
	fputs("</ul>\n", page->out);
}

bool html_has_moved(const struct html_page *page)
{
	const struct summary_resource *resident[PROCESSES];

	return find_resident(page->summary, resident) > 0;
}

void html_moved(struct html_page *page)
{
	const struct summary *summary = page->summary;
	const struct summary_resource *resident[PROCESSES], *taken;
	struct plot plot = plot_of(page->out, 560, HEIGHT);
	uint32_t n_all = find_resident(summary, resident), n = n_all < PROCESSES ? n_all : PROCESSES;
	struct printable words = { "" };
	double most = 0;

	for (uint32_t i = 0; i < n; i++) {
		taken = taken_of(summary, resident[i]);
		most = fmax(most, fmax(resident[i]->max, taken ? taken->max : 0));
		printable_add(&words, "%s%s%s. ", i ? "" : "Resident memory: ", name_of(summary, resident[i]).s,
			      resource_memory(resident[i]).s);
	}
	plot.left = 84;
	plot.x = plot_axis_of(0, (double)(summary->recording.end_ns - summary->recording.begin_ns), false);
	plot.y = plot_axis_of(0, most / mebibyte * 1.05, false);
	html_figure(page, "Resident memory over time%s.", n < n_all ? ", of the processes with most" : "");
	put_key(page, resident, n);
	plot_begin(&plot, html_plot_id(page).s, "How memory moved", words.s);
	plot_draw_x(&plot, html_ns, "since the recording began");
	plot_draw_y(&plot, html_mebibytes, "");
	for (uint32_t i = 0; i < n; i++) {
		draw_line(page, &plot, resident[i], i, false);
		taken = taken_of(summary, resident[i]);
		if (taken)
			draw_line(page, &plot, taken, i, true);
	}
	plot_end(&plot);
	fputs("</figure>\n", page->out);
	if (n < n_all)
		html_paragraph(page, "Not drawn: %s more.", printable_count(n_all - n, "process").s);
}
