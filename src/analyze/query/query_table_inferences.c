// SPDX-License-Identifier: Apache-2.0
/*
 * Inferences, and how much of each its operators explain. Operators of several threads may overlap: a moment counts
 * once.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/query/query_columns.h"
#include "analyze/store/shapes.h"

struct stretch {
	uint64_t begin_ns, end_ns;
};

struct explained {
	uint64_t operators_ns, setup_ns, unattributed_ns;
};

static void get_elements(sqlite3_context *to, const struct query_at *at)
{
	uint64_t elements = shapes_elements(names_text(at->query->names, store_text(query_arg(at, KEY_SHAPES))));

	if (elements)
		query_put_count(to, elements);
}

static bool has_one(const struct query_at *at, enum event_key key)
{
	return store_int(query_arg(at, key), 0) == 1;
}

static bool is_failed(const struct query_at *at)
{
	uint32_t status = store_text(query_arg(at, KEY_STATUS));

	return status && strcmp(names_text(at->query->names, status), "ok") != 0;
}

static void get_is_first(sqlite3_context *to, const struct query_at *at)
{
	query_put_int(to, has_one(at, KEY_FIRST));
}

static void get_is_failed(sqlite3_context *to, const struct query_at *at)
{
	query_put_int(to, is_failed(at));
}

static void get_is_partial(sqlite3_context *to, const struct query_at *at)
{
	query_put_int(to, has_one(at, KEY_PARTIAL));
}

static void get_is_typical(sqlite3_context *to, const struct query_at *at)
{
	query_put_int(to, at->track->slices.end_ns[at->row] != STORE_OPEN && !is_failed(at) &&
			      !has_one(at, KEY_FIRST) && !has_one(at, KEY_PARTIAL));
}

static void get_is_subnormal(sqlite3_context *to, const struct query_at *at)
{
	query_put_int(to, has_one(at, KEY_SUBNORMAL));
}

/* The rows of its operators, of the table of operators; 0: it has none, or out of memory. */
static size_t operators_of(const struct query_at *at, const uint32_t **rows)
{
	extern const struct query_table query_table_operators;
	static int column = -1;
	const struct query_index *index;
	size_t n = 0;
	uint32_t id = query_run_id(at);

	for (size_t i = 0; column < 0 && i < query_table_operators.n_columns; i++)
		if (!strcmp(query_table_operators.columns[i].name, "inference_id"))
			column = (int)i;
	index = id ? query_index_of(at->query, &query_table_operators, &column, 1) : NULL;
	if (index)
		query_index_rows(index, id, rows, &n);
	return n;
}

