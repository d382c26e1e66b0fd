// SPDX-License-Identifier: Apache-2.0
/*
 * Random recordings, delivered like a recorder's: thread by thread, a stretch of time each. The figures of the summary,
 * which is made while reading, are those that SQL makes of the same events (summary_oracle.sql). ORACLE_DB names a file
 * for the tables of the last recording.
 */
#define CASES_MAIN
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "analyze/insight/recorded.h"
#include "analyze/result/recording_workers.h"
#include "analyze/stats/stats.h"
#include "base/text/json.h"
#include "cases.h"
#include "plain_tables.h"
#include "show/words/export.h"
#include "stream.h"

enum { MAX_TRACKS = 64, N_NODES = 9 };

/* What is wanted of a recording. */
struct shape {
	int n_processes, n_lanes, n_threads; /* of each process */
	int n_inferences;
	int n_operators;     /* of an inference, at most */
	uint64_t stretch_ns; /* handed over together; 0: all of a track at once */
	bool is_broken;	     /* ends are missing, numbers are used twice */
	bool has_notes, has_counters;
	int n_sessions; /* that are created; 0: 4 */
	bool is_churn;	/* each is created, used once and released */
};

/* Events of one track, in order. */
struct line {
	uint32_t track;
	struct array events; /* struct stream_event */
	size_t next;
	uint64_t now_ns; /* of the last one */
};

struct maker {
	struct stream s;
	struct shape shape;
	uint64_t seed;
	struct line line[MAX_TRACKS];
	int n_lines;
	int64_t number; /* of the last inference */
};

static uint64_t any(struct maker *maker, uint64_t n)
{
	maker->seed = maker->seed * 6364136223846793005u + 1442695040888963407u;
	return (maker->seed >> 33) % n;
}

/* A time of less than n us, to the ns: hardly two are alike. */
static uint64_t some(struct maker *maker, uint64_t us)
{
	return any(maker, us * 1000);
}

static struct line *add_line(struct maker *maker, uint32_t track)
{
	maker->line[maker->n_lines] = (struct line){ .track = track };
	return &maker->line[maker->n_lines++];
}

/* Takes the arguments that the stream has for the next event. */
static void put(struct maker *maker, struct line *line, enum event_type type, uint64_t ns, enum event_kind kind,
		const char *name)
{
	struct stream_event *to = array_add(&line->events, sizeof *to);

	assert_true(ns >= line->now_ns);
	line->now_ns = ns;
	*to = (struct stream_event){ { .type = type,
				       .track = line->track,
				       .time_ns = ns,
				       .kind = kind,
				       .name = stream_name(&maker->s, name),
				       .n_args = maker->s.n_args } };
	memcpy(to->args, maker->s.args, sizeof to->args);
	maker->s.n_args = 0;
}

static void put_end(struct maker *maker, struct line *line, uint64_t ns)
{
	if (maker->shape.is_broken && !any(maker, 200))
		maker->s.n_args = 0; /* it never ends */
	else
		put(maker, line, EVENT_END, ns, KIND_NONE, "");
}

/* An operator of [begin, end], with others inside. */
static void put_operator(struct maker *maker, struct line *line, uint64_t begin, uint64_t end, int64_t number,
			 int depth)
{
	static const char *const types[] = { "Conv", "Relu", "MatMul", "Loop" };
	static const char *const shapes[] = { "1x3", "2x3", "1x3->4" };
	struct stream *s = &maker->s;
	uint64_t node = any(maker, N_NODES), at;
	char name[8] = { 'n', (char)('0' + node) };

	stream_text(s, KEY_OP_TYPE, types[node % 4]);
	if (node)
		stream_text(s, KEY_PROVIDER, node % 3 ? "CPUExecutionProvider" : "CUDAExecutionProvider");
	if (!any(maker, 3))
		stream_text(s, KEY_SHAPES, shapes[any(maker, 3)]);
	if (!any(maker, 4))
		stream_int(s, KEY_BYTES, (int64_t)any(maker, 1000));
	if (any(maker, 3) == 0)
		stream_int(s, KEY_ALLOCATED, (int64_t)any(maker, 1000));
	if (number)
		stream_int(s, KEY_INFERENCE, number);
	put(maker, line, EVENT_BEGIN, begin, KIND_OPERATOR, name);
	at = begin;
	while (depth < 3 && end > at + 4 && !any(maker, 4)) {
		uint64_t from = at + any(maker, (end - at) / 2), to = from + any(maker, end - from);

		if (any(maker, 4)) {
			put_operator(maker, line, from, to, number, depth + 1);
		} else {
			put(maker, line, EVENT_BEGIN, from, KIND_KERNEL, "kernel");
			put(maker, line, EVENT_END, to, KIND_NONE, "");
		}
		at = to;
	}
	if (!any(maker, 30))
		stream_text(s, KEY_STATUS, "it failed");
	put_end(maker, line, end);
}

