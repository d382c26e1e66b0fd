// SPDX-License-Identifier: Apache-2.0
/* What an inference adds to its session and to its model, once it and its operators are complete. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/summary/sum_kinds.h"
#include "analyze/summary/sum_slow.h"

static bool is_typical(const struct run *run, bool is_failed)
{
	return run_is_finished(run) && !is_failed && fact_int(&run->facts, FACT_FIRST, 0) != 1;
}

/* Outside of what was asked for. */
static bool is_dropped(const struct summary_maker *maker, const struct run *run, uint32_t name)
{
	const struct summary_opts *opts = &maker->opts;
	uint64_t since_ns = run->begin_ns - maker->counts.first_ns;

	return since_ns < opts->from_ns || (opts->to_ns && since_ns >= opts->to_ns) ||
	       (opts->model && !strstr(names_text(maker->names, name), opts->model));
}

static int add_bucket(struct summary_maker *maker, uint32_t process, const struct session *session,
		      const struct settings *settings)
{
	struct bucket *bucket = array_add(&maker->buckets, sizeof *bucket);

	if (!bucket)
		return -ENOMEM;
	*bucket = (struct bucket){ .process = process,
				   .own = session->process,
				   .name = session->row.name,
				   .settings = *settings,
				   .runs.begin_ns = UINT64_MAX,
				   .latency.limit = maker->opts.with_typical ? STATS_LIMIT : RUN_LIMIT,
				   .first.limit = SESSION_LIMIT,
				   .queue.limit = SESSION_LIMIT,
				   .typical.operators.limit = RUN_LIMIT,
				   .apart.operators.limit = SESSION_LIMIT };
	return sum_courses_open(&bucket->course, &maker->n_run_courses);
}

struct settings sum_runs_settings(const struct summary_session *session)
{
	return (struct settings){ session->path, session->providers, session->options, session->n_replaced,
				  session->runtime };
}

uint32_t sum_runs_named(struct summary_maker *maker, uint32_t process, uint32_t name, uint32_t runtime)
{
	return process == NONE ? NONE : keys_number(&maker->named_keys, process, keys_pair(name, runtime));
}

/* By name, runtime and settings. While these are not known, that of the first of its name which has any. */
uint32_t sum_runs_bucket_of(struct summary_maker *maker, const struct session *session)
{
	uint32_t process = sum_group_of(maker, session->process), named, config, index, n;
	struct settings settings = sum_runs_settings(&session->row);

	named = sum_runs_named(maker, process, session->row.name, settings.runtime);
	if (named == NONE)
		return NONE;
	if (!session_has_config(&session->row) && named < maker->first_noted.n) {
		const struct settings *first = (const struct settings *)maker->first_noted.data + named;

		settings = *first;
		settings.runtime = first->runtime ? first->runtime : session->row.runtime;
		named = sum_runs_named(maker, process, session->row.name, settings.runtime);
		if (named == NONE)
			return NONE;
	}
	config = keys_number(&maker->config_keys, keys_pair(settings.path, settings.providers),
			     keys_pair(settings.options, settings.n_replaced));
	index = config == NONE ? NONE : keys_number(&maker->bucket_keys, named, config);
	if (index == NONE || (index == maker->buckets.n && add_bucket(maker, process, session, &settings)))
		return NONE;
	n = maker->member_keys.n;
	if (session->process < bucket_at(maker, index)->own)
		bucket_at(maker, index)->own = session->process;
	if (!maker->opts.by_process || process != session->process || process >= MAX_PROCESSES)
		bucket_at(maker, index)->n_processes += keys_number(&maker->member_keys, index, session->process) == n;
	return index;
}

static uint32_t model_of(const struct run *run)
{
	uint32_t model = fact_text(&run->facts, FACT_MODEL);

	return model ? model : run->model;
}

uint32_t sum_runs_session_of(const struct summary_maker *maker, const struct run *run)
{
	return run->session != NONE
		   ? run->session
		   : sum_sessions_known(maker, run->process, fact_int(&run->facts, FACT_SESSION, -1), model_of(run));
}

