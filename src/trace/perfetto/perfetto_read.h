/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a Perfetto trace, ours or another program's, into a sink. Trusts no byte: every length is
 * checked, unknown fields are skipped, a file that was cut off anywhere is read up to there.
 */
#ifndef TRACE_PERFETTO_PERFETTO_READ_H
#define TRACE_PERFETTO_PERFETTO_READ_H

#include <stdbool.h>

#include "base/err.h"
#include "event/sink.h"

struct perfetto_read_result {
	bool is_ours;		       /* the trace holds a "recording" note of ours */
	bool is_cut;		       /* the last packet is incomplete */
	uint64_t cut_at;	       /* byte offset of that packet */
	uint64_t n_packets, n_skipped; /* skipped: packets of kinds that we do not use */
	uint64_t n_late; /* events of a file of ours whose time lay before the last of their track: moved there */
};

/*
 * data: the whole file (mapped). Events go to out in the order sinks want: per track by time, parents
 * first (the reader sorts where a file has them otherwise). 0, or -errno and err: not a Perfetto trace
 * at all, or damaged in the middle ("cannot read FILE: at byte N: ..." without the file's name).
 */
int perfetto_read(const void *data, size_t size, struct sink *out, struct perfetto_read_result *result,
		  struct err *err);

#endif
