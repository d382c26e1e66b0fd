// SPDX-License-Identifier: Apache-2.0
/* A model that several processes of a program run: its figures are those of all inferences, its findings are made once.
 */

#include "analyze/insight/recorded.h"
#include "cases.h"
#include "findings.h"
#include "stream.h"

struct fixture {
	struct stream s;
	struct summary *summary;
	struct recorded recorded;
	int32_t pid;
	int64_t number;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .pid = 100 };
	stream_init(&f->s);
}

/* A process that has run since 0 and runs n inferences of a model, one after the other. */
static uint32_t work(struct fixture *f, const char *program, uint64_t from_us, uint64_t took_us, int n)
{
	uint32_t process = stream_track(&f->s, (struct track_def){ .type = TRACK_PROCESS,
								   .pid = f->pid++,
								   .name = program ? stream_name(&f->s, program) : 0,
								   .start_ns = 1 });
	uint32_t lane = stream_lane(&f->s, process, "m"), thread = stream_thread(&f->s, process, f->pid);

	for (int i = 0; i < n; i++) {
		uint64_t us = from_us + (uint64_t)i * took_us;

		stream_inference(&f->s, lane, us, "m", 1, ++f->number);
		stream_operator(&f->s, thread, us, "conv", "Conv", f->number);
		stream_end(&f->s, thread, us + took_us / 2);
		stream_text(&f->s, KEY_STATUS, "ok");
		stream_end(&f->s, lane, us + took_us);
	}
	return process;
}

static void analyse(struct fixture *f, bool by_process)
{
	struct summary_file file = { 0 };

	f->summary = stream_summary_of(&f->s, &(struct summary_opts){ .by_process = by_process }, &file);
	assert_non_null(f->summary);
	assert_int_equal(recorded_init(&f->recorded, f->summary, NULL), 0);
}

static const struct finding *find(const struct fixture *f, const char *name)
{
	return findings_of(f->recorded.model, name, 0);
}

static void end(struct fixture *f)
{
	recorded_done(&f->recorded);
	summary_free(f->summary);
	stream_done(&f->s);
}

#define CASE(name) TEST_OF(name, struct fixture, f, begin(f), end(f))

CASE(processes_of_a_program_run_one_model)
{
	const struct summary_model *model;

	work(f, "app", 0, 100, 3);
	work(f, "app", 50, 40, 2);
	work(f, "another", 400, 100, 1);
	analyse(f, false);
	assert_int_equal(f->summary->n_models, 2);
	model = &f->summary->models[0];
	assert_int_equal(model->n_processes, 2);
	assert_int_equal(model->runs.n, 5);
	assert_int_equal(model->runs.latency.total_ns, 380000);
	assert_int_equal(model->runs.latency.p50_ns, 100000);
	assert_int_equal(model->runs.latency.min_ns, 40000);
	assert_int_equal(model->runs.max_concurrent, 2);
	assert_true(fabs(model->runs.rate - 5e9 / 300000) < 1);
	assert_int_equal(model->nodes.n, 1);
	assert_int_equal(f->summary->nodes[model->nodes.first].n, 5);
	assert_int_equal(model->sessions.n, 2);
	assert_int_equal(f->summary->processes[f->summary->sessions[model->sessions.first].process].pid, 100);
	assert_int_equal(f->summary->processes[f->summary->sessions[model->sessions.first + 1].process].pid, 101);
	assert_int_equal(f->summary->models[1].n_processes, 0);
	assert_int_equal(f->summary->processes[f->summary->models[1].process].pid, 102);
}

CASE(they_are_told_apart_if_asked)
{
	work(f, "app", 0, 100, 3);
	work(f, "app", 50, 40, 2);
	analyse(f, true);
	assert_int_equal(f->summary->n_models, 2);
	assert_int_equal(f->summary->models[0].runs.n, 3);
	assert_int_equal(f->summary->models[1].runs.n, 2);
}

CASE(processes_without_a_name_are_no_program)
{
	work(f, NULL, 0, 100, 3);
	work(f, NULL, 50, 40, 2);
	analyse(f, false);
	assert_int_equal(f->summary->n_models, 2);
	assert_int_equal(f->summary->models[0].n_processes, 0);
}

