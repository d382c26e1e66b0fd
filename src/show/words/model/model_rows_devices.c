// SPDX-License-Identifier: Apache-2.0
/* The GPUs and NPUs that the runs of a model used in their steady phase. */
#include <math.h>

#include "show/words/model/model_rows.h"

static void put_device(struct table *table, const struct model_view *view, uint32_t r,
		       const struct model_device *device)
{
	double joules = model_energy_each(&view->analysis->runs[r], device->joules);
	bool has_process = isfinite(device->process_bytes), has_whole = isfinite(device->used_bytes);

	table_cell(table, TABLE_PLAIN, "%s", view->label[r].s);
	table_cell(table, TABLE_PLAIN, "%s", model_text(device->name, 24, view->is_ascii).s);
	if (view->is_roomy)
		table_cell(table, TABLE_DIM, "%s",
			   device->description ? model_text(device->description, 100, view->is_ascii).s : "");
	table_cell(table, TABLE_PLAIN, "%s", units_percent(device->busy_pct / 100).s);
	table_cell(table, TABLE_PLAIN, "%s", units_percent(device->busy_max_pct / 100).s);
	table_cell(table, TABLE_DIM, "%s", device->busy_of ? model_text(device->busy_of, 24, view->is_ascii).s : "");
	table_cell(table, TABLE_PLAIN, "%s%s", units_bytes(has_process ? device->process_bytes : device->used_bytes).s,
		   !has_process && has_whole ? " (all)" : "");
	table_cell(table, TABLE_PLAIN, "%s", units_metric(device->watts, "W").s);
	table_cell(table, isfinite(joules) ? TABLE_PLAIN : TABLE_DIM, "%s",
		   isfinite(joules) ? units_joules(joules).s : "not known");
}

void model_rows_devices(struct table *table, const struct model_view *view)
{
	static const struct {
		const char *header;
		int flags;
	} columns[] = {
		{ "run", TABLE_LEFT | TABLE_SHRINKS },
		{ "device", TABLE_LEFT },
		{ "what it is", TABLE_LEFT },
		{ "busy", TABLE_RIGHT },
		{ "at most", TABLE_RIGHT },
		{ "of", TABLE_LEFT },
		{ "memory", TABLE_RIGHT },
		{ "power", TABLE_RIGHT },
		{ "energy per inference", TABLE_RIGHT },
	};
	const struct model_report *report = view->analysis->report;
	bool has_tokens = !strcmp(model_per(view->analysis), "token");

	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		if (i != 2 || view->is_roomy)
			table_column(table, i == 8 && has_tokens ? "energy per token" : columns[i].header,
				     columns[i].flags);
	for (uint32_t r = 0; r < report->n_results; r++)
		for (uint32_t i = 0; i < report->results[r].n_devices; i++)
			put_device(table, view, r, &report->results[r].devices[i]);
}

struct printable model_device_words(const struct model_view *view, uint32_t run, const struct model_device *device)
{
	struct printable to = { "" };

	if (!device->energy_missing || isfinite(device->joules))
		return to;
	printable_add(&to, "%s: energy of ", view->label[run].s);
	printable_add(&to, "%s is not known: ", model_text(device->name, 24, view->is_ascii).s);
	printable_add(&to, "%s", model_text(device->energy_missing, 100, view->is_ascii).s);
	return to;
}

struct printable model_devices_missing(const struct model_view *view, uint32_t run)
{
	const char *missing = view->analysis->report->results[run].devices_missing;
	struct printable to = { "" };

	if (!missing)
		return to;
	printable_add(&to, "%s: GPUs and NPUs are not all known: ", view->label[run].s);
	printable_add(&to, "%s", model_text(missing, 300, view->is_ascii).s);
	return to;
}
