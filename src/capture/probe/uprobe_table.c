// SPDX-License-Identifier: Apache-2.0
/* Rows of base/slots.h. Key 0 is in use: a row has the key above, and the highest key, which no object has, has none.
 */
#include "capture/probe/uprobe_table.h"

struct entry {
	uint64_t above;
	uint32_t value;
};

uint32_t uprobe_table_get(const struct uprobe_table *table, uint64_t key)
{
	const struct entry *entry = slots_find(&table->entries, key + 1, sizeof *entry);

	return entry ? entry->value : 0;
}

bool uprobe_table_put(struct uprobe_table *table, uint64_t key, uint32_t value)
{
	struct entry *entry;

	if (key == UINT64_MAX)
		return true;
	entry = value ? slots_get(&table->entries, key + 1, sizeof *entry)
		      : slots_find(&table->entries, key + 1, sizeof *entry);
	if (entry && value)
		entry->value = value;
	else if (entry)
		slots_remove(&table->entries, entry, sizeof *entry);
	return entry || !value;
}

void uprobe_table_done(struct uprobe_table *table)
{
	slots_done(&table->entries);
}
