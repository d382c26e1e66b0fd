// SPDX-License-Identifier: Apache-2.0
/* Columns that several tables have in common, and how values become those of SQL. What is not known stays NULL. */
#include "analyze/query/query_columns.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text/json.h"

void query_put_number(sqlite3_context *to, uint32_t value)
{
	if (value)
		sqlite3_result_int64(to, value);
}

void query_put_time(sqlite3_context *to, uint64_t ns)
{
	if (ns != STORE_OPEN)
		query_put_count(to, ns);
}

void query_put_name(sqlite3_context *to, const struct query *query, uint32_t name)
{
	if (name)
		sqlite3_result_text(to, names_text(query->names, name), (int)names_len(query->names, name),
				    SQLITE_STATIC);
}

void query_put_arg(sqlite3_context *to, const struct query *query, const struct arg *arg)
{
	if (!arg)
		return;
	if (arg->type == ARG_INT)
		query_put_int(to, arg->integer);
	else if (arg->type == ARG_REAL)
		query_put_real(to, arg->real);
	else
		query_put_name(to, query, arg->name);
}

static void put_json(FILE *out, const struct query *query, const struct arg *arg)
{
	json_put_text(out, event_key_name(arg->key));
	fputc(':', out);
	if (arg->type == ARG_INT)
		fprintf(out, "%lld", (long long)arg->integer);
	else if (arg->type == ARG_REAL && isfinite(arg->real))
		fprintf(out, "%.17g", arg->real);
	else if (arg->type == ARG_NAME)
		json_put_text(out, names_text(query->names, arg->name));
	else
		fputs("null", out);
}

void query_put_args(sqlite3_context *to, const struct query *query, const uint32_t *lists, size_t n_lists)
{
	char *text = NULL;
	size_t size = 0, n_put = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out) {
		sqlite3_result_error_nomem(to);
		return;
	}
	for (size_t k = 0; k < n_lists; k++) {
		uint32_t n;
		const struct arg *arg = store_args(query->store, lists[k], &n);

		for (uint32_t i = 0; i < n; i++) {
			fputc(n_put++ ? ',' : '{', out);
			put_json(out, query, &arg[i]);
		}
	}
	if (n_put)
		fputc('}', out);
	fclose(out);
	if (n_put)
		sqlite3_result_text64(to, text, size, SQLITE_TRANSIENT, SQLITE_UTF8);
	free(text);
}

void query_get_id(sqlite3_context *to, const struct query_at *at)
{
	query_put_count(to, at->in->base + at->row + 1);
}

void query_get_kind(sqlite3_context *to, const struct query_at *at)
{
	const char *name = event_kind_name(at->track->slices.kind[at->row]);

	if (*name)
		sqlite3_result_text(to, name, -1, SQLITE_STATIC);
}

void query_get_begin(sqlite3_context *to, const struct query_at *at)
{
	query_put_count(to, at->track->slices.begin_ns[at->row]);
}

void query_get_end(sqlite3_context *to, const struct query_at *at)
{
	query_put_time(to, at->track->slices.end_ns[at->row]);
}

const struct halts *query_halts(const struct query_at *at)
{
	return store_halts_of(&at->query->halts, at->in->process);
}

void query_get_halted(sqlite3_context *to, const struct query_at *at)
{
	uint64_t end_ns = at->track->slices.end_ns[at->row], most_ns;

	if (end_ns != STORE_OPEN)
		query_put_count(to,
				halts_within(query_halts(at), at->track->slices.begin_ns[at->row], end_ns, &most_ns));
}

void query_get_duration(sqlite3_context *to, const struct query_at *at)
{
	uint64_t end_ns = at->track->slices.end_ns[at->row];

	if (end_ns != STORE_OPEN)
		query_put_count(to, end_ns - at->track->slices.begin_ns[at->row]);
}

void query_get_depth(sqlite3_context *to, const struct query_at *at)
{
	query_put_int(to, at->track->slices.depth[at->row]);
}

void query_get_pid(sqlite3_context *to, const struct query_at *at)
{
	query_put_number(to, (uint32_t)(at->in->pid > 0 ? at->in->pid : 0));
}

void query_get_args(sqlite3_context *to, const struct query_at *at)
{
	const struct store_slices *slices = &at->track->slices;
	const uint32_t lists[] = { slices->args[at->row], slices->own_args ? slices->own_args[at->row] : 0 };

	query_put_args(to, at->query, lists, 2);
}

uint32_t query_key_name(const struct query_at *at)
{
	return at->track->slices.name[at->row];
}

uint32_t query_key_op_type(const struct query_at *at)
{
	return store_text(query_arg(at, KEY_OP_TYPE));
}

uint32_t query_key_provider(const struct query_at *at)
{
	return store_text(query_arg(at, KEY_PROVIDER));
}

uint32_t query_key_session(const struct query_at *at)
{
	int64_t number = store_int(query_arg(at, KEY_SESSION), 0);

	return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

uint32_t query_key_inference(const struct query_at *at)
{
	return at->track->slices.inference[at->row];
}

uint32_t query_key_track(const struct query_at *at)
{
	return at->track->id;
}

uint32_t query_key_process(const struct query_at *at)
{
	return at->in->process;
}

uint32_t query_key_parent(const struct query_at *at)
{
	const uint32_t *parents;
	uint64_t id;

	if (!at->track->slices.depth[at->row])
		return 0;
	parents = query_parents(at->query, at->in);
	if (!parents || parents[at->row] == QUERY_NO_ROW)
		return 0;
	id = at->in->base + parents[at->row] + 1;
	return id > UINT32_MAX ? 0 : (uint32_t)id;
}

uint32_t query_key_model(const struct query_at *at)
{
	struct query_at other;

	switch (at->track->slices.kind[at->row]) {
	case KIND_INFERENCE:
	case KIND_SESSION:
		return query_model_name(at);
	default:
		if (query_run_of(at, &other) || query_creation_of(at, &other))
			return query_model_name(&other);
		return 0;
	}
}

/* Of an inference the thread that called it, else the one whose line it is. */
uint32_t query_key_tid(const struct query_at *at)
{
	int64_t tid = store_int(query_arg(at, KEY_TID), at->in->tid);

	return tid > 0 && tid <= UINT32_MAX ? (uint32_t)tid : 0;
}
