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
	char file[PATH_MAX];
	enum diff_source source;
	struct stat own;
	int code;

	snprintf(file, sizeof file, "%s%s", path, !stat(path, &own) && S_ISDIR(own.st_mode) ? "/report.json" : "");
	code = diff_read(&to->before, &(const char *){ file }, 1, arena, err);
	source = to->before.n_runs ? to->before.runs->source : DIFF_OF_RECORDING;
	if (source != DIFF_OF_RESULT && !access(file, R_OK))
		code = err_set(err, EINVAL, "cannot use %s as --baseline: it %s; give the JSON of inftrace model", file,
			       code			 ? "is no report"
			       : source == DIFF_OF_WATCH ? "has rows of inftrace watch"
							 : "is a recording");
	if (to->before.n_runs)
		to->before.runs->path = path;
	return code;
}

int model_baseline_compare(struct model_baseline *to, const struct model_analysis *analysis, double threshold,
			   struct arena *arena, struct err *err)
{
	const struct report report = { .analysis = analysis, .n_analyses = 1 };
	const struct diff_side now = { &to->now, 1 };
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
	return code ? code : diff_make(&to->diff, &to->before, &now, &opts, arena, err);
}
