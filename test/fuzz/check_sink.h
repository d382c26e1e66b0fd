/* SPDX-License-Identifier: Apache-2.0 */
/* A sink that keeps nothing and aborts when an event violates the contract of src/event/event.h. */
#ifndef FUZZ_CHECK_SINK_H
#define FUZZ_CHECK_SINK_H

#include <stdbool.h>

#include "event/sink.h"

struct check_track {
	uint64_t last_ns;
	uint32_t depth;
	bool is_known;
};

struct check_sink {
	struct sink sink;
	uint32_t last_track;
	struct check_track *track;
	uint32_t capacity;
	bool is_lenient; /* for malformed input: times may go back, ends may lack a begin */
};

void check_sink_init(struct check_sink *check);
void check_sink_done(struct check_sink *check);

#endif
