/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sink that watches inferences and asks for a dump when a rule holds: beside the trace writer, in a tee. Percentiles
 * and means are those of the last DUMP_WINDOW_NS, at most DUMP_VALUES inferences; a percentile holds only when there
 * are so many that one of them lies beyond it (p99: 100). Looks at each flush. One thread.
 */
#ifndef CAPTURE_RECORDER_DUMP_WHEN_H
#define CAPTURE_RECORDER_DUMP_WHEN_H

#include "capture/recorder/thin/thin_in.h"
#include "event/sink.h"

struct dump_when;

enum { DUMP_VALUES = 4096 };

#define DUMP_WINDOW_NS UINT64_C(10000000000)

struct dump_when_opts {
	struct dump_rules rules;
	/* Called in flush, once for each look at which a rule holds. why: a sentence without a full stop. */
	void (*ask)(void *ctx, const char *why);
	void *ctx;
};

/* of: another sink of the stream. NULL and err: out of memory. */
struct dump_when *dump_when_new(const struct sink *of, const struct dump_when_opts *opts, struct err *err);
struct sink *dump_when_sink(struct dump_when *when);
extern const char dump_when_signal_name[]; /* why a dump is asked for when a signal came */
/* SIGUSR1 came: counts where "signal" is one of the rules. */
void dump_when_signal(struct dump_when *when);
void dump_when_free(struct dump_when *when); /* NULL does nothing */

static inline int dump_rules_have_signal(const struct dump_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++)
		if (rules->rule[i].kind == DUMP_SIGNAL)
			return 1;
	return 0;
}

#endif
