// SPDX-License-Identifier: Apache-2.0
/* Where reports of a program go: names of files, frames, and what cannot be written. */
#include "show/handle/report_out.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"

#define OFFSET 1700000000123000000

static struct inftrace_report report_of(const char *model, const char *text)
{
	return (struct inftrace_report){ .size = sizeof(struct inftrace_report),
					 .model = model,
					 .text = text,
					 .text_len = strlen(text),
					 .n_samples = 2,
					 .from_ns = 1000000,
					 .to_ns = 2000000,
					 .n_lost = 3 };
}

static void put(struct report_out *out, const char *model)
{
	struct inftrace_report report = report_of(model, "a,b\n");
	struct err err = { 0 };

	if (report_out_put(out, &report, OFFSET, &err))
		fail_msg("%s", err.msg);
}

static int no_dots(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* "a b c", sorted; removes them. */
static void take_files(const char *dir, char *text, size_t size)
{
	struct dirent **found;
	int n = scandir(dir, &found, no_dots, alphasort);
	char path[400];

	*text = 0;
	for (int i = 0; i < n; i++) {
		snprintf(text + strlen(text), size - strlen(text), "%s%s", i ? " " : "", found[i]->d_name);
		snprintf(path, sizeof path, "%s/%s", dir, found[i]->d_name);
		unlink(path);
		free(found[i]);
	}
	free(found);
	rmdir(dir);
}

TEST(files_are_called_by_model_and_number)
{
	char dir[] = "/tmp/report-out-XXXXXX", text[1000];
	struct report_out out = { .dir = mkdtemp(dir), .is_numbered = true };

	assert_int_equal(report_out_open(&out, NULL), 0);
	put(&out, "net");
	put(&out, "net");
	put(&out, "../etc/pass wd");
	put(&out, "___etc_pass_wd"); /* another model, the same characters */
	put(&out, "NET");
	put(&out, "");
	report_out_done(&out);
	take_files(dir, text, sizeof text);
	assert_string_equal(text, "NET-2-000001-latency.txt _._etc_pass_wd-000001-latency.txt "
				  "___etc_pass_wd-000001-latency.txt net-000001-latency.txt net-000002-latency.txt "
				  "unknown-000001-latency.txt");
}

TEST(a_file_that_exists_is_left_alone)
{
	char dir[] = "/tmp/report-out-XXXXXX", text[1000];
	struct report_out out = { .dir = mkdtemp(dir) };
	struct inftrace_report report = report_of("net", "a,b\n");
	struct err err = { 0 };

	put(&out, "net");
	assert_int_equal(report_out_put(&out, &report, OFFSET, &err), -EEXIST);
	assert_non_null(strstr(err.msg, "/net-latency.txt: it exists already"));
	out.may_overwrite = true;
	put(&out, "net");
	report_out_done(&out);
	take_files(dir, text, sizeof text);
	assert_string_equal(text, "net-latency.txt");
}

TEST(what_does_not_fit_leaves_no_half_file)
{
	char dir[] = "/tmp/report-out-XXXXXX", text[1000];
	struct report_out out = { .dir = mkdtemp(dir) };
	struct inftrace_report report = report_of("net", "more than eight bytes\n");
	struct rlimit before, small;
	struct err err = { 0 };

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small = (struct rlimit){ 8, before.rlim_max };
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(report_out_put(&out, &report, OFFSET, &err), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	report_out_done(&out);
	take_files(dir, text, sizeof text);
	assert_string_equal(text, "");
}

TEST(an_old_report_stays_where_the_new_one_does_not_fit)
{
	char dir[] = "/tmp/report-out-XXXXXX", text[1000];
	struct report_out out = { .dir = mkdtemp(dir), .may_overwrite = true };
	struct inftrace_report report = report_of("net", "more than eight bytes\n");
	struct rlimit before, small;
	struct err err = { 0 };

	put(&out, "net");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small = (struct rlimit){ 8, before.rlim_max };
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(report_out_put(&out, &report, OFFSET, &err), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	report_out_done(&out);
	take_files(dir, text, sizeof text);
	assert_string_equal(text, "net-latency.txt");
}

TEST(a_stream_has_a_line_before_each_report)
{
	struct report_out out = { .is_json = false };
	char *text = NULL;
	size_t size = 0;

	out.stream = open_memstream(&text, &size);
	put(&out, "a \"net\"");
	out.is_json = true;
	put(&out, "net");
	fclose(out.stream);
	assert_string_equal(text, "inftrace-report bytes=4 type=latency samples=2 lost=3 to=2023-11-14T22:13:20.125Z "
				  "model=\"a \\\"net\\\"\"\na,b\n\n"
				  "{\"model\": \"net\", \"type\": \"latency\", \"samples\": 2, "
				  "\"from\": \"2023-11-14T22:13:20.124Z\", \"to\": \"2023-11-14T22:13:20.125Z\", "
				  "\"from_ns\": 1000000, \"to_ns\": 2000000, \"lost\": 3, \"note\": null, "
				  "\"text\": \"a,b\\n\"}\n");
	free(text);
	report_out_done(&out);
}

TEST(a_full_disk_behind_the_stream_is_an_error)
{
	struct report_out out = { .stream = fopen("/dev/full", "w") };
	struct inftrace_report report = report_of("net", "a,b\n");
	struct err err = { 0 };

	assert_int_equal(report_out_put(&out, &report, OFFSET, &err), -ENOSPC);
	assert_string_equal(err.msg, "cannot write to standard output: No space left on device");
	fclose(out.stream);
	report_out_done(&out);
}
