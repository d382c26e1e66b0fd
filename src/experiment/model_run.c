// SPDX-License-Identifier: Apache-2.0
/*
 * Each way is run for the latencies, with only inferences recorded, which costs next to nothing: in several processes,
 * --rounds, because two processes of the same program differ by more than one of them shows. Then, not as long, with
 * every operator recorded. Recordings are kept; outputs that are only needed for the comparison are not.
 */
#include "experiment/model_run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/part_path.h"
#include "base/temp_dir.h"
#include "base/text/printable.h"
#include "base/text/units.h"
#include "experiment/model_in.h"
#include "experiment/model_pass.h"

enum { OPERATOR_RUNS = 20 };
#define OPERATOR_NS UINT64_C(3000000000)

struct job {
	struct model_runs *runs;
	const struct model_opts *opts;
	const struct model_ways *ways;
	const struct say *say;
	const struct model_watch *watch;
	uint32_t n_done, n_passes; /* programs started so far, and in total */
	char runner[PATH_MAX];
	struct model_out_folders outputs;
};

/* Between the programs that are recorded nobody else looks at signals. A second one ends us at once. */
static volatile sig_atomic_t is_asked_to_end;
static const int ending_signals[] = { SIGINT, SIGTERM, SIGHUP };
enum { N_ENDING = sizeof ending_signals / sizeof *ending_signals };

static void ask_to_end(int number)
{
	is_asked_to_end = 1;
}

static void catch_signals(struct sigaction *before)
{
	struct sigaction once = { .sa_handler = ask_to_end, .sa_flags = SA_RESETHAND | SA_RESTART };

	for (int i = 0; i < N_ENDING; i++) {
		sigaction(ending_signals[i], NULL, &before[i]);
		/* what is ignored stays so: nohup */
		if (before[i].sa_handler != SIG_IGN)
			sigaction(ending_signals[i], &once, NULL);
	}
}

static void release_signals(const struct sigaction *before)
{
	for (int i = 0; i < N_ENDING; i++)
		sigaction(ending_signals[i], &before[i], NULL);
}

static bool is_interrupted(struct model_runs *runs)
{
	runs->is_interrupted |= is_asked_to_end != 0;
	return runs->is_interrupted;
}

/* What a pass records, and what tells its recording from the run's others: "-round2". */
struct pass_kind {
	const char *level, *suffix;
};

static int run_pass(struct job *job, struct model_pass *pass, const struct model_way *way,
		    const struct model_pass_words *asked, struct pass_kind kind, struct err *err)
{
	struct model_pass_words words = *asked;
	struct model_pass_opts opts = { .plan = { .level = kind.level, .interval_ns = job->opts->interval_ns },
					.watch = job->watch,
					.say = job->say };
	char result[64], *kept;
	int code;

	opts.result_fd = run_result_make(RUN_LATENCIES, err);
	if (opts.result_fd < 0)
		return opts.result_fd;
	run_result_name(opts.result_fd, result, sizeof result);
	words.program = job->runner;
	words.label = job->ways->n > 1 ? way->slug : NULL;
	words.result = result;
	opts.argv = model_options_argv(job->opts, way, &words, &job->runs->arena);
	opts.path = kept = arena_alloc(&job->runs->arena, PATH_MAX);
	opts.fd = opts.argv && kept ? model_folder_recording(&job->runs->folder, way->slug, kind.suffix, kept, err)
				    : err_no_memory(err, "cannot run the model");
	code = opts.fd < 0 ? opts.fd : 0;
	if (!code) {
		code = model_pass_run(pass, &opts, err);
		job->runs->is_interrupted |= pass->recorded.was_interrupted;
	}
	if (opts.fd >= 0)
		close(opts.fd);
	close(opts.result_fd);
	return code;
}

/* A shorter one: operators are many. */
static struct model_pass_words operator_pass(const struct model_opts *opts)
{
	struct model_pass_words words = { .duration_ns = opts->run.duration_ns < OPERATOR_NS ? opts->run.duration_ns
											     : OPERATOR_NS };

	if (opts->run.iterations)
		words.iterations = opts->run.iterations < OPERATOR_RUNS ? opts->run.iterations : OPERATOR_RUNS;
	return words;
}

static bool are_alike(const struct model_tensors *a, const struct model_tensors *b, bool with_shapes)
{
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++) {
		const struct run_tensor *x = &a->item[i], *y = &b->item[i];

		if (strcmp(x->name, y->name) != 0 || x->type != y->type)
			return false;
		if (with_shapes && (x->n_dims != y->n_dims ||
				    (x->n_dims > 0 && memcmp(x->dim, y->dim, (size_t)x->n_dims * sizeof *x->dim) != 0)))
			return false;
	}
	return true;
}

