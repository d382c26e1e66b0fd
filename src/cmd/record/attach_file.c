// SPDX-License-Identifier: Apache-2.0
/* Ties options, file, recorder and summary together for attach and next. Chooses no program. */
#include "cmd/record/attach_file.h"

#include <stdio.h>
#include <string.h>

#include "cmd/record/record_lines.h"
#include "cmd/record/record_say.h"
#include "cmd/record/record_summary.h"
#include "cmd/record/recording_file.h"
#include "show/term/term.h"

static int check_wish(const struct attach_wish *wish, struct err *err)
{
	if (wish->name && (!*wish->name || strchr(wish->name, '/')))
		return opt_misused(err, "--name needs a name without folders; give a path by --path");
	if (wish->path && !*wish->path)
		return opt_misused(err, "--path needs a path");
	return 0;
}

int attach_file_check(const struct record_options *options, const struct live_options *live,
		      const struct attach_wish *wish, struct err *err)
{
	int code = check_wish(wish, err);

	if (!code)
		code = record_options_check(options, err);
	if (!code && live)
		code = live_options_check(live, err);
	return code ? code : attach_check(err);
}

/* A recording in the making. */
struct job {
	const struct record_options *options;
	struct recorder_attach_opts *attach;
	const char *command;
	struct recording_file file;
	struct record_lines lines;
	struct live_page page;
	struct recorder_result result;
};

/* Into a file that is open. */
static int record(struct job *job, struct err *err)
{
	const struct record_options *options = job->options;
	const struct live_page_stream stream = recording_file_stream(&job->file, options, job->command);
	struct recorder_opts opts = {
		.plan = record_options_plan(options),
		.say = record_say(options->quiet, !options->quiet && !options->json),
		.command = job->command,
		.file = job->file.fd,
		.usr1 = recording_file_usr1(&job->file),
	};
	int code = record_lines_open(&job->lines, options->progress, &job->file.path, err);

	record_lines_join(&job->lines, &opts.say);
	if (!code)
		code = live_page_start(&job->page, &stream, stderr, &opts, err);
	if (!code)
		code = recorder_attach(&opts, job->attach, &job->result, err);
	if (!code && !job->result.was_interrupted)
		live_page_stay(&job->page);
	live_page_close(&job->page);
	record_lines_close(&job->lines);
	return code;
}

static void say_end(struct job *job)
{
	const struct record_options *options = job->options;
	bool has_file = job->result.n_processes != 0;

	if (has_file)
		record_summary_close(&job->file, &job->result);
	else
		recording_file_drop(&job->file);
	if (options->json)
		record_summary_json(stdout, has_file ? job->file.path : NULL, &job->result, false);
	else if (!has_file && !options->quiet)
		term_say("no program started; nothing was recorded, and no file was kept");
	else if (!options->quiet)
		record_summary_print(stdout, job->file.path, &job->result);
}

int attach_file_record(const struct record_options *options, const struct live_options *live,
		       struct recorder_attach_opts *attach, const char *command, struct err *err)
{
	struct job job = { .options = options, .attach = attach, .command = command };
	int code = live_page_open(&job.page, live, err);

	if (code)
		return code;
	code = recording_file_open(&job.file, options, err);
	if (code) {
		live_page_close(&job.page);
		return code;
	}
	code = record(&job, err);
	if (code)
		recording_file_drop(&job.file);
	else
		say_end(&job);
	return code;
}
