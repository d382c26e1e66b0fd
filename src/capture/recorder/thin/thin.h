/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sink before the trace writer that keeps the operators of one inference in N, for programs that run so many that the
 * recording would fill the disk. Every inference stays. Its END gets KEY_WEIGHT:
 *
 *   none   nothing is thinned out
 *   0      its operators were left out
 *   1      they were kept because it failed, was cut off, or is one of the slowest of its model in the minute
 *   N      they were kept, and stand for those of N inferences
 *
 * so that the sum over inferences, each operator times the weight, is what all of them would have come to. Operators
 * reach a sink before the end of their inference. They wait here, thread by thread and in their order, until it has
 * ended; in memory that is bounded. When it is full, or an inference takes longer than MOST_WAIT_NS, it is decided
 * early. Operators in no inference pass. One thread; keeps nothing between two streams.
 */
#ifndef CAPTURE_RECORDER_THIN_H
#define CAPTURE_RECORDER_THIN_H

#include "capture/recorder/thin/thin_in.h"
#include "event/sink.h"

struct thin;

enum { THIN_MOST = 1024 }; /* the largest N */

struct thin_opts {
	uint32_t every;	  /* N, 1 to THIN_MOST */
	size_t max_bytes; /* of operators that wait; 0: 4 MiB */
	/* N follows from the rate and the disk: the recording fits on it for so long; 0: N stays as it is */
	uint64_t horizon_ns;
	uint64_t whole_bytes;		     /* and N stays as it is until so much is written */
	struct thin_room (*room)(void *ctx); /* called with flush, once a second */
	void *ctx;
};

/* to is borrowed. NULL and err: out of memory. */
struct thin *thin_new(struct sink *to, const struct thin_opts *opts, struct err *err);
/* flush passes on what is decided; sync everything that was put. */
struct sink *thin_sink(struct thin *thin);
/* Another N, for inferences that end from now on. */
void thin_set(struct thin *thin, uint32_t every);
/* What was not flushed is lost. NULL does nothing. */
void thin_free(struct thin *thin);

#endif
