// SPDX-License-Identifier: Apache-2.0
/* The report of `inftrace model`, on standard output and in files. What is in it is in src/export. */
#include "experiment/model_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "show/report/export_model.h"

/* One row for each format and each ending of a file's name. What is not among them is text. */
static const struct format {
	const char *name, *suffix; /* suffix NULL: only by its name */
	void (*write)(FILE *out, const struct model_analysis *analysis);
} formats[] = {
	{ "json", ".json", export_model_json },
	{ "csv", ".csv", export_model_csv_runs },
	{ "csv-operators", NULL, export_model_csv_operators },
	{ "html", ".html", export_model_html },
	{ "html", ".htm", export_model_html },
};

enum { N_FORMATS = sizeof formats / sizeof *formats };

static const struct format *format_named(const char *name)
{
	for (size_t i = 0; i < N_FORMATS; i++)
		if (!strcmp(name, formats[i].name))
			return &formats[i];
	return NULL;
}

static const struct format *format_of_file(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < N_FORMATS; i++) {
		size_t suffix = formats[i].suffix ? strlen(formats[i].suffix) : len;
		if (len > suffix && !strcmp(path + len - suffix, formats[i].suffix))
			return &formats[i];
	}
	return NULL;
}

int model_pages_open(struct model_pages *pages, const struct model_opts *opts, struct err *err)
{
	*pages = (struct model_pages){ .opts = opts };
	for (size_t i = 0; i < opts->report.n; i++) {
		const char *path = opts->report.item[i];
		int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_EXCL, 0666), code;

		pages->is_new[i] = fd >= 0;
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

static void write_page(FILE *file, const struct format *format, const struct model_analysis *analysis,
		       const struct export_opts *look)
{
	if (format)
		format->write(file, analysis);
	else
		export_model_text(file, analysis, look);
}

int model_pages_write(struct model_pages *pages, const struct model_analysis *analysis,
		      const struct export_opts *terminal, struct err *err)
{
	const struct model_opts *opts = pages->opts;
	struct export_opts look = *terminal;

	write_page(stdout, format_named(opts->json ? "json" : opts->format), analysis, terminal);
	look.has_color = false;
	look.width = 0;
	for (size_t i = 0; i < pages->n; i++) {
		errno = 0;
		/* what was there before stays until now */
		if (!pages->is_new[i] && ftruncate(fileno(pages->file[i]), 0) && errno != EINVAL)
			return err_set(err, errno, "cannot overwrite %s: %s", opts->report.item[i], strerror(errno));
		write_page(pages->file[i], format_of_file(opts->report.item[i]), analysis, &look);
		if (fflush(pages->file[i]) || ferror(pages->file[i]))
			return err_set(err, errno ? errno : EIO, "cannot write %s: %s", opts->report.item[i],
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
