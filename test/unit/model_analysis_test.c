// SPDX-License-Identifier: Apache-2.0
/* Results of made-up runs: bounds, rates, and findings that appear if, and only if, the figures justify them. */

#include "cases.h"
#include "findings.h"
#include "model_sample.h"

static struct machine_peak peak_of(double core_flops, double flops, double bytes, double cache_bytes, int64_t n_cpus)
{
	struct machine_peak peak;

	machine_peak_init(&peak);
	peak.core_flops.high = core_flops;
	peak.flops.high = flops;
	peak.bytes.high = bytes;
	peak.cache_bytes.high = cache_bytes;
	peak.n_cpus = n_cpus;
	return peak;
}

TEST(operators_are_bound_by_the_nearer_roof)
{
	struct machine_peak peak = peak_of(50e9, 100e9, 10e9, 1000e9, 4);
	struct model_bound bound = model_bound_of(1000000000, 20000000, 20e6, &peak, -1);

	/* 10 ms of computing, 2 ms of moving, 20 ms taken */
	assert_int_equal(bound.by, MODEL_BOUND_COMPUTE);
	assert_true(bound.share == 0.5 && bound.possible_ns == 10e6 && bound.flops_per_s == 50e9 &&
		    bound.intensity == 50);
	bound = model_bound_of(10000000, 100000000, 40e6, &peak, -1);
	assert_int_equal(bound.by, MODEL_BOUND_MEMORY);
	assert_true(bound.share == 0.25 && bound.bytes_per_s == 2.5e9 && !bound.is_cached);
	bound = model_bound_of(1000, 1000, 5000, &peak, -1);
	assert_int_equal(bound.by, MODEL_BOUND_OVERHEAD);
	assert_true(bound.is_cached);
	/* threads have the peak of as many cores, up to that of all cores */
	assert_true(model_bound_of(1000000000, 1000, 20e6, &peak, 1).share == 1);
	assert_true(model_bound_of(1000000000, 1000, 20e6, &peak, 2).share == 0.5);
	assert_true(model_bound_of(1000000000, 1000, 20e6, &peak, 3).share == 0.5);
	assert_true(model_bound_of(1000000000, 1000, 20e6, &peak, 64).share == 0.5);
}

TEST(what_is_not_known_bounds_nothing)
{
	struct machine_peak peak = peak_of(50e9, 100e9, 10e9, 1000e9, 4), none;
	struct model_bound bound = model_bound_of(-1, 1000, 1000, &peak, -1);

	assert_int_equal(bound.by, MODEL_BOUND_UNKNOWN);
	assert_true(isnan(bound.flops_per_s) && bound.bytes_per_s == 1e9 && isnan(bound.share));
	machine_peak_init(&none);
	assert_int_equal(model_bound_of(1000, 1000, 1000, &none, -1).by, MODEL_BOUND_UNKNOWN);
	/* FLOPs alone give the least that it reaches, not its bound */
	bound = model_bound_of(1000000000, -1, 20e6, &peak, -1);
	assert_true(bound.by == MODEL_BOUND_UNKNOWN && bound.share == 0.5);
	assert_true(isnan(model_bound_of(0, -1, 20e6, &peak, -1).share));
	assert_int_equal(model_bound_of(1000, 1000, 0, &peak, -1).by, MODEL_BOUND_UNKNOWN);
	assert_int_equal(model_bound_of(1000, 1000, NAN, &peak, -1).by, MODEL_BOUND_UNKNOWN);
}

#define CASE(name) TEST_OF_NEW(name, struct sample, s, sample_new(), free(s))

