// SPDX-License-Identifier: Apache-2.0
/*
 * Queries: what the tables show of a recording made by hand; that ranges, indexes and groups answer as full scans do;
 * that a query can do nothing but read; limits; the formats of answers; and that the examples of doc/query.md run.
 */
#include "analyze/query/query.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "show/query/query_formats.h"
#include "stream.h"

struct fixture {
	struct stream s;
	struct summary *summary;
	struct query *query;
	struct err err;
	struct query_place place;
	char *out;
};

/* Inference `number` of a session on a lane, with two operators on a thread, one of them inside the other. */
static void put_run(struct fixture *f, uint32_t lane, uint32_t thread, int number, uint64_t us)
{
	struct stream *s = &f->s;

	stream_text(s, KEY_MODEL, "m");
	stream_int(s, KEY_SESSION, 1);
	stream_int(s, KEY_ID, number);
	stream_int(s, KEY_INFERENCE, number);
	stream_int(s, KEY_FIRST, number == 1);
	stream_begin(s, lane, us, KIND_INFERENCE, "m");
	stream_begin(s, lane, us + 10, KIND_SETUP, "setup");
	stream_end(s, lane, us + 20);
	stream_text(s, KEY_OP_TYPE, "Loop");
	stream_int(s, KEY_INFERENCE, number);
	stream_begin(s, thread, us + 30, KIND_OPERATOR, "outer");
	stream_text(s, KEY_OP_TYPE, "Conv");
	stream_int(s, KEY_INFERENCE, number);
	stream_begin(s, thread, us + 40, KIND_OPERATOR, "in, \"ner");
	stream_end(s, thread, us + 60);
	stream_end(s, thread, us + 90);
	stream_text(s, KEY_STATUS, "ok");
	stream_end(s, lane, us + 100);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	struct stream *s = &f->s;

	stream_init(s);
	for (int p = 0; p < 2; p++) {
		uint32_t process = stream_process(s, 100 + p, p ? "second" : "first");
		uint32_t lane = stream_lane(s, process, "m"), thread = stream_thread(s, process, 200 + p);
		uint32_t counter = stream_counter(s, process, "cpu", "%");

		for (int i = 1; i <= 5; i++)
			put_run(f, lane, thread, i, (uint64_t)(i * 1000 + p * 50));
		for (int i = 0; i < 10; i++)
			stream_sample(s, counter, (uint64_t)(i * 500), i * 10);
		if (!p)
			continue;
		stream_int(s, KEY_INFERENCE, 6);
		stream_begin(s, lane, 9000, KIND_INFERENCE, "m");
		stream_int(s, KEY_COUNT, 7);
		stream_text(s, KEY_WHERE, "ring of thread 5");
		stream_instant(s, process, 9500, KIND_LOST, "lost");
	}
	f->summary = stream_summary(s, &(struct summary_file){ .path = "made" });
	f->query = query_new(f->summary, &(struct query_opts){ .memory_bytes = 64 << 20 }, &f->err);
	assert_non_null(f->query);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	query_free(f->query);
	summary_free(f->summary);
	stream_done(&f->s);
	free(f->out);
	free(f);
	return 0;
}

static int run_as(struct fixture *f, const char *format, const char *sql)
{
	struct query_writer writer = { .format = query_format_named(format) };
	struct query_taker taker;
	size_t size;
	int code;

	free(f->out);
	f->out = NULL;
	f->err = (struct err){ 0 };
	writer.out = open_memstream(&f->out, &size);
	assert_non_null(writer.out);
	taker = query_writer_taker(&writer);
	code = query_run(f->query, sql, &taker, &f->place, &f->err);
	query_writer_done(&writer);
	fclose(writer.out);
	return code;
}

/* The answer as CSV, without its header. */
static const char *ask(struct fixture *f, const char *sql)
{
	char *at;

	if (run_as(f, "csv", sql))
		fail_msg("%s: %s", sql, f->err.msg);
	at = strstr(f->out, "\r\n");
	return at ? at + 2 : "";
}

#define CASE(name) TEST_FROM(name, struct fixture, f, setup, teardown)

