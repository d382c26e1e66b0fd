// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "cases.h"
#include "stream.h"

struct fixture {
	struct stream s;
	uint32_t process, lane, thread;
	struct summary *summary;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	stream_init(&f->s);
	f->process = stream_process(&f->s, 100, "app");
	f->lane = stream_lane(&f->s, f->process, "m");
	f->thread = stream_thread(&f->s, f->process, 101);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	summary_free(f->summary);
	stream_done(&f->s);
	free(f);
	return 0;
}

/* The sums of a summary are right for any recording. */
static void check_sums(const struct summary *summary)
{
	uint64_t n_operators = 0, n_inferences = 0;

	for (uint32_t m = 0; m < summary->n_models; m++) {
		const struct summary_model *model = &summary->models[m];
		const struct summary_coverage *coverage = &model->coverage;
		uint64_t share = 0, node_share = 0, provider_share = 0, phases = 0;

		assert_int_equal(coverage->wall_ns, coverage->operators_ns + coverage->setup_ns + coverage->halted_ns +
							coverage->unattributed_ns);
		assert_true(coverage->unattributed_ns <= coverage->wall_ns);
		for (uint32_t i = 0; i < model->types.n; i++)
			share += summary->types[model->types.first + i].share_ns;
		for (uint32_t i = 0; i < model->nodes.n; i++)
			node_share += summary->nodes[model->nodes.first + i].share_ns;
		for (uint32_t i = 0; i < model->ran_on.n; i++)
			provider_share += summary->ran_on[model->ran_on.first + i].share_ns;
		assert_int_equal(share, coverage->operators_ns);
		assert_int_equal(node_share, coverage->operators_ns);
		assert_int_equal(provider_share, coverage->operators_ns);
		for (int phase = 0; phase < N_PHASES; phase++)
			phases += model->creation.phase_ns[phase];
		assert_int_equal(phases, model->creation.duration.total_ns);
		n_inferences += model->runs.n;
	}
	for (uint32_t i = 0; i < summary->n_sessions; i++) {
		const struct summary_session *session = &summary->sessions[i];
		uint64_t phases = 0;

		for (int phase = 0; phase < N_PHASES; phase++)
			phases += session->phase_ns[phase];
		if (session->has_slice && session->end_ns != STORE_OPEN)
			assert_int_equal(phases, session->end_ns - session->begin_ns);
	}
	for (uint32_t i = 0; i < summary->n_types; i++)
		n_operators += summary->types[i].n + summary->types[i].n_open;
	for (uint32_t i = 0; i < summary->n_elsewhere; i++)
		n_operators += summary->elsewhere[i].n + summary->elsewhere[i].n_open;
	assert_int_equal(n_operators, summary->n_operators);
	assert_int_equal(n_inferences, summary->n_inferences);
}

static const struct summary *summarise_some(struct fixture *f, const struct summary_opts *opts)
{
	struct summary_file file = { 0 };

	f->summary = stream_summary_of(&f->s, opts, &file);
	check_sums(f->summary);
	return f->summary;
}

static const struct summary *summarise(struct fixture *f)
{
	struct summary_file file = { 0 };

	f->summary = stream_summary(&f->s, &file);
	assert_non_null(f->summary);
	check_sums(f->summary);
	return f->summary;
}

static void run(struct fixture *f, uint32_t lane, uint64_t begin_us, uint64_t end_us, int64_t session, int64_t number)
{
	stream_inference(&f->s, lane, begin_us, "m", session, number);
	stream_text(&f->s, KEY_STATUS, "ok");
	stream_end(&f->s, lane, end_us);
}

static void operator(struct fixture *f, uint32_t thread, uint64_t begin_us, uint64_t end_us, const char *name,
		     const char *type, int64_t number)
{
	stream_operator(&f->s, thread, begin_us, name, type, number);
	stream_end(&f->s, thread, end_us);
}

static const struct summary_operator *find(const struct fixture *f, const struct summary_operator *operators,
					   uint32_t n, const char *name, const char *type)
{
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(names_text(f->s.names, operators[i].name), name) &&
		    !strcmp(names_text(f->s.names, operators[i].op_type), type))
			return &operators[i];
	fail_msg("no operator %s %s", name, type);
	return NULL;
}

TEST(an_empty_recording_has_no_facts)
{
	struct fixture f = { 0 };
	const struct summary *summary;

	stream_init(&f.s);
	summary = summarise(&f);
	assert_int_equal(summary->n_processes + summary->n_models + summary->n_sessions + summary->n_types, 0);
	assert_true(summary->recording.begin_ns > summary->recording.end_ns);
	assert_int_equal(summary->recording.interval_ns, -1);
	summary_free(f.summary);
	stream_done(&f.s);
}

#define CASE(name) TEST_FROM(name, struct fixture, f, setup, teardown)

CASE(one_inference_has_no_rate_and_no_interval)
{
	const struct summary_model *model;

	run(f, f->lane, 1000, 3500, 1, 1);
	model = &summarise(f)->models[0];
	assert_int_equal(model->runs.n, 1);
	assert_int_equal(model->runs.latency.n, 1);
	assert_int_equal(model->runs.latency.p50_ns, 2500000);
	assert_true(model->runs.latency.mean_ns == 2500000);
	assert_true(isnan(model->runs.latency.interval_ns));
	assert_true(isnan(model->runs.rate));
	assert_int_equal(model->runs.max_concurrent, 1);
	assert_int_equal(model->coverage.n, 0); /* no operators: unknown, not 100 % unattributed */
}

CASE(first_failed_open_and_partial_inferences_stay_out_of_the_latency)
{
	const struct summary_runs *runs;
	const struct summary *summary;

	stream_int(&f->s, KEY_FIRST, 1);
	stream_inference(&f->s, f->lane, 0, "m", 1, 1);
	stream_end(&f->s, f->lane, 9000);
	run(f, f->lane, 10000, 11000, 1, 2);
	run(f, f->lane, 12000, 13000, 1, 3);
	stream_inference(&f->s, f->lane, 14000, "m", 1, 4);
	stream_text(&f->s, KEY_STATUS, "bad shape");
	stream_end(&f->s, f->lane, 14001);
	stream_int(&f->s, KEY_PARTIAL, 1);
	stream_inference(&f->s, f->lane, 15000, "m", 1, 5);
	stream_end(&f->s, f->lane, 15002);
	stream_inference(&f->s, f->lane, 16000, "m", 1, 6);
	summary = summarise(f);
	runs = &summary->models[0].runs;
	assert_int_equal(runs->n, 6);
	assert_int_equal(runs->n_failed, 1);
	assert_int_equal(runs->n_open, 1);
	assert_int_equal(runs->n_partial, 1);
	assert_int_equal(runs->latency.n, 2);
	assert_int_equal(runs->latency.max_ns, 1000000);
	assert_int_equal(runs->first.n, 1);
	assert_int_equal(runs->first.max_ns, 9000000);
	assert_int_equal(summary->n_open[KIND_INFERENCE], 1);
	assert_int_equal(summary->n_inferences_failed, 1);
	assert_int_equal(runs->n_without_status, 3);
	assert_true(fabs(runs->rate - 5 * 1e9 / 15002000) < 1e-9);
	assert_int_equal(summary->models[0].tallies.n, 1);
	assert_string_equal(names_text(f->s.names, summary->tallies[0].text), "bad shape");
	assert_int_equal(summary->tallies[0].n, 1);
	assert_int_equal(summary->tallies[0].first_ns, 14000000);
}

