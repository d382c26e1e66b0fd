// SPDX-License-Identifier: Apache-2.0
/*
 * The table is put together before main runs: our rows, then the runner's, but for those that we fill ourselves. A
 * letter that is ours already is not theirs as well.
 */
#include "experiment/model_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyze/result/model/model_compare.h"
#include "base/text/provider.h"
#include "model/run/run_result.h"
#include "show/report/reports.h"

#define AT(field) offsetof(struct model_opts, field)
enum { MAX_ROWS = 120, MAX_WORDS = 1024 }; /* every list of options full, and more */

static const struct opt own_rows[] = {
	{ 0, NULL, NULL, "What to compare, and how to show it:" },
	{ 'e', "ep", "NAME,...", "execution providers, each in a separate run: cpu,openvino,qnn,cuda", OPT_LIST,
	  AT(ep) },
	{ 'l', "level", "inference|operator", "only latencies, or also, in a second run, every operator", OPT_CHOICE,
	  AT(level), "operator" },
	{ 'f', "format", REPORT_NAMES, "how to print the report; by default text", OPT_CHOICE, AT(format) },
	{ 0, "json", NULL, "the same as --format json", OPT_FLAG, AT(json) },
	{ 0, "report", "FILE",
	  "also write the report to this file, in the format of its suffix: .html, .json, .csv or .txt", OPT_LIST,
	  AT(report) },
	{ 'a', "all", NULL, "show every operator, not only the most important ones", OPT_FLAG, AT(all) },
	{ 0, "ascii", NULL, "print nothing but ASCII; by default where the locale says so", OPT_FLAG, AT(ascii) },
	{ 'o', "output", "FOLDER",
	  "keep report.html, report.json and the recordings in this new folder; NAME.pftrace: only recordings, with "
	  "the name of the run before the suffix",
	  OPT_STR, AT(out) },
	{ 0, "save", NULL, "keep them in the folder MODEL-DATE", OPT_FLAG, AT(save) },
	{ 0, "force", NULL, "overwrite files that exist", OPT_FLAG, AT(force) },
	{ 'q', "quiet", NULL, "print no progress", OPT_FLAG, AT(quiet) },
	{ 'i', "interval", "TIME", "time between samples of CPU and memory, 10ms or more", OPT_DURATION,
	  AT(interval_ns), "1s" },
	{ 0, "rounds", "N",
	  "measure in this many processes, runs in turn; --duration and --iterations are divided among them", OPT_INT,
	  AT(rounds), "5" },
	{ 0, "baseline", "FILE",
	  "compare each run with the run of the same name in an earlier report: its JSON, or the folder of --save",
	  OPT_STR, AT(baseline) },
	{ 0, "threshold", "PERCENT",
	  "exit with status 1 if something is worse than in --baseline by more than this, as inftrace diff judges",
	  OPT_STR, AT(threshold) },
	{ 0, "outputs", "FOLDER", "keep the outputs of the first inference here, as .npy in a folder for each run",
	  OPT_STR, AT(run.outputs) },
	{ 0, "dry-run", NULL, "only analyse the model, run nothing", OPT_FLAG, AT(dry_run) },
	{ 0, "list-devices", NULL,
	  "list the devices that plugin providers report, and exit (runtime 1.22 or later); needs no model", OPT_FLAG,
	  AT(run.list_devices) },
};

/* Filled by us, or of use only when the runner runs alone. */
static const char *const not_passed[] = { "ep",	     "list-devices",   "list-runtimes", "result",
					  "outputs", "ep-profile-dir", "verbose" };

/* The runner has the letters of onnxruntime_perf_test; here a letter means what it means to the other commands. */
static const struct {
	const char *name;
	char letter; /* 0: none */
} letters[] = {
	{ "duration", 'd' }, { "iterations", 'n' }, { "session-only", 0 }, { "ep-option", 0 },
	{ "dim", 0 },	     { "optimization", 0 }, { "from-memory", 0 },
};

