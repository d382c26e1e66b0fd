// SPDX-License-Identifier: Apache-2.0
/* Every table and view, in the order in which lists show them: one line each. */
#include "analyze/query/query_in.h"

#define QUERY_TABLES(F) \
	F(recording) \
	F(processes) \
	F(runtimes) \
	F(other_runtimes) \
	F(device_clocks) \
	F(models) \
	F(sessions) \
	F(phases) \
	F(inferences) \
	F(operators) \
	F(kernels) \
	F(halts) \
	F(inference_stats) \
	F(sizes) \
	F(generations) \
	F(tokens) \
	F(token_lengths) \
	F(operator_stats) \
	F(operator_types) \
	F(outside) \
	F(requests) \
	F(request_parts) \
	F(slowest) \
	F(slowest_causes) \
	F(counters) \
	F(samples) \
	F(stack_samples) \
	F(stacks) \
	F(threads) \
	F(tracks) \
	F(slices) \
	F(losses) \
	F(remarks) \
	F(notes) \
	F(instants)

#define DECLARE(name) extern const struct query_table query_table_##name;
QUERY_TABLES(DECLARE)

#define ENTRY(name) &query_table_##name,
const struct query_table *const query_tables[] = { QUERY_TABLES(ENTRY) NULL };

static const struct query_column_words overlap_columns[] = {
	{ "process_id", "INTEGER", "process of the first: processes.id" },
	{ "inference_id", "INTEGER", "the one that began first: inferences.id" },
	{ "model", "TEXT", "its model" },
	{ "other_id", "INTEGER", "the one that began while it ran: inferences.id" },
	{ "other_model", "TEXT", "the model of that one" },
	{ "begin_ns", "INTEGER", "start of the overlap, CLOCK_MONOTONIC" },
	{ "end_ns", "INTEGER", "when the first of them ended" },
	{ "duration_ns", "INTEGER", "end_ns - begin_ns" },
};

static const struct query_column_words gap_columns[] = {
	{ "process_id", "INTEGER", "the process: processes.id" },
	{ "begin_ns", "INTEGER", "end of the last inference before, CLOCK_MONOTONIC" },
	{ "end_ns", "INTEGER", "begin of the next inference" },
	{ "duration_ns", "INTEGER", "end_ns - begin_ns" },
	{ "next_id", "INTEGER", "the inference that ended the gap: inferences.id" },
	{ "next_model", "TEXT", "its model" },
};

static const struct query_column_words unattributed_columns[] = {
	{ "inference_id", "INTEGER", "inferences.id" },
	{ "model", "TEXT", "name of its model" },
	{ "duration_ns", "INTEGER", "how long it took: the sum of the next three" },
	{ "operators_ns", "INTEGER", "time in which at least one of its operators ran" },
	{ "setup_ns", "INTEGER", "time in which inputs were checked or copied, and no operator ran" },
	{ "unattributed_ns", "INTEGER", "time that nothing explains" },
	{ "unattributed_share", "REAL", "the same, of duration_ns, 0 to 1" },
};

static const struct query_column_words kernel_columns[] = {
	{ "name", "TEXT", "name of the kernel" },
	{ "op_type", "TEXT", "type of the operator that launched it, or its own, as the provider names it" },
	{ "calls", "INTEGER", "number of calls, without those that were cut off" },
	{ "total_ns", "INTEGER", "their time, added up" },
	{ "mean_ns", "REAL", "total_ns / calls" },
	{ "max_ns", "INTEGER", "that of the longest" },
	{ "share", "REAL", "of the time of all kernels, 0 to 1" },
	{ "share_so_far", "REAL", "the same, including rows that take more" },
};

static const struct query_column_words cycle_columns[] = {
	{ "name", "TEXT", "name of the node" },
	{ "calls", "INTEGER", "how often it ran" },
	{ "cycles", "INTEGER", "those of all calls, added up" },
	{ "share", "REAL", "of the cycles of all nodes, 0 to 1" },
	{ "share_so_far", "REAL", "the same, including rows that take more" },
};

static const struct query_column_words stream_columns[] = {
	{ "track_id", "INTEGER", "the line: tracks.id" },
	{ "process_id", "INTEGER", "its process: processes.id" },
	{ "stream", "TEXT", "its name" },
	{ "kernels", "INTEGER", "how many ran on it" },
	{ "begin_ns", "INTEGER", "begin of the first, CLOCK_MONOTONIC" },
	{ "end_ns", "INTEGER", "end of the last" },
	{ "busy_ns", "INTEGER", "time in which one ran" },
	{ "copies_ns", "INTEGER", "the part of it in copies and fills of memory" },
	{ "idle_ns", "INTEGER", "time between the first and the last in which none ran" },
	{ "idle_within_inferences_ns", "INTEGER", "the part of it between two kernels of one inference" },
};

