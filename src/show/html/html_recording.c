// SPDX-License-Identifier: Apache-2.0
/*
 * A recording as one HTML page: the answer, figures that stand out, what to try next, then model by model how
 * inferences, session creation and operators take their time; losses, and how it was measured, last.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/remark/kept_words.h"
#include "analyze/result/joint_memory.h"
#include "analyze/result/model/recording_result.h"
#include "show/html/html_model.h"
#include "show/words/other_words.h"
#include "show/words/quota_words.h"
#include "show/words/resource_words.h"
#include "show/words/runtime_words.h"
#include "show/words/time_words.h"
#include "show/words/training_words.h"

enum { MAX_PARTS = 12, MAX_ROWS = 60, MAX_DEVICES = 2, COLUMNS = 120 };

static struct printable name_of(const struct summary *summary, uint32_t id, int columns)
{
	return model_text(names_text(summary->names, id), columns, false);
}

static struct printable verdict_of(const struct report *report)
{
	struct printable verdict = { "" };
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return verdict;
	export_verdict(memory, report, false);
	fclose(memory);
	if (text)
		*text = (char)toupper((unsigned char)*text);
	printable_add(&verdict, "%s", text ? text : "");
	free(text);
	return verdict;
}

/* A command line without the folders of its words, which say little and take several lines. */
static struct printable title_of(const struct summary *summary)
{
	const char *text = summary->recording.command ? names_text(summary->names, summary->recording.command) : NULL;
	char title[400];
	size_t n = 0;

	if (!text)
		return summary->file.path ? model_text(summary->file.path, 60, false)
					  : (struct printable){ "Recording" };
	while (*text && n + 1 < sizeof title) {
		size_t len = strcspn(text, " ");
		const char *slash = *text == '/' ? memrchr(text, '/', len) : NULL;

		if (slash && slash + 1 < text + len) {
			len -= (size_t)(slash + 1 - text);
			text = slash + 1;
		}
		len += text[len] == ' ';
		len = len < sizeof title - 1 - n ? len : sizeof title - 1 - n;
		memcpy(title + n, text, len);
		n += len;
		text += len;
	}
	title[n] = 0;
	return model_text(title, 80, false);
}

/* Below its short form, where that leaves something out. */
static void put_command(struct html_page *page, const struct printable *title)
{
	const struct summary *summary = page->summary;
	struct printable whole = { "" };

	if (summary->recording.command)
		whole = model_text(names_text(summary->names, summary->recording.command), 900, false);
	if (!*whole.s || !strcmp(whole.s, title->s))
		return;
	fputs("<details class=\"whole\"><summary>The whole command</summary><p class=\"name\">", page->out);
	html_words(page->out, "%s", whole.s);
	fputs("</p></details>\n", page->out);
}

/* The model with most time among those that are shown. */
static const struct summary_model *main_model(const struct report *report)
{
	for (uint32_t i = 0; i < report->n_analyses; i++)
		if (report_shows(report, i))
			return &report->summary->models[i];
	return NULL;
}

static struct printable note(const char *fmt, const char *text)
{
	struct printable to = { "" };

	printable_add(&to, fmt, text);
	return to;
}

static struct printable note_of_memory(const struct joint_memory *memory)
{
	struct printable to = { "" };

	if (memory->n_processes > 1)
		printable_add(&to, "peaks of %s, added up", printable_count(memory->n_processes, "process").s);
	else
		printable_add(&to, "%s", memory->n_all > 1 ? "of the largest process" : "resident");
	return to;
}

/* name: room for those of the tiles. */
static uint32_t add_devices(const struct summary *summary, struct html_tile *tile, struct printable *name)
{
	struct resource_device list[RESOURCE_DEVICES];
	uint32_t n = resource_devices(summary, list);

	if (n > MAX_DEVICES)
		n = MAX_DEVICES;
	for (uint32_t i = 0; i < n; i++) {
		struct printable busy = resource_device_busy(&list[i]);
		bool has_memory = isfinite(list[i].memory);

		name[i] = resource_device_name(summary, &list[i], false);
		tile[i] =
		    (struct html_tile){ "", name[i].s,
					has_memory ? units_bytes(list[i].memory) : units_percent(list[i].most / 100),
					has_memory ? busy : note("%s", "busy at most, in a sample") };
	}
	return n;
}

