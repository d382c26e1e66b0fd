/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of one copy of a runtime is seen, so that probes cost its process less than a hundredth of its time: each
 * hit is charged at the measured price of a trap to an account that fills up with time. While it is empty, probes are
 * out, and what then runs unseen is estimated. Calls nothing of the kernel; one thread.
 */
#ifndef CAPTURE_PROBE_UPROBE_PACE_H
#define CAPTURE_PROBE_UPROBE_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds that an inference and an operator take longer in the target. */
struct uprobe_prices {
	double run_ns, operator_ns;
};

enum uprobe_level {
	UPROBE_LEVEL_OUT,	  /* neither, at this moment for long */
	UPROBE_LEVEL_RUN_WINDOWS, /* inferences, part of the time */
	UPROBE_LEVEL_RUNS,	  /* inferences */
	UPROBE_LEVEL_WINDOWS,	  /* and operators part of the time */
	UPROBE_LEVEL_OPERATORS,	  /* and operators */
	N_UPROBE_LEVELS
};

/* What was seen, or not, of a copy in some time. */
struct uprobe_stretch {
	double n, ns, cpu_ns, paid_ns; /* inferences; the clock; CPU time, without paid_ns, which probes took */
};

struct uprobe_pace {
	/* Filled in by whoever reads hits. */
	uint64_t n_runs, n_operators; /* since the last step */
	uint32_t n_open;	      /* inferences that are open now */

	double left_ns;			     /* in the account */
	double runs_per_s, operators_per_s;  /* when they were seen last */
	struct uprobe_stretch window, seen;  /* seen: of the last few windows, the newer the more */
	uint64_t begun_ns, begun_cpu_ns;     /* of the window, or of the gap at hand */
	bool is_gap;			     /* inferences are not seen */
	double n_told;			     /* of the gap, by uprobe_pace_unseen */
	uint64_t n_unseen;		     /* of gaps that have ended, and were not told yet */
	uint64_t run_out_ns, operator_in_ns; /* when inferences were last unseen, operators last seen; 0: never */
	uint64_t operator_out_ns;	     /* the same of operators unseen */
	bool must_cut;			     /* what is open will not be seen to end */
};

void uprobe_pace_init(struct uprobe_pace *pace, uint64_t now_ns, uint64_t cpu_ns);
/* What comes by probes that are still in, but is no hit any more. */
struct uprobe_closing {
	bool runs, operators;
};

/* Time passes, and the hits since the last step are charged. */
void uprobe_pace_step(struct uprobe_pace *pace, uint64_t passed_ns, const struct uprobe_prices *prices,
		      struct uprobe_closing closing);
/* Inferences are not seen from now on, or are again. cpu_ns: of the process so far. */
void uprobe_pace_close(struct uprobe_pace *pace, uint64_t now_ns, uint64_t cpu_ns);
void uprobe_pace_open(struct uprobe_pace *pace, uint64_t now_ns, uint64_t cpu_ns);

/* From time to time while inferences are seen. */
void uprobe_pace_fold(struct uprobe_pace *pace, uint64_t now_ns, uint64_t cpu_ns);
/* How many inferences ran unseen since the last call. */
uint64_t uprobe_pace_unseen(struct uprobe_pace *pace, uint64_t now_ns, uint64_t cpu_ns);

/* Whether the account lets operators, or inferences, be seen from now on, and whether it demands that they are not. */
bool uprobe_pace_may_see_operators(const struct uprobe_pace *pace, const struct uprobe_prices *prices);
bool uprobe_pace_may_see_runs(const struct uprobe_pace *pace);
bool uprobe_pace_must_hide_operators(const struct uprobe_pace *pace);
bool uprobe_pace_must_hide_runs(const struct uprobe_pace *pace);

/* No probes went out lately, and none are about to. */
bool uprobe_pace_is_at_ease(const struct uprobe_pace *pace);
/* As of the last minute. */
enum uprobe_level uprobe_pace_level(const struct uprobe_pace *pace, uint64_t now_ns);
const char *uprobe_level_name(enum uprobe_level level);

#endif
