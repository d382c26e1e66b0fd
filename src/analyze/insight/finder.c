// SPDX-License-Identifier: Apache-2.0
/* What several rules need. Finds nothing itself. */
#include <string.h>

#include "analyze/insight/insight_in.h"
#include "analyze/result/phase_names.h"
#include "base/text/provider.h"

enum { LISTED = 3, NODE_NAME = 40, LEAST_OPERATOR_RUNS = 3 };

static const double least_waited = 0.05;

struct finding *finder_add(struct finder *finder, const struct insight *insight, double value)
{
	/* no rule adds more than one finding to a run */
	struct finding *to = &finder->to[finder->n < finder->n_most ? finder->n++ : finder->n_most];

	*to = (struct finding){ .insight = insight, .result = finder->result, .a = -1, .b = -1, .value = value };
	to->low = to->high = to->gain_ns = NAN;
	return to;
}

struct finding *finder_add_counts(struct finder *finder, const struct insight *insight, double value, int64_t a,
				  int64_t b)
{
	struct finding *to = finder_add(finder, insight, value);

	to->a = a;
	to->b = b;
	return to;
}

static bool is_of_runtime(const struct recording_facts *facts, const char *runtime)
{
	return facts && !strcmp(names_text(facts->summary->names, facts->model->runtime), runtime);
}

bool finder_is_of_runtime(const struct finder *finder, const char *runtime)
{
	return is_of_runtime(finder->run->result->recorded, runtime);
}

bool speaker_is_of_runtime(const struct speaker *to, const char *runtime)
{
	return is_of_runtime(to->run->result->recorded, runtime);
}

bool speaker_is_of_another(const struct speaker *to, const char *runtime)
{
	const struct recording_facts *facts = to->run->result->recorded;

	return facts && facts->summary->n_runtimes && !is_of_runtime(facts, runtime);
}

const char *speaker_threads_option(const struct speaker *to)
{
	static const struct {
		const char *runtime, *option;
	} known[] = { { "openvino", "INFERENCE_NUM_THREADS" },
		      { "litert", "num_threads" },
		      { "pytorch", "torch.set_num_threads" },
		      { "llama.cpp", "n_threads" } };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (speaker_is_of_runtime(to, known[i].runtime))
			return known[i].option;
	return speaker_is_of_another(to, "onnxruntime") ? "its runtime's option" : "intra_op_num_threads";
}

void finder_find_untrained(struct finder *finder, const struct insight *insight, uint64_t n)
{
	enum { LEAST = 10 };
	const struct summary_runs *runs = finder->run->result->runs;
	const struct recording_facts *facts = finder->run->result->recorded;
	uint64_t n_trained = facts ? facts->model->training.n_runs : 0;

	if (facts && n >= n_trained + LEAST && (n - n_trained) * 2 > runs->n)
		finder_add_counts(finder, insight, (double)(n - n_trained) / (double)runs->n, (int64_t)(n - n_trained),
				  (int64_t)runs->n);
}

bool finder_is_behind(const struct summary_runs *runs)
{
	return runs->queue.p50_ns >= runs->latency.p50_ns && runs->n_behind * 4 >= runs->queue.n * 3;
}

bool finder_is_disturbed(const struct finder *finder)
{
	double all = (double)finder->analysis->report->machine.n_all_cpus, others = finder->run->others_cores;

	return all >= 1 && others > 0.1 * all && (others > 0.25 * all || others + finder->run->cores > 0.8 * all);
}

bool finder_waits(const struct summary_runs *runs)
{
	double all_ns = (double)runs->waits_wall_ns, share = summary_waited(runs);
	bool has_one = runs->n_waits < 2; /* however often it lost the CPU */

	return share >= least_waited &&
	       (has_one || (double)(runs->run_queue_ns - runs->longest_wait_ns) >= least_waited * all_ns);
}

bool finder_has_waited(const struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	int64_t cpus = finder->analysis->report->machine.n_cpus;
	int64_t at_a_time = result->concurrency > 0 ? result->concurrency : 1;
	int64_t threads = result->n_threads > 0 ? result->n_threads : 1;

	return finder->run->waited >= 0.05 && at_a_time <= cpus && threads <= cpus / at_a_time;
}