/* In the place of the runner's rows of these names: each value is a run. */
static const struct opt list_rows[] = {
	{ 'x', "intra-op-threads", "N,...",
	  "threads inside an operator, each number in a separate run; 0: the runtime decides", OPT_LIST, AT(threads) },
	{ 0, "optimization", "LEVEL,...",
	  "how far the graph is optimized, each level in a separate run: none, basic, extended, layout, all", OPT_LIST,
	  AT(optimization) },
	{ 'b', "batch-size", "N,...",
	  "size of the first dimension of the inputs where it is free, each size in a separate run; --dim NAME=N,N "
	  "takes turns within one run",
	  OPT_LIST, AT(batch) },
	{ 0, "runtime", "PATH,...",
	  "ONNX Runtimes to use, each in a separate run: libonnxruntime.so, or a folder with one; otherwise "
	  "INFTRACE_ORT, or the first one found",
	  OPT_LIST, AT(runtime) },
};

struct opt model_opt_table[MAX_ROWS];

static bool is_passed(const struct opt *row)
{
	for (size_t i = 0; row->name && i < sizeof not_passed / sizeof *not_passed; i++)
		if (!strcmp(row->name, not_passed[i]))
			return false;
	return true;
}

static bool is_taken(char letter, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (letter && model_opt_table[i].letter == letter)
			return true;
	return false;
}

static void give_letter(struct opt *row, size_t n)
{
	row->former = row->letter;
	for (size_t i = 0; row->name && i < sizeof letters / sizeof *letters; i++)
		if (!strcmp(row->name, letters[i].name))
			row->letter = letters[i].letter;
	if (is_taken(row->letter, n))
		row->letter = 0;
}

static const struct opt *list_row_of(const struct opt *row)
{
	for (size_t i = 0; row->name && i < sizeof list_rows / sizeof *list_rows; i++)
		if (!strcmp(row->name, list_rows[i].name))
			return &list_rows[i];
	return NULL;
}

/* Before constructors without a priority, which may append rows. */
__attribute__((constructor(101))) static void make_table(void)
{
	size_t n = sizeof own_rows / sizeof *own_rows;

	memcpy(model_opt_table, own_rows, sizeof own_rows);
	for (const struct opt *row = run_opt_table; !opt_is_end(row) && n < MAX_ROWS - 1; row++) {
		if (!is_passed(row) || (opt_is_heading(row) && !strcmp(row->help, "Result:")))
			continue;
		model_opt_table[n] = list_row_of(row) ? *list_row_of(row) : *row;
		give_letter(&model_opt_table[n], n);
		n++;
	}
}

void model_options_append(const struct opt *rows)
{
	struct opt *to = model_opt_table;

	while (!opt_is_end(to))
		to++;
	while (!opt_is_end(rows) && to < model_opt_table + MAX_ROWS - 1)
		*to++ = *rows++;
}

struct words {
	char **argv;
	size_t n;
	struct arena *arena;
	const char *label; /* for the names of files that are written; NULL: none is needed */
	bool has_failed;
};

static void add(struct words *words, const char *name, const char *value)
{
	size_t size = strlen(name) + (value ? strlen(value) : 0) + 4;
	char *word = arena_alloc(words->arena, size);

	/* three more follow: "--", the model, and the end */
	if (!word || words->n == MAX_WORDS - 3) {
		words->has_failed = true;
		return;
	}
	snprintf(word, size, "--%s%s%s", name, value ? "=" : "", value ? value : "");
	words->argv[words->n++] = word;
}

/* An option of a provider goes to that provider: NAME:KEY=VALUE; without a name to all but the CPU, which has none. */
static const char *option_for(const struct model_way *way, const char *text)
{
	char name[RUN_NAME];

	if (!way->provider)
		return text;
	if (!model_option_owner(text, name, sizeof name))
		return model_way_is_cpu(way) ? NULL : text;
	return provider_is(name, way->provider) ? strchr(text, ':') + 1 : NULL;
}

static void add_list(struct words *words, const struct opt *row, const struct opt_list *list,
		     const struct model_way *way)
{
	bool is_of_provider = !strcmp(row->name, "ep-option");

	for (size_t i = 0; i < list->n; i++) {
		const char *text = is_of_provider ? option_for(way, list->item[i]) : list->item[i];
		if (text)
			add(words, row->name, text);
	}
}

