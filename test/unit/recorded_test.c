// SPDX-License-Identifier: Apache-2.0
/* A recording as results: its models have the same figures, and findings that appear only if the figures justify them.
 */
#include "analyze/insight/recorded.h"

#include <math.h>

#include "analyze/result/model/recording_result.h"
#include "analyze/result/phase_names.h"
#include "cases.h"
#include "findings.h"
#include "stream.h"

struct fixture {
	struct stream s;
	struct summary *summary;
	struct recorded recorded;
	uint32_t process, lane, thread;
};

static void begin(struct fixture *f)
{
	stream_init(&f->s);
	f->process = stream_process(&f->s, 7, "app");
	f->lane = stream_lane(&f->s, f->process, "m");
	f->thread = stream_thread(&f->s, f->process, 8);
}

static void analyse(struct fixture *f)
{
	struct summary_file file = { 0 };

	f->summary = stream_summary(&f->s, &file);
	assert_non_null(f->summary);
	assert_int_equal(recorded_init(&f->recorded, f->summary, NULL), 0);
}

static void end(struct fixture *f)
{
	recorded_done(&f->recorded);
	summary_free(f->summary);
	stream_done(&f->s);
}

static const struct finding *find(const struct fixture *f, uint32_t model, const char *name)
{
	return findings_of(&f->recorded.model[model], name, 0);
}

/* A session of 20 ms, most of it in a graph transformer. */
static void create(struct fixture *f, uint64_t at_us, const char *model, int64_t session)
{
	stream_int(&f->s, KEY_SESSION, session);
	stream_begin(&f->s, f->lane, at_us, KIND_SESSION, model);
	stream_begin(&f->s, f->lane, at_us, KIND_SPECIALIZE, "ConstantFolding");
	stream_end(&f->s, f->lane, at_us + 15000);
	stream_end(&f->s, f->lane, at_us + 20000);
}

/* 20 inferences of 1 ms, one operator in each; each waited that long for a CPU. */
static void run(struct fixture *f, uint64_t at_us, const char *model, int64_t session, int64_t waited_ns)
{
	for (int i = 1; i <= 20; i++, at_us += 2000) {
		stream_int(&f->s, KEY_FIRST, i == 1);
		stream_inference(&f->s, f->lane, at_us, model, session, i);
		stream_operator(&f->s, f->thread, at_us, "conv", "Conv", i);
		stream_end(&f->s, f->thread, at_us + 800);
		stream_int(&f->s, KEY_RUN_QUEUE_NS, waited_ns);
		stream_text(&f->s, KEY_STATUS, "ok");
		stream_end(&f->s, f->lane, at_us + 1000);
	}
}

TEST(a_recording_has_the_figures_of_a_run)
{
	struct fixture fixture, *f = &fixture;
	const struct model_run *own;

	begin(f);
	create(f, 100, "m", 1);
	run(f, 30000, "m", 1, 0);
	analyse(f);
	assert_int_equal(f->recorded.n, 1);
	own = &f->recorded.model->runs[0];
	assert_string_equal(own->result->label, "m");
	assert_int_equal(own->latency.n, 19); /* without the first */
	assert_true(own->latency.mean_ns == 1e6 && own->latency.percentile[0].ns == 1e6);
	assert_true(isnan(own->latency.percentile[3].ns) && isnan(own->latency.percentile[2].ns));
	assert_int_equal(own->latency.percentile[3].n_needed, 299);
	assert_int_equal(own->result->first_ns, 1000000);
	assert_int_equal(own->result->creation_ns, 20000000);
	assert_int_equal(own->result->n_phases, 1);
	assert_string_equal(own->result->phases[0].name, phase_names[PHASE_TRANSFORM].words);
	assert_int_equal(own->creation_rest_ns, 5000000);
	assert_int_equal(own->result->n_operators, 1);
	assert_true(fabs(own->bound_sums.total_ns / own->result->operators_wall_ns - 0.8) < 1e-9);
	assert_string_equal(find(f, 0, "slow_phase")->text, "ConstantFolding");
	assert_null(find(f, 0, "waits_for_cpu"));
	assert_null(find(f, 0, "created_again"));
	assert_null(find(f, 0, "idle_provider"));
	end(f);
}

struct phase {
	const char *name;
	uint64_t us;
	int64_t count; /* 0: none */
};

/* The findings of a session with these phases one after the other; the rest of its 20 ms is unattributed. */
static void create_of(struct fixture *f, const struct phase *phases, size_t n)
{
	uint64_t at_us = 100;

	begin(f);
	stream_int(&f->s, KEY_SESSION, 1);
	stream_begin(&f->s, f->lane, at_us, KIND_SESSION, "m");
	for (size_t i = 0; i < n; i++) {
		stream_begin(&f->s, f->lane, at_us, KIND_PHASE, phases[i].name);
		if (phases[i].count)
			stream_int(&f->s, KEY_COUNT, phases[i].count);
		stream_end(&f->s, f->lane, at_us += phases[i].us);
	}
	stream_end(&f->s, f->lane, 20100);
	analyse(f);
}