CASE(inferences_have_what_is_known_of_them)
{
	assert_string_equal(ask(f, "SELECT count(*), count(end_ns), sum(duration_ns), sum(is_typical) FROM inferences"),
			    "11,10,1000000,8\r\n");
	assert_string_equal(ask(f, "SELECT model, number, session, pid, begin_ns, end_ns, is_first, status, operators "
				   "FROM inferences WHERE pid = 101 AND inference = 1"),
			    "m,1,1,101,1050000,1150000,1,ok,2\r\n");
	/* cut off: no end is invented */
	assert_string_equal(ask(f, "SELECT pid, begin_ns, end_ns, duration_ns, unattributed_ns, status FROM inferences "
				   "WHERE end_ns IS NULL"),
			    "101,9000000,,,,\r\n");
}

CASE(time_of_inferences_adds_up)
{
	assert_string_equal(
	    ask(f, "SELECT DISTINCT duration_ns, operators_ns, setup_ns, unattributed_ns FROM unattributed"),
	    "100000,60000,10000,30000\r\n");
	/* the report says the same of its typical ones */
	assert_string_equal(ask(f, "SELECT explained_inferences, operators_ns, setup_ns, unattributed_ns "
				   "FROM inference_stats"),
			    "4,240000,40000,120000\r\n4,240000,40000,120000\r\n");
}

CASE(operators_belong_to_the_inference_of_their_process)
{
	assert_string_equal(ask(f, "SELECT o.name, o.self_ns, o.pid, i.pid, o.model, o.begin_ns - i.begin_ns "
				   "FROM inferences i JOIN operators o ON o.inference_id = i.id "
				   "WHERE i.inference = 2 AND i.pid = 101 ORDER BY o.begin_ns"),
			    "outer,40000,101,101,m,30000\r\n\"in, \"\"ner\",20000,101,101,m,40000\r\n");
	assert_string_equal(ask(f, "SELECT count(*) FROM operators o JOIN operators p ON o.parent_id = p.id "
				   "WHERE p.name = 'outer'"),
			    "10\r\n");
}

CASE(other_tables_have_their_rows)
{
	assert_string_equal(ask(f, "SELECT events, place, pid FROM losses"), "7,ring of thread 5,101\r\n");
	assert_string_equal(ask(f, "SELECT lost_events FROM recording"), "7\r\n");
	assert_string_equal(ask(f, "SELECT pid, name FROM processes ORDER BY id"), "100,first\r\n101,second\r\n");
	assert_string_equal(ask(f, "SELECT tid, pid, slices FROM threads"), "200,100,10\r\n201,101,10\r\n");
	assert_string_equal(ask(f, "SELECT c.name, c.unit, count(*), sum(s.value) FROM counters c JOIN samples s "
				   "ON s.counter_id = c.id GROUP BY c.id"),
			    "cpu,%,10,450.0\r\ncpu,%,10,450.0\r\n");
	assert_string_equal(ask(f, "SELECT samples, min, max FROM counters LIMIT 1"), "10,0.0,90.0\r\n");
	assert_string_equal(ask(f,
				"SELECT count(*), min(time_ns) FROM samples WHERE time_ns > 2000000 AND name = 'cpu' "
				"AND process_id = 1"),
			    "5,2500000\r\n");
	assert_string_equal(ask(f, "SELECT kind, count(*) FROM slices GROUP BY kind ORDER BY kind"),
			    "inference,11\r\noperator,20\r\nsetup,10\r\n");
	assert_string_equal(ask(f, "SELECT args ->> 'op_type' FROM slices WHERE name = 'outer' LIMIT 1"), "Loop\r\n");
}

CASE(views_answer_what_people_ask)
{
	/* each inference of the second process begins 50 us after one of the first, and both take 100 us */
	assert_string_equal(ask(f, "SELECT count(*), sum(duration_ns), count(DISTINCT inference_id) FROM overlap"),
			    "5,250000,5\r\n");
	assert_string_equal(ask(f, "SELECT count(*), sum(duration_ns) FROM gaps WHERE process_id = 1"),
			    "4,3600000\r\n");
	assert_string_equal(
	    ask(f, "SELECT model, inferences, inferences_typical, inferences_open FROM inference_stats"),
	    "m,5,4,0\r\nm,6,4,1\r\n");
	assert_string_equal(ask(f, "SELECT op_type, calls FROM operator_types ORDER BY 1"),
			    "Conv,4\r\nConv,4\r\nLoop,4\r\nLoop,4\r\n");
	assert_string_equal(ask(f, "SELECT count(*) FROM slowest WHERE inference_id IN (SELECT id FROM inferences)"),
			    "8\r\n");
}