/* For a decoder, these stand out in place of its inferences. */
static uint32_t add_generations(const struct summary_generations *of, struct html_tile *tile)
{
	uint32_t n = 0;

	if (of->first.n) {
		tile[n] = (struct html_tile){ "", "first token", units_duration((double)of->first.p50_ns), { "" } };
		tile[n++].note = note("slowest %s", units_duration((double)of->first.max_ns).s);
	}
	if (of->between.n) {
		tile[n] = (struct html_tile){ "", "per token", units_duration(of->between.mean_ns), { "" } };
		tile[n++].note = note("median %s", units_duration((double)of->between.p50_ns).s);
	}
	return n;
}

static void put_tiles(struct html_page *page, const struct report *report)
{
	const struct summary *summary = report->summary;
	const struct summary_model *model = main_model(report);
	const struct summary_spread *latency = model ? &model->runs.latency : NULL;
	struct html_tile tile[7 + MAX_DEVICES] = {
		{ "s0", "inferences", units_count(summary->n_all_inferences), { "" } }
	};
	const struct joint_memory memory = joint_memory_of(summary, "rss", NULL);
	struct printable device[MAX_DEVICES];
	double waited = NAN;
	uint32_t n = 1;

	tile[0].note = summary->n_sampled_out ? note("%s recorded", units_count(summary->n_inferences).s)
					      : printable_count(summary->n_models, "model");
	if (model && model->generations.n) {
		tile[0].note = printable_count(model->generations.n, "generation");
		n += add_generations(&model->generations, tile + n);
	} else if (latency && latency->n) {
		tile[n] = (struct html_tile){ "", "median latency", units_duration((double)latency->p50_ns), { "" } };
		tile[n++].note = isfinite(latency->interval_ns)
				     ? note("mean %s", units_interval(latency->mean_ns, latency->interval_ns, false).s)
				     : note("mean %s", units_duration(latency->mean_ns).s);
		tile[n] =
		    (struct html_tile){ "",
					latency->n >= 100 ? "p99" : "slowest",
					units_duration((double)(latency->n >= 100 ? latency->p99_ns : latency->max_ns)),
					{ "" } };
		tile[n++].note = latency->n >= 100 ? note("slowest %s", units_duration((double)latency->max_ns).s)
						   : note("of %s inferences", units_count(latency->n).s);
	}
	if (model && model->creation.duration.n) {
		tile[n] = (struct html_tile){
			"", "session creation", units_duration(model->creation.duration.mean_ns), { "" }
		};
		if (model->runs.first.n)
			tile[n].note = note("first inference %s", units_duration((double)model->runs.first.p50_ns).s);
		n++;
	}
	if (model && model->runs.queue.n)
		tile[n++] =
		    (struct html_tile){ "", "in the pool's queue", units_duration((double)model->runs.queue.p50_ns),
					note("%s", "median, before an inference") };
	if (model)
		waited = summary_waited(&model->runs);
	if (isfinite(waited))
		tile[n++] = (struct html_tile){ waited >= 0.1 ? "bad" : "", "waiting for a CPU", units_percent(waited),
						note("%s", "of the inferences' time") };
	if (memory.n_all)
		tile[n++] = (struct html_tile){ "", "peak memory", units_bytes(memory.bytes), note_of_memory(&memory) };
	n += add_devices(summary, tile + n, device);
	html_tiles(page, tile, n);
}

