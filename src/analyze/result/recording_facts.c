// SPDX-License-Identifier: Apache-2.0
/* Reads counters and sessions out of a summary. Judges nothing: that is for the insights. */
#include "analyze/result/recording_facts.h"

#include <math.h>
#include <string.h>

#include "analyze/result/process_resources.h"

enum { MOST_PROCESSES = 256 };

const struct summary_resource *recording_counter(const struct summary *summary, uint32_t process, const char *name)
{
	const struct summary_range own = process_resources(summary, process);

	for (uint32_t i = own.first; i < own.first + own.n; i++)
		if (!strcmp(names_text(summary->names, summary->resources[i].name), name))
			return &summary->resources[i];
	return NULL;
}

static double cores_of(const struct summary *summary, uint32_t process)
{
	const struct summary_resource *cpu = recording_counter(summary, process, "cpu");

	return cpu ? cpu->busy_mean / 100 : NAN;
}

static int64_t count_of(double value)
{
	return value >= 1 && value < 1e9 ? (int64_t)value : -1;
}

/* Did it run the model, or is it another process of the program that did? */
static bool is_own(const struct recording_facts *facts, uint32_t process)
{
	const struct summary_process *all = facts->summary->processes;
	uint32_t first = facts->model->process;

	return process == first || (facts->model->n_processes > 1 && first != SUMMARY_NONE && process != SUMMARY_NONE &&
				    all[process].name == all[first].name);
}

/* Of a counter, over all processes of the program: NAN where none has it. */
static double sum_of(const struct recording_facts *facts, const char *name, size_t field)
{
	const struct summary *summary = facts->summary;
	double sum = NAN;

	for (uint32_t i = 0; i < summary->n_resources; i++) {
		const struct summary_resource *resource = &summary->resources[i];
		double value;

		if (resource->process == SUMMARY_NONE || !is_own(facts, resource->process) ||
		    strcmp(names_text(summary->names, resource->name), name) != 0)
			continue;
		memcpy(&value, (const char *)resource + field, sizeof value);
		if (isfinite(value))
			sum = isnan(sum) ? value : sum + value;
	}
	return sum;
}

#define SUM_OF(facts, name, field) sum_of(facts, name, offsetof(struct summary_resource, field))

/* Of one that ran inferences: while it did. NAN: less than half of that time lies between two samples. */
static double used_ns_of(const struct summary *summary, const struct summary_resource *cpu)
{
	uint64_t ran_ns = summary->processes[cpu->process].busy_ns, lived_ns = cpu->busy_ns + cpu->idle_ns;

	if (!ran_ns)
		return cpu->mean / 100 * (double)(lived_ns < summary->busy_ns ? lived_ns : summary->busy_ns);
	return 2 * cpu->busy_ns < ran_ns ? NAN : cpu->busy_mean / 100 * (double)ran_ns;
}

/* What threads that ran inferences used in them, as each of them reads it: of short ones a sample sees too little. */
static double least_ns_of(const struct summary *summary, const struct summary_model *only)
{
	double ns = 0;

	for (uint32_t i = 0; i < summary->n_models; i++) {
		const struct summary_runs *runs = &summary->models[i].runs;

		if ((!only || only == &summary->models[i]) && runs->n_usage * 2 >= runs->n && runs->n_usage)
			ns += (double)runs->thread_cpu_ns / (double)runs->n_usage * (double)runs->n;
	}
	return ns;
}

/* CPU time of processes, as far as samples tell of it, and the time of inferences. */
struct used {
	double ns, runs_ns;		     /* runs_ns: of ns, of processes with inferences */
	double known_ns, counted_ns, all_ns; /* of these processes, of those with a counter, of all */
	uint32_t n_counters;
};

static void add_used(struct used *used, double ns, double ran_ns)
{
	used->n_counters++;
	used->counted_ns += ran_ns;
	if (!isfinite(ns))
		return;
	used->ns += ns;
	used->known_ns += ran_ns;
	if (ran_ns > 0)
		used->runs_ns += ns;
}