CASE(percentiles_are_nearest_ranks)
{
	assert_string_equal(ask(f, "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1000) "
				   "SELECT percentile((x * 7919) % 1000 + 1, 99), median(x), percentile(x, 0), "
				   "percentile(x, 100), percentile(x, 0.1), percentile(x, 50.01) FROM n"),
			    "990,500,1,1000,1,501\r\n");
	assert_string_equal(ask(f, "SELECT percentile(column1, 50) FROM (VALUES (1), (2.5), (NULL), (7))"), "2.5\r\n");
	assert_string_equal(ask(f, "SELECT percentile(column1, 50), median(column1) FROM (VALUES (NULL))"), ",\r\n");
	assert_int_equal(run_as(f, "csv", "SELECT percentile(1, 101)"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "p is from 0 to 100"));
	assert_int_equal(run_as(f, "csv", "SELECT percentile('x', 50)"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "takes numbers"));
}

/* A + before a column hides it from plans: SQLite then looks at every row. */
static void expect_same(struct fixture *f, const char *table, const char *planned, const char *scanned)
{
	char sql[600], *first;

	snprintf(sql, sizeof sql, "SELECT count(*), sum(id), min(id), max(id) FROM %s WHERE %s", table, planned);
	first = strdup(ask(f, sql));
	snprintf(sql, sizeof sql, "SELECT count(*), sum(id), min(id), max(id) FROM %s WHERE %s", table, scanned);
	if (strcmp(first, ask(f, sql)) != 0)
		fail_msg("%s WHERE %s: %s, but %s of a scan", table, planned, first, ask(f, sql));
	free(first);
}

static void put_random_slices(struct stream *s, uint32_t process, unsigned *seed)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	uint32_t thread = stream_thread(s, process, 7);
	uint64_t us = 0;
	int depth = 0;

	for (int i = 0; i < 300; i++) {
		us += (uint64_t)(rand_r(seed) % 3);
		if (depth && rand_r(seed) % 2) {
			stream_end(s, thread, us);
			depth--;
			continue;
		}
		if (rand_r(seed) % 3)
			stream_text(s, KEY_OP_TYPE, names[rand_r(seed) % 4]);
		stream_int(s, KEY_INFERENCE, rand_r(seed) % 5);
		stream_begin(s, thread, us, rand_r(seed) % 4 ? KIND_OPERATOR : KIND_KERNEL, names[rand_r(seed) % 4]);
		depth++;
	}
}

static void compare_all(struct fixture *f, unsigned *seed)
{
	static const char *const tables[] = { "slices", "operators", "kernels" };
	static const char *const ops[] = { "<", "<=", ">", ">=" };
	char planned[200], scanned[200];

	for (int i = 0; i < 200; i++) {
		const char *table = tables[rand_r(seed) % 3], *op = ops[rand_r(seed) % 4];
		const char *column = rand_r(seed) % 2 ? "begin_ns" : "end_ns";
		int at = (rand_r(seed) % 320 - 10) * 1000 + rand_r(seed) % 3, number = rand_r(seed) % 7;

		snprintf(planned, sizeof planned, "%s %s %d", column, op, at);
		snprintf(scanned, sizeof scanned, "+%s %s %d", column, op, at);
		expect_same(f, table, planned, scanned);
		snprintf(planned, sizeof planned, "begin_ns >= %d.5 AND end_ns > %d AND end_ns < %d", at, at,
			 at + 40000);
		snprintf(scanned, sizeof scanned, "+begin_ns >= %d.5 AND +end_ns > %d AND +end_ns < %d", at, at,
			 at + 40000);
		expect_same(f, table, planned, scanned);
		snprintf(planned, sizeof planned, "name = '%c' AND begin_ns > %d", 'a' + number, at);
		snprintf(scanned, sizeof scanned, "+name = '%c' AND +begin_ns > %d", 'a' + number, at);
		expect_same(f, table, planned, scanned);
		snprintf(planned, sizeof planned, "inference = %d", number);
		snprintf(scanned, sizeof scanned, "+inference = %d", number);
		expect_same(f, table, planned, scanned);
		snprintf(planned, sizeof planned, "id = %d", at / 1000);
		snprintf(scanned, sizeof scanned, "+id = %d", at / 1000);
		expect_same(f, table, planned, scanned);
	}
}