static bool is_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_same_but(const struct model_result *a, const struct model_result *b, enum model_axis axis)
{
	for (int i = 0; i < N_MODEL_AXES; i++)
		if (i != (int)axis && !is_text(a->differs[i], b->differs[i]))
			return false;
	return a->differs[axis] && b->differs[axis];
}

static const struct model_run *find_smaller(const struct finder *finder, enum model_axis axis,
					    int64_t (*value_of)(const struct model_result *result))
{
	const struct model_result *own = finder->run->result;
	const struct model_run *found = NULL;

	for (uint32_t r = 0; r < finder->analysis->report->n_results; r++) {
		const struct model_run *run = &finder->analysis->runs[r];
		int64_t value = value_of(run->result);

		if (value > 0 && value < value_of(own) && is_same_but(own, run->result, axis) &&
		    (!found || value > value_of(found->result)))
			found = run;
	}
	return found;
}

void finder_find_no_gain(struct finder *finder, const struct insight *insight, enum model_axis axis,
			 int64_t (*value_of)(const struct model_result *result))
{
	const struct model_run *base = find_smaller(finder, axis, value_of);
	struct stats_ratio speed;
	struct finding *to;

	if (!base)
		return;
	speed = model_speed_of(base, finder->run);
	if (!speed.is_known || !(speed.high < 1.1))
		return;
	to = finder_add_counts(finder, insight, speed.value, value_of(finder->run->result), value_of(base->result));
	to->low = speed.low;
	to->high = speed.high;
}

double finder_outside_ns(const struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	const struct summary_model *model = facts ? facts->model : NULL;
	double inference_ns = model ? (double)model->runs.latency.p50_ns : NAN;
	double outside_ns = model ? inference_ns - (double)model->coverage.operators_p50_ns : NAN;

	/* nor is what each waited for a CPU; a mean far above the median is of a few, and the median is free of it */
	if (model && model->runs.n_waits && 2 * model->runs.n_waits >= model->runs.latency.n &&
	    model->runs.latency.mean_ns < 1.25 * inference_ns)
		outside_ns -= (double)model->runs.run_queue_ns / (double)model->runs.n_waits;
	return outside_ns;
}

bool finder_is_typically_outside(const struct finder *finder, double least_share)
{
	const struct recording_facts *facts = finder->run->result->recorded;

	return !facts || finder_outside_ns(finder) >= least_share * (double)facts->model->runs.latency.p50_ns;
}

bool finder_waits_for_itself(const struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	int64_t at_once = facts ? facts->model->runs.max_concurrent : 0;

	if (!facts || !finder_waits(&facts->model->runs) || !(facts->usable > 0))
		return false;
	/* others had what it waited for: NAN is not known */
	if (facts->own_share < 0.5)
		return false;
	if ((double)at_once > facts->usable)
		return true;
	/* whether its pool is known or not; of several processes they may work one after the other */
	if (facts->model->n_processes <= 1 && facts->own_share >= 0.5 && (double)facts->n_threads > facts->usable)
		return true;
	if (facts->n_pool > 0 && (double)(at_once + facts->n_pool) > facts->usable &&
	    facts->cores >= 0.75 * facts->usable)
		return true;
	return facts->n_beside > 1 && (double)facts->n_at_work > facts->usable &&
	       (facts->own_share >= 0.5 || facts->program_cores >= 0.75 * facts->usable);
}

bool finder_has(const struct finder *finder, const struct insight *insight)
{
	for (uint32_t i = 0; i < finder->n; i++)
		if (finder->to[i].insight == insight && finder->to[i].result == finder->result)
			return true;
	return false;
}

double finder_of_each(const struct finder *finder, double ns)
{
	const struct summary_runs *runs = finder->run->result->runs;

	return runs && runs->n ? ns / (double)runs->n : NAN;
}

double finder_of_creations(const struct finder *finder, double ns)
{
	return finder_of_each(finder, ns * (double)finder->run->result->n_creations);
}

double finder_phase_of(const struct model_result *result, int phase)
{
	for (uint32_t i = 0; i < result->n_phases; i++)
		if (!strcmp(result->phases[i].name, phase_names[phase].words))
			return (double)result->phases[i].ns;
	return 0;
}

double finder_creation_ns(const struct model_result *result)
{
	return (double)result->creation_ns - finder_phase_of(result, PHASE_WAITING) -
	       finder_phase_of(result, PHASE_HALTED);
}

