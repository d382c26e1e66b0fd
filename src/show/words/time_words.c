// SPDX-License-Identifier: Apache-2.0
#include "show/words/time_words.h"

#include <string.h>

#include "analyze/result/outside_result.h"
#include "analyze/result/recording_facts.h"
#include "analyze/result/result_words.h"
#include "base/text/units.h"
#include "show/words/quota_words.h"

enum { NAME = 40, SENTENCE_PART = 14 };

/* What a counter showed: of the only process, or of the machine. NULL: it is not there. */
static const struct summary_resource *cpu_of(const struct summary *summary, bool of_machine)
{
	for (uint32_t i = 0; i < summary->n_resources; i++)
		if ((summary->resources[i].process == SUMMARY_NONE) == of_machine &&
		    !strcmp(names_text(summary->names, summary->resources[i].name), "cpu"))
			return &summary->resources[i];
	return NULL;
}

static void say_no_model(struct printable *text, const struct summary *summary)
{
	const struct summary_resource *own = summary->n_processes == 1 ? cpu_of(summary, false) : NULL;
	const struct summary_resource *machine = cpu_of(summary, true);

	printable_add(text, "no model ran in %s of the %s",
		      units_percent((double)summary->time.outside_ns / (double)summary->time.wall_ns).s,
		      units_duration((double)summary->time.wall_ns).s);
	if (own && isfinite(own->idle_mean))
		printable_add(text, " (the program used %s CPUs in that time)", units_decimal(own->idle_mean / 100).s);
	else if (machine && isfinite(machine->idle_mean))
		printable_add(text, " (the machine was %s busy in that time)",
			      units_percent(machine->idle_mean / 100).s);
}

static int count_words(const char *text)
{
	int n = 0;

	for (bool was_blank = true; *text; text++) {
		n += was_blank && *text != ' ';
		was_blank = *text == ' ';
	}
	return n;
}

/* Where no place has much of it, what was done most, wherever; false: nothing has a third. */
static bool find_state(const struct summary *summary, struct outside_part *part)
{
	*part = (struct outside_part){ 0 };
	for (uint32_t i = 0; i < summary->n_outside; i++) {
		const struct summary_outside *row = &summary->outside[i];

		if (row->is.view == OUTSIDE_BY_WHAT && row->is.kind == OUTSIDE_STATE && row->is.ns > part->ns)
			*part = (struct outside_part){ .state = row, .ns = row->is.ns, .n = row->is.n };
	}
	return part->ns >= summary->time.outside_ns / 3;
}

/* "most of it in Image.resize, called from c_pre.py:6 (1.21 s)"; "" where samples show no such place. */
static struct printable most_of_outside(const struct summary *summary)
{
	struct outside_part part;
	struct printable text = { "" }, words;
	uint64_t whole_ns = summary->time.outside_ns;
	struct units_text ns;
	bool is_most;

	if (!outside_parts(summary, SUMMARY_NONE, &part, 1) || (part.ns < whole_ns / 10 && !find_state(summary, &part)))
		return text;
	ns = units_duration((double)part.ns);
	is_most = part.ns > whole_ns / 2;
	words = outside_part_words(summary, &part);
	if (count_words(words.s) > SENTENCE_PART) {
		part.wait = NULL;
		part.place = NULL;
		words = outside_part_words(summary, &part);
	}
	printable_add(&text, "%s of it %s", is_most ? "most" : ns.s, words.s);
	if (is_most)
		printable_add(&text, words.s[strlen(words.s) - 1] == ')' ? ", %s" : " (%s)", ns.s);
	return text;
}

static void say_outside(struct printable *text, const struct summary *summary)
{
	struct printable most = most_of_outside(summary);

	if (!*most.s) {
		say_no_model(text, summary);
		return;
	}
	printable_add(text, "outside of models: %s of %s, %s",
		      units_percent((double)summary->time.outside_ns / (double)summary->time.wall_ns).s,
		      units_duration((double)summary->time.wall_ns).s, most.s);
}