int sum_runs_find_bucket(struct summary_maker *maker, struct run *run)
{
	uint32_t model = model_of(run);
	struct session *session;

	session = sum_sessions_find(maker, run->process, fact_int(&run->facts, FACT_SESSION, -1), model, MET_RUN);
	if (!session)
		return -ENOMEM;
	if (session->met == MET_RUN && (!session->met_on || session->met_on > run->track))
		session->met_on = run->track;
	if (!session->row.name)
		session->row.name = model;
	run->session = (uint32_t)(session - session_at(maker, 0));
	run->is_dropped = is_dropped(maker, run, session->row.name);
	if (run->is_dropped) {
		sum_operators_drop(&maker->operators, &run->ops);
		return 0;
	}
	if (session->bucket == NONE)
		session->bucket = sum_runs_bucket_of(maker, session);
	if (session->bucket == NONE)
		return -ENOMEM;
	run->bucket = session->bucket;
	return 0;
}

static void add_blocked(const struct run *run, struct summary_blocked *to)
{
	uint64_t wall_ns = run->end_ns - run->begin_ns;
	uint64_t used_ns = stats_sum(sum_at_least_0(fact_int(&run->facts, FACT_THREAD_CPU, 0)),
				     sum_at_least_0(fact_int(&run->facts, FACT_RUN_QUEUE, 0)));
	uint64_t blocked_ns = wall_ns > used_ns ? wall_ns - used_ns : 0;

	to->n++;
	to->wall_ns = stats_sum(to->wall_ns, wall_ns);
	to->blocked_ns = stats_sum(to->blocked_ns, blocked_ns);
	to->longest_ns = blocked_ns > to->longest_ns ? blocked_ns : to->longest_ns;
}

static void add_device(const struct run *run, struct summary_device *to)
{
	struct summary_device device;

	if (!run->device.sum.n_kernels)
		return;
	sum_device_of_run(run, &device);
	sum_device_add(to, &device);
}

static void add_reads(const struct run *run, struct summary_reads *to)
{
	uint64_t wall_ns = run->end_ns - run->begin_ns,
		 used_ns = sum_at_least_0(fact_int(&run->facts, FACT_THREAD_CPU, 0)) + run_wait_ns(run);

	if (fact_int(&run->facts, FACT_READ_BYTES, 0) <= 0)
		return;
	to->n++;
	to->bytes = stats_sum(to->bytes, (uint64_t)fact_int(&run->facts, FACT_READ_BYTES, 0));
	to->wall_ns = stats_sum(to->wall_ns, wall_ns);
	to->blocked_ns = stats_sum(to->blocked_ns, wall_ns > used_ns ? wall_ns - used_ns : 0);
}

static void add_usage(const struct run *run, struct summary_runs *to)
{
	if (fact_int(&run->facts, FACT_SUBNORMAL, 0) == 1) {
		to->n_subnormal++;
		to->subnormal_wall_ns = stats_sum(to->subnormal_wall_ns, run->end_ns - run->begin_ns);
	}
	add_device(run, &to->device);
	if (facts_have(&run->facts, FACT_USAGE_OF_SLOW))
		return;
	if (facts_have(&run->facts, FACT_RUN_QUEUE)) {
		to->n_waits++;
		to->waits_wall_ns = stats_sum(to->waits_wall_ns, run->end_ns - run->begin_ns);
		to->run_queue_ns = stats_sum(to->run_queue_ns, run_wait_ns(run));
		to->longest_wait_ns = run_wait_ns(run) > to->longest_wait_ns ? run_wait_ns(run) : to->longest_wait_ns;
	}
	if (!facts_have(&run->facts, FACT_FAULTS)) /* the others come with them */
		return;
	if (facts_have(&run->facts, FACT_RUN_QUEUE))
		add_blocked(run, run->n_beside ? &to->beside : &to->alone);
	add_reads(run, &to->reads);
	to->n_usage++;
	to->usage_wall_ns = stats_sum(to->usage_wall_ns, run->end_ns - run->begin_ns);
	to->thread_cpu_ns = stats_sum(to->thread_cpu_ns, sum_at_least_0(fact_int(&run->facts, FACT_THREAD_CPU, 0)));
	to->faults = stats_sum(to->faults, sum_at_least_0(fact_int(&run->facts, FACT_FAULTS, 0)));
	to->switches = stats_sum(to->switches, sum_at_least_0(fact_int(&run->facts, FACT_SWITCHES, 0)));
}

