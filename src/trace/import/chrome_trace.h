/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads Chrome's JSON trace, event by event, in the order of the file: an array of events, or an object that has one as
 * "traceEvents". Knows the fields of an event; import_chrome.c knows what they mean.
 */
#ifndef TRACE_IMPORT_CHROME_TRACE_H
#define TRACE_IMPORT_CHROME_TRACE_H

#include "base/text/json_read.h"
#include "trace/import/importer.h"

/* Spans point into the file; texts are still escaped. A span without start: the event does not have it. */
struct chrome_trace_event {
	const char *begin; /* in the file */
	char phase, scope; /* scope: of instants, g, p or t; 0: none */
	bool has_ts, has_dur;
	bool is_pid_text, is_tid_text; /* "pid":"Spans": a name instead of a number */
	uint64_t ts_ns, dur_ns;
	bool has_cpu, has_cpu_dur;
	uint64_t cpu_ns, cpu_dur_ns;			     /* CPU time of the thread: then, and in the slice */
	struct json_span name, category, pid, tid, id, args; /* args: the whole object */
};

/* First member of a consumer. */
struct chrome_trace {
	/* Takes one event. 0; any other code ends reading and is returned, with err set by take. */
	int (*take)(struct chrome_trace *trace, const struct chrome_trace_event *event, struct err *err);

	/* Results. */
	uint64_t n_events, n_unread; /* unread: without a phase, or with an impossible time */
	uint64_t n_damaged;	     /* not JSON, and passed over; */
	uint64_t damaged_at;	     /* where the first is broken */
	bool is_cut;
	uint64_t cut_at; /* offset of the first incomplete event */
	bool has_base;	 /* of PyTorch's: */
	int64_t base_ns; /* what its times count from, since 1970 */
};

/* Whether these can be the first bytes of such a file. */
bool chrome_trace_sniff(const char *first, size_t size);
/*
 * 0, or -errno and err: not JSON from a byte on, without an event behind it, or an error of take. Events before were
 * taken.
 */
int chrome_trace_read(struct chrome_trace *trace, const struct import_bytes *in, struct err *err);
/* Microseconds, with or without a fraction, as nanoseconds. false: not a number, negative, or too large. */
bool chrome_trace_ns(struct json_span number, uint64_t *ns);

#endif
