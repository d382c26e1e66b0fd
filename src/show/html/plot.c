// SPDX-License-Identifier: Apache-2.0
/* Axes and places. Draws no data. */
#include "show/html/plot.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/printable.h"
#include "show/html/html.h"

enum { MOST_TICKS = 24 };

/* Width of a figure: that of a phone, where words of short plots are larger; of long plots, that on paper. */
static double glyph(const struct plot *plot)
{
	return plot->kind ? 7.8 : 9.6;
}

struct plot plot_of(FILE *out, double width, double height)
{
	struct plot plot = { .out = out, .width = width, .height = height };

	plot.left = 78;
	plot.right = width - 14;
	plot.top = 22;
	plot.bottom = height - 38;
	return plot;
}

struct plot_axis plot_axis_of(double low, double high, bool is_log)
{
	struct plot_axis axis = { .is_log = is_log };

	/* nothing that was measured lies beyond */
	axis.low = isfinite(low) ? fmin(fmax(low, is_log ? 1e-9 : -1e18), 1e18) : is_log ? 1 : 0;
	axis.high = isfinite(high) ? fmin(high, 1e20) : axis.low;
	if (!(axis.high > axis.low))
		axis.high = is_log ? axis.low * 10 : axis.low + (axis.low > 0 ? axis.low * 0.1 : 1);
	return axis;
}

static double place(const struct plot_axis *axis, double value)
{
	double at = axis->is_log ? log(fmax(value, axis->low) / axis->low) / log(axis->high / axis->low)
				 : (value - axis->low) / (axis->high - axis->low);

	return at > 0 ? at < 1 ? at : 1 : 0;
}

double plot_x(const struct plot *plot, double value)
{
	return plot->left + place(&plot->x, value) * (plot->right - plot->left);
}

double plot_y(const struct plot *plot, double value)
{
	return plot->bottom - place(&plot->y, value) * (plot->bottom - plot->top);
}

void plot_begin(const struct plot *plot, const char *id, const char *title, const char *description)
{
	fprintf(plot->out,
		"<div class=\"wide\"><svg%s%s%s viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
		"aria-labelledby=\"%s-t %s-d\"><title id=\"%s-t\">",
		plot->kind ? " class=\"" : "", plot->kind ? plot->kind : "", plot->kind ? "\"" : "", plot->width,
		plot->height, id, id, id);
	html_words(plot->out, "%s", title);
	fprintf(plot->out, "</title><desc id=\"%s-d\">", id);
	html_words(plot->out, "%s", description);
	fputs("</desc>\n", plot->out);
}

void plot_end(const struct plot *plot)
{
	fputs("</svg></div>\n", plot->out);
}

/* Moved so that so wide a text does not leave the plot. */
static double inside(const struct plot *plot, double x, double width, const char *anchor)
{
	double before = *anchor == 's' ? 0 : *anchor == 'e' ? width : width / 2;

	return fmax(fmin(x, plot->width - width + before), before);
}

void plot_text(const struct plot *plot, double x, double y, const char *anchor, const char *kind, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0)
		return;
	x = inside(plot, x, printable_width(text) * (*kind == 'o' ? 6.2 : glyph(plot)), anchor);
	fprintf(plot->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s%s%s>", x, y, anchor,
		*kind ? " class=\"" : "", kind, *kind ? "\"" : "");
	html_words(plot->out, "%s", text);
	fputs("</text>", plot->out);
	free(text);
}

static double round_up(double value)
{
	double power = pow(10, floor(log10(value)));

	return power * (value <= power ? 1 : value <= 2 * power ? 2 : value <= 5 * power ? 5 : 10);
}

static int linear_ticks(const struct plot_axis *axis, int n_wanted, double *tick)
{
	double step = round_up((axis->high - axis->low) / n_wanted), first = ceil(axis->low / step - 1e-9);
	int n = 0;

	while (n < MOST_TICKS && (first + n) * step <= axis->high + step * 1e-9) {
		tick[n] = (first + n) * step;
		n++;
	}
	return n;
}

/* Powers of ten; between them 2 and 5 when there are few. */
static int log_ticks(const struct plot_axis *axis, int n_wanted, double *tick)
{
	double decades = log10(axis->high / axis->low);
	int stride = (int)fmax(ceil(decades / n_wanted), 1), n = 0;

	if (decades < 1)
		return linear_ticks(axis, 2 * n_wanted, tick);
	for (double power = floor(log10(axis->low)); power <= log10(axis->high) && n < MOST_TICKS - 3;
	     power += stride) {
		static const double parts[] = { 1, 2, 5 };

		for (int i = 0; i < (decades < 2.5 ? 3 : 1); i++) {
			double value = parts[i] * pow(10, power);

			if (value >= axis->low * 0.999 && value <= axis->high * 1.001)
				tick[n++] = value;
		}
	}
	return n;
}

static int find_ticks(const struct plot_axis *axis, int n_wanted, double *tick)
{
	return axis->is_log ? log_ticks(axis, n_wanted, tick) : linear_ticks(axis, n_wanted, tick);
}

void plot_draw_x(const struct plot *plot, plot_format format, const char *name)
{
	double tick[MOST_TICKS];
	int n = find_ticks(&plot->x, (int)fmax((plot->right - plot->left) / 75, 2), tick);
	double free_from = -1000;

	for (int i = 0; i < n; i++) {
		double x = plot_x(plot, tick[i]), half;
		struct units_text text = format(tick[i]);

		half = (double)strlen(text.s) * glyph(plot) / 2;
		fprintf(plot->out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", x, plot->top, plot->bottom);
		x = inside(plot, x, 2 * half, "middle");
		/* where it would touch its neighbour it is left out */
		if (x - half < free_from)
			continue;
		plot_text(plot, x, plot->bottom + 15, "middle", "", "%s", text.s);
		free_from = x + half + 6;
	}
	fprintf(plot->out, "<path class=\"axis\" d=\"M%.1f %.1fH%.1f\"/>", plot->left, plot->bottom, plot->right);
	plot_text(plot, (plot->left + plot->right) / 2, plot->bottom + 31, "middle", "", "%s", name);
	fputc('\n', plot->out);
}

void plot_draw_y(const struct plot *plot, plot_format format, const char *name)
{
	double tick[MOST_TICKS];
	int n = find_ticks(&plot->y, (int)fmax((plot->bottom - plot->top) / 38, 2), tick);
	double last_y = 0;

	for (int i = 0; i < n; i++) {
		double y = plot_y(plot, tick[i]);

		if (i && last_y - y < 16)
			continue;
		last_y = y;
		fprintf(plot->out, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", plot->left, y, plot->right);
		plot_text(plot, plot->left - 6, y + 4, "end", "", "%s", format(tick[i]).s);
	}
	plot_text(plot, 2, 12, "start", "", "%s", name);
	fputc('\n', plot->out);
}
