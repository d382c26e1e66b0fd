// SPDX-License-Identifier: Apache-2.0
/*
 * The page that fits a screen: the circumstances in a few lines, the findings, then a block for each model. All tables
 * are those of the full page (export_text.c).
 */
#include <string.h>
#include <time.h>

#include "analyze/insight/insight.h"
#include "analyze/remark/halt_words.h"
#include "analyze/remark/kept_words.h"
#include "analyze/result/joint_memory.h"
#include "analyze/result/open_words.h"
#include "analyze/result/phase_names.h"
#include "analyze/result/recording_facts.h"
#include "analyze/result/recording_workers.h"
#include "show/text/page.h"
#include "show/words/caller_words.h"
#include "show/words/compile_words.h"
#include "show/words/generation_words.h"
#include "show/words/kernel_words.h"
#include "show/words/memory_words.h"
#include "show/words/merged_words.h"
#include "show/words/operator_words.h"
#include "show/words/other_words.h"
#include "show/words/quota_words.h"
#include "show/words/resource_words.h"
#include "show/words/runtime_words.h"
#include "show/words/slow_words.h"
#include "show/words/time_words.h"
#include "show/words/training_words.h"
#include "show/words/usage_words.h"

enum { MAX_FINDINGS = 2, MAX_BLOCKS = 3, MAX_SHARES = 3, COLUMNS = 12, NAME = 60, MAX_STATES = 8 };

static void put_fact(const struct page *page, const char *name, const struct printable *text)
{
	if (*text->s)
		page_fact(page, COLUMNS, name, text->s);
}

/* The folder of the program is cut first. */
static struct printable command_of(const struct page *page, int columns)
{
	const char *text = names_text(page->names, page->summary->recording.command);
	size_t len = names_len(page->names, page->summary->recording.command), word = strcspn(text, " ");
	const char *slash = memrchr(text, '/', word < len ? word : len);

	if (len <= (size_t)columns || !slash)
		return page_name(page, page->summary->recording.command, columns);
	return printable_text(slash + 1, len - (size_t)(slash + 1 - text), columns, page->opts.is_ascii);
}

static void put_quota(const struct page *page)
{
	struct printable text = quota_words(page->summary, page->opts.is_ascii);

	put_fact(page, "quota", &text);
}

static void put_command(const struct page *page)
{
	const struct summary_recording *recording = &page->summary->recording;
	time_t start = (time_t)(recording->start_realtime_ns / 1000000000);
	struct printable text = { "" };
	struct tm utc;
	char date[64];

	if (recording->command) {
		text = command_of(page, page->opts.width - COLUMNS);
		put_fact(page, "command", &text);
	}
	text = (struct printable){ "" };
	if (recording->start_realtime_ns >= 0 && gmtime_r(&start, &utc) &&
	    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &utc))
		printable_add(&text, ", %s", date);
	if (recording->begin_ns <= recording->end_ns)
		printable_add(&text, ", %s long", units_duration((double)(recording->end_ns - recording->begin_ns)).s);
	if (recording->level)
		printable_add(&text, ", level %s", page_name(page, recording->level, 40).s);
	if (*text.s)
		page_fact(page, COLUMNS, "recorded", text.s + 2);
	text = report_range(page->summary);
	put_fact(page, "range", &text);
	text = recording->machine ? page_name(page, recording->machine, 200) : (struct printable){ "" };
	put_fact(page, "machine", &text);
	put_quota(page);
	for (uint32_t i = 0; i < page->summary->n_merged; i++) {
		text = merged_words(page->summary, i, page->opts.is_ascii);
		put_fact(page, i ? "" : "merged", &text);
	}
}

static bool is_first_without(const struct summary *summary, uint32_t runtime)
{
	for (uint32_t i = 0; i < runtime; i++)
		if (summary->runtimes[i].left_out == summary->runtimes[runtime].left_out)
			return false;
	return true;
}

static void put_runtimes(const struct page *page)
{
	const struct summary *summary = page->summary;
	uint32_t list[RUNTIME_WORDS], n = runtime_words_list(summary, list);
	struct printable text;

	for (uint32_t i = 0; i < n; i++) {
		text = runtime_words(summary, list[i], page->opts.is_ascii);
		put_fact(page, i ? "" : "runtime", &text);
	}
	text = other_words(summary, page->opts.is_ascii);
	if (*text.s)
		printable_add(&text, "; not recorded");
	put_fact(page, n ? "also loaded" : "runtime", &text);
	/* the copies of several processes lack the same */
	for (uint32_t i = 0; i < summary->n_runtimes; i++)
		if (summary->runtimes[i].left_out && is_first_without(summary, i))
			page_text(page, COLUMNS, TABLE_RED, "not recorded: %s",
				  page_name(page, summary->runtimes[i].left_out, 400).s);
}

