/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a list of columns as an array of objects. */
#ifndef SHOW_JSON_JSON_LIST_H
#define SHOW_JSON_JSON_LIST_H

#include "analyze/columns/columns.h"
#include "show/json/json_summary.h"

/* n rows from this one on. */
void json_list(struct json_summary *to, const char *key, const struct column_list *list, uint32_t first, uint32_t n);
/* All rows. */
void json_whole_list(struct json_summary *to, const char *key, const struct column_list *list);

#endif
