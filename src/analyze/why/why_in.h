/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of causes share. Private to this room. */
#ifndef ANALYZE_WHY_WHY_IN_H
#define ANALYZE_WHY_WHY_IN_H

#include <math.h>

#include "analyze/result/result_words.h"
#include "analyze/why/why.h"
#include "base/text/units.h"

/* Where the excess lies: what a thread does with its time; ANY: all of it, where that is not known. */
enum why_pool { POOL_WAIT, POOL_BLOCKED, POOL_CPU, POOL_ANY, N_POOLS };
enum {
	POOLS_WAIT = 1 << POOL_WAIT,
	POOLS_BLOCKED = 1 << POOL_BLOCKED,
	POOLS_CPU = 1 << POOL_CPU,
	POOLS_ANY = 1 << POOL_ANY
};

enum { WHY_NAME = 40 };
#define WHY_OTHER_SIZE 1.5 /* inputs that differ by less have one size */

/* The inference that is looked at. */
struct why_case {
	const struct summary *summary;
	const struct summary_model *model;
	const struct summary_slow *slow;
	double pool_ns[N_POOLS]; /* what is left of each; may be below 0 */
	double of_work_ns;	 /* of POOL_CPU: waits for a CPU that come with so much more to compute */
	bool is_ascii;
	struct why *to;
};

/* Takes its part if it finds its figure: why_take, then words. */
struct why_cause {
	const char *name;
	const char *what;   /* to follow "most of it is" */
	const char *advice; /* what to do if many inferences are slow for it */
	void (*find)(struct why_case *why);
};

extern const struct why_cause *const why_causes[]; /* NULL-terminated */

/* What is left of these pools, of those above 0. */
double why_left(const struct why_case *why, unsigned pools);
/*
 * A part of at most so much of these pools. NULL, and nothing is taken: it would be less than a twentieth of the
 * excess. The caller fills in the words.
 */
struct printable *why_take(struct why_case *why, const struct why_cause *cause, unsigned pools, double most_ns);
/* The same of work that is known to have lasted so long: of what the thread computed, before what it waited. */
struct printable *why_take_computed(struct why_case *why, const struct why_cause *cause, double most_ns);
/* What a counter in percent of time came to in all its samples that touch the inference; 0: not known. */
double why_amount_ns(const struct why_case *why, enum summary_gauge gauge);
bool why_has(const struct why_case *why, enum summary_gauge gauge);
/* A name of the recording, without its first `skip` bytes. */
struct printable why_name(const struct why_case *why, uint32_t name, size_t skip);
/* What the causes so far have taken: it lies in operators, too. */
double why_taken(const struct why_case *why);
/* By how much it exceeds its median; "Loop_3 took 40 ms (median 3 ms)". */
double why_node_excess(const struct summary_slow_node *node);
void why_say_node(const struct why_case *why, const struct summary_slow_node *node, struct printable *words);

/* For how much longer than usual other threads of the process waited for a CPU meanwhile. */
double why_pool_waited_ns(const struct why_case *why);
/* Behind the CPUs that its threads used: " of 1 that it may use", where these are not all of the machine. */
void why_say_usable(const struct why_case *why, struct printable *to);
/* Who had the CPUs meanwhile, as far as it is known; "". */
void why_say_who(const struct why_case *why, struct printable *to);

#endif