static void put_time(const struct page *page)
{
	struct printable text = time_sum(page->summary), line[TIME_CALLERS], outside[TIME_OUTSIDE];
	uint32_t n = time_callers(page->summary, page->opts.is_ascii, line);
	bool is_unseen = time_has_unseen_models(page->summary);

	if (!is_unseen)
		put_fact(page, "time", &text);
	for (uint32_t i = 0; i < n && !is_unseen; i++)
		put_fact(page, i ? "" : "threads", &line[i]);
	n = time_outside(page->summary, outside);
	for (uint32_t i = 0; i < n; i++)
		put_fact(page, i ? "" : is_unseen ? "program" : "outside", &outside[i]);
}

/* What explains an empty recording; those of many processes in one line for each reason. */
static void put_states(const struct page *page)
{
	const struct summary *summary = page->summary;
	struct {
		uint32_t text, n;
		int32_t pid;
	} state[MAX_STATES];
	uint32_t n = 0;

	for (uint32_t i = 0; i < summary->n_processes && !summary->n_inferences; i++) {
		const struct summary_process *process = &summary->processes[i];
		uint32_t at = 0;

		if (!process->state || process->is_unseen || process->n_runtimes || process->pid < 0)
			continue;
		while (at < n && state[at].text != process->state)
			at++;
		if (at == MAX_STATES)
			continue;
		if (at == n) {
			state[n].text = process->state;
			state[n].n = 0;
			state[n++].pid = process->pid;
		}
		state[at].n++;
	}
	for (uint32_t i = 0; i < n; i++)
		if (state[i].n > 1)
			page_text(page, 2, TABLE_DIM, "%s: %s", printable_count(state[i].n, "process").s,
				  page_name(page, state[i].text, 300).s);
		else
			page_text(page, 2, TABLE_DIM, "%d: %s", state[i].pid, page_name(page, state[i].text, 300).s);
}

/* Models that take next to nothing of the time are not worth advice here. */
static bool is_worth_advice(const struct page *page, uint32_t model)
{
	uint64_t wall_ns = 0;

	for (uint32_t i = 0; i < page->summary->n_models; i++)
		wall_ns += page_shows(page, i) ? summary_runs_ns(&page->summary->models[i].runs) : 0;
	return page_shows(page, model) && summary_runs_ns(&page->summary->models[model].runs) >= wall_ns / 50;
}

static const struct finding *find(const struct page *page, uint32_t model, const struct insight *insight)
{
	const struct model_analysis *own = &page->analysis[model];

	for (uint32_t i = 0; i < own->n_findings; i++)
		if (own->findings[i].insight == insight)
			return &own->findings[i];
	return NULL;
}

/* What is found for several models is told once; the figures are those of the model with most time. */
static void print_finding(const struct page *page, const struct insight *insight, uint32_t model)
{
	const struct insight_words words =
	    insight_words_of(&page->analysis[model], find(page, model, insight), page->opts.is_ascii);
	bool is_named = page->summary->n_models > 1;
	uint32_t n_others = 0;

	for (uint32_t i = model + 1; i < page->summary->n_models; i++)
		n_others += is_worth_advice(page, i) && find(page, i, insight);
	page_text(page, 2, insight->severity == INSIGHT_ADVICE ? TABLE_PLAIN : TABLE_RED, "%s%s%s: %s%s",
		  is_named ? page_model(page, model, NAME).s : "", is_named ? ": " : "", words.finding.s,
		  words.evidence.s,
		  !n_others		      ? ""
		  : page->summary->by_process ? " (and more)"
		  : n_others == 1	      ? " (and one more model)"
					      : " (and more models)");
	if (*words.next.s)
		page_text(page, 4, TABLE_DIM, "%s %s", page->opts.is_ascii ? "->" : "\342\206\222", words.next.s);
}

