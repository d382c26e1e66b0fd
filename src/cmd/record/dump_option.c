// SPDX-License-Identifier: Apache-2.0
/* Reads the rules of all --dump-when. Makes no dump. */
#include "cmd/record/record_in.h"

int dump_option_parse(const struct opt_list *texts, struct dump_rules *rules, struct err *err)
{
	struct err why;

	*rules = (struct dump_rules){ .n = 0 };
	for (size_t i = 0; i < texts->n; i++)
		if (dump_rules_add(rules, texts->item[i], &why))
			return opt_misused(err, "cannot understand --dump-when '%.60s': %s", texts->item[i], why.msg);
	return 0;
}