/* The first run before it that got the same inputs, and has outputs of the same names; -1: none. */
static int reference_of(const struct model_runs *runs, int way)
{
	for (int i = 0; i < way; i++)
		if (!runs->results[i].error && runs->inputs[i].item &&
		    are_alike(&runs->inputs[i], &runs->inputs[way], true) &&
		    are_alike(&runs->outputs[i], &runs->outputs[way], false))
			return i;
	return -1;
}

/* Inputs are made from a seed: of the same names, types and shapes they are the same. */
static int compare_outputs(struct job *job, int way, const struct run_record *run, const char *outputs, struct err *err)
{
	struct model_result *result = &job->runs->results[way];
	struct model_folders folders = { .to = outputs, .opts = &job->opts->run };
	int code = model_fill_expected(result, run, &job->runs->arena, err), reference;

	if (code || result->n_outputs || result->n_tokens || !outputs || !way || result->error)
		return code;
	reference = reference_of(job->runs, way);
	if (reference < 0) {
		result->outputs_missing = "no run before it has inputs and outputs of the same names, types and shapes";
		return 0;
	}
	folders.label = job->ways->way[reference].label;
	folders.from = model_out_folders_of(&job->outputs, &job->runs->arena, reference);
	return model_fill_outputs(result, run, &folders, &job->runs->arena, err);
}

static const char *options_text(const struct model_opts *opts, struct arena *arena)
{
	char text[1000] = "", *kept;
	size_t used = 0;

	for (size_t i = 0; i < opts->run.provider_option.n && used < sizeof text; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "",
					 opts->run.provider_option.item[i]);
	kept = *text ? arena_alloc(arena, sizeof text) : NULL;
	return kept ? strcpy(kept, text) : NULL;
}

static void describe(struct job *job, struct model_result *result, const struct model_way *way)
{
	model_result_init(result);
	result->label = way->label;
	result->provider = way->provider;
	result->policy = way->policy;
	if (model_way_is_cpu(way))
		result->device = "CPU";
	else
		result->options = options_text(job->opts, &job->runs->arena);
	if (way->threads)
		result->n_threads = way->threads;
	result->optimization = way->optimization ? way->optimization : "all";
	result->n_items = way->batch ? way->batch : -1;
	memcpy(result->differs, way->differs, sizeof result->differs);
}

/* The second pass, for which operators is set up; with the provider's profiler where it has one. */
static int run_operators(struct job *job, struct model_result *result, struct model_pass *operators,
			 const struct model_way *way, struct err *err)
{
	const char *asked = job->opts->run.ep_profile;
	bool is_cpu = model_way_is_cpu(way);
	struct model_pass_words words = operator_pass(job->opts);
	char folder[PATH_MAX];
	int code;

	say_info(job->say, "%u of %u: %s, its operators", ++job->n_done, job->n_passes, way->label);
	result->is_kernels_asked = asked != NULL;
	result->kernels_missing =
	    asked ? "the CPU provider has none inside its operators" : "not asked for: --ep-profile shows them";
	if (!asked || is_cpu)
		return run_pass(job, operators, way, &words, (struct pass_kind){ "operator", "-operators" }, err);
	code = temp_dir_make(folder, sizeof folder, "profile", err);
	if (code)
		return code;
	words.profiles = folder;
	result->kernels_missing = NULL;
	code = run_pass(job, operators, way, &words, (struct pass_kind){ "operator", "-operators" }, err);
	if (!code)
		code = model_inside(result, operators, &job->runs->arena, err);
	temp_dir_remove(folder);
	return code;
}

static bool is_without_inferences(const struct model_opts *opts)
{
	return opts->run.session_only || opts->run.compile_only;
}

/* No round without an inference, but one. */
static uint32_t n_rounds(const struct model_opts *opts)
{
	if (is_without_inferences(opts))
		return 1;
	return (uint32_t)(opts->run.iterations && opts->run.iterations < opts->rounds ? opts->run.iterations
										      : opts->rounds);
}

static int share_of(int iterations, uint32_t round, uint32_t n)
{
	return (int)((int64_t)iterations * round / n);
}

/* Their shapes, from the first process of the run. */
static int keep_tensors(struct model_runs *runs, int way, const struct run_result *run, struct err *err)
{
	struct model_tensors *inputs = &runs->inputs[way], *outputs = &runs->outputs[way];

	if (inputs->item || !run || !run->n_tensors)
		return 0;
	inputs->item = arena_alloc(&runs->arena, run->n_tensors * sizeof *inputs->item);
	outputs->item = arena_alloc(&runs->arena, run->n_tensors * sizeof *outputs->item);
	if (!inputs->item || !outputs->item) {
		inputs->item = NULL;
		return err_no_memory(err, "cannot run the model");
	}
	for (uint32_t i = 0; i < run->n_tensors; i++) {
		struct model_tensors *to = run->tensors[i].is_output ? outputs : inputs;

		to->item[to->n++] = run->tensors[i];
	}
	return 0;
}

