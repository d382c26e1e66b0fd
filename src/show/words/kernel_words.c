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
	double n = (double)runs->n_with_kernels;

	if (!to->n && !from->n)
		return;
	printable_add(text, "; ");
	if (to->n)
		printable_add(text, "%s to it%s", units_bytes((double)to->bytes / n).s, from->n ? " and " : "");
	if (from->n)
		printable_add(text, "%s from it", units_bytes((double)from->bytes / n).s);
	printable_add(text, " each");
}

struct printable kernel_device_words(const struct summary_runs *runs)
{
	const struct summary_device *device = &runs->device;
	double wall_ns = (double)runs->kernels_wall_ns, late_ns = (double)device->late_ns;
	struct printable text = { "" };

	if (!device->n_kernels || !runs->kernels_wall_ns)
		return text;
	printable_add(&text, "busy for %s of the time", units_percent((double)device->busy_ns / wall_ns).s);
	printable_add(&text, ", idle between kernels for %s", units_percent((double)device->idle_ns / wall_ns).s);
	if (device->launch_idle_ns)
		printable_add(&text, " (%s because the next one was launched late)",
			      units_percent((double)device->launch_idle_ns / wall_ns).s);
	add_copies(&text, runs);
	if (late_ns >= 0.05 * wall_ns)
		printable_add(&text, "; it works on for %s after the call has returned",
			      units_duration(late_ns / (double)runs->n_with_kernels).s);
	return text;
}
