// SPDX-License-Identifier: Apache-2.0
/* Reads both sides of a comparison from their JSON. Compares nothing itself. */
#include "experiment/model_baseline.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "show/report/reports.h"

int model_baseline_read(struct model_baseline *to, const char *path, struct arena *arena, struct err *err)
{
	char inside[PATH_MAX];
	const char *file = path;
	struct stat own;
	int code;

	if (!stat(path, &own) && S_ISDIR(own.st_mode)) {
		snprintf(inside, sizeof inside, "%s/report.json", path);
		file = inside;
	}
	code = diff_read(&to->before, file, arena, err);
	if (!to->before.is_result && !access(file, R_OK))
		code = err_set(err, EINVAL, "cannot use %s as --baseline: it is %s; give the JSON of inftrace model",
			       file, code ? "no report" : "a recording");
	to->before.path = path;
	return code;
}

int model_baseline_compare(struct model_baseline *to, const struct model_analysis *analysis, double threshold,
			   struct arena *arena, struct err *err)
{
	const struct report report = { .analysis = analysis, .n_analyses = 1 };
	const struct diff_side before = { &to->before, 1 }, now = { &to->now, 1 };
	const struct diff_opts opts = { .threshold = threshold, .minimum = DIFF_MINIMUM };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int code;

	if (out)
		report_write(out, report_format_named("json"), &report, NULL);
	if (!out || fclose(out))
		code = err_no_memory(err, "cannot compare");
	else
		code = diff_result_of(&to->now, text, len, arena, err);
	free(text);
	return code ? code : diff_make(&to->diff, &before, &now, &opts, arena, err);
}