int64_t model_runs_size(void *ctx, const struct model_free_dim *dim)
{
	const struct model_tensors *inputs = ctx;
	int64_t size = -1;

	for (uint32_t i = 0; i < inputs->n; i++) {
		const struct run_tensor *tensor = &inputs->item[i];

		if (strncmp(tensor->name, dim->input, sizeof tensor->name - 1) || (int64_t)dim->axis >= tensor->n_dims)
			continue;
		if (size >= 0 && size != tensor->dim[dim->axis])
			return -1;
		size = tensor->dim[dim->axis];
	}
	return size;
}

/* What all of it takes, before it begins. */
static void say_plan(const struct job *job)
{
	const struct run_opts *run = &job->opts->run;
	uint64_t each_ns = run->duration_ns;
	char measuring[80] = "";

	if (!strcmp(job->opts->level, "operator"))
		each_ns += run->duration_ns < OPERATOR_NS ? run->duration_ns : OPERATOR_NS;
	if (is_without_inferences(job->opts))
		return;
	if (!run->iterations)
		snprintf(measuring, sizeof measuring, "%.40s of measuring and ",
			 units_duration((double)each_ns * job->ways->n).s);
	say_info(job->say, "%s in %s: %sup to %.40s of warm-up in each",
		 printable_count((uint64_t)job->ways->n, "run").s, printable_count(job->n_passes, "process").s,
		 measuring, units_duration((double)run->warm_up_max_ns).s);
}

/* How far it is, and how long this one takes: warming up may take longer than measuring. */
static void say_pass(struct job *job, const struct model_way *way, uint32_t round, uint32_t n)
{
	const struct run_opts *run = &job->opts->run;
	char times[120] = "", rounds[40] = "";

	if (n > 1)
		snprintf(rounds, sizeof rounds, ", round %u of %u", round + 1, n);
	if (!is_without_inferences(job->opts) && run->iterations)
		snprintf(times, sizeof times, " (warm-up up to %s)", units_duration((double)run->warm_up_max_ns).s);
	else if (!is_without_inferences(job->opts))
		snprintf(times, sizeof times, " (warm-up up to %.40s, then %.40s)",
			 units_duration((double)run->warm_up_max_ns).s, units_duration((double)run->duration_ns / n).s);
	say_info(job->say, "%u of %u: %s%s%s", ++job->n_done, job->n_passes, way->label, rounds, times);
}

/* The same again in another process: what differs from process to process is in the interval then. */
static int run_round(struct job *job, int i, uint32_t round, struct err *err)
{
	struct model_result *result = &job->runs->results[i];
	const struct model_way *way = &job->ways->way[i];
	const struct run_opts *run = &job->opts->run;
	uint32_t n = n_rounds(job->opts);
	struct model_pass_words words = { .duration_ns = run->duration_ns / n,
					  .iterations = share_of(run->iterations, round + 1, n) -
							share_of(run->iterations, round, n) };
	struct model_pass pass = { 0 };
	char suffix[32] = "";
	int code;

	if (!round && !run->tokens)
		words.outputs = model_out_folders_of(&job->outputs, &job->runs->arena, i);
	if (round)
		snprintf(suffix, sizeof suffix, "-round%u", round + 1);
	say_pass(job, way, round, n);
	code = run_pass(job, &pass, way, &words, (struct pass_kind){ "inference", suffix }, err);
	/* what the rounds before it measured is not lost with one that was cut off before it measured anything */
	if (!code && round && is_interrupted(job->runs) && (!pass.run.head || pass.run.head->outcome != RUN_DONE))
		goto out;
	if (!code)
		code = model_fill_timing(result, &pass, round, &job->runs->arena, err);
	if (!code)
		code = keep_tensors(job->runs, i, pass.run.head, err);
	if (!code && !round)
		code = compare_outputs(job, i, &pass.run, words.outputs, err);
out:
	model_pass_done(&pass);
	return code;
}

