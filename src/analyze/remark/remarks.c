// SPDX-License-Identifier: Apache-2.0
/* One row for each kind of remark, in the order of reports. Adds up nothing: figures are those of the summary. */
#include "analyze/remark/remarks.h"

#include <stddef.h>
#include <string.h>

#include "analyze/remark/halt_words.h"
#include "analyze/remark/kept_words.h"
#include "analyze/remark/remark_in.h"
#include "base/text/units.h"

enum { NAME_COLUMNS = 120, TEXT_COLUMNS = 300 };

struct kind {
	const char *name;
	bool is_loss;
	size_t rows; /* offset of the uint32_t in the summary that has the number of rows; 0: one */
	/* "": nothing to say */
	void (*words)(const struct remarks *of, uint32_t row, struct printable *to);
	/* instead: the offset of a uint64_t in the summary, and what so many are */
	size_t number;
	const char *what;
};

static struct printable name_of(const struct remarks *of, uint32_t name, int columns)
{
	const char *text = names_text(of->summary->names, name);
	size_t len = names_len(of->summary->names, name);

	/* messages often end in a line break */
	while (len && (text[len - 1] == '\n' || text[len - 1] == ' '))
		len--;
	return len ? printable_text(text, len, columns, of->is_ascii) : (struct printable){ "-" };
}

static struct units_text offset_of(const struct remarks *of, uint64_t time_ns)
{
	uint64_t begin_ns = of->summary->recording.begin_ns;

	return time_ns < begin_ns ? (struct units_text){ "-" } : units_duration((double)(time_ns - begin_ns));
}

static void add_process(const struct remarks *of, uint32_t process, struct printable *to)
{
	if (process != SUMMARY_NONE && of->summary->n_processes > 1)
		printable_add(to, " of %d", of->summary->processes[process].pid);
}

static bool is_complete(const struct summary *summary)
{
	return summary->recording.is_ours && summary->cost.is_known && !summary->file.is_cut;
}

static void lost(const struct remarks *of, uint32_t row, struct printable *to)
{
	const struct summary_loss *loss = &of->summary->losses[row];

	printable_add(to, "%s", printable_count(loss->n, "event").s);
	add_process(of, loss->process, to);
	printable_add(to, " lost from %s to %s: %s.", offset_of(of, loss->first_ns).s, offset_of(of, loss->last_ns).s,
		      name_of(of, loss->where, NAME_COLUMNS).s);
}

static void cut_off(const struct remarks *of, uint32_t row, struct printable *to)
{
	const struct summary_file *file = &of->summary->file;

	if (file->is_cut)
		printable_add(to, "The file is cut off at byte %s of %s; this report covers the part before.",
			      units_count(file->cut_at).s, units_count(file->bytes).s);
}

static void unfinished(const struct remarks *of, uint32_t row, struct printable *to)
{
	const struct summary *summary = of->summary;

	if (summary->recording.is_ours && !is_complete(summary) && !summary->file.is_cut)
		printable_add(to, "%s",
			      of->is_running ? "Still recording: this report covers what has been written so far."
					     : "The recorder was ended before it finished the file; the last moments "
					       "may be missing.");
}

static void dropped(const struct remarks *of, uint32_t row, struct printable *to)
{
	if (of->summary->kept.limit)
		*to = kept_words(of->summary, of->is_ascii);
}

static void thinned(const struct remarks *of, uint32_t row, struct printable *to)
{
	if (of->summary->thinned.n_left_out)
		*to = kept_words_of_operators(of->summary);
}

static void not_seen(const struct remarks *of, uint32_t row, struct printable *to)
{
	const struct summary_process *process = &of->summary->processes[row];

	if (process->is_unseen)
		printable_add(to, "%d: %s", process->pid, name_of(of, process->state, TEXT_COLUMNS).s);
}

static void left_running(const struct remarks *of, uint32_t row, struct printable *to)
{
	if (of->summary->n_left)
		printable_add(to,
			      "%s that the program started went on, not recorded. inftrace record --wait records "
			      "them, too.",
			      printable_count(of->summary->n_left, "process").s);
}

static void sampled_out(const struct remarks *of, uint32_t row, struct printable *to)
{
	if (of->summary->n_sampled_out)
		printable_add(to, "Not recorded: %s, because of --sample, --rate or the levels of inftrace watch.",
			      printable_count(of->summary->n_sampled_out, "inference").s);
}

static void left_out(const struct remarks *of, uint32_t row, struct printable *to)
{
	const struct summary_left_out *what = &of->summary->left_out[row];

	printable_add(to, "Not recorded");
	add_process(of, what->process, to);
	printable_add(to, ": %s %s.", units_count(what->n).s, name_of(of, what->what, NAME_COLUMNS).s);
}

