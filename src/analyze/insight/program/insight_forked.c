// SPDX-License-Identifier: Apache-2.0
/*
 * A session was created before its process was forked, so that the threads of its pools are not there. value: sessions;
 * low: nanoseconds from the begin of the recording to the creation; a: pid of its creator; b: missing threads of one.
 */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_forked;

/* One that does not end: it waits for threads that are not there. */
static bool find_release(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_session *session;
	struct finding *to;

	for (uint32_t i = 0; i < facts->summary->n_open_rows; i++) {
		const struct summary_open *open = &facts->summary->open[i];

		if (!open->is_release || !open->is_longest || open->of == SUMMARY_NONE)
			continue;
		session = &facts->summary->sessions[open->of];
		if (&facts->summary->models[session->model] != facts->model)
			continue;
		to = finder_add_counts(finder, &insight_forked, 1, facts->summary->processes[session->process].pid,
				       session->n_pool ? (int64_t)session->n_pool : -1);
		to->low = (double)(session->begin_ns - facts->summary->recording.begin_ns);
		to->text = "released";
		return true;
	}
	return false;
}

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_session *session, *first = NULL;
	const struct summary *summary;
	uint32_t n = 0;

	if (!facts)
		return;
	summary = facts->summary;
	session = summary->sessions + facts->model->sessions.first;
	for (uint32_t i = 0; i < facts->model->sessions.n; i++) {
		if (session[i].made_in == SUMMARY_NONE || (!session[i].n_pool && !facts->model->runs.n_open))
			continue; /* a session without threads of its own is whole in the child */
		n++;
		first = first ? first : &session[i];
	}
	if (!first && find_release(finder))
		return;
	if (first)
		finder_add_counts(finder, &insight_forked, n, summary->processes[first->made_in].pid,
				  first->n_pool ? (int64_t)first->n_pool : -1)
		    ->low = (double)(first->made_ns - summary->recording.begin_ns);
}

static void say(const struct speaker *to)
{
	const struct finding *finding = to->finding;

	if (*to->text.s)
		FINDING("a fork of the process that created its session releases it, and waits forever");
	else
		FINDING(finding->value > 1 ? "its sessions are used in forks of the process that created them"
					   : "its session is used in a fork of the process that created it");
	EVIDENCE("process %lld created it at %s, before the fork", (long long)finding->a,
		 units_duration(finding->low).s);
	if (finding->b > 0)
		EVIDENCE("; %s of it exist%s there alone", printable_count((uint64_t)finding->b, "pool thread").s,
			 finding->b == 1 ? "s" : "");
	else
		EVIDENCE("; threads of its pools exist there alone");
	if (*to->text.s)
		NEXT("let it end without releasing it (os._exit), or ");
	NEXT("create the session after the fork: gunicorn without --preload or in post_fork, multiprocessing with "
	     "\"spawn\" or in the worker's initializer; without its threads an inference is slow, or never ends");
}

const struct insight insight_forked = {
	.name = "forked",
	.severity = INSIGHT_WRONG,
	.find = find,
	.say = say,
	.figures = { .value = "sessions",
		     .low = "created_after_ns",
		     .a = "created_in_pid",
		     .b = "missing_pool_threads",
		     .text = "how" },
};
