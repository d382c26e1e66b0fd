// SPDX-License-Identifier: Apache-2.0
/*
 * Inserts rows into ClickHouse over HTTP: those of a minute together, because small inserts cost a server most, at a
 * second of the minute that is the machine's own, so that machines do not come all at once. Each insert has a token by
 * which the server knows one that comes again.
 */
#include "fleet/door/door_clickhouse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/door/door_in.h"
#include "fleet/door/doors.h"
#include "fleet/door/push.h"

enum { CLICKHOUSE_INTERVALS, CLICKHOUSE_INFERENCES, N_TABLES, TIMEOUT_MS = 20000 };

static const char *const tables[N_TABLES] = { "intervals", "inferences" };

static bool encode(const struct door_in *in, int section, FILE *out)
{
	if (section == CLICKHOUSE_INTERVALS)
		clickhouse_write_intervals(in, out);
	return section == CLICKHOUSE_INTERVALS ||
	       (section == CLICKHOUSE_INFERENCES && clickhouse_write_inferences(in, out));
}

static void put_escaped(char *url, size_t size, const char *text)
{
	size_t len = strlen(url);

	for (; *text && len + 4 < size; text++) {
		if ((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || (*text >= '0' && *text <= '9'))
			url[len++] = *text;
		else
			len += (size_t)snprintf(url + len, size - len, "%%%02X", (unsigned char)*text);
	}
	url[len] = 0;
}

/* Columns that a table lacks are left out. A repeated insert is dropped, in tables that views fill from it, too. */
static void address(const struct push_lane *lane, const struct spool_group *group, char *url, size_t size)
{
	char query[400];
	size_t len = strlen(url);

	snprintf(
	    query, sizeof query,
	    "INSERT INTO %s SETTINGS input_format_skip_unknown_fields=1, insert_deduplicate=1, "
	    "deduplicate_blocks_in_dependent_materialized_views=1, insert_deduplication_token='%s-%s-%llu-%llu' FORMAT "
	    "Native",
	    tables[group->lane], group->run, tables[group->lane], (unsigned long long)group->first,
	    (unsigned long long)group->last);
	snprintf(url + len, size - len, "%squery=", strchr(url, '?') ? "&" : "?");
	put_escaped(url, size, query);
}

/* What is wrong with a user, a table or the server may be mended; a block that cannot be read stays as it is. */
static bool is_worth_a_retry(long status)
{
	return status != 400 && status != 413 && status != 415;
}

static void why_refused(const void *answer, size_t size, char *why, size_t why_size)
{
	const char *end = memchr(answer, '\n', size);

	origin_copy(why, why_size, answer, end ? (size_t)(end - (const char *)answer) : size);
}

static const struct push_kind kinds[N_TABLES] = {
	{ "intervals", .address = address, .is_worth_a_retry = is_worth_a_retry, .why_refused = why_refused },
	{ "inferences", .address = address, .is_worth_a_retry = is_worth_a_retry, .why_refused = why_refused },
};

static uint32_t second_of_host(uint32_t every_s)
{
	struct origin_host host;
	uint32_t hash = 2166136261u;

	origin_read_host(&host, "", getenv("OTEL_RESOURCE_ATTRIBUTES"));
	for (const char *at = host.name; *at; at++)
		hash = (hash ^ (unsigned char)*at) * 16777619u;
	return hash % every_s;
}

static int open_lane(struct push *push, int table, const struct door_clickhouse_opts *opts, struct err *err)
{
	uint32_t every_s = (uint32_t)(opts->every_ns / 1000000000u);
	struct push_lane *lane = &push->lane[table];
	char url[PUSH_URL], *text;
	int code;

	*lane = (struct push_lane){ .kind = &kinds[table],
				    .timeout_ms = TIMEOUT_MS,
				    .every_s = every_s,
				    .at_s = second_of_host(every_s),
				    .authority = opts->authority };
	if (snprintf(url, sizeof url, strchr(opts->url, '?') ? "%s" : "%s?database=inftrace", opts->url) >=
	    (int)sizeof url)
		return err_set(err, EINVAL, "cannot send to ClickHouse: its address is too long, more than %d bytes",
			       PUSH_URL);
	code = push_set_url(lane, url, "", err);
	if (!code)
		code = push_open_lane(push, lane, err);
	if (code)
		return code;
	push_add_header(push, lane, "Content-Type: application/octet-stream");
	push_add_header(push, lane, "Expect:");
	text = opts->headers_file ? secret_read(opts->headers_file, "headers", err) : NULL;
	if (opts->headers_file && !text)
		return -err->code;
	if (text)
		code = push_add_headers(push, lane, text, ":\n", err);
	free(text);
	return code;
}

static int open_clickhouse(struct door_child *child, struct err *err)
{
	struct push *push = calloc(1, sizeof *push);
	int code;

	if (!push)
		return err_no_memory(err, "cannot send");
	child->state = push;
	code = push_open(push, child, err);
	for (int i = 0; i < N_TABLES && !code; i++)
		code = open_lane(push, i, child->opts, err);
	return code;
}

static void serve(struct door_child *child)
{
	push_serve(child->state);
}

const struct door door_clickhouse = {
	.name = "clickhouse", .has_spool = true, .encode = encode, .open = open_clickhouse, .serve = serve
};