CASE(the_sample_says_what_it_should)
{
	struct model_analysis *analysis = insights_analyse(&s->report, NULL);
	const struct finding *found;

	assert_string_equal(analysis->findings[0].insight->name, "run_failed");
	assert_string_equal(analysis->findings[1].insight->name, "outputs_differ");
	assert_int_equal(analysis->findings[1].result, 2);
	found = findings_of(analysis, "partly_taken", 1);
	assert_true(found && found->a == 18 && found->b == 21 && fabs(found->value - 0.6 / 2.56) < 1e-9);
	found = findings_of(analysis, "faster", 2);
	assert_true(found && found->value > 4.2 && found->value < 4.5 && found->low < found->value);
	assert_null(findings_of(analysis, "faster", 1));
	found = findings_of(analysis, "slow_first", 2);
	assert_true(found && found->low == 81000000);
	assert_null(findings_of(analysis, "slow_first", 0));
	found = findings_of(analysis, "slow_phase", 0);
	assert_true(found && !strcmp(found->text, "ConstantFolding"));
	found = findings_of(analysis, "slow_phase", 1);
	assert_true(found && !strcmp(found->text, "compilation"));
	found = findings_of(analysis, "slow_operator", 0);
	assert_string_equal(found->text, "/block5/Conv");
	/* at 47 % of the possible, something else limits them */
	assert_null(findings_of(analysis, "compute_bound", 0));
	assert_null(findings_of(analysis, "memory_bound", 0));
	assert_non_null(findings_of(analysis, "no_scaling", 3));
	assert_null(findings_of(analysis, "many_threads", 0));
	assert_null(findings_of(analysis, "nothing_taken", 1));
	assert_null(findings_of(analysis, "drifts", 0));
	model_analysis_free(analysis);
	for (uint32_t i = 0; i < s->result[0].n_operators; i++)
		s->op[0][i].mean_ns *= 0.6;
	analysis = insights_analyse(&s->report, NULL);
	found = findings_of(analysis, "compute_bound", 0);
	assert_true(found && found->low > 0.7 && found->low < 0.8);
	model_analysis_free(analysis);
}

TEST(the_first_token_is_slow_beside_later_ones_of_its_length)
{
	static const char *const shapes[] = { "5 tokens" };

	for (int i = 0; i < 2; i++) {
		struct sample *s = sample_new();
		struct model_result *result = &s->result[2];
		struct model_latency *first = calloc(40, sizeof *first);
		struct model_analysis *analysis;

		/* steps are short; other prompts take as long as the first did, or a tenth of that */
		for (int k = 0; k < 40; k++)
			first[k] = (struct model_latency){ .queued_ns = -1, .duration_ns = i ? 8000000 : 81000000 };
		result->n_tokens = 8;
		result->shapes = shapes;
		result->n_shapes = 1;
		result->first_tokens = first;
		result->n_first_tokens = 40;
		analysis = insights_analyse(&s->report, NULL);
		assert_int_equal(findings_of(analysis, "slow_first", 2) != NULL, i);
		model_analysis_free(analysis);
		free(first);
		free(s);
	}
}

CASE(figures_of_a_run_follow_from_its_facts)
{
	struct model_analysis *analysis = insights_analyse(&s->report, NULL);
	const struct model_run *run = &analysis->runs[0];

	assert_int_equal(run->latency.n, SAMPLE_LATENCIES);
	assert_true(fabs(run->cores - 2.05) < 0.001);
	assert_true(fabs(run->energy_joules - 84.0 / SAMPLE_LATENCIES) < 1e-9);
	assert_int_equal(run->creation_rest_ns, 3800000);
	assert_int_equal(run->response.n, 0);
	assert_true(fabs(run->rate_per_s - 1e9 / (run->latency.mean_ns + 400)) < 1);
	assert_true(run->bound_sums.total_ns > 0.9 * run->result->operators_wall_ns);
	assert_true(analysis->runs[4].latency.n == 0 && isnan(analysis->runs[4].rate_per_s) &&
		    isnan(analysis->runs[4].cores));
	assert_true(isnan(analysis->runs[4].speed.value) && !analysis->runs[4].speed.is_known);
	/* the GPU is not compared with the peaks of the CPU */
	assert_true(analysis->runs[2].bound_sums.n[MODEL_BOUND_UNKNOWN] == SAMPLE_NODES);
	assert_string_equal(model_operator_name(analysis, 0, 0), "/block5/Conv");
	model_analysis_free(analysis);
}