/* Loop [100..500] holds If [150..300], which holds Add [200..250]; Mul [350..450]. */
CASE(nested_operators_are_counted_once)
{
	const struct summary *summary;
	const struct summary_model *model;

	run(f, f->lane, 0, 1000, 1, 1);
	stream_operator(&f->s, f->thread, 100, "loop", "Loop", 1);
	stream_operator(&f->s, f->thread, 150, "if", "If", 1);
	operator(f, f->thread, 200, 250, "add", "Add", 1);
	stream_end(&f->s, f->thread, 300);
	operator(f, f->thread, 350, 450, "mul", "Mul", 1);
	stream_end(&f->s, f->thread, 500);
	operator(f, f->thread, 600, 700, "add", "Add", 1);
	summary = summarise(f);
	model = &summary->models[0];
	assert_int_equal(model->coverage.operators_ns, 500000);
	assert_int_equal(model->coverage.unattributed_ns, 500000);
	assert_int_equal(find(f, summary->types, summary->n_types, "", "Loop")->share_ns, 150000);
	assert_int_equal(find(f, summary->types, summary->n_types, "", "Loop")->duration.total_ns, 400000);
	assert_true(find(f, summary->types, summary->n_types, "", "Loop")->has_children);
	assert_int_equal(find(f, summary->types, summary->n_types, "", "If")->share_ns, 100000);
	assert_int_equal(find(f, summary->types, summary->n_types, "", "Mul")->share_ns, 100000);
	assert_int_equal(find(f, summary->nodes, summary->n_nodes, "add", "Add")->share_ns, 150000);
	assert_int_equal(find(f, summary->nodes, summary->n_nodes, "add", "Add")->n, 2);
	assert_int_equal(summary->types[0].share_ns, 150000); /* largest first */
	assert_int_equal(model->coverage.n_parallel, 0);
}

/* Conv [0..600] on one thread, MatMul [200..400] on another: in between, half each. */
CASE(operators_side_by_side_never_exceed_the_whole)
{
	uint32_t other = stream_thread(&f->s, f->process, 102);
	const struct summary *summary;

	run(f, f->lane, 0, 1000, 1, 1);
	operator(f, f->thread, 0, 600, "c", "Conv", 1);
	stream_operator(&f->s, other, 200, "loop", "Loop", 1);
	operator(f, other, 250, 350, "mm", "MatMul", 1);
	stream_end(&f->s, other, 400);
	summary = summarise(f);
	assert_int_equal(summary->models[0].coverage.operators_ns, 600000);
	assert_int_equal(summary->models[0].coverage.n_parallel, 1);
	assert_int_equal(find(f, summary->types, summary->n_types, "", "Conv")->share_ns, 500000);
	assert_int_equal(find(f, summary->types, summary->n_types, "", "MatMul")->share_ns, 50000);
	assert_int_equal(find(f, summary->types, summary->n_types, "", "Loop")->share_ns, 50000);
	assert_int_equal(find(f, summary->types, summary->n_types, "", "Loop")->self_ns, 100000);
}

/* Three at once for 1 ns less than a multiple of three: rounding loses nothing. */
CASE(shares_add_up_to_the_last_nanosecond)
{
	run(f, f->lane, 0, 1, 1, 1);
	for (int i = 0; i < 3; i++)
		operator(f, stream_thread(&f->s, f->process, 200 + i), 0, 1, "x", i ? "B" : "A", 1);
	assert_int_equal(summarise(f)->models[0].coverage.operators_ns, 1000);
}

CASE(an_operator_outside_its_inference_is_cut_to_it)
{
	const struct summary *summary;

	run(f, f->lane, 100, 200, 1, 1);
	operator(f, f->thread, 50, 150, "early", "Conv", 1);
	operator(f, f->thread, 180, 250, "late", "Relu", 1);
	operator(f, f->thread, 300, 400, "after", "Add", 1);
	summary = summarise(f);
	assert_int_equal(summary->models[0].coverage.operators_ns, 70000);
	assert_int_equal(find(f, summary->types, summary->n_types, "", "Conv")->share_ns, 50000);
	assert_int_equal(find(f, summary->types, summary->n_types, "", "Relu")->share_ns, 20000);
	assert_int_equal(find(f, summary->types, summary->n_types, "", "Add")->share_ns, 0);
}

CASE(setup_is_apart_from_operators)
{
	const struct summary *summary;

	stream_inference(&f->s, f->lane, 0, "m", 1, 1);
	stream_begin(&f->s, f->lane, 10, KIND_SETUP, "setup");
	stream_begin(&f->s, f->lane, 20, KIND_SETUP, "copy"); /* inside: no time of its own */
	stream_end(&f->s, f->lane, 40);
	stream_end(&f->s, f->lane, 60);
	stream_end(&f->s, f->lane, 500);
	operator(f, f->thread, 100, 400, "a", "Conv", 1);
	stream_inference(&f->s, f->lane, 1000, "m", 1, 2);
	stream_begin(&f->s, f->lane, 1010, KIND_SETUP, "setup");
	stream_end(&f->s, f->lane, 1060);
	stream_end(&f->s, f->lane, 1500);
	operator(f, f->thread, 1050, 1400, "a", "Conv",
		 2); /* begins before setup is over: the operator has precedence */
	summary = summarise(f);
	assert_int_equal(summary->models[0].coverage.setup_ns, 50000 + 40000);
	assert_int_equal(summary->models[0].coverage.operators_ns, 300000 + 350000);
}

CASE(operators_outside_any_inference_are_elsewhere)
{
	const struct summary *summary;
	const struct summary_operator *elsewhere;

	stream_int(&f->s, KEY_SESSION, 1);
	stream_begin(&f->s, f->lane, 0, KIND_SESSION, "m");
	stream_end(&f->s, f->lane, 100);
	run(f, f->lane, 200, 300, 1, 1);
	stream_inference(&f->s, f->lane, 600, "m", 1, 2);
	operator(f, f->thread, 50, 60, "fold", "Add", 0);
	operator(f, f->thread, 150, 160, "lonely", "Mul", 0);
	operator(f, f->thread, 210, 250, "in", "Conv", 1);
	operator(f, f->thread, 400, 410, "lost", "Sub", 77);
	operator(f, f->thread, 610, 620, "cut", "Div", 2);
	stream_operator(&f->s, f->thread, 630, "open", "Conv", 2);
	summary = summarise(f);
	elsewhere = summary->elsewhere;
	assert_int_equal(summary->n_types, 1);
	assert_int_equal(summary->n_elsewhere, 5);
	assert_int_equal(find(f, elsewhere, 5, "", "Add")->where, WHERE_CREATION);
	assert_int_equal(find(f, elsewhere, 5, "", "Mul")->where, WHERE_OUTSIDE);
	assert_int_equal(find(f, elsewhere, 5, "", "Sub")->where, WHERE_UNKNOWN);
	assert_int_equal(find(f, elsewhere, 5, "", "Div")->where, WHERE_UNFINISHED);
	assert_int_equal(find(f, elsewhere, 5, "", "Conv")->n_open, 1);
	assert_int_equal(summary->models[0].coverage.n, 1);
	assert_int_equal(summary->models[0].coverage.wall_ns, 100000);
	assert_int_equal(summary->n_open[KIND_OPERATOR], 1);
}

