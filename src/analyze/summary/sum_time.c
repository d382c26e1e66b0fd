// SPDX-License-Identifier: Apache-2.0
/*
 * Where the time of a recording went. A moment at which an inference runs, in any process, belongs to inferences; one
 * at which none does but a session is being created, to creation; all others lie outside. The inferences' time is
 * divided further as the time of their threads is.
 */
#include "analyze/summary/sum_in.h"
#include "analyze/summary/sum_kinds.h"

/* As moments, because inferences that began before it ended may come later. */
int sum_time_creation(struct summary_maker *maker, uint32_t process, const struct slice *slice, uint64_t over_ns)
{
	struct moment moment = { .time_ns = slice->begin_ns,
				 .what = MOMENT_CREATION,
				 .index = process,
				 .value = (double)fact_int(&slice->facts, FACT_TID, -1) };
	int rc = sum_window_moment(maker, &moment);

	moment.time_ns = over_ns;
	moment.what = MOMENT_CREATED;
	return rc ? rc : sum_window_moment(maker, &moment);
}

/* What lies within another inference counts there. */
static double own_of(uint64_t ns, uint64_t inner_ns)
{
	return ns > inner_ns ? (double)(ns - inner_ns) : 0;
}

/* The first inferences, and the waits of the others, as shares of all time that threads spent in inferences. */
static void divide(const struct summary *summary, struct summary_time *time)
{
	double wall = 0, first = 0, waiting = 0;

	for (uint32_t i = 0; i < summary->n_models; i++) {
		const struct summary_runs *runs = &summary->models[i].runs;
		double waited = summary_waited(runs);

		wall += (double)summary_runs_ns(runs);
		first += own_of(runs->first.total_ns, runs->first_inner_ns);
		waiting += isfinite(waited) ? waited * own_of(runs->latency.total_ns, runs->typical_inner_ns) : 0;
	}
	if (wall <= 0)
		return;
	time->first_ns = (uint64_t)((double)time->inferences_ns * (first < wall ? first / wall : 1));
	time->waiting_ns = (uint64_t)((double)time->inferences_ns * (waiting < wall ? waiting / wall : 1));
	if (time->waiting_ns > time->inferences_ns - time->first_ns)
		time->waiting_ns = time->inferences_ns - time->first_ns;
}

void sum_time_make(struct summary *summary, uint64_t inferences_ns, uint64_t taken_ns)
{
	const struct summary_recording *recording = &summary->recording;
	struct summary_time *time = &summary->time;
	uint64_t wall_ns, creating_ns;

	if (!recording->is_ours || recording->has_no_begins || recording->begin_ns >= recording->end_ns)
		return;
	wall_ns = recording->end_ns - recording->begin_ns;
	taken_ns = taken_ns < wall_ns ? taken_ns : wall_ns;
	inferences_ns = inferences_ns < taken_ns ? inferences_ns : taken_ns;
	creating_ns = taken_ns - inferences_ns;
	if (summary->n_sampled_out)
		inferences_ns = (uint64_t)((double)inferences_ns * summary->sampled);
	if (inferences_ns > wall_ns - creating_ns)
		inferences_ns = wall_ns - creating_ns;
	*time = (struct summary_time){ .wall_ns = wall_ns,
				       .inferences_ns = inferences_ns,
				       .creating_ns = creating_ns,
				       .outside_ns = wall_ns - creating_ns - inferences_ns };
	divide(summary, time);
}

/* In this order, because what comes first is the cause of what comes later. */
enum summary_cause summary_largest(const struct summary_time *time)
{
	const uint64_t part[N_CAUSES] = {
		[CAUSE_OUTSIDE] = time->outside_ns,
		[CAUSE_CREATING] = time->creating_ns,
		[CAUSE_FIRST] = time->first_ns,
		[CAUSE_WAITING] = time->waiting_ns,
		[CAUSE_RUNNING] = time->inferences_ns - time->first_ns - time->waiting_ns,
	};
	enum summary_cause largest = CAUSE_OUTSIDE;

	for (int cause = 0; cause < N_CAUSES; cause++)
		if (part[cause] > part[largest])
			largest = (enum summary_cause)cause;
	return largest;
}
