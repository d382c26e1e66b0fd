// SPDX-License-Identifier: Apache-2.0
/*
 * What ran unseen of a session is what its count grew by while probes were out, without the inferences that had begun
 * before and were seen to end. Many sessions are read by one system call. Finds no sessions.
 */
#include "capture/probe/uprobe_counts.h"

#include <stdlib.h>
#include <sys/uio.h>

enum { AT_ONCE = 64, COUNT_BEFORE = 16 };

/* The end of a session: its count, what else lies between (differs by version), the text. */
struct words {
	uint32_t count, padding;
	uint64_t between, text;
};

/* After a longer time a count may have begun anew without being less. */
static const uint64_t longest_ns = UINT64_C(1500000000);
/* Between the last look, no longer ago than this, and its end a session stopped to run at any time. */
static const uint64_t last_ns = UINT64_C(200000000);
/* No runtime runs more in a second. */
static const double most_per_s = 20e6, least_look_s = 0.01;
/* What is remembered of windows; and how far count and probes may lie apart there, which see a moment each. */
static const double memory = 2000, least_error = 2, error = 0.005;
/* A count that misses more than this says too little about the rest; one that grows this many times as fast as
 * inferences end counts something else. */
static const double least_part = 0.1, most_part = 2;
/* Records of probes are read this late at most. */
static const uint64_t late_ns = UINT64_C(500000000);

/* How many of the rows were read, from the first on. */
static uint32_t read_rows(pid_t pid, const struct uprobe_counted *row, uint32_t n, struct words *to)
{
	struct iovec local = { to, n * sizeof *to }, remote[AT_ONCE];
	ssize_t got;

	for (uint32_t i = 0; i < n; i++)
		remote[i] = (struct iovec){ (void *)(row[i].at - COUNT_BEFORE), sizeof *to };
	got = process_vm_readv(pid, &local, 1, remote, n, 0);
	return got > 0 ? (uint32_t)((size_t)got / sizeof *to) : 0;
}

/* Copies of a file may change together, by a time taken before the last look. */
static uint64_t passed_ns(const struct uprobe_counted *row, uint64_t now_ns)
{
	return now_ns > row->read_ns ? now_ns - row->read_ns : 0;
}

/* By how much it grew. Where it began anew since the last look, it grew as fast as before. */
static double grown(struct uprobe_counted *row, uint32_t count, uint64_t now_ns)
{
	double passed_s = (double)passed_ns(row, now_ns) / 1e9, n;

	if (count < row->count)
		return row->per_s * passed_s > count ? row->per_s * passed_s : count;
	n = count - row->count;
	if (n > most_per_s * (passed_s + 1))
		return 0;
	if (passed_s > least_look_s)
		row->per_s = n / passed_s;
	return n;
}

static void take_words(struct uprobe_counts *counts, struct uprobe_counted *row, const struct words *words,
		       uint64_t now_ns)
{
	double n = grown(row, words->count, now_ns);

	row->is_readable = words->text == row->text;
	if (!row->is_readable)
		return;
	if (counts->is_gap) {
		row->n_counted += n;
	} else if (words->count < row->count || passed_ns(row, now_ns) > longest_ns) {
		row->window = (struct uprobe_agreement){ 0 };
		row->since_ns = now_ns;
	} else {
		row->window.counted += n;
	}
	row->count = words->count;
	row->read_ns += passed_ns(row, now_ns);
}

static struct uprobe_agreement agreement(const struct uprobe_counted *row)
{
	return (struct uprobe_agreement){ row->before.counted + row->window.counted,
					  row->before.seen + row->window.seen };
}

static void judge(struct uprobe_counted *row)
{
	struct uprobe_agreement all = agreement(row);

	row->is_wild = all.counted > most_part * (all.seen + least_error);
}

/* Which part of the inferences that probes see the count counts. */
static double part_of(const struct uprobe_counted *row)
{
	struct uprobe_agreement all = agreement(row);

	return all.seen - all.counted <= least_error + error * all.seen ? 1 : all.counted / all.seen;
}

static void settle(struct uprobe_counted *row)
{
	double part = part_of(row), whole;

	if (part < least_part || row->is_wild)
		return;
	whole = row->n_counted / part - row->n_late - row->n_told;
	if (whole < 1)
		return;
	row->n_unseen += (uint64_t)whole;
	row->n_told += (double)(uint64_t)whole;
}

/* A session has gone since the last look, at any time until then. What was read of it holds. */
static void leave(struct uprobe_counts *counts, struct uprobe_counted *row, uint64_t now_ns)
{
	uint64_t passed = passed_ns(row, now_ns);

	if (counts->is_gap && row->is_readable)
		row->n_counted += row->per_s * (double)(passed < last_ns ? passed : last_ns) / 2e9;
	settle(row);
	row->is_over = counts->has_over = true;
	uprobe_table_put(&counts->rows, row->session, 0);
}

static void look(struct uprobe_counts *counts, uint64_t now_ns)
{
	struct words words[AT_ONCE];

	for (uint32_t i = 0; i < counts->n;) {
		uint32_t n = counts->n - i < AT_ONCE ? counts->n - i : AT_ONCE;
		uint32_t n_read = read_rows(counts->pid, &counts->row[i], n, words);

		for (uint32_t j = 0; j < n_read; j++)
			if (!counts->row[i + j].is_over)
				take_words(counts, &counts->row[i + j], &words[j], now_ns);
		i += n_read;
		/* no memory is there: the process may have ended, or be another program */
		if (n_read < n && !counts->row[i].is_over)
			leave(counts, &counts->row[i], now_ns);
		i += n_read < n;
	}
}

