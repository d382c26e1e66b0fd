/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why an inference took longer than the median of its model, or of those with the same input shapes: its excess,
 * divided into parts that add up to it. A cause is named only with its figure; what none explains is the rest.
 *
 * The thread's own time is divided first: it waited for a CPU, it had one, or it was blocked; each against the median.
 * Causes then take their parts of that, in the order of the table in why.c. Where this is not known, they take
 * their parts of the excess itself. A part may be larger than the excess: the rest is then below 0.
 */
#ifndef ANALYZE_WHY_WHY_H
#define ANALYZE_WHY_WHY_H

#include <stdbool.h>

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

enum { WHY_PARTS = 16 };

struct why_part {
	const char *cause; /* "cpu_wait": a static text */
	double ns;
	struct printable words; /* to follow its time: "waiting for a CPU (stress-ng used 1.98 CPUs)" */
};

struct why {
	bool is_known;			 /* there is a median to compare with */
	double excess_ns;		 /* below 0: it was faster */
	struct why_part part[WHY_PARTS]; /* largest first */
	uint32_t n;
	double rest_ns; /* excess_ns less all parts */
	/* of rest_ns, where it is known what the thread did: on a CPU, off it; NAN: not known */
	double rest_cpu_ns, rest_blocked_ns;
	struct printable
	    missing; /* why the rest is not explained: "operators were not recorded"; "": nothing is known */
};

/* Everything is borrowed for the call. */
void why_find(struct why *why, const struct summary *summary, const struct summary_slow *slow, bool is_ascii);

/* What the slowest inferences of a model took longer than its median, and the cause of most of it. */
struct why_tail {
	uint32_t n;	   /* inferences; 0: nothing is known */
	double excess_ns;  /* all together */
	const char *cause; /* "cpu_wait": a static text; NULL: none has half of it */
	double ns;	   /* of excess_ns */
	const char *what, *advice;
};

/* Of those that took longer than slower_than_ns, as far as they are in the summary. Everything is borrowed. */
struct why_tail why_tail_of(const struct summary *summary, const struct summary_model *model, double slower_than_ns);

#endif