/* Warm-up is separate: shares cover what follows it, if anything does. */
CASE(the_first_inference_is_no_part_of_the_shares)
{
	const struct summary *summary;

	stream_int(&f->s, KEY_FIRST, 1);
	run(f, f->lane, 0, 1000, 1, 1);
	operator(f, f->thread, 0, 900, "a", "Conv", 1);
	run(f, f->lane, 1000, 1100, 1, 2);
	operator(f, f->thread, 1000, 1050, "a", "Conv", 2);
	stream_inference(&f->s, f->lane, 1200, "m", 1, 3);
	stream_text(&f->s, KEY_STATUS, "no");
	stream_end(&f->s, f->lane, 1300);
	operator(f, f->thread, 1200, 1210, "a", "Conv", 3);
	/* another model has only a first one */
	stream_int(&f->s, KEY_FIRST, 1);
	stream_inference(&f->s, f->lane, 2000, "other", 2, 4);
	stream_end(&f->s, f->lane, 2100);
	operator(f, f->thread, 2000, 2030, "b", "Relu", 4);
	summary = summarise(f);
	assert_int_equal(summary->models[0].coverage.n, 1);
	assert_int_equal(summary->models[0].coverage.wall_ns, 100000);
	assert_int_equal(summary->models[0].coverage.operators_ns, 50000);
	assert_int_equal(summary->models[1].coverage.operators_ns, 30000);
	assert_int_equal(summary->n_elsewhere, 1);
	assert_int_equal(summary->elsewhere[0].where, WHERE_APART);
	assert_int_equal(summary->elsewhere[0].self_ns, 910000);
}

static void transformer(struct fixture *f, uint64_t begin_us, const char *name)
{
	stream_begin(&f->s, f->lane, begin_us, KIND_SPECIALIZE, name);
}

static void transformer_end(struct fixture *f, uint64_t end_us, bool modified)
{
	stream_int(&f->s, KEY_MODIFIED, modified);
	stream_end(&f->s, f->lane, end_us);
}

/* A creation of 1000 us with transformers inside transformers. */
static void put_creation(struct fixture *f, uint64_t start, int64_t number, const char *status)
{
	stream_int(&f->s, KEY_SESSION, number);
	stream_text(&f->s, KEY_MODEL, "m");
	stream_begin(&f->s, f->lane, start, KIND_SESSION, "m");
	stream_begin(&f->s, f->lane, start + 10, KIND_LOAD, "load");
	stream_end(&f->s, f->lane, start + 110);
	transformer(f, start + 200, "Level1");
	transformer(f, start + 210, "ConstantFolding");
	transformer_end(f, start + 270, true);
	transformer(f, start + 270, "Level1");
	transformer_end(f, start + 280, false);
	transformer_end(f, start + 300, true);
	stream_begin(&f->s, f->lane, start + 400, KIND_SPECIALIZE, "partition CPUExecutionProvider");
	stream_int(&f->s, KEY_CAPABILITIES, 154);
	stream_end(&f->s, f->lane, start + 420);
	stream_begin(&f->s, f->lane, start + 420, KIND_SPECIALIZE, "compile OpenVINOExecutionProvider");
	stream_end(&f->s, f->lane, start + 620);
	stream_text(&f->s, KEY_OP_TYPE, "Conv");
	stream_begin(&f->s, f->lane, start + 700, KIND_SPECIALIZE, "pre-pack conv1");
	stream_end(&f->s, f->lane, start + 730);
	stream_begin(&f->s, f->lane, start + 800, KIND_SPECIALIZE, "weights");
	stream_end(&f->s, f->lane, start + 805);
	stream_text(&f->s, KEY_STATUS, status);
	stream_end(&f->s, f->lane, start + 1000);
}

CASE(phases_of_a_creation_add_up_to_it)
{
	const struct summary *summary;
	const struct summary_session *session;
	const struct summary_transformer *transformers;

	put_creation(f, 0, 1, "ok");
	put_creation(f, 2000, 2, "ok");
	put_creation(f, 4000, 3, "cannot load");
	stream_begin(&f->s, f->lane, 6000, KIND_SESSION, "m");
	summary = summarise(f);
	assert_int_equal(summary->n_sessions, 4);
	assert_int_equal(summary->n_models, 1);
	session = &summary->sessions[1];
	assert_int_equal(session->number, 2);
	assert_int_equal(session->phase_ns[PHASE_LOAD], 100000);
	assert_int_equal(session->phase_ns[PHASE_TRANSFORM], 100000);
	assert_int_equal(session->phase_ns[PHASE_PARTITION], 20000);
	assert_int_equal(session->phase_ns[PHASE_COMPILE], 200000);
	assert_int_equal(session->phase_ns[PHASE_PREPACK], 30000);
	assert_int_equal(session->phase_ns[PHASE_OTHER], 5000);
	assert_int_equal(session->phase_ns[PHASE_UNATTRIBUTED], 545000);
	assert_int_equal(summary->models[0].creation.n, 4);
	assert_int_equal(summary->models[0].creation.n_failed, 1);
	assert_int_equal(summary->models[0].creation.n_open, 1);
	assert_int_equal(summary->models[0].creation.duration.n, 2);
	assert_int_equal(summary->models[0].creation.phase_ns[PHASE_TRANSFORM], 200000);
	assert_int_equal(summary->models[0].creation.n_prepacked, 2);
	assert_int_equal(summary->models[0].creation.n_capabilities, 308);
	transformers = summary->transformers + summary->models[0].transformers.first;
	assert_int_equal(summary->models[0].transformers.n, 2);
	assert_string_equal(names_text(f->s.names, transformers[0].name), "ConstantFolding");
	assert_int_equal(transformers[0].n, 2);
	assert_int_equal(transformers[0].n_changed, 2);
	assert_int_equal(transformers[0].self_ns, 120000);
	assert_int_equal(transformers[1].n, 4);
	assert_int_equal(transformers[1].n_changed, 2);
	assert_int_equal(transformers[1].self_ns, 80000);
	assert_int_equal(summary->n_sessions_failed, 1);
}

CASE(notes_complete_the_sessions)
{
	const struct summary *summary;

	stream_text(&f->s, KEY_MODEL, "m");
	stream_int(&f->s, KEY_SESSION, 1);
	stream_text(&f->s, KEY_PROVIDERS, "CPUExecutionProvider");
	stream_text(&f->s, KEY_MODEL_PATH, "/models/m.onnx");
	stream_int(&f->s, KEY_BYTES, 12345);
	stream_instant(&f->s, f->process, 900, KIND_NOTE, EVENT_NOTE_CREATED);
	stream_text(&f->s, KEY_MODEL, "m");
	stream_int(&f->s, KEY_SESSION, 1);
	stream_instant(&f->s, f->process, 5000, KIND_NOTE, EVENT_NOTE_RELEASED);
	put_creation(f, 0, 1, "ok");
	run(f, f->lane, 2000, 3000, 1, 1);
	summary = summarise(f);
	assert_int_equal(summary->n_sessions, 1);
	assert_int_equal(summary->sessions[0].released_ns, 5000000);
	assert_int_equal(summary->sessions[0].bytes, 12345);
	assert_int_equal(summary->sessions[0].n_runs, 1);
	assert_int_equal(summary->sessions[0].latency.n, 1);
	assert_string_equal(names_text(f->s.names, summary->models[0].path), "/models/m.onnx");
}

/* The same file on two providers is compared; a session with unseen settings joins the first. */
CASE(providers_make_a_model_of_their_own)
{
	static const char *const providers[] = { "CPUExecutionProvider", "CUDAExecutionProvider" };
	const struct summary *summary;

	for (int i = 0; i < 2; i++) {
		stream_text(&f->s, KEY_MODEL, "m");
		stream_int(&f->s, KEY_SESSION, i + 1);
		stream_text(&f->s, KEY_PROVIDERS, providers[i]);
		stream_instant(&f->s, f->process, 0, KIND_NOTE, EVENT_NOTE_CREATED);
	}
	run(f, f->lane, 0, 10, 1, 1);
	run(f, f->lane, 10, 110, 2, 2);
	run(f, f->lane, 200, 205, 3, 3);
	summary = summarise(f);
	assert_int_equal(summary->n_models, 2);
	assert_string_equal(names_text(f->s.names, summary->models[0].providers), providers[1]); /* most time first */
	assert_int_equal(summary->models[0].runs.n, 1);
	assert_int_equal(summary->models[1].runs.n, 2);
	assert_int_equal(summary->models[1].sessions.n, 2);
}

