// SPDX-License-Identifier: Apache-2.0
/* Files of --report: they have names when they are complete, and a file that was there stays until then. */
#include "experiment/model_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "analyze/insight/insight.h"
#include "cases.h"
#include "model_sample.h"

struct made {
	struct sample *sample;
	struct model_analysis *analysis;
	struct model_opts opts;
	char folder[64], path[96];
};

static void make(struct made *made)
{
	*made = (struct made){ .sample = sample_new(), .folder = "/tmp/inftrace-pages-XXXXXX" };
	assert_non_null(mkdtemp(made->folder));
	snprintf(made->path, sizeof made->path, "%s/report.json", made->folder);
	made->analysis = insights_analyse(&made->sample->report, NULL);
	made->opts.report.item[made->opts.report.n++] = made->path;
}

static void done(struct made *made)
{
	unlink(made->path);
	assert_int_equal(rmdir(made->folder), 0);
	model_analysis_free(made->analysis);
	free(made->sample);
}

/* What would go to standard output is dropped. */
static int write_pages(struct made *made, bool is_full)
{
	const struct report_look look = { 0 };
	struct rlimit all = { 0 }, none = { 0 };
	struct model_pages pages;
	struct err err;
	int terminal, nothing;
	int code = model_pages_open(&pages, &made->opts, &err);

	if (code)
		return code;
	fflush(stdout);
	terminal = dup(STDOUT_FILENO);
	nothing = open("/dev/null", O_WRONLY);
	assert_int_equal(dup2(nothing, STDOUT_FILENO), STDOUT_FILENO);
	getrlimit(RLIMIT_FSIZE, &all);
	none.rlim_max = all.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	if (is_full)
		setrlimit(RLIMIT_FSIZE, &none);
	code = model_pages_write(&pages, made->analysis, &look, &err);
	setrlimit(RLIMIT_FSIZE, &all);
	fflush(stdout);
	dup2(terminal, STDOUT_FILENO);
	close(terminal);
	close(nothing);
	model_pages_close(&pages);
	return code;
}

static long size_of(const char *path)
{
	FILE *file = fopen(path, "r");
	long size = -1;

	if (file && !fseek(file, 0, SEEK_END))
		size = ftell(file);
	if (file)
		fclose(file);
	return size;
}

TEST(a_report_has_a_name_when_it_is_complete)
{
	struct model_pages pages;
	struct err err;
	struct made made;

	make(&made);
	assert_int_equal(model_pages_open(&pages, &made.opts, &err), 0);
	assert_int_equal(size_of(made.path), -1);
	model_pages_close(&pages);
	assert_int_equal(size_of(made.path), -1);
	assert_int_equal(write_pages(&made, true), -EFBIG);
	assert_int_equal(size_of(made.path), -1);
	assert_int_equal(write_pages(&made, false), 0);
	assert_true(size_of(made.path) > 1000);
	done(&made);
}

TEST(an_old_report_stays_where_there_is_no_room_for_the_new_one)
{
	struct made made;
	long size;

	make(&made);
	assert_int_equal(write_pages(&made, false), 0);
	size = size_of(made.path);
	assert_int_equal(write_pages(&made, false), -EEXIST);
	made.opts.force = true;
	assert_int_equal(write_pages(&made, true), -EFBIG);
	assert_int_equal(size_of(made.path), size);
	assert_int_equal(write_pages(&made, false), 0);
	done(&made);
}
