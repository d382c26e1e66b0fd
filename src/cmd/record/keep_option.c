// SPDX-License-Identifier: Apache-2.0
/* Tells durations from sizes by their unit. */
#include <string.h>

#include "base/opt.h"
#include "cmd/record/record_in.h"

enum { LEAST_NS = 1000000000, LEAST_BYTES = 1 << 20 };

int keep_option_parse(const char *text, struct keep_option *keep, struct err *err)
{
	const char *unit = text ? text + strspn(text, "0123456789.") : "";
	struct err ignored;

	*keep = (struct keep_option){ 0 };
	if (!text)
		return 0;
	if (unit != text && *unit && !opt_parse_duration(text, &keep->ns, &ignored))
		return keep->ns >= LEAST_NS ? 0 : opt_misused(err, "--keep must be at least 1s");
	if (unit != text && *unit && !opt_parse_size(text, &keep->bytes, &ignored))
		return keep->bytes >= LEAST_BYTES ? 0 : opt_misused(err, "--keep must be at least 1M");
	return opt_misused(err, "--keep needs a duration such as 10m or 2h, or a size such as 500M or 2G, not '%.60s'",
			   text);
}