TEST(one_that_is_slower_than_the_others_is_named)
{
	struct fixture fixture, *f = &fixture;
	const struct finding *found;

	begin(f);
	for (int i = 0; i < 4; i++)
		work(f, "app", 1000, i == 2 ? 3000 : 1000 + (uint64_t)i, 30);
	analyse(f, false);
	found = find(f, "slow_process");
	assert_true(found && found->a == 102 && found->b == 4 && found->low == 3e6);
	end(f);
	begin(f);
	for (int i = 0; i < 4; i++)
		work(f, "app", 1000, i == 2 ? 1400 : 1000, 30);
	analyse(f, false);
	assert_null(find(f, "slow_process"));
	end(f);
}

TEST(a_program_that_is_started_for_each_inference_is_found)
{
	struct fixture fixture, *f = &fixture;
	const struct finding *found;

	begin(f);
	for (int i = 0; i < 5; i++)
		work(f, "app", 100000, 1000, 1);
	analyse(f, false);
	found = find(f, "started_again");
	assert_true(found && found->a == 5 && found->b == 5 && fabs(found->low - 100e6) < 10);
	end(f);
	begin(f); /* workers, each with many */
	for (int i = 0; i < 5; i++)
		work(f, "app", 100000, 1000, 50);
	analyse(f, false);
	assert_null(find(f, "started_again"));
	end(f);
}

/* Processes, of which the first has samples until the given time; 0: it has no counter. */
static double cores_with_samples_until(int n, uint64_t us)
{
	struct fixture fixture, *f = &fixture;
	double cores;
	bool is_of_runs;

	begin(f);
	for (int i = 0; i < n; i++) {
		uint32_t process = work(f, "app", 1000, 1000, 10), cpu;

		if (!i && !us)
			continue;
		cpu = stream_counter(&f->s, process, "cpu", "%");
		stream_sample(&f->s, cpu, 1000, 10);
		stream_sample(&f->s, cpu, i ? 11000 : us, 50);
	}
	analyse(f, false);
	cores = recording_cores(f->summary, &is_of_runs);
	end(f);
	return cores;
}

TEST(their_use_of_cpus_is_added_up_as_far_as_it_was_sampled)
{
	assert_true(fabs(cores_with_samples_until(2, 11000) - 1) < 1e-3);
	assert_true(fabs(cores_with_samples_until(2, 8000) - 1) < 1e-3);
	assert_true(isnan(cores_with_samples_until(2, 2000)));
	/* one of many that ended between two samples */
	assert_true(fabs(cores_with_samples_until(33, 2000) - 16.5) < 1e-3);
	assert_true(fabs(cores_with_samples_until(33, 0) - 16.5) < 1e-3);
	assert_true(isnan(cores_with_samples_until(2, 0)));
	assert_true(isnan(cores_with_samples_until(1, 0)));
}

/* A first sample covers no time before the process was started: a second of each of many short ones is more CPUs than
 * the machine has. */
