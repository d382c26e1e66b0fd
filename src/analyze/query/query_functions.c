// SPDX-License-Identifier: Apache-2.0
/* Functions of our own: percentiles, as nearest ranks, like those of the report. */
#include <string.h>

#include "analyze/query/query_in.h"

/* All values of a group: whole numbers until the first that is not. */
struct series {
	union number {
		sqlite3_int64 whole;
		double real;
	} *value;
	size_t n, capacity;
	double percent;
	bool is_real, is_bad;
};

static bool grow(struct series *series)
{
	size_t capacity = series->capacity ? series->capacity * 2 : 64;
	union number *value = sqlite3_realloc64(series->value, capacity * sizeof *value);

	if (!value)
		return false;
	series->value = value;
	series->capacity = capacity;
	return true;
}

static void become_real(struct series *series)
{
	for (size_t i = 0; !series->is_real && i < series->n; i++)
		series->value[i].real = (double)series->value[i].whole;
	series->is_real = true;
}

static void refuse(sqlite3_context *to, struct series *series, const char *why)
{
	series->is_bad = true;
	sqlite3_result_error(to, why, -1);
}

static void add(sqlite3_context *to, struct series *series, sqlite3_value *value)
{
	int type = sqlite3_value_numeric_type(value);

	if (type == SQLITE_NULL)
		return;
	if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
		refuse(to, series, "percentile() takes numbers: cast(x AS REAL) makes one of a text");
		return;
	}
	if (series->n == series->capacity && !grow(series)) {
		series->is_bad = true;
		sqlite3_result_error_nomem(to);
		return;
	}
	if (type == SQLITE_FLOAT)
		become_real(series);
	if (series->is_real)
		series->value[series->n++].real = sqlite3_value_double(value);
	else
		series->value[series->n++].whole = sqlite3_value_int64(value);
}

static void percentile_step(sqlite3_context *to, int n, sqlite3_value **values)
{
	struct series *series = sqlite3_aggregate_context(to, sizeof *series);

	if (!series) {
		sqlite3_result_error_nomem(to);
		return;
	}
	if (series->is_bad)
		return;
	series->percent = n > 1 ? sqlite3_value_double(values[1]) : 50;
	if (n > 1 &&
	    (sqlite3_value_numeric_type(values[1]) == SQLITE_NULL || !(series->percent >= 0) || series->percent > 100))
		refuse(to, series, "percentile(x, p): p is from 0 to 100");
	else
		add(to, series, values[0]);
}

static bool is_less(const struct series *series, union number a, union number b)
{
	return series->is_real ? a.real < b.real : a.whole < b.whole;
}

static union number median_of_three(const struct series *series, size_t low, size_t high)
{
	union number a = series->value[low], b = series->value[low + (high - low) / 2], c = series->value[high];

	if (is_less(series, a, b))
		return is_less(series, b, c) ? b : is_less(series, a, c) ? c : a;
	return is_less(series, a, c) ? a : is_less(series, b, c) ? c : b;
}

/* The value of this rank, from 0: what is smaller goes before it, until it is in its place. */
static union number select_rank(struct series *series, size_t rank)
{
	union number *value = series->value;
	size_t low = 0, high = series->n - 1;

	while (low < high) {
		union number pivot = median_of_three(series, low, high), swap;
		size_t i = low, j = high;

		for (;;) {
			while (is_less(series, value[i], pivot))
				i++;
			while (is_less(series, pivot, value[j]))
				j--;
			if (i >= j)
				break;
			swap = value[i];
			value[i++] = value[j];
			value[j--] = swap;
		}
		if (rank <= j)
			high = j;
		else
			low = j + 1;
	}
	return value[rank];
}

static void percentile_final(sqlite3_context *to)
{
	struct series *series = sqlite3_aggregate_context(to, 0);
	union number found;
	double rank;

	if (!series)
		return;
	if (series->n && !series->is_bad) {
		rank = ceil(series->percent / 100 * (double)series->n);
		found = select_rank(series, rank < 1 ? 0 : (size_t)rank - 1);
		if (series->is_real)
			sqlite3_result_double(to, found.real);
		else
			sqlite3_result_int64(to, found.whole);
	}
	sqlite3_free(series->value);
	series->value = NULL;
}

int query_functions_add(struct query *query)
{
	const int how = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	int code = sqlite3_create_function_v2(query->db, "percentile", 2, how, NULL, NULL, percentile_step,
					      percentile_final, NULL);

	return code ? code
		    : sqlite3_create_function_v2(query->db, "median", 1, how, NULL, NULL, percentile_step,
						 percentile_final, NULL);
}

bool query_function_at(size_t i, struct query_column_words *words)
{
	static const struct query_column_words functions[] = {
		{ "percentile(x, p)", "aggregate",
		  "the smallest value that at least p percent of all values do not exceed (nearest rank); p from 0 to "
		  "100, "
		  "NULLs are left out" },
		{ "median(x)", "aggregate", "percentile(x, 50)" },
	};

	if (i >= sizeof functions / sizeof *functions)
		return false;
	*words = functions[i];
	return true;
}