static int compare(const void *a_, const void *b_)
{
	const struct stretch *a = a_, *b = b_;

	return a->begin_ns != b->begin_ns ? (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns)
					  : (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

/* How long at least one of them lasts. They are sorted. */
static uint64_t covered(struct stretch *stretch, size_t n)
{
	uint64_t sum_ns = 0, until_ns = 0;

	qsort(stretch, n, sizeof *stretch, compare);
	for (size_t i = 0; i < n; i++) {
		uint64_t begin_ns = stretch[i].begin_ns > until_ns ? stretch[i].begin_ns : until_ns;

		if (stretch[i].end_ns <= begin_ns)
			continue;
		sum_ns += stretch[i].end_ns - begin_ns;
		until_ns = stretch[i].end_ns;
	}
	return sum_ns;
}

/* The part of a slice that lies in the inference. */
static struct stretch clip(const struct store_slices *of, size_t row, const struct query_at *run)
{
	uint64_t begin_ns = run->track->slices.begin_ns[run->row], end_ns = run->track->slices.end_ns[run->row];
	struct stretch stretch = { of->begin_ns[row], of->end_ns[row] };

	if (stretch.end_ns == STORE_OPEN)
		stretch.end_ns = stretch.begin_ns;
	stretch.begin_ns = stretch.begin_ns < begin_ns ? begin_ns : stretch.begin_ns;
	stretch.end_ns = stretch.end_ns > end_ns ? end_ns : stretch.end_ns;
	return stretch;
}

static size_t add_setup(const struct query_at *at, struct stretch *to)
{
	const struct store_slices *slices = &at->track->slices;
	size_t n = 0;

	for (size_t row = at->row + 1; row < slices->n && slices->depth[row] > slices->depth[at->row]; row++)
		if (slices->kind[row] == KIND_SETUP) {
			if (to)
				to[n] = clip(slices, row, at);
			n++;
		}
	return n;
}

/* False: it was cut off, it has no operators, or there is no memory. */
static bool explain(const struct query_at *at, struct explained *to)
{
	const struct store_slices *slices = &at->track->slices;
	const struct query_track *near = NULL;
	const uint32_t *rows;
	size_t n = slices->end_ns[at->row] == STORE_OPEN ? 0 : operators_of(at, &rows);
	size_t n_setup = n ? add_setup(at, NULL) : 0;
	struct stretch *stretch = n ? malloc((n + n_setup) * sizeof *stretch) : NULL;
	uint64_t all_ns;

	if (!stretch)
		return false;
	for (size_t i = 0; i < n; i++) {
		near = query_track_of(at->query, rows[i], near);
		stretch[i] = clip(&near->track->slices, rows[i] - near->base, at);
	}
	to->operators_ns = covered(stretch, n);
	add_setup(at, stretch + n);
	all_ns = covered(stretch, n + n_setup);
	to->setup_ns = all_ns - to->operators_ns;
	to->unattributed_ns = slices->end_ns[at->row] - slices->begin_ns[at->row] - all_ns;
	free(stretch);
	return true;
}

static void get_operators(sqlite3_context *to, const struct query_at *at)
{
	const uint32_t *rows;

	query_put_count(to, operators_of(at, &rows));
}

static void get_operators_ns(sqlite3_context *to, const struct query_at *at)
{
	struct explained explained;

	if (explain(at, &explained))
		query_put_count(to, explained.operators_ns);
}

static void get_setup_ns(sqlite3_context *to, const struct query_at *at)
{
	struct explained explained;

	if (explain(at, &explained))
		query_put_count(to, explained.setup_ns);
}

static void get_unattributed_ns(sqlite3_context *to, const struct query_at *at)
{
	struct explained explained;

	if (explain(at, &explained))
		query_put_count(to, explained.unattributed_ns);
}

static const struct query_column columns[] = {
	{ "id", "INTEGER", "number of the inference among slices of all kinds", query_get_id, QUERY_ROW },
	{ "model", "TEXT", "name of its model", NULL, QUERY_NAME, query_key_model },
	{ "model_id", "INTEGER", "its model: models.id", NULL, QUERY_NUMBER, query_model_id },
	QUERY_TIMES("inference"),
	{ "inference", "INTEGER", "its number in its process, from 1", NULL, QUERY_NUMBER, query_key_inference,
	  .is_rare = true },
	{ "session", "INTEGER", "number of its session in its process, from 1", NULL, QUERY_NUMBER, query_key_session },
	{ "session_id", "INTEGER", "its session: sessions.id", NULL, QUERY_NUMBER, query_session_id },
	{ "number", "INTEGER", "its number in its session, from 1", .arg = KEY_ID },
	QUERY_WHERE_IT_RAN,
	{ "tid", "INTEGER", "the thread that called it", NULL, QUERY_NUMBER, query_key_tid },
	{ "status", "TEXT", "`ok`, or the runtime's message", .arg = KEY_STATUS },
	{ "is_typical", "INTEGER",
	  "1: finished, not failed, not partial and not the first of its session; else 0. "
	  "Latencies of the report are of these",
	  get_is_typical },
	{ "is_first", "INTEGER", "1: the first of its session; else 0", get_is_first },
	{ "is_failed", "INTEGER", "1: its status is another than `ok`; else 0", get_is_failed },
	{ "is_partial", "INTEGER", "1: recording began or ended in the middle of it; else 0", get_is_partial },
	{ "operators", "INTEGER", "how many operators of it are recorded", get_operators },
	{ "operators_ns", "INTEGER", "time in which at least one of its operators ran", get_operators_ns },
	{ "setup_ns", "INTEGER", "time in which inputs were checked, converted or copied, and no operator ran",
	  get_setup_ns },
	{ "unattributed_ns", "INTEGER", "duration_ns less the two; NULL: no operators are recorded",
	  get_unattributed_ns },
	{ "halted_ns", "INTEGER", "time in which its process was seen stopped, traced or frozen (halts)",
	  query_get_halted },
	{ "thread_cpu_ns", "INTEGER", "CPU time of its thread during it", .arg = KEY_THREAD_CPU_NS },
	{ "run_queue_ns", "INTEGER", "time that its thread waited for a CPU", .arg = KEY_RUN_QUEUE_NS },
	{ "faults", "INTEGER", "page faults of its thread", .arg = KEY_FAULTS },
	{ "major_faults", "INTEGER", "of these, those that waited for a disk; NULL: none, or not known",
	  .arg = KEY_MAJOR_FAULTS },
	{ "switches", "INTEGER", "context switches of its thread", .arg = KEY_SWITCHES },
	{ "read_bytes", "INTEGER", "bytes that its thread read from disks; NULL: none, or not known",
	  .arg = KEY_READ_BYTES },
	{ "pool_queue_ns", "INTEGER",
	  "time before it began in the queue of the runtime's pool, as RunAsync or start_async put it there; NULL: "
	  "none, or not known",
	  .arg = KEY_POOL_QUEUE_NS },
	{ "is_subnormal", "INTEGER", "1: its thread computed with subnormal numbers; else 0", get_is_subnormal },
	{ "has_gradients", "INTEGER", "1: its result can be differentiated; else 0; NULL: not known",
	  .arg = KEY_GRADIENTS },
	{ "is_training_mode", "INTEGER", "1: a part of the model computed as in training; else 0; NULL: not known",
	  .arg = KEY_TRAINING_MODE },
	{ "shapes", "TEXT",
	  "of its inputs: `1x3x224x224`; behind the first 16, each shape once: `float32[1x8x40x64]*48`",
	  .arg = KEY_SHAPES },
	{ "elements", "INTEGER", "elements of all inputs together", get_elements },
	{ "batch", "INTEGER", "first dimension of its first input", .arg = KEY_BATCH },
	{ "tag", "TEXT", "the run tag that the program gave it", .arg = KEY_TAG },
	{ "weight", "INTEGER", "how many inferences its operators stand for, 0: they were left out; NULL: 1",
	  .arg = KEY_WEIGHT },
	{ "caller", "TEXT", "line of the program that asked for it: `function (file:line)`; NULL: not known",
	  .arg = KEY_CALLER },
};

const struct query_table query_table_inferences = {
	.name = "inferences",
	.what = "Runs of models.",
	.rows = QUERY_SLICES,
	.kinds = 1u << KIND_INFERENCE,
	QUERY_COLUMNS(columns),
};