/* Each value that is computed is cast. Without that it has no type, and SQL compares it as a literal: 7 < '6'. */
const struct query_view query_views[] = {
	{ "overlap", "Pairs of inferences that ran at the same time, of any process.",
	  "SELECT a.process_id AS process_id, a.id AS inference_id, a.model AS model, b.id AS other_id, "
	  "b.model AS other_model, b.begin_ns AS begin_ns, CAST(min(a.end_ns, b.end_ns) AS INTEGER) AS end_ns, "
	  "CAST(min(a.end_ns, b.end_ns) - b.begin_ns AS INTEGER) AS duration_ns "
	  "FROM inferences a CROSS JOIN inferences b "
	  "WHERE b.begin_ns >= a.begin_ns AND b.begin_ns < a.end_ns AND b.end_ns IS NOT NULL "
	  "AND (b.begin_ns > a.begin_ns OR b.id > a.id)",
	  QUERY_COLUMNS(overlap_columns) },
	{ "gaps", "Times between its first and its last inference in which a process ran none.",
	  "SELECT process_id, CAST(until_ns AS INTEGER) AS begin_ns, begin_ns AS end_ns, "
	  "CAST(begin_ns - until_ns AS INTEGER) AS duration_ns, id AS next_id, model AS next_model FROM (SELECT "
	  "process_id, id, model, begin_ns, "
	  "max(coalesce(end_ns, 9223372036854775807)) OVER (PARTITION BY process_id ORDER BY begin_ns, id "
	  "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until_ns FROM inferences) "
	  "WHERE begin_ns > until_ns",
	  QUERY_COLUMNS(gap_columns) },
	{ "unattributed", "What of each inference no operator explains; those without operators are left out.",
	  "SELECT id AS inference_id, model, duration_ns, operators_ns, setup_ns, unattributed_ns, "
	  "CAST(unattributed_ns * 1.0 / duration_ns AS REAL) AS unattributed_share "
	  "FROM inferences WHERE unattributed_ns IS NOT NULL",
	  QUERY_COLUMNS(unattributed_columns) },
	{ "kernel_stats", "Kernels of devices, of the whole recording, by name and type: those of the report.",
	  "SELECT name, op_type, n AS calls, total_ns, CAST(total_ns * 1.0 / n AS REAL) AS mean_ns, max_ns, "
	  "CAST(total_ns * 1.0 / sum(total_ns) OVER () AS REAL) AS share, "
	  "CAST(sum(total_ns) OVER (ORDER BY total_ns DESC, name ROWS UNBOUNDED PRECEDING) * 1.0 / "
	  "sum(total_ns) OVER () AS REAL) AS share_so_far "
	  "FROM (SELECT name, op_type, CAST(count(*) AS INTEGER) AS n, CAST(sum(duration_ns) AS INTEGER) AS total_ns, "
	  "CAST(max(duration_ns) AS INTEGER) AS max_ns FROM kernels WHERE duration_ns IS NOT NULL GROUP BY name, "
	  "op_type) "
	  "ORDER BY total_ns DESC, name",
	  QUERY_COLUMNS(kernel_columns) },
	{ "cycle_stats", "Nodes on devices whose profiler counts cycles instead of time, by name: those of the report.",
	  "SELECT name, n AS calls, cycles, CAST(cycles * 1.0 / sum(cycles) OVER () AS REAL) AS share, "
	  "CAST(sum(cycles) OVER (ORDER BY cycles DESC, name ROWS UNBOUNDED PRECEDING) * 1.0 / sum(cycles) OVER () "
	  "AS REAL) AS share_so_far FROM (SELECT name, CAST(count(*) AS INTEGER) AS n, "
	  "CAST(sum(cycles) AS INTEGER) AS cycles FROM instants "
	  "WHERE kind = 'kernel' AND cycles IS NOT NULL GROUP BY name) ORDER BY cycles DESC, name",
	  QUERY_COLUMNS(cycle_columns) },
	{ "stream_stats", "How busy each line of kernels was, between its first and its last kernel.",
	  "SELECT track_id, process_id, stream, CAST(count(*) AS INTEGER) AS kernels, "
	  "CAST(min(begin_ns) AS INTEGER) AS begin_ns, CAST(max(end_ns) AS INTEGER) AS end_ns, "
	  "CAST(sum(duration_ns) AS INTEGER) AS busy_ns, "
	  "CAST(sum(duration_ns * (name LIKE 'memcpy%' OR name LIKE 'memset%')) AS INTEGER) AS copies_ns, "
	  "CAST(max(end_ns) - min(begin_ns) - sum(duration_ns) AS INTEGER) AS idle_ns, "
	  "CAST(sum(CASE WHEN inference = last_inference THEN max(begin_ns - last_end_ns, 0) ELSE 0 END) AS INTEGER) "
	  "AS idle_within_inferences_ns FROM (SELECT *, lag(end_ns) OVER line AS last_end_ns, "
	  "lag(inference) OVER line AS last_inference FROM kernels WHERE duration_ns IS NOT NULL "
	  "WINDOW line AS (PARTITION BY track_id ORDER BY begin_ns)) GROUP BY track_id ORDER BY track_id",
	  QUERY_COLUMNS(stream_columns) },
	{ 0 },
};
