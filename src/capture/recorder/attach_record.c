// SPDX-License-Identifier: Apache-2.0
/* The file, the recorder and the summary of a recording of programs that run already. Knows no way to see into them. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/proc/namespace.h"
#include "capture/recorder/attach.h"
#include "capture/recorder/record_summary.h"
#include "capture/recorder/recorder.h"

int attach_check(const struct attach_job *job, struct err *err)
{
	const struct attach_wish *wish = &job->wish;
	int code;

	if (wish->name && (!*wish->name || strchr(wish->name, '/')))
		return opt_misused(err, "--name wants a name without folders; a path is given by --path");
	if (wish->path && !*wish->path)
		return opt_misused(err, "--path wants a path");
	code = record_options_check(job->options, err);
	if (!code)
		code = recorder_allow_descriptors(err);
	return code ? code : namespace_check_proc(err);
}

int attach_open(struct attach_job *job, struct err *err)
{
	int fd;

	if (job->file.is_open)
		return 0;
	fd = record_options_open(job->options, &job->file.path, job->file.buf, sizeof job->file.buf, err);
	if (fd < 0)
		return fd;
	job->file.fd = fd;
	job->file.is_open = true;
	return 0;
}

void attach_drop(struct attach_job *job)
{
	struct stat stat_;

	if (!job->file.is_open)
		return;
	/* an older recording is kept that was not begun to be overwritten */
	if (job->file.has_begun || (!fstat(job->file.fd, &stat_) && !stat_.st_size))
		record_options_remove(job->file.fd, job->file.path);
	close(job->file.fd);
	job->file.is_open = false;
}

/* What the file holds is overwritten from now on. */
static int begin(struct attach_job *job, struct err *err)
{
	int code = attach_open(job, err);

	if (code)
		return code;
	job->file.has_begun = true;
	return record_options_begin(job->file.fd, job->file.path, err);
}

int attach_record(struct attach_job *job, struct target *target, const char *needed,
		  int (*go)(void *ctx, struct err *err), void *ctx, struct err *err)
{
	const struct record_options *options = job->options;
	struct recorder_opts opts = {
		.compress = options->compress,
		.has_progress = isatty(STDERR_FILENO) && !options->quiet && !options->json,
		.duration_ns = options->duration_ns,
		.iterations = (uint64_t)options->iterations,
		.command = job->command,
		.program_reason = "",
		.attached = &job->attached,
		.needed = needed,
		.leave = job->leave,
		.version = INFTRACE_VERSION,
	};
	struct recorder_result result;
	int code = begin(job, err);

	target->sysroot = "";
	target->interval_ns = options->interval_ns;
	opts.fd = job->file.fd;
	if (!code)
		code = recorder_run(&opts, target, go, ctx, &result, err);
	if (!code && !result.n_processes && !job->attached.waits && !job->takes_one)
		code = err_set(err, ESRCH, "nothing was recorded: the program had ended before it could be looked at");
	if (code) {
		attach_drop(job);
		return code;
	}
	close(opts.fd);
	job->file.is_open = false;
	if (options->json)
		record_summary_json(stdout, job->file.path, &result, false);
	else if (!options->quiet)
		record_summary_print(stdout, job->file.path, &result);
	return 0;
}
