/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of insights share. Private to this room. */
#ifndef ANALYZE_INSIGHT_INSIGHT_IN_H
#define ANALYZE_INSIGHT_INSIGHT_IN_H

#include <math.h>

#include "analyze/insight/insight.h"
#include "analyze/result/outside_result.h"
#include "analyze/result/result_words.h"
#include "base/text/units.h"

enum { INSIGHT_NAME = 60, INSIGHT_PLACE = 100, INSIGHT_ERROR = 200 };

/* The run that a rule looks at. */
struct finder {
	struct model_analysis *analysis;
	const struct model_run *run;
	uint32_t result;
	struct finding *to;
	uint32_t n, n_most;
};

/* A finding with nothing known but the run and the value; then with counts, too. */
struct finding *finder_add(struct finder *finder, const struct insight *insight, double value);
struct finding *finder_add_counts(struct finder *finder, const struct insight *insight, double value, int64_t a,
				  int64_t b);

/* Whether the model is run by this runtime ("openvino"). False where that is not known, and for what is no recording.
 */
bool speaker_is_of_runtime(const struct speaker *to, const char *runtime);
/* Of a recording: whether another runtime than this one may run the model. */
bool speaker_is_of_another(const struct speaker *to, const char *runtime);
bool finder_is_of_runtime(const struct finder *finder, const char *runtime);
/* The option that sets how many threads a session has, as its runtime calls it. */
const char *speaker_threads_option(const struct speaker *to);
/* Inferences wait longer in a pool's queue than they take, and behind others: waking a thread takes time, too. */
bool finder_is_behind(const struct summary_runs *runs);
/* Other programs take what this run could have used, or so much that caches and clocks are not its own either. */
bool finder_is_disturbed(const struct finder *finder);
/*
 * Inferences of a recording waited for CPUs for a twentieth of their time, and not only one of them, once. False where
 * that is not known.
 */
bool finder_waits(const struct summary_runs *runs);
/* The run waited for CPUs, and not because it has more threads than there are CPUs. */
bool finder_has_waited(const struct finder *finder);
/*
 * Finds a run that is surely less than a tenth faster than the one that differs from it in the axis alone, with the
 * largest value below its own, value_of being above 0. value: how many times as fast; low, high: its interval; a, b:
 * the values of both.
 */
void finder_find_no_gain(struct finder *finder, const struct insight *insight, enum model_axis axis,
			 int64_t (*value_of)(const struct model_result *result));
/*
 * Most inferences of a recording are of this kind, n in all, besides those that a backward pass followed. a: their
 * number, of b; value: their share.
 */
void finder_find_untrained(struct finder *finder, const struct insight *insight, uint64_t n);
/*
 * Of a recording: by how much the medians of inferences and of their operators differ. A thread that lost its CPU
 * between two operators is no work of the runtime. NAN: there is no recording.
 */
double finder_outside_ns(const struct finder *finder);
/* Whether that is at least such a share of the median. True where there is no recording. */
bool finder_is_typically_outside(const struct finder *finder, double least_share);
/*
 * The program of a recording keeps the CPUs busy that its inferences wait for: a process runs more of them at a time
 * than it may use CPUs, or it, or all processes that ran inferences beside it, use most of these with more threads.
 * false where that is not known.
 */
bool finder_waits_for_itself(const struct finder *finder);
/* Of a recording whose inferences have kernels of a device, 5 or more; NULL: it is none. */
const struct summary_runs *finder_device_runs(const struct finder *finder);
/*
 * Adds a finding if half of these inferences or more are bound by it. value: the share of their time that ns is, which
 * is the gain; a: n_bound, of b. NULL: fewer are.
 */
struct finding *finder_add_bound(struct finder *finder, const struct insight *insight, uint64_t n_bound, uint64_t ns);
/* Inferences waited for a CPU for half of that time or more: what was late was late for that reason. */
bool finder_lost_cpu(const struct finder *finder, uint64_t ns);
/* Has this rule, which is listed before, found something of the run? */
bool finder_has(const struct finder *finder, const struct insight *insight);
double finder_phase_of(const struct model_result *result, int phase); /* enum summary_phase; 0: not seen */
double finder_phase_ns(const struct finder *finder, int phase);
double finder_of_each(const struct finder *finder, double ns); /* by inferences of a recording; NAN: none */
/* The creation of a session without what its thread waited for a CPU, or was stopped for; then in words. */
double finder_creation_ns(const struct model_result *result);
struct printable speaker_creation(const struct speaker *to);
/* Of a recording in which other programs may have had the CPUs while sessions were created: that was not recorded. */
bool finder_may_have_waited(const struct finder *finder);
/* What each creation of a recording's sessions could do without, by its inferences; NAN: not a recording. */
double finder_of_creations(const struct finder *finder, double ns);
/* Medians of operators are of three inferences or more: in fewer, one that lost the CPU may be all that they show. */
bool finder_has_medians(const struct finder *finder);
/*
 * All calls of an operator, if each took its median: one that lost the CPU makes none large. At most its share, as the
 * median includes operators inside it.
 */
double finder_typical_ns(const struct model_operator *op);
double finder_per_inference(const struct finder *finder, double ns); /* of the pass for operators; NAN: not known */

/*
 * Finds that the threads that run a model were in a state before its inferences for that share of the recording. value:
 * the share; low: nanoseconds before each inference, which is the gain; high: of all; a: samples; text: where most of
 * it was, in words. NULL: they were not.
 */
struct finding *finder_find_outside(struct finder *finder, const struct insight *insight, enum sample_state state,
				    double least_share);
/* "2.40 ms before each inference, 18.2 % of the recording": the evidence of such a finding. */
struct printable speaker_outside(const struct speaker *to);

/* What the words of one finding are made of. */
struct speaker {
	const struct model_analysis *analysis;
	const struct finding *finding;
	const struct model_run *run;
	bool is_ascii;
	struct printable text; /* finding->text; "": it has none */
	struct insight_words *to;
};

#define FINDING(...) printable_add(&to->to->finding, __VA_ARGS__)
#define EVIDENCE(...) printable_add(&to->to->evidence, __VA_ARGS__)
#define NEXT(...) printable_add(&to->to->next, __VA_ARGS__)

/* What one of its gains is of: "inference"; of generations "step", which is a prompt or one more token. */
const char *speaker_each(const struct speaker *to);
/* "12 of 340" of the finding's a and b. */
struct printable speaker_counts(const struct speaker *to);
/* "conv_1 (Conv), pool (MaxPool), fc (Gemm) and 12 more": operators that did not run on the provider; NULL: all. */
struct printable speaker_elsewhere(const struct speaker *to, const char *provider);
/* Words of the three insights on what bounds operators. */
void speaker_say_bound(const struct speaker *to, const char *finding, const char *next);
/* Finds those that take at least that share of the time at such a bound, and reach that share of the possible. */
void finder_find_bound(struct finder *finder, const struct insight *insight, enum model_bound_by by, double least_share,
		       double least_reached);

#endif
