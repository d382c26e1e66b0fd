// SPDX-License-Identifier: Apache-2.0
#include "analyze/result/outside_result.h"

#include <string.h>

#include "analyze/outside/outside_place.h"
#include "analyze/result/result_words.h"
#include "event/process_note.h"

enum { NAME = 60, FUNCTION = 36, WHO = 16 };

static const struct summary_outside *above(const struct summary *summary, const struct summary_outside *row)
{
	return row->is.parent != OUTSIDE_NONE ? &summary->outside[row->is.parent] : NULL;
}

/* The rows of what was done: of all, or below the row of a model. */
static bool is_below(const struct summary *summary, const struct summary_outside *row, uint32_t model)
{
	if (model == SUMMARY_NONE)
		return row->is.view == OUTSIDE_BY_WHAT;
	if (row->is.view != OUTSIDE_BY_MODEL)
		return false;
	while (above(summary, row))
		row = above(summary, row);
	return row->model == model;
}

static bool has_child(const struct summary *summary, uint32_t row)
{
	return row + 1 < summary->n_outside && summary->outside[row + 1].is.parent == row;
}

static struct outside_part part_of(const struct summary *summary, const struct summary_outside *row)
{
	struct outside_part part = { .ns = row->is.ns, .n = row->is.n };

	for (; row; row = above(summary, row)) {
		if (row->is.kind == OUTSIDE_PLACE)
			part.place = row;
		else if (row->is.kind == OUTSIDE_WAIT)
			part.wait = row;
		else if (row->is.kind == OUTSIDE_STATE)
			part.state = row;
	}
	return part;
}

static uint32_t find(const struct summary *summary, uint32_t model, int state, struct outside_part *part,
		     uint32_t n_most)
{
	uint32_t n = 0, at;

	for (uint32_t i = 0; i < summary->n_outside; i++) {
		const struct summary_outside *row = &summary->outside[i];
		struct outside_part own;

		if (row->is.kind == OUTSIDE_OTHERS || row->is.kind == OUTSIDE_UNATTRIBUTED || has_child(summary, i) ||
		    !is_below(summary, row, model))
			continue;
		own = part_of(summary, row);
		if (!own.state || (state >= 0 && own.state->is.state != (enum sample_state)state))
			continue;
		at = n < n_most ? n++ : n_most;
		while (at && part[at - 1].ns < own.ns) {
			if (at < n_most)
				part[at] = part[at - 1];
			at--;
		}
		if (at < n_most)
			part[at] = own;
	}
	return n;
}

uint32_t outside_parts(const struct summary *summary, uint32_t model, struct outside_part *part, uint32_t n_most)
{
	return find(summary, model, -1, part, n_most);
}

uint32_t outside_parts_of(const struct summary *summary, uint32_t model, enum sample_state state,
			  struct outside_part *part, uint32_t n_most)
{
	return find(summary, model, (int)state, part, n_most);
}

static const struct summary_outside *state_row(const struct summary *summary, uint32_t model, enum sample_state state)
{
	for (uint32_t i = 0; i < summary->n_outside; i++) {
		const struct summary_outside *row = &summary->outside[i];
		bool is_state = row->is.kind == OUTSIDE_STATE && row->is.state == state;

		if (row->is.kind == OUTSIDE_UNATTRIBUTED)
			is_state = state == SAMPLE_UNKNOWN;
		if (is_state && is_below(summary, row, model))
			return row;
	}
	return NULL;
}

uint64_t outside_state_ns(const struct summary *summary, uint32_t model, enum sample_state state)
{
	const struct summary_outside *row = state_row(summary, model, state);

	return row ? row->is.ns : 0;
}

uint64_t outside_habit_ns(const struct summary *summary, uint32_t model, enum sample_state state)
{
	const struct summary_outside *row = state_row(summary, model, state);

	return row && row->is.ns > row->is.longest_ns ? row->is.ns - row->is.longest_ns : 0;
}

uint64_t outside_ns(const struct summary *summary, uint32_t model)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < summary->n_outside; i++) {
		const struct summary_outside *row = &summary->outside[i];

		if (!above(summary, row) && is_below(summary, row, model))
			ns += row->is.ns;
	}
	return ns;
}

static struct printable text_of(const struct summary *summary, uint32_t name)
{
	const char *text = names_text(summary->names, name);

	return *text ? model_text(text, NAME, false) : (struct printable){ "" };
}

static struct printable line_of(const struct summary *summary, uint32_t file, uint32_t line)
{
	const char *name = outside_file_name(names_text(summary->names, file));
	struct printable text = { "" };

