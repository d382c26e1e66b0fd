/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a summary in the making that sum one kind of thing each, a file per part. What can fail returns 0 or
 * -ENOMEM. */
#ifndef ANALYZE_SUMMARY_SUM_KINDS_H
#define ANALYZE_SUMMARY_SUM_KINDS_H

#include "analyze/summary/sum_in.h"
#include "analyze/summary/sum_types.h"
#include "analyze/summary/summary.h"

/* Nodes on a device whose profiler counts cycles instead of time: by name and type. */

/* Takes an instant of kind KIND_KERNEL, if it has cycles. 0, or -ENOMEM. */
int sum_cycles_put(struct summary_maker *maker, const struct event *event);
int sum_cycles_make(struct summary_maker *maker, struct end *end);
void sum_cycles_done(struct summary_maker *maker);

/* Inferences that make the tokens of a request, one after the other. */

/* A finished inference that did not fail. All: 0 or -ENOMEM. */
int sum_generations_add(struct summary_maker *maker, const struct run *run);
/* A call of a runtime that makes tokens itself. It waits in the window until `moment`, its end: then all inferences
 * that it contains have left, in whatever order they are in the recording. */
int sum_generations_call(struct summary_maker *maker, uint32_t process, const struct slice *slice, uint64_t end_ns,
			 struct moment *moment);
int sum_generations_pass(struct summary_maker *maker, const struct moment *moment); /* that has come */
int sum_generations_make(struct summary_maker *maker, struct end *end);

/* Halts of processes, and what they hit. What can fail returns 0 or -ENOMEM. */
int sum_halts_begin(struct summary_maker *maker, struct track *track, const struct event *event);
void sum_halts_end(struct summary_maker *maker, struct track *track, uint64_t end_ns, const struct event *event);
/* An inference of the process was halted. */
int sum_halts_run(struct summary_maker *maker, const struct run *run);
/* What a slow one's halts come to. */
void sum_halts_put(const struct process *process, struct summary_slow *to);
int sum_halts_make(struct summary_maker *maker, struct end *end);
void sum_halts_done(struct summary_maker *maker);

static inline bool sum_halts_hit(const struct summary_maker *maker, uint32_t process, uint64_t begin_ns,
				 uint64_t end_ns)
{
	return end_ns != STORE_OPEN && halts_hit(&process_at(maker, process)->halts, begin_ns, end_ns);
}

/* Kernels and copies of devices: by name, by type of the operator that launched them, and by stream. */

/* One that has ended. is_inside: it lies in another one of its track. 0, or -ENOMEM. */
int sum_kernels_add(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns,
		    bool is_inside);
int sum_kernels_make(struct summary_maker *maker, struct end *end);
void sum_kernels_done(struct summary_maker *maker);

/* Slices that nothing else sums up, by name: those of other programs' traces. */
bool sum_named_has(enum event_kind kind); /* nothing else sums slices of it up */
/* 0, or -ENOMEM. */
int sum_named_add(struct summary_maker *maker, uint32_t name, uint64_t ns);
int sum_named_make(struct summary_maker *maker, struct end *end);
void sum_named_done(struct summary_maker *maker);

/* What did not end, and what was created before a fork. 0 or -ENOMEM. */

/* An inference, or the creation of a session, without an end. */
int sum_open_run(struct summary_maker *maker, const struct run *run);
int sum_open_creation(struct summary_maker *maker, uint32_t process, const struct slice *slice);
/* The release of one that was created before a fork begins; and it is over. */
int sum_open_release(struct summary_maker *maker, uint32_t process, const struct session *session, int64_t tid);
void sum_open_released(struct summary_maker *maker, uint32_t process, int64_t number);
int sum_open_make(struct summary_maker *maker, struct end *end);
/* Who created sessions that a process has inherited. */
int sum_forked_make(struct summary_maker *maker, struct end *end);

/* What threads did between inferences, of a summary in the making. What can fail returns 0 or -ENOMEM. */

