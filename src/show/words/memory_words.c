// SPDX-License-Identifier: Apache-2.0
/* Sentences about the memory of sessions. Names are made harmless here. */
#include "show/words/memory_words.h"

#include <math.h>
#include <signal.h>
#include <string.h>

#include "base/text/units.h"

enum { NAME = 40, SHAPES = 60 };

static struct printable name_of(const struct summary *summary, uint32_t name, int columns, bool is_ascii)
{
	const char *text = names_text(summary->names, name);

	return printable_text(text, strlen(text), columns, is_ascii);
}

static bool is_level_detail(const struct summary *summary)
{
	return !strcmp(names_text(summary->names, summary->recording.level), "detail");
}

/* A runtime in which allocators were not recognised. */
static const struct summary_runtime *unseen(const struct summary *summary)
{
	for (uint32_t i = 0; i < summary->n_runtimes; i++)
		if (strstr(names_text(summary->names, summary->runtimes[i].left_out), "memory taken"))
			return &summary->runtimes[i];
	return NULL;
}

static bool has_onnxruntime(const struct summary *summary)
{
	for (uint32_t i = 0; i < summary->n_runtimes; i++)
		if (!strcmp(names_text(summary->names, summary->runtimes[i].runtime), "onnxruntime"))
			return true;
	return false;
}

struct printable memory_missing(const struct summary *summary)
{
	const struct summary_runtime *runtime = unseen(summary);
	struct printable text = { "" };

	if (summary->n_memory)
		return text;
	if (!summary->recording.is_ours)
		printable_add(&text, "this file is not a recording of inftrace and has no data on allocators");
	else if (summary->n_runtimes && !has_onnxruntime(summary))
		printable_add(&text, "allocators are recorded of ONNX Runtime alone");
	else if (summary->recording.is_from_outside)
		printable_add(&text, "probes from outside do not see allocators; attach --inject --level detail does");
	else if (!is_level_detail(summary))
		printable_add(&text, "only a recording at level detail has the calls of the runtime's allocators");
	else if (!summary->n_runtimes)
		printable_add(&text, "no runtime was recorded");
	else if (runtime)
		printable_add(&text, "the allocators of ONNX Runtime %s are not recognised",
			      name_of(summary, runtime->version, 20, false).s);
	else if (summary->file.is_cut)
		printable_add(&text, "the file is cut off before the first sums");
	else
		printable_add(&text, "no call of an allocator was recorded");
	return text;
}

unsigned memory_doubts(const struct summary *summary, struct printable doubt[MEMORY_DOUBTS])
{
	int64_t n_unknown = 0, n_reused = 0;
	bool is_late = false;
	unsigned n = 0;

	memset(doubt, 0, MEMORY_DOUBTS * sizeof *doubt);
	for (uint32_t i = 0; i < summary->n_memory; i++) {
		n_unknown = summary->memory[i].n_unknown > n_unknown ? summary->memory[i].n_unknown : n_unknown;
		n_reused = summary->memory[i].n_reused > n_reused ? summary->memory[i].n_reused : n_reused;
	}
	for (uint32_t i = 0; i < summary->n_runtimes; i++)
		is_late |= summary->runtimes[i].complete_from_ns != 0;
	if (is_late)
		printable_add(&doubt[n++],
			      "Recording began in the running program: what sessions had taken before is not in these "
			      "sums.");
	if (n_unknown)
		printable_add(&doubt[n++], "Blocks given back of which it is not recorded that they were taken: %s.",
			      units_count((uint64_t)n_unknown).s);
	if (n_reused)
		printable_add(&doubt[n++], "Blocks given back without a record of it: at least %s. Less may be in use.",
			      units_count((uint64_t)n_reused).s);
	if (summary->n_lost)
		printable_add(&doubt[n++], "Events lost: %s. Calls of allocators may be among them.",
			      units_count(summary->n_lost).s);
	if (summary->file.is_cut)
		printable_add(&doubt[n++], "The file is cut off: these sums are up to a second older than its end.");
	return n;
}

struct printable memory_whose(const struct summary *summary, const struct summary_memory *memory, bool is_ascii)
{
	struct printable text = { "" };

	if (memory->session)
		printable_add(&text, "session %lld", (long long)memory->session);
	else
		printable_add(&text, "no session,");
	if (memory->session && memory->name)
		printable_add(&text, " of %s", name_of(summary, memory->name, NAME, is_ascii).s);
	printable_add(&text, " on %s", name_of(summary, memory->device, NAME, is_ascii).s);
	return text;
}

