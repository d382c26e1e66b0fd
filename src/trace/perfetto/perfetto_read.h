/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a Perfetto trace, of inftrace or another program, into a sink. Trusts no byte: every length is checked, unknown
 * fields are skipped, a truncated file is read up to the truncation.
 */
#ifndef TRACE_PERFETTO_PERFETTO_READ_H
#define TRACE_PERFETTO_PERFETTO_READ_H

#include <stdbool.h>

#include "base/err.h"
#include "event/sink.h"

struct perfetto_read_result {
	bool is_ours;		       /* the trace contains a "recording" note of inftrace */
	bool is_cut;		       /* the last packet is incomplete */
	uint64_t cut_at;	       /* byte offset of that packet */
	uint64_t at;		       /* while it is read: byte offset of the packet */
	uint64_t n_packets, n_skipped; /* skipped: packets of unused kinds */
	uint64_t n_late;     /* events in a file of inftrace with a time before the last of their track: moved there */
	bool has_realtime;   /* a clock snapshot has CLOCK_REALTIME */
	int64_t realtime_ns; /* that less the time of the events, of the first such snapshot */
};

/*
 * data: the whole file (mapped). Events go to out in the order that sinks require: per track by time, parents first
 * (the reader sorts them if necessary). 0, or -errno and err: not a Perfetto trace, or damaged in the middle ("cannot
 * read FILE: at byte N: ..." without the file's name).
 */
int perfetto_read(const void *data, size_t size, struct sink *out, struct perfetto_read_result *result,
		  struct err *err);

#endif