/* A few that ended between samples, or before the first one, used as much as the others did. */
static double used_by_all(const struct used *used)
{
	double unknown_ns = used->all_ns - used->known_ns;

	if (!(unknown_ns > 0))
		return used->ns;
	return unknown_ns >= used->known_ns ? NAN : used->ns + used->runs_ns / used->known_ns * unknown_ns;
}

static bool counts(const struct recording_facts *facts, uint32_t process)
{
	return process != SUMMARY_NONE && (!facts || is_own(facts, process));
}

/* Of the processes that count, or of all (NULL). */
static double cores_of_all(const struct summary *summary, const struct recording_facts *facts)
{
	double alone = NAN, cores, least;
	struct used used = { 0 };

	for (uint32_t i = 0; i < summary->n_processes; i++)
		if (counts(facts, i))
			used.all_ns += (double)summary->processes[i].busy_ns;
	for (uint32_t i = 0; i < summary->n_resources; i++) {
		const struct summary_resource *cpu = &summary->resources[i];

		if (!counts(facts, cpu->process) || strcmp(names_text(summary->names, cpu->name), "cpu") != 0)
			continue;
		alone = (isfinite(cpu->busy_mean) ? cpu->busy_mean : cpu->mean) / 100;
		add_used(&used, used_ns_of(summary, cpu), (double)summary->processes[cpu->process].busy_ns);
	}
	if (used.n_counters < 2 && used.all_ns <= used.counted_ns)
		cores = alone;
	else
		cores = used.n_counters && summary->busy_ns ? used_by_all(&used) / (double)summary->busy_ns : NAN;
	least = least_ns_of(summary, facts ? facts->model : NULL) / (double)summary->busy_ns;
	return summary->busy_ns && least > cores ? least : cores;
}

double recording_cores(const struct summary *summary, bool *is_of_runs)
{
	uint32_t n = 0;

	*is_of_runs = false;
	for (uint32_t i = 0; i < summary->n_resources; i++) {
		const struct summary_resource *cpu = &summary->resources[i];

		if (cpu->process == SUMMARY_NONE || strcmp(names_text(summary->names, cpu->name), "cpu") != 0)
			continue;
		*is_of_runs = n++ || isfinite(cpu->busy_mean);
	}
	return cores_of_all(summary, NULL);
}

/* A runtime may pin the thread whose affinity was read, and not the others. */
static bool is_exceeded(double usable, double cores)
{
	const double slack = 1.05;

	return cores > slack * usable;
}

double recording_usable(const struct summary *summary)
{
	double usable = NAN;

	for (uint32_t i = 0; i < summary->n_processes; i++) {
		const struct summary_resource *allowed, *quota;
		double own = summary->recording.n_cpus > 0 ? (double)summary->recording.n_cpus : NAN;

		if (!summary->processes[i].busy_ns)
			continue;
		allowed = recording_counter(summary, i, "cpus allowed");
		quota = recording_counter(summary, i, "cpu quota");
		own = allowed ? fmin(own, allowed->last) : own;
		own = quota && quota->last > 0 ? fmin(own, quota->last) : own;
		if (!isnan(usable) && own != usable)
			return NAN;
		usable = own;
	}
	return is_exceeded(usable, cores_of_all(summary, NULL)) ? NAN : usable;
}

double recording_stolen(const struct summary *summary)
{
	const struct summary_resource *stolen = recording_counter(summary, SUMMARY_NONE, "stolen");

	return !stolen ? NAN : (isfinite(stolen->busy_mean) ? stolen->busy_mean : stolen->mean) / 100;
}

