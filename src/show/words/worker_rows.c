// SPDX-License-Identifier: Apache-2.0
#include "show/words/worker_rows.h"

#include "analyze/result/recording_workers.h"
#include "base/text/units.h"

void worker_rows(struct table *table, const struct summary *summary, const struct summary_model *model, uint32_t n_most)
{
	struct recording_worker worker[RECORDING_WORKERS];
	uint32_t n = model->n_processes > 1 ? recording_workers_list(summary, model, worker) : 0;

	if (n < 2)
		return;
	table_column(table, "process", TABLE_RIGHT);
	table_column(table, "inferences", TABLE_RIGHT);
	table_column(table, "p50", TABLE_RIGHT);
	table_column(table, "p90", TABLE_RIGHT);
	for (uint32_t i = n; i-- > 0 && n - i <= n_most;) {
		table_cell(table, TABLE_PLAIN, "%d", summary->processes[worker[i].process].pid);
		table_cell(table, TABLE_PLAIN, "%s", units_count(worker[i].n_runs).s);
		table_cell(table, TABLE_PLAIN, "%s", worker[i].n ? units_duration((double)worker[i].p50_ns).s : "-");
		table_cell(table, TABLE_PLAIN, "%s", worker[i].n ? units_duration((double)worker[i].p90_ns).s : "-");
	}
}