/* Operators one after the other on a thread, mostly within [begin, end]. */
static void put_operators(struct maker *maker, struct line *thread, uint64_t begin, uint64_t end, int64_t number)
{
	int n = (int)any(maker, (uint64_t)maker->shape.n_operators + 1);
	uint64_t at = begin > thread->now_ns ? begin : thread->now_ns;

	for (int i = 0; i < n && at < end; i++) {
		uint64_t to = at + 1 + any(maker, (end - at + (uint64_t)n) / (uint64_t)n + 1);

		put_operator(maker, thread, at, to, number, 0);
		at = to + some(maker, 3);
	}
}

static void put_session(struct maker *maker, struct line *lane, struct line *process, int64_t number)
{
	uint64_t begin = lane->now_ns + some(maker, 20), now = begin;
	struct stream *s = &maker->s;

	stream_int(s, KEY_SESSION, number);
	put(maker, lane, EVENT_BEGIN, begin, KIND_SESSION, number % 2 ? "odd" : "even");
	for (int i = 0; i < 4; i++) {
		static const char *const names[] = { "partition", "Fusion", "pre-pack x", "compile it", "Folding" };

		static const char *const phases[] = { "plan memory", "pre-pack weights", "resolve graph",
						      "finish session", "unknown" };
		bool is_phase = any(maker, 2);

		put(maker, lane, EVENT_BEGIN, now += some(maker, 10),
		    is_phase ? KIND_PHASE
		    : i	     ? KIND_SPECIALIZE
			     : KIND_LOAD,
		    is_phase ? phases[any(maker, 5)] : names[any(maker, 5)]);
		if (any(maker, 2)) {
			put(maker, lane, EVENT_BEGIN, now += some(maker, 10), KIND_SPECIALIZE, names[any(maker, 5)]);
			stream_int(s, KEY_MODIFIED, (int64_t)any(maker, 2));
			put(maker, lane, EVENT_END, now += some(maker, 10), KIND_NONE, "");
		}
		if (is_phase)
			stream_int(s, KEY_COUNT, (int64_t)any(maker, 1000));
		put(maker, lane, EVENT_END, now += some(maker, 10), KIND_NONE, "");
	}
	stream_text(s, KEY_STATUS, any(maker, 5) ? "ok" : "no such model");
	put(maker, lane, EVENT_END, now += some(maker, 10), KIND_NONE, "");
	if (!maker->shape.has_notes)
		return;
	stream_text(s, KEY_MODEL, number % 2 ? "odd" : "even");
	stream_int(s, KEY_SESSION, number);
	stream_text(s, KEY_PROVIDERS,
		    number % 3 ? "CPUExecutionProvider" : "CUDAExecutionProvider,CPUExecutionProvider");
	stream_int(s, KEY_BYTES, 1000 * number);
	put(maker, process, EVENT_INSTANT, process->now_ns > begin ? process->now_ns : begin, KIND_NOTE,
	    EVENT_NOTE_CREATED);
}

