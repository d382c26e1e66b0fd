// SPDX-License-Identifier: Apache-2.0
/* Copies the facts of a run out of the runner's result and the summaries of its recordings. Computes nothing. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/result/model/model_busy.h"
#include "analyze/result/model/model_energy.h"
#include "analyze/result/model/recording_result.h"
#include "capture/source/source.h"
#include "experiment/model_in.h"

struct fill {
	struct model_result *to;
	const struct run_result *run; /* NULL: the runner told nothing */
	struct arena *arena;
	uint32_t round;
	bool is_out_of_memory;
};

static void *take(struct fill *fill, size_t n, size_t size)
{
	void *memory = n ? arena_alloc(fill->arena, n * size) : NULL;

	fill->is_out_of_memory |= n && !memory;
	return memory;
}

static const char *keep(struct fill *fill, const char *text)
{
	const char *kept = *text ? arena_keep(fill->arena, text) : NULL;

	fill->is_out_of_memory |= *text && !kept;
	return kept;
}

__attribute__((format(printf, 2, 3))) static const char *print(struct fill *fill, const char *format, ...)
{
	char text[1200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return keep(fill, text);
}

/* How it ended, when it did not end as it should. */
static void fill_error(struct fill *fill, const struct model_pass *pass)
{
	int status = pass->recorded.wait_status;
	const struct run_result *run = fill->run;

	if (!run) {
		fill->to->error = print(fill, "the runner returned no result: %s", pass->problem);
		return;
	}
	if (run->outcome == RUN_DONE)
		return;
	fill->to->failed_in = run_result_phase_name(run->phase);
	if (run->outcome == RUN_FAILED)
		fill->to->error = keep(fill, run->error);
	else if (WIFSIGNALED(status))
		fill->to->error = print(fill, "signal %d (%s) ended the runner while it tried to %s", WTERMSIG(status),
					strsignal(WTERMSIG(status)), run_result_phase_text(run->phase));
	else
		fill->to->error = print(fill, "the runner ended with status %d while it tried to %s",
					WEXITSTATUS(status), run_result_phase_text(run->phase));
}

static void fill_runtime(struct fill *fill)
{
	const char *device = model_device_of(fill->run, "");
	const struct run_result *run = fill->run;
	char text[2000] = "";
	size_t used = 0;

	fill->to->runtime = run->is_llama ? "llama.cpp" : *run->runtime_version ? "onnxruntime" : NULL;
	if (device)
		fill->to->device = device;
	fill->to->version = keep(fill, run->runtime_version);
	fill->to->runtime_path = keep(fill, run->runtime_path);
	for (uint32_t i = 0; i < run->n_available && used < sizeof text; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "", run->available[i]);
	fill->to->available = keep(fill, text);
}

static void fill_steps(struct fill *fill)
{
	struct model_step *steps = take(fill, RUN_N_PHASES, sizeof *steps);

	for (uint32_t i = 0; steps && i < RUN_N_PHASES; i++) {
		const struct run_phase *phase = &fill->run->phases[i];
		if (phase->state != RUN_ENDED)
			continue;
		steps[fill->to->n_steps++] = (struct model_step){
			.name = run_result_phase_name(i),
			.begin_ns = (int64_t)phase->start_ns,
			.end_ns = (int64_t)phase->end_ns,
			.rss_bytes = phase->rss_bytes ? (int64_t)phase->rss_bytes : -1,
			.peak_bytes = phase->peak_rss_bytes ? (int64_t)phase->peak_rss_bytes : -1,
		};
	}
	fill->to->steps = steps;
	if (fill->run->phases[RUN_SESSION].state == RUN_ENDED)
		fill->to->creation_ns =
		    (int64_t)(fill->run->phases[RUN_SESSION].end_ns - fill->run->phases[RUN_SESSION].start_ns);
}

static int by_start(const void *left, const void *right)
{
	const struct model_latency *a = left, *b = right;

	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

/* A first token is the first of its generation; without generations none is. */
static bool is_first_token(const struct run_record *record, const struct run_latency *latency)
{
	return record->head->n_tokens && !latency->set;
}

static bool is_measured(const struct run_latency *latency)
{
	return latency->phase == RUN_STEADY &&
	       (latency->status == RUN_LATENCY_OK || latency->status == RUN_LATENCY_FAILED);
}

/* Of a process, behind those of the ones before it. Returns how many there are then. */
static uint32_t add_latencies(struct fill *fill, const struct run_record *record, bool first_tokens,
			      const struct model_latency **all, uint32_t n_before)
{
	struct model_latency *latencies;
	uint32_t n_all = n_before;
	size_t n = n_before;

	for (uint64_t i = 0; i < record->n_latencies; i++)
		n += is_measured(&record->latency[i]) && is_first_token(record, &record->latency[i]) == first_tokens;
	latencies = take(fill, n, sizeof *latencies);
	if (latencies && n_before)
		memcpy(latencies, *all, n_before * sizeof *latencies);
	for (uint64_t i = 0; latencies && i < record->n_latencies; i++) {
		const struct run_latency *from = &record->latency[i];

		if (!is_measured(from) || is_first_token(record, from) != first_tokens)
			continue;
		latencies[n_all++] = (struct model_latency){
			.start_ns = from->start_ns,
			.duration_ns = from->duration_ns,
			.queued_ns = from->queued_ns ? (int64_t)from->queued_ns : -1,
			.shape = from->group,
			.thread = from->thread,
			.status = from->status == RUN_LATENCY_OK ? 0 : 1,
			.round = fill->round,
		};
	}
	if (latencies)
		qsort(latencies + n_before, n_all - n_before, sizeof *latencies, by_start);
	*all = latencies;
	return latencies ? n_all : 0;
}

static void fill_latencies(struct fill *fill, const struct run_record *record)
{
	struct model_result *to = fill->to;

	to->n_latencies = add_latencies(fill, record, false, &to->latencies, to->n_latencies);
	to->n_first_tokens = add_latencies(fill, record, true, &to->first_tokens, to->n_first_tokens);
}

/* Adds to what may not be known yet. */
static void add(int64_t *sum, uint64_t value)
{
	*sum = (*sum < 0 ? 0 : *sum) + (int64_t)value;
}

static void fill_load(struct fill *fill)
{
	const struct run_result *run = fill->run;
	struct model_result *to = fill->to;
	const char **shapes = take(fill, run->n_groups, sizeof *shapes);
	int64_t *prompts = take(fill, run->n_groups, sizeof *prompts);

	for (uint32_t i = 0; shapes && prompts && i < run->n_groups; i++) {
		shapes[i] = keep(fill, run->groups[i].text);
		prompts[i] = run->groups[i].prompt;
	}
	to->shapes = shapes;
	to->prompts = prompts;
	to->n_shapes = shapes && prompts ? run->n_groups : 0;
	to->n_tokens = run->n_tokens;
	if (run->n_groups && run->groups[0].first_ns)
		to->first_ns = (int64_t)run->groups[0].first_ns;
	if (run->concurrency)
		to->concurrency = run->concurrency;
	if (run->is_open_loop)
		to->rate_per_s = run->rate_hz;
	if (run->phases[RUN_WARM_UP].state == RUN_ENDED)
		to->warmup_words = keep(fill, run->warm_up_text);
}

/* What all rounds add up to, or come to at most. */
static void fill_sums(struct fill *fill, const struct run_record *record)
{
	const struct run_result *run = fill->run;

	for (uint32_t i = 0; i < RUN_N_PHASES; i++)
		if (run->phases[i].state == RUN_ENDED &&
		    (int64_t)run->phases[i].peak_rss_bytes > fill->to->peak_bytes && run->phases[i].peak_rss_bytes)
			fill->to->peak_bytes = (int64_t)run->phases[i].peak_rss_bytes;
	if (run->phases[RUN_WARM_UP].state == RUN_ENDED)
		add(&fill->to->n_warmup, run->n_warm_up);
	if (run->wall_ns) {
		add(&fill->to->steady_ns, run->wall_ns);
		add(&fill->to->cpu_user_ns, run->cpu_user_ns);
		add(&fill->to->cpu_system_ns, run->cpu_system_ns);
		if (run->has_run_queue)
			add(&fill->to->run_queue_ns, run->run_queue_ns);
	}
	if (run->is_open_loop)
		add(&fill->to->n_unserved, run->n_unserved);
	if (run_result_stop_text(run->stop) && !fill->to->ended_early)
		fill->to->ended_early = run_result_stop_text(run->stop);
	fill_latencies(fill, record);
}

/* The model with most inference time: providers may make sessions of their own inside. */
static const struct summary_model *main_model(const struct model_pass *pass)
{
	const struct summary *summary = pass ? pass->recording.summary : NULL;

	return summary && summary->n_models ? &summary->models[0] : NULL;
}

static void fill_creation(struct fill *fill, const struct model_pass *pass)
{
	const struct summary_model *model = main_model(pass);

	/* two sessions: the runner's own clock tells which was asked for */
	if (model && model->creation.n == 1 &&
	    recording_result_creation(fill->to, pass->recording.summary, 0, fill->arena))
		fill->is_out_of_memory = true;
}

static void fill_operators(struct fill *fill, const struct model_pass *pass)
{
	const struct summary_model *model = main_model(pass);

	if (!model || !model->nodes.n)
		fill->to->operators_missing = *pass->problem ? keep(fill, pass->problem) : "no operator was seen";
	else if (recording_result_operators(fill->to, pass->recording.summary, 0, fill->arena))
		fill->is_out_of_memory = true;
}

/* Why the recording has no energy, in the words of the source. */
static const char *why_no_energy(struct fill *fill)
{
	const struct target target = { .sysroot = "", .pid = getpid(), .level = "inference" };
	struct err err = { 0 };

	for (const struct source *const *source = sources; *source; source++)
		if (!strcmp((*source)->name, "energy") && (*source)->check(&target, &err))
			return keep(fill, err.msg);
	return "no processor package has counted it";
}

static void fill_energy(struct fill *fill, const struct model_pass *pass)
{
	const struct run_phase *steady = &fill->run->phases[RUN_STEADY];
	const struct summary *summary = pass->recording.summary;
	struct model_energy energy;

	if (steady->state != RUN_ENDED || !summary) {
		fill->to->energy_missing = *pass->problem    ? keep(fill, pass->problem)
					   : fill->to->error ? "the run did not come to its end"
							     : "no inference was measured";
		return;
	}
	model_energy_find(&energy, summary->store, steady->start_ns, steady->end_ns);
	fill->to->energy_joules = fill->round ? fill->to->energy_joules + energy.joules : energy.joules;
	if (isfinite(energy.joules))
		fill->to->energy_scope = keep(fill, energy.scope);
	else
		fill->to->energy_missing = energy.has_counter ? keep(fill, energy.missing) : why_no_energy(fill);
}

/* What the machine's CPUs did in the steady phase beside this run. */
static void fill_others(struct fill *fill, const struct model_pass *pass)
{
	const struct run_phase *steady = &fill->run->phases[RUN_STEADY];
	const struct summary *summary = pass->recording.summary;
	double busy, n_cpus = (double)sysconf(_SC_NPROCESSORS_ONLN), others_ns;

	if (steady->state != RUN_ENDED || !summary || n_cpus < 1) {
		fill->to->others_cpu_ns = NAN;
		return;
	}
	busy = model_busy_find(summary->store, steady->start_ns, steady->end_ns);
	others_ns =
	    busy * n_cpus * (double)fill->run->wall_ns - (double)(fill->run->cpu_user_ns + fill->run->cpu_system_ns);
	/* ticks may tell a little less than the program's own clock */
	others_ns = others_ns < 0 ? 0 : others_ns;
	fill->to->others_cpu_ns = fill->round ? fill->to->others_cpu_ns + others_ns : others_ns;
}

static void fill_recording(struct fill *fill, const struct model_pass *pass, const char **path)
{
	if (!*path)
		*path = keep(fill, pass->path);
	add(&fill->to->n_lost, pass->recorded.n_lost);
	if (pass->recording.summary && pass->recording.summary->cost.is_known)
		fill->to->event_ns = pass->recording.summary->cost.event_ns;
}

static int finish(const struct fill *fill, struct err *err)
{
	return fill->is_out_of_memory ? err_set(err, ENOMEM, "cannot report on %s: out of memory", fill->to->label) : 0;
}

int model_fill_timing(struct model_result *result, const struct model_pass *pass, uint32_t round, struct arena *arena,
		      struct err *err)
{
	struct fill fill = { .to = result, .run = pass->run.head, .arena = arena, .round = round };

	fill_recording(&fill, pass, &result->recording);
	fill_error(&fill, pass);
	if (fill.run && !round) {
		fill_runtime(&fill);
		fill_steps(&fill);
		fill_load(&fill);
	}
	if (fill.run) {
		fill_sums(&fill, &pass->run);
		fill_energy(&fill, pass);
		fill_others(&fill, pass);
		fill.is_out_of_memory |= model_fill_devices(result, pass, round, arena) != 0;
	}
	if (!round)
		fill_creation(&fill, pass);
	return finish(&fill, err);
}

int model_fill_operators(struct model_result *result, const struct model_pass *pass, struct arena *arena,
			 struct err *err)
{
	struct fill fill = { .to = result, .run = pass->run.head, .arena = arena };

	fill_recording(&fill, pass, &result->operator_recording);
	fill_operators(&fill, pass);
	return finish(&fill, err);
}
