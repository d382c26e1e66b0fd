// SPDX-License-Identifier: Apache-2.0
/* `inftrace next`: waits for programs that load a runtime, anywhere on the machine. recorder_attach records them. */
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/record/attach_file.h"

struct next_opts {
	struct record_options shared;
	struct live_options live;
	struct probe_options probes;
	const char *name, *path;
	bool all;
};

static const struct opt next_opt_table[] = {
	{ 0, NULL, NULL, "Which programs:" },
	{ 0, "name", "NAME", "match by name: of the program, or of the script an interpreter is running", OPT_STR,
	  offsetof(struct next_opts, name) },
	{ 0, "path", "PATH", "match by path: of the executable, or of the script", OPT_STR,
	  offsetof(struct next_opts, path) },
	{ 0, "all", NULL, "record all programs until Ctrl-C or --duration, not only the first", OPT_FLAG,
	  offsetof(struct next_opts, all) },
	{ 0, NULL, NULL, "What is recorded:" },
	RECORD_OPTIONS(struct next_opts, shared),
	PROBE_OPTIONS(struct next_opts, probes),
	{ 0, NULL, NULL, "Live page:" },
	LIVE_OPTIONS(struct next_opts, live),
	{ 0 },
};

static const struct cmd_example examples[] = {
	{ "inftrace next", "record the next program that loads a runtime, from its first session to its end" },
	{ "inftrace next --name worker.py", "the next one that runs this script" },
	{ "inftrace next --all -d 60s", "every program that loads a runtime in the next minute" },
	{ 0 },
};

/* What is waited for, and what the recording is called. */
static void describe(const struct next_opts *opts, char *command, size_t size)
{
	const char *wish = opts->name ? opts->name : opts->path;

	snprintf(command, size, "the next program%s that load%s a runtime%s%.150s", opts->all ? "s" : "",
		 opts->all ? "" : "s",
		 opts->name   ? ", called "
		 : opts->path ? ", of "
			      : "",
		 wish ? wish : "");
}

static int run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct next_opts *opts = opaque;
	char command[256];
	struct attached attached = { 0 };
	struct recorder_attach_opts job = { .attached = &attached,
					    .wish = { opts->name, opts->path },
					    .takes_one = !opts->all,
					    .probes = probe_options_value(&opts->probes) };
	int code = opts->name && opts->path ? opt_misused(err, "give one of --name and --path, not both")
					    : attach_file_check(&opts->shared, &opts->live, &job.wish, err);

	if (code)
		return code;
	describe(opts, command, sizeof command);
	code = attached_init(&attached, err);
	attached.waits = true;
	if (!code)
		code = attach_file_record(&opts->shared, &opts->live, &job, command, err);
	attached_done(&attached);
	return code;
}

const struct cmd cmd_next = {
	.name = "next",
	.usage = "[options]",
	.summary = "record the next program that loads a runtime",
	.help =
	    "Waits for a program, anywhere on the machine, that loads ONNX Runtime, OpenVINO or LiteRT: from a Python "
	    "or Node package, from a library that is unpacked and deleted, or linked in; also in a container. When the "
	    "program has mapped the runtime, inftrace stops it for a moment, installs the probes of attach, and "
	    "records it from its first call on. The program does not notice. --duration starts when the program loads "
	    "the runtime; with --all, at once.\n\n"
	    "This needs root, or the capabilities CAP_BPF, CAP_PERFMON and "
	    "CAP_SYS_PTRACE. inftrace attach records programs that are already running.\n\n"
	    "The exit status is 0 when "
	    "the recording was made, 2 on a usage error, 3 on failure.",
	.examples = examples,
	.opts = next_opt_table,
	.opts_size = sizeof(struct next_opts),
	.min_args = 0,
	.max_args = 0,
	.is_privileged = true,
	.run = run,
};