/* What is wrong before what could be better; then in the order of models, those with most time first. */
static void print_findings(const struct page *page)
{
	struct printable more = { "" };
	uint32_t n = 0, n_all = 0, model;

	for (uint32_t i = 0; i < page->summary->n_models; i++)
		n_all += page_shows(page, i) ? page->analysis[i].n_findings : 0;
	printable_add(&more, " (--all: %s)", printable_count(n_all, "finding").s);
	for (int severity = INSIGHT_WRONG; severity <= INSIGHT_ADVICE; severity++)
		for (size_t k = 0; insights[k] && n < MAX_FINDINGS; k++) {
			if ((int)insights[k]->severity != severity)
				continue;
			for (model = 0; model < page->summary->n_models; model++)
				if (is_worth_advice(page, model) && find(page, model, insights[k]))
					break;
			if (model == page->summary->n_models)
				continue;
			if (!n++)
				page_heading(page, "%s%s", page_advice(page), n_all > MAX_FINDINGS ? more.s : "");
			print_finding(page, insights[k], model);
		}
}

static void put_creation(const struct page *page, const struct summary_model *model)
{
	const struct summary_creation *creation = &model->creation;
	struct printable text = { "" };
	bool is_told[N_PHASES] = { false };

	for (uint32_t i = 0; !creation->duration.n && i < model->sessions.n && !*text.s; i++)
		text = open_creator(page->summary, &page->summary->sessions[model->sessions.first + i]);
	if (!creation->duration.n) {
		if (*text.s)
			page_fact(page, COLUMNS, "  created", text.s + strlen("created "));
		return;
	}
	if (creation->duration.n > 1)
		printable_add(&text, "%s sessions, mean ", units_count(creation->duration.n).s);
	printable_add(&text, "%s", units_duration(creation->duration.mean_ns).s);
	for (int n = 0; n < MAX_SHARES; n++) {
		int most = -1;

		for (int i = 0; i < N_PHASES; i++)
			if (!is_told[i] && (most < 0 || creation->phase_ns[i] > creation->phase_ns[most]))
				most = i;
		is_told[most] = true;
		if (!n || creation->phase_ns[most] > creation->duration.total_ns / 20)
			printable_add(
			    &text, "%s %s %s", n ? "," : ":", phase_names[most].words,
			    units_percent((double)creation->phase_ns[most] / (double)creation->duration.total_ns).s);
	}
	put_fact(page, "  created", &text);
}

static void put_latency(const struct page *page, const struct summary_runs *runs)
{
	const struct summary_spread *latency = &runs->latency;
	struct printable text = { "" };

	if (latency->n > 1) {
		printable_add(&text, "median %s, ", units_duration((double)latency->p50_ns).s);
		printable_add(&text, "mean %s",
			      units_interval(latency->mean_ns, latency->interval_ns, page->opts.is_ascii).s);
		if (latency->n >= 100)
			printable_add(&text, ", p99 %s", units_duration((double)latency->p99_ns).s);
		printable_add(&text, ", slowest %s", units_duration((double)latency->max_ns).s);
	} else if (latency->n) {
		printable_add(&text, "%s", units_duration((double)latency->p50_ns).s);
	}
	if (runs->first.n)
		printable_add(&text, "%sfirst %s", *text.s ? "; " : "", units_duration((double)runs->first.p50_ns).s);
	if (runs->queue.n)
		printable_add(&text, "; %s in the pool's queue before (median)",
			      units_duration((double)runs->queue.p50_ns).s);
	put_fact(page, "  latency", &text);
}

static void put_generations(const struct page *page, const struct summary_generations *of)
{
	struct printable counts = generation_counts(of), times = generation_times(of, page->opts.is_ascii);
	struct printable shares = generation_shares(of);

	put_fact(page, "  requests", &counts);
	put_fact(page, "  tokens", &times);
	put_fact(page, "  spent", &shares);
}

/* Which lines of the program ask for inferences, and for sessions. */
static void put_callers(const struct page *page, const struct summary_model *model)
{
	enum { MOST = 3 };
	struct printable runs = caller_words(page->summary, model, MOST, page->opts.is_ascii), text = { "" };
	struct printable sessions = caller_words_creation(page->summary, model, MOST, page->opts.is_ascii);

	if (*runs.s)
		printable_add(&text, "from %s", runs.s);
	if (*sessions.s)
		printable_add(&text, "%screated from %s", *text.s ? "; " : "", sessions.s);
	put_fact(page, "  called", &text);
}

static void put_training(const struct page *page, const struct summary_model *model)
{
	struct printable text = training_words(model);

	if (*text.s)
		put_fact(page, "  training", &text);
}

static void put_compiling(const struct page *page, const struct summary_model *model)
{
	struct printable text = compile_words(page->summary, model, page->opts.is_ascii);

	if (*text.s)
		put_fact(page, "  compiled", &text);
}

