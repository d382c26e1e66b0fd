// SPDX-License-Identifier: Apache-2.0
/*
 * Rows of a table in groups of equal values, in one or several columns: found by a value, or walked group by group
 * where SQL groups. Groups lie in the order of their values, because SQLite drops the sort of an ORDER BY that equals
 * the GROUP BY: NULL first, then numbers, texts by their bytes. An index is made when a query first wants it, and kept:
 * 4 bytes a row and 8 a group.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/query_in.h"

static void index_free(struct query_index *index)
{
	if (!index)
		return;
	for (size_t i = 0; i < index->n_columns; i++)
		keys_done(&index->keys[i]);
	free(index->first);
	free(index->place);
	free(index->rows);
	free(index);
}

void query_indexes_trim(struct query *query)
{
	if (query->indexes.n > QUERY_KEPT_INDEXES)
		query_indexes_done(query);
}

void query_indexes_done(struct query *query)
{
	for (size_t i = 0; i < query->indexes.n; i++)
		index_free(((struct query_index **)query->indexes.data)[i]);
	array_done(&query->indexes, sizeof(struct query_index *));
	query->indexes = (struct array){ 0 };
}

/* The values of a group. */
struct group {
	uint32_t key[QUERY_MAX_GROUPS];
};

/* What groups are sorted by. */
struct order {
	const struct query *query;
	const struct query_index *index;
	const struct group *groups;
};

/* The group of a row, a new one with its values if need be; KEYS_NONE: out of memory. */
static uint32_t group_of(struct query_index *index, const struct query_at *at, struct array *groups)
{
	struct group values = { { 0 } }, *added;
	uint32_t group = 0;

	for (size_t i = 0; i < index->n_columns && group != KEYS_NONE; i++) {
		values.key[i] = index->table->columns[index->column[i]].key(at);
		group = keys_number(&index->keys[i], group, values.key[i]);
	}
	if (group == KEYS_NONE || group < groups->n)
		return group;
	added = array_add(groups, sizeof *added);
	if (!added)
		return KEYS_NONE;
	*added = values;
	return group;
}

static int compare_texts(const struct names *names, uint32_t a, uint32_t b)
{
	size_t len_a = names_len(names, a), len_b = names_len(names, b);
	int order = memcmp(names_text(names, a), names_text(names, b), len_a < len_b ? len_a : len_b);

	return order ? order : (len_a > len_b) - (len_a < len_b);
}

static int by_values(const void *left, const void *right, void *order_)
{
	const struct order *order = order_;
	const struct group *a = &order->groups[*(const uint32_t *)left], *b = &order->groups[*(const uint32_t *)right];

	for (size_t i = 0; i < order->index->n_columns; i++) {
		const struct query_column *column = &order->index->table->columns[order->index->column[i]];

		if (a->key[i] == b->key[i])
			continue;
		if (column->use == QUERY_NAME && a->key[i] && b->key[i])
			return compare_texts(order->query->names, a->key[i], b->key[i]);
		return a->key[i] < b->key[i] ? -1 : 1;
	}
	return 0;
}

/* The place of each group among all; false: out of memory. */
static bool find_places(const struct query *query, struct query_index *index, const struct array *groups)
{
	struct order order = { query, index, groups->data };
	uint32_t *sorted = malloc((groups->n + 1) * sizeof *sorted);

	index->n_groups = (uint32_t)groups->n;
	index->place = malloc((groups->n + 1) * sizeof *index->place);
	for (uint32_t i = 0; sorted && i < index->n_groups; i++)
		sorted[i] = i;
	if (sorted && index->place) {
		qsort_r(sorted, index->n_groups, sizeof *sorted, by_values, &order);
		for (uint32_t i = 0; i < index->n_groups; i++)
			index->place[sorted[i]] = i;
	}
	free(sorted);
	return sorted && index->place;
}

static bool has_kind(const struct query_index *index, uint32_t kind)
{
	return !index->table->kinds || index->table->kinds >> kind & 1;
}

static bool has_kinds(const struct query_index *index, const struct query_track *track)
{
	return !index->table->kinds || index->table->kinds & track->kinds;
}

