// SPDX-License-Identifier: Apache-2.0
/* Writes each column by its type. */
#include <math.h>

#include "show/json/json_in.h"

static double share(const struct json_summary *to, const struct column_list *list, const void *row, uint64_t part)
{
	uint64_t whole = list->whole(to->summary, row);

	return whole ? (double)part / (double)whole : NAN;
}

static void put(struct json_summary *to, const struct column_list *list, const struct column *column, const char *row,
		uint64_t *so_far)
{
	const void *at = row + column->at;
	const char *key = column->json;

	if (!column_is_known(column, row)) {
		json_null(&to->json, key);
		return;
	}
	switch (column->type) {
	case COLUMN_TEXT:
		json_summary_name(to, key, *(const uint32_t *)at);
		break;
	case COLUMN_COUNT:
		json_count(&to->json, key, *(const uint64_t *)at);
		break;
	case COLUMN_KNOWN:
		json_known(&to->json, key, *(const int64_t *)at);
		break;
	case COLUMN_PID:
		json_known(&to->json, key, *(const int32_t *)at);
		break;
	case COLUMN_NUMBER:
		json_count(&to->json, key, *(const uint32_t *)at);
		break;
	case COLUMN_ID:
		json_known(&to->json, key, *(const uint32_t *)at ? (int64_t)*(const uint32_t *)at : -1);
		break;
	case COLUMN_REAL:
		json_real(&to->json, key, *(const double *)at);
		break;
	case COLUMN_FLAG:
		json_bool(&to->json, key, *(const bool *)at);
		break;
	case COLUMN_TIME:
		json_summary_time(to, key, *(const uint64_t *)at);
		break;
	case COLUMN_MONOTONIC:
		json_known(&to->json, key, *(const uint64_t *)at ? *(const int64_t *)at : -1);
		break;
	case COLUMN_BETWEEN:
		json_count(&to->json, key, ((const uint64_t *)at)[1] - ((const uint64_t *)at)[0]);
		break;
	case COLUMN_PROCESS:
		json_summary_process(to, *(const uint32_t *)at);
		break;
	case COLUMN_SPREAD:
		json_summary_spread(to, key, at);
		break;
	case COLUMN_SHARE:
		json_real(&to->json, key, share(to, list, row, *(const uint64_t *)at));
		break;
	case COLUMN_SHARE_SO_FAR:
		*so_far += *(const uint64_t *)at;
		json_real(&to->json, key, share(to, list, row, *so_far));
		break;
	case COLUMN_ROW:
		json_count(&to->json, key,
			   (uint64_t)(row - (const char *)column_row(list, to->summary, 0)) / list->row_size + 1);
		break;
	case COLUMN_MODEL:
	case COLUMN_ORDINAL:
	case COLUMN_MODEL_NAME:
		json_null(&to->json, key);
	}
}

void json_list(struct json_summary *to, const char *key, const struct column_list *list, uint32_t first, uint32_t n)
{
	uint64_t so_far = 0;

	json_array(&to->json, key);
	for (uint32_t i = first; i < first + n; i++) {
		json_object(&to->json, NULL);
		for (size_t k = 0; k < list->n_columns; k++)
			if (list->columns[k].json && column_is_in(list, &list->columns[k]))
				put(to, list, &list->columns[k], column_row(list, to->summary, i), &so_far);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

void json_whole_list(struct json_summary *to, const char *key, const struct column_list *list)
{
	json_list(to, key, list, 0, column_n_rows(list, to->summary));
}
