// SPDX-License-Identifier: Apache-2.0
/* `inftrace export FILE --to FORMAT`: a recording in a format for other programs. convert.c does it. */
#include "cmd/cmd.h"
#include "cmd/table/convert.h"

struct export_opts {
	const char *to;
	struct convert_options shared;
};

static const struct opt export_opt_table[] = {
	{ 0, "to", EXPORTERS_WORDS, "the format", OPT_CHOICE, offsetof(struct export_opts, to) },
	{ 0, "table", "NAME", "csv: write this table alone", OPT_STR, offsetof(struct export_opts, shared.table) },
	CONVERT_OPTIONS(struct export_opts, shared),
	{ 0 },
};

static const struct cmd_example examples[] = {
	{ "inftrace export inftrace.pftrace --to chrome", "inftrace.json, for chrome://tracing and Speedscope" },
	{ "inftrace export inftrace.pftrace --to pprof && go tool pprof -http : inftrace.pb.gz", "a flame graph" },
	{ "inftrace export inftrace.pftrace --to csv --table inferences -o - | head", "one table, through a pipe" },
	{ "inftrace export inftrace.pftrace --to chrome -o - | gzip > app.json.gz", "through a pipe" },
	{ 0 },
};

static int run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct export_opts *opts = opaque;

	if (!opts->to)
		return opt_misused(err, "export needs a format: --to %s", EXPORTERS_WORDS);
	return convert(argv[0], exporters_find(opts->to), &opts->shared, err);
}

const struct cmd cmd_export = {
	.name = "export",
	.usage = "[options] FILE --to FORMAT",
	.summary = "write a recording in a format for other programs",
	.help =
	    "Formats:\n\n"
	    "chrome: Chrome's JSON trace. Slices, instants and counters with all their arguments, times to "
	    "the nanosecond. The format knows only threads of processes: lanes of inferences and of devices become "
	    "threads with numbers above 2^30.\n\n"
	    "csv: tables as CSV, with the names and units of `inftrace query`: a "
	    "folder with sessions, phases, inferences, operators, kernels, slices, samples, losses, notes, instants, "
	    "processes and threads, or one of them with --table.\n\n"
	    "folded: folded stacks, for flamegraph.pl, inferno "
	    "and Speedscope. Nanoseconds by process, model, operator type and node.\n\n"
	    "latency-csv: the latency report "
	    "of Cloud AI 100, a row for each inference.\n\n"
	    "ort: the profile that ONNX Runtime's own profiler writes "
	    "(JSON), for scripts that read it. Whole microseconds.\n\n"
	    "perfetto: a Perfetto trace, the format of "
	    "recordings.\n\n"
	    "pprof: a profile for `go tool pprof`: time and number of slices, by the same places as "
	    "folded.\n\n"
	    "qnn-csv: the CSV file of QNN's profiler, inferences and operators in whole "
	    "microseconds.\n\n"
	    "speedscope: Speedscope's JSON. Each track is a profile in time.\n\n"
	    "sqlite: the tables of "
	    "csv as a database of SQLite, with indexes.\n\n"
	    "A second line, on standard error, counts events that the "
	    "format cannot hold.\n\n"
	    "FILE is a recording, or any other file that inftrace import reads; - is standard "
	    "input. Memory does not grow with the number of events.",
	.examples = examples,
	.opts = export_opt_table,
	.opts_size = sizeof(struct export_opts),
	.min_args = 1,
	.max_args = 1,
	.words = CMD_RECORDINGS,
	.run = run,
};