/* The groups of one track's rows into *to, row by row; NULL: out of memory. */
static uint32_t *add_groups(struct query *query, struct query_index *index, const struct query_track *track,
			    struct array *groups, uint32_t *to)
{
	const struct store_slices *slices = &track->track->slices;
	struct query_at at = { query, track, track->track, 0 };

	for (at.row = 0; at.row < slices->n; at.row++) {
		if (!has_kind(index, slices->kind[at.row]))
			continue;
		*to = group_of(index, &at, groups);
		if (*to++ == KEYS_NONE)
			return NULL;
	}
	return to;
}

static uint64_t count_rows(const struct query *query, const struct query_index *index)
{
	uint64_t n = 0;

	for (size_t i = 0; i < query->n_tracks; i++) {
		const struct store_slices *slices = &query->tracks[i].track->slices;

		for (size_t row = 0; has_kinds(index, &query->tracks[i]) && row < slices->n; row++)
			n += has_kind(index, slices->kind[row]);
	}
	return n;
}

/* Sorts by counting: groups lie one after the other, the rows of each in their order. */
static bool sort(struct query *query, struct query_index *index, const uint32_t *group)
{
	uint32_t at = 0;

	index->first = calloc((size_t)index->n_groups + 2, sizeof *index->first);
	index->rows = malloc(((size_t)index->n_rows + 1) * sizeof *index->rows);
	if (!index->first || !index->rows)
		return false;
	for (uint32_t i = 0; i < index->n_rows; i++)
		index->first[index->place[group[i]] + 2]++;
	for (uint32_t i = 2; i <= index->n_groups; i++)
		index->first[i] += index->first[i - 1];
	for (size_t i = 0; i < query->n_tracks; i++) {
		const struct query_track *track = &query->tracks[i];

		for (size_t row = 0; has_kinds(index, track) && row < track->track->slices.n; row++)
			if (has_kind(index, track->track->slices.kind[row]))
				index->rows[index->first[index->place[group[at++]] + 1]++] =
				    (uint32_t)(track->base + row);
	}
	return true;
}

static bool fill(struct query *query, struct query_index *index)
{
	uint32_t *group = malloc(((size_t)index->n_rows + 1) * sizeof *group), *to = group;
	struct array groups = { 0 };
	bool is_done;

	for (size_t i = 0; to && i < query->n_tracks; i++)
		if (has_kinds(index, &query->tracks[i]))
			to = add_groups(query, index, &query->tracks[i], &groups, to);
	is_done = to && find_places(query, index, &groups) && sort(query, index, group);
	array_done(&groups, sizeof(struct group));
	free(group);
	return is_done;
}

static bool is_of(const struct query_index *index, const struct query_table *table, const int *columns, size_t n)
{
	return index->table == table && index->n_columns == n && !memcmp(index->column, columns, n * sizeof *columns);
}

const struct query_index *query_index_of(struct query *query, const struct query_table *table, const int *columns,
					 size_t n)
{
	struct query_index *index, **place;
	uint64_t n_rows;

	for (size_t i = 0; i < query->indexes.n; i++) {
		index = ((struct query_index **)query->indexes.data)[i];
		if (is_of(index, table, columns, n))
			return index;
	}
	if (query->indexes.n >= QUERY_MAX_INDEXES || query->n_rows >= UINT32_MAX || n > QUERY_MAX_GROUPS)
		return NULL;
	index = calloc(1, sizeof *index);
	place = index ? array_add(&query->indexes, sizeof(struct query_index *)) : NULL;
	if (!place) {
		free(index);
		return NULL;
	}
	index->table = table;
	index->n_columns = n;
	memcpy(index->column, columns, n * sizeof *columns);
	n_rows = count_rows(query, index);
	index->n_rows = (uint32_t)n_rows;
	if (fill(query, index))
		return *place = index;
	query->indexes.n--;
	index_free(index);
	return NULL;
}

void query_index_rows(const struct query_index *index, uint32_t key, const uint32_t **rows, size_t *n)
{
	uint32_t group = keys_find(&index->keys[0], 0, key);

	*rows = NULL;
	*n = 0;
	if (group == KEYS_NONE)
		return;
	group = index->place[group];
	*rows = index->rows + index->first[group];
	*n = index->first[group + 1] - index->first[group];
}
