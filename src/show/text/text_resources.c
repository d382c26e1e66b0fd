// SPDX-License-Identifier: Apache-2.0
/* CPU, memory and other counters, while inferences ran and while none did. */
#include <string.h>

#include "show/text/page.h"
#include "show/words/resource_words.h"

enum { MAX_ROWS = 40 };

/* Bytes of the device's name, with which the name of its counter begins; 0: it is of no device as a whole. */
static size_t device_len(const struct page *page, const struct summary_resource *resource)
{
	if (resource->process != SUMMARY_NONE || !resource->device)
		return 0;
	return strcspn(names_text(page->names, resource->device), ":");
}

static struct printable counter_name(const struct page *page, const struct summary_resource *resource)
{
	const char *text = names_text(page->names, resource->name);
	size_t len = device_len(page, resource);

	if (!len)
		return page_name(page, resource->name, 40);
	return printable_text(text + len + 1, strlen(text + len + 1), 40, page->opts.is_ascii);
}

static void put_name(const struct page *page, struct table *table, const struct summary_resource *resource)
{
	const char *unit = names_text(page->names, resource->unit);
	const char *scope = resource->process == SUMMARY_NONE ? " (of all cores)" : " (of one core)";
	bool is_known = !*unit || !strcmp(unit, "bytes") || !strcmp(unit, "count") || !strcmp(unit, "count/s");
	struct printable name = counter_name(page, resource);

	if (!strcmp(unit, "%") && !strcmp(names_text(page->names, resource->name), "cpu"))
		printable_add(&name, "%s", scope);
	else if (!is_known && strcmp(unit, "%"))
		printable_add(&name, " (%s)", page_name(page, resource->unit, 20).s);
	table_cell(table, TABLE_PLAIN, "%s", name.s);
}

static void put_resource(const struct page *page, struct table *table, const struct summary_resource *resource)
{
	const double with[] = { resource->busy_mean, resource->busy_max, resource->idle_mean, resource->idle_max,
				resource->max };
	const double without[] = { resource->mean, resource->max };
	bool has_busy = page->summary->busy_ns;

	if (device_len(page, resource))
		table_cell(table, TABLE_PLAIN, "%s",
			   printable_text(names_text(page->names, resource->device), device_len(page, resource), 24,
					  page->opts.is_ascii)
			       .s);
	else if (resource->process == SUMMARY_NONE)
		table_cell(table, TABLE_PLAIN, "machine");
	else
		table_cell(table, TABLE_PLAIN, "%d", page->summary->processes[resource->process].pid);
	put_name(page, table, resource);
	for (int i = 0; i < (has_busy ? 5 : 2); i++)
		table_cell(table, TABLE_PLAIN, "%s",
			   resource_value(page->summary, resource, has_busy ? with[i] : without[i], false).s);
	table_cell(table, TABLE_DIM, "%s", units_count(resource->n).s);
}

static void add_columns(const struct page *page, struct table *table)
{
	table_column(table, "process", TABLE_RIGHT);
	table_column(table, "counter", TABLE_LEFT | TABLE_SHRINKS);
	table_column(table, page->summary->busy_ns ? "busy mean" : "mean", TABLE_RIGHT);
	table_column(table, "max", TABLE_RIGHT);
	if (page->summary->busy_ns) {
		table_column(table, "idle mean", TABLE_RIGHT);
		table_column(table, "max", TABLE_RIGHT);
		table_column(table, "peak", TABLE_RIGHT);
	}
	table_column(table, "samples", TABLE_RIGHT);
}

/* What the devices in the table are, each once. */
static void put_devices(const struct page *page, uint32_t n)
{
	uint32_t told[SUMMARY_DEVICES], n_told = 0, at;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t device = page->summary->resources[i].device;

		for (at = 0; at < n_told && told[at] != device; at++)
			;
		if (!device || at < n_told || n_told == SUMMARY_DEVICES)
			continue;
		told[n_told++] = device;
		page_text(page, 2, TABLE_DIM, "%s", page_name(page, device, 120).s);
	}
}

void text_resources(const struct page *page)
{
	const struct summary *summary = page->summary;
	struct table table = page_table(page);
	uint32_t n = page->opts.is_all || summary->n_resources <= MAX_ROWS ? summary->n_resources : MAX_ROWS;

	if (!summary->n_resources)
		return;
	page_heading(page, "Resources%s",
		     summary->busy_ns ? " (busy: while an inference ran, idle: while none did)" : "");
	add_columns(page, &table);
	for (uint32_t i = 0; i < n; i++)
		put_resource(page, &table, &summary->resources[i]);
	table_print(&table, page->out);
	put_devices(page, n);
	if (n < summary->n_resources)
		page_text(page, 2, TABLE_DIM, "and %s more (--all shows them)",
			  printable_count(summary->n_resources - n, "counter").s);
}
