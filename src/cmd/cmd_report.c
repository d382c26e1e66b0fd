// SPDX-License-Identifier: Apache-2.0
/* `inftrace report [FILE]`: reads a recording and prints what it says, in one of the formats. Computes nothing itself.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/insight/recorded.h"
#include "analyze/summary/recording.h"
#include "base/output.h"
#include "base/text/printable.h"
#include "cmd/cmd.h"
#include "cmd/record/find_recording.h"
#include "cmd/record/page_file.h"
#include "show/report/reports.h"
#include "show/term/pager.h"
#include "show/term/term.h"

struct report_opts {
	const char *format, *color, *model, *output, *by;
	bool json, all, ascii, no_pager, force;
	int top, slowest;
	uint64_t from_ns, to_ns;
};

#define AT(field) offsetof(struct report_opts, field)

static const struct opt report_opt_table[] = {
	{ 'f', "format", REPORT_NAMES, "output format; by default that of the suffix of -o, else text", OPT_CHOICE,
	  AT(format) },
	{ 0, "json", NULL, "the same as --format json", OPT_FLAG, AT(json) },
	{ 'o', "output", "FILE",
	  "write the report to this file, without --format in the format of its suffix: .html, .json, .csv or .txt; - "
	  "is standard output",
	  OPT_STR, AT(output) },
	{ 0, "force", NULL, "overwrite a file that exists", OPT_FLAG, AT(force) },
	{ 'a', "all", NULL, "show every model, session, operator and counter", OPT_FLAG, AT(all) },
	{ 0, "model", "NAME", "only models whose name contains this", OPT_STR, AT(model) },
	{ 0, "by", "program|process", "one model for all processes of a program, or one for each process", OPT_CHOICE,
	  AT(by), "program" },
	{ 0, "from", "TIME", "only inferences that begin at this time of the recording, or later", OPT_DURATION,
	  AT(from_ns) },
	{ 0, "to", "TIME", "only inferences that begin before this time of the recording", OPT_PERIOD, AT(to_ns) },
	{ 0, "top", "N", "rows of each table of operators", OPT_INT, AT(top), "0" },
	{ 0, "slowest", "N", "explain the N slowest inferences of each model", OPT_INT, AT(slowest), "0" },
	{ 0, "color", "auto|always|never", "colors; auto: on a terminal", OPT_CHOICE, AT(color), "auto" },
	{ 0, "no-pager", NULL, "do not show a long page in $PAGER", OPT_FLAG, AT(no_pager) },
	{ 0, "ascii", NULL, "print nothing but ASCII; by default where the locale says so", OPT_FLAG, AT(ascii) },
	{ 0 },
};

static struct report_look look_of(const struct report_opts *opts)
{
	return (struct report_look){
		.has_color =
		    strcmp(opts->color, "auto") ? !strcmp(opts->color, "always") : *term_style(stdout, TERM_BOLD) != 0,
		.is_ascii = opts->ascii || term_wants_ascii(),
		.is_all = opts->all,
		.width = term_page_width(),
		.n_top = (uint32_t)opts->top,
		.n_slowest = (uint32_t)opts->slowest,
	};
}

static const struct report_format *format_of(const struct report_opts *opts)
{
	if (opts->json || opts->format)
		return report_format_named(opts->json ? "json" : opts->format);
	return page_file_is_named(opts->output) ? report_format_of(opts->output) : reports[0];
}

static int write_file(const struct report_opts *opts, const struct report *report, struct err *err)
{
	const struct report_look look = { .is_all = opts->all,
					  .n_top = (uint32_t)opts->top,
					  .n_slowest = (uint32_t)opts->slowest };
	struct output_stream file;
	int code = output_stream_open(&file, opts->output, opts->force, err);

	if (code)
		return code;
	report_write(file.out, format_of(opts), report, &look);
	return output_stream_close(&file, 0, err);
}

static void print(const struct report_opts *opts, const struct report *report)
{
	const struct report_format *format = format_of(opts);
	const struct report_look look = look_of(opts);
	struct pager pager = { 0 };
	FILE *out = format->is_for_terminals ? pager_open(&pager) : stdout;

	report_write(out, format, report, &look);
	pager_close(&pager, !opts->no_pager);
}

/* Which models there are instead. */
static int check_model(const struct report *report, struct err *err)
{
	struct printable list = { "" };

	for (uint32_t i = 0; i < report->n_analyses; i++)
		if (report_shows(report, i))
			return 0;
	if (!report->model)
		return 0;
	for (uint32_t i = 0; i < report->n_analyses && i < 20; i++)
		printable_add(&list, "%s%s", i ? ", " : "", report->analysis[i].report->model.name);
	return err_set(err, ENOENT, "cannot report on '%s': the recording has no such model; it has %s", report->model,
		       *list.s ? list.s : "none");
}

