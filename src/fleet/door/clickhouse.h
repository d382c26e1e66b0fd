/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of an interval as blocks of ClickHouse's format Native, whose columns have their names and types with them: a
 * table may lack some of them, or have more. doc/watch.md says what they are. Sends nothing.
 */
#ifndef FLEET_DOOR_CLICKHOUSE_H
#define FLEET_DOOR_CLICKHOUSE_H

#include <stdio.h>

#include "fleet/door/door.h"

/* Of the table intervals: one a series, one a service, one of the watcher itself. */
void clickhouse_write_intervals(const struct door_in *in, FILE *out);
/* Of the table inferences: the tail. false: there are none. */
bool clickhouse_write_inferences(const struct door_in *in, FILE *out);

#endif