static struct uprobe_counted *find(const struct uprobe_counts *counts, uint32_t session)
{
	uint32_t row = uprobe_table_get(&counts->rows, session);

	return row && row != UPROBE_UNCOUNTED ? &counts->row[row - 1] : NULL;
}

bool uprobe_counts_has(const struct uprobe_counts *counts, uint32_t session)
{
	return uprobe_table_get(&counts->rows, session) != 0;
}

/* Without memory for the table, it is added again with its next inference. */
static void add_unknown(struct uprobe_counts *counts, uint32_t session)
{
	counts->n_unknown += uprobe_table_put(&counts->rows, session, UPROBE_UNCOUNTED);
}

static bool has_room(struct uprobe_counts *counts)
{
	struct uprobe_counted *more;

	if (counts->n == UPROBE_MAX_COUNTED)
		return false;
	if (counts->n & (counts->n - 1))
		return true;
	more = realloc(counts->row, (counts->n ? 2 * counts->n : 1) * sizeof *more);
	counts->row = more ? more : counts->row;
	return more != NULL;
}

void uprobe_counts_add(struct uprobe_counts *counts, uint32_t session, uint64_t at, bool is_new, uint64_t now_ns)
{
	struct uprobe_counted row = { .session = session, .at = at, .read_ns = now_ns, .is_readable = true };
	struct words words;

	if (uprobe_counts_has(counts, session))
		return;
	if (at < COUNT_BEFORE || !read_rows(counts->pid, &row, 1, &words) || !has_room(counts)) {
		add_unknown(counts, session);
		return;
	}
	row.text = words.text;
	row.count = is_new ? 0 : words.count;
	row.since_ns = is_new ? 0 : now_ns;
	counts->has_any = true;
	if (uprobe_table_put(&counts->rows, session, counts->n + 1))
		counts->row[counts->n++] = row;
}

void uprobe_counts_end(struct uprobe_counts *counts, uint32_t session, uint64_t time_ns)
{
	struct uprobe_counted *row = find(counts, session);

	if (!row)
		return;
	if (counts->is_gap && time_ns > counts->changed_ns)
		row->n_late++;
	else if (!counts->is_gap && counts->gap_ns && time_ns > counts->gap_ns && time_ns <= counts->changed_ns)
		row->n_owed++;
	else if (time_ns > row->since_ns)
		row->window.seen++;
}

void uprobe_counts_release(struct uprobe_counts *counts, uint32_t session, uint64_t time_ns)
{
	struct uprobe_counted *row = find(counts, session);

	if (row) {
		leave(counts, row, time_ns);
	} else if (uprobe_counts_has(counts, session)) {
		counts->n_unknown--;
		uprobe_table_put(&counts->rows, session, 0);
	}
}

static void begin(struct uprobe_counts *counts, bool is_gap, uint64_t now_ns)
{
	counts->is_gap = is_gap;
	counts->changed_ns = now_ns;
	if (is_gap)
		counts->gap_ns = now_ns;
}

void uprobe_counts_close(struct uprobe_counts *counts, uint64_t now_ns)
{
	look(counts, now_ns);
	begin(counts, true, now_ns);
}

static void add_window(struct uprobe_agreement *before, const struct uprobe_agreement *window)
{
	double seen = before->seen + window->seen, kept = seen > memory ? memory / seen : 1;

	before->counted = (before->counted + window->counted) * kept;
	before->seen = seen * kept;
}

void uprobe_counts_open(struct uprobe_counts *counts, uint64_t now_ns)
{
	uprobe_counts_look(counts, now_ns);
	for (uint32_t i = 0; i < counts->n; i++) {
		struct uprobe_counted *row = &counts->row[i];

		add_window(&row->before, &row->window);
		row->window = (struct uprobe_agreement){ 0 };
		row->n_counted = row->n_late = row->n_told = 0;
	}
	begin(counts, false, now_ns);
}

void uprobe_counts_look(struct uprobe_counts *counts, uint64_t now_ns)
{
	look(counts, now_ns);
	for (uint32_t i = 0; i < counts->n; i++) {
		if (counts->row[i].is_over)
			continue;
		if (counts->is_gap && now_ns > counts->changed_ns + late_ns)
			judge(&counts->row[i]);
		settle(&counts->row[i]);
	}
}

bool uprobe_counts_are_sound(const struct uprobe_counts *counts)
{
	for (uint32_t i = 0; i < counts->n; i++) {
		const struct uprobe_counted *row = &counts->row[i];

		if (!row->is_over && (!row->is_readable || row->is_wild || part_of(row) < least_part))
			return false;
	}
	return counts->has_any && !counts->n_unknown;
}

uint64_t uprobe_counts_take(struct uprobe_counts *counts, uint32_t row)
{
	struct uprobe_counted *of = &counts->row[row];
	uint64_t n_owed = of->n_owed < of->n_unseen ? of->n_owed : of->n_unseen;
	uint64_t n = of->n_unseen - n_owed;

	of->n_owed -= n_owed;
	of->n_unseen = 0;
	return n;
}

void uprobe_counts_tidy(struct uprobe_counts *counts)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < counts->n; i++) {
		if (counts->row[i].is_over)
			continue;
		if (n != i) {
			counts->row[n] = counts->row[i];
			uprobe_table_put(&counts->rows, counts->row[n].session, n + 1);
		}
		n++;
	}
	counts->n = n;
	counts->has_over = false;
}

void uprobe_counts_done(struct uprobe_counts *counts)
{
	free(counts->row);
	uprobe_table_done(&counts->rows);
	*counts = (struct uprobe_counts){ 0 };
}