/* In order on each track, and not among them. */
static void put_random_instants(struct stream *s, const uint32_t tracks[2], unsigned *seed)
{
	uint64_t us[2] = { 0 };

	for (int i = 0; i < 400; i++) {
		enum event_kind kind = rand_r(seed) % 2 ? KIND_NOTE : rand_r(seed) % 2 ? KIND_LOST : KIND_USER;
		int which = rand_r(seed) % 2;

		us[which] += (uint64_t)(rand_r(seed) % 3);
		stream_int(s, KEY_COUNT, i + 1);
		stream_instant(s, tracks[which], us[which], kind, "one");
	}
}

static void compare_instants(struct fixture *f, unsigned *seed)
{
	static const char *const tables[] = { "instants", "losses", "notes" };
	static const char *const ops[] = { "<", "<=", ">", ">=" };
	char sql[300], *first;

	for (int i = 0; i < 200; i++) {
		const char *table = tables[rand_r(seed) % 3], *op = ops[rand_r(seed) % 4];
		int at = (rand_r(seed) % 220 - 10) * 1000;

		for (int plain = 0; plain < 2; plain++) {
			const char *hide = plain ? "+" : "";

			first = plain ? strdup(f->out) : NULL;
			snprintf(
			    sql, sizeof sql,
			    "SELECT count(*), sum(time_ns), min(time_ns), group_concat(time_ns) FROM (SELECT time_ns "
			    "FROM %s WHERE %stime_ns %s %d AND %stime_ns < %d.5 ORDER BY time_ns)",
			    table, hide, op, at, hide, at + 50000);
			ask(f, sql);
			if (first)
				assert_string_equal(first, f->out);
			free(first);
		}
	}
}

/* A range needs few steps of SQLite's machine, the same as a scan needs too many. */
TEST_WITH(ranges_of_instants_do_not_look_at_all_of_them, setup, teardown)
{
	static const struct query_opts opts = { .max_steps = 20000 };
	struct fixture large = { .err = { 0 } };
	uint32_t tracks[2];

	stream_init(&large.s);
	for (int i = 0; i < 2; i++)
		tracks[i] = stream_process(&large.s, 10 + i, "p");
	for (int i = 0; i < 50000; i++)
		stream_instant(&large.s, tracks[i % 2], (uint64_t)(i ^ 1), KIND_NOTE, "one");
	large.summary = stream_summary(&large.s, &(struct summary_file){ .path = "made" });
	large.query = query_new(large.summary, &opts, &large.err);
	assert_string_equal(ask(&large, "SELECT count(*), min(time_ns) FROM notes WHERE time_ns > 49997500"),
			    "2,49998000\r\n");
	assert_string_equal(ask(&large, "SELECT count(*) FROM losses WHERE time_ns BETWEEN 1000 AND 2000"), "0\r\n");
	assert_int_not_equal(run_as(&large, "csv", "SELECT count(*) FROM notes WHERE +time_ns > 49997500"), 0);
	query_free(large.query);
	summary_free(large.summary);
	stream_done(&large.s);
	free(large.out);
}

static void compare_groups(struct fixture *f)
{
	static const char *const by[] = { "name",     "op_type",	 "name, op_type", "inference_id",
					  "track_id", "inference, name", "parent_id",	  "op_type, provider, model" };
	char sql[300], *grouped;

	for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
		snprintf(sql, sizeof sql,
			 "SELECT n, s FROM (SELECT %s, count(*) n, sum(id) s FROM operators GROUP BY %s) "
			 "ORDER BY n, s",
			 by[i], by[i]);
		grouped = strdup(ask(f, sql));
		/* a LIMIT that is not known hides the table from plans of groups */
		snprintf(sql, sizeof sql,
			 "SELECT n, s FROM (SELECT %s, count(*) n, sum(id) s FROM (SELECT * FROM operators "
			 "ORDER BY id DESC LIMIT -1) GROUP BY %s) ORDER BY n, s",
			 by[i], by[i]);
		assert_string_equal(grouped, ask(f, sql));
		free(grouped);
	}
	assert_string_equal(ask(f, "SELECT count(*) FROM (SELECT DISTINCT name FROM operators)"), "4\r\n");
}