static void put_facts(struct maker *maker, int64_t session)
{
	struct stream *s = &maker->s;

	stream_text(s, KEY_MODEL, session % 2 ? "odd" : "even");
	stream_int(s, KEY_SESSION, session);
	stream_int(s, KEY_ID, maker->number);
	stream_int(s, KEY_TID, 100 + (int64_t)any(maker, 3));
	stream_int(s, KEY_BATCH, 1 + (int64_t)any(maker, 2));
	if (!any(maker, 10))
		stream_int(s, KEY_FIRST, 1);
	if (!any(maker, 30))
		stream_int(s, KEY_PARTIAL, 1);
	stream_int(s, KEY_INFERENCE, maker->number);
}

/* One inference on a lane, its operators on some threads. Durations differ in the last digits: no two are alike. */
static void put_inference(struct maker *maker, struct line *lane, struct line *threads, int64_t session)
{
	uint64_t begin = lane->now_ns + 1 + some(maker, 40), end = begin + 100000 + some(maker, 100000), setup = begin;
	struct stream *s = &maker->s;
	int64_t number = ++maker->number;

	/* which of two inferences with one number has its operators, depends on the order of lanes */
	if (maker->shape.is_broken && maker->shape.n_lanes == 1 && !any(maker, 50))
		number = maker->number -= any(maker, 2) ? 0 : 1;
	put_facts(maker, session);
	put(maker, lane, EVENT_BEGIN, begin, KIND_INFERENCE, session % 2 ? "odd" : "even");
	for (uint64_t i = any(maker, 3); i; i--) {
		put(maker, lane, EVENT_BEGIN, setup += some(maker, 5), KIND_SETUP, "setup");
		put(maker, lane, EVENT_BEGIN, setup += some(maker, 5), KIND_SETUP, "copy");
		put(maker, lane, EVENT_END, setup += some(maker, 5), KIND_NONE, "");
		put(maker, lane, EVENT_END, setup += some(maker, 5), KIND_NONE, "");
	}
	for (int i = 0; i < maker->shape.n_threads; i++)
		if (any(maker, 3) == 0 || i == 0)
			put_operators(maker, &threads[i], any(maker, 8) ? setup : begin, end, number);
	if (!any(maker, 5))
		put_operators(maker, &threads[0], end, end + 50000, any(maker, 2) ? 0 : number);
	if (any(maker, 10))
		stream_text(s, KEY_STATUS, any(maker, 10) ? "ok" : "it failed");
	if (any(maker, 3))
		stream_int(s, KEY_RUN_QUEUE_NS, (int64_t)any(maker, 1000));
	if (any(maker, 10))
		stream_int(s, KEY_FAULTS, (int64_t)any(maker, 3));
	put_end(maker, lane, end);
}

static void put_counters(struct maker *maker, uint32_t process, uint64_t until_ns)
{
	static const char *const units[] = { "%", "bytes", "J" };

	for (int i = 0; i < 3; i++) {
		struct line *line = add_line(maker, stream_counter(&maker->s, process, units[i], units[i]));

		for (uint64_t ns = some(maker, 20000); ns < until_ns; ns += 1 + some(maker, 20000)) {
			put(maker, line, EVENT_COUNTER, ns, KIND_NONE, "");
			((struct stream_event *)line->events.data)[line->events.n - 1].event.value =
			    (double)any(maker, 100);
		}
	}
}

static uint64_t put_churn(struct maker *maker, struct line *process, struct line *lane, struct line *threads, int n)
{
	struct stream *s = &maker->s;

	for (int i = 1; i <= n; i++) {
		put_session(maker, lane, process, i);
		put_inference(maker, lane, threads, i);
		stream_text(s, KEY_MODEL, i % 2 ? "odd" : "even");
		stream_int(s, KEY_SESSION, i);
		stream_int(s, KEY_FROM_NS, (int64_t)lane->now_ns);
		put(maker, process, EVENT_INSTANT, lane->now_ns, KIND_NOTE, EVENT_NOTE_RELEASED);
	}
	return lane->now_ns;
}

