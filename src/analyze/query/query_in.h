/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of queries. A table is a constant struct query_table in a file of its family, and one line in
 * query_tables.c: its columns with their words, and what its rows are of.
 */
#ifndef ANALYZE_QUERY_QUERY_IN_H
#define ANALYZE_QUERY_QUERY_IN_H

#include <math.h>
#include <signal.h>
#include <sqlite3.h>

#include "analyze/columns/columns.h"
#include "analyze/query/query.h"
#include "analyze/store/keys.h"
#include "analyze/store/store_halts.h"
#include "base/array.h"
#include "event/names.h"

/* A track that has slices. Rows of slices are numbered through all of them: base is that of its first. */
struct query_track {
	const struct store_track *track;
	uint64_t base;
	uint32_t process; /* its track; 0: none */
	int32_t pid, tid; /* 0: none */
	uint32_t kinds;	  /* bit n: it has slices of kind n */
	uint32_t *parent; /* by row: that of the slice around it, or QUERY_NO_ROW; NULL: not needed yet */
};

#define QUERY_NO_ROW UINT32_MAX

/* Rows of instants by time; query_times.c. */
struct query_times {
	bool is_made, is_sorted; /* they came so: there are no rows */
	uint32_t *rows;
};

struct query {
	sqlite3 *db;
	const struct summary *summary;
	const struct store *store;
	const struct names *names;
	struct query_track *tracks;
	size_t n_tracks;
	uint64_t n_rows;     /* slices */
	struct keys runs;    /* inferences by process and number */
	struct array run_at; /* uint64_t: row of slices, by number in runs */
	bool has_runs;
	struct keys sessions; /* rows of the summary's sessions by process and number */
	struct array session_at;
	bool has_sessions;
	struct store_halts halts;
	struct array indexes; /* struct query_index * */
	struct query_times times;
	struct query_sample *samples; /* query_table_stacks.c; NULL: there are none */
	struct why *why;	      /* the last one that was looked at, */
	size_t why_at;		      /* and of which slow inference; query_table_slowest.c */
	uint64_t max_steps, steps;
	volatile sig_atomic_t is_interrupted;
	uint64_t memory_bytes;
	bool has_pairs;	   /* the text may have a pair IN a list (query_plan_has_pairs) */
	bool is_set_up;	   /* from now on nothing but what the guard allows */
	char refused[160]; /* what the guard has refused in this query; "": nothing */
};

/* One row that a cursor is at. */
struct query_at {
	struct query *query;
	const struct query_track *in; /* of slices; of samples only its track is set */
	const struct store_track *track;
	size_t row; /* of slices and samples: in the track; else in the table */
};

/* What a column is good for in a plan. */
enum query_use {
	QUERY_PLAIN,
	QUERY_ROW,    /* number of the row, from 1, ascending */
	QUERY_BEGIN,  /* time by which the rows of a track are sorted; of a list: that of its instant */
	QUERY_END,    /* end of a slice */
	QUERY_NAME,   /* key: id of a text, 0 is NULL */
	QUERY_NUMBER, /* key: a number, 0 is NULL */
};

/* Its value: get, or a field, or an argument of the slice, or the key. */
struct query_column {
	const char *name, *type, *what;
	void (*get)(sqlite3_context *to, const struct query_at *at);
	enum query_use use;
	uint32_t (*key)(const struct query_at *at); /* QUERY_NAME and QUERY_NUMBER; of samples: of the track */
	bool is_rare;				    /* few rows have the same */
	enum event_key arg;
	const void *(*in)(const struct query_at *at); /* the struct that has the field; NULL: the value is not known */
	enum column_type field;
	size_t offset;
};

enum query_rows { QUERY_SLICES, QUERY_SAMPLES, QUERY_LIST };

struct query_table {
	const char *name, *what;
	enum query_rows rows;
	uint32_t kinds; /* QUERY_SLICES: bit n: kind n; 0: all */
	/* QUERY_LIST: rows, of which only those count that it has (NULL: all); a column QUERY_ROW is the row + 1 */
	size_t (*count)(const struct query *query);
	bool (*has)(const struct query *query, size_t row);
	const struct query_column *columns;
	size_t n_columns;
	const struct column_list *list; /* instead of count and columns: a list of the summary */
};

#define QUERY_COLUMNS(list) .columns = list, .n_columns = sizeof list / sizeof *list

struct query_view {
	const char *name, *what, *sql;
	const struct query_column_words *columns;
	size_t n_columns;
};

extern const struct query_table *const query_tables[]; /* NULL-terminated */
extern const struct query_view query_views[];	       /* the last has no name */
enum { QUERY_MAX_COLUMNS = 48, QUERY_MAX_GROUPS = 6 };
/* of one query; and those that wait for the next one */
enum { QUERY_MAX_INDEXES = 32, QUERY_KEPT_INDEXES = 8 };

/* Rows of a table in groups that have the same values in some columns. */
struct query_index {
	const struct query_table *table;
	int column[QUERY_MAX_GROUPS];
	size_t n_columns;
	struct keys keys[QUERY_MAX_GROUPS]; /* of each column, with the number that the columns before have */
	uint32_t *place;		    /* by group: its place in the order of values */
	uint32_t *first;		    /* by place: where it begins in rows; n_groups + 1 */
	uint32_t *rows;			    /* of slices */
	uint32_t n_groups, n_rows;
};

