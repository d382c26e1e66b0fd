// SPDX-License-Identifier: Apache-2.0
/* Tables of slices of every kind: slices, operators, kernels, phases of session creation. */
#include "analyze/query/query_columns.h"
#include "analyze/store/matrix_bytes.h"

#define SLICE_ID(of) { "id", "INTEGER", "number of the " of " among slices of all kinds", query_get_id, QUERY_ROW }
#define SLICE_NAME(what) { "name", "TEXT", what, NULL, QUERY_NAME, query_key_name }
#define OF_A_RUN \
	{ "inference",	  "INTEGER",	"number of its inference in its process; NULL: it ran outside of one", \
	  NULL,		  QUERY_NUMBER, query_key_inference, \
	  .is_rare = true }, \
	    { "inference_id", "INTEGER",      "its inference: inferences.id", NULL, QUERY_NUMBER, \
	      query_run_id,   .is_rare = true }, \
	    { "model", "TEXT", "name of its model", NULL, QUERY_NAME, query_key_model }, \
	{ \
		"model_id", "INTEGER", "its model: models.id", NULL, QUERY_NUMBER, query_model_id \
	}
#define AROUND \
	{ "depth", "INTEGER", "slices around it on its track", query_get_depth }, \
	{ \
		"parent_id", "INTEGER", "the slice around it: slices.id", NULL, QUERY_NUMBER, query_key_parent, \
		    .is_rare = true \
	}
#define ARGS \
	{ "args", "TEXT", "all annotations that have no column in `slices`, as JSON: args ->> 'bytes'", query_get_args }

/* Its duration says nothing about the operator: figures leave it out. */
static void get_is_halted(sqlite3_context *to, const struct query_at *at)
{
	uint64_t end_ns = at->track->slices.end_ns[at->row];

	if (end_ns != STORE_OPEN)
		query_put_int(to, halts_hit(query_halts(at), at->track->slices.begin_ns[at->row], end_ns));
}

/* Its duration without the operators right inside it. */
static void get_self(sqlite3_context *to, const struct query_at *at)
{
	const struct store_slices *slices = &at->track->slices;
	uint64_t end_ns = slices->end_ns[at->row], inside_ns = 0;
	uint16_t depth = slices->depth[at->row];

	if (end_ns == STORE_OPEN)
		return;
	for (size_t row = at->row + 1; row < slices->n && slices->depth[row] > depth; row++)
		if (slices->depth[row] == depth + 1 && slices->kind[row] == KIND_OPERATOR &&
		    slices->end_ns[row] != STORE_OPEN)
			inside_ns += slices->end_ns[row] - slices->begin_ns[row];
	query_put_count(to, end_ns - slices->begin_ns[at->row] - inside_ns);
}

static void get_line(sqlite3_context *to, const struct query_at *at)
{
	query_put_name(to, at->query, at->track->def.name);
}

static const struct query_column slice_columns[] = {
	SLICE_ID("slice"),
	{ "kind", "TEXT", "what it is: `inference`, `operator`, `session`, `load` ...", query_get_kind },
	SLICE_NAME("its name, for people"),
	QUERY_TIMES("slice"),
	AROUND,
	QUERY_WHERE_IT_RAN,
	{ "tid", "INTEGER", "its thread, where that is known", NULL, QUERY_NUMBER, query_key_tid },
	{ "inference", "INTEGER", "number of its inference in its process", NULL, QUERY_NUMBER, query_key_inference,
	  .is_rare = true },
	{ "inference_id", "INTEGER", "its inference: inferences.id", NULL, QUERY_NUMBER, query_run_id,
	  .is_rare = true },
	ARGS,
};

const struct query_table query_table_slices = {
	.name = "slices",
	.what = "Everything that has a begin and an end.",
	.rows = QUERY_SLICES,
	QUERY_COLUMNS(slice_columns),
};

static void get_matrix_bytes(sqlite3_context *to, const struct query_at *at)
{
	const struct names *names = at->query->names;
	int64_t bytes = matrix_bytes(names_text(names, query_key_op_type(at)),
				     names_text(names, store_text(query_arg(at, KEY_SHAPES))));

	if (bytes >= 0)
		sqlite3_result_int64(to, bytes);
}

static const struct query_column operator_columns[] = {
	SLICE_ID("operator"),
	SLICE_NAME("name of its node in the model"),
	{ "op_type", "TEXT", "its type: `Conv`, `MatMul` ...", NULL, QUERY_NAME, query_key_op_type },
	{ "provider", "TEXT", "the execution provider that ran it", NULL, QUERY_NAME, query_key_provider },
	QUERY_TIMES("operator"),
	{ "self_ns", "INTEGER", "duration_ns without the operators inside it", get_self },
	{ "is_halted", "INTEGER", "1: its process was stopped, traced or frozen while it ran; figures leave it out",
	  get_is_halted },
	OF_A_RUN,
	QUERY_WHERE_IT_RAN,
	{ "tid", "INTEGER", "its thread", NULL, QUERY_NUMBER, query_key_tid },
	AROUND,
	{ "shapes", "TEXT", "of its inputs, and `->` and those of its outputs where known", .arg = KEY_SHAPES },
	{ "bytes", "INTEGER", "bytes that went in and came out", .arg = KEY_BYTES },
	{ "matrix_bytes", "INTEGER", "bytes of the matrices that a `mul_mat` of llama.cpp reads, at level detail",
	  get_matrix_bytes },
	{ "allocated_bytes", "INTEGER", "bytes that it took from allocators", .arg = KEY_ALLOCATED },
	{ "allocations", "INTEGER", "calls that took memory from allocators", .arg = KEY_ALLOCATIONS },
	{ "status", "TEXT", "the runtime's message, if it failed", .arg = KEY_STATUS },
};