TEST(a_planner_is_found_from_a_quarter_of_the_creation_on_if_it_compares)
{
	static const struct phase much[] = { { "plan memory", 3000, 30000 },
					     { "resolve graph", 2000, 0 },
					     { "plan memory", 3000, 10000 } },
				  little[] = { { "plan memory", 4900, 40000 } },
				  quick[] = { { "plan memory", 15000, 1600 } };
	struct fixture fixture, *f = &fixture;
	const struct finding *found;

	create_of(f, much, 3);
	found = find(f, 0, "slow_planner");
	assert_true(found && fabs(found->value - 0.3) < 1e-9 && found->low == 6e6 && found->a == 20000);
	assert_null(find(f, 0, "slow_phase")); /* says the same */
	end(f);
	create_of(f, little, 1);
	assert_null(find(f, 0, "slow_planner"));
	end(f);
	create_of(f, quick, 1);
	assert_null(find(f, 0, "slow_planner"));
	assert_string_equal(find(f, 0, "slow_phase")->text, "memory planning");
	end(f);
}

/* n processes with one session of 20 ms each, of which that much goes to registering. */
static void register_in_processes(struct fixture *f, int n, uint64_t register_us)
{
	begin(f);
	for (int i = 0; i < n; i++) {
		uint32_t process = stream_process(&f->s, 20 + i, "app"), lane = stream_lane(&f->s, process, "m");

		stream_int(&f->s, KEY_SESSION, 1);
		stream_begin(&f->s, lane, 100, KIND_SESSION, "m");
		stream_begin(&f->s, lane, 100, KIND_PHASE, "register kernels");
		stream_end(&f->s, lane, 100 + register_us);
		stream_end(&f->s, lane, 20100);
	}
	analyse(f);
}

static uint32_t count_found(const struct fixture *f, const char *name)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->recorded.n; i++)
		n += find(f, i, name) != NULL;
	return n;
}

TEST(processes_that_register_anew_are_found_together)
{
	struct fixture fixture, *f = &fixture;
	const struct finding *found = NULL;

	register_in_processes(f, 4, 4000);
	assert_int_equal(count_found(f, "registered_again"), 1);
	for (uint32_t i = 0; i < f->recorded.n && !found; i++)
		found = find(f, i, "registered_again");
	assert_true(found && found->a == 4 && found->b == 4 && found->low == 12e6 && fabs(found->value - 0.2) < 1e-9);
	end(f);
	register_in_processes(f, 2, 15000); /* too few */
	assert_int_equal(count_found(f, "registered_again"), 0);
	end(f);
	register_in_processes(f, 12, 2900); /* too little of each */
	assert_int_equal(count_found(f, "registered_again"), 0);
	end(f);
	register_in_processes(f, 4, 3100); /* too little in all */
	assert_int_equal(count_found(f, "registered_again"), 0);
	end(f);
}

/* n sessions of 20 ms one after the other, each with three pool threads. */
static void create_with_pools(struct fixture *f, int n, int64_t pool_us)
{
	begin(f);
	for (int i = 0; i < n; i++) {
		uint64_t at_us = 100 + 30000 * (uint64_t)i;

		stream_int(&f->s, KEY_SESSION, i + 1);
		stream_begin(&f->s, f->lane, at_us, KIND_SESSION, "m");
		stream_int(&f->s, KEY_POOL_THREADS, pool_us ? 3 : 0);
		stream_int(&f->s, KEY_POOL_CPU_NS, pool_us * 1000);
		stream_text(&f->s, KEY_STATUS, i == 4 ? "failed on purpose" : "ok"); /* which counts for nothing */
		stream_end(&f->s, f->lane, at_us + 20000);
	}
	analyse(f);
}

TEST(pools_that_spin_while_sessions_are_created_are_found)
{
	struct fixture fixture, *f = &fixture;
	const struct finding *found;

	create_with_pools(f, 4, 30000);
	found = find(f, 0, "spins_creating");
	assert_true(found && found->a == 4 && found->b == 3 && found->low == 120e6 && fabs(found->value - 1.5) < 1e-9);
	end(f);
	create_with_pools(f, 2, 90000); /* too few */
	assert_null(find(f, 0, "spins_creating"));
	end(f);
	create_with_pools(f, 4, 24000); /* too little in all */
	assert_null(find(f, 0, "spins_creating"));
	end(f);
	create_with_pools(f, 30, 3900); /* too little of each */
	assert_null(find(f, 0, "spins_creating"));
	end(f);
	create_with_pools(f, 4, 0); /* none, or not seen */
	assert_null(find(f, 0, "spins_creating"));
	end(f);
}

static struct insight_words words_of(const struct fixture *f, const struct finding *found)
{
	return insight_words_of(f->recorded.model, found, true);
}