/* Is a recorded process called that? The kernel cuts names to 15 bytes. */
static bool is_program(const struct summary *summary, const char *name)
{
	for (uint32_t i = 0; i < summary->n_processes; i++)
		if (!strncmp(names_text(summary->names, summary->processes[i].name), name, 15))
			return true;
	return false;
}

static const char waited_for[] = "waited for ";

/* NULL: it is another counter. */
static const char *who_of(const struct summary *summary, const struct summary_resource *resource)
{
	const char *name = names_text(summary->names, resource->name);

	if (resource->process == SUMMARY_NONE || !isfinite(resource->mean) ||
	    strncmp(name, waited_for, sizeof waited_for - 1) != 0)
		return NULL;
	return name + sizeof waited_for - 1;
}

/* For how much of the waits of all processes; the means are over the same time, about. */
static double waits_for(const struct summary *summary, const char *wanted)
{
	double sum = 0;

	for (uint32_t i = 0; i < summary->n_resources; i++) {
		const char *who = who_of(summary, &summary->resources[i]);

		if (who && (!wanted || !strcmp(who, wanted)))
			sum += summary->resources[i].mean;
	}
	return sum;
}

/* The waits themselves. Who ran is not known of all: a thread may be moved to another CPU while it waits. */
static double all_waits(const struct summary *summary)
{
	double known = waits_for(summary, NULL), all = 0;

	for (uint32_t i = 0; i < summary->n_resources; i++) {
		const struct summary_resource *resource = &summary->resources[i];

		if (isfinite(resource->mean) &&
		    !strcmp(names_text(summary->names, resource->name), "waiting for a cpu"))
			all += resource->mean;
	}
	return known > all ? known : all;
}

/* "; stress-ng had it for 92 %": who ran most on the CPUs that the processes waited for, if the recording says. */
static void say_who(struct printable *text, const struct summary *summary, bool is_ascii)
{
	const char *most = NULL;
	double all = all_waits(summary), most_of_it = 0;

	for (uint32_t i = 0; i < summary->n_resources; i++) {
		const char *who = who_of(summary, &summary->resources[i]);
		double mean = who ? waits_for(summary, who) : 0;

		if (mean > most_of_it) {
			most = who;
			most_of_it = mean;
		}
	}
	if (!(all > 0 && most_of_it >= all / 4))
		return;
	printable_add(text, "; %s", model_text(most, NAME, is_ascii).s);
	if (is_program(summary, most))
		printable_add(text, ", as its own processes are called,");
	printable_add(text, " had it for %s of the waits", units_percent(most_of_it / all).s);
}

static void say_waiting(struct printable *text, const struct summary *summary, bool is_ascii)
{
	const struct summary_resource *machine = cpu_of(summary, true);
	struct printable who = { "" };

	say_who(&who, summary, is_ascii);
	if (machine && isfinite(machine->busy_mean))
		printable_add(text, ". The machine was %s busy while inferences ran%s",
			      units_percent(machine->busy_mean / 100).s, who.s);
	else if (*who.s)
		printable_add(text, ": %s", who.s + 2);
}

static void say_share(struct printable *text, const char *what, uint64_t ns, const struct summary *summary)
{
	printable_add(text, "%s took %s", what, units_percent((double)ns / (double)summary->time.wall_ns).s);
	printable_add(text, " of the %s", units_duration((double)summary->time.wall_ns).s);
}

static void say_inferences(struct printable *text, const struct summary *summary, bool is_ascii)
{
	const struct summary_model *model = &summary->models[0];
	const char *name = names_text(summary->names, model->name);
	struct printable what = { "inferences" };

	if (summary->n_models == 1)
		printable_add(&what, " of %s", model_text(name, NAME, is_ascii).s);
	else
		printable_add(&what, " of %s", printable_count(summary->n_models, "model").s);
	say_share(text, what.s, summary->time.inferences_ns, summary);
	if (summary->n_models == 1 && recording_reads_again(&model->runs))
		printable_add(text, ", reading %s each from a disk",
			      units_bytes((double)model->runs.reads.bytes / (double)model->runs.reads.n).s);
}