static void put_models(struct html_page *page, const struct report *report)
{
	const struct summary *summary = report->summary;
	struct table table = { 0 };
	uint64_t wall_ns = 0;

	if (summary->n_models < 2)
		return;
	for (uint32_t i = 0; i < summary->n_models; i++)
		wall_ns += summary_runs_ns(&summary->models[i].runs);
	table_column(&table, "model", TABLE_LEFT | TABLE_NAME);
	table_column(&table, "share of the time", TABLE_LEFT | TABLE_SHARE);
	table_column(&table, "inferences", TABLE_RIGHT);
	table_column(&table, "failed", TABLE_RIGHT);
	table_column(&table, "rate", TABLE_RIGHT);
	table_column(&table, "median", TABLE_RIGHT);
	table_column(&table, "slowest", TABLE_RIGHT);
	table_column(&table, "sessions", TABLE_RIGHT);
	table_column(&table, "created in", TABLE_RIGHT);
	for (uint32_t i = 0; i < summary->n_models && table_n_rows(&table) < MAX_ROWS; i++) {
		const struct summary_model *own = &summary->models[i];
		const struct summary_spread *latency = &own->runs.latency;

		if (!report_shows(report, i))
			continue;
		table_cell(&table, TABLE_PLAIN, "%s", recording_result_label(summary, i, 80, false).s);
		table_cell(&table, TABLE_PLAIN, "%s",
			   units_percent(wall_ns ? (double)summary_runs_ns(&own->runs) / (double)wall_ns : NAN).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_count(own->runs.n).s);
		table_cell(&table, own->runs.n_failed ? TABLE_RED : TABLE_PLAIN, "%s",
			   units_count(own->runs.n_failed).s);
		table_cell(&table, TABLE_PLAIN, "%s", units_rate(own->runs.rate).s);
		table_cell(&table, TABLE_PLAIN, "%s", latency->n ? units_duration((double)latency->p50_ns).s : "-");
		table_cell(&table, TABLE_PLAIN, "%s", latency->n ? units_duration((double)latency->max_ns).s : "-");
		table_cell(&table, TABLE_PLAIN, "%s", units_count(own->creation.n).s);
		table_cell(&table, TABLE_PLAIN, "%s",
			   own->creation.duration.n ? units_duration(own->creation.duration.mean_ns).s : "-");
	}
	html_section(page, "models", "Models", "Those with most inference time first.");
	html_table_of(page->out, "Each model in figures", &table);
	fputs("</section>\n", page->out);
}

static void put_part_heading(struct html_page *page, const struct summary_model *model)
{
	const struct model_result *result = page->report->results;
	struct printable text = kept_words_count(model->runs.n, model->runs.n_all);

	uint32_t n_named = 0;
	char id[24];

	printable_add(&text, "%s", training_count(model).s);
	for (uint32_t i = 0; i < result->n_placements; i++)
		if (result->placements[i].provider)
			printable_add(&text, "%s%s", n_named++ ? " and " : " on ",
				      model_provider(result->placements[i].provider, 40, false).s);
	if (isfinite(model->runs.rate))
		printable_add(&text, ", %s", units_rate(model->runs.rate).s);
	if (model->runs.max_concurrent > 1)
		printable_add(&text, ", up to %s at a time", units_count(model->runs.max_concurrent).s);
	if (model->runs.n_failed)
		printable_add(&text, ", %s failed", units_count(model->runs.n_failed).s);
	snprintf(id, sizeof id, "model-%u", page->part);
	html_contents_add(page, id, page->label->s);
	fprintf(page->out, "<h2 class=\"part\" id=\"%s\">", id);
	html_words(page->out, "%s", page->label->s);
	fputs("</h2><p>", page->out);
	html_words(page->out, "%s.", text.s);
	fputs("</p>\n", page->out);
}

static void put_parts(struct html_page *page, const struct report *report)
{
	uint32_t n = 0, n_left_out = 0;
	struct printable label;

	for (uint32_t i = 0; i < report->n_analyses; i++) {
		if (!report_shows(report, i))
			continue;
		if (n == MAX_PARTS) {
			n_left_out++;
			continue;
		}
		label = recording_result_label(report->summary, i, 80, false);
		page->part = ++n;
		page->model = i;
		page->label = &label;
		page->analysis = &report->analysis[i];
		page->report = report->analysis[i].report;
		put_part_heading(page, &report->summary->models[i]);
		html_callers(page);
		html_generations(page);
		html_latencies(page);
		html_sizes(page);
		html_workers(page);
		html_creation(page);
		html_operators(page);
		html_slowest(page);
	}
	page->part = 0;
	if (n_left_out)
		html_paragraph(page, "%s more: see the JSON report, or choose with --model.",
			       printable_count(n_left_out, "model").s);
}

