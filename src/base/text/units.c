// SPDX-License-Identifier: Apache-2.0
/* Formats numbers for people to read. */
#include "base/text/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct unit {
	const char *name;
	double size;
};

enum { N_TIME_UNITS = 4 };

static const struct unit ascii_times[N_TIME_UNITS] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
static const struct unit page_times[N_TIME_UNITS] = { { "ns", 1 }, { "µs", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };

static _Thread_local const struct unit *time_units = ascii_times;

void units_for_page(bool is_page)
{
	time_units = is_page ? page_times : ascii_times;
}

const char *units_micro(void)
{
	return time_units[1].name;
}

/* Above this, more digits mean nothing and do not fit. */
#define HUGE_NUMBER 1e15

static struct units_text text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static struct units_text text(const char *fmt, ...)
{
	struct units_text to;
	va_list args;

	va_start(args, fmt);
	vsnprintf(to.s, sizeof to.s, fmt, args);
	va_end(args);
	return to;
}

struct units_text units_count(uint64_t n)
{
	char digits[24];
	struct units_text to;
	int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), at = 0;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			to.s[at++] = ',';
		to.s[at++] = digits[i];
	}
	to.s[at] = 0;
	return to;
}

/* The number of decimals that gives three digits. */
static int decimals_of(double value)
{
	return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

struct units_text units_decimal(double value)
{
	if (!isfinite(value))
		return text("-");
	if (fabs(value) >= HUGE_NUMBER)
		return text("%.3g", value);
	if (value >= 999.5)
		return units_count((uint64_t)(value + 0.5));
	if (value == floor(value))
		return text("%.0f", value);
	return text("%.*f", decimals_of(fabs(value)), value);
}

/* The largest unit in which the value does not round to less than 1. */
static const struct unit *unit_of(const struct unit *units, size_t n, double value, double step)
{
	size_t i = 0;

	while (i + 1 < n && value >= units[i].size * step)
		i++;
	return &units[i];
}

/* 119.6 s as "2 min 0 s" */
static struct units_text in_two(double count, const char *large, const char *small)
{
	double rounded = round(count);

	return text("%.0f %s %.0f %s", floor(rounded / 60), large, fmod(rounded, 60), small);
}

struct units_text units_duration(double ns)
{
	const struct unit *unit;

	if (!isfinite(ns))
		return text("-");
	if (ns >= HUGE_NUMBER * 1e9)
		return text("%.3g s", ns / 1e9);
	if (ns >= 3599.5e9)
		return in_two(ns / 60e9, "h", "min");
	if (ns >= 119.5e9)
		return in_two(ns / 1e9, "min", "s");
	unit = unit_of(time_units, 4, ns, 999.5);
	if (unit == time_units)
		return text("%.0f ns", ns);
	return text("%.*f %s", decimals_of(ns / unit->size), ns / unit->size, unit->name);
}

/* A narrow interval shows one digit, and the mean as many decimals. */
struct units_text units_interval(double mean_ns, double interval_ns, int is_ascii)
{
	const struct unit *unit = unit_of(time_units, 4, mean_ns, 999.5);
	double mean = mean_ns / unit->size, interval = interval_ns / unit->size;
	int decimals = unit == time_units ? 0 : decimals_of(mean);

	if (!isfinite(mean_ns) || !isfinite(interval_ns) || mean >= HUGE_NUMBER)
		return units_duration(mean_ns);
	while (interval > 0 && decimals < 3 && interval < 0.5 * pow(10, -decimals))
		decimals++;
	if (interval >= mean)
		return text("about %s", units_duration(mean_ns).s);
	return text("%.*f %s %.*f %s", decimals, mean, is_ascii ? "+-" : "\302\261", decimals, interval, unit->name);
}

struct units_text units_bytes(double bytes)
{
	static const struct unit units[] = {
		{ "B", 1 }, { "KiB", 1024 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 }, { "TiB", 1024. * (1 << 30) }
	};
	const struct unit *unit = unit_of(units, 5, bytes, 1023.5);

	if (!isfinite(bytes))
		return text("-");
	if (fabs(bytes) >= HUGE_NUMBER * unit->size)
		return text("%.3g %s", bytes / unit->size, unit->name);
	if (unit == units)
		return text("%.0f B", bytes);
	return text("%.*f %s", decimals_of(bytes / unit->size), bytes / unit->size, unit->name);
}

struct units_text units_percent(double share)
{
	double percent = share * 100;

	if (fabs(percent) >= HUGE_NUMBER)
		return text("%.3g %%", percent);
	if (!isfinite(share))
		return text("-");
	if (percent > 0 && percent < 0.05)
		return text("<0.1 %%");
	/* 99.97 must not show as 100 */
	if (percent > 99.9 && percent < 100)
		return text("99.9 %%");
	return percent == 0 || percent == 100 ? text("%.0f %%", percent) : text("%.1f %%", percent);
}

struct units_text units_rate(double per_second)
{
	struct units_text to;

	if (!isfinite(per_second))
		return text("-");
	to = units_decimal(per_second < 1 ? per_second * 60 : per_second);
	strcat(to.s, per_second < 1 ? "/min" : "/s");
	return to;
}

struct units_text units_metric(double value, const char *unit)
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T", "P" };
	struct units_text to = { "-" };
	int i = 0;

	if (!isfinite(value))
		return to;
	for (; i < 5 && fabs(value) >= 999.5; i++)
		value /= 1000;
	snprintf(to.s, sizeof to.s, "%.20s%s%s%.16s", units_decimal(value).s, *prefixes[i] || *unit ? " " : "",
		 prefixes[i], unit);
	return to;
}

struct units_text units_joules(double joules)
{
	return fabs(joules) < 1 ? units_metric(joules * 1000, "mJ") : units_metric(joules, "J");
}

struct units_text units_latency(uint64_t n, uint64_t median_ns, uint64_t p99_ns, uint64_t slowest_ns)
{
	struct units_text median = units_duration((double)median_ns);

	if (n < 2)
		return n ? median : text("%s", "");
	return n < 100 ? text("median %s, slowest %s", median.s, units_duration((double)slowest_ns).s)
		       : text("median %s, p99 %s", median.s, units_duration((double)p99_ns).s);
}
