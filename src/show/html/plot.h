/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plots as SVG inside of a page: axes with round ticks, and where a value lies. Marks are the caller's:
 *
 *	struct plot plot = plot_of(out, 640, 260);
 *	plot_x_axis(&plot, 0, 1e6, false); plot_y_axis(...);
 *	plot_begin(&plot, "p1", "Latency of cpu", "1,200 inferences between 1 and 2 ms");
 *	plot_draw_x(&plot, ns_text, "latency"); ...
 *	fprintf(out, "<circle cx=\"%.1f\" ...", plot_x(&plot, ns));
 *	plot_end(&plot);
 */
#ifndef SHOW_HTML_PLOT_H
#define SHOW_HTML_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text/units.h"

struct plot_axis {
	double low, high;
	bool is_log;
};

struct plot {
	FILE *out;
	double width, height, left, right, top, bottom; /* the area: left..right, top..bottom */
	struct plot_axis x, y;
	const char *kind; /* "long": as wide as the page; NULL: as wide as fits */
};

typedef struct units_text (*plot_format)(double value);

struct plot plot_of(FILE *out, double width, double height);
/* Widened so that they are not empty; a logarithmic one begins above 0. */
struct plot_axis plot_axis_of(double low, double high, bool is_log);

/* title and description: for those who cannot see it. id: unlike that of all other plots of the page. */
void plot_begin(const struct plot *plot, const char *id, const char *title, const char *description);
void plot_end(const struct plot *plot);

/* Ticks, grid lines and the name of the axis. */
void plot_draw_x(const struct plot *plot, plot_format format, const char *name);
void plot_draw_y(const struct plot *plot, plot_format format, const char *name);

/* Where a value lies; what is beyond lies at the edge. */
double plot_x(const struct plot *plot, double value);
double plot_y(const struct plot *plot, double value);

/* anchor: "start", "middle", "end"; escaped. */
void plot_text(const struct plot *plot, double x, double y, const char *anchor, const char *kind, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

#endif
