// SPDX-License-Identifier: Apache-2.0
/* Figures and texts as cells of a table, in the columns that they have. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text/provider.h"
#include "show/top/top_in.h"

/* "0.42", "42.1", "1234", "12.3k": at most six columns. */
struct units_text top_cells_rate(double per_second)
{
	struct units_text text;

	if (!isfinite(per_second))
		snprintf(text.s, sizeof text.s, "-");
	else if (per_second == 0)
		snprintf(text.s, sizeof text.s, "0");
	else if (per_second < 9.995)
		snprintf(text.s, sizeof text.s, "%.2f", per_second);
	else if (per_second < 99.95)
		snprintf(text.s, sizeof text.s, "%.1f", per_second);
	else if (per_second < 9999.5)
		snprintf(text.s, sizeof text.s, "%.0f", per_second);
	else if (per_second < 99950)
		snprintf(text.s, sizeof text.s, "%.1fk", per_second / 1e3);
	else if (per_second < 999500)
		snprintf(text.s, sizeof text.s, "%.0fk", per_second / 1e3);
	else
		snprintf(text.s, sizeof text.s, "%.1fM", per_second / 1e6);
	return text;
}

/* "1,234,567", "1234567" or "1.2M", as there is room. */
struct units_text top_cells_count(uint64_t n, int width)
{
	static const char suffix[] = "kMGTPE";
	struct units_text text = units_count(n);
	double value = (double)n;
	int i = -1;

	if ((int)strlen(text.s) <= width)
		return text;
	snprintf(text.s, sizeof text.s, "%llu", (unsigned long long)n);
	if ((int)strlen(text.s) <= width)
		return text;
	for (; value >= 999.5 && suffix[i + 1]; i++)
		value /= 1000;
	snprintf(text.s, sizeof text.s, "%.*f%c", value < 99.95 ? 1 : 0, value, suffix[i < 0 ? 0 : i]);
	return text;
}

struct printable top_cells_text(const struct top *top, const char *text, int width)
{
	return printable_text(text, strlen(text), width, top->is_ascii);
}

/* "CPU" for CPUExecutionProvider. */
struct printable top_cells_provider(const struct top *top, const char *text, int width)
{
	size_t len = provider_length(text, strlen(text));

	return len ? printable_text(text, len, width, top->is_ascii) : (struct printable){ "-" };
}

const char *top_cells_phase(enum live_phase phase)
{
	static const char *const words[] = { [LIVE_IDLE] = "idle",	 [LIVE_CREATING] = "creating",
					     [LIVE_LOADING] = "loading", [LIVE_SPECIALIZING] = "specialize",
					     [LIVE_RUNNING] = "running", [LIVE_OVER] = "ended" };

	return words[phase];
}
