// SPDX-License-Identifier: Apache-2.0
/*
 * Text for Prometheus. Labels come from programs: quotes, backslashes and line ends are escaped, and they are valid
 * UTF-8 already (origin.h).
 */
#include <math.h>
#include <string.h>

#include "fleet/door/door_in.h"

struct writer {
	FILE *out;
	const struct metric *metric;
	const char *name;
	bool is_open_metrics;
};

static void put_escaped(FILE *out, const char *text, bool is_label)
{
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\\\", out);
		else if (*text == '\n')
			fputs("\\n", out);
		else if (*text == '"' && is_label)
			fputs("\\\"", out);
		else
			fputc(*text, out);
	}
}

/* The shortest text that is the same number; whole ones without an exponent. */
static void put_number(FILE *out, double value)
{
	char text[40];

	if (isinf(value)) {
		fputs(value > 0 ? "+Inf" : "-Inf", out);
		return;
	}
	if (value == floor(value) && fabs(value) < 1e15) {
		fprintf(out, "%.0f", value);
		return;
	}
	for (int digits = 6; digits <= 17; digits++) {
		double same;
		snprintf(text, sizeof text, "%.*g", digits, value);
		if (sscanf(text, "%lf", &same) == 1 && same == value)
			break;
	}
	fputs(text, out);
}

/* le: a last label; NULL: none. */
static void put_labels(const struct writer *writer, const struct metric_point *point, const double *le)
{
	char name[METRIC_NAME];

	if (!point->n_labels && !le)
		return;
	for (size_t i = 0; i < point->n_labels; i++) {
		metric_prometheus_label(&point->label[i], name, sizeof name);
		fprintf(writer->out, "%c%s=\"", i ? ',' : '{', name);
		put_escaped(writer->out, point->label[i].value, true);
		fputc('"', writer->out);
	}
	if (le) {
		fprintf(writer->out, "%cle=\"", point->n_labels ? ',' : '{');
		/* OpenMetrics wants a number that is not whole by its looks, too */
		put_number(writer->out, *le);
		if (writer->is_open_metrics && !isinf(*le) && *le == floor(*le))
			fputs(".0", writer->out);
		fputc('"', writer->out);
	}
	fputc('}', writer->out);
}

/* A pid may be in an exemplar: it is no label. */
static void put_example(const struct writer *writer, const struct series_example *example)
{
	if (*example->trace)
		fprintf(writer->out, " # {trace_id=\"%s\",span_id=\"%s\"} ", example->trace, example->span);
	else
		fprintf(writer->out, " # {pid=\"%d\",inference=\"%llu\"} ", (int)example->pid,
			(unsigned long long)example->number);
	put_number(writer->out, (double)example->ns / 1e9);
	fprintf(writer->out, " %.3f", (double)example->realtime_ns / 1e9);
}

static void put_histogram(const struct writer *writer, const struct metric_point *point)
{
	const struct series_times *times = point->times;
	const struct series_example *example = point->example;
	uint64_t n = 0;
	double before = 0;

	for (uint32_t i = 0; i <= SERIES_BOUNDS; i++) {
		double bound = i < SERIES_BOUNDS ? series_bound(i) : INFINITY;
		double seconds = example ? (double)example->ns / 1e9 : 0;

		n += times->below[i];
		fprintf(writer->out, "%s_bucket", writer->name);
		put_labels(writer, point, &bound);
		fprintf(writer->out, " %llu", (unsigned long long)n);
		if (writer->is_open_metrics && example && example->ns && seconds > before && seconds <= bound)
			put_example(writer, example);
		fputc('\n', writer->out);
		before = bound;
	}
	fprintf(writer->out, "%s_sum", writer->name);
	put_labels(writer, point, NULL);
	fputc(' ', writer->out);
	put_number(writer->out, (double)times->ns / 1e9);
	fprintf(writer->out, "\n%s_count", writer->name);
	put_labels(writer, point, NULL);
	fprintf(writer->out, " %llu\n", (unsigned long long)times->n);
}

static void visit(void *ctx, const struct metric_point *point)
{
	const struct writer *writer = ctx;

	if (point->times) {
		put_histogram(writer, point);
		return;
	}
	fputs(writer->name, writer->out);
	put_labels(writer, point, NULL);
	fputc(' ', writer->out);
	put_number(writer->out, point->value);
	fputc('\n', writer->out);
}

/* OpenMetrics names the family without what its samples add. */
static size_t family_length(const struct writer *writer)
{
	size_t len = strlen(writer->name);

	if (!writer->is_open_metrics)
		return len;
	if (writer->metric->type == METRIC_COUNTER)
		return len - strlen("_total");
	return writer->metric->is_info ? len - strlen("_info") : len;
}

static void put_head(const struct writer *writer)
{
	static const char *const types[] = { "counter", "gauge", "histogram" };
	const struct metric *metric = writer->metric;
	int len = (int)family_length(writer);
	const char *unit = !strcmp(metric->unit, "s") ? "seconds" : !strcmp(metric->unit, "By") ? "bytes" : NULL;

	fprintf(writer->out, "# HELP %.*s ", len, writer->name);
	put_escaped(writer->out, metric->help, writer->is_open_metrics);
	fprintf(writer->out, "\n# TYPE %.*s %s\n", len, writer->name,
		writer->is_open_metrics && metric->is_info ? "info" : types[metric->type]);
	if (writer->is_open_metrics && unit)
		fprintf(writer->out, "# UNIT %.*s %s\n", len, writer->name, unit);
}

void prometheus_text_write(const struct door_in *in, bool is_open_metrics, FILE *out)
{
	char name[METRIC_NAME];
	struct writer writer = { .out = out, .name = name, .is_open_metrics = is_open_metrics };

	for (size_t i = 0; i < n_metrics; i++) {
		writer.metric = &metrics[i];
		metric_prometheus_name(writer.metric, name, sizeof name);
		put_head(&writer);
		writer.metric->each(writer.metric, in->fleet, in->own, visit, &writer);
	}
	if (is_open_metrics)
		fputs("# EOF\n", out);
}
