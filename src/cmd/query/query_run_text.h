/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a text of SQL for a person: prints the answers, says where the text is wrong, and stops at Ctrl-C. */
#ifndef CMD_QUERY_RUN_TEXT_H
#define CMD_QUERY_RUN_TEXT_H

#include "analyze/query/query.h"
#include "show/query/query_formats.h"

/*
 * 0, also when nobody reads on (writer->is_closed); or -errno and err, and the place is on standard error. name: of the
 * text's file; NULL: it was typed.
 */
int query_run_text(struct query *query, const char *sql, const char *name, struct query_writer *writer,
		   struct err *err);

#endif