static uint64_t put_process(struct maker *maker, int index)
{
	uint32_t track = stream_process(&maker->s, 100 + index, "app");
	struct line *process = add_line(maker, track), *lanes, *threads;
	int n_sessions = maker->shape.n_sessions ? maker->shape.n_sessions : 4;
	uint64_t until_ns = 0;

	stream_int(&maker->s, KEY_INTERVAL_NS, 200000);
	put(maker, process, EVENT_INSTANT, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
	lanes = &maker->line[maker->n_lines];
	for (int i = 0; i < maker->shape.n_lanes; i++)
		add_line(maker, stream_lane(&maker->s, track, "m"));
	threads = &maker->line[maker->n_lines];
	for (int i = 0; i < maker->shape.n_threads; i++)
		add_line(maker, stream_thread(&maker->s, track, 100 + i));
	if (maker->shape.is_churn)
		return put_churn(maker, process, lanes, threads, n_sessions);
	for (int i = 1; i <= n_sessions; i++)
		put_session(maker, &lanes[any(maker, (uint64_t)maker->shape.n_lanes)], process, i);
	for (int i = 0; i < maker->shape.n_inferences; i++) {
		struct line *lane = &lanes[0];

		/* time passes alike on all lanes */
		for (int k = 1; k < maker->shape.n_lanes; k++)
			lane = lanes[k].now_ns < lane->now_ns ? &lanes[k] : lane;
		put_inference(maker, lane, threads, 1 + (int64_t)any(maker, (uint64_t)n_sessions + 1));
		until_ns = lane->now_ns > until_ns ? lane->now_ns : until_ns;
	}
	return until_ns;
}

static void hand_over(struct maker *maker, struct line *line, uint64_t until_ns)
{
	for (; line->next < line->events.n; line->next++) {
		const struct stream_event *from = (struct stream_event *)line->events.data + line->next;

		if (from->event.time_ns >= until_ns)
			break;
		memcpy(maker->s.args, from->args, sizeof from->args);
		maker->s.n_args = from->event.n_args;
		stream_put(&maker->s, from->event);
	}
}

static void make(struct maker *maker, const struct shape *shape, uint64_t seed)
{
	uint64_t until_ns = 0;

	*maker = (struct maker){ .shape = *shape, .seed = seed };
	stream_init(&maker->s);
	for (int i = 0; i < shape->n_processes; i++) {
		uint64_t ns = put_process(maker, i);

		until_ns = ns > until_ns ? ns : until_ns;
	}
	if (shape->has_counters)
		for (int i = 0; i <= shape->n_processes; i++)
			put_counters(maker,
				     i ? maker->line[(i - 1) * (1 + shape->n_lanes + shape->n_threads)].track : 0,
				     until_ns);
	/* as the recorder does: what says how often counters are looked at comes first */
	hand_over(maker, &maker->line[0], 1);
	for (uint64_t ns = shape->stretch_ns; shape->stretch_ns && ns < until_ns; ns += shape->stretch_ns) {
		int first = (int)any(maker, (uint64_t)maker->n_lines);

		for (int i = 0; i < maker->n_lines; i++)
			hand_over(maker, &maker->line[(first + i) % maker->n_lines], ns);
	}
	for (int i = 0; i < maker->n_lines; i++) {
		hand_over(maker, &maker->line[i], UINT64_MAX);
		array_done(&maker->line[i].events, sizeof(struct stream_event));
	}
}

/* But for findings, which are other ones where sessions are not kept, and kernels, which have tests of their own. */
static char *json_of(struct summary *summary)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct recorded recorded;
	struct err err;

	assert_int_equal(recorded_init(&recorded, summary, &err), 0);
	for (uint32_t i = 0; i < recorded.n; i++)
		recorded.model[i].n_findings = 0;
	export_json(out, &(struct report){ summary, recorded.model, recorded.n });
	fclose(out);
	recorded_done(&recorded);
	return text;
}

/* Is this line a figure that depends on the order in which values were added? */
static bool depends_on_order(const char *line)
{
	static const char *const keys[] = { "\"mean_interval_95_ns\": ", "\"independent_values\": ",
					    "\"interval_is_a_guess\": ", "\"drift\": ", "\"last_quarter_by_first\": " };

	line += strspn(line, " ");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!strncmp(line, keys[i], strlen(keys[i])))
			return true;
	return false;
}