/* How alike the processes are that run it. */
static void put_workers(const struct page *page, const struct summary_model *model)
{
	struct recording_workers workers = recording_workers_of(page->summary, model);
	struct printable text = { "" };

	if (model->n_processes < 2 || !workers.most_runs)
		return;
	printable_add(&text, "%s, ", printable_count(model->n_processes, "process").s);
	if (workers.least_runs < workers.most_runs)
		printable_add(&text, "%s to ", units_count(workers.least_runs).s);
	printable_add(&text, "%s each", printable_count(workers.most_runs, "inference").s);
	if (workers.n > 1)
		printable_add(&text, "; medians from %s to %s (process %d)",
			      units_duration((double)workers.quickest.p50_ns).s,
			      units_duration((double)workers.slowest.p50_ns).s,
			      page->summary->processes[workers.slowest.process].pid);
	put_fact(page, "  run by", &text);
}

static void put_halts(const struct page *page, const struct summary_model *model)
{
	struct printable text = halt_words_of(page->summary, model);

	put_fact(page, "  stopped", &text);
}

static void put_usage(const struct page *page, const struct summary_runs *runs)
{
	struct printable text = { "" };

	if (usage_is_known(runs))
		text = usage_words(runs);
	put_fact(page, "  each", &text);
}

static void put_operators(const struct page *page, const struct summary_model *model)
{
	const struct summary_coverage *coverage = &model->coverage;
	const struct summary_operator *type = page->summary->types + model->types.first;
	struct printable text = { "" };
	uint64_t rest_ns = coverage->setup_ns + coverage->unattributed_ns - coverage->turn_ns;

	if (!coverage->n || !coverage->wall_ns || !model->types.n)
		return;
	if (coverage->n_without)
		printable_add(&text, "%s; in the others ", operators_without(page->summary, model).s);
	for (uint32_t i = 0; i < model->types.n && i < MAX_SHARES; i++) {
		printable_add(&text, "%s%s ", i ? ", " : "", page_name(page, type[i].op_type, 30).s);
		printable_add(&text, "%s", units_percent((double)type[i].share_ns / (double)coverage->wall_ns).s);
	}
	if (coverage->turn_ns)
		printable_add(&text, "; waiting for other inferences %s",
			      units_percent((double)coverage->turn_ns / (double)coverage->wall_ns).s);
	printable_add(&text, "; outside %s", units_percent((double)rest_ns / (double)coverage->wall_ns).s);
	put_fact(page, "  operators", &text);
}

static void put_device(const struct page *page, const struct summary_runs *runs)
{
	struct printable text = kernel_device_words(runs);

	if (*text.s)
		put_fact(page, "  device", &text);
}

/* Of the session that holds, or held, most. */
static void put_memory(const struct page *page, uint32_t index)
{
	const struct summary_memory *memory = page->summary->memory;
	struct printable text = { "" };
	uint32_t i = 0;

	while (i < page->summary->n_memory && memory[i].model != index)
		i++;
	if (i == page->summary->n_memory || memory[i].peak < 0)
		return;
	printable_add(&text, "peak %s, weights %s", units_bytes((double)memory[i].peak).s,
		      units_bytes((double)memory_of_creation(&memory[i])).s);
	if (memory[i].packed > 0)
		printable_add(&text, ", packed %s", units_bytes((double)memory[i].packed).s);
	if (memory[i].held_peak > 0)
		printable_add(&text, ", arenas at most %s", units_bytes((double)memory[i].held_peak).s);
	put_fact(page, "  memory", &text);
}

/* The first that is worth a line; with --slowest all of them are below. */
static void put_slowest(const struct page *page, const struct summary_model *model)
{
	const struct summary_slow *slow = page->summary->slowest + model->slowest.first;
	struct printable text = { "" }, words;
	uint32_t i = 0;

	if (page->opts.n_slowest || !slow_are_any(page->summary, model))
		return;
	while (!slow_is_slow(model, &slow[i]))
		i++;
	words = page_n_shown(page) > 1 ? slow_words_short(page->summary, &slow[i], page->opts.is_ascii)
				       : slow_words(page->summary, &slow[i], page->opts.is_ascii);
	printable_add(&text, "%s at %s", units_duration((double)slow[i].duration_ns).s,
		      page_offset(page, slow[i].begin_ns).s);
	if (slow_is_of_several(page->summary, model, &slow[i]))
		printable_add(&text, " in process %d", (int)page->summary->processes[slow[i].process].pid);
	printable_add(&text, ": %s", words.s);
	put_fact(page, "  slowest", &text);
}

