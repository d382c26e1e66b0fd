// SPDX-License-Identifier: Apache-2.0
/* `inftrace live [PID ...]`: a page that shows what programs do now. Nothing is written to a file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/privilege.h"
#include "capture/recorder/attach/attach.h"
#include "capture/recorder/attach/attach_find.h"
#include "cmd/cmd.h"
#include "cmd/record/live_page.h"
#include "cmd/record/probe_options.h"
#include "cmd/record/record_say.h"
#include "show/term/term.h"

struct live_opts {
	struct live_options page;
	struct probe_options probes;
	struct recorder_plan plan;
};

#define AT(field) offsetof(struct live_opts, field)

static const struct opt live_opt_table[] = {
	LIVE_PAGE_OPTIONS(struct live_opts, page),
	{ 'l', "level", "inference|operator|detail", "level of detail: inferences; also operators; or also shapes",
	  OPT_CHOICE, AT(plan.level), "operator" },
	{ 'i', "interval", "TIME", "time between samples of CPU and memory, and between two updates of the page",
	  OPT_DURATION, AT(plan.interval_ns), "1s" },
	{ 'd', "duration", "TIME", "end after this time; the programs keep running", OPT_PERIOD, AT(plan.duration_ns) },
	PROBE_OPTIONS(struct live_opts, probes),
	{ 0 },
};

static const struct cmd_example examples[] = {
	{ "inftrace live", "every program that has a runtime loaded, now or later" },
	{ "inftrace live 4242", "one program, until it ends or until Ctrl-C" },
	{ "inftrace live --no-browser --port 8080", "a fixed port, for a tunnel: ssh -L 9000:localhost:8080 HOST" },
	{ "inftrace record --live -- python app.py", "a program that is started, without root" },
	{ 0 },
};

static int check(const struct live_opts *opts, struct err *err)
{
	if (opts->plan.interval_ns < 10000000)
		return opt_misused(err, "--interval must be at least 10ms");
	return live_options_check(&opts->page, err);
}

static int add(struct recorder_attach_opts *job, const char *word, struct attach_match *match, struct err *err)
{
	char *end;
	long pid = strtol(word, &end, 10);
	int code;

	if (*end || end == word || pid <= 0 || pid > 1 << 22)
		return opt_misused(
		    err, "'%.60s' is not a PID; inftrace ps lists the programs that have a runtime loaded", word);
	code = attach_find_pid((pid_t)pid, match, err);
	return code ? code : attached_add(job->attached, match->pid, match->start_ticks, err);
}

/* name: what the page is called. */
static int choose(struct recorder_attach_opts *job, int argc, char **argv, char *name, size_t size, struct err *err)
{
	struct attach_match match = { 0 };
	bool was_on = privilege_use(true);
	int code = 0;

	for (int i = 0; i < argc && !code; i++)
		code = add(job, argv[i], &match, err);
	privilege_use(was_on);
	if (argc == 1)
		snprintf(name, size, "%s", match.command);
	else if (argc)
		snprintf(name, size, "%d programs", argc);
	else
		snprintf(name, size, "all programs");
	return code;
}

static int show(const struct live_opts *opts, struct recorder_attach_opts *job, const char *name, struct err *err)
{
	struct names *names = names_new();
	uint32_t last_track = 0;
	const struct live_page_stream stream = {
		.names = names, .last_track = &last_track, .name = name, .interval_ns = opts->plan.interval_ns
	};
	struct recorder_opts recorder_opts = { .plan = opts->plan, .say = record_say(false, false), .command = name };
	struct recorder_result result;
	struct live_page page;
	int code = names ? live_page_open(&page, &opts->page, err) : err_set(err, ENOMEM, "out of memory");

	if (code) {
		names_free(names);
		return code;
	}
	code = live_page_start(&page, &stream, stdout, &recorder_opts, err);
	if (!code)
		code = recorder_attach(&recorder_opts, job, &result, err);
	if (!code && !result.was_interrupted)
		live_page_stay(&page);
	/* the page says which rights are missing; models can be run without them */
	if (code == -EPERM && job->takes_all && page.view) {
		term_say("%s", err->msg);
		live_page_idle(&page, err->msg);
		code = 0;
	}
	live_page_close(&page);
	names_free(names);
	return code;
}

static int run(const void *opaque, int argc, char **argv, struct err *err)
{
	struct live_opts opts = *(const struct live_opts *)opaque;
	struct attached attached = { 0 };
	struct recorder_attach_opts job = { .attached = &attached,
					    .takes_all = !argc,
					    .probes = probe_options_value(&opts.probes) };
	char name[256];
	int code = check(&opts, err);

	opts.page.is_wanted = true;
	if (!code)
		code = attach_check(err);
	if (code)
		return code;
	code = attached_init(&attached, err);
	attached.waits = !argc;
	if (!code)
		code = choose(&job, argc, argv, name, sizeof name, err);
	if (!code)
		code = show(&opts, &job, name, err);
	attached_done(&attached);
	return code;
}

const struct cmd cmd_live = {
	.name = "live",
	.usage = "[options] [PID...]",
	.summary = "show what running programs do now, in a browser",
	.help =
	    "Serves a page that shows the activity of programs with a runtime at this moment: resources, sessions, "
	    "inferences and operators, on the timeline and in the tables of inftrace view. The page is updated once an "
	    "interval. Without a PID, it shows every program that has a runtime loaded and those that load one later. "
	    "Nothing is written to a file; record, attach, next and model show the page as well with --live.\n\n"
	    "The "
	    "last ten minutes are kept, in bounded memory: with little room, older operators are dropped first, then "
	    "inferences; the slowest and the failed inferences of each model stay, with their operators. The report "
	    "counts everything since the start. The page shows how much was left out. It can also start recordings to "
	    "files in this folder: of the next program, of a running one, of a model file.\n\n"
	    "Programs are probed as "
	    "by inftrace attach, with the same rights: root, or the capabilities CAP_BPF, CAP_PERFMON and "
	    "CAP_SYS_PTRACE. The page is for browsers on this machine alone; the first line of output is its address, "
	    "which holds a secret. A slow or closed browser affects neither the programs nor the recording.",
	.examples = examples,
	.opts = live_opt_table,
	.opts_size = sizeof(struct live_opts),
	.min_args = 0,
	.max_args = -1,
	.words = CMD_PIDS,
	.is_privileged = true,
	.run = run,
};
