// SPDX-License-Identifier: Apache-2.0
/* Starts the runner under the recorder and waits. Knows no option of it. */
#include "experiment/model_pass.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/recorder/recorder_launch.h"
#include "trace/perfetto/perfetto_write.h"

enum { RING_BYTES = 8 << 20, COMMAND = 2000 };

static void join(char *text, size_t size, char *const *argv)
{
	size_t used = 0;

	*text = 0;
	for (; *argv && used < size; argv++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "", *argv);
}

static int record_to(struct sink *file, struct model_pass *pass, const struct model_pass_opts *opts,
		     struct launch *launch, struct err *err)
{
	const struct model_watch *watch = opts->watch;
	struct sink *sinks[1 + MODEL_WATCH_SINKS] = { file };
	char command[COMMAND];
	struct recorder_opts recorder_opts = {
		.plan = opts->plan, .sinks = sinks, .n_sinks = 1, .say = *opts->say, .command = command
	};
	const struct recorder_launch_opts launch_opts = { .argv = opts->argv,
							  .ring_bytes = RING_BYTES,
							  .stdout_is_ours = true };

	for (size_t i = 0; watch && i < watch->n_sinks && i < MODEL_WATCH_SINKS; i++)
		sinks[recorder_opts.n_sinks++] = watch->sinks[i];
	if (watch)
		recorder_opts.guest = watch->guest;
	join(command, sizeof command, opts->argv);
	return recorder_launch(&recorder_opts, &launch_opts, launch, &pass->recorded, err);
}

static int record(struct model_pass *pass, const struct model_pass_opts *opts, struct launch *launch, struct err *err)
{
	struct names *own = opts->watch ? NULL : names_new(), *names = opts->watch ? opts->watch->names : own;
	struct perfetto_writer *writer = NULL;
	uint32_t own_track = 0;
	int code = -ENOMEM;

	if (names)
		writer =
		    perfetto_write_new(opts->fd, names, opts->watch ? opts->watch->last_track : &own_track, NULL, err);
	else
		err_no_memory(err, "cannot record");
	if (writer)
		code = record_to(perfetto_write_sink(writer), pass, opts, launch, err);
	perfetto_write_free(writer, NULL);
	names_free(own);
	return code;
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