static int show(const struct report_opts *opts, const struct summary *summary, const char *path, struct err *err)
{
	struct recorded recorded;
	struct report report = { .summary = summary, .model = opts->model };
	int code = recorded_init(&recorded, summary, err);

	report.analysis = recorded.model;
	report.n_analyses = recorded.n;
	report.is_running = find_recording_is_written(path);
	if (!code)
		code = check_model(&report, err);
	if (!code && page_file_is_named(opts->output))
		code = write_file(opts, &report, err);
	else if (!code)
		print(opts, &report);
	recorded_done(&recorded);
	return code;
}

static int report_run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct report_opts *opts = opaque;
	struct recording recording = { 0 };
	struct find_recording newest;
	const char *path = argc ? argv[0] : newest.path;
	const struct summary_opts range = { .from_ns = opts->from_ns,
					    .to_ns = opts->to_ns,
					    .slowest = (uint32_t)opts->slowest,
					    .by_process = !strcmp(opts->by, "process") };
	int code;

	if (page_file_check_json(opts->json, opts->format, err))
		return -OPT_MISUSED;
	if (opts->top < 0)
		return opt_misused(err, "--top must be 0 or more");
	if (opts->slowest < 0 || opts->slowest > SUMMARY_MOST_SLOW)
		return opt_misused(err, "--slowest must be from 0 to %d", SUMMARY_MOST_SLOW);
	if (opts->to_ns && opts->to_ns <= opts->from_ns)
		return opt_misused(err, "--to must be later than --from");
	code = argc ? 0 : find_recording_newest(&newest, err);
	if (!code)
		code = recording_sum_up(&recording, path, &range, err);
	if (!code)
		code = show(opts, recording.summary, path, err);
	recording_close(&recording);
	return code;
}

const struct cmd cmd_report = {
	.name = "report",
	.usage = "[options] [FILE]",
	.summary = "show what a recording contains",
	.help = "The first sentence is the answer. The page below it fits a screen: the recording, what to try next, "
		"and for each model session creation, latency, the operators that take the time, and why the slowest "
		"inference was slow: its time above the median, divided among causes. --slowest N explains more of "
		"them. --all shows every table; --model shows the operators of one model. A page longer than the "
		"terminal opens in $PAGER.\n\n"
		"Figures: percentiles are nearest ranks. A mean comes with its 95 % "
		"confidence interval. The first inference of each session, failed ones and those that were cut off are "
		"counted separately. Shares refer to the wall time of inferences, and add up: time outside of "
		"operators is unattributed.\n\n"
		"FILE is a recording of inftrace, or a file that inftrace import reads: "
		"a profile of ONNX Runtime or QNN, a trace of Chrome or PyTorch, or another Perfetto trace. - is "
		"standard input. Without FILE, the newest recording in this folder is read.",
	.examples =
	    (const struct cmd_example[]){
		{ "inftrace report", "the page of the newest recording" },
		{ "inftrace report --all inftrace.pftrace", "every table" },
		{ "inftrace report --model det inftrace.pftrace", "one model, with its operators" },
		{ "inftrace report --slowest 10 inftrace.pftrace", "why the ten slowest of each model were slow" },
		{ "inftrace report --from 10s --to 12s inftrace.pftrace", "two seconds of it" },
		{ "inftrace report -o report.html inftrace.pftrace", "a page with plots" },
		{ "inftrace report --json inftrace.pftrace | jq .models[0].inferences.latency.p99_ns", "one number" },
		{ 0 },
	    },
	.opts = report_opt_table,
	.opts_size = sizeof(struct report_opts),
	.min_args = 0,
	.max_args = 1,
	.words = CMD_RECORDINGS,
	.run = report_run,
};