/* The first line in which they differ says more than both of them. */
static void assert_same(const char *streamed, const char *walked, uint64_t seed)
{
	for (int line = 1; *streamed && *walked; line++) {
		size_t n = strcspn(streamed, "\n"), m = strcspn(walked, "\n");
		size_t key = depends_on_order(streamed) ? strcspn(streamed, ":") : 0;

		if (key ? strncmp(streamed, walked, key) != 0 : n != m || memcmp(streamed, walked, n) != 0)
			fail_msg("seed %llu, line %d: streamed %.*s, walked %.*s", (unsigned long long)seed, line,
				 (int)n, streamed, (int)m, walked);
		streamed += n + !!streamed[n];
		walked += m + !!walked[m];
	}
	assert_string_equal(streamed, walked);
}

static void put_blocked(struct json *json, const char *key, const struct summary_blocked *blocked)
{
	json_object(json, key);
	json_count(json, "inferences", blocked->n);
	json_count(json, "wall_ns", blocked->wall_ns);
	json_count(json, "blocked_ns", blocked->blocked_ns);
	json_count(json, "longest_ns", blocked->longest_ns);
	json_end(json, '}');
}

/* What findings are made of, and the report does not list. */
static char *inside_of(const struct summary *summary)
{
	struct json json;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	json_init(&json, out);
	json_array(&json, NULL);
	for (uint32_t i = 0; i < summary->n_models; i++) {
		const struct summary_model *model = &summary->models[i];

		json_object(&json, NULL);
		json_count(&json, "first_waits", model->runs.n_first_waits);
		json_count(&json, "first_wait_ns", model->runs.first_wait_ns);
		json_count(&json, "longest_wait_ns", model->runs.longest_wait_ns);
		put_blocked(&json, "alone", &model->runs.alone);
		put_blocked(&json, "beside", &model->runs.beside);
		json_array(&json, "tallies");
		for (uint32_t k = model->tallies.first; k < model->tallies.first + model->tallies.n; k++) {
			const struct summary_tally *tally = &summary->tallies[k];

			json_object(&json, NULL);
			json_text(&json, "key", event_key_name(tally->key));
			if (tally->text)
				json_text(&json, "value", names_text(summary->names, tally->text));
			else
				json_int(&json, "value", tally->number);
			json_count(&json, "inferences", tally->n);
			json_count(&json, "typical", tally->n_typical);
			json_count(&json, "wall_ns", tally->wall_ns);
			json_count(&json, "least_ns", tally->least_ns);
			json_end(&json, '}');
		}
		json_end(&json, ']');
		json_end(&json, '}');
	}
	json_end(&json, ']');
	json_done(&json);
	fclose(out);
	return text;
}

static void run_sql(sqlite3 *db, const char *sql)
{
	char *error = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &error))
		fail_msg("%s", error);
}

/* Fills a database with what the recording holds and what the summary says of it. */
static sqlite3 *tables_of(struct summary *summary)
{
	static const char *const copied[] = { "slices", "instants", "samples", "tracks" };
	struct query *query = query_new(summary, &(struct query_opts){ .memory_bytes = 1 << 30 }, &(struct err){ 0 });
	char *report = json_of(summary), *inside = inside_of(summary), *sql;
	struct query_table_words words;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(getenv("ORACLE_DB") ? getenv("ORACLE_DB") : ":memory:", &db), SQLITE_OK);
	run_sql(db, "BEGIN");
	for (size_t t = 0; query_table_at(t, &words); t++)
		for (size_t i = 0; i < sizeof copied / sizeof *copied; i++)
			if (!strcmp(words.name, copied[i]))
				plain_copy(db, query, t);
	sql = sqlite3_mprintf("CREATE TABLE report AS SELECT %Q report, %Q inside", report, inside);
	run_sql(db, sql);
	run_sql(db, "COMMIT");
	sqlite3_free(sql);
	free(report);
	free(inside);
	query_free(query);
	return db;
}

