/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of generators (event/generator_call.h). Each goes on behind the inferences that it contains and before later
 * ones, which wait in lanes.h: who takes the events as they come knows what a call consists of once it is there.
 */
#ifndef CAPTURE_DECODE_GENERATOR_CALLS_H
#define CAPTURE_DECODE_GENERATOR_CALLS_H

#include <stdbool.h>

#include "base/array.h"
#include "event/record.h"
#include "event/sink.h"

struct generator_calls {
	struct array waiting; /* struct generator_call_waiting */
	size_t at;	      /* of these, the first that has not gone on */
	bool is_sorted;
};

/* Of the thread, 0: not known, on this track. A record that makes no sense is left out. 0 or -ENOMEM. */
int generator_calls_add(struct generator_calls *calls, uint32_t track, int32_t tid, const struct record *record,
			struct sink *out);
/* Those that end until then, in the order of their ends. 0, or the sink's error. */
int generator_calls_put(struct generator_calls *calls, struct sink *out, uint64_t until_ns, struct err *err);
void generator_calls_done(struct generator_calls *calls);

#endif
