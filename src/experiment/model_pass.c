// SPDX-License-Identifier: Apache-2.0
/* Starts the runner under the recorder and waits. Knows no option of it. */
#include "experiment/model_pass.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "capture/recorder/launch.h"

enum { RING_BYTES = 8 << 20, COMMAND = 2000 };

static int go(void *ctx, struct err *err)
{
	return launch_go(ctx, err);
}

static void join(char *text, size_t size, char *const *argv)
{
	size_t used = 0;

	*text = 0;
	for (; *argv && used < size; argv++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "", *argv);
}

static int record(struct model_pass *pass, const struct model_pass_opts *opts, struct launch *launch, struct err *err)
{
	struct target target = { .sysroot = "", .level = opts->level, .interval_ns = opts->interval_ns };
	struct launch_opts launch_opts = { .level = opts->level,
					   .ring_bytes = RING_BYTES,
					   .use_ticks = clock_is_invariant("", NULL),
					   .stdout_is_ours = true };
	char command[COMMAND];
	struct recorder_opts recorder_opts = {
		.fd = opts->fd,
		.command = command,
		.program_reason = launch->reason,
		.version = INFTRACE_VERSION,
	};
	int code = launch_start(launch, &launch_opts, opts->argv, err);

	if (code)
		return code;
	join(command, sizeof command, opts->argv);
	target.pid = launch->pid;
	target.ring_dir = *launch->reason ? NULL : launch->dir;
	return recorder_run(&recorder_opts, &target, go, launch, &pass->recorded, err);
}

int model_pass_run(struct model_pass *pass, const struct model_pass_opts *opts, struct err *err)
{
	struct err trouble;
	struct launch launch;
	int code;

	memset(pass, 0, sizeof *pass);
	pass->path = opts->path;
	code = launch_prepare(&launch, opts->argv, err);
	if (!code)
		code = record(pass, opts, &launch, err);
	launch_done(&launch);
	if (code)
		return code;
	if (run_result_read(opts->result_fd, &pass->run, &trouble)) {
		snprintf(pass->problem, sizeof pass->problem, "%s", trouble.msg);
		return 0;
	}
	if (recording_open(&pass->recording, opts->path, &trouble)) {
		snprintf(pass->problem, sizeof pass->problem, "%s", trouble.msg);
		recording_close(&pass->recording);
	}
	return 0;
}

void model_pass_done(struct model_pass *pass)
{
	run_result_free(&pass->run);
	recording_close(&pass->recording);
	memset(pass, 0, sizeof *pass);
}