double recording_nice(const struct summary *summary)
{
	double most = 0;

	for (uint32_t i = 0; i < summary->n_processes; i++) {
		const struct summary_resource *nice =
		    summary->processes[i].busy_ns ? recording_counter(summary, i, "nice") : NULL;

		most = nice && nice->last > most ? nice->last : most;
	}
	return most;
}

bool recording_reads_again(const struct summary_runs *runs)
{
	enum { LEAST = 10, LEAST_BYTES = 1 << 20, PART = 20 };
	const struct summary_reads *reads = &runs->reads;

	return runs->n_usage >= LEAST && 2 * reads->n >= runs->n_usage && reads->bytes / reads->n >= LEAST_BYTES &&
	       PART * reads->blocked_ns >= runs->usage_wall_ns;
}

/* All recorded processes count as the program's own. */
static double others_cores_of(const struct recording_facts *facts)
{
	const struct summary *summary = facts->summary;
	double own = isfinite(facts->all_cores) ? facts->all_cores : 0;
	double cores = cores_of(summary, SUMMARY_NONE) * (double)facts->n_cpus - own;

	return facts->n_cpus < 1 ? NAN : cores > 0 ? cores : isnan(cores) ? NAN : 0;
}

/* The least of machine, affinity (in n_allowed) and quota. */
static void find_usable(struct recording_facts *facts)
{
	bool is_one = facts->model->process != SUMMARY_NONE && facts->model->n_processes <= 1;

	facts->quota =
	    is_one ? program_quota_of(facts->summary, facts->model->process) : program_quota_of_all(facts->summary);
	facts->usable = facts->n_allowed > 0 ? (double)facts->n_allowed : NAN;
	facts->is_by_quota = facts->quota.least < facts->usable;
	facts->usable = fmin(facts->usable, facts->quota.least);
	if (facts->usable < (double)facts->n_allowed)
		facts->n_allowed = (int64_t)ceil(facts->usable);
}

/* Which CPUs the processes share is not recorded: those of the one that may use most. */
static double most_allowed(const struct recording_facts *facts)
{
	const struct summary *summary = facts->summary;
	double most = NAN;

	for (uint32_t i = 0; i < summary->n_resources; i++)
		if (summary->resources[i].process != SUMMARY_NONE && is_own(facts, summary->resources[i].process) &&
		    !strcmp(names_text(summary->names, summary->resources[i].name), "cpus allowed") &&
		    !(summary->resources[i].last <= most))
			most = summary->resources[i].last;
	return most;
}

static void find_cpus(struct recording_facts *facts)
{
	const struct summary *summary = facts->summary;
	int64_t n_allowed;

	facts->n_cpus = facts->n_allowed = summary->recording.n_cpus;
	facts->all_cores = cores_of_all(summary, NULL);
	facts->others_cores = others_cores_of(facts);
	if (facts->model->process == SUMMARY_NONE)
		return;
	/* a launcher such as taskset sets it before it becomes the program: the last value is the program's */
	n_allowed = count_of(most_allowed(facts));
	if (n_allowed > 0)
		facts->n_allowed = n_allowed;
	facts->cores = cores_of_all(summary, facts);
	if (is_exceeded((double)facts->n_allowed, facts->cores))
		facts->n_allowed = facts->n_cpus;
	find_usable(facts);
	facts->n_threads = count_of(SUM_OF(facts, "threads", max));
}

/* Threads that a session of the process has started, at most; where no session tells, all may be its own. */
static uint64_t threads_of_a_pool(const struct recording_facts *facts, uint32_t process)
{
	const struct summary *summary = facts->summary;
	uint64_t most = 0;

	for (uint32_t i = 0; i < summary->n_sessions; i++)
		if (summary->sessions[i].process == process && summary->sessions[i].n_pool > most)
			most = summary->sessions[i].n_pool;
	return most ? most : (uint64_t)facts->n_pool;
}

