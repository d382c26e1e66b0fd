// SPDX-License-Identifier: Apache-2.0
/* What is missing from a recording, in the sentences of reports. */
#include "analyze/query/query_in.h"
#include "analyze/remark/remarks.h"

static struct remark remark_at(const struct query *query, size_t row)
{
	return remarks_at(&(struct remarks){ .summary = query->summary }, row);
}

static size_t count(const struct query *query)
{
	return remarks_count(query->summary);
}

static bool has(const struct query *query, size_t row)
{
	return *remark_at(query, row).text.s != 0;
}

static void get_kind(sqlite3_context *to, const struct query_at *at)
{
	sqlite3_result_text(to, remark_at(at->query, at->row).kind, -1, SQLITE_STATIC);
}

static void get_loss(sqlite3_context *to, const struct query_at *at)
{
	query_put_int(to, remark_at(at->query, at->row).is_loss);
}

static void get_text(sqlite3_context *to, const struct query_at *at)
{
	sqlite3_result_text(to, remark_at(at->query, at->row).text.s, -1, SQLITE_TRANSIENT);
}

static const struct query_column columns[] = {
	{ "kind", "TEXT", "what it is about: `lost`, `left_out`, `unreadable` ...", get_kind },
	{ "is_loss", "INTEGER", "1: events are missing that were to be recorded, or the file is damaged", get_loss },
	{ "text", "TEXT", "the sentence of reports", get_text },
};

const struct query_table query_table_remarks = {
	.name = "remarks",
	.what = "What is missing from the recording or wrong with it, one sentence a row.",
	.rows = QUERY_LIST,
	.count = count,
	.has = has,
	QUERY_COLUMNS(columns),
};