CASE(failures_shapes_and_queues_are_told_apart)
{
	static const char *const shapes[] = { "1x3", "8x3" };
	struct model_result *result = &s->result[0];
	struct model_analysis *analysis;

	for (uint32_t i = 0; i < SAMPLE_LATENCIES; i++) {
		struct model_latency *one = &s->latency[0][i];

		one->shape = i % 2;
		one->duration_ns *= 1 + i % 2;
		one->status = i == 7;
		one->queued_ns = (int64_t)one->start_ns - 5000000;
	}
	result->shapes = shapes;
	result->n_shapes = 2;
	result->rate_per_s = 150;
	analysis = insights_analyse(&s->report, NULL);
	assert_int_equal(analysis->runs[0].n_failed, 1);
	assert_int_equal(analysis->runs[0].latency.n, SAMPLE_LATENCIES - 1);
	assert_int_equal(analysis->runs[0].n_groups, 2);
	assert_int_equal(analysis->runs[0].groups[0].latency.n, SAMPLE_LATENCIES / 2);
	assert_int_equal(analysis->runs[0].groups[1].latency.n, SAMPLE_LATENCIES / 2 - 1);
	assert_true(analysis->runs[0].groups[1].latency.mean_ns > 1.9 * analysis->runs[0].groups[0].latency.mean_ns);
	assert_true(fabs(analysis->runs[0].response.mean_ns - analysis->runs[0].latency.mean_ns - 5000000) < 1);
	assert_true(findings_of(analysis, "queues", 0) && findings_of(analysis, "queues", 0)->a == 150);
	model_analysis_free(analysis);
}

/* The requests behind one that took long wait for it; the others do not. */
TEST(requests_that_wait_once_make_no_advice)
{
	for (int is_once = 0; is_once < 2; is_once++) {
		struct sample *s = sample_new();
		struct model_result *result = &s->result[0];
		struct model_analysis *analysis;
		double all_ns = 0;

		for (uint32_t i = 0; i < SAMPLE_LATENCIES; i++)
			all_ns += (double)s->latency[0][i].duration_ns;
		for (uint32_t i = 0; i < SAMPLE_LATENCIES; i++) {
			struct model_latency *one = &s->latency[0][i];
			double waited_ns = is_once ? (i == 20 ? all_ns / 4 : 0) : all_ns / 4 / SAMPLE_LATENCIES;

			one->queued_ns = (int64_t)one->start_ns - (int64_t)waited_ns;
		}
		result->rate_per_s = 150;
		analysis = insights_analyse(&s->report, NULL);
		assert_true(analysis->runs[0].response.mean_ns > 1.2 * analysis->runs[0].latency.mean_ns);
		assert_int_equal(findings_of(analysis, "queues", 0) != NULL, !is_once);
		model_analysis_free(analysis);
		free(s);
	}
}

CASE(processes_that_differ_widen_the_interval)
{
	struct model_analysis *analysis = insights_analyse(&s->report, NULL);
	double alone_ns = analysis->runs[0].latency.interval_ns, rate = analysis->runs[0].rate_per_s;

	assert_int_equal(analysis->runs[0].n_rounds, 1);
	model_analysis_free(analysis);
	/* four processes a minute apart, the third of them slower by a tenth */
	for (uint32_t i = 0; i < SAMPLE_LATENCIES; i++) {
		struct model_latency *one = &s->latency[0][i];

		one->round = i / (SAMPLE_LATENCIES / 4);
		one->start_ns += one->round * 60000000000u;
		one->duration_ns += one->round == 2 ? one->duration_ns / 10 : 0;
	}
	analysis = insights_analyse(&s->report, NULL);
	assert_int_equal(analysis->runs[0].n_rounds, 4);
	assert_false(analysis->runs[0].latency.is_short);
	assert_true(analysis->runs[0].latency.interval_ns > 3 * alone_ns);
	assert_true(analysis->runs[0].round_high_ns > 1.08 * analysis->runs[0].round_low_ns);
	assert_true(fabs(analysis->runs[0].rate_per_s / rate - 1) < 0.04);
	model_analysis_free(analysis);
	/* each slower than the one before: possibly by chance */
	for (uint32_t i = 0; i < SAMPLE_LATENCIES; i++)
		s->latency[0][i].duration_ns += s->latency[0][i].round * 200000;
	analysis = insights_analyse(&s->report, NULL);
	assert_int_equal(analysis->runs[0].latency.drift, STATS_STEADY);
	model_analysis_free(analysis);
}

