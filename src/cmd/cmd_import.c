// SPDX-License-Identifier: Apache-2.0
/* `inftrace import FILE`: a file of another tool becomes a recording. convert.c does it. */
#include "cmd/cmd.h"
#include "cmd/convert.h"

struct import_opts {
	struct convert_options shared;
};

static const struct opt import_opt_table[] = {
	CONVERT_OPTIONS(struct import_opts, shared),
	{ 0 },
};

static const struct cmd_example examples[] = {
	{ "inftrace import onnxruntime_profile__2026-11-21.json -o app.pftrace", "a profile of ONNX Runtime" },
	{ "inftrace import torch-trace.json.zst", "a trace of PyTorch, compressed" },
	{ "inftrace import qnn.csv", "a profile of QNN, as qnn.pftrace" },
	{ "zcat profile.json.gz | inftrace import - -o - > app.pftrace", "through pipes" },
	{ 0 },
};

static int run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct import_opts *opts = opaque;

	return convert(argv[0], exporters_find("perfetto"), &opts->shared, err);
}

const struct cmd cmd_import = {
	.name = "import",
	.usage = "[options] FILE",
	.summary = "turn a profile of another tool into a recording",
	.help =
	    "The recording opens in the Perfetto UI and in every command of inftrace. Commands that read recordings "
	    "read these files as they are, too: import is for files to keep, to share or to look at in Perfetto.\n\n"
	    "FILE is one of these, recognised by its first bytes, also compressed by gzip or zstd; - is standard "
	    "input:\n\n"
	    "A profile of ONNX Runtime (JSON), versions 1.2 to 1.32: session creation, inferences, operators with "
	    "type, provider, shapes and bytes, and kernels of devices, tied to their operators. Its times are whole "
	    "microseconds, and include "
	    "what the profiler itself costs.\n\n"
	    "A profile of QNN (CSV): executions with their duration. The file has no begins: executions are laid end "
	    "to end, and no rate is reported. Cycles stay cycles.\n\n"
	    "A latency report of Cloud AI 100 (CSV): inferences and their stages, laid end to end.\n\n"
	    "A trace of Chrome (JSON), as Chromium, PyTorch and `inftrace export` write it: slices, instants, "
	    "counters, "
	    "flows, names. Steps and operators of PyTorch become inferences and operators.\n\n"
	    "A recording of inftrace, or another Perfetto trace.\n\n"
	    "A file that is cut off is read up to there.",
	.examples = examples,
	.opts = import_opt_table,
	.opts_size = sizeof(struct import_opts),
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
