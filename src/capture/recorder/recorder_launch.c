// SPDX-License-Identifier: Apache-2.0
/* Ties launch.c to the recorder. Does not choose what is recorded or where it goes. */
#include "capture/recorder/recorder_launch.h"

#include "base/clock.h"

static int go(void *ctx, struct err *err)
{
	return launch_go(ctx, err);
}

int recorder_launch(const struct recorder_opts *opts, const struct recorder_launch_opts *launch_opts,
		    struct launch *launch, struct recorder_result *result, struct err *err)
{
	const struct launch_opts start = { .level = opts->plan.level,
					   .ring_bytes = launch_opts->ring_bytes,
					   .kernels = recorder_wants_kernels(&opts->plan),
					   .graph_nodes = opts->plan.graph_nodes,
					   .use_ticks = clock_is_invariant("", NULL),
					   .stdout_is_ours = launch_opts->stdout_is_ours,
					   .stdio = launch_opts->stdio };
	bool has_agent = !*launch->reason;
	struct recorder_way way = { .go = go,
				    .ctx = launch,
				    .waits = launch_opts->waits,
				    .program_reason = has_agent ? NULL : launch->reason };
	int code;

	if (!has_agent)
		say_warning(&opts->say, "%s: only CPU and memory are recorded: %s", launch_opts->argv[0],
			    launch->reason);
	code = launch_start(launch, &start, launch_opts->argv, err);
	if (code)
		return code;
	way.target.pid = launch->pid;
	way.target.ring_dir = has_agent ? launch->dir : NULL;
	way.target.ring_bytes = launch_opts->ring_bytes;
	return recorder_run(opts, &way, result, err);
}