CASE(a_provider_that_ran_nothing_is_named)
{
	const char *providers = "CUDAExecutionProvider(device_id=0,arena=1), CPUExecutionProvider,QNNExecutionProvider";
	const struct summary *summary;

	for (int i = 1; i <= 2; i++) {
		stream_text(&f->s, KEY_MODEL, i == 1 ? "m" : "unseen");
		stream_int(&f->s, KEY_SESSION, i);
		stream_text(&f->s, KEY_PROVIDERS, providers);
		stream_instant(&f->s, f->process, 0, KIND_NOTE, EVENT_NOTE_CREATED);
	}
	run(f, f->lane, 0, 100, 1, 1);
	operator(f, f->thread, 0, 50, "a", "Conv", 1);
	summary = summarise(f);
	assert_int_equal(summary->n_idle, 2); /* nothing is known of the model whose operators were not seen */
	assert_int_equal(summary->models[0].idle.n, 2);
	assert_int_equal(summary->idle[0].at, 0);
	assert_int_equal(summary->idle[0].len, strlen("CUDAExecutionProvider"));
	assert_int_equal(summary->idle[1].at, strstr(providers, "QNN") - providers);
	assert_int_equal(summary->idle[1].len, strlen("QNNExecutionProvider"));
}

CASE(a_cpu_with_nothing_to_do_is_no_news)
{
	stream_text(&f->s, KEY_MODEL, "m");
	stream_int(&f->s, KEY_SESSION, 1);
	stream_text(&f->s, KEY_PROVIDERS, "CUDAExecutionProvider,CPUExecutionProvider");
	stream_instant(&f->s, f->process, 0, KIND_NOTE, EVENT_NOTE_CREATED);
	run(f, f->lane, 0, 100, 1, 1);
	stream_text(&f->s, KEY_PROVIDER, "CUDAExecutionProvider");
	stream_int(&f->s, KEY_INFERENCE, 1);
	stream_begin(&f->s, f->thread, 0, KIND_OPERATOR, "all");
	stream_end(&f->s, f->thread, 50);
	assert_int_equal(summarise(f)->n_idle, 0);
	assert_int_equal(f->summary->n_ran_on, 1);
}

CASE(two_processes_with_the_same_model_stay_apart_if_asked)
{
	uint32_t process = stream_process(&f->s, 200, "app"), lane = stream_lane(&f->s, process, "m");
	uint32_t thread = stream_thread(&f->s, process, 201);
	const struct summary *summary;

	run(f, f->lane, 0, 100, 1, 1);
	operator(f, f->thread, 0, 90, "a", "Conv", 1);
	run(f, lane, 0, 50, 1, 1);
	operator(f, thread, 0, 10, "a", "Conv", 1);
	summary = summarise_some(f, &(struct summary_opts){ .by_process = true });
	assert_int_equal(summary->n_models, 2);
	assert_int_equal(summary->models[0].coverage.operators_ns, 90000);
	assert_int_equal(summary->models[1].coverage.operators_ns, 10000);
	assert_int_equal(summary->processes[1].n_inferences, 1);
	assert_int_equal(summary->processes[summary->models[0].process].pid, 100);
}

CASE(concurrency_and_threads_are_counted)
{
	const struct summary_runs *runs;

	for (int i = 0; i < 4; i++) {
		uint32_t lane = stream_lane(&f->s, f->process, "m");

		stream_int(&f->s, KEY_TID, 500 + i % 3);
		stream_text(&f->s, KEY_SHAPES, i == 3 ? "2x3" : "1x3");
		run(f, lane, (uint64_t)i * 100, 250 + (uint64_t)i * 100, 1, i + 1);
	}
	runs = &summarise(f)->models[0].runs;
	assert_int_equal(runs->max_concurrent, 3);
	assert_int_equal(runs->n_threads, 3);
	assert_int_equal(f->summary->busy_ns, 550000);
	assert_int_equal(f->summary->models[0].tallies.n, 2);
	assert_string_equal(names_text(f->s.names, f->summary->tallies[0].text), "1x3");
	assert_int_equal(f->summary->tallies[0].n, 3);
}

