// SPDX-License-Identifier: Apache-2.0
/* Ties options, file, recorder and summary together for attach and next. Chooses no program. */
#include "cmd/attach_file.h"

#include <stdio.h>
#include <string.h>

#include "cmd/record_say.h"
#include "cmd/record_summary.h"
#include "cmd/recording_file.h"
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
	if (!code)
		code = live_options_check(live, err);
	return code ? code : attach_check(err);
}

/* Into a file that is open. */
static int record(struct recording_file *file, const struct record_options *options, struct live_page *page,
		  struct recorder_attach_opts *attach, const char *command, struct recorder_result *result,
		  struct err *err)
{
	const struct live_page_stream stream = recording_file_stream(file, options, command);
	struct recorder_opts opts = {
		.plan = options->plan,
		.say = record_say(options->quiet, !options->quiet && !options->json),
		.command = command,
		.file = file->fd,
		.usr1 = recording_file_usr1(file),
	};
	int code = live_page_start(page, &stream, stderr, &opts, err);

	if (!code)
		code = recorder_attach(&opts, attach, result, err);
	if (!code && !result->was_interrupted)
		live_page_stay(page);
	live_page_close(page);
	return code;
}

static void say_end(struct recording_file *file, const struct record_options *options, struct recorder_result *result)
{
	bool has_file = result->n_processes != 0;

	if (has_file)
		record_summary_close(file, result);
	else
		recording_file_drop(file);
	if (options->json)
		record_summary_json(stdout, has_file ? file->path : NULL, result, false);
	else if (!has_file && !options->quiet)
		term_say("no program came; nothing was recorded, and no file was kept");
	else if (!options->quiet)
		record_summary_print(stdout, file->path, result);
}

int attach_file_record(const struct record_options *options, const struct live_options *live,
		       struct recorder_attach_opts *attach, const char *command, struct err *err)
{
	struct recording_file file;
	struct recorder_result result;
	struct live_page page;
	int code = live_page_open(&page, live, err);

	if (code)
		return code;
	code = recording_file_open(&file, options, err);
	if (code) {
		live_page_close(&page);
		return code;
	}
	code = record(&file, options, &page, attach, command, &result, err);
	if (code)
		recording_file_drop(&file);
	else
		say_end(&file, options, &result);
	return code;
}
