// SPDX-License-Identifier: Apache-2.0
#include "show/words/runtime_words.h"

#include <string.h>

#include "analyze/result/result_words.h"
#include "base/text/units.h"

enum { NAME = 30, FILE_NAME = 50 };

static const struct summary_runtime *row_at(const struct summary *summary, uint32_t index)
{
	return &summary->runtimes[index];
}

static uint64_t wall_of(const struct summary *summary, uint32_t runtime, uint64_t *n)
{
	uint64_t wall_ns = 0;

	*n = 0;
	for (uint32_t i = 0; i < summary->n_models; i++) {
		if (runtime && summary->models[i].runtime != runtime)
			continue;
		*n += summary->models[i].runs.n;
		wall_ns += summary_runs_ns(&summary->models[i].runs);
	}
	return wall_ns;
}

/* Recordings of older versions do not say it of models in processes with several. */
static bool is_known(const struct summary *summary)
{
	for (uint32_t i = 0; i < summary->n_models; i++)
		if (!summary->models[i].runtime && summary->models[i].runs.n)
			return false;
	return true;
}

static bool is_first(const struct summary *summary, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++)
		if (row_at(summary, i)->runtime == row_at(summary, index)->runtime)
			return false;
	return true;
}

uint32_t runtime_words_list(const struct summary *summary, uint32_t list[RUNTIME_WORDS])
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < summary->n_runtimes && n < RUNTIME_WORDS; i++) {
		uint64_t wall_ns, ignored;
		uint32_t at = n;

		if (!is_first(summary, i))
			continue;
		wall_ns = wall_of(summary, row_at(summary, i)->runtime, &ignored);
		for (; at && wall_of(summary, row_at(summary, list[at - 1])->runtime, &ignored) < wall_ns; at--)
			list[at] = list[at - 1];
		list[at] = i;
		n++;
	}
	return n;
}

/* The file's name of a library that has providers or devices of a runtime; NULL: it is a runtime itself. */
static const char *library_of(const struct summary *summary, const struct summary_runtime *row)
{
	const char *file = basename(names_text(summary->names, row->path));

	return strstr(file, "_providers_") || strstr(file, "_plugin.so") || !strncmp(file, "libggml", 7) ? file : NULL;
}

/* What the rows of one runtime come to. */
struct copies {
	uint32_t n_processes, process, most; /* most: copies in one process */
	uint32_t n_versions, version[4];
	uint32_t n_libraries;
	const char *library[4];
};

static void add_version(struct copies *copies, uint32_t version)
{
	for (uint32_t i = 0; i < copies->n_versions; i++)
		if (copies->version[i] == version)
			return;
	if (copies->n_versions < sizeof copies->version / sizeof *copies->version)
		copies->version[copies->n_versions++] = version;
}

static void add_library(struct copies *copies, const char *library)
{
	for (uint32_t i = 0; i < copies->n_libraries; i++)
		if (!strcmp(copies->library[i], library))
			return;
	if (copies->n_libraries < sizeof copies->library / sizeof *copies->library)
		copies->library[copies->n_libraries++] = library;
}

/* How many there are in the process of this row, and whether it is the first of them. */
static uint32_t count_beside(const struct summary *summary, uint32_t index, bool *is_first_of_process)
{
	const struct summary_runtime *own = row_at(summary, index);
	uint32_t n = 0;

	*is_first_of_process = true;
	for (uint32_t i = 0; i < summary->n_runtimes; i++) {
		const struct summary_runtime *row = row_at(summary, i);

		if (row->runtime != own->runtime || row->process != own->process || library_of(summary, row))
			continue;
		n++;
		*is_first_of_process &= i >= index;
	}
	return n;
}

static struct copies copies_of(const struct summary *summary, uint32_t runtime)
{
	struct copies copies = { .process = SUMMARY_NONE };

	for (uint32_t i = 0; i < summary->n_runtimes; i++) {
		const struct summary_runtime *row = row_at(summary, i);
		const char *library = library_of(summary, row);
		bool is_first_of_process;
		uint32_t n;

		if (row->runtime != runtime)
			continue;
		n = count_beside(summary, i, &is_first_of_process);
		copies.most = n > copies.most ? n : copies.most;
		if (library && n) {
			add_library(&copies, library);
			continue;
		}
		add_version(&copies, row->version);
		copies.n_processes += is_first_of_process;
		copies.process = row->process;
	}
	return copies;
}

struct printable runtime_words(const struct summary *summary, uint32_t index, bool is_ascii)
{
	uint32_t runtime = row_at(summary, index)->runtime, list[RUNTIME_WORDS];
	struct copies copies = copies_of(summary, runtime);
	struct printable text = model_text(names_text(summary->names, runtime), NAME, is_ascii);
	uint64_t n, n_all, wall_ns = wall_of(summary, runtime, &n), all_ns = wall_of(summary, 0, &n_all);

	for (uint32_t i = 0; i < copies.n_versions; i++)
		printable_add(&text, "%s%s", !i ? " " : " and ",
			      model_text(names_text(summary->names, copies.version[i]), NAME, is_ascii).s);
	if (copies.most > copies.n_versions)
		printable_add(&text, " (%u copies)", copies.most);
	if (copies.n_processes > 1)
		printable_add(&text, " in %s", printable_count(copies.n_processes, "process").s);
	else if (summary->n_processes > 1 && copies.process != SUMMARY_NONE)
		printable_add(&text, " in process %d", summary->processes[copies.process].pid);
	for (uint32_t i = 0; i < copies.n_libraries; i++)
		printable_add(&text, "%s %s", !i ? " with" : " and",
			      model_text(copies.library[i], FILE_NAME, is_ascii).s);
	if (runtime_words_list(summary, list) < 2 || !all_ns || !is_known(summary))
		return text;
	printable_add(&text, ": %s", printable_count(n, "inference").s);
	if (n)
		printable_add(&text, ", %s of their time", units_percent((double)wall_ns / (double)all_ns).s);
	return text;
}
