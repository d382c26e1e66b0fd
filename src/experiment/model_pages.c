// SPDX-License-Identifier: Apache-2.0
/* The report of `inftrace model`, on standard output and in files. What is in it, src/show decides. */
#include "experiment/model_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/invoker.h"
#include "show/report/reports.h"

int model_pages_open(struct model_pages *pages, const struct model_opts *opts, struct err *err)
{
	*pages = (struct model_pages){ .opts = opts };
	for (size_t i = 0; i < opts->report.n; i++) {
		const char *path = opts->report.item[i];
		int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_EXCL, 0666), code;

		pages->is_new[i] = fd >= 0;
		if (fd >= 0)
			invoker_give(fd);
		if (fd < 0 && errno == EEXIST && opts->force)
			fd = open(path, O_WRONLY | O_CLOEXEC);
		pages->file[i] = fd >= 0 ? fdopen(fd, "w") : NULL;
		code = errno;
		if (!pages->file[i]) {
			model_pages_close(pages, true);
			return code == EEXIST
				   ? err_set(err, code, "cannot write %s: it exists already (--force overwrites it)",
					     path)
				   : err_set(err, code, "cannot write %s: %s", path, strerror(code));
		}
		pages->n++;
	}
	return 0;
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
		errno = 0;
		/* what was there before stays until now */
		if (!pages->is_new[i] && ftruncate(fileno(pages->file[i]), 0) && errno != EINVAL)
			return err_set(err, errno, "cannot overwrite %s: %s", opts->report.item[i], strerror(errno));
		report_write(pages->file[i], report_format_of(opts->report.item[i]), &report, &look);
		if (fflush(pages->file[i]) || ferror(pages->file[i]))
			return err_set(err, errno ? errno : EIO, "cannot write %s: %s", opts->report.item[i],
				       strerror(errno ? errno : EIO));
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

void model_pages_close(struct model_pages *pages, bool is_failed)
{
	for (size_t i = 0; i < pages->n; i++) {
		fclose(pages->file[i]);
		if (is_failed && pages->is_new[i])
			unlink(pages->opts->report.item[i]);
	}
	pages->n = 0;
}