	printable_add(&text, "%s", model_text(name, NAME, false).s);
	if (line)
		printable_add(&text, ":%u", line);
	return text;
}

/* The line of the program's own code: "c_pre.py:6"; "": not known. */
static struct printable own_line(const struct summary *summary, const struct summary_outside *place)
{
	if (place && place->is.caller_file)
		return line_of(summary, place->is.caller_file, place->is.caller_line);
	return place && place->is.file ? line_of(summary, place->is.file, place->is.line) : (struct printable){ "" };
}

/* "Image.resize, called from c_pre.py:6": of a long name, the function's alone is cut. */
static struct printable called_words(const struct summary *summary, uint32_t name)
{
	static const char from[] = ", called from ";
	const char *text = names_text(summary->names, name), *at = strstr(text, from);
	struct printable words;

	if (!at || strlen(text) <= NAME)
		return text_of(summary, name);
	words = printable_text(text, (size_t)(at - text), FUNCTION, false);
	printable_add(&words, "%s", model_text(at, NAME, false).s);
	return words;
}

/* "work at c_pre.py:12": so that what follows may stand in brackets. */
static struct printable place_words(const struct summary *summary, const struct summary_outside *place)
{
	struct printable text = { "" }, line = own_line(summary, place);
	const char *function = names_text(summary->names, place->is.function);

	if (place->is.caller_file || !*line.s)
		return called_words(summary, place->is.name);
	if (!*function || !strcmp(function, "<module>"))
		return line;
	printable_add(&text, "%s at %s", text_of(summary, place->is.function).s, line.s);
	return text;
}

struct printable outside_where(const struct summary *summary, const struct outside_part *part)
{
	struct printable text = { "" }, line;

	if (part->wait) {
		text = text_of(summary, part->wait->is.name);
		line = own_line(summary, part->place);
		if (*line.s && part->wait->is.state != SAMPLE_GIL)
			printable_add(&text, ", called from %s", line.s);
	} else if (part->place) {
		text = place_words(summary, part->place);
	}
	return text;
}

bool outside_is_between_processes(const struct summary *summary, const struct outside_part *part)
{
	return part->place && strstr(names_text(summary->names, part->place->is.file), "/multiprocessing/");
}

bool outside_is_collection(const struct summary *summary, const struct outside_part *part)
{
	return part->place && !part->place->is.file &&
	       !strcmp(names_text(summary->names, part->place->is.function), FRAME_COLLECTION);
}

/* Who held it, if it was one program each time; NULL: not known. */
static const char *tracer_of(const struct summary *summary)
{
	uint32_t who = 0;

	for (uint32_t i = 0; i < summary->n_halt_kinds; i++) {
		const struct summary_halt_kind *kind = &summary->halt_kinds[i];

		if (strcmp(names_text(summary->names, kind->what), EVENT_HALT_TRACED) != 0)
			continue;
		if (!kind->who || (who && who != kind->who))
			return NULL;
		who = kind->who;
	}
	return who ? names_text(summary->names, who) : NULL;
}

static struct printable stopped_words(const struct summary *summary, const char *how)
{
	struct printable text = { "" };
	const char *who = tracer_of(summary);

	if (!strcmp(how, EVENT_HALT_FROZEN))
		printable_add(&text, "with the program's cgroup frozen");
	else if (strcmp(how, EVENT_HALT_TRACED) != 0)
		printable_add(&text, "with the program stopped");
	else if (who)
		printable_add(&text, "with the program held by %s, which traces it", model_text(who, WHO, true).s);
	else
		printable_add(&text, "with the program held by a tracer");
	return text;
}

struct printable outside_part_words(const struct summary *summary, const struct outside_part *part)
{
	static const char *const words[N_SAMPLE_STATES] = {
		[SAMPLE_QUEUED] = "waiting for a CPU",	[SAMPLE_GIL] = "waiting for the GIL",
		[SAMPLE_LOCK] = "waiting for a thread", [SAMPLE_SLEPT] = "asleep",
		[SAMPLE_FAULT] = "waiting for memory",
	};
	struct printable text = { "" }, where = outside_where(summary, part);
	enum sample_state state = part->state->is.state;

	if (state == SAMPLE_STOPPED) {
		printable_add(
		    &text, "%s",
		    stopped_words(summary, part->wait ? names_text(summary->names, part->wait->is.name) : "").s);
	} else if (!words[state]) {
		printable_add(&text, "%s%s", *where.s ? "in " : "running", where.s);
	} else {
		printable_add(&text, "%s", words[state]);
		if (*where.s)
			printable_add(&text, "%s%s", part->wait ? ", " : " in ", where.s);
	}
	return text;
}