CASE(one_process_each_needs_medians_that_differ)
{
	struct model_analysis *analysis;

	/* the same except for rare, long interruptions, as on a busy machine */
	memcpy(s->latency[1], s->latency[0], sizeof s->latency[0]);
	s->result[1].n_latencies = SAMPLE_LATENCIES;
	for (uint32_t i = 0; i < SAMPLE_LATENCIES; i += 10)
		s->latency[1][i].duration_ns += 4000000;
	analysis = insights_analyse(&s->report, NULL);
	assert_true(analysis->runs[1].speed.is_known && analysis->runs[1].speed.value < 0.95);
	assert_false(analysis->runs[1].speed.is_different);
	assert_true(analysis->runs[2].speed.is_different);
	model_analysis_free(analysis);
	/* several processes of each show the same */
	for (uint32_t i = 0; i < SAMPLE_LATENCIES; i++)
		s->latency[0][i].round = s->latency[1][i].round = i / (SAMPLE_LATENCIES / 8);
	analysis = insights_analyse(&s->report, NULL);
	assert_true(analysis->runs[1].speed.is_different);
	model_analysis_free(analysis);
}

CASE(processes_that_are_all_slower_tell_the_difference)
{
	struct model_analysis *analysis;

	memcpy(s->latency[1], s->latency[0], sizeof s->latency[0]);
	s->result[1].n_latencies = SAMPLE_LATENCIES;
	/* four processes each, one of them so far off that the means have no interval */
	for (uint32_t i = 0; i < SAMPLE_LATENCIES; i++) {
		s->latency[0][i].round = s->latency[1][i].round = i / (SAMPLE_LATENCIES / 4);
		s->latency[1][i].duration_ns *= s->latency[1][i].round == 1 ? 100 : 2;
	}
	analysis = insights_analyse(&s->report, NULL);
	assert_true(analysis->runs[1].latency.interval_ns > analysis->runs[1].latency.mean_ns);
	assert_true(analysis->runs[1].is_apart && analysis->runs[1].speed.is_different);
	model_analysis_free(analysis);
	/* three are too few: one time in ten they fall like this */
	for (uint32_t i = 0; i < SAMPLE_LATENCIES; i++)
		s->latency[0][i].round = s->latency[1][i].round = i / (SAMPLE_LATENCIES / 3);
	s->result[0].n_latencies = s->result[1].n_latencies = SAMPLE_LATENCIES / 3 * 3;
	analysis = insights_analyse(&s->report, NULL);
	assert_true(analysis->runs[1].n_rounds == 3 && !analysis->runs[1].is_apart);
	model_analysis_free(analysis);
}

CASE(other_findings_need_their_figures)
{
	struct model_analysis *analysis;

	for (uint32_t i = 0; i < SAMPLE_LATENCIES; i++)
		s->latency[0][i].duration_ns += i * 4000;
	s->result[0].n_threads = 64;
	s->result[0].n_lost = 12;
	s->result[1].provider = "cuda";
	for (uint32_t i = 0; i < s->result[2].n_operators; i++)
		s->op[2][i].mean_ns = s->op[2][i].p50_ns = 2000, s->op[2][i].provider = "CPUExecutionProvider";
	s->result[2].unattributed_ns = 0.4 * s->result[2].operators_wall_ns;
	analysis = insights_analyse(&s->report, NULL);
	assert_true(findings_of(analysis, "drifts", 0) && findings_of(analysis, "drifts", 0)->value > 1.1);
	assert_true(findings_of(analysis, "many_threads", 0)->a == 64 &&
		    findings_of(analysis, "many_threads", 0)->b == 4);
	assert_int_equal(findings_of(analysis, "lost_events", 0)->a, 12);
	assert_string_equal(findings_of(analysis, "nothing_taken", 1)->text, "OpenVINOExecutionProvider");
	assert_true(findings_of(analysis, "tiny_operators", 2) &&
		    findings_of(analysis, "tiny_operators", 2)->a == SAMPLE_NODES);
	model_analysis_free(analysis);
}

/* Runs of one process each that take so long, beside each other. */
static void set_times(struct sample *s, const double *typical_ns, uint32_t n)
{
	for (uint32_t r = 0; r < n; r++) {
		sample_latencies(s, r, typical_ns[r], SAMPLE_LATENCIES);
		s->result[r].error = NULL;
	}
	s->report.n_results = n;
}