struct printable speaker_creation(const struct speaker *to)
{
	double all_ns = (double)to->run->result->creation_ns, ns = finder_creation_ns(to->run->result);
	struct printable text = { "" };

	printable_add(&text, "%s%s", units_duration(ns).s, ns < 0.99 * all_ns ? " without waits for a CPU" : "");
	return text;
}

bool finder_may_have_waited(const struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;

	return facts && facts->model->creation.n_waits < facts->model->creation.duration.n &&
	       finder_is_disturbed(finder);
}

double finder_phase_ns(const struct finder *finder, int phase)
{
	return finder_phase_of(finder->run->result, phase);
}

double finder_typical_ns(const struct model_operator *op)
{
	double median_ns = op->p50_ns * (double)op->n;

	return median_ns > 0 && median_ns < op->share_ns ? median_ns : op->share_ns;
}

bool finder_has_medians(const struct finder *finder)
{
	return finder->run->result->n_operator_runs >= LEAST_OPERATOR_RUNS;
}

double finder_per_inference(const struct finder *finder, double ns)
{
	const struct model_result *result = finder->run->result;

	return result->n_operator_runs > 0 ? ns / (double)result->n_operator_runs : NAN;
}

const char *speaker_each(const struct speaker *to)
{
	return to->run->result->n_tokens ? "step" : "inference";
}

struct printable speaker_counts(const struct speaker *to)
{
	struct printable text = { "" };

	printable_add(&text, "%s of %s", units_count((uint64_t)to->finding->a).s,
		      units_count((uint64_t)to->finding->b).s);
	return text;
}

struct printable speaker_elsewhere(const struct speaker *to, const char *provider)
{
	const struct model_result *result = to->run->result;
	struct printable text = { "" };
	uint32_t n = 0;

	for (uint32_t i = 0; i < result->n_operators; i++) {
		const struct model_operator *op = &result->operators[i];

		if (provider_is(provider, op->provider) || ++n > LISTED)
			continue;
		printable_add(&text, "%s%s", n > 1 ? ", " : "",
			      model_text(op->name && *op->name ? op->name : op->op_type, NODE_NAME, to->is_ascii).s);
		if (op->name && *op->name && op->op_type)
			printable_add(&text, " (%s)", model_text(op->op_type, NODE_NAME, to->is_ascii).s);
	}
	if (n > LISTED)
		printable_add(&text, " and %s more", units_count(n - LISTED).s);
	return text;
}

void finder_find_bound(struct finder *finder, const struct insight *insight, enum model_bound_by by, double least_share,
		       double least_reached)
{
	const struct model_bound_sums *sums = &finder->run->bound_sums;
	double ns = sums->ns[by], share = sums->total_ns > 0 ? ns / sums->total_ns : 0;
	double reached = ns > 0 ? sums->possible_ns[by] / ns : 0;

	/* what is far from its bound is not held up by it */
	if (finder_has_medians(finder) && share >= least_share && reached >= least_reached)
		finder_add_counts(finder, insight, share, sums->n[by], finder->run->result->n_operators)->low = reached;
}

void speaker_say_bound(const struct speaker *to, const char *finding, const char *next)
{
	FINDING("%s of the operators' time is %s", units_percent(to->finding->value).s, finding);
	EVIDENCE("%s operators", speaker_counts(to).s);
	NEXT("%s", next);
}

enum { LEAST_WITH_KERNELS = 5 };

const struct summary_runs *finder_device_runs(const struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;

	return facts && facts->model->runs.device.n_runs >= LEAST_WITH_KERNELS ? &facts->model->runs : NULL;
}

bool finder_lost_cpu(const struct finder *finder, uint64_t ns)
{
	const struct summary_runs *runs = finder_device_runs(finder);

	return runs && finder_waits(runs) && runs->run_queue_ns >= ns / 2;
}

struct finding *finder_add_bound(struct finder *finder, const struct insight *insight, uint64_t n_bound, uint64_t ns)
{
	const struct summary_runs *runs = finder_device_runs(finder);
	struct finding *finding;

	if (!runs || 2 * n_bound < runs->device.n_runs)
		return NULL;
	finding = finder_add_counts(finder, insight, (double)ns / (double)runs->device.wall_ns, (int64_t)n_bound,
				    (int64_t)runs->device.n_runs);
	finding->gain_ns = (double)ns / (double)runs->device.n_runs;
	return finding;
}