static void unknown_at_end(const struct remarks *of, uint32_t row, struct printable *to)
{
	const struct summary_device_clock *clock = &of->summary->device_clocks[row];

	if (!clock->missing)
		return;
	printable_add(to, "Not known");
	add_process(of, clock->process, to);
	printable_add(to, ": %s.", name_of(of, clock->missing, TEXT_COLUMNS).s);
}

static void joined_late(const struct remarks *of, uint32_t row, struct printable *to)
{
	*to = begin_words(of->summary, &of->summary->runtimes[row], of->is_ascii);
}

static void stopped(const struct remarks *of, uint32_t row, struct printable *to)
{
	const struct summary_stop *stop = &of->summary->stops[row];

	printable_add(to, "Recording");
	if (stop->source)
		printable_add(to, " of %s", name_of(of, stop->source, 48).s);
	printable_add(to, " stopped at %s: %s", offset_of(of, stop->time_ns).s,
		      name_of(of, stop->reason, TEXT_COLUMNS).s);
}

static void unreadable(const struct remarks *of, uint32_t row, struct printable *to)
{
	const struct summary_unreadable *file = &of->summary->unreadable[row];

	printable_add(to, "Cannot read %s: %s", name_of(of, file->path, 60).s,
		      name_of(of, file->reason, NAME_COLUMNS).s);
}

static void dumped(const struct remarks *of, uint32_t row, struct printable *to)
{
	const struct summary_dump *dump = &of->summary->dumps[row];

	printable_add(to, "Dump at %s: %s", offset_of(of, dump->time_ns).s, name_of(of, dump->path, 200).s);
	printable_add(to, " (%s)", name_of(of, dump->why, NAME_COLUMNS).s);
}

static void not_dumped(const struct remarks *of, uint32_t row, struct printable *to)
{
	if (of->summary->n_dumps_skipped)
		printable_add(to, "%s more were asked for and not made: one was in progress, or there were too many.",
			      printable_count(of->summary->n_dumps_skipped, "dump").s);
}

static void halted(const struct remarks *of, uint32_t row, struct printable *to)
{
	*to = halt_words_of_process(of->summary, &of->summary->halt_kinds[row]);
}

static void clock_changed(const struct remarks *of, uint32_t row, struct printable *to)
{
	*to = clock_words(of->summary, &of->summary->clock_changes[row], of->is_ascii);
}

static void clock_jumped(const struct remarks *of, uint32_t row, struct printable *to)
{
	int64_t jumps = of->summary->recording.clock_jumps;

	if (jumps > (int64_t)of->summary->n_clock_changes)
		printable_add(to, "The processor's counter jumped %s times in all.", units_count((uint64_t)jumps).s);
}

static void not_ended(const struct remarks *of, uint32_t row, struct printable *to)
{
	struct printable list = { "" };

	for (int kind = 0; kind < N_KINDS; kind++)
		if (of->summary->n_open[kind])
			printable_add(&list, "%s%s", *list.s ? ", " : "",
				      printable_count(of->summary->n_open[kind],
						      kind == KIND_NONE ? "other slice" : event_kind_name(kind))
					  .s);
	if (*list.s && of->is_running)
		printable_add(to, "Still running: %s.", list.s);
	else if (*list.s)
		printable_add(to, "Still open when recording stopped: %s (left open).", list.s);
}

/* By the reader of the file, and by its writer. */
static void moved(const struct remarks *of, uint32_t row, struct printable *to)
{
	const struct summary *summary = of->summary;
	uint64_t n = summary->file.n_late + (summary->cost.moved > 0 ? (uint64_t)summary->cost.moved : 0);

	if (n)
		printable_add(to, "%s events came late, and were moved behind the one before them.", units_count(n).s);
}

/* The recorder counts what a whole recording lists, not a part of it or several files. */
static void part_missing(const struct remarks *of, uint32_t row, struct printable *to)
{
	const struct summary *summary = of->summary;

	if (!is_complete(summary) || summary->cost.lost < 0 || (uint64_t)summary->cost.lost == summary->n_lost ||
	    summary->kept.limit || summary->part.from_ns || summary->part.to_ns || summary->n_merged)
		return;
	printable_add(to, "The recorder counted %s lost, but this file lists %s: a part of the file is missing.",
		      printable_count((uint64_t)summary->cost.lost, "event").s, units_count(summary->n_lost).s);
}

#define ROWS(field) offsetof(struct summary, field)
#define NUMBER(field, text) .number = offsetof(struct summary, counts.field), .what = text

