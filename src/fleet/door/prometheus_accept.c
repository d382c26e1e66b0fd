// SPDX-License-Identifier: Apache-2.0
/* Chooses the format by an Accept header, which comes from anybody. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "fleet/door/door_in.h"

static const struct {
	const char *range;
	enum prometheus_format format;
} known[] = {
	{ "application/vnd.google.protobuf", PROMETHEUS_PROTOBUF },
	{ "application/openmetrics-text", PROMETHEUS_OPEN_METRICS },
	{ "text/plain", PROMETHEUS_TEXT },
	{ "text/*", PROMETHEUS_TEXT },
	{ "*/*", PROMETHEUS_TEXT },
};

static bool has_word(const char *text, size_t size, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= size; i++)
		if (!strncasecmp(text + i, word, len))
			return true;
	return false;
}

/* 0 to 1; 1 where none is given. strtod stops at the comma. */
static double quality(const char *text, size_t size)
{
	for (size_t i = 0; i + 3 <= size; i++)
		if (text[i] == ';' || text[i] == ' ') {
			if ((text[i + 1] == 'q' || text[i + 1] == 'Q') && text[i + 2] == '=' && i + 3 < size) {
				double value =
				    text[i + 3] == '0' || text[i + 3] == '1' ? strtod(text + i + 3, NULL) : 1;
				return value >= 0 && value <= 1 ? value : 1;
			}
		}
	return 1;
}

/* Of protobuf only the form that has a length in front of each family. */
static bool is_usable(const char *text, size_t size, enum prometheus_format format)
{
	if (format != PROMETHEUS_PROTOBUF)
		return true;
	return has_word(text, size, "proto=io.prometheus.client.metricfamily") && has_word(text, size, "delimited");
}

enum prometheus_format prometheus_format_of(const char *accept)
{
	enum prometheus_format best = PROMETHEUS_TEXT;
	double best_quality = 0;

	while (accept && *accept) {
		size_t size = strcspn(accept, ",");
		size_t blanks = strspn(accept, " \t");
		const char *range = accept + (blanks < size ? blanks : size);
		size_t rest = size - (size_t)(range - accept), len = strcspn(range, ";, \t");

		for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
			double value = quality(range, rest);
			if (len != strlen(known[i].range) || strncasecmp(range, known[i].range, len) != 0 ||
			    !is_usable(range, rest, known[i].format) || value <= best_quality)
				continue;
			best = known[i].format;
			best_quality = value;
		}
		accept += size + (accept[size] == ',');
	}
	return best;
}

const char *prometheus_content_type(enum prometheus_format format)
{
	static const char *const types[] = {
		"text/plain; version=0.0.4; charset=utf-8",
		"application/openmetrics-text; version=1.0.0; charset=utf-8",
		"application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited",
	};

	return types[format];
}
