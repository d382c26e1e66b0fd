// SPDX-License-Identifier: Apache-2.0
/* Which table a request asks for. */
#include <string.h>

#include "show/view/view_table.h"

#define ROW(name) { #name, table_##name },
static const struct view_answer tables[] = { TABLES(ROW) };

VIEW_ANSWER(table)
{
	const char *what = http_request_text(request, "what");

	for (size_t i = 0; what && i < sizeof tables / sizeof *tables; i++)
		if (!strcmp(what, tables[i].name))
			return tables[i].answer(view, request, answer);
	http_say(answer, 400,
		 "what must name a table: models, processes, sizes, sessions, inferences, operators, "
		 "operator_types, kernels, phases, resources, threads or losses");
	return NULL;
}
