/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generations of a runtime that makes tokens by a handle (event/generator_call.h): its calls say when a prompt went in,
 * and when a token was there. A call comes behind the inferences that it contains, those of a generator in the order of
 * their ends: whoever has them in another order sorts them. So nothing waits for an inference that is lost.
 */
#ifndef ANALYZE_GENERATION_CALLS_H
#define ANALYZE_GENERATION_CALLS_H

#include <stdbool.h>
#include <stdint.h>

struct generations;
struct inputs;
struct generation_run;

/* A call. */
struct generation_call {
	uint32_t process;
	int64_t thread;
	uint64_t generator;
	const char *name; /* event/generator_call.h */
	uint64_t begin_ns, end_ns;
	uint64_t n_tokens; /* that went in, of all sequences; 0: not known. A rewind: how many a sequence has then */
	uint64_t n_seen;   /* of these at the begin, that an earlier prompt began with; 0: none, or not known */
};

/* All: 0 or -ENOMEM. One of a generator of which no inference came says nothing: its model is not known. */
int generations_call(struct generations *to, const struct generation_call *call);
/* An inference of a call. */
int calls_take(struct generations *to, const struct generation_run *run, const struct inputs *inputs);
void calls_free(struct generations *from);

#endif