static const struct kind kinds[] = {
	{ "lost", true, ROWS(n_losses), lost },
	{ "cut_off", true, 0, cut_off },
	{ "unfinished", true, 0, unfinished },
	{ "dropped", false, 0, dropped },
	{ "thinned", false, 0, thinned },
	{ "not_seen", true, ROWS(n_processes), not_seen },
	{ "left_running", true, 0, left_running },
	{ "sampled_out", false, 0, sampled_out },
	{ "left_out", false, ROWS(n_left_out), left_out },
	{ "unknown_at_end", true, ROWS(n_device_clocks), unknown_at_end },
	{ "joined_late", false, ROWS(n_runtimes), joined_late },
	{ "stopped", false, ROWS(n_stops), stopped },
	{ "unreadable", false, ROWS(n_unreadable), unreadable },
	{ "dumped", false, ROWS(n_dumps), dumped },
	{ "not_dumped", false, 0, not_dumped },
	{ "halted", false, ROWS(n_halt_kinds), halted },
	{ "clock_changed", false, ROWS(n_clock_changes), clock_changed },
	{ "clock_jumped", true, 0, clock_jumped },
	{ "not_ended", false, 0, not_ended },
	{ "out_of_order", true,
	  NUMBER(n_disordered, "events are earlier than the one before them, and were left out") },
	{ "no_begin", true,
	  NUMBER(n_unmatched, "ends have no start (recording began in the middle, or the start was lost)") },
	{ "no_track", true, NUMBER(n_untracked, "events are on a track that the file does not define") },
	{ "too_deep", true, NUMBER(n_too_deep, "slices are nested too deeply, and were left out") },
	{ "arguments_cut", true, NUMBER(n_args_cut, "arguments exceed what an event may have") },
	{ "moved", true, 0, moved },
	{ "part_missing", true, 0, part_missing },
};

enum { N_REMARKS = sizeof kinds / sizeof *kinds };

static uint32_t rows_of(const struct summary *summary, const struct kind *kind)
{
	return kind->rows ? *(const uint32_t *)((const char *)summary + kind->rows) : 1;
}

static struct remark remark_of(const struct remarks *of, const struct kind *kind, uint32_t row)
{
	struct remark remark = { .kind = kind->name, .is_loss = kind->is_loss };

	if (kind->words) {
		kind->words(of, row, &remark.text);
	} else {
		uint64_t n = *(const uint64_t *)((const char *)of->summary + kind->number);

		if (n)
			printable_add(&remark.text, "%s %s.", units_count(n).s, kind->what);
	}
	return remark;
}

size_t remarks_count(const struct summary *summary)
{
	size_t n = 0;

	for (size_t i = 0; i < N_REMARKS; i++)
		n += rows_of(summary, &kinds[i]);
	return n;
}

struct remark remarks_at(const struct remarks *of, size_t place)
{
	for (size_t i = 0; i < N_REMARKS; i++) {
		uint32_t rows = rows_of(of->summary, &kinds[i]);

		if (place < rows)
			return remark_of(of, &kinds[i], (uint32_t)place);
		place -= rows;
	}
	return (struct remark){ .kind = "" };
}

static size_t give_kind(const struct remarks *of, const struct kind *kind, remarks_put *put, void *to)
{
	uint32_t n_rows = rows_of(of->summary, kind), most = of->n_most ? of->n_most : UINT32_MAX, n = 0;
	struct remark more = { .kind = kind->name };

	for (uint32_t i = 0; i < n_rows; i++) {
		struct remark remark = remark_of(of, kind, i);

		if (*remark.text.s && n++ < most)
			put(to, &remark);
	}
	if (n > most) {
		printable_add(&more.text, "%s more%s.", units_count(n - most).s, of->more);
		put(to, &more);
	}
	return n;
}

size_t remarks_give(const struct remarks *of, remarks_put *put, void *to)
{
	size_t n = 0;

	for (size_t i = 0; i < N_REMARKS; i++)
		if (kinds[i].words != lost)
			n += give_kind(of, &kinds[i], put, to);
	return n;
}

const char *remarks_headline(const struct summary *summary)
{
	if (!summary->recording.is_ours)
		return summary->n_losses ? "Events were lost, and are in no figure."
					 : "Not known: inftrace did not write this file.";
	if (summary->n_losses)
		return "Events were lost, and are in no figure.";
	if (summary->n_device_ends_unknown)
		return "No event was lost, as far as is known.";
	if (summary->n_unseen || summary->n_left)
		return "No events of the recorded processes were lost.";
	return is_complete(summary) ? "Nothing was lost." : "No losses recorded in the part that was saved.";
}

const char *remarks_kind(size_t number)
{
	return number < N_REMARKS ? kinds[number].name : NULL;
}
