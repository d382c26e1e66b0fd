// SPDX-License-Identifier: Apache-2.0
/* `inftrace import FILE...`: files of other tools become a recording. convert.c does it, of several merge_files.c. */
#include "cmd/cmd.h"
#include "cmd/table/convert.h"
#include "cmd/table/merge_files.h"

struct import_opts {
	struct opt_list offset;
	struct convert_options shared;
};

static const struct opt import_opt_table[] = {
	{ 0, "offset", "FILE=TIME",
	  "with several files, the time 0 of this one: nanoseconds since 1970; or with a sign and a unit, such as "
	  "+1.5s, after the start of the first recording",
	  OPT_LIST, offsetof(struct import_opts, offset) },
	CONVERT_OPTIONS(struct import_opts, shared),
	{ 0 },
};

static const struct cmd_example examples[] = {
	{ "inftrace import onnxruntime_profile__2026-11-21.json -o app.pftrace", "a profile of ONNX Runtime" },
	{ "inftrace import torch-trace.json.zst", "a trace of PyTorch, compressed" },
	{ "inftrace import qnn.csv", "a profile of QNN, as qnn.pftrace" },
	{ "inftrace import app.pftrace onnxruntime_profile__2026-11-21.json -o both.pftrace",
	  "a recording and the runtime's own profile of the same run, on one clock" },
	{ "zcat profile.json.gz | inftrace import - -o - > app.pftrace", "through pipes" },
	{ 0 },
};

static int run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct import_opts *opts = opaque;

	if (argc > 1 || opts->offset.n)
		return merge_files(argv, (size_t)argc, &opts->offset, &opts->shared, err);
	return convert(argv[0], exporters_find("perfetto"), &opts->shared, err);
}

const struct cmd cmd_import = {
	.name = "import",
	.usage = "[options] FILE...",
	.summary = "turn a profile of another tool into a recording",
	.help =
	    "The recording opens in the Perfetto UI and in every command of inftrace. Commands that read recordings "
	    "also read these files directly: import is for files to keep, to share or to open in Perfetto.\n\n"
	    "FILE is "
	    "one of these, recognised by its first bytes, also compressed by gzip or zstd; - is standard input:\n\n"
	    "A "
	    "profile of ONNX Runtime (JSON), versions 1.2 to 1.32: session creation, inferences, operators with type, "
	    "provider, shapes and bytes, and kernels of devices, tied to their operators. Its times are whole "
	    "microseconds, and include the cost of the profiler itself.\n\n"
	    "A profile of QNN (CSV): executions with "
	    "their duration. The file has no start times: executions are laid end to end, and no rate is reported. "
	    "Cycles stay cycles.\n\n"
	    "A latency report of Cloud AI 100 (CSV): inferences and their stages, laid end to "
	    "end.\n\n"
	    "A trace of Chrome (JSON), as Chromium, PyTorch and `inftrace export` write it: slices, instants, "
	    "counters, flows, names. Steps and operators of PyTorch become inferences and operators.\n\n"
	    "A recording of "
	    "inftrace, or another Perfetto trace.\n\n"
	    "A truncated file is read up to the truncation.\n\n"
	    "Several files "
	    "become one on one clock: that of the first recording of inftrace, else the wall clock. inftrace prints "
	    "the method that placed each file, and its possible error. A profile of ONNX Runtime is placed by the "
	    "inferences that a recording of the same run has, too; or by the time in its name. The processes of each "
	    "file stay apart and have its name.",
	.examples = examples,
	.opts = import_opt_table,
	.opts_size = sizeof(struct import_opts),
	.min_args = 1,
	.max_args = MERGE_MAX_FILES,
	.run = run,
};
