/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording as tables, row by row: what CSV and databases have in common. Names and units of columns are those of
 * `inftrace query`, as far as they can be known while events pass; doc/export.md describes them. Rows of slices come in
 * the order of their ends.
 */
#ifndef TRACE_EXPORT_TABLES_H
#define TRACE_EXPORT_TABLES_H

#include "trace/export/pairing.h"

enum table_value_type { TABLE_NULL, TABLE_INT, TABLE_REAL, TABLE_TEXT };

struct table_value {
	enum table_value_type type;
	int64_t integer;
	double real;
	const char *text; /* borrowed for the call */
};

enum table_source {
	FROM_ARG,     /* key: an argument */
	FROM_FLAG,    /* key: 1 if it is there and not 0, else 0 */
	FROM_SESSION, /* key: an argument of the outermost slice around it, or its own */
	FROM_ARGS,    /* all arguments, as JSON */
	FROM_PROCESS_ID,
	FROM_PID,
	FROM_TID,
	FROM_TRACK,
	FROM_TRACK_NAME,
	FROM_TRACK_UNIT,
	FROM_GROUP,
	FROM_COMMAND,
	FROM_START,
	FROM_KIND,
	FROM_NAME,
	FROM_DEPTH,
	FROM_BEGIN,
	FROM_END,
	FROM_DURATION,
	FROM_SELF,
	FROM_SETUP,
	FROM_IS_FAILED,
	FROM_TIME,
	FROM_VALUE,
};

struct table_column {
	const char *name, *type; /* "INTEGER", "REAL" or "TEXT" */
	enum table_source source;
	enum event_key key;
};

enum table_rows { ROWS_SLICES, ROWS_INSTANTS, ROWS_SAMPLES, ROWS_TRACKS };

enum { TABLE_MAX_COLUMNS = 32, N_TABLES = 12 };

struct table {
	const char *name;
	enum table_rows rows;
	uint32_t kinds; /* bit n: slices or instants of kind n; of tracks: bit n: type n */
	const struct table_column *columns;
	size_t n_columns;
};

extern const struct table tables_list[N_TABLES];

struct tables {
	struct pairing pairing;
	/* Takes a row of the table with this number: a value for each column. 0, or -errno and err. */
	int (*row)(struct tables *tables, size_t table, const struct table_value *values, struct err *err);
	struct text_out args; /* JSON of one row; in memory only */
};

void tables_init(struct tables *tables, int fd, struct names *names, uint32_t *last_track);
/* The rows that are still missing. 0, or -errno and err. */
int tables_finish(struct tables *tables, struct err *err);

#endif