static void print_failures(const struct page *page, const struct summary_model *model)
{
	const struct summary_session *session = page->summary->sessions + model->sessions.first;
	const struct summary_tally *tally = page->summary->tallies + model->tallies.first;

	for (uint32_t i = 0; i < model->sessions.n; i++) {
		if (!session[i].is_failed)
			continue;
		page_text(page, 2, TABLE_RED, "%s of %s could not be created: %s",
			  units_count(model->creation.n_failed).s, printable_count(model->creation.n, "session").s,
			  page_name(page, session[i].status, 240).s);
		break;
	}
	for (uint32_t i = 0; i < model->tallies.n; i++) {
		if (tally[i].key != KEY_STATUS)
			continue;
		page_text(page, 2, TABLE_RED, "%s failed, first at %s: %s", printable_count(tally[i].n, "inference").s,
			  page_offset(page, tally[i].first_ns).s, page_name(page, tally[i].text, 240).s);
		break;
	}
}

static void print_block(const struct page *page, uint32_t index, uint64_t wall_ns)
{
	const struct summary_model *model = &page->summary->models[index];
	const struct summary_provider *ran_on = page->summary->ran_on + model->ran_on.first;
	struct printable text = { "" };
	uint32_t n_named = 0;

	printable_add(&text, "%s", kept_words_count(model->runs.n, model->runs.n_all).s);
	printable_add(&text, "%s", training_count(model).s);
	if (model->runs.n_open)
		printable_add(&text, " (%s did not end)", units_count(model->runs.n_open).s);
	for (uint32_t i = 0; i < model->ran_on.n && n_named < 3; i++)
		if (ran_on[i].provider)
			printable_add(&text, "%s%s", n_named++ ? " and " : " on ",
				      page_provider(page, ran_on[i].provider, 30).s);
	if (isfinite(model->runs.rate))
		printable_add(&text, ", %s", units_rate(model->runs.rate).s);
	if (model->runs.max_concurrent > 1)
		printable_add(&text, ", up to %s at a time", units_count(model->runs.max_concurrent).s);
	if (page->summary->n_models > 1 && wall_ns)
		printable_add(&text, ", %s of the time",
			      units_percent((double)summary_runs_ns(&model->runs) / (double)wall_ns).s);
	fputc('\n', page->out);
	page_text(page, 0, TABLE_BOLD, "%s: %s", page_model(page, index, NAME).s, text.s);
	put_creation(page, model);
	put_callers(page, model);
	put_latency(page, &model->runs);
	if (model->generations.n)
		put_generations(page, &model->generations);
	put_training(page, model);
	put_compiling(page, model);
	put_workers(page, model);
	if (page_n_shown(page) == 1)
		put_usage(page, &model->runs);
	put_halts(page, model);
	put_operators(page, model);
	put_device(page, &model->runs);
	put_memory(page, index);
	put_slowest(page, model);
	print_failures(page, model);
	if (page->opts.n_slowest)
		text_slowest(page, index);
}

static void add_devices(const struct page *page, struct printable *text)
{
	struct resource_device list[RESOURCE_DEVICES];
	uint32_t n = resource_devices(page->summary, list);

	for (uint32_t i = 0; i < n; i++) {
		struct printable busy = resource_device_busy(&list[i]);

		printable_add(text, "; %s", resource_device_name(page->summary, &list[i], page->opts.is_ascii).s);
		if (*busy.s)
			printable_add(text, " %s", busy.s);
		if (isfinite(list[i].memory))
			printable_add(text, "%s %s", *busy.s ? "," : "", units_bytes(list[i].memory).s);
	}
}

/* Resident memory of several processes, which share some of it. */
static bool put_memory_of_all(const struct page *page)
{
	struct joint_memory joint = joint_memory_of(page->summary, "rss", NULL);
	struct joint_memory parts = joint_memory_of(page->summary, "pss", NULL);
	struct printable text = { "" };

	if (joint.n_all < 2)
		return false;
	if (joint.n_processes < 2)
		printable_add(&text, "%s at most, in one process: those recorded ran one after the other",
			      units_bytes(joint.bytes).s);
	else
		printable_add(&text, "the peaks of %s%s add up to %s; pages that they share count in each",
			      printable_count(joint.n_processes, "process").s,
			      joint.n_processes < joint.n_all ? " at one time" : "", units_bytes(joint.bytes).s);
	/* the first value is that of a process that has just begun */
	if (joint.n_processes > 1 && parts.n_processes == joint.n_processes && parts.n_values >= 2 * parts.n_all)
		printable_add(&text, "; divided among them, %s (PSS)", units_bytes(parts.bytes).s);
	put_fact(page, "memory", &text);
	return true;
}