/* A provider that is a runtime of its own, and in it one more; beside them another thread. */
CASE(an_inference_within_another_counts_once)
{
	static const struct {
		const char *model;
		uint64_t begin_us, end_us;
		int64_t tid;
	} of[] = { { "outer", 0, 1000, 500 },
		   { "inner", 100, 900, 500 },
		   { "beside", 150, 650, 501 },
		   { "innermost", 200, 300, 500 },
		   { "inner", 1000, 1500, 500 } };
	static const uint64_t own_ns[] = { 1200000, 200000, 500000, 100000 }; /* models by their whole time */

	for (int i = 0; i < 5; i++) {
		uint32_t lane = stream_lane(&f->s, f->process, of[i].model);

		stream_int(&f->s, KEY_TID, of[i].tid);
		stream_inference(&f->s, lane, of[i].begin_us, of[i].model, i + 1, i + 1);
		stream_end(&f->s, lane, of[i].end_us);
	}
	summarise(f);
	assert_int_equal(f->summary->n_models, 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(summary_runs_ns(&f->summary->models[i].runs), own_ns[i]);
	assert_string_equal(names_text(f->s.names, f->summary->models[0].name), "inner");
	assert_int_equal(f->summary->models[0].runs.inner_ns, 100000);
}

CASE(one_after_the_other_is_not_at_once)
{
	run(f, f->lane, 0, 100, 1, 1);
	run(f, f->lane, 100, 200, 1, 2);
	run(f, f->lane, 300, 400, 1, 3);
	summarise(f);
	assert_int_equal(f->summary->models[0].runs.max_concurrent, 1);
	assert_int_equal(f->summary->busy_ns, 300000);
}

CASE(one_long_call_makes_no_operator_the_first)
{
	const struct summary *summary;

	stream_text(&f->s, KEY_LEVEL, "operator");
	stream_instant(&f->s, f->process, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
	for (uint64_t i = 0; i < 20; i++) {
		uint64_t at = i * 10000, extra = i == 7 ? 5000 : 0;

		run(f, f->lane, at, at + 1000 + extra, 1, (int64_t)i + 1);
		operator(f, f->thread, at, at + 800, "heavy", "Conv", (int64_t)i + 1);
		operator(f, f->thread, at + 800, at + 900 + extra, "light", "Relu", (int64_t)i + 1);
	}
	operator(f, f->thread, 900000, 900010, "apart", "Sin", 0);
	summary = summarise(f);
	assert_string_equal(names_text(f->s.names, summary->nodes[0].name), "heavy");
	assert_string_equal(names_text(f->s.names, summary->types[0].op_type), "Conv");
	assert_int_equal(summary->nodes[0].typical_ns, 20 * 800000);
	assert_int_equal(summary->nodes[1].share_ns, 20 * 100000 + 5000000);
	assert_int_equal(summary->nodes[1].typical_ns, 20 * 100000);
	assert_int_equal(summary->types[1].typical_ns, 20 * 100000);
}

CASE(of_another_program_the_sum_makes_an_operator_the_first)
{
	run(f, f->lane, 0, 10000, 1, 1);
	for (uint64_t i = 0; i < 40; i++)
		operator(f, f->thread, 100 * i, 100 * i + (i % 2 ? 1 : 90), i % 2 ? "empty" : "mul", "T", 1);
	operator(f, f->thread, 5000, 9900, "empty", "T", 1);
	assert_string_equal(names_text(f->s.names, summarise(f)->nodes[0].name), "empty");
}

CASE(the_slowest_inference_says_why)
{
	const struct summary_slow *slow;

	for (uint64_t i = 0; i < 20; i++) {
		uint64_t extra = i == 13 ? 400 : 0;

		stream_int(&f->s, KEY_ID, (int64_t)i + 1);
		stream_inference(&f->s, f->lane, i * 1000, "m", 1, (int64_t)i + 1);
		stream_int(&f->s, KEY_RUN_QUEUE_NS, i == 13 ? 350000 : 1000);
		stream_int(&f->s, KEY_FAULTS, 2);
		stream_end(&f->s, f->lane, i * 1000 + 300 + extra);
		operator(f, f->thread, i * 1000 + 10, i * 1000 + 110, "a", "Conv", (int64_t)i + 1);
		operator(f, f->thread, i * 1000 + 110, i * 1000 + 210 + extra, "b", "MatMul", (int64_t)i + 1);
	}
	summarise(f);
	assert_int_equal(f->summary->models[0].slowest.n, SUMMARY_SLOWEST);
	slow = &f->summary->slowest[0];
	assert_int_equal(slow->id, 14);
	assert_int_equal(slow->duration_ns, 700000);
	assert_int_equal(slow->run_queue_ns, 350000);
	assert_string_equal(names_text(f->s.names, slow->node), "b");
	assert_int_equal(slow->node_ns, 500000);
	assert_int_equal(slow->node_p50_ns, 100000);
	assert_int_equal(slow->operators_ns, 600000);
	assert_int_equal(slow->thread_cpu_ns, -1);
	assert_int_equal(f->summary->models[0].runs.n_usage, 20);
	assert_int_equal(f->summary->models[0].runs.faults, 40);
	assert_int_equal(f->summary->models[0].runs.run_queue_ns, 369000);
}

/* Watts cover the time before the sample; joules add up, and have no mean. */
CASE(power_is_a_rate_and_energy_a_total)
{
	uint32_t power = stream_counter(&f->s, 0, "package-0 power", "W");
	uint32_t energy = stream_counter(&f->s, 0, "package-0 energy", "J");
	const struct summary_resource *resource;

	stream_int(&f->s, KEY_INTERVAL_NS, 100000);
	stream_instant(&f->s, f->process, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
	stream_sample(&f->s, energy, 100, 0);
	stream_sample(&f->s, energy, 200, 7);
	stream_sample(&f->s, power, 200, 70);
	run(f, f->lane, 150, 300, 1, 1);
	summarise(f);
	assert_int_equal(f->summary->n_resources, 2);
	resource = &f->summary->resources[0];
	assert_true(resource->busy_mean == 70 && resource->idle_mean == 70);
	resource = &f->summary->resources[1];
	assert_true(isnan(resource->mean) && isnan(resource->busy_mean) && isnan(resource->idle_mean) &&
		    isnan(resource->busy_max) && isnan(resource->idle_max));
	assert_true(resource->max == 7 && resource->last == 7 && resource->n == 2);
}

/* Counters below "gpu card1: amdgpu", and a process's of the same device. */
CASE(counters_of_a_device_are_told_from_the_machines)
{
	uint32_t group =
	    stream_track(&f->s, (struct track_def){ .type = TRACK_GROUP,
						    .name = stream_name(&f->s, "gpu card1: amdgpu at 0000:03:00.0") });
	uint32_t device = stream_counter(&f->s, group, "gpu card1 busy", "%");
	uint32_t use = stream_counter(&f->s, f->process, "gpu card1 compute", "%");
	uint32_t other = stream_counter(&f->s, 0, "gpu card10 frequency", "Hz");

	stream_sample(&f->s, device, 100, 40);
	stream_sample(&f->s, device, 200, 90);
	stream_sample(&f->s, use, 200, 80);
	stream_sample(&f->s, other, 200, 1);
	summarise(f);
	assert_int_equal(f->summary->n_resources, 3);
	assert_int_equal(f->summary->resources[0].process, SUMMARY_NONE);
	assert_string_equal(names_text(f->s.names, f->summary->resources[0].device),
			    "gpu card1: amdgpu at 0000:03:00.0");
	assert_int_equal(f->summary->resources[1].device, 0);
	assert_int_equal(f->summary->resources[2].device, f->summary->resources[0].device);
	assert_int_not_equal(f->summary->resources[2].process, SUMMARY_NONE);
}

/* 10 % CPU for 100 us without, 90 % for 100 us with an inference in half of the time. */
CASE(resources_are_weighted_by_the_time_of_inferences)
{
	uint32_t cpu = stream_counter(&f->s, f->process, "cpu", "%"), machine = stream_counter(&f->s, 0, "cpu", "%");
	uint32_t rss = stream_counter(&f->s, f->process, "rss", "bytes");
	const struct summary_resource *resource;

	stream_sample(&f->s, cpu, 0, 500); /* before it is first seen */
	stream_sample(&f->s, cpu, 100, 10);
	stream_sample(&f->s, cpu, 200, 90);
	stream_sample(&f->s, machine, 50, 33);
	stream_sample(&f->s, rss, 50, 1000);
	stream_sample(&f->s, rss, 150, NAN);
	run(f, f->lane, 150, 300, 1, 1);
	summarise(f);
	assert_int_equal(f->summary->n_resources, 3);
	assert_int_equal(f->summary->resources[0].process, SUMMARY_NONE);
	assert_true(f->summary->resources[0].mean == 33);
	resource = &f->summary->resources[1];
	assert_true(resource->busy_mean == 90);
	assert_true(fabs(resource->idle_mean - (10 * 100 + 90 * 50) / 150.0) < 1e-9);
	assert_true(resource->mean == 50 && resource->max == 500 && resource->busy_max == 90 &&
		    resource->idle_max == 90);
	assert_int_equal(resource->busy_ns, 50000);
	assert_int_equal(resource->idle_ns, 150000);
	resource = &f->summary->resources[2];
	assert_int_equal(resource->n, 1);
	assert_true(resource->max == 1000 && isnan(resource->busy_mean));
	assert_int_equal(f->summary->busy_ns, 150000);
}

/* The first share or rate stands for one interval, if one is known; the first gauge for no time. */
CASE(the_first_share_stands_for_an_interval)
{
	uint32_t cpu = stream_counter(&f->s, f->process, "cpu", "%"),
		 rss = stream_counter(&f->s, f->process, "rss", "bytes");

	stream_int(&f->s, KEY_INTERVAL_NS, 100000);
	stream_instant(&f->s, f->process, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
	stream_sample(&f->s, cpu, 300, 50);
	stream_sample(&f->s, rss, 300, 50);
	run(f, f->lane, 220, 260, 1, 1);
	summarise(f);
	assert_int_equal(f->summary->resources[0].busy_ns, 40000);
	assert_int_equal(f->summary->resources[0].idle_ns, 60000);
	assert_true(f->summary->resources[0].busy_mean == 50);
	assert_int_equal(f->summary->resources[1].busy_ns + f->summary->resources[1].idle_ns, 0);
}

CASE(losses_are_summed_by_place)
{
	const struct summary *summary;

	for (int i = 0; i < 5; i++) {
		stream_int(&f->s, KEY_COUNT, 10 + i);
		stream_text(&f->s, KEY_WHERE, i < 3 ? "ring of thread 101" : "dictionary");
		stream_instant(&f->s, f->process, (uint64_t)i, KIND_LOST, "lost");
	}
	stream_instant(&f->s, f->process, 6, KIND_LOST, "lost"); /* without a count: at least one */
	summary = summarise(f);
	assert_int_equal(summary->n_losses, 3);
	assert_int_equal(summary->losses[0].n, 33);
	assert_int_equal(summary->losses[1].n, 27);
	assert_int_equal(summary->n_lost, 61);
}

static void note_file(struct fixture *f, uint32_t process, const char *kind, const char *runtime, const char *path)
{
	stream_text(&f->s, KEY_RUNTIME, runtime);
	stream_text(&f->s, KEY_PATH, path);
	stream_instant(&f->s, process, 1, KIND_NOTE, kind);
}

CASE(a_file_that_was_recorded_after_all_is_no_other_runtime)
{
	uint32_t second = stream_process(&f->s, 200, "second");
	const struct summary *summary;

	note_file(f, f->process, EVENT_NOTE_OTHER_RUNTIME, "llama.cpp, linked in", "/a");
	note_file(f, f->process, EVENT_NOTE_RUNTIME, "llama.cpp", "/b");
	note_file(f, f->process, EVENT_NOTE_RUNTIME, "llama.cpp", "/a");
	note_file(f, second, EVENT_NOTE_RUNTIME, "llama.cpp", "/a");
	note_file(f, second, EVENT_NOTE_OTHER_RUNTIME, "llama.cpp, linked in", "/a");
	note_file(f, second, EVENT_NOTE_OTHER_RUNTIME, "ncnn", "/a");
	summary = summarise(f);
	assert_int_equal(summary->n_runtimes, 3);
	assert_int_equal(summary->n_other_runtimes, 1);
	assert_string_equal(names_text(f->s.names, summary->other_runtimes->runtime), "ncnn");
}

CASE(notes_tell_of_processes_runtimes_and_cost)
{
	const struct summary *summary;

	stream_text(&f->s, KEY_COMMAND, "app --run");
	stream_text(&f->s, KEY_LEVEL, "operator");
	stream_int(&f->s, KEY_INTERVAL_NS, 1000000000);
	stream_instant(&f->s, f->process, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
	stream_text(&f->s, KEY_RUNTIME, "onnxruntime");
	stream_text(&f->s, KEY_VERSION, "1.22.1");
	stream_int(&f->s, KEY_PID, 100);
	stream_int(&f->s, KEY_FROM_NS, 900);
	stream_instant(&f->s, f->process, 1, KIND_NOTE, EVENT_NOTE_RUNTIME);
	stream_int(&f->s, KEY_PID, 100);
	stream_int(&f->s, KEY_SIGNAL, 9);
	stream_instant(&f->s, f->lane, 50, KIND_NOTE, EVENT_NOTE_EXIT);
	stream_int(&f->s, KEY_EVENTS, 1000);
	stream_real(&f->s, KEY_EVENT_NS, 18.5);
	stream_instant(&f->s, f->process, 60, KIND_NOTE, EVENT_NOTE_COST);
	stream_text(&f->s, KEY_TEXT, "--duration is over");
	stream_instant(&f->s, f->process, 70, KIND_NOTE, EVENT_NOTE_STOPPED);
	stream_int(&f->s, KEY_COUNT, 12);
	stream_text(&f->s, KEY_TEXT, "inferences, as --sample says");
	stream_instant(&f->s, f->process, 71, KIND_NOTE, EVENT_NOTE_LEFT_OUT);
	summary = summarise(f);
	assert_true(summary->recording.is_ours);
	assert_string_equal(names_text(f->s.names, summary->recording.level), "operator");
	assert_int_equal(summary->processes[0].n_runtimes, 1);
	assert_int_equal(summary->runtimes[0].complete_from_ns, 900);
	assert_int_equal(summary->processes[0].signal, 9);
	assert_int_equal(summary->processes[0].exit_status, -1);
	assert_int_equal(summary->processes[0].exit_ns, 50000);
	assert_true(summary->cost.is_known && summary->cost.event_ns == 18.5);
	assert_int_equal(summary->cost.events, 1000);
	assert_int_equal(summary->cost.recorder_peak_bytes, -1);
	assert_int_equal(summary->n_stops, 1);
	assert_int_equal(summary->n_left_out, 1);
	assert_int_equal(summary->left_out[0].n, 12);
	assert_int_equal(summary->left_out[0].process, 0);
	assert_string_equal(names_text(f->s.names, summary->left_out[0].what), "inferences, as --sample says");
}

CASE(clocks_that_parted_and_moved_events_are_told)
{
	const struct summary *summary;

	stream_text(&f->s, KEY_STATE, EVENT_CLOCK_SUSPENDED);
	stream_int(&f->s, KEY_FROM_NS, 20000);
	stream_int(&f->s, KEY_BY_NS, 3600000000000);
	stream_instant(&f->s, f->process, 30, KIND_NOTE, EVENT_NOTE_CLOCK_CHANGED);
	stream_text(&f->s, KEY_STATE, EVENT_CLOCK_JUMPED);
	stream_int(&f->s, KEY_BY_NS, -5);
	stream_instant(&f->s, f->process, 40, KIND_NOTE, EVENT_NOTE_CLOCK_CHANGED);
	stream_text(&f->s, KEY_SOURCE, "tsc");
	stream_int(&f->s, KEY_COUNT, 7);
	stream_instant(&f->s, f->process, 50, KIND_NOTE, EVENT_NOTE_CLOCK);
	stream_int(&f->s, KEY_MOVED, 3);
	stream_instant(&f->s, f->process, 60, KIND_NOTE, EVENT_NOTE_COST);
	summary = summarise(f);
	assert_int_equal(summary->n_clock_changes, 2);
	assert_string_equal(names_text(f->s.names, summary->clock_changes[0].what), "suspended");
	assert_int_equal(summary->clock_changes[0].from_ns, 20000);
	assert_int_equal(summary->clock_changes[0].to_ns, 30000);
	assert_int_equal(summary->clock_changes[0].by_ns, 3600000000000);
	assert_int_equal(summary->clock_changes[1].from_ns, 40000);
	assert_int_equal(summary->clock_changes[1].by_ns, -5);
	assert_int_equal(summary->recording.clock_jumps, 7);
	assert_int_equal(summary->cost.moved, 3);
}

static void run_of_weight(struct fixture *f, uint64_t begin_us, int64_t number, int64_t weight)
{
	stream_inference(&f->s, f->lane, begin_us, "m", 1, number);
	stream_int(&f->s, KEY_WEIGHT, weight);
	stream_end(&f->s, f->lane, begin_us + 100);
}

/* Of 8 inferences the operators of 1 (slow) and 2 (one in 7) were kept; those of 2 are side by side. */
CASE(operators_that_were_kept_stand_for_the_others)
{
	uint32_t other = stream_thread(&f->s, f->process, 102);
	const struct summary *summary;
	const struct summary_coverage *coverage;

	for (int64_t i = 1; i <= 8; i++)
		run_of_weight(f, 1000 * (uint64_t)i, i, i == 1 ? 1 : i == 2 ? 7 : 0);
	operator(f, f->thread, 1000, 1050, "conv", "Conv", 1);
	operator(f, f->thread, 2000, 2020, "conv", "Conv", 2);
	operator(f, other, 2010, 2030, "mm", "MatMul", 2);
	summary = summarise(f);
	coverage = &summary->models[0].coverage;
	assert_int_equal(coverage->n, 8);
	assert_int_equal(coverage->n_parallel, 7);
	assert_int_equal(coverage->wall_ns, 8 * 100000);
	assert_int_equal(coverage->operators_ns, 50000 + 7 * 30000);
	assert_int_equal(find(f, summary->nodes, summary->n_nodes, "conv", "Conv")->n, 8);
	assert_int_equal(find(f, summary->nodes, summary->n_nodes, "conv", "Conv")->self_ns, 50000 + 7 * 20000);
	assert_int_equal(find(f, summary->nodes, summary->n_nodes, "mm", "MatMul")->share_ns, 7 * 15000);
	assert_int_equal(summary->n_operators, 15);
	assert_int_equal(summary->n_inferences, 8);
	assert_int_equal(summary->thinned.n_left_out, 6);
	assert_int_equal(summary->thinned.n_sampled, 1);
	assert_int_equal(summary->thinned.n_apart, 1);
	assert_int_equal(summary->thinned.least, 7);
	assert_int_equal(summary->thinned.most, 7);
}

CASE(weight_that_cannot_be_is_one)
{
	const struct summary *summary;

	run_of_weight(f, 0, 1, INT64_MAX);
	run_of_weight(f, 1000, 2, -8);
	operator(f, f->thread, 0, 50, "conv", "Conv", 1);
	operator(f, f->thread, 1000, 1050, "conv", "Conv", 2);
	summary = summarise(f);
	assert_int_equal(summary->models[0].coverage.n, 2);
	assert_int_equal(summary->thinned.n_sampled, 0);
}

/* Each says what was dropped by then: the last one holds. */
CASE(what_was_dropped_and_dumped_is_told)
{
	const struct summary *summary;

	for (int64_t i = 1; i <= 2; i++) {
		stream_text(&f->s, KEY_TEXT, "10m");
		stream_int(&f->s, KEY_COUNT, i);
		stream_int(&f->s, KEY_EVENTS, 100 * i);
		stream_int(&f->s, KEY_BY_NS, 60000000000 * i);
		stream_instant(&f->s, f->process, 30 * (uint64_t)i, KIND_NOTE, EVENT_NOTE_KEPT);
	}
	stream_text(&f->s, KEY_TEXT, "SIGUSR1");
	stream_int(&f->s, KEY_COUNT, 0);
	stream_text(&f->s, KEY_PATH, "/x.dump-0001.pftrace");
	stream_instant(&f->s, f->process, 70, KIND_NOTE, EVENT_NOTE_DUMP);
	stream_int(&f->s, KEY_COUNT, 5);
	stream_instant(&f->s, f->process, 80, KIND_NOTE, EVENT_NOTE_DUMP);
	summary = summarise(f);
	assert_string_equal(names_text(f->s.names, summary->kept.limit), "10m");
	assert_int_equal(summary->kept.segments, 2);
	assert_int_equal(summary->kept.events, 200);
	assert_int_equal(summary->kept.ns, 120000000000);
	assert_int_equal(summary->n_dumps, 1);
	assert_string_equal(names_text(f->s.names, summary->dumps[0].why), "SIGUSR1");
	assert_int_equal(summary->n_dumps_skipped, 5);
}

CASE(numbers_at_the_edge_do_not_break_the_sums)
{
	struct event event = { .type = EVENT_BEGIN, .kind = KIND_INFERENCE, .track = f->lane };
	const struct summary *summary;

	stream_int(&f->s, KEY_INFERENCE, UINT32_MAX);
	stream_int(&f->s, KEY_SESSION, INT64_MAX);
	stream_put(&f->s, event);
	event = (struct event){ .type = EVENT_END, .track = f->lane, .time_ns = UINT64_MAX - 1 };
	stream_int(&f->s, KEY_RUN_QUEUE_NS, INT64_MIN);
	stream_put(&f->s, event);
	stream_operator(&f->s, f->thread, 0, "a", "Conv", UINT32_MAX);
	stream_put(&f->s, (struct event){ .type = EVENT_END, .track = f->thread, .time_ns = UINT64_MAX - 1 });
	stream_operator(&f->s, stream_thread(&f->s, f->process, 7), 0, "a", "Conv", (int64_t)1 << 40);
	stream_int(&f->s, KEY_INFERENCE, -5);
	stream_begin(&f->s, f->process, 0, KIND_INFERENCE, "m");
	summary = summarise(f);
	assert_int_equal(summary->models[0].coverage.wall_ns, UINT64_MAX - 1);
	assert_int_equal(summary->n_models, 2);
}

/* Many of everything, with the sums checked by hand: 3 sessions, 4 nodes, operators on one thread. */
CASE(a_hundred_thousand_operators_add_up)
{
	static const char *const types[] = { "Conv", "Relu", "Conv", "MatMul" };
	uint64_t sum[4] = { 0 }, now = 0, wall = 0, covered = 0, seed = 5;
	const struct summary *summary;

	for (int64_t i = 1; i <= 25000; i++) {
		uint64_t begin = now, inside;

		stream_inference(&f->s, f->lane, now, "m", i % 3 + 1, i);
		for (int node = 0; node < 4; node++) {
			char name[8] = { 'n', (char)('0' + node) };

			seed = seed * 6364136223846793005u + 1442695040888963407u;
			now += seed >> 60;
			inside = 1 + (seed >> 40 & 255);
			operator(f, f->thread, now, now + inside, name, types[node], i);
			now += inside;
			sum[node] += inside;
			covered += inside;
		}
		stream_end(&f->s, f->lane, ++now);
		wall += now - begin;
	}
	summary = summarise(f);
	assert_int_equal(summary->n_operators, 100000);
	assert_int_equal(summary->models[0].runs.n, 25000);
	assert_int_equal(summary->models[0].coverage.wall_ns, wall * 1000);
	assert_int_equal(summary->models[0].coverage.operators_ns, covered * 1000);
	assert_int_equal(find(f, summary->nodes, summary->n_nodes, "n3", "MatMul")->share_ns, sum[3] * 1000);
	assert_int_equal(find(f, summary->types, summary->n_types, "", "Conv")->share_ns, (sum[0] + sum[2]) * 1000);
	assert_int_equal(find(f, summary->types, summary->n_types, "", "Conv")->n, 50000);
	assert_false(find(f, summary->types, summary->n_types, "", "Conv")->duration.is_exact);
	assert_int_equal(summary->models[0].ran_on.n, 1);
	assert_int_equal(summary->ran_on[0].n_nodes, 4);
	assert_int_equal(summary->models[0].sessions.n, 3);
}

/* 16 operators wait, 300 come: they are summed up while the inference runs, the one around them when it ends. */
CASE(more_operators_than_can_wait_add_up)
{
	uint32_t other = stream_thread(&f->s, f->process, 102);
	const struct summary *summary;

	stream_inference(&f->s, f->lane, 0, "m", 1, 1);
	stream_operator(&f->s, f->thread, 0, "loop", "Loop", 1);
	for (uint64_t i = 0; i < 100; i++)
		operator(f, f->thread, 10 * i, 10 * i + 6, "a", "Conv", 1);
	stream_end(&f->s, f->thread, 1000);
	for (uint64_t i = 0; i < 100; i++)
		operator(f, f->thread, 1000 + 10 * i, 1000 + 10 * i + 6, "b", "Relu", 1);
	stream_end(&f->s, f->lane, 3000);
	/* the next one on two threads at once */
	stream_inference(&f->s, f->lane, 3000, "m", 1, 2);
	for (uint64_t i = 0; i < 50; i++) {
		operator(f, f->thread, 3000 + 10 * i, 3000 + 10 * i + 6, "a", "Conv", 2);
		operator(f, other, 3000 + 10 * i, 3000 + 10 * i + 6, "b", "Relu", 2);
	}
	stream_end(&f->s, f->lane, 4000);
	summary = summarise_some(f, &(struct summary_opts){ .window = 1 });
	assert_int_equal(summary->n_operators, 301);
	assert_int_equal(summary->models[0].coverage.n, 2);
	assert_int_equal(summary->models[0].coverage.wall_ns, 4000000);
	assert_int_equal(summary->models[0].coverage.operators_ns, 1600000 + 300000);
	assert_int_equal(find(f, summary->types, summary->n_types, "", "Loop")->share_ns, 400000);
	assert_int_equal(find(f, summary->types, summary->n_types, "", "Conv")->n, 150);
}

/* Nothing waits for ever: what comes when its inference has long been summed up is counted apart. */
CASE(an_operator_that_comes_too_late_is_not_lost)
{
	const struct summary *summary;

	for (int64_t i = 1; i <= 20; i++)
		run(f, f->lane, 100 * (uint64_t)i, 100 * (uint64_t)i + 50, 1, i);
	operator(f, f->thread, 110, 120, "late", "Conv", 1);
	operator(f, f->thread, 2010, 2020, "soon", "Conv", 20);
	summary = summarise_some(f, &(struct summary_opts){ .window = 4 });
	assert_int_equal(summary->models[0].runs.n, 20);
	assert_int_equal(summary->models[0].runs.max_concurrent, 1);
	assert_int_equal(summary->models[0].coverage.n, 1);
	assert_int_equal(summary->n_elsewhere, 1);
	assert_int_equal(summary->elsewhere[0].where, WHERE_UNKNOWN);
	summary_free(f->summary);
	summary = summarise_some(f, NULL);
	assert_int_equal(summary->models[0].coverage.n, 2);
	assert_int_equal(summary->n_elsewhere, 0);
}

/* It makes no difference when the first operator comes. */
CASE(of_two_inferences_with_a_number_the_first_has_the_operators)
{
	const struct summary *summary;

	run(f, f->lane, 100, 150, 1, 7);
	run(f, f->lane, 200, 250, 1, 7);
	operator(f, f->thread, 110, 120, "conv", "Conv", 7);
	run(f, f->lane, 300, 350, 1, 7);
	summary = summarise(f);
	assert_int_equal(summary->models[0].runs.n, 3);
	assert_int_equal(summary->models[0].coverage.n, 1);
	assert_int_equal(summary->models[0].coverage.operators_ns, 10000);
}

/* Two models for 1 ms; half of the time and one of them. */
CASE(a_part_of_the_time_or_one_model_is_summed_up)
{
	uint32_t cpu = stream_counter(&f->s, f->process, "cpu", "%");
	uint32_t lane = stream_lane(&f->s, f->process, "other");
	const struct summary *summary;

	for (int64_t i = 0; i < 10; i++) {
		uint64_t at = 1000 + 100 * (uint64_t)i;

		run(f, f->lane, at, at + 50, 1, 2 * i + 1);
		operator(f, f->thread, at, at + 20, "a", "Conv", 2 * i + 1);
		stream_inference(&f->s, lane, at + 50, "other", 2, 2 * i + 2);
		stream_end(&f->s, lane, at + 90);
		operator(f, f->thread, at + 60, at + 70, "b", "Relu", 2 * i + 2);
		operator(f, f->thread, at + 90, at + 95, "c", "Add", 0);
		stream_sample(&f->s, cpu, at, (double)i);
	}
	summary = summarise_some(f, &(struct summary_opts){ .from_ns = 500000 });
	assert_int_equal(summary->n_models, 2);
	assert_int_equal(summary->n_inferences, 10);
	assert_int_equal(summary->n_operators, 10);
	assert_int_equal(summary->resources[0].n, 5);
	assert_true(summary->resources[0].min == 5);
	assert_int_equal(summary->busy_ns, 5 * 90000);
	summary_free(f->summary);
	summary = summarise_some(f, &(struct summary_opts){ .to_ns = 300000, .model = "other" });
	assert_int_equal(summary->n_models, 1);
	assert_string_equal(names_text(f->s.names, summary->models[0].name), "other");
	assert_int_equal(summary->n_inferences, 3);
	assert_int_equal(summary->n_types, 1);
	assert_int_equal(summary->models[0].coverage.operators_ns, 30000);
	summary_free(f->summary);
	summary = summarise_some(f, &(struct summary_opts){ .model = "none of these" });
	assert_int_equal(summary->n_models + summary->n_sessions + summary->n_operators, 0);
}

/* One name, two programs: processes after the first 128 are joined by program. */
CASE(models_of_many_processes_are_joined)
{
	const struct summary_model *joined = NULL;
	const struct summary *summary;
	enum { N = 400, APART = 128 };

	for (int32_t i = 0; i < N; i++) {
		uint32_t process = stream_process(&f->s, 1000 + i, i % 4 ? "worker" : "helper");
		uint32_t lane = stream_lane(&f->s, process, "m"), thread = stream_thread(&f->s, process, 1000 + i);

		/* numbers are those of the process: all have an inference 1 of a session 1, and all at once */
		stream_inference(&f->s, lane, 0, "m", 1, 1);
		operator(f, thread, 100, 300, "conv", "Conv", 1);
		stream_end(&f->s, lane, 1000);
		run(f, lane, 2000, 3000 + (uint64_t)i, 1, 2);
	}
	summary = summarise_some(f, &(struct summary_opts){ .by_process = true });
	for (uint32_t i = 0; i < summary->n_models; i++)
		if (summary->models[i].n_processes > (joined ? joined->n_processes : 1))
			joined = &summary->models[i];
	/* the fixture's own process is one of those apart; process 0 is that of no process */
	assert_in_range(summary->n_models, APART - 3, APART + 3);
	assert_non_null(joined);
	assert_in_range(joined->n_processes, (N - APART) * 3 / 4 - 3, (N - APART) * 3 / 4 + 3);
	assert_int_equal(joined->runs.n, 2 * joined->n_processes);
	assert_int_equal(joined->creation.n, joined->n_processes);
	assert_int_equal(joined->nodes.n, 1);
	assert_int_equal(summary->nodes[joined->nodes.first].n, joined->n_processes);
	assert_int_equal(summary->nodes[joined->nodes.first].share_ns, joined->n_processes * 200000u);
	assert_int_equal(summary->n_inferences, 2 * N);
	for (uint32_t i = 0; i < summary->n_processes; i++)
		assert_int_equal(summary->processes[i].n_inferences, summary->processes[i].pid == 100 ? 0 : 2);
}

CASE(slices_of_the_program_itself_add_up_by_name)
{
	char name[20];

	for (int i = 0; i < 100; i++) {
		stream_begin(&f->s, f->thread, (uint64_t)i * 1000, KIND_USER, "decode");
		stream_begin(&f->s, f->thread, (uint64_t)i * 1000 + 1, KIND_NONE, "read");
		stream_end(&f->s, f->thread, (uint64_t)i * 1000 + 2);
		stream_end(&f->s, f->thread, (uint64_t)i * 1000 + 100 + (i == 50));
	}
	for (int i = 0; i < 2100; i++) {
		snprintf(name, sizeof name, "request %d", i);
		stream_begin(&f->s, f->thread, 200000, KIND_USER, name);
		stream_end(&f->s, f->thread, 200000);
	}
	stream_begin(&f->s, f->thread, 200000, KIND_USER, "open");
	f->summary = stream_summary(&f->s, &(struct summary_file){ 0 });
	assert_int_equal(f->summary->n_named, 2048);
	assert_int_equal(f->summary->n_named_left_out, 2 + 2100 - 2048);
	assert_string_equal(names_text(f->s.names, f->summary->named[0].name), "decode");
	assert_int_equal(f->summary->named[0].duration.n, 100);
	assert_int_equal(f->summary->named[0].duration.total_ns, 10001000);
	assert_int_equal(f->summary->named[0].duration.p50_ns, 100000);
	assert_int_equal(f->summary->named[0].duration.max_ns, 101000);
	assert_string_equal(names_text(f->s.names, f->summary->named[1].name), "read");
	assert_int_equal(f->summary->named[1].duration.total_ns, 100000);
}