/* Who has no CPUs is slow in whatever it does with them: in operators, and in waits for the CPUs that are left. */
static bool is_stolen(const struct summary *summary)
{
	return recording_stolen(summary) >= RECORDING_MUCH_STOLEN && summary_largest(&summary->time) != CAUSE_OUTSIDE &&
	       summary_largest(&summary->time) != CAUSE_CREATING;
}

struct printable time_cause(const struct summary *summary, bool is_ascii)
{
	const struct summary_time *time = &summary->time;
	struct printable text = { "" };

	if (!time->wall_ns || !summary->n_inferences)
		return text;
	if (quota_is_short(summary))
		return quota_sentence(summary);
	if (is_stolen(summary)) {
		printable_add(&text, "The host of this virtual machine took %s of its CPUs' time while inferences ran",
			      units_percent(recording_stolen(summary)).s);
		return text;
	}
	switch (summary_largest(time)) {
	case CAUSE_OUTSIDE:
		say_outside(&text, summary);
		break;
	case CAUSE_CREATING:
		say_share(&text, "creating sessions", time->creating_ns, summary);
		printable_add(&text, " (%s)", printable_count(summary->n_all_sessions, "session").s);
		break;
	case CAUSE_FIRST:
		say_share(&text, "first inferences of sessions", time->first_ns, summary);
		break;
	case CAUSE_WAITING:
		say_share(&text, "waiting for a CPU", time->waiting_ns, summary);
		say_waiting(&text, summary, is_ascii);
		break;
	default:
		say_inferences(&text, summary, is_ascii);
	}
	if (*text.s >= 'a' && *text.s <= 'z')
		*text.s = (char)(*text.s - 'a' + 'A');
	return text;
}

/* Each part divided by n. */
static void say_sum(struct printable *text, const struct summary_time *time, double n)
{
	printable_add(text, "%s = ", units_duration((double)time->wall_ns / n).s);
	if (time->inferences_ns)
		printable_add(text, "inferences %s", units_duration((double)time->inferences_ns / n).s);
	if (time->first_ns)
		printable_add(text, " (first ones %s", units_duration((double)time->first_ns / n).s);
	if (time->waiting_ns)
		printable_add(text, "%swaiting for a CPU %s", time->first_ns ? ", " : " (",
			      units_duration((double)time->waiting_ns / n).s);
	printable_add(text, "%s", time->first_ns + time->waiting_ns ? ")" : "");
	if (time->creating_ns)
		printable_add(text, "%screating sessions %s", time->inferences_ns ? " + " : "",
			      units_duration((double)time->creating_ns / n).s);
	printable_add(text, "%soutside of models %s", time->inferences_ns + time->creating_ns ? " + " : "",
		      units_duration((double)time->outside_ns / n).s);
}

struct printable time_sum(const struct summary *summary)
{
	const struct summary_time *time = &summary->time;
	struct printable text = { "" };

	if (!time->wall_ns)
		return text;
	say_sum(&text, time, 1);
	if (summary->n_sampled_out)
		printable_add(&text, "; estimated from %s of %s", units_count(summary->n_inferences).s,
			      printable_count(summary->n_all_inferences, "inference").s);
	return text;
}

struct printable time_gaps(const struct summary *summary)
{
	const struct summary_gaps *gaps = &summary->gaps;
	const struct summary_gap *longest = &gaps->longest[0];
	struct printable text = { "" };

	if (!gaps->n || summary->recording.has_no_begins)
		return text;
	printable_add(&text, "%s between inferences", printable_count(gaps->n, "gap").s);
	if (gaps->n > 1)
		printable_add(&text, ", %s in all; the longest", units_duration((double)gaps->total_ns).s);
	else
		printable_add(&text, ":");
	printable_add(&text, " %s at %s", units_duration((double)(longest->end_ns - longest->begin_ns)).s,
		      units_duration((double)(longest->begin_ns - summary->recording.begin_ns)).s);
	if (longest->creating_ns)
		printable_add(&text, ", %s of it creating sessions", units_duration((double)longest->creating_ns).s);
	return text;
}

