// SPDX-License-Identifier: Apache-2.0
/* Checks the options that recordings share. Opens and records nothing. */
#include "cmd/record/record_options.h"

#include <stdlib.h>
#include <string.h>

#include "capture/recorder/thin/thin.h"
#include "cmd/record/record_in.h"

enum { DEFAULT_HZ = 100, MOST_HZ = 1000 };

int record_options_thin(const struct record_options *options)
{
	char *end;
	long n = strtol(options->thin, &end, 10);

	if (!strcmp(options->thin, "auto"))
		return 0;
	return end == options->thin || *end || n < 1 || n > THIN_MOST ? -1 : (int)n;
}

/* -1: it makes no sense. */
static int stacks_hz(const struct record_options *options)
{
	char *end;
	long hz;

	if (!options->stacks)
		return strcmp(options->plan.level, "inference") ? DEFAULT_HZ : 0;
	if (!strcmp(options->stacks, "off"))
		return 0;
	hz = strtol(options->stacks, &end, 10);
	return end == options->stacks || *end || hz < 1 || hz > MOST_HZ ? -1 : (int)hz;
}

struct recorder_plan record_options_plan(const struct record_options *options)
{
	struct recorder_plan plan = options->plan;

	plan.stacks_hz = (uint32_t)stacks_hz(options);
	return plan;
}

int record_options_check(const struct record_options *options, struct err *err)
{
	struct keep_option keep;
	struct dump_rules rules;

	if (options->plan.interval_ns < 10000000)
		return opt_misused(err, "--interval must be 10ms or more");
	if (stacks_hz(options) < 0)
		return opt_misused(err, "--stacks must be off, or a number between 1 and %d", MOST_HZ);
	if (options->compress && options->no_compress)
		return opt_misused(err, "--compress and --no-compress contradict each other");
	if (options->out && !strcmp(options->out, "-"))
		return opt_misused(err, "cannot write the recording to standard output; name a file or a pipe "
					"(--output ./- is a file of that name)");
	if (record_options_thin(options) < 0)
		return opt_misused(err, "--thin must be auto, or a number between 1 and %d", THIN_MOST);
	if (options->keep && options->plan.max_bytes)
		return opt_misused(err,
				   "--keep and --max-size contradict each other; --keep SIZE limits the file, too");
	if (options->dump_when.n && !options->keep)
		return opt_misused(err, "--dump-when needs --keep, which says how much is kept for a dump");
	return keep_option_parse(options->keep, &keep, err) || dump_option_parse(&options->dump_when, &rules, err)
		   ? -err->code
		   : 0;
}

int record_options_check_ring(uint64_t ring_bytes, struct err *err)
{
	if (ring_bytes < 4096 || ring_bytes > 128u << 20)
		return opt_misused(err, "--ring-size must be between 4K and 128M");
	return 0;
}
