/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the packets of a trace that describe machine, clocks and tracks, not events. For perfetto_write.c. Functions
 * that return int put a whole packet: 0, or -1 and out->err.
 */
#ifndef TRACE_PERFETTO_PERFETTO_DESCRIBE_H
#define TRACE_PERFETTO_PERFETTO_DESCRIBE_H

#include "event/event.h"
#include "event/names.h"
#include "trace/perfetto/perfetto_out.h"

/* The sequence of packets that need no sequence of their own. */
enum { PERFETTO_SHARED_SEQUENCE = 1 };

/*
 * A text field, repaired if it is not UTF-8; at has room for 3 * len + 16 bytes. Returns the position of the next byte.
 */
uint8_t *perfetto_describe_text(uint8_t *at, uint32_t number, const char *text, size_t len);
/* One clock of a clock snapshot. */
uint8_t *perfetto_describe_clock(uint8_t *at, uint32_t clock, uint64_t time_ns, bool is_incremental);

int perfetto_describe_clocks(struct perfetto_out *out, bool is_import);
int perfetto_describe_system(struct perfetto_out *out, bool is_import);
/* parent_uuid 0: none. Siblings are shown by rank. */
int perfetto_describe_track(struct perfetto_out *out, const struct names *names, const struct track_def *def,
			    uint64_t uuid, uint64_t parent_uuid, uint32_t rank);
/* A group of counters that only the file has (perfetto_fields.h); parent_uuid 0: the machine's. */
int perfetto_describe_counters(struct perfetto_out *out, uint64_t uuid, uint64_t parent_uuid);

#endif