CASE(a_process_that_was_started_late_used_no_cpu_before)
{
	uint32_t cpu, brief;
	bool is_of_runs;

	cpu = stream_counter(&f->s, work(f, "app", 1000, 1000, 10), "cpu", "%");
	brief = stream_process(&f->s, 7, "inftrace");
	stream_int(&f->s, KEY_INTERVAL_NS, 1000000000);
	stream_instant(&f->s, brief, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
	brief = stream_track(&f->s, (struct track_def){ .type = TRACK_PROCESS, .pid = 999, .start_ns = 5000000 });
	stream_sample(&f->s, cpu, 1000, 50);
	stream_sample(&f->s, cpu, 11000, 50);
	stream_sample(&f->s, stream_counter(&f->s, brief, "cpu", "%"), 10000, 100);
	analyse(f, false);
	assert_true(fabs(recording_cores(f->summary, &is_of_runs) - 1) < 1e-3);
}

/* Four processes, each with a session of 20 ms, of which 4 ms go to registering. */
TEST(by_process_no_finding_speaks_of_other_processes)
{
	struct fixture fixture, *f = &fixture;

	for (int by_process = 0; by_process < 2; by_process++) {
		uint32_t n = 0;

		begin(f);
		for (int i = 0; i < 4; i++) {
			uint32_t lane = stream_lane(&f->s, stream_process(&f->s, 20 + i, "app"), "m");

			stream_int(&f->s, KEY_SESSION, 1);
			stream_begin(&f->s, lane, 100, KIND_SESSION, "m");
			stream_begin(&f->s, lane, 100, KIND_PHASE, "register kernels");
			stream_end(&f->s, lane, 4100);
			stream_end(&f->s, lane, 20100);
		}
		analyse(f, by_process);
		for (uint32_t i = 0; i < f->recorded.n; i++)
			n += findings_of(&f->recorded.model[i], "registered_again", 0) != NULL;
		assert_int_equal(f->recorded.n, by_process ? 4 : 1);
		assert_int_equal(n, !by_process);
		end(f);
	}
}

/* One worker uses half a CPU of two, and so do three others beside it. */
TEST(cpus_that_other_workers_use_are_not_idle)
{
	struct fixture fixture, *f = &fixture;

	for (int n = 1; n <= 4; n += 3) {
		begin(f);
		for (int i = 0; i < n; i++) {
			uint32_t process = work(f, "app", 0, 1000, 40);
			uint32_t cpu = stream_counter(&f->s, process, "cpu", "%");

			for (uint64_t us = 0; us <= 40000; us += 1000)
				stream_sample(&f->s, cpu, us, 50);
			stream_int(&f->s, KEY_COUNT, 2);
			stream_instant(&f->s, process, 0, KIND_NOTE, EVENT_NOTE_RECORDING);
		}
		analyse(f, true);
		assert_int_equal(f->recorded.n, n);
		assert_int_equal(find(f, "idle_cores") != NULL, n == 1);
		end(f);
	}
}

static void load(struct fixture *f, int64_t pid, int64_t session, const char *file)
{
	uint32_t process = stream_process(&f->s, (int)pid, "app"), lane = stream_lane(&f->s, process, "m");

	stream_text(&f->s, KEY_MODEL, "m");
	stream_text(&f->s, KEY_MODEL_PATH, "/m.onnx");
	if (file)
		stream_text(&f->s, KEY_MODEL_FILE, file);
	stream_int(&f->s, KEY_SESSION, session);
	stream_instant(&f->s, process, (uint64_t)f->number, KIND_NOTE, EVENT_NOTE_CREATED);
	f->number++;
	stream_inference(&f->s, lane, (uint64_t)f->number * 100, "m", session, f->number);
	stream_text(&f->s, KEY_STATUS, "ok");
	stream_end(&f->s, lane, (uint64_t)f->number * 100 + 50);
}

/* Copies in two containers are one model; another size, or a later change on the same device, is another one. */
TEST(a_file_that_was_replaced_is_another_model)
{
	static const struct {
		const char *file[3];
		uint32_t n_models;
	} cases[] = {
		{ { "8:1 100 5.0", "8:1 100 5.0", "8:1 100 5.0" }, 1 },
		{ { "8:1 100 5.0", "8:1 100 6.0", "8:1 100 6.0" }, 2 },
		{ { "8:1 100 5.0", "8:1 100 6.0", "8:1 100 7.0" }, 3 },
		{ { "8:1 100 5.0", "8:1 100 6.0", "8:1 100 5.0" }, 2 },
		{ { "0:50 100 5.0", "0:60 100 7.0", "0:50 100 5.0" }, 1 },
		{ { "0:50 100 5.0", "0:60 120 7.0", NULL }, 2 },
		{ { NULL, "8:1 100 5.0", NULL }, 1 },
	};

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct fixture fixture, *f = &fixture;

		begin(f);
		for (int i = 0; i < 3; i++)
			load(f, 100 + i, 1, cases[k].file[i]);
		analyse(f, false);
		assert_int_equal(f->summary->n_models, cases[k].n_models);
		end(f);
	}
}