const struct query_table query_table_operators = {
	.name = "operators",
	.what = "Calls of operators: one node's kernel, run once.",
	.rows = QUERY_SLICES,
	.kinds = 1u << KIND_OPERATOR,
	QUERY_COLUMNS(operator_columns),
};

static const struct query_column kernel_columns[] = {
	SLICE_ID("kernel"),
	SLICE_NAME("name of the kernel, or of the provider's own node"),
	{ "op_type", "TEXT", "its type, as the provider names it", NULL, QUERY_NAME, query_key_op_type },
	QUERY_TIMES("kernel"),
	OF_A_RUN,
	{ "operator", "TEXT", "the node that launched it: operators.name", .arg = KEY_OPERATOR },
	{ "stream", "TEXT", "name of the line that it is on", get_line },
	QUERY_WHERE_IT_RAN,
	{ "implementation", "TEXT", "which of its implementations the provider chose", .arg = KEY_IMPLEMENTATION },
	{ "source_ops", "TEXT", "nodes of the model that it was made from, `;` between them", .arg = KEY_SOURCE_OPS },
	{ "cycles", "INTEGER", "as the provider's profiler counted them", .arg = KEY_CYCLES },
	{ "share", "REAL", "of the cycles of all kernels of the same execution, 0 to 1", .arg = KEY_SHARE },
	{ "reported_ns", "INTEGER", "the duration that the profiler reports, if it did not fit into its operator",
	  .arg = KEY_REPORTED_NS },
	{ "source", "TEXT", "the profiler that it comes from", .arg = KEY_SOURCE },
	{ "queued_ns", "INTEGER", "from the end of the call that launched it to its start", .arg = KEY_QUEUED_NS },
	{ "bytes", "INTEGER", "of copies and sets", .arg = KEY_BYTES },
	{ "direction", "TEXT", "of copies: `to the device`, `from the device` ...", .arg = KEY_DIRECTION },
	{ "grid", "TEXT", "of kernels: blocks, `108x1x1`", .arg = KEY_GRID },
	{ "block", "TEXT", "of kernels: threads of a block", .arg = KEY_BLOCK },
	{ "registers", "INTEGER", "of kernels: of a thread", .arg = KEY_REGISTERS },
	{ "shared_bytes", "INTEGER", "of kernels: shared memory of a block", .arg = KEY_SHARED_BYTES },
	{ "symbol", "TEXT", "of kernels: the whole name, where `name` is a shorter one", .arg = KEY_SYMBOL },
};

const struct query_table query_table_kernels = {
	.name = "kernels",
	.what = "Kernels and copies of devices, and the nodes that a provider's own profiler reports.",
	.rows = QUERY_SLICES,
	.kinds = 1u << KIND_KERNEL,
	QUERY_COLUMNS(kernel_columns),
};

static const struct query_column halt_columns[] = {
	SLICE_ID("halt"),
	SLICE_NAME("`stopped` by a signal, `traced` (held by a debugger or tracer), or `frozen` with its cgroup"),
	QUERY_TIMES("time in which the process was seen so"),
	QUERY_WHERE_IT_RAN,
	{ "from_ns", "INTEGER", "when it was last seen running before; NULL: it was not", .arg = KEY_FROM_NS },
	{ "until_ns", "INTEGER", "when it was first seen running after; NULL: it was not", .arg = KEY_UNTIL_NS },
	{ "tracer", "TEXT", "name of the tracer", .arg = KEY_TEXT },
	{ "tracer_pid", "INTEGER", "its number", .arg = KEY_PID },
};

const struct query_table query_table_halts = {
	.name = "halts",
	.what = "Times in which a process could not run, whatever it wanted.",
	.rows = QUERY_SLICES,
	.kinds = 1u << KIND_HALT,
	QUERY_COLUMNS(halt_columns),
};

static const struct query_column phase_columns[] = {
	SLICE_ID("phase"),
	{ "kind", "TEXT", "`load`, `specialize`, `phase` or `provider_ready`", query_get_kind },
	SLICE_NAME("its name: `build graph`, a graph transformer ..."),
	QUERY_TIMES("phase"),
	{ "model", "TEXT", "name of the model that was loaded", NULL, QUERY_NAME, query_key_model },
	{ "session_id", "INTEGER", "the session that was created: sessions.id", NULL, QUERY_NUMBER, query_session_id },
	QUERY_WHERE_IT_RAN,
	AROUND,
	{ "modified", "INTEGER", "of graph transformers: 1 if the graph was changed, else 0", .arg = KEY_MODIFIED },
	{ "capabilities", "INTEGER", "of partitioning: groups of nodes that the provider asked for",
	  .arg = KEY_CAPABILITIES },
	{ "count", "INTEGER", "of weights, of values that were compared", .arg = KEY_COUNT },
	{ "bytes", "INTEGER", "bytes that were read from the model's file", .arg = KEY_BYTES },
	{ "reason", "TEXT", "of what was compiled again while an inference ran: why", .arg = KEY_TEXT },
	{ "status", "TEXT", "of what was compiled while an inference ran: `ok` or the message", .arg = KEY_STATUS },
	{ "run_queue_ns", "INTEGER", "time that its thread waited for a CPU in it, and (but for load) in none inside",
	  .arg = KEY_RUN_QUEUE_NS },
};

const struct query_table query_table_phases = {
	.name = "phases",
	.what = "What happens while sessions are created, when provider libraries get ready, and what `torch.compile` "
		"compiles while inferences run.",
	.rows = QUERY_SLICES,
	.kinds = 1u << KIND_LOAD | 1u << KIND_SPECIALIZE | 1u << KIND_PHASE | 1u << KIND_PROVIDER_READY,
	QUERY_COLUMNS(phase_columns),
};
