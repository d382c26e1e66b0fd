// SPDX-License-Identifier: Apache-2.0
/*
 * Providers and the table of their kernels are registered again and again: once in each process, and some providers in
 * each session. value: share of that in session creation, the longest left out, as it is needed; a: sessions; b:
 * processes; low: nanoseconds of all but the longest.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_registered_again;

enum { LEAST = 3 };

static const double least_share = 0.15, least_ns = 10e6;

/* Of recordings from outside, and of earlier ones, all of it is registration. */
static uint64_t register_ns(const uint64_t *phase_ns)
{
	return phase_ns[PHASE_PROVIDERS] + phase_ns[PHASE_REGISTER];
}

/* Sessions of the same model in all processes. */
struct sessions {
	uint64_t n, n_processes, register_ns, whole_ns;
	uint64_t longest_ns; /* of one session, as a mean of those in its process */
};

/* By process, each is looked at alone: what several do is for the report of all together. */
static bool is_joined(const struct recording_facts *facts, const struct summary_model *other)
{
	return other == facts->model ||
	       (!facts->summary->by_process && other->name == facts->model->name && other->path == facts->model->path);
}

/* False: an entry before this one is of the same model, and says it. */
static bool gather(const struct recording_facts *facts, struct sessions *all)
{
	for (uint32_t i = 0; i < facts->summary->n_models; i++) {
		const struct summary_model *other = &facts->summary->models[i];
		uint64_t mean_ns;

		if (!is_joined(facts, other) || !other->creation.duration.n)
			continue;
		if (!all->n && other != facts->model)
			return false;
		all->n += other->creation.duration.n;
		all->n_processes += other->n_processes ? other->n_processes : 1;
		mean_ns = register_ns(other->creation.phase_ns) / other->creation.duration.n;
		all->longest_ns = mean_ns > all->longest_ns ? mean_ns : all->longest_ns;
		all->register_ns += register_ns(other->creation.phase_ns);
		all->whole_ns += other->creation.duration.total_ns;
	}
	return true;
}

/*
 * Most processes register, or most sessions of the only one: a few that lost the CPU in what they inherited make it no
 * habit. Of the sessions that the summary keeps one by one.
 */
static bool is_habit(const struct recording_facts *facts, const struct sessions *all)
{
	uint64_t n = 0, n_kept = 0;

	for (uint32_t i = 0; i < facts->summary->n_models; i++) {
		const struct summary_model *model = &facts->summary->models[i];
		const struct summary_session *session = facts->summary->sessions + model->sessions.first;

		if (!is_joined(facts, model))
			continue;
		n_kept += model->sessions.n;
		for (uint32_t k = 0; k < model->sessions.n; k++)
			n += session[k].has_slice && register_ns(session[k].phase_ns) >= all->longest_ns / 4;
	}
	return n_kept < all->n || 4 * n >= 3 * (all->n_processes > 1 ? all->n_processes : all->n);
}

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	struct sessions all = { 0 };
	struct finding *to;
	double ns, share;

	if (!facts || !gather(facts, &all) || all.n < LEAST || !is_habit(facts, &all))
		return;
	ns = (double)(all.register_ns - all.longest_ns);
	share = ns / ((double)all.whole_ns * (double)(all.n - 1) / (double)all.n);
	if (ns < least_ns || share < least_share)
		return;
	to = finder_add_counts(finder, &insight_registered_again, share, (int64_t)all.n, (int64_t)all.n_processes);
	to->low = ns;
}

static void say(const struct speaker *to)
{
	bool is_of_processes = to->finding->b > 1;

	FINDING("%s registers providers and their kernels anew", is_of_processes ? "each process" : "each session");
	EVIDENCE("%s of the creation of %s", units_percent(to->finding->value).s,
		 printable_count((uint64_t)to->finding->a, "session").s);
	if (is_of_processes)
		EVIDENCE(" in %s", printable_count((uint64_t)to->finding->b, "process").s);
	if (is_of_processes)
		NEXT("children of a process that has created a session inherit them (fork), and one process that "
		     "serves all needs them once: up to %s could be saved in total",
		     units_duration(to->finding->low).s);
	else
		NEXT("sessions that are kept would save up to %s in total", units_duration(to->finding->low).s);
}

const struct insight insight_registered_again = {
	.name = "registered_again",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "creation_share", .a = "creations", .b = "processes", .low = "avoidable_ns" },
};