/* A file that each of several ways writes: with the way's label before its suffix. */
static const char *file_of(struct words *words, const char *name, const char *path)
{
	static const char *const written[] = { "optimized-model", "optimized-data", "compile", "runtime-profile" };
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
	size_t size = strlen(path) + (words->label ? strlen(words->label) : 0) + 2;
	bool is_written = false;
	char *labelled;

	for (size_t i = 0; i < sizeof written / sizeof *written; i++)
		is_written |= !strcmp(name, written[i]);
	if (!is_written || !words->label)
		return path;
	labelled = arena_alloc(words->arena, size);
	if (labelled)
		snprintf(labelled, size, "%.*s-%s%s", (int)(dot ? dot - path : (long)strlen(path)), path, words->label,
			 dot ? dot : "");
	words->has_failed |= !labelled;
	return labelled ? labelled : path;
}

/* "1.5s" */
static void put_seconds(char *text, size_t size, uint64_t ns)
{
	size_t len = (size_t)snprintf(text, size - 1, "%llu.%09llu", (unsigned long long)(ns / 1000000000),
				      (unsigned long long)(ns % 1000000000));

	while (text[len - 1] == '0')
		len--;
	len -= text[len - 1] == '.';
	strcpy(text + len, "s");
}

/* One option of the runner, as a user would type it; nothing when it has its default. */
static void add_row(struct words *words, const struct opt *row, const struct run_opts *opts,
		    const struct model_way *way)
{
	const char *field = (const char *)opts + row->offset;
	const char *text = row->type == OPT_STR || row->type == OPT_CHOICE ? *(const char *const *)field : NULL;
	char number[40];

	switch (row->type) {
	case OPT_FLAG:
		if (*(const bool *)field)
			add(words, row->name, NULL);
		return;
	case OPT_STR:
	case OPT_CHOICE:
		if (text && (!row->fallback || strcmp(text, row->fallback)))
			add(words, row->name, file_of(words, row->name, text));
		return;
	case OPT_INT:
		snprintf(number, sizeof number, "%d", *(const int *)field);
		if (strcmp(number, row->fallback ? row->fallback : "0"))
			add(words, row->name, number);
		return;
	case OPT_DURATION:
	case OPT_PERIOD:
		put_seconds(number, sizeof number, *(const uint64_t *)field);
		if (!strcmp(row->name, "duration") || strcmp(number, strcmp(row->fallback, "0") ? row->fallback : "0s"))
			add(words, row->name, number);
		return;
	case OPT_SIZE:
		snprintf(number, sizeof number, "%llu", (unsigned long long)*(const uint64_t *)field);
		add(words, row->name, number);
		return;
	case OPT_LIST:
		add_list(words, row, (const struct opt_list *)field, way);
		return;
	}
}

char **model_options_argv(const struct model_opts *opts, const struct model_way *way,
			  const struct model_pass_words *pass, struct arena *arena)
{
	struct words words = { arena_alloc(arena, MAX_WORDS * sizeof(char *)), 0, arena, pass->label, false };
	struct run_opts run = opts->run;
	char batch[32];

	if (!words.argv)
		return NULL;
	run.duration_ns = pass->duration_ns;
	run.iterations = pass->iterations;
	run.policy = way->policy;
	run.runtime = way->runtime;
	run.intra_op_threads = way->threads;
	run.optimization = way->optimization;
	snprintf(batch, sizeof batch, "%lld", (long long)way->batch);
	run.batch_size = way->batch ? batch : NULL;
	if (!pass->profiles)
		run.ep_profile = NULL;
	words.argv[words.n++] = (char *)pass->program;
	if (way->policy) { /* it chooses the device, too */
		run.select_devices = NULL;
		run.filter_device.n = 0;
	}
	for (const struct opt *row = run_opt_table; !opt_is_end(row); row++)
		if (!opt_is_heading(row) && is_passed(row))
			add_row(&words, row, &run, way);
	if (way->provider)
		add(&words, "ep", way->provider);
	if (pass->outputs)
		add(&words, "outputs", pass->outputs);
	if (pass->profiles)
		add(&words, "ep-profile-dir", pass->profiles);
	add(&words, "result", pass->result);
	words.argv[words.n++] = (char *)"--";
	words.argv[words.n++] = (char *)way->model;
	return words.has_failed ? NULL : words.argv;
}