CASE(batches_are_compared_by_the_item)
{
	static const char *const sizes[] = { "1", "8", "16" };
	static const double typical_ns[] = { 1e6, 4e6, 8.4e6 };
	struct model_analysis *analysis;

	set_times(s, typical_ns, 3);
	analysis = insights_analyse(&s->report, NULL);
	assert_false(analysis->is_per_item);
	assert_true(analysis->runs[1].speed.value < 0.3 && isnan(analysis->runs[1].items_per_s));
	model_analysis_free(analysis);
	for (uint32_t r = 0; r < 3; r++) {
		s->result[r].n_items = atoi(sizes[r]);
		s->result[r].differs[MODEL_AXIS_BATCH] = sizes[r];
	}
	analysis = insights_analyse(&s->report, NULL);
	assert_true(analysis->is_per_item && analysis->runs[1].items == 8);
	assert_true(fabs(analysis->runs[1].speed.value - 2) < 0.1 && analysis->runs[1].speed.is_different);
	assert_true(fabs(analysis->runs[1].items_per_s / analysis->runs[1].rate_per_s - 8) < 1e-9);
	assert_true(fabs(findings_of(analysis, "faster", 1)->gain_ns / 0.5e6 - 1) < 0.1);
	/* 16 give no more than 8, 8 more than 1 */
	assert_null(findings_of(analysis, "larger_batch", 1));
	assert_int_equal(findings_of(analysis, "larger_batch", 2)->a, 16);
	assert_int_equal(findings_of(analysis, "larger_batch", 2)->b, 8);
	model_analysis_free(analysis);
	/* the same batch in all: an inference is an inference */
	for (uint32_t r = 0; r < 3; r++)
		s->result[r].n_items = 8;
	analysis = insights_analyse(&s->report, NULL);
	assert_true(!analysis->is_per_item && analysis->runs[1].speed.value < 0.3 && analysis->runs[1].items_per_s > 0);
	model_analysis_free(analysis);
}

CASE(threads_that_do_not_help_are_found)
{
	static const char *const threads[] = { "1", "2", "4", "4" };
	static const double typical_ns[] = { 4e6, 2e6, 1.95e6, 4e6 };
	struct model_analysis *analysis;

	set_times(s, typical_ns, 4);
	for (uint32_t r = 0; r < 4; r++) {
		s->result[r].n_threads = atoi(threads[r]);
		s->result[r].differs[MODEL_AXIS_THREADS] = threads[r];
		s->result[r].differs[MODEL_AXIS_MODEL] = r < 3 ? "a.onnx" : "b.onnx";
	}
	analysis = insights_analyse(&s->report, NULL);
	assert_null(findings_of(analysis, "more_threads", 0));
	assert_null(findings_of(analysis, "more_threads", 1));
	assert_int_equal(findings_of(analysis, "more_threads", 2)->a, 4);
	assert_int_equal(findings_of(analysis, "more_threads", 2)->b, 2);
	/* of another model there is no run with fewer */
	assert_null(findings_of(analysis, "more_threads", 3));
	model_analysis_free(analysis);
}

CASE(others_on_the_machine_are_not_idle_cpus)
{
	struct model_analysis *analysis;

	s->result[0].cpu_user_ns = s->result[0].steady_ns;
	s->result[0].cpu_system_ns = 0;
	analysis = insights_analyse(&s->report, NULL);
	assert_true(findings_of(analysis, "idle_cores", 0) && !findings_of(analysis, "busy_machine", 0));
	model_analysis_free(analysis);
	s->result[0].others_cpu_ns = 3.0 * (double)s->result[0].steady_ns;
	s->report.machine.n_all_cpus = 4;
	analysis = insights_analyse(&s->report, NULL);
	assert_true(!findings_of(analysis, "idle_cores", 0) && findings_of(analysis, "busy_machine", 0));
	assert_true(findings_of(analysis, "busy_machine", 0)->value == 3 &&
		    findings_of(analysis, "busy_machine", 0)->b == 4);
	model_analysis_free(analysis);
	/* it could have used more, and other programs left it room */
	s->result[0].others_cpu_ns = 0.3 * (double)s->result[0].steady_ns;
	analysis = insights_analyse(&s->report, NULL);
	assert_true(findings_of(analysis, "idle_cores", 0) && !findings_of(analysis, "busy_machine", 0));
	model_analysis_free(analysis);
}