static uint64_t least_of(const struct summary_tally *tally, uint64_t ns)
{
	return tally->n_typical > 1 && tally->least_ns < ns ? tally->least_ns : ns;
}

static const struct {
	enum event_key key;
	enum fact fact;
	uint32_t max;
} tallied[N_TALLIED] = {
	[TALLIED_SHAPES] = { KEY_SHAPES, FACT_SHAPES, MAX_TALLIES },
	[TALLIED_TAGS] = { KEY_TAG, FACT_TAG, MAX_TALLIES },
	[TALLIED_THREADS] = { KEY_TID, FACT_TID, MAX_THREADS },
	[TALLIED_BATCHES] = { KEY_BATCH, FACT_BATCH, MAX_TALLIES },
	[TALLIED_CALLERS] = { KEY_CALLER, FACT_CALLER, MAX_TALLIES },
	[TALLIED_FAILURES] = { KEY_STATUS, FACT_STATUS, MAX_TALLIES },
};

static void add_turn(struct summary_turn *to, const struct run *run)
{
	int64_t cpu_ns = facts_have(&run->facts, FACT_USAGE_OF_SLOW) ? -1 : fact_int(&run->facts, FACT_THREAD_CPU, -1);

	to->n++;
	to->worked_ns = stats_sum(to->worked_ns, run_worked_ns(run));
	if (cpu_ns < 0)
		return;
	to->n_cpu++;
	to->cpu_ns = stats_sum(to->cpu_ns, (uint64_t)cpu_ns);
}

static int add_tally(struct summary_maker *maker, struct run *run, int what, bool is_failed, uint64_t before_ns)
{
	struct bucket *bucket = bucket_at(maker, run->bucket);
	uint64_t value = (uint64_t)run->facts.value[tallied[what].fact], pair;
	bool is_text = tallied[what].fact >= FACT_MODEL, has_room = bucket->n_tallies[what] < tallied[what].max;
	uint32_t n = maker->tally_keys.n, index;
	struct summary_tally *tally;

	if (is_text && names_is_passing((uint32_t)value)) {
		value = has_room ? names_keep(maker->names, (uint32_t)value) : 0;
		if (!value)
			return 0;
	}
	pair = keys_pair(run->bucket, tallied[what].key);
	index = keys_find(&maker->tally_keys, pair, value);
	if (index == NONE && !has_room)
		return 0;
	if (index == NONE) {
		index = keys_number(&maker->tally_keys, pair, value);
		if (index != n || !array_add(&maker->tallies, sizeof *tally))
			return -ENOMEM;
		bucket->n_tallies[what]++;
		((struct summary_tally *)maker->tallies.data)[n] =
		    (struct summary_tally){ .model = run->bucket,
					    .key = tallied[what].key,
					    .text = is_text ? (uint32_t)value : 0,
					    .number = is_text ? -1 : (int64_t)value,
					    .size = what == TALLIED_SHAPES ? run->size : 0,
					    .elements_of_one = what == TALLIED_SHAPES ? run->elements : 0,
					    .first_ns = UINT64_MAX };
	}
	tally = (struct summary_tally *)maker->tallies.data + index;
	tally->n++;
	if (what == TALLIED_SHAPES) {
		run->tally = index + 1;
		run->is_new_shape = tally->n == 1 && bucket->n_tallies[what] > 1;
	}
	if (run->begin_ns < tally->first_ns)
		tally->first_ns = run->begin_ns;
	if (is_typical(run, is_failed)) {
		struct summary_turn *turns = tally->n == 1 ? tally->first : tally->later;

		tally->n_typical++;
		tally->wall_ns = stats_sum(tally->wall_ns, run->end_ns - run->begin_ns);
		tally->least_ns = least_of(tally, run_worked_ns(run));
		add_turn(&turns[sum_pauses_is_after(run, before_ns) ? SUMMARY_PAUSE : SUMMARY_NO_PAUSE], run);
		tally->n_sized += run->elements > 0;
		tally->elements = stats_sum(tally->elements, run->elements);
	}
	return 0;
}

