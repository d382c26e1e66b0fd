/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses (or other numbers) and the small number that each has here. Starts zeroed. One thread. */
#ifndef CAPTURE_PROBE_UPROBE_TABLE_H
#define CAPTURE_PROBE_UPROBE_TABLE_H

#include "base/slots.h"

struct uprobe_table {
	struct slots entries;
};

/* 0: it has none. */
uint32_t uprobe_table_get(const struct uprobe_table *table, uint64_t key);
/* value 0 takes the number away. False: out of memory. */
bool uprobe_table_put(struct uprobe_table *table, uint64_t key, uint32_t value);
/* Forgets everything. */
void uprobe_table_done(struct uprobe_table *table);

#endif
