// SPDX-License-Identifier: Apache-2.0
/* A comparison as one JSON object, doc/diff-json.md. */
#include "show/diff/diff_page.h"
#include "show/json/json_diff.h"

static void write(FILE *out, const struct diff *diff, const struct report_look *look)
{
	struct json json;

	json_init(&json, out);
	json_object(&json, NULL);
	json_diff(&json, diff);
	json_end(&json, '}');
	json_done(&json);
}

extern const struct diff_format diff_as_json;
const struct diff_format diff_as_json = {
	.name = "json",
	.suffix = ".json",
	.help = "every figure, for programs",
	.is_for_terminals = false,
	.write = write,
};