/* A pool works for an inference of its session alone, each of its threads for as long as that takes at most. */
static double work_of_pools(const struct recording_facts *facts, uint32_t process)
{
	const struct summary *summary = facts->summary;
	uint64_t most = threads_of_a_pool(facts, process);
	double work_ns = 0;

	for (uint32_t i = 0; i < summary->n_sessions; i++) {
		const struct summary_session *session = &summary->sessions[i];

		if (session->process == process)
			work_ns += (double)session->runs_wall_ns * (double)(session->n_pool ? session->n_pool : most);
	}
	/* others are not listed one by one */
	return summary->n_sessions < summary->n_all_sessions ? INFINITY : work_ns;
}

static void find_pool(struct recording_facts *facts)
{
	const struct summary *summary = facts->summary;
	double ns = 0, busy_ns = 0, pct = 0, cpu_ns = 0, work = 0;

	facts->n_pool = count_of(SUM_OF(facts, "pool threads", max));
	for (uint32_t i = 0; i < summary->n_resources; i++) {
		const struct summary_resource *cpu = &summary->resources[i];
		double own_ns;

		if (cpu->process == SUMMARY_NONE || !is_own(facts, cpu->process) || !isfinite(cpu->mean) ||
		    strcmp(names_text(summary->names, cpu->name), "cpu of pool threads") != 0)
			continue;
		own_ns = (double)cpu->busy_ns + (double)cpu->idle_ns;
		ns += own_ns;
		busy_ns += (double)cpu->busy_ns;
		pct += cpu->mean;
		cpu_ns += cpu->mean / 100 * own_ns;
		work += own_ns > 0 ? work_of_pools(facts, cpu->process) / own_ns : 0;
	}
	if (!(ns > 0))
		return;
	facts->pool_cores = pct / 100;
	facts->pool_busy = busy_ns / ns;
	facts->pool_cpu_ns = cpu_ns;
	facts->pool_work = fmin(facts->pool_busy * (double)facts->n_pool, work);
}

/* When a process ran inferences, as far as its sessions are listed; and how many threads of it may work at a time. */
struct at_work {
	uint32_t process;
	uint64_t begin_ns, end_ns;
	int64_t n_threads;
};

static struct at_work at_work_of(const struct summary *summary, uint32_t process)
{
	struct at_work found = { process, UINT64_MAX, 0, 0 };
	const struct summary_resource *pool = recording_counter(summary, process, "pool threads");
	int64_t n_pool = pool ? count_of(pool->max) : 0;
	uint32_t at_once = 1;

	for (uint32_t i = 0; i < summary->n_sessions; i++) {
		const struct summary_session *session = &summary->sessions[i];

		if (session->process != process || !session->n_runs)
			continue;
		found.begin_ns = session->runs_begin_ns < found.begin_ns ? session->runs_begin_ns : found.begin_ns;
		found.end_ns = session->runs_end_ns > found.end_ns ? session->runs_end_ns : found.end_ns;
	}
	for (uint32_t i = 0; i < summary->n_models; i++) {
		const struct summary_model *model = &summary->models[i];

		if (model->process == process && model->n_processes <= 1 && model->runs.max_concurrent > at_once)
			at_once = model->runs.max_concurrent;
	}
	found.n_threads = at_once + (n_pool > 0 ? n_pool : 0);
	return found;
}

/* Half of the shorter time must be shared: one process may follow another. */
static bool is_beside(const struct at_work *a, const struct at_work *b)
{
	uint64_t begin = a->begin_ns > b->begin_ns ? a->begin_ns : b->begin_ns;
	uint64_t end = a->end_ns < b->end_ns ? a->end_ns : b->end_ns;
	uint64_t a_ns = a->end_ns - a->begin_ns, b_ns = b->end_ns - b->begin_ns;

	return end > begin && end - begin >= (a_ns < b_ns ? a_ns : b_ns) / 2;
}

