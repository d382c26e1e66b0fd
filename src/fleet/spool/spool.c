// SPDX-License-Identifier: Apache-2.0
/* Batches as rows of a table. A file that fails is left, and what comes after that waits in memory. */
#include "fleet/spool/spool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "fleet/spool/spool_in.h"

#define MOST_IN_MEMORY (UINT64_C(16) << 20)

enum sql { SQL_ADD, SQL_LIST, SQL_JOIN, SQL_FIRST, SQL_REMOVE, SQL_NOTE, SQL_COUNT, N_SQL };

static const char *const texts[N_SQL] = {
	[SQL_ADD] = "INSERT INTO batch (lane, run, number, n_before, joined, body) VALUES (?, ?, ?, ?, 0, ?)",
	[SQL_LIST] = "SELECT id, run, number, n_before, joined, body FROM batch WHERE lane=? ORDER BY id LIMIT ?",
	[SQL_JOIN] = "UPDATE batch SET joined=? WHERE lane=? AND id<=?",
	/* where there is no room: the oldest of all, and what is sent with it */
	[SQL_FIRST] = "SELECT lane, max(id, joined) FROM batch ORDER BY id LIMIT 1",
	[SQL_REMOVE] = "DELETE FROM batch WHERE lane=? AND id<=? RETURNING n_before, length(body)",
	[SQL_NOTE] = "UPDATE batch SET n_before=n_before+? WHERE id=(SELECT min(id) FROM batch WHERE lane=?)",
	[SQL_COUNT] = "SELECT lane, count(*), total(length(body)) FROM batch GROUP BY lane",
};

struct spool {
	sqlite3 *db;
	sqlite3_stmt *statement[N_SQL];
	bool is_file;
	uint64_t most_bytes, n_bytes;
	uint64_t n_dropped[SPOOL_LANES], n_waiting[SPOOL_LANES],
	    n_before[SPOOL_LANES]; /* before: the next one, and not in the table yet */
	char run[SPOOL_RUN], remark[SPOOL_REMARK];
};

static void make_run(char run[SPOOL_RUN])
{
	uint64_t number = 0;
	struct timespec now;

	if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number) {
		clock_gettime(CLOCK_REALTIME, &now);
		number = (uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec;
	}
	snprintf(run, SPOOL_RUN, "%016llx", (unsigned long long)number);
}

static bool prepare(struct spool *spool)
{
	for (int i = 0; i < N_SQL; i++)
		if (sqlite3_prepare_v3(spool->db, texts[i], -1, SQLITE_PREPARE_PERSISTENT, &spool->statement[i], NULL))
			return false;
	return true;
}

static sqlite3_stmt *statement(struct spool *spool, enum sql which)
{
	sqlite3_reset(spool->statement[which]);
	return spool->statement[which];
}

static bool count(struct spool *spool)
{
	sqlite3_stmt *counts = statement(spool, SQL_COUNT);
	int code;

	spool->n_bytes = 0;
	memset(spool->n_waiting, 0, sizeof spool->n_waiting);
	while ((code = sqlite3_step(counts)) == SQLITE_ROW) {
		int lane = sqlite3_column_int(counts, 0);

		if (lane < 0 || lane >= SPOOL_LANES)
			continue;
		spool->n_waiting[lane] = (uint64_t)sqlite3_column_int64(counts, 1);
		spool->n_bytes += (uint64_t)sqlite3_column_int64(counts, 2);
	}
	sqlite3_reset(counts);
	return code == SQLITE_DONE;
}

static void close_database(struct spool *spool)
{
	for (int i = 0; i < N_SQL; i++) {
		sqlite3_finalize(spool->statement[i]);
		spool->statement[i] = NULL;
	}
	sqlite3_close(spool->db);
	spool->db = NULL;
}

static bool use_memory(struct spool *spool)
{
	spool->is_file = false;
	spool->db = spool_file_none(spool->most_bytes < MOST_IN_MEMORY ? spool->most_bytes : MOST_IN_MEMORY);
	return spool->db && prepare(spool) && count(spool);
}

struct spool *spool_open(const char *path, uint64_t most_bytes, char remark[SPOOL_REMARK])
{
	struct spool *spool = calloc(1, sizeof *spool);

	*remark = 0;
	if (!spool)
		return NULL;
	spool->most_bytes = most_bytes > SPOOL_LEAST_BYTES ? most_bytes : SPOOL_LEAST_BYTES;
	make_run(spool->run);
	spool->db = path ? spool_file_open(path, spool->most_bytes, remark) : NULL;
	spool->is_file = spool->db != NULL;
	if (spool->db && prepare(spool) && count(spool))
		return spool;
	if (spool->db)
		snprintf(remark, SPOOL_REMARK, "cannot keep batches in %.120s: %s; they wait in memory", path,
			 sqlite3_errmsg(spool->db));
	close_database(spool);
	if (use_memory(spool))
		return spool;
	spool_close(spool);
	return NULL;
}

static void drop(struct spool *spool, int lane, uint64_t n)
{
	spool->n_dropped[lane] += n;
	spool->n_before[lane] += n;
}

