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
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/part_path.h"
#include "base/temp_dir.h"
#include "base/units.h"
#include "capture/proc/machine.h"
#include "experiment/model_advice.h"
#include "experiment/model_fill.h"
#include "experiment/model_inside.h"
#include "experiment/model_pass.h"

enum { MAX_SETTINGS = 64, OPERATOR_RUNS = 20 };
#define OPERATOR_NS UINT64_C(3000000000)

struct job {
	struct model_runs *runs;
	const struct model_opts *opts;
	const char *path; /* of the model */
	const struct say *say;
	int n_ways;
	uint32_t n_done, n_passes; /* programs started so far, and in total */
	char runner[PATH_MAX];
	char outputs[PATH_MAX]; /* folder with one for each way; "" none */
	bool are_outputs_ours;	/* to remove */
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
					.say = job->say };
	char result[64], *kept;
	int code;

	opts.result_fd = run_result_make(RUN_LATENCIES, err);
	if (opts.result_fd < 0)
		return opts.result_fd;
	run_result_name(opts.result_fd, result, sizeof result);
	words.program = job->runner;
	words.label = job->n_ways > 1 ? way->label : NULL;
	words.model = job->path;
	words.result = result;
	opts.argv = model_options_argv(job->opts, way, &words, &job->runs->arena);
	opts.path = kept = arena_alloc(&job->runs->arena, PATH_MAX);
	opts.fd = opts.argv && kept ? model_folder_recording(&job->runs->folder, way->label, kind.suffix, kept, err)
				    : err_set(err, ENOMEM, "cannot run the model: out of memory");
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

static const char *outputs_of(struct job *job, const struct model_way *way)
{
	size_t size = strlen(job->outputs) + strlen(way->label) + 2;
	char *path = *job->outputs ? arena_alloc(&job->runs->arena, size) : NULL;

	if (path)
		snprintf(path, size, "%s/%s", job->outputs, way->label);
	return path && (!mkdir(path, 0700) || errno == EEXIST) ? path : NULL;
}