static int add_tallies(struct summary_maker *maker, struct run *run, bool is_failed, uint64_t before_ns)
{
	const uint64_t any =
	    1ull << FACT_SHAPES | 1ull << FACT_TAG | 1ull << FACT_TID | 1ull << FACT_BATCH | 1ull << FACT_CALLER;
	int rc = 0;

	if (!is_failed && !(run->facts.has & any))
		return 0;
	for (int what = 0; !rc && what < N_TALLIED - !is_failed; what++)
		if (facts_have(&run->facts, tallied[what].fact))
			rc = add_tally(maker, run, what, is_failed, before_ns);
	return rc;
}

static int add_latency(struct summary_maker *maker, struct run *run, bool is_failed, int64_t operators_ns,
		       uint64_t before_ns)
{
	struct bucket *bucket = bucket_at(maker, run->bucket);
	struct session *session = session_at(maker, run->session);
	uint64_t duration_ns = run->end_ns - run->begin_ns;
	int rc;

	if (!is_typical(run, is_failed)) {
		if (!run_is_finished(run) || is_failed)
			return 0;
		add_device(run, &bucket->runs.first_device);
		bucket->runs.n_first_waits += facts_have(&run->facts, FACT_RUN_QUEUE);
		bucket->runs.first_wait_ns = stats_sum(bucket->runs.first_wait_ns, run_wait_ns(run));
		rc = sum_sizes_add(maker, run, true);
		return rc ? rc : stats_add(&bucket->first, duration_ns);
	}
	add_usage(run, &bucket->runs);
	rc = stats_add(&bucket->latency, duration_ns);
	if (!rc && session->latency)
		rc = stats_add(session->latency, duration_ns);
	if (!rc)
		rc = sum_sizes_add(maker, run, false);
	if (!rc)
		rc = sum_pauses_add(maker, run, before_ns);
	if (!rc)
		rc = sum_usual_add(maker, run);
	return rc ? rc : sum_slowest_add(maker, run, operators_ns);
}

/* before_ns: when the last one of its session ended, of those that began before it. */
static int add_queue(struct summary_maker *maker, const struct run *run, uint64_t before_ns)
{
	uint64_t queue_ns = (uint64_t)fact_int(&run->facts, FACT_POOL_QUEUE, 0);
	struct bucket *bucket = bucket_at(maker, run->bucket);

	if (!facts_have(&run->facts, FACT_POOL_QUEUE))
		return 0;
	bucket->runs.n_behind += before_ns + queue_ns > run->begin_ns;
	return stats_add(&bucket->queue, queue_ns);
}

/* What began in it counts there, where the two are in the same sums. */
static void add_inner(const struct run *run, bool is_failed, struct summary_runs *to)
{
	if (!run->inner_ns || (!run_is_finished(run) && run->end_ns != STORE_OPEN))
		return;
	to->inner_ns = stats_sum(to->inner_ns, run->inner_ns);
	if (is_typical(run, is_failed))
		to->typical_inner_ns = stats_sum(to->typical_inner_ns, run->inner_ns);
	else if (run_is_finished(run) && !is_failed)
		to->first_inner_ns = stats_sum(to->first_inner_ns, run->inner_ns);
}

static void add_counts(struct summary_maker *maker, const struct run *run, bool is_failed)
{
	struct summary_session *session = &session_at(maker, run->session)->row;
	struct summary_runs *to = &bucket_at(maker, run->bucket)->runs;
	bool is_partial = fact_int(&run->facts, FACT_PARTIAL, 0) == 1;

	to->n++;
	to->n_failed += is_failed;
	to->n_open += run->end_ns == STORE_OPEN;
	to->n_partial += is_partial;
	to->n_first += fact_int(&run->facts, FACT_FIRST, 0) == 1;
	to->n_pooled += fact_int(&run->facts, FACT_POOLED, 0) == 1;
	to->n_with_traits += run->facts.has >> FACT_GRADIENTS & 1;
	to->n_gradients += fact_int(&run->facts, FACT_GRADIENTS, 0) == 1;
	to->n_training_mode += fact_int(&run->facts, FACT_TRAINING_MODE, 0) == 1;
	add_inner(run, is_failed, to);
	to->n_timed += fact_int(&run->facts, FACT_TIMED, 0) == 1;
	to->n_without_status += !(run->facts.has >> FACT_STATUS & 1);
	if (run->begin_ns < to->begin_ns)
		to->begin_ns = run->begin_ns;
	if (run->end_ns != STORE_OPEN && run->end_ns > to->end_ns)
		to->end_ns = run->end_ns;
	process_at(maker, run->process)->n_inferences++;
	if (!session->n_runs || run->begin_ns < session->runs_begin_ns)
		session->runs_begin_ns = run->begin_ns;
	if (run->end_ns != STORE_OPEN && run->end_ns > session->runs_end_ns)
		session->runs_end_ns = run->end_ns;
	session->n_runs++;
	session->n_runs_failed += is_failed;
	if (run->end_ns > session->last_ns) /* STORE_OPEN: it is still in use */
		session->last_ns = run->end_ns;
	if (!run_is_finished(run))
		return;
	session->runs_wall_ns = stats_sum(session->runs_wall_ns, run->end_ns - run->begin_ns);
	to->wall_ns = stats_sum(to->wall_ns, run->end_ns - run->begin_ns);
}