/* query_tracks.c. 0 or -ENOMEM. */
int query_tracks_init(struct query *query);
void query_tracks_done(struct query *query);
/* The track that has this row; near: where to look first, or NULL. NULL: none has. */
const struct query_track *query_track_of(const struct query *query, uint64_t row, const struct query_track *near);
/* NULL: out of memory. */
const uint32_t *query_parents(const struct query *query, const struct query_track *track);
/* The row of the inference of this number in a process, and the row of its session in the summary. */
bool query_find_run(struct query *query, uint32_t process, uint32_t number, uint64_t *row);
/* The track of a process of the summary; 0: none. */
uint32_t query_process_track(const struct query *query, uint32_t process);
/* Of a slice: that of its inference, session or model, from 1; 0: none. */
uint32_t query_run_id(const struct query_at *at);
uint32_t query_session_id(const struct query_at *at);
uint32_t query_model_id(const struct query_at *at);
/* The slice of its inference; false: none. */
bool query_run_of(const struct query_at *at, struct query_at *run);
/* The slice of the session creation that it lies in, or is; false: none. */
bool query_creation_of(const struct query_at *at, struct query_at *creation);
uint32_t query_model_name(const struct query_at *at); /* of an inference or a session creation */

/* query_index.c: found or made; NULL: out of memory, or there are too many. */
const struct query_index *query_index_of(struct query *query, const struct query_table *table, const int *columns,
					 size_t n);
/* Of an index of one column: the rows with this key. */
void query_index_rows(const struct query_index *index, uint32_t key, const uint32_t **rows, size_t *n);
void query_indexes_done(struct query *query);
void query_indexes_trim(struct query *query); /* between queries */

/* query_scan.c: what rows a cursor goes through. */
struct query_scan {
	struct query *query;
	const struct query_table *table;
	struct query_at at;
	uint64_t from_ns, to_ns; /* begin: from..to; end: end_from_ns or later */
	uint64_t end_from_ns;
	bool is_empty, is_end;
	const uint32_t *rows;	    /* of an index; NULL: in order */
	uint32_t *own_rows;	    /* of an IN; with the cursor */
	size_t n_rows, next;	    /* of rows; tracks; rows of a list */
	size_t end_row;		    /* in the track */
	size_t first_row, last_row; /* of a list; last_row itself is not in it */
	const uint32_t *list;	    /* its rows in another order; NULL: none */
	uint64_t one;		    /* number of the only row; 0: all */
	int key_column;		    /* of samples: only tracks with this key; -1: all */
	uint32_t key;
};

void query_scan_begin(struct query_scan *scan); /* to the first row */
void query_scan_next(struct query_scan *scan);

/* query_times.c: of a list of instants, those between the two times, in this order. */
void query_times_range(struct query_scan *scan);
void query_times_done(struct query *query);

/* query_table_stacks.c. 0 or -ENOMEM. */
int query_stacks_init(struct query *query);
void query_stacks_done(struct query *query);

/* query_plan.c: SQL's conditions as a plan, "<op><column>..." in text, and a plan with its values as a scan. */
int query_plan_find(struct query *query, const struct query_table *table, sqlite3_index_info *info);
/* Whether the text may have "(a, b) IN ...": names are looked up in no index then. */
bool query_plan_has_pairs(const char *sql);
/* SQLITE_OK, or SQLITE_NOMEM. */
int query_plan_take(struct query_scan *scan, const char *plan, int n, sqlite3_value **values);

/* query_list.c: the same for tables with columns of their own and those of a list. column is below query_n_columns. */
size_t query_n_columns(const struct query_table *table);
size_t query_n_rows(const struct query *query, const struct query_table *table); /* of a QUERY_LIST */
struct query_column_words query_words(const struct query_table *table, size_t column);
/* What it is good for in a plan; has no words and no get for columns of a list. */
const struct query_column *query_column_of(const struct query_table *table, size_t column);
void query_put_column(sqlite3_context *to, const struct query_table *table, const struct query_at *at, size_t place);

/* query_module.c, query_guard.c, query_functions.c */
int query_module_add(struct query *query);
void query_guard_init(struct query *query, const struct query_opts *opts);
void query_guard_close(struct query *query); /* the tables are there: nothing may change from now on */
int query_functions_add(struct query *query);

/* query_columns.c: what columns have in common. NULL where the value is not known. */
void query_put_time(sqlite3_context *to, uint64_t ns);
void query_put_name(sqlite3_context *to, const struct query *query, uint32_t name);
void query_put_args(sqlite3_context *to, const struct query *query, const uint32_t *lists, size_t n);
void query_put_arg(sqlite3_context *to, const struct query *query, const struct arg *arg);

static inline void query_put_int(sqlite3_context *to, int64_t value)
{
	sqlite3_result_int64(to, value);
}

static inline void query_put_count(sqlite3_context *to, uint64_t value)
{
	sqlite3_result_int64(to, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

/* 0: none. */
void query_put_number(sqlite3_context *to, uint32_t value);

static inline void query_put_real(sqlite3_context *to, double value)
{
	if (isfinite(value))
		sqlite3_result_double(to, value);
}

static inline const struct arg *query_arg(const struct query_at *at, enum event_key key)
{
	return store_slice_arg(at->query->store, at->track, at->row, key);
}

#endif