/* Whether processes ran inferences at the same time at all: a parent may wait for its child meanwhile. */
static bool are_at_once(const struct summary *summary)
{
	const double least = 0.05;
	double ns = 0;

	for (uint32_t i = 0; i < summary->n_processes; i++)
		ns += (double)summary->processes[i].busy_ns;
	return ns - (double)summary->busy_ns >= least * ns;
}

/* While inferences of its process ran, where a part of that lies between two samples. */
static double waited_of(const struct summary_resource *resource, bool is_in_runs)
{
	double share = is_in_runs ? resource->busy_mean * (double)resource->busy_ns : resource->mean;

	return isfinite(share) ? share : 0;
}

/* Of what threads of the process waited for, as the scheduler's events say. */
static double own_share_in(const struct summary *summary, uint32_t process, bool is_in_runs)
{
	static const char prefix[] = "waited for ";
	double own = 0, all = 0;

	for (uint32_t i = 0; i < summary->n_resources; i++) {
		const struct summary_resource *resource = &summary->resources[i];
		const char *name = names_text(summary->names, resource->name);
		double waited;

		if (resource->process == SUMMARY_NONE || (process != SUMMARY_NONE && resource->process != process) ||
		    strncmp(name, prefix, sizeof prefix - 1) != 0)
			continue;
		name += sizeof prefix - 1;
		waited = waited_of(resource, is_in_runs);
		all += waited;
		if (!strcmp(name, "its own threads") || !strcmp(name, "its own processes"))
			own += waited;
	}
	return all > 0 ? own / all : NAN;
}

static double own_share_of(const struct summary *summary, uint32_t process)
{
	double share = own_share_in(summary, process, true);

	return isnan(share) ? own_share_in(summary, process, false) : share;
}

static void find_beside(struct recording_facts *facts, const struct at_work *all, uint32_t n, uint32_t own)
{
	struct recording_facts found = { .program_cores = NAN };
	bool are_together = are_at_once(facts->summary);

	for (uint32_t i = 0; i < n; i++) {
		double cores;

		if (i != own && (!are_together || !is_beside(&all[own], &all[i])))
			continue;
		cores = cores_of(facts->summary, all[i].process);
		found.n_beside++;
		found.n_at_work += all[i].n_threads;
		if (isfinite(cores))
			found.program_cores = (isnan(found.program_cores) ? 0 : found.program_cores) + cores;
	}
	if (found.n_at_work <= facts->n_at_work)
		return;
	facts->n_beside = found.n_beside;
	facts->n_at_work = found.n_at_work;
	facts->program_cores = found.program_cores;
}

/* Of the processes that run the model the one with the most at work beside it. */
static void find_program(struct recording_facts *facts)
{
	const struct summary *summary = facts->summary;
	bool is_one = facts->model->process != SUMMARY_NONE && facts->model->n_processes <= 1;
	struct at_work all[MOST_PROCESSES];
	uint32_t n = 0;

	facts->own_share = own_share_of(summary, is_one ? facts->model->process : SUMMARY_NONE);
	for (uint32_t i = 0; i < summary->n_processes && n < MOST_PROCESSES; i++)
		if (summary->processes[i].n_inferences)
			all[n++] = at_work_of(summary, i);
	for (uint32_t i = 0; i < n; i++)
		if (is_own(facts, all[i].process))
			find_beside(facts, all, n, i);
}

static void find_pace(struct recording_facts *facts)
{
	const struct summary *summary = facts->summary;
	uint64_t begin_ns = UINT64_MAX, end_ns = 0;
	double wall_ns = 0, n = 0, ns;

	facts->is_one_at_a_time = facts->is_largest = true;
	for (uint32_t i = 0; i < summary->n_models; i++) {
		const struct summary_model *other = &summary->models[i];

		if (!is_own(facts, other->process) || !other->runs.n)
			continue;
		begin_ns = other->runs.begin_ns < begin_ns ? other->runs.begin_ns : begin_ns;
		end_ns = other->runs.end_ns > end_ns ? other->runs.end_ns : end_ns;
		wall_ns += (double)other->runs.wall_ns;
		n += (double)other->runs.n;
		facts->is_one_at_a_time &= other->runs.max_concurrent <= 1;
		facts->is_largest &= other >= facts->model; /* they are in this order */
	}
	if (begin_ns >= end_ns || summary->recording.has_no_begins)
		return;
	ns = (double)(end_ns - begin_ns);
	facts->duty = wall_ns / ns;
	facts->rate_per_s = n * 1e9 / ns;
	facts->is_one_at_a_time &= facts->duty <= 1.01;
}