/* A halt that hit neither operators nor setup lies in the time that nothing explains. */
static uint64_t halted_of(const struct summary_maker *maker, const struct run *run, uint64_t rest_ns)
{
	uint64_t ns, most_ns;

	if (run->halted_ns || !sum_halts_hit(maker, run->process, run->begin_ns, run->end_ns))
		return run->halted_ns;
	ns = halts_within(&process_at(maker, run->process)->halts, run->begin_ns, run->end_ns, &most_ns);
	return ns < rest_ns ? ns : rest_ns;
}

static uint64_t behind_of(const struct run *run, uint64_t unattributed_ns)
{
	uint64_t ns = run->operators_end_ns && run->end_ns != STORE_OPEN && run->end_ns > run->operators_end_ns
			  ? run->end_ns - run->operators_end_ns
			  : 0;

	return ns < unattributed_ns ? ns : unattributed_ns;
}

/* An inference whose parts were summed up before it ended counts where these do, and lasts at least as long. */
static int add_cover(struct summary_maker *maker, const struct run *run, uint8_t place, uint64_t operators_ns,
		     uint64_t setup_ns)
{
	struct bucket *bucket = bucket_at(maker, run->bucket);
	struct cover *to = place == WHERE_INFERENCE ? &bucket->typical : &bucket->apart;
	uint64_t wall_ns = run->end_ns != STORE_OPEN ? run->end_ns - run->begin_ns : 0, halted_ns, unattributed_ns;
	int rc = 0;

	if (run->summed_until_ns && wall_ns < operators_ns + setup_ns + run->halted_ns)
		wall_ns = operators_ns + setup_ns + run->halted_ns;
	halted_ns = halted_of(maker, run, wall_ns - operators_ns - setup_ns);
	unattributed_ns = wall_ns - operators_ns - setup_ns - halted_ns;
	to->sum.n += run->weight;
	to->sum.n_parallel += run->is_parallel ? run->weight : 0;
	to->sum.wall_ns = stats_sum(to->sum.wall_ns, sum_scaled(wall_ns, run->weight));
	to->sum.operators_ns = stats_sum(to->sum.operators_ns, sum_scaled(operators_ns, run->weight));
	to->sum.setup_ns = stats_sum(to->sum.setup_ns, sum_scaled(setup_ns, run->weight));
	to->sum.turn_ns = stats_sum(to->sum.turn_ns, sum_scaled(run->turn_ns, run->weight));
	to->sum.halted_ns = stats_sum(to->sum.halted_ns, sum_scaled(halted_ns, run->weight));
	to->sum.unattributed_ns = stats_sum(to->sum.unattributed_ns, sum_scaled(unattributed_ns, run->weight));
	to->sum.behind_ns = stats_sum(to->sum.behind_ns, sum_scaled(behind_of(run, unattributed_ns), run->weight));
	for (uint32_t i = 0; !rc && i < run->weight; i++)
		rc = stats_add(&to->operators, operators_ns);
	return rc;
}

/*
 * A stream of OpenVINO runs one inference at a time: others wait for it within their calls. Other runtimes check inputs
 * before the first operator.
 */