CASE(plans_answer_as_scans_do)
{
	unsigned seed = 1;

	for (int i = 0; i < 4; i++) {
		struct fixture random = { .err = { 0 } };
		uint32_t tracks[2];

		stream_init(&random.s);
		for (int p = 0; p < 3; p++)
			put_random_slices(&random.s, stream_process(&random.s, 10 + p, "p"), &seed);
		for (uint32_t p = 0; p < 2; p++)
			tracks[p] = stream_process(&random.s, 20 + (int)p, "q");
		put_random_instants(&random.s, tracks, &seed);
		random.summary = stream_summary(&random.s, &(struct summary_file){ .path = "made" });
		random.query = query_new(random.summary, NULL, &random.err);
		assert_non_null(random.query);
		compare_all(&random, &seed);
		compare_instants(&random, &seed);
		compare_groups(&random);
		query_free(random.query);
		summary_free(random.summary);
		stream_done(&random.s);
		free(random.out);
	}
	assert_string_equal(ask(f, "SELECT count(*) FROM operators WHERE name = 'OUTER' COLLATE NOCASE"), "10\r\n");
	assert_string_equal(ask(f, "SELECT count(*) FROM operators WHERE name IN ('outer', 'x', NULL)"), "10\r\n");
	assert_string_equal(ask(f, "SELECT count(*) FROM operators WHERE begin_ns > NULL"), "0\r\n");
	assert_string_equal(ask(f, "SELECT count(*) FROM operators WHERE begin_ns < 9e30 AND begin_ns > -9e30"),
			    "20\r\n");
	assert_string_equal(ask(f, "SELECT count(*) FROM operators WHERE begin_ns < 'x'"), "20\r\n");
	assert_string_equal(ask(f, "SELECT count(*) FROM inferences WHERE inference = '1' OR inference = 2.0"),
			    "4\r\n");
}

CASE(a_query_can_only_read)
{
	static const char *const refused[] = {
		"CREATE TABLE t(x)",
		"CREATE TEMP TABLE t(x)",
		"CREATE VIEW v AS SELECT 1",
		"CREATE VIRTUAL TABLE t USING fts5(x)",
		"CREATE TABLE t AS SELECT * FROM operators",
		"INSERT INTO operators VALUES (1)",
		"INSERT INTO sqlite_master VALUES (1, 2, 3, 4, 5)",
		"DELETE FROM operators",
		"UPDATE operators SET name = 'x'",
		"DROP VIEW gaps",
		"ALTER TABLE operators RENAME TO x",
		"ATTACH '/tmp/inftrace-query-test.db' AS other",
		"ATTACH ':memory:' AS other",
		"DETACH main",
		"VACUUM INTO '/tmp/inftrace-query-test.db'",
		"VACUUM",
		"PRAGMA query_only = 0",
		"PRAGMA writable_schema = 1",
		"PRAGMA temp_store_directory = '/tmp'",
		"PRAGMA hard_heap_limit = 0",
		"PRAGMA trusted_schema = 1",
		"BEGIN",
		"SAVEPOINT s",
		"ANALYZE",
		"SELECT load_extension('/tmp/x.so')",
		"SELECT writefile('/tmp/inftrace-query-test', 'x')",
		"SELECT readfile('/etc/passwd')",
		"SELECT edit('x', 'touch /tmp/inftrace-query-test')",
		"SELECT fts3_tokenizer('simple')",
		"SELECT sqlite_compileoption_get(1)",
		"SELECT * FROM dbstat",
		"SELECT * FROM sqlite_dbpage",
		"SELECT * FROM pragma_query_only",
		"SELECT * FROM pragma_database_list",
		"EXPLAIN DELETE FROM operators",
		"SELECT 1; CREATE TABLE t(x)",
	};

	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		if (!run_as(f, "csv", refused[i]))
			fail_msg("%s was allowed", refused[i]);
		assert_true(*f->err.msg);
	}
	assert_int_equal(access("/tmp/inftrace-query-test.db", F_OK), -1);
	assert_int_equal(access("/tmp/inftrace-query-test", F_OK), -1);
	assert_int_equal(run_as(f, "csv", "CREATE TABLE t(x)"), -EPERM);
	assert_string_equal(f->err.msg, "cannot run the query: the tables are read-only, and CREATE is not allowed");
	assert_int_equal(run_as(f, "csv", "PRAGMA query_only = 0"), -EPERM);
	assert_string_equal(f->err.msg,
			    "cannot run the query: the tables are read-only, and PRAGMA query_only is not allowed");
	assert_true(run_as(f, "csv", "SELECT * FROM pragma_database_list") < 0);
	assert_string_equal(
	    f->err.msg, "cannot run the query: the tables are read-only, and a table of SQLite itself is not allowed");
	assert_true(run_as(f, "csv", "ALTER TABLE operators RENAME TO x") < 0);
	assert_string_equal(f->err.msg, "cannot run the query: table operators may not be altered");
	/* and all is as it was */
	assert_string_equal(ask(f, "SELECT count(*) FROM operators"), "20\r\n");
	assert_string_equal(ask(f, "SELECT count(*) FROM pragma_table_info('operators') WHERE name = 'duration_ns'"),
			    "1\r\n");
}

