// SPDX-License-Identifier: Apache-2.0
/* Adds up operators of all models and places. */
#include "show/words/kernel_words.h"

#include "base/text/units.h"

static uint64_t add_up(const struct summary_operator *rows, uint32_t n, uint32_t op_type)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < n; i++)
		if (rows[i].op_type == op_type)
			ns = stats_sum(ns, rows[i].duration.total_ns);
	return ns;
}

uint64_t kernel_host_ns(const struct summary *summary, uint32_t op_type)
{
	if (!op_type)
		return 0;
	return stats_sum(add_up(summary->types, summary->n_types, op_type),
			 add_up(summary->elsewhere, summary->n_elsewhere, op_type));
}

static void add_copies(struct printable *text, const struct summary_runs *runs)
{
	const struct summary_copies *to = &runs->device.to, *from = &runs->device.from;
	double n = (double)runs->device.n_runs;

	if (!to->n && !from->n)
		return;
	printable_add(text, "; ");
	if (to->n)
		printable_add(text, "%s to it%s", units_bytes((double)to->bytes / n).s, from->n ? " and " : "");
	if (from->n)
		printable_add(text, "%s from it", units_bytes((double)from->bytes / n).s);
	printable_add(text, " each");
}

/* ", most of it after a wait for the device", or ""; a copy that returns when it is done is a wait, too. */
static struct printable after_waits(const struct summary_device *device)
{
	struct printable text = { "" };

	if (2 * (device->wait_idle_ns + device->copy_idle_ns) > device->launch_idle_ns)
		printable_add(&text, ", most of it after %s",
			      device->wait_idle_ns > device->copy_idle_ns ? "a wait for the device"
									  : "a copy that the caller waited for");
	return text;
}

struct printable kernel_device_words(const struct summary_runs *runs)
{
	const struct summary_device *device = &runs->device;
	double wall_ns = (double)runs->device.wall_ns, late_ns = (double)device->late_ns;
	struct printable text = { "" };

	if (!device->n_kernels || !runs->device.wall_ns)
		return text;
	printable_add(&text, "busy for %s of the time", units_percent((double)device->busy_ns / wall_ns).s);
	printable_add(&text, ", idle between kernels for %s", units_percent((double)device->idle_ns / wall_ns).s);
	if (device->launch_idle_ns)
		printable_add(&text, " (%s because the next one was launched late%s)",
			      units_percent((double)device->launch_idle_ns / wall_ns).s, after_waits(device).s);
	if (20 * device->before_ns >= device->wall_ns)
		printable_add(&text, ", before the first one for %s",
			      units_percent((double)device->before_ns / wall_ns).s);
	add_copies(&text, runs);
	if (late_ns >= 0.05 * wall_ns)
		printable_add(&text, "; it works on for %s after the call has returned",
			      units_duration(late_ns / (double)runs->device.n_runs).s);
	return text;
}

struct printable kernel_clock_words(const struct summary *summary)
{
	const struct summary_device_clock *worst = summary->device_clocks;
	struct printable words = { "" };

	for (uint32_t i = 0; i < summary->n_device_clocks; i++)
		if (summary->device_clocks[i].error_ns > worst->error_ns)
			worst = &summary->device_clocks[i];
	if (summary->n_device_clocks)
		printable_add(&words, "Times of kernels are off by %s at most, as far as was found.",
			      units_duration((double)worst->error_ns).s);
	return words;
}

void kernel_stream_row(struct table *table, const struct summary *summary, const struct summary_stream *stream,
		       const char *name)
{
	uint64_t whole_ns = stream->end_ns - stream->begin_ns, idle_ns = whole_ns - stream->busy_ns;

	if (stream->process == SUMMARY_NONE)
		table_cell(table, TABLE_PLAIN, "-");
	else
		table_cell(table, TABLE_PLAIN, "%d", summary->processes[stream->process].pid);
	table_cell(table, TABLE_PLAIN, "%s", name);
	table_cell(table, TABLE_PLAIN, "%s", units_count(stream->n).s);
	table_cell(table, TABLE_PLAIN, "%s", units_duration((double)(stream->busy_ns - stream->copies_ns)).s);
	table_cell(table, TABLE_PLAIN, "%s", units_duration((double)stream->copies_ns).s);
	table_cell(table, TABLE_PLAIN, "%s", units_duration((double)idle_ns).s);
	table_cell(table, TABLE_PLAIN, "%s", units_duration((double)stream->idle_within_ns).s);
	table_cell(table, TABLE_PLAIN, "%s", units_percent(whole_ns ? (double)idle_ns / (double)whole_ns : 0).s);
	table_cell(table, TABLE_PLAIN, "%s", units_count(stream->n_gaps).s);
	table_cell(table, TABLE_PLAIN, "%s", units_duration((double)stream->longest_gap_ns).s);
}