/* The text of summary_oracle.sql. */
static char *oracle;

static char *text_of(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (file && getdelim(&text, &size, 0, file) < 0)
		text = NULL;
	fclose(file);
	return text;
}

/* What depends on the order of values is compared where there is one thread: they come in the order of time. */
static void compare_series(sqlite3 *db, const struct summary *summary, bool is_in_order)
{
	struct stats latency[16] = { 0 };
	sqlite3_stmt *runs;

	assert_in_range(summary->n_models, 0, 16);
	sqlite3_prepare_v2(db, "SELECT k, ns FROM run WHERE typical ORDER BY e", -1, &runs, NULL);
	while (sqlite3_step(runs) == SQLITE_ROW)
		stats_add(&latency[sqlite3_column_int(runs, 0)], (uint64_t)sqlite3_column_int64(runs, 1));
	sqlite3_finalize(runs);
	for (uint32_t i = 0; i < summary->n_models; i++) {
		const struct stats_series *to = &summary->models[i].runs.series;
		struct stats_series series;

		stats_series_of(&series, &latency[i]);
		assert_memory_equal(to->percentile, series.percentile, sizeof series.percentile);
		assert_int_equal(to->n_outliers, series.n_outliers);
		if (is_in_order) {
			double half = stats_interval(&latency[i]).half;

			assert_memory_equal(&summary->models[i].runs.latency.interval_ns, &half, sizeof half);
			assert_memory_equal(&to->interval_ns, &series.interval_ns, sizeof half);
			assert_memory_equal(&to->n_effective, &series.n_effective, sizeof half);
			assert_memory_equal(&to->drift_ratio, &series.drift_ratio, sizeof half);
			assert_int_equal(to->drift, series.drift);
		}
		stats_done(&latency[i]);
	}
}

static void compare(const struct shape *shape, const struct summary_opts *opts, uint64_t seed)
{
	static const struct summary_file file;
	struct summary *summary;
	struct maker maker;
	sqlite3_stmt *differ;
	sqlite3 *db;

	make(&maker, shape, seed);
	summary = stream_summary_of(&maker.s, opts, &file);
	db = tables_of(summary);
	run_sql(db, oracle);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT * FROM differ", -1, &differ, NULL), SQLITE_OK);
	if (sqlite3_step(differ) == SQLITE_ROW)
		fail_msg("seed %llu: %s is %s, and by SQL %s", (unsigned long long)seed,
			 (const char *)sqlite3_column_text(differ, 0), (const char *)sqlite3_column_text(differ, 1),
			 (const char *)sqlite3_column_text(differ, 2));
	sqlite3_finalize(differ);
	compare_series(db, summary, shape->n_lanes == 1 && shape->n_threads == 1);
	sqlite3_close(db);
	summary_free(summary);
	stream_done(&maker.s);
}

/* SQL tells processes apart. */
static const struct summary_opts by_process = { .by_process = true };

TEST(a_recording_of_any_order_comes_to_the_same)
{
	for (uint64_t seed = 1; seed <= 60; seed++)
		compare(&(struct shape){ .n_processes = 1 + (int)(seed % 2),
					 .n_lanes = 1 + (int)(seed % 4),
					 .n_threads = 1 + (int)(seed % 3),
					 .n_inferences = (int)(seed % 7) * 10,
					 .n_operators = 8,
					 .stretch_ns = seed % 5 * 3000000,
					 .has_notes = seed % 3,
					 .has_counters = seed % 4 },
			&by_process, seed);
}

TEST(one_with_missing_ends_and_numbers_comes_to_the_same)
{
	for (uint64_t seed = 1; seed <= 40; seed++)
		compare(&(struct shape){ .n_processes = 1,
					 .n_lanes = 1 + (int)(seed % 4),
					 .n_threads = 1 + (int)(seed % 3),
					 .n_inferences = 40,
					 .n_operators = 6,
					 .stretch_ns = 100000000,
					 .is_broken = true,
					 .has_notes = true,
					 .has_counters = true },
			&by_process, seed);
}