CASE(waiting_for_a_cpu_is_the_work_of_others)
{
	struct model_result *result = &s->result[0];
	struct model_analysis *analysis;

	result->n_threads = 1;
	result->cpu_user_ns = result->run_queue_ns = result->steady_ns / 2;
	result->cpu_system_ns = 0;
	analysis = insights_analyse(&s->report, NULL);
	assert_true(fabs(findings_of(analysis, "busy_machine", 0)->low - 0.5) < 1e-9);
	assert_true(findings_of(analysis, "busy_machine", 0) < &analysis->findings[3]);
	assert_null(findings_of(analysis, "idle_cores", 0));
	model_analysis_free(analysis);
	result->n_threads = 64; /* its own threads */
	analysis = insights_analyse(&s->report, NULL);
	assert_null(findings_of(analysis, "busy_machine", 0));
	model_analysis_free(analysis);
	result->n_threads = 1;
	result->run_queue_ns = result->steady_ns / 100;
	analysis = insights_analyse(&s->report, NULL);
	assert_null(findings_of(analysis, "busy_machine", 0));
	model_analysis_free(analysis);
	result->run_queue_ns = -1;
	analysis = insights_analyse(&s->report, NULL);
	assert_true(isnan(analysis->runs[0].waited) && !findings_of(analysis, "busy_machine", 0));
	model_analysis_free(analysis);
}

CASE(operators_of_integers_have_another_peak)
{
	struct model_analysis *analysis;

	s->op[0][0].op_type = "QLinearConv";
	s->op[0][1].op_type = "DynamicQuantizeMatMul";
	s->op[0][2].op_type = "ConvInteger";
	analysis = insights_analyse(&s->report, NULL);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(analysis->runs[0].bounds[i].by, MODEL_BOUND_UNKNOWN);
		assert_true(isnan(analysis->runs[0].bounds[i].share) && analysis->runs[0].bounds[i].flops_per_s > 0);
	}
	assert_int_equal(analysis->runs[0].bounds[3].by, MODEL_BOUND_COMPUTE);
	model_analysis_free(analysis);
}

TEST(tokens_that_take_longer_than_their_weights_are_found)
{
	/* of 41 GB/s, in 4 ms: a tenth; two thirds; too little to tell; several requests, several sequences */
	static const struct {
		int64_t bytes, concurrency, n_items;
		bool is_found;
	} cases[] = { { 16 << 20, 1, -1, true },
		      { 100 << 20, 1, -1, false },
		      { 1 << 19, 1, -1, false },
		      { 16 << 20, 4, -1, false },
		      { 16 << 20, 1, 8, false } };
	static const double typical_ns[] = { 4e6 };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct sample *s = sample_new();
		struct model_analysis *analysis;
		const struct finding *found;

		set_times(s, typical_ns, 1);
		s->report.model.read_bytes = cases[i].bytes;
		s->result[0].n_tokens = 12;
		s->result[0].concurrency = cases[i].concurrency;
		s->result[0].n_items = cases[i].n_items;
		s->result[0].n_threads = 1;
		analysis = insights_analyse(&s->report, NULL);
		found = findings_of(analysis, "slow_decode", 0);
		assert_int_equal(found != NULL, cases[i].is_found);
		if (found) {
			assert_true(found->value > 0.08 && found->value < 0.12);
			assert_int_equal(found->a, cases[i].bytes);
			assert_non_null(strstr(insight_words_of(analysis, found, true).next.s, "1 thread on 4 CPUs"));
		}
		model_analysis_free(analysis);
		free(s);
	}
}

TEST(nothing_at_all_is_analysed_too)
{
	struct model_report report;
	struct model_result result;
	struct model_analysis *analysis;

	model_report_init(&report);
	analysis = insights_analyse(&report, NULL);
	assert_int_equal(analysis->n_findings, 0);
	model_analysis_free(analysis);
	model_result_init(&result);
	report.results = &result;
	report.n_results = 1;
	analysis = insights_analyse(&report, NULL);
	assert_int_equal(analysis->n_findings, 0);
	assert_int_equal(analysis->runs[0].creation_rest_ns, -1);
	model_analysis_free(analysis);
	model_analysis_free(NULL);
}