/* "while inferences ran: machine 100 % busy, 1.23 CPUs used". Where no sample lies in their time, of the whole. */
static void add_cpus(const struct summary *summary, struct printable *text)
{
	static const char *const when[] = { "over the whole recording", "while inferences ran" };
	const struct summary_resource *machine = recording_counter(summary, SUMMARY_NONE, "cpu");
	double busy = !machine ? NAN : isfinite(machine->busy_mean) ? machine->busy_mean : machine->mean;
	bool is_in_runs = machine && isfinite(machine->busy_mean), are_cores_in_runs;
	double cores = recording_cores(summary, &are_cores_in_runs), usable = recording_usable(summary);

	if (isfinite(busy))
		printable_add(text, "; %s: machine %s busy", when[is_in_runs], units_percent(busy / 100).s);
	if (!(cores > 0))
		return;
	if (isfinite(busy) && is_in_runs == are_cores_in_runs)
		printable_add(text, ", %s CPUs used", units_decimal(cores).s);
	else
		printable_add(text, "; %s: %s CPUs used", when[are_cores_in_runs], units_decimal(cores).s);
	if (usable < (double)summary->recording.n_cpus)
		printable_add(text, " of %s that it may use", units_decimal(usable).s);
}

static void put_resident(const struct page *page)
{
	const struct summary *summary = page->summary;
	const struct summary_resource *memory = NULL;
	struct printable text = { "" };
	bool has_all;

	if (summary->n_processes == 1)
		memory = recording_counter(summary, 0, "rss");
	if (memory) {
		text = resource_memory(memory);
		put_fact(page, "memory", &text);
		return;
	}
	has_all = put_memory_of_all(page);
	memory = resource_growing(summary);
	if (!memory)
		return;
	text = (struct printable){ "" };
	printable_add(&text, "of process %d: %s", summary->processes[memory->process].pid, resource_memory(memory).s);
	put_fact(page, has_all ? "" : "memory", &text);
}

/* What the whole program took. */
static void print_resources(const struct page *page)
{
	struct printable text = { "" };

	add_cpus(page->summary, &text);
	add_devices(page, &text);
	if (*text.s)
		page_fact(page, COLUMNS, "resources", text.s + 2);
	put_resident(page);
}

void text_brief(const struct page *page)
{
	const struct summary *summary = page->summary;
	uint32_t n_shown = 0, n_all = 0, n_most = page_n_shown(page) > MAX_BLOCKS + 1 ? MAX_BLOCKS : MAX_BLOCKS + 1;
	uint64_t wall_ns = 0;

	fputc('\n', page->out);
	put_command(page);
	put_runtimes(page);
	put_time(page);
	print_resources(page);
	put_states(page);
	if (page_n_shown(page) > MAX_BLOCKS + 1)
		text_models(page);
	print_findings(page);
	for (uint32_t i = 0; i < summary->n_models; i++)
		wall_ns += summary_runs_ns(&summary->models[i].runs);
	for (uint32_t i = 0; i < summary->n_models; i++) {
		if (!page_shows(page, i) || n_all++ >= n_most)
			continue;
		print_block(page, i, wall_ns);
		n_shown++;
	}
	if (n_shown == 1 || page->opts.n_top)
		for (uint32_t i = 0, n = 0; i < summary->n_models && n < n_shown; i++)
			if (page_shows(page, i) && ++n) {
				text_generations(page, i);
				text_sizes(page, i);
				text_operators(page, i);
			}
	if (n_shown == 1 || page->opts.n_top)
		text_kernels(page);
	if (!summary->n_all_inferences) {
		text_operators_alone(page);
		text_named(page);
	}
	text_losses(page);
	fputc('\n', page->out);
	if (n_shown < n_all)
		page_text(page, 0, TABLE_DIM, "%s more: --model NAME shows one, --all shows all, with every table.",
			  printable_count(n_all - n_shown, "model").s);
	else
		page_text(page, 0, TABLE_DIM, "--all shows every table%s.",
			  n_shown > 1 ? "; --model NAME shows the operators of one model" : "");
}
