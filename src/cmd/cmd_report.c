// SPDX-License-Identifier: Apache-2.0
/* `inftrace report FILE`: reads a recording and prints what it says, as a page or as JSON. Computes nothing itself. */
#include <string.h>

#include "analyze/insight/recorded.h"
#include "analyze/summary/recording.h"
#include "cmd/cmd.h"
#include "show/report/reports.h"
#include "show/term/term.h"

struct report_opts {
	const char *format;
	bool json, all, ascii;
};

static const struct opt report_opt_table[] = {
	{ 'f', "format", REPORT_NAMES, "how to print it", OPT_CHOICE, offsetof(struct report_opts, format), "text" },
	{ 0, "json", NULL, "the same as --format json", OPT_FLAG, offsetof(struct report_opts, json) },
	{ 'a', "all", NULL, "show every operator, session and process, not the most important ones", OPT_FLAG,
	  offsetof(struct report_opts, all) },
	{ 0, "ascii", NULL, "print nothing but ASCII; by default where the locale says so", OPT_FLAG,
	  offsetof(struct report_opts, ascii) },
	{ 0 },
};

static int print(const struct report_opts *opts, const struct summary *summary, struct err *err)
{
	struct report_look look = {
		.has_color = *term_style(stdout, TERM_BOLD) != 0,
		.is_ascii = opts->ascii || term_wants_ascii(),
		.is_all = opts->all,
		.width = term_page_width(),
	};

	struct recorded recorded;
	int code = recorded_init(&recorded, summary, err);
	const struct report report = { summary, recorded.model, recorded.n };

	if (!code)
		report_write(stdout, report_format_named(opts->json ? "json" : opts->format), &report, &look);
	recorded_done(&recorded);
	return code;
}

static int report_run(const void *opts, int argc, char **argv, struct err *err)
{
	struct recording recording;
	int code = recording_open(&recording, argv[0], err);

	if (!code)
		code = print(opts, recording.summary, err);
	recording_close(&recording);
	return code;
}

const struct cmd cmd_report = {
	.name = "report",
	.usage = "[options] FILE",
	.summary = "say what a recording holds, on a page",
	.help = "The first sentence is the answer; the sections below it say what ran, how session creation and "
		"inferences divide into "
		"their parts, which operators take the time, what it cost in CPU and memory, and what is missing from "
		"the recording.\n\n"
		"Figures: percentiles are nearest ranks; a mean comes with its 95 % confidence interval; the first "
		"inference of each "
		"session, failed ones and those cut off are counted apart. Shares are of the wall time of inferences, "
		"and add up: what no "
		"operator explains is unattributed.\n\n"
		"FILE is a recording of inftrace, or a file that inftrace import reads: a profile of ONNX Runtime or "
		"QNN, or another Perfetto trace. - is standard input.",
	.examples =
	    (const struct cmd_example[]){
		{ "inftrace report inftrace.pftrace", "the page" },
		{ "inftrace report --all inftrace.pftrace | less -R", "with every operator" },
		{ "inftrace report --json inftrace.pftrace | jq .models[0].inferences.latency.p99_ns", "one number" },
		{ 0 },
	    },
	.opts = report_opt_table,
	.opts_size = sizeof(struct report_opts),
	.min_args = 1,
	.max_args = 1,
	.run = report_run,
};
