// SPDX-License-Identifier: Apache-2.0
/*
 * `inftrace record -- CMD`: starts a program with the agent in it and records it. The exit status is the program's own.
 * Messages go to standard error, because standard output is the program's; there is no line of progress, because the
 * program prints to the same terminal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/recorder/recorder_launch.h"
#include "cmd/cmd.h"
#include "cmd/record/end_as.h"
#include "cmd/record/live_page.h"
#include "cmd/record/record_lines.h"
#include "cmd/record/record_options.h"
#include "cmd/record/record_say.h"
#include "cmd/record/record_summary.h"
#include "cmd/record/recording_file.h"

struct record_opts {
	struct record_options shared;
	struct live_options live;
	uint64_t ring_bytes;
	bool waits;
};

static const struct opt record_opt_table[] = {
	RECORD_OPTIONS(struct record_opts, shared),
	{ 0, "wait", NULL, "record until the processes that the program has started have ended, too: daemons, jobs",
	  OPT_FLAG, offsetof(struct record_opts, waits) },
	{ 0, "ring-size", "SIZE", "largest buffer per thread for events not yet written to the file", OPT_SIZE,
	  offsetof(struct record_opts, ring_bytes), "8M" },
	{ 0, NULL, NULL, "Live page:" },
	LIVE_OPTIONS(struct record_opts, live),
	{ 0 },
};

static const struct cmd_example examples[] = {
	{ "inftrace record -- python app.py", "record a Python program" },
	{ "inftrace record -l detail -o slow.pftrace -- node server.js",
	  "also shapes, waits and page faults, to a file of that name" },
	{ "inftrace record -l inference -d 1m -- ./server", "only inferences, and only the first minute" },
	{ "inftrace record --wait -- ./server --daemon", "a program that continues in the background" },
	{ "inftrace record --max-size 500M -- ./server", "at most about 500 MiB" },
	{ "inftrace record --keep 10m -- ./server", "for as long as it runs; the newest ten minutes are kept" },
	{ "inftrace record --keep 2m --dump-when 'p99>50ms,error' -- ./server",
	  "also a separate file whenever it gets slow or fails" },
	{ "inftrace record --live -- python app.py", "watch it in a browser while it is recorded" },
	{ "inftrace report inftrace.pftrace", "then print the report" },
	{ 0 },
};

static char *join(char **argv, size_t max)
{
	size_t size = 1;
	char *text, *to;

	for (char **word = argv; *word; word++)
		size += strlen(*word) + 1;
	text = to = malloc(size);
	for (char **word = argv; text && *word; word++) {
		if (word != argv)
			*to++ = ' ';
		to = stpcpy(to, *word);
	}
	if (text && size > max)
		text[max] = 0;
	return text;
}

/* A recording in the making. */
struct job {
	const struct record_opts *opts;
	char **argv;
	struct launch *launch;
	struct recording_file file;
	struct record_lines lines;
	struct live_page page;
	struct recorder_result result;
};

/* Into a file that is open. */
static int record(struct job *job, struct err *err)
{
	const struct record_options *shared = &job->opts->shared;
	char *command = join(job->argv, 4000);
	struct recorder_opts recorder_opts = {
		.plan = record_options_plan(shared),
		.usr1 = recording_file_usr1(&job->file),
		.file = job->file.fd,
		.say = record_say(shared->quiet, false),
		.command = command ? command : job->argv[0],
	};
	const struct recorder_launch_opts launch_opts = { .argv = job->argv,
							  .ring_bytes = job->opts->ring_bytes,
							  .waits = job->opts->waits };
	const struct live_page_stream stream = recording_file_stream(&job->file, shared, recorder_opts.command);
	int code = record_lines_open(&job->lines, shared->progress, &job->file.path, err);

	record_lines_join(&job->lines, &recorder_opts.say);
	if (!code)
		code = live_page_start(&job->page, &stream, stderr, &recorder_opts, err);
	if (!code)
		code = recorder_launch(&recorder_opts, &launch_opts, job->launch, &job->result, err);
	if (!code && !job->result.was_interrupted)
		live_page_stay(&job->page);
	live_page_close(&job->page);
	record_lines_close(&job->lines);
	free(command);
	return code;
}

static int record_to_file(const struct record_opts *opts, char **argv, struct launch *launch, struct err *err)
{
	struct job job = { .opts = opts, .argv = argv, .launch = launch };
	int code = live_page_open(&job.page, &opts->live, err);

	if (code)
		return code;
	code = recording_file_open(&job.file, &opts->shared, err);
	if (code) {
		live_page_close(&job.page);
		return code;
	}
	code = record(&job, err);
	if (code) {
		recording_file_drop(&job.file);
		return code;
	}
	record_summary_close(&job.file, &job.result);
	if (opts->shared.json)
		record_summary_json(stderr, job.file.path, &job.result, true);
	else if (!opts->shared.quiet)
		record_summary_print(stderr, job.file.path, &job.result);
	launch_done(launch);
	return end_as(job.result.wait_status);
}

static int run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct record_opts *opts = opaque;
	struct launch launch;
	int code = record_options_check(&opts->shared, err);

	if (!code)
		code = record_options_check_ring(opts->ring_bytes, err);
	if (!code)
		code = live_options_check(&opts->live, err);
	if (code)
		return code;
	code = launch_prepare(&launch, argv, err);
	if (!code)
		code = record_to_file(opts, argv, &launch, err);
	launch_done(&launch);
	return code;
}

const struct cmd cmd_record = {
	.name = "record",
	.usage = "[options] [--] CMD [ARG...]",
	.summary = "start a program and record what its models do",
	.help = "Starts CMD with a small library preloaded. The library finds ONNX Runtime, OpenVINO, llama.cpp, "
		"LiteRT or PyTorch in any binding, and records sessions, inferences and operators, with CPU and memory "
		"of the process and its children, into a Perfetto trace. The program needs no change and no special "
		"build. Standard output belongs to the program alone.\n\n"
		"The exit status is the program's own; 2 on a "
		"usage error, 3 when the program could not be started.",
	.examples = examples,
	.opts = record_opt_table,
	.opts_size = sizeof(struct record_opts),
	.order = OPT_FIRST,
	.min_args = 1,
	.max_args = -1,
	.run = run,
};