/* Of 2,000 inferences 64 wait at a time: nothing is missing, because no thread lies further behind. */
TEST(a_small_window_finds_the_same)
{
	static const struct summary_opts opts = { .window = 64, .by_process = true };

	for (uint64_t seed = 1; seed <= 6; seed++)
		compare(&(struct shape){ .n_processes = 1 + (int)(seed % 2),
					 .n_lanes = 1 + (int)(seed % 4),
					 .n_threads = 1 + (int)(seed % 3),
					 .n_inferences = 1000,
					 .n_operators = 8,
					 .stretch_ns = 200000000,
					 .has_notes = seed % 3,
					 .has_counters = true },
			&opts, seed);
}

/* Takes out the lists of sessions and of workers, and which of their models' sizes is the first. */
static void take_sessions_out(char *text)
{
	char *to = text;

	for (char *line = text, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		end += *end == '\n';
		if (!strncmp(line + strspn(line, " "), "\"sessions\": [", 13) ||
		    !strncmp(line + strspn(line, " "), "\"workers\": [", 12)) {
			int depth = 0;

			for (end = strchr(line, '['); depth += (*end == '[') - (*end == ']'), depth; end++)
				;
			continue;
		}
		if (!strncmp(line + strspn(line, " "), "\"bytes\"", 7))
			continue;
		memmove(to, line, (size_t)(end - line));
		to += end - line;
	}
	*to = 0;
}

/* A worker has all of its inferences, or none is listed. */
static void assert_workers(const struct summary *summary)
{
	struct recording_worker worker[RECORDING_WORKERS];

	for (uint32_t i = 0; i < summary->n_models; i++) {
		uint32_t n = recording_workers_list(summary, &summary->models[i], worker);
		uint64_t n_runs = 0;

		for (uint32_t k = 0; k < n; k++)
			n_runs += worker[k].n_runs;
		assert_true(!n || n_runs == summary->models[i].runs.n);
	}
}

/* All sessions are kept, or few: the sums are the same. */
static void compare_kept(const struct shape *shape, uint64_t seed)
{
	static const struct summary_opts kept = { .window = 64 }, opts = { .window = 64, .max_sessions = 8 };
	static const struct summary_file file;
	struct summary *few, *all;
	struct maker maker;
	char *text[2];

	make(&maker, shape, seed);
	few = stream_summary_of(&maker.s, &opts, &file);
	all = stream_summary_of(&maker.s, &kept, &file);
	assert_in_range(few->n_sessions, 8 / 4, 8);
	assert_int_equal(few->n_all_sessions, all->n_sessions);
	assert_workers(few);
	assert_workers(all);
	text[0] = json_of(few);
	text[1] = json_of(all);
	take_sessions_out(text[0]);
	take_sessions_out(text[1]);
	assert_same(text[0], text[1], seed);
	free(text[0]);
	free(text[1]);
	summary_free(few);
	summary_free(all);
	stream_done(&maker.s);
}

TEST(sessions_that_are_not_kept_one_by_one_add_up_to_the_same)
{
	for (uint64_t seed = 1; seed <= 20; seed++)
		compare_kept(&(struct shape){ .n_processes = 1 + (int)(seed % 2),
					      .n_lanes = 1,
					      .n_threads = 1,
					      .n_inferences = 500,
					      .n_operators = 2,
					      .stretch_ns = 100000,
					      .has_notes = seed % 3,
					      .n_sessions = 100 },
			     seed);
}

/* Inferences wait in the window, longer than their sessions live. */
TEST(sessions_that_come_and_go_add_up_to_the_same)
{
	for (uint64_t seed = 1; seed <= 20; seed++)
		compare_kept(&(struct shape){ .n_processes = 1 + (int)(seed % 2),
					      .n_lanes = 1,
					      .n_threads = 1,
					      .n_operators = 2,
					      .stretch_ns = 100000,
					      .has_notes = true,
					      .n_sessions = 300,
					      .is_churn = true },
			     seed);
}

int main(int argc, char **argv)
{
	assert(argc == 2 && (oracle = text_of(argv[1])));
	return cases_run();
}
