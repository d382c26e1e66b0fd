// SPDX-License-Identifier: Apache-2.0
/* The file, the recorder and the summary of a recording of programs that run already. Knows no way to see into them. */
#include "cmd/attach.h"

#include "cmd/cmd.h"
#include "cmd/record_summary.h"
#include "cmd/recorder.h"

#include <unistd.h>

int attach_record(struct attach_job *job, struct target *target, const char *needed, int (*go)(void *ctx, struct err *err), void *ctx,
		  struct err *err)
{
	const struct record_options *options = job->options;
	struct recorder_opts opts = {
		.compress = options->compress, .has_progress = isatty(STDERR_FILENO) && !options->quiet && !options->json,
		.duration_ns = options->duration_ns,
		.iterations = (uint64_t)options->iterations, .command = job->command, .program_reason = "",
		.attached = &job->attached, .needed = needed, .leave = job->leave, .version = INFTRACE_VERSION,
	};
	struct recorder_result result;
	const char *path;
	char buf[64];
	int code;

	target->sysroot = "";
	target->interval_ns = options->interval_ns;
	opts.fd = record_options_open(options, &path, buf, sizeof buf, err);
	if (opts.fd < 0)
		return opts.fd;
	code = recorder_run(&opts, target, go, ctx, &result, err);
	close(opts.fd);
	if (code) {
		unlink(path);
		return code;
	}
	if (options->json)
		record_summary_json(stdout, path, &result, false);
	else if (!options->quiet)
		record_summary_print(stdout, path, &result);
	return CMD_DONE;
}