static int run_way_operators(struct job *job, struct model_result *result, const struct model_way *way, struct err *err)
{
	struct model_pass pass = { 0 };
	int code;

	if (is_without_inferences(job->opts))
		result->operators_missing = "no inference was asked for";
	else if (strcmp(job->opts->level, "operator"))
		result->operators_missing = "not asked for: --level operator shows them";
	else if (result->error)
		result->operators_missing = "its run failed";
	else if (is_interrupted(job->runs))
		result->operators_missing = "it was interrupted before that";
	if (result->operators_missing) {
		result->is_kernels_asked = job->opts->run.ep_profile != NULL;
		result->kernels_missing = result->operators_missing;
		return 0;
	}
	code = run_operators(job, result, &pass, way, err);
	if (!code)
		code = model_fill_operators(result, &pass, &job->runs->arena, err);
	model_pass_done(&pass);
	return code;
}

/* Every second round goes backwards: a machine that gets slower by and by would make those that come later slower. */
static int nth_of_round(int n, int n_ways, uint32_t round)
{
	return round % 2 ? n_ways - 1 - n : n;
}

/* Rounds take turns, so that what disturbs the machine disturbs all alike. */
static int run_all(struct job *job, struct model_result *results, struct err *err)
{
	const struct model_way *ways = job->ways->way;
	struct model_runs *runs = job->runs;
	int code = 0, n_ways = job->ways->n;

	for (int i = 0; i < n_ways; i++)
		describe(job, &results[i], &ways[i]);
	job->n_passes = (uint32_t)n_ways * n_rounds(job->opts);
	if (!strcmp(job->opts->level, "operator") && !is_without_inferences(job->opts))
		job->n_passes += (uint32_t)n_ways;
	say_plan(job);
	for (uint32_t round = 0; round < n_rounds(job->opts); round++) {
		for (int n = 0; n < n_ways && !code && !is_interrupted(runs); n++) {
			int i = nth_of_round(n, n_ways, round);

			if (results[i].error)
				continue;
			code = run_round(job, i, round, err);
			runs->report.n_results += !code && !round;
		}
	}
	for (uint32_t i = 0; i < runs->report.n_results && is_interrupted(runs); i++)
		if (!results[i].ended_early)
			results[i].ended_early = run_result_stop_text(RUN_STOP_SIGNAL);
	for (int i = 0; i < (int)runs->report.n_results && !code; i++) {
		code = run_way_operators(job, &results[i], &ways[i], err);
		runs->n_failed += results[i].error != NULL;
	}
	if (!code && !runs->report.n_results)
		return err_set(err, EINTR, "cannot run %s: interrupted before anything was measured", ways->model);
	return code;
}

/* Those that are not kept, and those of runs that failed, of which nobody learns anything. */
static void forget_recordings(struct model_runs *runs, struct model_result *results, const struct model_way *ways)
{
	for (uint32_t i = 0; i < runs->report.n_results; i++) {
		if (results[i].error)
			model_folder_forget(&runs->folder, ways[i].slug);
		if (results[i].error)
			results[i].advice = model_advice(ways[i].provider);
		if (results[i].error || !model_folder_is_kept(&runs->folder))
			results[i].recording = results[i].operator_recording = NULL;
	}
}

static bool has_failed(const void *ctx, int way)
{
	const struct model_runs *runs = ctx;

	return way >= (int)runs->report.n_results || runs->results[way].error;
}

int model_runs_do(struct model_runs *runs, const struct model_opts *opts, const struct model_ways *ways,
		  const struct say *say, const struct model_watch *watch, struct err *err)
{
	struct job job = { .runs = runs, .opts = opts, .ways = ways, .say = say, .watch = watch };
	struct sigaction before[N_ENDING];
	struct model_result *results;
	int code;

	memset(runs, 0, sizeof *runs);
	model_report_init(&runs->report);
	results = arena_alloc(&runs->arena, (size_t)ways->n * sizeof *results);
	if (!results)
		return err_no_memory(err, "cannot run the model");
	code = runner_path(job.runner, sizeof job.runner, err);
	code = code ? code : model_folder_open(&runs->folder, opts, ways, err);
	catch_signals(before);
	if (!code)
		code = model_out_folders_open(&job.outputs, opts, ways, err);
	runs->report.results = runs->results = results;
	model_describe(runs, opts, ways, !code && !strcmp(opts->level, "operator"));
	if (!code)
		code = run_all(&job, results, err);
	runs->is_failed = code || runs->n_failed == runs->report.n_results;
	if (code)
		model_folder_forget(&runs->folder, NULL);
	forget_recordings(runs, results, ways->way);
	model_out_folders_close(&job.outputs, has_failed, runs);
	release_signals(before);
	return code;
}

void model_runs_done(struct model_runs *runs)
{
	model_folder_close(&runs->folder, runs->is_failed);
	arena_done(&runs->arena);
	memset(runs, 0, sizeof *runs);
}
