// SPDX-License-Identifier: Apache-2.0
/*
 * The tables as a database of SQLite. SQLite wants a file with a name that it can reopen, and the output has none: the
 * database is made in TMPDIR, without a name as soon as it is open, and copied at the end. Nothing is journalled,
 * because a database that is not complete is thrown away.
 */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/temp_dir.h"
#include "trace/export/tables.h"

struct sqlite {
	struct tables tables;
	sqlite3 *db;
	sqlite3_stmt *insert[N_TABLES];
	int fd, copy; /* the output, borrowed; the database */
};

/* -errno, and err with what SQLite says. */
static int failed(const struct sqlite *sqlite, struct err *err)
{
	int code = sqlite->db ? sqlite3_errcode(sqlite->db) & 0xff : SQLITE_NOMEM;

	return err_set(err,
		       code == SQLITE_FULL    ? ENOSPC
		       : code == SQLITE_NOMEM ? ENOMEM
					      : EIO,
		       "cannot write the database: %s", sqlite->db ? sqlite3_errmsg(sqlite->db) : "out of memory");
}

static int run(const struct sqlite *sqlite, const char *sql, struct err *err)
{
	return sqlite3_exec(sqlite->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : failed(sqlite, err);
}

/* Opens a new database that loses its name at once. */
static int open_database(struct sqlite *sqlite, struct err *err)
{
	char folder[400], path[420];
	int code = temp_dir_make(folder, sizeof folder, "export", err);

	if (code)
		return code;
	snprintf(path, sizeof path, "%s/database", folder);
	sqlite->copy = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (sqlite->copy < 0)
		code = err_set(err, errno, "cannot create %s: %s", path, strerror(errno));
	else if (sqlite3_open_v2(path, &sqlite->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		code = failed(sqlite, err);
	else /* the first of these makes SQLite open the file */
		code = run(sqlite,
			   "PRAGMA journal_mode = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF;"
			   "PRAGMA cache_size = -16384; BEGIN EXCLUSIVE",
			   err);
	temp_dir_remove(folder);
	return code;
}

static size_t add(char *sql, size_t size, size_t len, const char *text)
{
	return len + (size_t)snprintf(sql + len, len < size ? size - len : 0, "%s", text);
}

static int make_table(struct sqlite *sqlite, size_t table, struct err *err)
{
	const struct table *from = &tables_list[table];
	char create[2000], insert[400];
	size_t n = 0, m = 0;
	int code;

	n = add(create, sizeof create, n, "CREATE TABLE ");
	n = add(create, sizeof create, n, from->name);
	m = add(insert, sizeof insert, m, "INSERT INTO ");
	m = add(insert, sizeof insert, m, from->name);
	m = add(insert, sizeof insert, m, " VALUES ");
	for (size_t i = 0; i < from->n_columns; i++) {
		n = add(create, sizeof create, n, i ? ", " : " (");
		n = add(create, sizeof create, n, from->columns[i].name);
		n = add(create, sizeof create, n, " ");
		n = add(create, sizeof create, n, from->columns[i].type);
		m = add(insert, sizeof insert, m, i ? ",?" : "(?");
	}
	add(create, sizeof create, n, ")");
	add(insert, sizeof insert, m, ")");
	code = run(sqlite, create, err);
	if (!code && sqlite3_prepare_v2(sqlite->db, insert, -1, &sqlite->insert[table], NULL) != SQLITE_OK)
		code = failed(sqlite, err);
	return code;
}

static void bind(sqlite3_stmt *insert, int at, const struct table_value *value)
{
	if (value->type == TABLE_INT)
		sqlite3_bind_int64(insert, at, value->integer);
	else if (value->type == TABLE_REAL)
		sqlite3_bind_double(insert, at, value->real);
	else if (value->type == TABLE_TEXT)
		sqlite3_bind_text(insert, at, value->text, -1, SQLITE_STATIC);
	else
		sqlite3_bind_null(insert, at);
}

static int row(struct tables *to, size_t table, const struct table_value *values, struct err *err)
{
	struct sqlite *sqlite = (struct sqlite *)to;
	sqlite3_stmt *insert = sqlite->insert[table];

	for (size_t i = 0; i < tables_list[table].n_columns; i++)
		bind(insert, (int)i + 1, &values[i]);
	if (sqlite3_step(insert) != SQLITE_DONE)
		return failed(sqlite, err);
	sqlite3_reset(insert);
	return 0;
}

/* Closes the database. */
static void done(struct sqlite *sqlite)
{
	for (size_t i = 0; i < N_TABLES; i++)
		sqlite3_finalize(sqlite->insert[i]);
	sqlite3_close(sqlite->db);
	if (sqlite->copy >= 0)
		close(sqlite->copy);
	pairing_done(&sqlite->tables.pairing);
	free(sqlite);
}

static struct sink *start(int fd, struct names *names, uint32_t *last_track, struct err *err)
{
	struct sqlite *sqlite = calloc(1, sizeof *sqlite);
	int code;

	if (!sqlite) {
		err_no_memory(err, "cannot write the file");
		return NULL;
	}
	sqlite->fd = fd;
	sqlite->copy = -1;
	tables_init(&sqlite->tables, fd, names, last_track);
	sqlite->tables.row = row;
	code = open_database(sqlite, err);
	for (size_t i = 0; i < N_TABLES && !code; i++)
		code = make_table(sqlite, i, err);
	if (code) {
		done(sqlite);
		return NULL;
	}
	return &sqlite->tables.pairing.sink;
}

/* For joins by inference, and for ranges of time. */
static int make_indexes(struct sqlite *sqlite, struct err *err)
{
	return run(sqlite,
		   "CREATE INDEX inferences_by_number ON inferences (process_id, inference);"
		   "CREATE INDEX operators_by_inference ON operators (process_id, inference);"
		   "CREATE INDEX kernels_by_inference ON kernels (process_id, inference);"
		   "CREATE INDEX inferences_by_time ON inferences (begin_ns);"
		   "CREATE INDEX operators_by_time ON operators (begin_ns);"
		   "CREATE INDEX samples_by_counter ON samples (counter_id, time_ns);"
		   "COMMIT",
		   err);
}

static int copy_all(struct sqlite *sqlite, struct err *err)
{
	struct text_out *out = &sqlite->tables.pairing.out;
	char data[16 << 10];
	off_t at = 0;

	for (;;) {
		ssize_t n = pread(sqlite->copy, data, sizeof data, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, errno, "cannot read the database: %s", strerror(errno));
		if (!n || out->code)
			return text_out_flush(out, err);
		text_out_put(out, data, (size_t)n);
		at += n;
	}
}

static int end(struct sink *sink, struct export_losses *losses, struct err *err)
{
	struct sqlite *sqlite = (struct sqlite *)sink;
	int code;

	if (!sqlite)
		return 0;
	code = tables_finish(&sqlite->tables, err);
	if (losses)
		pairing_losses(&sqlite->tables.pairing, losses);
	if (!code)
		code = make_indexes(sqlite, err);
	if (!code && sqlite3_db_cacheflush(sqlite->db) != SQLITE_OK)
		code = failed(sqlite, err);
	if (!code)
		code = copy_all(sqlite, err);
	done(sqlite);
	return code;
}

const struct exporter export_sqlite = {
	.name = "sqlite",
	.suffix = ".db",
	.help = "tables as a database of SQLite, with indexes",
	.open = start,
	.close = end,
};