struct printable memory_at_peak(const struct summary *summary, const struct summary_memory *memory)
{
	static const struct {
		const char *use, *words;
	} uses[] = {
		{ EVENT_USE_WEIGHTS, "weights" },
		{ EVENT_USE_PACKED, "packed weights" },
		{ EVENT_USE_CREATION, "the rest of its creation" },
		{ EVENT_USE_OPERATORS, "operators" },
		{ EVENT_USE_RUNS, "planned ahead for inferences" },
		{ EVENT_USE_OTHER, "other calls" },
	};
	struct printable text = { "" };

	for (uint32_t i = 0; i < memory->n_uses; i++) {
		const char *name = names_text(summary->names, memory->use[i].name), *words = "other";

		for (size_t k = 0; k < sizeof uses / sizeof *uses; k++)
			words = strcmp(name, uses[k].use) ? words : uses[k].words;
		printable_add(&text, "%s%s %s", i ? ", " : "", words, units_bytes((double)memory->use[i].bytes).s);
	}
	return text;
}

struct printable memory_holders(const struct summary *summary, const struct summary_memory *memory, bool is_ascii)
{
	struct printable text = { "" };

	for (uint32_t i = 0; i < memory->n_holders; i++) {
		const struct summary_holder *holder = &memory->holder[i];

		printable_add(&text, "%s%s", i ? ", " : "", name_of(summary, holder->name, NAME, is_ascii).s);
		if (holder->op_type)
			printable_add(&text, " (%s%s%s)", name_of(summary, holder->op_type, NAME, is_ascii).s,
				      holder->shapes ? ", of " : "",
				      holder->shapes ? name_of(summary, holder->shapes, SHAPES, is_ascii).s : "");
		printable_add(&text, " %s", units_bytes((double)holder->bytes).s);
	}
	return text;
}

struct printable memory_left(const struct summary *summary, const struct summary_memory *memory, bool is_ascii)
{
	struct printable text = { "" };

	if (memory->is_released && memory->left > 0)
		printable_add(&text, "%s was released, but %s that it had taken %s not given back",
			      memory_whose(summary, memory, is_ascii).s, units_bytes((double)memory->left).s,
			      memory->left == 1 ? "was" : "were");
	else if (memory->session && memory->at_run_end > 0)
		printable_add(&text, "%s: when its last inference ended, %s of its inferences were in use, in %s",
			      memory_whose(summary, memory, is_ascii).s, units_bytes((double)memory->at_run_end).s,
			      printable_count((uint64_t)memory->n_at_run_end, "block").s);
	return text;
}

/* The only process that is known to have been killed; NULL: none, or several. */
static const struct summary_process *victim_of(const struct summary *summary)
{
	const struct summary_process *found = NULL;

	for (uint32_t i = 0; i < summary->n_processes; i++)
		if (summary->processes[i].signal == SIGKILL) {
			if (found)
				return NULL;
			found = &summary->processes[i];
		}
	return summary->out_of_memory.n == 1 ? found : NULL;
}

struct printable memory_killed(const struct summary *summary, bool is_ascii)
{
	const struct summary_out_of_memory *own = &summary->out_of_memory;
	const struct summary_process *victim = victim_of(summary);
	struct printable text = { "" };

	if (!own->n)
		return text;
	if (victim)
		printable_add(&text, "the kernel killed process %d", victim->pid);
	else
		printable_add(&text, "the kernel killed %s", printable_count(own->n, "process").s);
	if (!own->path) {
		printable_add(&text, ": the machine had no memory left");
		return text;
	}
	printable_add(&text, " at the memory limit");
	if (own->limit > 0)
		printable_add(&text, " of %s", units_bytes((double)own->limit).s);
	printable_add(&text, " of its cgroup (%s", name_of(summary, own->path, 60, is_ascii).s);
	if (own->peak > 0)
		printable_add(&text, ", which had %s at most", units_bytes((double)own->peak).s);
	printable_add(&text, ")");
	return text;
}

struct printable memory_of_process(const struct summary_process *process)
{
	const struct summary_resident *resident = &process->resident;
	double rest = resident->most - resident->taken_at_most;
	struct printable text = { "" };

	if (isnan(resident->most) || isnan(resident->taken_at_most))
		return text;
	printable_add(&text, "%s were resident at most; the runtime's allocators had taken %s then",
		      units_bytes(resident->most).s, units_bytes(resident->taken_at_most).s);
	if (resident->kept_at_most > 0) {
		printable_add(&text, "; malloc kept %s free", units_bytes(resident->kept_at_most).s);
		rest -= resident->kept_at_most;
	}
	if (rest >= 0)
		printable_add(&text, "; at least %s are not from them, and unattributed", units_bytes(rest).s);
	else if (!(resident->kept_at_most > 0))
		printable_add(&text, ", of which %s were never touched", units_bytes(-rest).s);
	return text;
}
