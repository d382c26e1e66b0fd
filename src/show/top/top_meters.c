// SPDX-License-Identifier: Apache-2.0
/* The machine's resources: each a name, a line of its last intervals, and its last value. What is missing says so. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "show/top/top_in.h"

enum { METERS = 16, LABEL = 14, VALUE = 9, LONGEST = LIVE_POINTS };

struct meter {
	struct printable label;
	const struct live_counter *counter; /* NULL: missing */
	const char *unit;
	double max; /* 0: the largest value that is shown */
};

static const char *name_of(const struct top *top, const struct live_counter *counter)
{
	return names_text(top->names, counter->name);
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && !strcmp(text + len - n, end);
}

/* A device's main figures: "gpu card1 busy". */
static bool is_of_device(const char *name, const char *kind)
{
	size_t len = strlen(kind);

	if (strncmp(name, kind, len) != 0 || name[len] != ' ')
		return false;
	return (ends_with(name, " busy") && !ends_with(name, " memory busy")) || ends_with(name, " awake") ||
	       ends_with(name, " memory used") || ends_with(name, " power");
}

static void add(const struct top *top, struct meter *meters, int *n, const struct live_counter *counter,
		const char *label)
{
	struct meter *meter = &meters[*n];

	if (*n == METERS)
		return;
	*meter = (struct meter){ .counter = counter, .unit = counter ? names_text(top->names, counter->unit) : "" };
	meter->label = top_cells_text(top, label, LABEL);
	meter->max = !strcmp(meter->unit, "%") ? 100 : 0;
	(*n)++;
}

static int add_kind(const struct top *top, struct meter *meters, int *n, const char *kind)
{
	int before = *n;

	for (uint32_t i = 0; i < live_n_counters(top->live); i++) {
		const struct live_counter *counter = live_counter(top->live, i);
		const char *name = name_of(top, counter);

		if (!counter->process && is_of_device(name, kind))
			add(top, meters, n, counter, name);
	}
	return *n - before;
}

static int add_power(const struct top *top, struct meter *meters, int *n)
{
	int before = *n;

	for (uint32_t i = 0; i < live_n_counters(top->live); i++) {
		const struct live_counter *counter = live_counter(top->live, i);
		const char *name = name_of(top, counter);

		if (!counter->process && !strcmp(names_text(top->names, counter->unit), "W") &&
		    !is_of_device(name, "gpu") && !is_of_device(name, "npu"))
			add(top, meters, n, counter, name);
	}
	return *n - before;
}

/* missing: the kinds of which nothing is seen, with commas. */
static int list(const struct top *top, struct meter *meters, struct printable *missing)
{
	int n = 0;

	*missing = (struct printable){ "" };
	add(top, meters, &n, live_counter_named(top->live, 0, "cpu"), "cpu");
	add(top, meters, &n, live_counter_named(top->live, 0, "memory used"), "memory");
	meters[1].max = top->memory_bytes;
	if (!add_kind(top, meters, &n, "gpu"))
		printable_add(missing, "gpu");
	if (!add_kind(top, meters, &n, "npu"))
		printable_add(missing, "%snpu", *missing->s ? ", " : "");
	if (!add_power(top, meters, &n))
		printable_add(missing, "%spower", *missing->s ? ", " : "");
	return n;
}

static void top_spark(char *to, size_t size, const double *value, int n, double max, bool is_ascii)
{
	static const char *const utf8[] = { "\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
					    "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88" };
	static const char *const ascii[] = { "_", ".", ":", "-", "=", "+", "*", "#" };
	size_t used = 0;

	*to = 0;
	for (int i = 0; i < n && used + 4 < size; i++) {
		int step = max > 0 && value[i] > 0 ? (int)(value[i] / max * 8) : 0;
		const char *text = isnan(value[i]) ? " " : (is_ascii ? ascii : utf8)[step > 7 ? 7 : step];

		used += (size_t)snprintf(to + used, size - used, "%s", text);
	}
}

static struct units_text value_text(const struct meter *meter)
{
	struct units_text text = { "" };
	double value = meter->counter ? meter->counter->value : NAN;

	if (isnan(value))
		snprintf(text.s, sizeof text.s, meter->counter ? "no value" : "not seen");
	else if (!strcmp(meter->unit, "bytes"))
		text = units_bytes(value);
	else if (!strcmp(meter->unit, "%"))
		text = units_percent(value / 100);
	else
		snprintf(text.s, sizeof text.s, "%.30s %.8s", units_decimal(value).s, meter->unit);
	return text;
}

static void draw_one(const struct top *top, struct grid *grid, const struct meter *meter, int x, int y, int width)
{
	static double value[LONGEST];
	char spark[4 * LONGEST + 1];
	int n = width - LABEL - 1 - VALUE - 1;
	double max = meter->max;

	n = n > LONGEST ? LONGEST : n < 0 ? 0 : n;
	grid_put(grid, x, y, LABEL, meter->counter ? GRID_BOLD : GRID_DIM, meter->label.s);
	for (int i = 0; i < n; i++) {
		value[i] = meter->counter ? live_counter_point(top->live, meter->counter, (uint32_t)(n - 1 - i)) : NAN;
		if (!meter->max && value[i] > max)
			max = value[i];
	}
	top_spark(spark, sizeof spark, value, n, max, top->is_ascii);
	grid_put(grid, x + LABEL + 1, y, n, GRID_BAR, spark);
	grid_put_right(grid, x + width - VALUE, y, VALUE, meter->counter ? GRID_PLAIN : GRID_DIM, value_text(meter).s);
}

int top_meters_draw(const struct top *top, struct grid *grid, int y, int most)
{
	struct meter meters[METERS];
	struct printable missing;
	int n = list(top, meters, &missing), cells = n + (*missing.s != 0);
	int side = grid->columns >= 132 ? 3 : grid->columns >= 72 ? 2 : 1;
	int width = (grid->columns - 2 * (side - 1)) / side, lines = (cells + side - 1) / side;

	if (lines > most)
		lines = most;
	for (int i = 0; i < n && i < lines * side; i++)
		draw_one(top, grid, &meters[i], i % side * (width + 2), y + i / side, width);
	if (*missing.s && n < lines * side) {
		printable_add(&missing, ": not seen (F2 says why)");
		grid_put(grid, n % side * (width + 2), y + n / side, width, GRID_DIM, missing.s);
	}
	return lines;
}

struct printable top_meters_text(const struct top *top)
{
	struct meter meters[METERS];
	struct printable text = { "" }, missing;
	int n = list(top, meters, &missing);

	for (int i = 0; i < n; i++)
		printable_add(&text, "%s%s %s", i ? ", " : "", meters[i].label.s, value_text(&meters[i]).s);
	if (*missing.s)
		printable_add(&text, "; not seen: %s", missing.s);
	return text;
}