static void find_turn(const struct summary_maker *maker, struct run *run, uint64_t before_ns)
{
	uint64_t until_ns = before_ns < run->first_ns ? before_ns : run->first_ns;

	if (until_ns <= run->begin_ns || until_ns >= run->end_ns || run->end_ns == STORE_OPEN ||
	    run->first_ns == UINT64_MAX || run->setup_ns || run->halted_ns ||
	    strcmp(names_text(maker->names, session_at(maker, run->session)->row.runtime), "openvino") != 0)
		return;
	run->turn_ns = until_ns - run->begin_ns;
}

/* How many inferences its operators stand for: one whose operators are there all the same is itself, at least. */
static uint32_t weight_of(const struct run *run)
{
	int64_t weight = fact_int(&run->facts, FACT_WEIGHT, 1);

	return weight < 1 || weight > MAX_WEIGHT || run->summed_until_ns ? 1 : (uint32_t)weight;
}

static void count_thinned(struct summary_thinned *to, const struct run *run)
{
	int64_t weight = fact_int(&run->facts, FACT_WEIGHT, -1);

	if (weight < 0 || weight > MAX_WEIGHT)
		return;
	to->n_left_out += !weight;
	to->n_apart += weight == 1;
	to->n_sampled += weight > 1;
	if (weight > 1 && (!to->least || weight < to->least))
		to->least = (uint32_t)weight;
	if (weight > 1 && weight > to->most)
		to->most = (uint32_t)weight;
}

static uint8_t place_of(const struct run *run, bool is_failed)
{
	return is_typical(run, is_failed) ? WHERE_INFERENCE : run_is_finished(run) ? WHERE_APART : WHERE_UNFINISHED;
}

int sum_runs_add(struct summary_maker *maker, struct run *run)
{
	bool is_failed = sum_is_failure(maker, fact_text(&run->facts, FACT_STATUS));
	bool has_operators = run->summed_until_ns != 0;
	uint32_t process = sum_group_of(maker, run->process);
	struct place place = { process, run->bucket, place_of(run, is_failed) };
	uint64_t operators_ns = 0, setup_ns = 0, before_ns;
	int rc;

	if (process == NONE)
		return -ENOMEM;
	run->weight = weight_of(run);
	if (!run->has_begun) {
		if (maker->opts.model || maker->opts.from_ns || maker->opts.to_ns)
			return 0;
		return sum_operators_add(maker, run, (struct place){ process, NONE, WHERE_UNKNOWN }, &operators_ns,
					 &setup_ns);
	}
	rc = run->summed_until_ns ? sum_parts_settle(maker, run, &place) : 0;
	has_operators |= sum_operators_has(&maker->operators, &run->ops);
	if (!rc && has_operators)
		rc = sum_operators_add(maker, run, place, &operators_ns, &setup_ns);
	if (!rc && run->work.n)
		rc = sum_device_settle(maker, run, &place);
	operators_ns += run->operators_ns;
	setup_ns += run->summed_setup_ns;
	has_operators &= place.where != WHERE_UNFINISHED;
	if (!rc && run->end_ns == STORE_OPEN)
		rc = sum_open_run(maker, run);
	before_ns = session_at(maker, run->session)->row.last_ns;
	if (!rc && has_operators) {
		find_turn(maker, run, before_ns);
		rc = add_cover(maker, run, (uint8_t)place.where, operators_ns, setup_ns);
	}
	add_counts(maker, run, is_failed);
	rc = rc ? rc : add_queue(maker, run, before_ns);
	if (!rc && sum_halts_hit(maker, run->process, run->begin_ns, run->end_ns))
		rc = sum_halts_run(maker, run);
	sum_turns_add(maker, run, before_ns);
	if (bucket_at(maker, run->bucket)->course)
		course_add_run(bucket_at(maker, run->bucket)->course, run->begin_ns, run->end_ns, is_failed,
			       is_typical(run, is_failed));
	count_thinned(&maker->to->thinned, run);
	sum_sizes_measure(maker, run);
	if (!rc && run_is_finished(run) && !is_failed)
		rc = sum_generations_add(maker, run);
	if (!rc)
		rc = add_tallies(maker, run, is_failed, before_ns);
	return rc ? rc : add_latency(maker, run, is_failed, has_operators ? (int64_t)operators_ns : -1, before_ns);
}