CASE(what_is_useful_is_allowed)
{
	static const char *const allowed[] = {
		"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 10) SELECT sum(x) FROM n",
		"WITH RECURSIVE n(x) AS (SELECT 1 UNION SELECT x + 1 FROM n WHERE x < 10) SELECT count(*) FROM n",
		"SELECT name, rank() OVER (PARTITION BY name ORDER BY duration_ns) FROM operators",
		"SELECT json_group_array(name) FROM operators",
		"SELECT value FROM json_each('[1, 2]')",
		"SELECT round(avg(duration_ns) / 1e6, 3), printf('%.2f', 1.5), upper(name) FROM operators",
		"SELECT datetime(0, 'unixepoch'), sqrt(2.0), coalesce(NULL, 1), iif(1, 2, 3)",
		"EXPLAIN QUERY PLAN SELECT * FROM operators WHERE inference_id = 1",
		"SELECT name FROM sqlite_schema",
		"PRAGMA table_info(operators)",
		"-- nothing but a comment",
		"",
		";;",
		"VALUES (1), (2)",
	};

	for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
		if (run_as(f, "csv", allowed[i]))
			fail_msg("%s: %s", allowed[i], f->err.msg);
}

CASE(what_is_large_meets_a_limit)
{
	char *sql = malloc(3 << 20), *at = sql;

	assert_non_null(sql);
	assert_int_equal(run_as(f, "csv", "SELECT length(zeroblob(100000000))"), -EINVAL);
	assert_int_equal(run_as(f, "csv",
				"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 9000000) "
				"SELECT x FROM n ORDER BY -x"),
			 -ENOMEM);
	assert_non_null(strstr(f->err.msg, "needs more than 64.0 MiB of memory"));
	assert_int_equal(run_as(f, "csv",
				"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 9000000) "
				"SELECT median(x) FROM n"),
			 -ENOMEM);
	strcpy(at, "SELECT ");
	memset(sql + 7, '(', 1000);
	strcpy(sql + 1007, "1");
	assert_int_equal(run_as(f, "csv", sql), -EINVAL);
	memset(sql, ' ', 2 << 20);
	strcpy(sql + (2 << 20), "SELECT 1");
	assert_int_equal(run_as(f, "csv", sql), -EINVAL);
	strcpy(sql, "SELECT 'x' LIKE '");
	memset(sql + 17, '%', 1000);
	strcpy(sql + 1017, "'");
	assert_int_equal(run_as(f, "csv", sql), -EINVAL);
	free(sql);
	assert_string_equal(ask(f, "SELECT 1"), "1\r\n");
}

static void *interrupt_soon(void *query)
{
	usleep(50000);
	query_interrupt(query);
	return NULL;
}

