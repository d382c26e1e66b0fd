// SPDX-License-Identifier: Apache-2.0
/* Open addressing, at most half full. Places whose value is 0 are dropped when the table grows. */
#include "capture/probe/uprobe_table.h"

#include <stdlib.h>

static struct uprobe_entry *find(const struct uprobe_table *table, uint64_t key)
{
	uint64_t hash = key * 0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash >> 32) & (table->capacity - 1);

	while (table->entry[at].is_used && table->entry[at].key != key)
		at = (at + 1) & (table->capacity - 1);
	return &table->entry[at];
}

uint32_t uprobe_table_get(const struct uprobe_table *table, uint64_t key)
{
	return table->capacity ? find(table, key)->value : 0;
}

static bool grow(struct uprobe_table *table)
{
	struct uprobe_table grown = { .capacity = table->capacity ? table->capacity : 64 };
	size_t n_values = 0;

	for (size_t i = 0; i < table->capacity; i++)
		n_values += table->entry[i].value != 0;
	while (grown.capacity < 4 * (n_values + 1))
		grown.capacity *= 2;
	grown.entry = calloc(grown.capacity, sizeof *grown.entry);
	if (!grown.entry)
		return false;
	for (size_t i = 0; i < table->capacity; i++) {
		if (!table->entry[i].value)
			continue;
		*find(&grown, table->entry[i].key) = table->entry[i];
		grown.n++;
	}
	free(table->entry);
	*table = grown;
	return true;
}

bool uprobe_table_put(struct uprobe_table *table, uint64_t key, uint32_t value)
{
	struct uprobe_entry *entry;

	if (2 * (table->n + 1) > table->capacity && !grow(table))
		return false;
	entry = find(table, key);
	table->n += !entry->is_used;
	*entry = (struct uprobe_entry){ key, value, true };
	return true;
}

void uprobe_table_done(struct uprobe_table *table)
{
	free(table->entry);
	*table = (struct uprobe_table){ 0 };
}