static void find_memory(struct recording_facts *facts)
{
	if (facts->model->process != SUMMARY_NONE)
		facts->memory_per_s = SUM_OF(facts, "rss", busy_growth_per_s);
}

static bool is_used(const struct summary_session *session)
{
	return session->n_runs && !session->is_failed && session->runs_begin_ns < session->runs_end_ns;
}

/*
 * When a session is released may be noticed late. Until its last inference it was there for sure. One that takes the
 * place of another may work beside it for a moment: half of the shorter time must be shared.
 */
static bool work_together(const struct summary_session *a, const struct summary_session *b)
{
	uint64_t begin = a->runs_begin_ns > b->runs_begin_ns ? a->runs_begin_ns : b->runs_begin_ns;
	uint64_t end = a->runs_end_ns < b->runs_end_ns ? a->runs_end_ns : b->runs_end_ns;
	uint64_t long_a = a->runs_end_ns - a->runs_begin_ns, long_b = b->runs_end_ns - b->runs_begin_ns;

	return end > begin && end - begin >= (long_a < long_b ? long_a : long_b) / 2;
}

static void find_sessions(struct recording_facts *facts)
{
	const struct summary_session *session = facts->summary->sessions + facts->model->sessions.first;
	uint32_t n = facts->model->sessions.n;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t n_used = 1;

		if (!is_used(&session[i]))
			continue;
		for (uint32_t j = 0; j < n; j++)
			n_used += i != j && session[j].process == session[i].process && is_used(&session[j]) &&
				  session[j].runs_begin_ns <= session[i].runs_begin_ns &&
				  work_together(&session[i], &session[j]);
		facts->n_at_once = n_used > facts->n_at_once ? n_used : facts->n_at_once;
	}
}

/* "CUDAExecutionProvider{...},CPUExecutionProvider": the first, unless it is the CPU's. */
static void find_asked(struct recording_facts *facts)
{
	static const char cpu[] = "CPUExecutionProvider";
	const char *all = names_text(facts->summary->names, facts->model->providers);
	size_t at = strspn(all, " "), n = strcspn(all + at, " ,([{:");

	if (n == sizeof cpu - 1 && !memcmp(all + at, cpu, n))
		return;
	facts->asked = (uint32_t)at;
	facts->n_asked = (uint32_t)n;
}

struct recording_facts recording_facts_of(const struct summary *summary, uint32_t model)
{
	struct recording_facts facts = { .summary = summary,
					 .model = &summary->models[model],
					 .n_cpus = -1,
					 .n_allowed = -1,
					 .n_threads = -1,
					 .cores = NAN,
					 .all_cores = NAN,
					 .others_cores = NAN,
					 .usable = NAN,
					 .program_cores = NAN,
					 .own_share = NAN,
					 .pool_work = NAN,
					 .pool_cpu_ns = NAN,
					 .n_pool = -1,
					 .pool_cores = NAN,
					 .pool_busy = NAN,
					 .duty = NAN,
					 .memory_per_s = NAN,
					 .rate_per_s = NAN };

	find_cpus(&facts);
	find_pool(&facts);
	find_program(&facts);
	find_pace(&facts);
	find_memory(&facts);
	find_sessions(&facts);
	find_asked(&facts);
	return facts;
}
