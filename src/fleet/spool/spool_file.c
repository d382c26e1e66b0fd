// SPDX-License-Identifier: Apache-2.0
/*
 * The file is locked by who has it open, and nothing is opened beside it later: its write-ahead log is created here, so
 * that a process without any rights can go on with both. What is torn is set aside; what is another's is left alone.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fleet/spool/spool_in.h"

#define APPLICATION 0x696e6673 /* "infs" */
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/* n_before: batches that were dropped before this one, in its lane. joined: the last batch that is sent with it. */
static const char schema[] =
    "CREATE TABLE IF NOT EXISTS batch (id INTEGER PRIMARY KEY AUTOINCREMENT, lane INT NOT NULL, run TEXT NOT NULL, "
    "number INT NOT NULL, n_before INT NOT NULL, joined INT NOT NULL, body BLOB NOT NULL);"
    "CREATE INDEX IF NOT EXISTS batch_lane ON batch (lane, id);";

static int run_sql(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static int64_t number_of(sqlite3 *db, const char *sql, int64_t otherwise)
{
	sqlite3_stmt *statement = NULL;
	int64_t number = otherwise;

	if (!sqlite3_prepare_v2(db, sql, -1, &statement, NULL) && sqlite3_step(statement) == SQLITE_ROW)
		number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return number;
}

static int set_limits(sqlite3 *db, uint64_t most_bytes, bool is_file)
{
	/* the log holds so many pages and a batch, the rest is the database's */
	uint64_t log = (uint64_t)SPOOL_WAL_PAGES * SPOOL_PAGE * 5 / 4 + most_bytes / SPOOL_PART * 5 / 4;
	uint64_t pages = (is_file ? most_bytes - log : most_bytes) / SPOOL_PAGE;
	char sql[160];

	snprintf(sql, sizeof sql,
		 "PRAGMA max_page_count=%llu; PRAGMA wal_autocheckpoint=%d; PRAGMA journal_size_limit=0; PRAGMA "
		 "cache_size=-512;",
		 (unsigned long long)pages, SPOOL_WAL_PAGES);
	return run_sql(db, sql);
}

sqlite3 *spool_file_none(uint64_t most_bytes)
{
	sqlite3 *db = NULL;

	if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) ||
	    run_sql(db, "PRAGMA page_size=4096") || run_sql(db, schema) || set_limits(db, most_bytes, false)) {
		sqlite3_close(db);
		return NULL;
	}
	return db;
}

/* 0; SQLITE_NOTADB: it is another's; SQLITE_CORRUPT: it is torn; another code of SQLite. */
static int take_over(sqlite3 *db, bool is_new, uint64_t most_bytes)
{
	int code = run_sql(db, "PRAGMA page_size=4096; PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY; "
			       "PRAGMA trusted_schema=OFF;");
	int64_t application;

	if (code)
		return code;
	application = number_of(db, "PRAGMA application_id", -1);
	/* one whose creation was cut off has neither an owner nor a table */
	if (!is_new && application != APPLICATION &&
	    (application || number_of(db, "SELECT count(*) FROM sqlite_schema", -1)))
		return sqlite3_errcode(db) == SQLITE_BUSY ? SQLITE_BUSY : SQLITE_NOTADB;
	code = run_sql(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;");
	if (!code && !is_new && number_of(db, "SELECT count(*) FROM pragma_quick_check(1) WHERE quick_check<>'ok'", 1))
		code = sqlite3_errcode(db) == SQLITE_BUSY ? SQLITE_BUSY : SQLITE_CORRUPT;
	if (!code)
		code = run_sql(db, schema);
	/* from now on the log exists, and the lock is held */
	if (!code)
		code = run_sql(db, "PRAGMA application_id=" TEXT(APPLICATION) "; PRAGMA user_version=1;");
	return code ? code : set_limits(db, most_bytes, true);
}

static int open_once(const char *path, uint64_t most_bytes, sqlite3 **db)
{
	struct stat stat_;
	bool is_new = stat(path, &stat_) || !stat_.st_size;
	int code = sqlite3_open_v2(
	    path, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, NULL);

	sqlite3_extended_result_codes(*db, 0);
	if (!code)
		code = take_over(*db, is_new, most_bytes);
	if (!code)
		return 0;
	sqlite3_close(*db);
	*db = NULL;
	return code;
}

/* One that was set aside before goes. */
static bool set_aside(const char *path, char aside[SPOOL_REMARK])
{
	char log[SPOOL_REMARK + 8];

	snprintf(aside, SPOOL_REMARK, "%.280s.damaged", path);
	snprintf(log, sizeof log, "%.280s-wal", path);
	unlink(log);
	return !rename(path, aside);
}

sqlite3 *spool_file_open(const char *path, uint64_t most_bytes, char remark[SPOOL_REMARK])
{
	char aside[SPOOL_REMARK];
	sqlite3 *db = NULL;
	int code = open_once(path, most_bytes, &db);

	if (code == SQLITE_CORRUPT && set_aside(path, aside)) {
		code = open_once(path, most_bytes, &db);
		if (!code)
			snprintf(remark, SPOOL_REMARK, "%.120s is damaged, and is now %.120s; a new one has begun",
				 path, aside);
	}
	if (!code)
		return db;
	snprintf(remark, SPOOL_REMARK, "cannot keep batches in %.120s: %s; they wait in memory", path,
		 code == SQLITE_NOTADB ? "it is no spool of inftrace, and is left alone"
		 : code == SQLITE_BUSY ? "another inftrace watch uses it"
				       : sqlite3_errstr(code));
	return NULL;
}