static void put_resources(struct html_page *page, const struct summary *summary)
{
	struct table table = { 0 };

	html_section(page, "resources", "Resources", "%s",
		     summary->n_resources ? "Busy: while an inference ran. Idle: while none did."
					  : "No counter was recorded.");
	table_column(&table, "of", TABLE_LEFT);
	table_column(&table, "counter", TABLE_LEFT);
	table_column(&table, "busy mean", TABLE_RIGHT);
	table_column(&table, "idle mean", TABLE_RIGHT);
	table_column(&table, "peak", TABLE_RIGHT);
	for (uint32_t i = 0; i < summary->n_resources && i < MAX_ROWS; i++) {
		const struct summary_resource *own = &summary->resources[i];

		if (own->process == SUMMARY_NONE)
			table_cell(&table, TABLE_PLAIN, "machine");
		else
			table_cell(&table, TABLE_PLAIN, "process %d", summary->processes[own->process].pid);
		table_cell(&table, TABLE_PLAIN, "%s", name_of(summary, own->name, 60).s);
		table_cell(&table, TABLE_PLAIN, "%s",
			   resource_value(summary, own, isfinite(own->busy_mean) ? own->busy_mean : own->mean, true).s);
		table_cell(&table, TABLE_PLAIN, "%s", resource_value(summary, own, own->idle_mean, true).s);
		table_cell(&table, TABLE_PLAIN, "%s", resource_value(summary, own, own->max, true).s);
	}
	html_table_of(page->out, "Counters of the machine and of processes", &table);
	fputs("</section>\n", page->out);
}

/* Another process loaded the same file before. */
static bool is_listed(const struct summary *summary, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++)
		if (summary->runtimes[i].path == summary->runtimes[index].path)
			return true;
	return false;
}

/* Each runtime, and its files. */
static void put_runtimes(struct html_page *page, const struct summary *summary)
{
	uint32_t list[RUNTIME_WORDS], n = runtime_words_list(summary, list);

	for (uint32_t i = 0; i < n; i++) {
		struct printable text = runtime_words(summary, list[i], false);
		uint32_t n_files = 0;

		html_fact(page, "Runtime", &text);
		for (uint32_t k = 0; k < summary->n_runtimes && n_files < MAX_PARTS; k++) {
			if (summary->runtimes[k].runtime != summary->runtimes[list[i]].runtime || is_listed(summary, k))
				continue;
			text = name_of(summary, summary->runtimes[k].path, 200);
			html_fact(page, n_files++ ? "" : "Its files", &text);
		}
	}
}

static void put_facts(struct html_page *page, const struct summary *summary)
{
	const struct summary_recording *recording = &summary->recording;
	struct printable text;

	html_contents_add(page, "facts", "How it was measured");
	fputs("<section id=\"facts\"><details><summary>Program, machine and recording</summary><dl>\n", page->out);
	text = recording->command ? name_of(summary, recording->command, 400) : (struct printable){ "" };
	html_fact(page, "Command", &text);
	text = recording->machine ? name_of(summary, recording->machine, 200) : (struct printable){ "" };
	html_fact(page, "Machine", &text);
	text = quota_words(summary, false);
	html_fact(page, "Quota", &text);
	put_runtimes(page, summary);
	text = other_words(summary, false);
	html_fact(page, "Not recorded", &text);
	text = html_date(recording->start_realtime_ns);
	if (recording->begin_ns <= recording->end_ns)
		printable_add(&text, "%s%s long", *text.s ? ", " : "",
			      units_duration((double)(recording->end_ns - recording->begin_ns)).s);
	html_fact(page, "Recorded", &text);
	text = report_range(summary);
	html_fact(page, "Range", &text);
	text = recording->level ? name_of(summary, recording->level, 40) : (struct printable){ "" };
	html_fact(page, "Level", &text);
	if (summary->file.path) {
		text = model_text(summary->file.path, 200, false);
		printable_add(&text, " (%s)", units_bytes((double)summary->file.bytes).s);
		html_fact(page, "File", &text);
	}
	fputs("</dl></details></section>\n", page->out);
}

void html_recording(FILE *out, const struct report *report)
{
	struct html_page page = { .out = out, .summary = report->summary };
	const struct summary *summary = report->summary;
	const struct printable title = title_of(summary);

	html_begin(out, title.s);
	html_contents_begin(&page);
	fputs("<h1>", page.out);
	html_words(page.out, "%s", title.s);
	fputs("</h1>\n", page.out);
	put_command(&page, &title);
	html_verdict(&page, verdict_of(report).s, html_worst(report->analysis, report->n_analyses));
	put_tiles(&page, report);
	html_findings(&page, report);
	html_course(&page, report);
	html_time(&page);
	html_outside(&page);
	html_requests(&page);
	put_models(&page, report);
	put_parts(&page, report);
	html_device(&page);
	html_gaps(&page);
	html_allocators(&page);
	put_resources(&page, summary);
	html_losses(&page, report);
	put_facts(&page, summary);
	html_contents_end(&page);
	html_end(out);
}