CASE(an_interrupted_query_ends_and_the_next_one_runs)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, f->query), 0);
	assert_int_equal(run_as(f, "csv",
				"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
				"SELECT max(x) FROM n"),
			 -EINTR);
	pthread_join(thread, NULL);
	assert_string_equal(ask(f, "SELECT 1"), "1\r\n");
	/* one that comes before the first step counts, too */
	query_interrupt(f->query);
	assert_int_equal(run_as(f, "csv",
				"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
				"SELECT max(x) FROM n"),
			 -EINTR);
	assert_string_equal(ask(f, "SELECT 1"), "1\r\n");
}

CASE(errors_have_a_place)
{
	assert_int_equal(run_as(f, "csv", "SELECT 1;\nSELECT durations FROM operators"), -EINVAL);
	assert_string_equal(f->err.msg, "cannot run the query: no such column: durations; did you mean duration_ns?");
	assert_true(f->place.is_known);
	assert_int_equal(f->place.at, 17);
	assert_int_equal(run_as(f, "csv", "SELECT op_type FROM inferences"), -EINVAL);
	assert_string_equal(f->err.msg, "cannot run the query: no such column: op_type; operators has it");
	assert_int_equal(run_as(f, "csv", "SELECT 1 FROM operator"), -EINVAL);
	assert_string_equal(f->err.msg, "cannot run the query: no such table: operator; did you mean operators?");
	assert_true(f->place.is_known && f->place.at == 14);
	assert_int_equal(run_as(f, "csv", "SELEC 1"), -EINVAL);
	assert_true(f->place.is_known && f->place.at == 0);
}

CASE(formats_write_every_value)
{
	const char *sql =
	    "SELECT NULL AS a, -5 AS b, 1.5 AS c, 'x\"y' || char(10) AS d, '' AS e, x'00ff' AS f, 2.0 AS g, "
	    "'=1' AS h";

	assert_int_equal(run_as(f, "csv", sql), 0);
	assert_string_equal(f->out, "a,b,c,d,e,f,g,h\r\n,-5,1.5,\"x\"\"y\n\",\"\",00ff,2.0,\"'=1\"\r\n");
	assert_int_equal(run_as(f, "jsonl", sql), 0);
	assert_string_equal(f->out,
			    "{\"a\": null, \"b\": -5, \"c\": 1.5, \"d\": \"x\\\"y\\n\", \"e\": \"\", \"f\": \"00ff\", "
			    "\"g\": 2.0, \"h\": \"=1\"}\n");
	assert_int_equal(run_as(f, "json", "SELECT 1 AS x UNION ALL SELECT 2; SELECT 3 AS y WHERE 0"), 0);
	assert_string_equal(f->out, "[\n{\"x\": 1},\n{\"x\": 2}\n]\n[]\n");
	assert_int_equal(run_as(f, "table", "SELECT 'a' || char(27) AS name, 5 AS n UNION ALL SELECT 'long', NULL"), 0);
	assert_string_equal(f->out, "name      n\n-----  ----\na\\x1b     5\nlong   NULL\n");
	assert_null(query_format_named("xml"));
}

static int refuse_second(void *ctx, const struct query_value *values, size_t n, struct err *err)
{
	return ++*(int *)ctx < 2 ? 0 : err_set(err, EPIPE, "enough");
}

static int take_columns(void *ctx, const struct query_heading *columns, size_t n, struct err *err)
{
	return 0;
}

CASE(a_taker_can_stop)
{
	int n = 0;
	const struct query_taker taker = { &n, take_columns, refuse_second };

	assert_int_equal(query_run(f->query, "SELECT * FROM operators; SELECT 1", &taker, &f->place, &f->err), -EPIPE);
	assert_int_equal(n, 2);
}

/* Each block of SQL in the document, as a person would paste it. */
CASE(examples_of_the_document_run)
{
	FILE *file = fopen(TEST_DIR "/../doc/query.md", "r");
	char *text = calloc(1, 1 << 20), *end;
	int n = 0;

	assert_non_null(file);
	assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	for (char *at = text; (at = strstr(at, "```sql\n")); at = end + 3) {
		at += 7;
		end = strstr(at, "```");
		assert_non_null(end);
		*end = 0;
		if (run_as(f, "csv", at))
			fail_msg("%s: %s", at, f->err.msg);
		n++;
	}
	assert_true(n >= 8);
	free(text);
}