uint64_t time_n_callers(const struct summary *summary)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < summary->n_caller_kinds; i++)
		n += summary->caller_kinds[i].n;
	return n;
}

/* "8 threads of server, on average: 9.00 s = inferences 4.00 s + outside of models 5.00 s" */
static struct printable kind_words(const struct summary *summary, const struct summary_callers *kind, bool is_ascii)
{
	struct printable name = { "" }, text = { "" };

	if (kind->program)
		name = model_text(names_text(summary->names, kind->program), NAME, is_ascii);
	if (kind->is_main && kind->n > 1)
		printable_add(&text, "first threads of %s%s%s processes", units_count(kind->n).s, *name.s ? " " : "",
			      name.s);
	else if (kind->is_main)
		printable_add(&text, "first thread of %s", *name.s ? name.s : "a process");
	else
		printable_add(&text, "%s%s%s", printable_count(kind->n, "thread").s, *name.s ? " of " : "", name.s);
	printable_add(&text, "%s: ", kind->n > 1 ? ", on average" : "");
	say_sum(&text, &kind->time, (double)kind->n);
	return text;
}

uint32_t time_callers(const struct summary *summary, bool is_ascii, struct printable line[TIME_CALLERS])
{
	uint32_t n_kinds = summary->n_caller_kinds;
	uint32_t n_told = n_kinds <= TIME_CALLERS ? n_kinds : TIME_CALLERS - 1;
	uint64_t n_left = time_n_callers(summary);

	if (n_left < 2)
		return 0;
	for (uint32_t i = 0; i < n_told; i++) {
		line[i] = kind_words(summary, &summary->caller_kinds[i], is_ascii);
		n_left -= summary->caller_kinds[i].n;
	}
	if (n_told == n_kinds)
		return n_told;
	line[n_told] = (struct printable){ "and " };
	printable_add(&line[n_told], "%s more", printable_count(n_left, "thread").s);
	return n_told + 1;
}

struct printable time_caller(const struct summary *summary, const struct summary_caller *caller, int columns,
			     bool is_ascii)
{
	struct printable text = { "" };

	if (caller->process != SUMMARY_NONE)
		printable_add(&text, "%s ",
			      model_text(names_text(summary->names, summary->processes[caller->process].name),
					 columns - 9, is_ascii)
				  .s);
	printable_add(&text, "%lld", (long long)caller->tid);
	return text;
}

bool time_has_unseen_models(const struct summary *summary)
{
	return summary->n_other_runtimes && !summary->n_all_inferences;
}

const char *time_outside_title(const struct summary *summary)
{
	return time_has_unseen_models(summary) ? "What the program did" : "Outside of models";
}

uint32_t time_outside(const struct summary *summary, struct printable line[TIME_OUTSIDE])
{
	struct outside_part part[TIME_OUTSIDE - 1];
	uint32_t n = outside_parts(summary, SUMMARY_NONE, part, TIME_OUTSIDE - 1), n_lines = 0;
	uint64_t whole_ns = summary->time.outside_ns, rest_ns = whole_ns;

	for (uint32_t i = 0; i < n && (!i || part[i].ns >= whole_ns / 50); i++) {
		line[n_lines] = (struct printable){ "" };
		printable_add(&line[n_lines], "%s", units_duration((double)part[i].ns).s);
		printable_add(&line[n_lines++], " (%s) %s", units_percent((double)part[i].ns / (double)whole_ns).s,
			      outside_part_words(summary, &part[i]).s);
		rest_ns -= part[i].ns;
	}
	if (!n_lines || rest_ns < whole_ns / 1000)
		return n_lines;
	line[n_lines] = (struct printable){ "" };
	printable_add(&line[n_lines], "%s in other places", units_duration((double)rest_ns).s);
	rest_ns = outside_state_ns(summary, SUMMARY_NONE, SAMPLE_UNKNOWN);
	if (rest_ns)
		printable_add(&line[n_lines], ", %s of that not explained by a sample",
			      units_duration((double)rest_ns).s);
	return n_lines + 1;
}