/* moment: when the sample begins; its `what` is MOMENT_STRETCH, or there is none. */
int sum_outside_sample(struct summary_maker *maker, struct track *track, const struct event *event,
		       struct moment *moment);
/* The same sample, if its thread waits for a lock: sum/sum_locks.c. */
int sum_locks_sample(struct summary_maker *maker, uint32_t process, const struct event_sample *sample);
/* A process was forked from another one. */
void sum_outside_forked(struct summary_maker *maker, uint32_t child, int64_t parent_pid);
int sum_outside_pass(struct summary_maker *maker, const struct moment *moment);
/* An inference (before: its bucket) or a creation (NONE) begins; the last one that ran has ended. */
int sum_outside_until(struct summary_maker *maker, uint64_t time_ns, uint32_t process, int64_t tid, uint32_t before);
void sum_outside_from(struct summary_maker *maker, uint32_t process, int64_t tid);
/* At the end: closes the last gap; then makes rows, once it is known how long no model ran. */
int sum_outside_finish(struct summary_maker *maker);
int sum_outside_make(struct summary_maker *maker, struct array *rows);

/* Requests of a summary in the making (part/summary_request.h). What can fail returns 0 or -ENOMEM. */
int sum_requests_sample(struct summary_maker *maker, uint32_t process, uint64_t end_ns,
			const struct event_sample *sample);
/* A slice is over: an inference, or one of the program's own. */
int sum_requests_slice(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns);
int sum_requests_make(struct summary_maker *maker, struct end *end);
void sum_requests_done(struct summary_maker *maker);

/* Figures of all inferences, where only some of them were recorded. */
struct summary_maker;

/*
 * Fills in how many inferences were left out, scales counts and rates, and takes back what would tell of moments
 * without an inference. Once processes, models and resources are there.
 */
void sum_sampled_make(const struct summary_maker *maker, struct summary *to);

/* Where the time of a recording went. */

/* Fills summary->time, once the rest is there, from how long inferences ran, and how long these or creations did. */
void sum_time_make(struct summary *summary, uint64_t inferences_ns, uint64_t taken_ns);

/* What a runtime compiled while inferences ran, by session. */

/* A slice of such a compilation, on the track of its inference. 0, or -ENOMEM. */
int sum_compiling_add(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns);
void sum_compiling_join(struct summary_compiling *to, const struct summary_compiling *from);

/* How things went over time, and the time between inferences, of a summary in the making. */

/* Makes a course while there are not too many; the index of a copy, + 1, goes into *index.
 */
int sum_courses_open(struct course **course, uint32_t *n);
int sum_courses_put(struct array *courses, const struct course *course, uint32_t *index);
void sum_courses_align(struct array *courses);

/* An inference has ended; one begins, and makes window.busy busy. */
void sum_gaps_idle(struct summary_maker *maker);
void sum_gaps_begin(struct summary_maker *maker, uint64_t time_ns);

/* What a device did for inferences, while their parts pass. Work of an inference that has left is not counted. */

/* A kernel or copy of the inference that has ended. 0, or -ENOMEM. */
int sum_device_work(struct summary_maker *maker, struct run *run, const struct slice *slice, uint64_t end_ns);
/* A call to the device's driver or runtime. */
void sum_device_call(const struct summary_maker *maker, struct run *run, const struct slice *slice, uint64_t end_ns);
/* Its time goes to the operators, in that place, that asked for it; to no others. 0, or -ENOMEM. */
int sum_device_settle(struct summary_maker *maker, const struct run *run, const struct place *place);
/* What it did for an inference that has left. */
void sum_device_of_run(const struct run *run, struct summary_device *to);
void sum_device_add(struct summary_device *to, const struct summary_device *from);

/* Inferences that were part of training, by session. */

/* A stage that completes inferences of a session. 0, or -ENOMEM. */
int sum_training_add(struct summary_maker *maker, uint32_t process, const struct slice *slice, uint64_t end_ns);
void sum_training_join(struct summary_training *to, const struct summary_training *from);

#endif
