// SPDX-License-Identifier: Apache-2.0
/* The report of `inftrace model`, on standard output and in files. What is in it, src/show decides. */
#include "experiment/model_pages.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/report/reports.h"

int model_pages_open(struct model_pages *pages, const struct model_opts *opts, struct err *err)
{
	int code = 0;

	*pages = (struct model_pages){ .opts = opts };
	if (opts->report.n && !(pages->file = calloc(opts->report.n, sizeof *pages->file)))
		return err_no_memory(err, "cannot write the report");
	for (; !code && pages->n < opts->report.n; pages->n += !code)
		code = output_stream_open(&pages->file[pages->n], opts->report.item[pages->n], opts->force, err);
	if (code)
		model_pages_close(pages);
	return code;
}

int model_pages_write(struct model_pages *pages, const struct model_analysis *analysis,
		      const struct report_look *terminal, struct err *err)
{
	const struct model_opts *opts = pages->opts;
	const struct report report = { .analysis = analysis, .n_analyses = 1 };
	struct report_look look = *terminal;

	report_write(stdout,
		     report_format_named(opts->json	? "json"
					 : opts->format ? opts->format
							: "text"),
		     &report, terminal);
	look.has_color = false;
	look.width = 0;
	for (size_t i = 0; i < pages->n; i++) {
		int code;

		report_write(pages->file[i].out, report_format_of(opts->report.item[i]), &report, &look);
		code = output_stream_close(&pages->file[i], 0, err);
		if (code)
			return code;
	}
	return 0;
}

int model_pages_into(const char *folder, const struct model_analysis *analysis, struct err *err)
{
	static const char *const names[] = { "report.html", "report.json" };
	const struct report report = { .analysis = analysis, .n_analyses = 1 };
	const struct report_look look = { 0 };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		FILE *file;
		bool is_written;

		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		file = fopen(path, "we");
		if (!file)
			return err_set(err, errno, "cannot write %s: %s", path, strerror(errno));
		report_write(file, report_format_of(names[i]), &report, &look);
		is_written = !fflush(file) && !ferror(file);
		if (fclose(file) || !is_written)
			return err_set(err, errno ? errno : EIO, "cannot write %s: %s", path,
				       strerror(errno ? errno : EIO));
	}
	return 0;
}

void model_pages_close(struct model_pages *pages)
{
	for (size_t i = 0; i < pages->n; i++)
		output_stream_drop(&pages->file[i]);
	free(pages->file);
	*pages = (struct model_pages){ 0 };
}