TEST(weights_that_are_copied_are_found_if_that_takes_much)
{
	static const struct phase inside[] = { { "read file", 1000, 0 },
					       { "parse model", 4000, 0 },
					       { "copy weights", 5000, 40 },
					       { "pre-pack weights", 7000, 0 },
					       { "hash packed weights", 1000, 0 } },
				  beside[] = { { "parse model", 400, 0 },
					       { "initialize weights", 100, 40 },
					       { "pre-pack weights", 9000, 0 } },
				  setting_up[] = { { "create providers", 15000, 0 } },
				  building[] = { { "build graph", 15000, 0 } },
				  ort[] = { { "copy weights", 9000, 40 }, { "pre-pack weights", 4000, 0 } },
				  parsed[] = { { "parse model", 9000, 0 }, { "copy weights", 1900, 40 } };
	struct fixture fixture, *f = &fixture;
	const struct finding *found;

	create_of(f, inside, 5);
	found = find(f, 0, "weights_copied");
	assert_true(found && fabs(found->value - 0.5) < 1e-9 && found->low == 10e6 && found->high == 8e6);
	assert_null(find(f, 0, "slow_phase"));
	assert_non_null(strstr(words_of(f, found).evidence.s, "; packing them takes 8.00 ms more"));
	end(f);
	create_of(f, inside, 3); /* a GPU packs nothing */
	found = find(f, 0, "weights_copied");
	assert_true(found && found->high == 0 && !strstr(words_of(f, found).evidence.s, "packing"));
	end(f);
	create_of(f, setting_up, 1);
	found = find(f, 0, "slow_phase");
	assert_string_equal(found->text, "creation of providers");
	assert_true(isnan(found->gain_ns) && strstr(words_of(f, found).next.s, "needs most of it once"));
	end(f);
	create_of(f, building, 1); /* nothing is known that saves it */
	assert_string_equal(words_of(f, find(f, 0, "slow_phase")).next.s, "");
	end(f);
	create_of(f, beside, 3);
	assert_null(find(f, 0, "weights_copied"));
	assert_string_equal(find(f, 0, "slow_phase")->text, "pre-packing of weights");
	end(f);
	create_of(f, parsed, 2);
	assert_null(find(f, 0, "weights_copied"));
	end(f);
	create_of(f, ort, 2);
	assert_null(find(f, 0, "weights_copied"));
	end(f);
}

/* Ten milliseconds for so few bytes are no copying: the thread lost its CPU. */
TEST(a_small_model_is_not_copied_for_long)
{
	static const struct phase inside[] = { { "parse model", 4000, 0 }, { "copy weights", 6000, 40 } };
	static const int64_t bytes[] = { 8 << 20, 240 << 10 };
	struct fixture fixture, *f = &fixture;

	create_of(f, inside, 2);
	for (int i = 0; i < 2; i++) {
		struct recorded recorded;

		f->summary->models[0].bytes = bytes[i];
		assert_int_equal(recorded_init(&recorded, f->summary, NULL), 0);
		assert_int_equal(!findings_of(recorded.model, "weights_copied", 0), i);
		recorded_done(&recorded);
	}
	end(f);
}

TEST(waits_are_found_from_a_twentieth_on)
{
	struct fixture fixture, *f = &fixture;

	begin(f);
	create(f, 100, "m", 1);
	run(f, 30000, "m", 1, 400000);
	analyse(f);
	assert_true(fabs(find(f, 0, "waits_for_cpu")->value - 0.4) < 1e-9);
	assert_true(find(f, 0, "waits_for_cpu")->low == 400000);
	end(f);
	begin(f);
	create(f, 100, "m", 1);
	run(f, 30000, "m", 1, 40000);
	analyse(f);
	assert_null(find(f, 0, "waits_for_cpu"));
	end(f);
}

TEST(sessions_that_are_created_again_are_found)
{
	struct fixture fixture, *f = &fixture;

	begin(f);
	for (int i = 0; i < 3; i++) {
		create(f, 100 + (uint64_t)i * 100000, "m", i + 1);
		run(f, 30000 + (uint64_t)i * 100000, "m", i + 1, 0);
	}
	analyse(f);
	assert_int_equal(find(f, 0, "created_again")->a, 3);
	assert_true(find(f, 0, "created_again")->low == 40e6);
	end(f);
}

TEST(names_that_are_cut_stay_different)
{
	static const char *const names[] = { "a_rather_long_model_name_detection_of_text_in_images",
					     "a_rather_long_model_name_recognition_of_text_in_images" };
	struct fixture fixture, *f = &fixture;
	struct printable a, b;

	begin(f);
	for (int i = 0; i < 2; i++)
		create(f, 100 + (uint64_t)i * 100000, names[i], i + 1);
	analyse(f);
	assert_int_equal(f->summary->n_models, 2);
	a = recording_result_label(f->summary, 0, 20, true);
	b = recording_result_label(f->summary, 1, 20, true);
	assert_string_not_equal(a.s, b.s);
	assert_true(printable_width(a.s) > 20);
	end(f);
}