/* The file cannot be used any more: what waits in it is lost, unless a later run can read it. */
static void leave_file(struct spool *spool)
{
	if (!spool->is_file)
		return;
	snprintf(spool->remark, sizeof spool->remark,
		 "the spool fails: %s; batches wait in memory from now on, and the %llu in it count as dropped",
		 sqlite3_errmsg(spool->db), (unsigned long long)spool_n_waiting(spool));
	for (int lane = 0; lane < SPOOL_LANES; lane++)
		drop(spool, lane, spool->n_waiting[lane]);
	close_database(spool);
	if (!use_memory(spool))
		close_database(spool);
}

/* Up to `last` in its lane. SQLITE_DONE, or why not. *n, *n_before: how many they were, and were missing before. */
static int remove_rows(struct spool *spool, int lane, int64_t last, uint64_t *n, uint64_t *n_before)
{
	sqlite3_stmt *rows = statement(spool, SQL_REMOVE);
	int code;

	*n = *n_before = 0;
	sqlite3_bind_int(rows, 1, lane);
	sqlite3_bind_int64(rows, 2, last);
	while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
		uint64_t bytes = (uint64_t)sqlite3_column_int64(rows, 1);

		++*n;
		*n_before += (uint64_t)sqlite3_column_int64(rows, 0);
		spool->n_bytes -= bytes < spool->n_bytes ? bytes : spool->n_bytes;
	}
	sqlite3_reset(rows);
	if (code == SQLITE_DONE && lane < SPOOL_LANES)
		spool->n_waiting[lane] -= *n < spool->n_waiting[lane] ? *n : spool->n_waiting[lane];
	return code;
}

/* What was dropped is told of with the oldest one that is left; with the next one where none is. */
static void note_dropped(struct spool *spool, int lane)
{
	sqlite3_stmt *note = statement(spool, SQL_NOTE);

	if (!spool->n_before[lane] || !spool->n_waiting[lane])
		return;
	sqlite3_bind_int64(note, 1, (int64_t)spool->n_before[lane]);
	sqlite3_bind_int(note, 2, lane);
	if (sqlite3_step(note) == SQLITE_DONE)
		spool->n_before[lane] = 0;
	sqlite3_reset(note);
}

static bool drop_oldest(struct spool *spool)
{
	sqlite3_stmt *first = statement(spool, SQL_FIRST);
	uint64_t n, n_before;
	int lane;
	int64_t last;

	if (sqlite3_step(first) != SQLITE_ROW)
		return false;
	lane = sqlite3_column_int(first, 0);
	last = sqlite3_column_int64(first, 1);
	sqlite3_reset(first);
	if (lane < 0 || remove_rows(spool, lane, last, &n, &n_before) != SQLITE_DONE || !n)
		return false;
	if (lane >= SPOOL_LANES)
		return true;
	drop(spool, lane, n);
	spool->n_before[lane] += n_before;
	note_dropped(spool, lane);
	return true;
}

static int insert(struct spool *spool, const struct spool_batch *batch)
{
	sqlite3_stmt *add = statement(spool, SQL_ADD);
	int code;

	sqlite3_bind_int(add, 1, batch->lane);
	sqlite3_bind_text(add, 2, spool->run, -1, SQLITE_STATIC);
	sqlite3_bind_int64(add, 3, (int64_t)batch->number);
	sqlite3_bind_int64(add, 4, (int64_t)(spool->n_before[batch->lane] + batch->n_dropped_before));
	sqlite3_bind_blob64(add, 5, batch->body, batch->size, SQLITE_STATIC);
	code = sqlite3_step(add);
	sqlite3_reset(add);
	return code;
}

void spool_add(struct spool *spool, const struct spool_batch *batch)
{
	int code = spool->db && batch->size <= spool->most_bytes / SPOOL_PART ? insert(spool, batch) : SQLITE_TOOBIG;

	while (code == SQLITE_FULL && drop_oldest(spool))
		code = insert(spool, batch);
	if (code != SQLITE_DONE && code != SQLITE_FULL && code != SQLITE_TOOBIG && spool->is_file) {
		leave_file(spool);
		code = spool->db ? insert(spool, batch) : SQLITE_NOMEM;
	}
	if (code == SQLITE_DONE) {
		spool->n_before[batch->lane] = 0;
		spool->n_waiting[batch->lane]++;
		spool->n_bytes += batch->size;
		return;
	}
	spool->n_before[batch->lane] += batch->n_dropped_before;
	drop(spool, batch->lane, 1);
}

enum taken { TAKEN, TAKEN_NEXT_TIME, TAKEN_NEVER };

/* Next time: out of memory, or of another run than the first one. Never: no batch of inftrace. */
static enum taken take_row(struct spool_group *group, sqlite3_stmt *row, uint64_t most_bytes)
{
	const char *run = (const char *)sqlite3_column_text(row, 1);
	const void *body = sqlite3_column_blob(row, 5);
	size_t size = (size_t)sqlite3_column_bytes(row, 5);
	char *grown;

