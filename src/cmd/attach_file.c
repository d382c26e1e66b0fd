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

int attach_file_check(const struct record_options *options, const struct attach_wish *wish, struct err *err)
{
	int code = check_wish(wish, err);

	if (!code)
		code = record_options_check(options, err);
	return code ? code : attach_check(err);
}

int attach_file_record(const struct record_options *options, struct recorder_attach_opts *attach, const char *command,
		       struct err *err)
{
	bool is_quiet = options->quiet;
	struct recording_file file;
	struct recorder_opts opts = {
		.plan = options->plan,
		.sinks = file.sinks,
		.say = record_say(is_quiet, !is_quiet && !options->json),
		.command = command,
	};
	struct recorder_result result;
	bool has_file;
	int code = recording_file_open(&file, options, err);

	if (code)
		return code;
	opts.file = file.fd;
	opts.n_sinks = file.n_sinks;
	opts.usr1 = recording_file_usr1(&file);
	code = recorder_attach(&opts, attach, &result, err);
	if (code) {
		recording_file_drop(&file);
		return code;
	}
	has_file = result.n_processes != 0;
	if (has_file)
		record_summary_close(&file, &result);
	else
		recording_file_drop(&file);
	if (options->json)
		record_summary_json(stdout, has_file ? file.path : NULL, &result, false);
	else if (!has_file && !is_quiet)
		term_say("no program came; nothing was recorded, and no file was kept");
	else if (!is_quiet)
		record_summary_print(stdout, file.path, &result);
	return 0;
}
