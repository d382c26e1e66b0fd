// SPDX-License-Identifier: Apache-2.0
/* Prints what the recorder reports. Each message first clears the line of progress, which has no end of line. */
#include "cmd/record/record_say.h"

#include <stdio.h>
#include <unistd.h>

#include "base/text/units.h"
#include "show/term/term.h"

static void print_text(void *ctx, enum say_severity severity, const char *text)
{
	term_say("%s", text);
}

static void print_warning(void *ctx, enum say_severity severity, const char *text)
{
	if (severity == SAY_WARNING)
		term_say("%s", text);
}

/* ", 3.2 MiB/s": how fast the file grows, and how long its disk lasts if that goes on. */
static void print_disk(const struct say_progress *progress)
{
	double per_s = (double)progress->n_bytes / ((double)progress->elapsed_ns / 1e9);

	if (!progress->n_bytes)
		return;
	fprintf(stderr, ", %s/s", units_bytes(per_s).s);
	if (progress->left_bytes != UINT64_MAX)
		fprintf(stderr, ", the disk lasts %s", units_duration((double)progress->left_bytes / per_s * 1e9).s);
}

static void print_progress(void *ctx, const struct say_progress *progress)
{
	/* while the first program is waited for, time does not pass */
	if (!progress->is_over && !progress->elapsed_ns)
		return;
	fprintf(stderr, "\r\033[K");
	if (!progress->is_over) {
		fprintf(stderr, "%srecording %.0f s, %s inference%s", term_style(stderr, TERM_DIM),
			(double)progress->elapsed_ns / 1e9, units_count(progress->n_inferences).s,
			progress->n_inferences == 1 ? "" : "s");
		print_disk(progress);
		fprintf(stderr, "%s", term_style(stderr, TERM_PLAIN));
	}
	fflush(stderr);
}

struct say record_say(bool is_quiet, bool has_progress)
{
	return (struct say){
		.text = is_quiet ? print_warning : print_text,
		.progress = has_progress && isatty(STDERR_FILENO) ? print_progress : NULL,
	};
}