	if (group->n && (!run || !body || strcmp(run, group->run) != 0 || group->size + size > most_bytes))
		return TAKEN_NEXT_TIME;
	if (!run || !body || size > most_bytes)
		return sqlite3_errcode(sqlite3_db_handle(row)) == SQLITE_NOMEM ? TAKEN_NEXT_TIME : TAKEN_NEVER;
	grown = realloc(group->body, group->size + size);
	if (!grown)
		return TAKEN_NEXT_TIME;
	memcpy(grown + group->size, body, size);
	group->body = grown;
	group->size += size;
	if (!group->n++) {
		snprintf(group->run, sizeof group->run, "%s", run);
		group->first = (uint64_t)sqlite3_column_int64(row, 2);
	}
	group->n_dropped_before += (uint64_t)sqlite3_column_int64(row, 3);
	group->last = (uint64_t)sqlite3_column_int64(row, 2);
	group->last_id = sqlite3_column_int64(row, 0);
	return TAKEN;
}

static bool join(struct spool *spool, const struct spool_group *group)
{
	sqlite3_stmt *rows = statement(spool, SQL_JOIN);
	bool is_done;

	sqlite3_bind_int64(rows, 1, group->last_id);
	sqlite3_bind_int(rows, 2, group->lane);
	sqlite3_bind_int64(rows, 3, group->last_id);
	is_done = sqlite3_step(rows) == SQLITE_DONE;
	sqlite3_reset(rows);
	return is_done;
}

/* SQLITE_DONE, or why not. *never: the first row, where it is no batch; 0: it is one. */
static int list(struct spool *spool, uint64_t most, struct spool_group *group, int64_t *joined, int64_t *never)
{
	sqlite3_stmt *rows = statement(spool, SQL_LIST);
	enum taken taken = TAKEN;
	int code = SQLITE_DONE;

	sqlite3_bind_int(rows, 1, group->lane);
	sqlite3_bind_int64(rows, 2, (int64_t)most);
	while (taken == TAKEN && (code = sqlite3_step(rows)) == SQLITE_ROW) {
		if (!group->n)
			*joined = sqlite3_column_int64(rows, 4);
		else if (*joined ? sqlite3_column_int64(rows, 0) > *joined : sqlite3_column_int64(rows, 4) != 0)
			break;
		taken = take_row(group, rows, spool->most_bytes / 2);
		*never = taken == TAKEN_NEVER ? sqlite3_column_int64(rows, 0) : 0;
	}
	sqlite3_reset(rows);
	return code == SQLITE_ROW ? SQLITE_DONE : code;
}

bool spool_oldest(struct spool *spool, int lane, uint64_t most, struct spool_group *group)
{
	int64_t joined, never;
	int code;

	do {
		*group = (struct spool_group){ .lane = lane };
		joined = never = 0;
		if (!spool->db || !spool->n_waiting[lane])
			return false;
		code = list(spool, most, group, &joined, &never);
		group->last_id = never ? never : group->last_id;
	} while (never && spool_remove(spool, group, true));
	if (code == SQLITE_DONE && group->n && (most == 1 || joined || join(spool, group)))
		return true;
	code = code == SQLITE_DONE ? sqlite3_errcode(spool->db) : code;
	spool_group_done(group);
	if (code == SQLITE_CORRUPT || code == SQLITE_IOERR)
		leave_file(spool);
	return false;
}

bool spool_remove(struct spool *spool, const struct spool_group *group, bool is_dropped)
{
	uint64_t n, n_before;

	if (!spool->db)
		return false;
	if (remove_rows(spool, group->lane, group->last_id, &n, &n_before) != SQLITE_DONE) {
		leave_file(spool);
		return false;
	}
	if (!is_dropped)
		return true;
	drop(spool, group->lane, n);
	spool->n_before[group->lane] += n_before;
	note_dropped(spool, group->lane);
	return true;
}

void spool_group_done(struct spool_group *group)
{
	free(group->body);
	*group = (struct spool_group){ .body = NULL };
}

bool spool_is_file(const struct spool *spool)
{
	return spool->is_file;
}

bool spool_has(const struct spool *spool, int lane)
{
	return spool->n_waiting[lane] > 0;
}

uint64_t spool_n_waiting(const struct spool *spool)
{
	uint64_t n = 0;

	for (int lane = 0; lane < SPOOL_LANES; lane++)
		n += spool->n_waiting[lane];
	return n;
}

uint64_t spool_n_dropped(const struct spool *spool)
{
	uint64_t n = 0;

	for (int lane = 0; lane < SPOOL_LANES; lane++)
		n += spool->n_dropped[lane];
	return n;
}

uint64_t spool_n_dropped_of(const struct spool *spool, int lane)
{
	return spool->n_dropped[lane];
}

uint64_t spool_bytes(const struct spool *spool)
{
	return spool->n_bytes;
}

void spool_take_remark(struct spool *spool, char remark[SPOOL_REMARK])
{
	snprintf(remark, SPOOL_REMARK, "%s", spool->remark);
	*spool->remark = 0;
}

void spool_close(struct spool *spool)
{
	if (!spool)
		return;
	close_database(spool);
	free(spool);
}