static int compare_outputs(struct job *job, struct model_result *result, const struct run_record *run,
			   const char *outputs, const struct model_way *first, struct err *err)
{
	struct model_folders folders = { .to = outputs, .label = first->label };
	int code = model_fill_expected(result, run, &job->runs->arena, err);

	if (code || result->n_outputs || !outputs || result == job->runs->report.results || result->error)
		return code;
	folders.from = outputs_of(job, first);
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
	if (job->opts->run.intra_op_threads)
		result->n_threads = job->opts->run.intra_op_threads;
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

/* The shapes of the inputs, which all runs have: from the first that came so far. */
static int keep_inputs(struct model_runs *runs, const struct run_result *run, struct err *err)
{
	if (runs->inputs || !run || !run->n_tensors)
		return 0;
	runs->inputs = arena_alloc(&runs->arena, run->n_tensors * sizeof *runs->inputs);
	if (!runs->inputs)
		return err_set(err, ENOMEM, "cannot run the model: out of memory");
	for (uint32_t i = 0; i < run->n_tensors; i++)
		if (!run->tensors[i].is_output)
			runs->inputs[runs->n_inputs++] = run->tensors[i];
	return 0;
}

int64_t model_runs_size(void *ctx, const struct model_free_dim *dim)
{
	const struct model_runs *runs = ctx;
	int64_t size = -1;

	for (uint32_t i = 0; i < runs->n_inputs; i++) {
		const struct run_tensor *tensor = &runs->inputs[i];

		if (strncmp(tensor->name, dim->input, sizeof tensor->name - 1) || (int64_t)dim->axis >= tensor->n_dims)
			continue;
		if (size >= 0 && size != tensor->dim[dim->axis])
			return -1;
		size = tensor->dim[dim->axis];
	}
	return size;
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
static int run_round(struct job *job, struct model_result *result, const struct model_way *way,
		     const struct model_way *first, uint32_t round, struct err *err)
{
	const struct run_opts *run = &job->opts->run;
	uint32_t n = n_rounds(job->opts);
	struct model_pass_words words = { .duration_ns = run->duration_ns / n,
					  .iterations = share_of(run->iterations, round + 1, n) -
							share_of(run->iterations, round, n) };
	struct model_pass pass = { 0 };
	char suffix[32] = "";
	int code;

	if (!round)
		words.outputs = outputs_of(job, way);
	else
		snprintf(suffix, sizeof suffix, "-round%u", round + 1);
	say_pass(job, way, round, n);
	code = run_pass(job, &pass, way, &words, (struct pass_kind){ "inference", suffix }, err);
	/* what the rounds before it measured is not lost with one that was cut off before it measured anything */
	if (!code && round && is_interrupted(job->runs) && (!pass.run.head || pass.run.head->outcome != RUN_DONE))
		goto out;
	if (!code)
		code = model_fill_timing(result, &pass, round, &job->runs->arena, err);
	if (!code)
		code = keep_inputs(job->runs, pass.run.head, err);
	if (!code && !round)
		code = compare_outputs(job, result, &pass.run, words.outputs, first, err);
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

/* Rounds take turns, so that what disturbs the machine disturbs all alike. */
static int run_all(struct job *job, struct model_result *results, const struct model_way *ways, int n_ways,
		   struct err *err)
{
	struct model_runs *runs = job->runs;
	int code = 0;

	for (int i = 0; i < n_ways; i++)
		describe(job, &results[i], &ways[i]);
	job->n_passes = (uint32_t)n_ways * n_rounds(job->opts);
	if (!strcmp(job->opts->level, "operator") && !is_without_inferences(job->opts))
		job->n_passes += (uint32_t)n_ways;
	for (uint32_t round = 0; round < n_rounds(job->opts); round++) {
		for (int i = 0; i < n_ways && !code && !is_interrupted(runs); i++) {
			if (results[i].error)
				continue;
			code = run_round(job, &results[i], &ways[i], &ways[0], round, err);
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
		return err_set(err, EINTR, "cannot run %s: interrupted before anything was measured", job->path);
	return code;
}

static int find_outputs(struct job *job, int n_ways, struct err *err)
{
	int code;

	if (job->opts->run.outputs) {
		snprintf(job->outputs, sizeof job->outputs, "%s", job->opts->run.outputs);
		if (mkdir(job->outputs, 0777) && errno != EEXIST)
			return err_set(err, errno, "cannot write outputs to %s: %s", job->outputs, strerror(errno));
		return 0;
	}
	if (n_ways < 2)
		return 0;
	code = temp_dir_make(job->outputs, sizeof job->outputs, "outputs", err);
	job->are_outputs_ours = !code;
	return code;
}

static void remove_outputs(const struct job *job, const struct model_way *ways, int n_ways)
{
	char path[2 * PATH_MAX];

	if (!job->are_outputs_ours)
		return;
	for (int i = 0; i < n_ways; i++) {
		snprintf(path, sizeof path, "%s/%s", job->outputs, ways[i].label);
		temp_dir_remove(path);
	}
	rmdir(job->outputs);
}

static void describe_machine(struct model_runs *runs, bool measures_peak)
{
	struct model_machine *machine = &runs->report.machine;
	char *text = arena_alloc(&runs->arena, 512);
	struct utsname *kernel = arena_alloc(&runs->arena, sizeof *kernel);
	struct err ignored;
	cpu_set_t cpus;

	if (text)
		machine_processor("", text, 512);
	machine->cpu = text && *text ? text : NULL;
	if (kernel && !uname(kernel))
		machine->kernel = kernel->release;
	if (!sched_getaffinity(0, sizeof cpus, &cpus))
		machine->n_cpus = CPU_COUNT(&cpus);
	machine->n_all_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	machine->memory_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	if (measures_peak)
		machine_peak_measure(&machine->peak, &ignored);
}

static void describe_settings(struct model_runs *runs, const struct model_opts *opts)
{
	const struct model_way none = { .label = "" };
	const struct model_pass_words words = { .program = "",
						.model = "",
						.result = "",
						.duration_ns = opts->run.duration_ns,
						.iterations = opts->run.iterations,
						.profiles = "" };
	char **argv = model_options_argv(opts, &none, &words, &runs->arena);
	struct model_setting *settings = arena_alloc(&runs->arena, MAX_SETTINGS * sizeof *settings);

	for (int i = 1; argv && settings && argv[i] && strcmp(argv[i], "--") && runs->report.n_settings < MAX_SETTINGS;
	     i++) {
		char *equals = strchr(argv[i], '=');
		if (!strncmp(argv[i], "--result=", 9) || !strncmp(argv[i], "--ep-profile-dir=", 17) ||
		    (!strncmp(argv[i], "--optimized-data-min=", 21) && !opts->run.optimized_data) ||
		    (!strncmp(argv[i], "--duration=", 11) && (opts->run.iterations || is_without_inferences(opts))))
			continue;
		if (equals)
			*equals = 0;
		settings[runs->report.n_settings++] =
		    (struct model_setting){ argv[i] + 2, equals ? equals + 1 : "yes" };
	}
	runs->report.settings = settings;
}

/* Those that are not kept, and those of runs that failed, of which nobody learns anything. */
static void forget_recordings(const struct model_runs *runs, struct model_result *results, const struct model_way *ways)
{
	for (uint32_t i = 0; i < runs->report.n_results; i++) {
		if (results[i].error && results[i].recording)
			unlink(results[i].recording);
		if (results[i].error)
			results[i].advice = model_advice(ways[i].provider);
		if (results[i].error || !model_folder_is_kept(&runs->folder))
			results[i].recording = results[i].operator_recording = NULL;
	}
}

int model_runs_do(struct model_runs *runs, const struct model_opts *opts, const char *path, const struct say *say,
		  struct err *err)
{
	struct model_way ways[MODEL_MAX_WAYS];
	struct job job = { .runs = runs, .opts = opts, .path = path, .say = say };
	struct sigaction before[N_ENDING];
	struct model_result *results;
	struct timespec now;
	int n_ways, code;

	memset(runs, 0, sizeof *runs);
	model_report_init(&runs->report);
	n_ways = job.n_ways = model_options_ways(opts, ways, MODEL_MAX_WAYS, &runs->arena, err);
	if (n_ways < 0)
		return n_ways;
	results = arena_alloc(&runs->arena, (size_t)n_ways * sizeof *results);
	if (!results)
		return err_set(err, ENOMEM, "cannot run the model: out of memory");
	code = runner_path(job.runner, sizeof job.runner, err);
	code = code ? code : model_folder_open(&runs->folder, opts, path, err);
	catch_signals(before);
	if (!code)
		code = find_outputs(&job, n_ways, err);
	clock_gettime(CLOCK_REALTIME, &now);
	runs->report.start_realtime_ns = now.tv_sec * 1000000000ll + now.tv_nsec;
	runs->report.version = INFTRACE_VERSION;
	runs->report.results = results;
	describe_settings(runs, opts);
	describe_machine(runs, !code && !strcmp(opts->level, "operator"));
	if (!code)
		code = run_all(&job, results, ways, n_ways, err);
	runs->is_failed = code || runs->n_failed == runs->report.n_results;
	forget_recordings(runs, results, ways);
	remove_outputs(&job, ways, n_ways);
	release_signals(before);
	return code;
}

void model_runs_done(struct model_runs *runs)
{
	model_folder_close(&runs->folder, runs->is_failed);
	arena_done(&runs->arena);
	memset(runs, 0, sizeof *runs);
}
