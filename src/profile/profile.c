// SPDX-License-Identifier: Apache-2.0
/* Handles of samples and streams: which inferences count, and when a report is complete. */
#include "profile/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/items.h"

static bool has_pattern(const struct inftrace_profile *profile)
{
	return profile->models || profile->takes_all;
}

void profile_free_letter(struct profile_letter *letter)
{
	if (!letter)
		return;
	free(letter->text);
	free(letter->model);
	free(letter);
}

/* NULL: out of memory. */
static struct profile_letter *write_letter(struct inftrace_profile *profile, struct gather *gather,
					   struct profile_item *item, uint64_t to_ns)
{
	struct profile_letter *letter = calloc(1, sizeof *letter);
	const char *note = profile->note[0] ? profile->note : gather->note;
	size_t len = 0;

	if (!letter)
		return NULL;
	letter->profile = profile;
	letter->report = (struct inftrace_report){ .size = sizeof letter->report,
						   .type = profile->type,
						   .n_samples = item->report.n_samples,
						   .from_ns = profile->from_ns,
						   .to_ns = to_ns,
						   .session = (const void *)(uintptr_t)item->object,
						   .n_lost = gather->n_lost - profile->n_lost + profile->n_dropped };
	letter->model = strdup(item->name ? item->name : "");
	letter->text = report_end(&item->report, gather, &len);
	if (!letter->text || !letter->model) {
		profile_free_letter(letter);
		return NULL;
	}
	snprintf(letter->note, sizeof letter->note, "%s", note);
	letter->report.note = letter->note[0] ? letter->note : NULL;
	letter->report.model = letter->model;
	letter->report.text = letter->text;
	letter->report.text_len = len;
	return letter;
}

/* False: it is dropped. */
static bool send(struct inftrace_profile *profile, struct gather *gather, struct profile_item *item, uint64_t to_ns)
{
	uint32_t n_samples = item->report.n_samples;
	struct profile_letter *letter = write_letter(profile, gather, item, to_ns);

	if (letter && profile->send(profile->to, letter))
		return true;
	if (!letter)
		report_done(&item->report);
	profile->n_dropped += n_samples;
	return false;
}

static void send_all(struct inftrace_profile *profile, struct gather *gather, uint64_t to_ns)
{
	uint64_t n_dropped = profile->n_dropped;
	bool is_sent = false;

	for (size_t i = 0; i < profile->items.n; i++)
		if (profile->is_stream ? !item_at(profile, i)->is_out : item_at(profile, i)->report.n_samples != 0)
			is_sent |= send(profile, gather, item_at(profile, i), to_ns);
	profile->from_ns = to_ns;
	if (!is_sent)
		return;
	profile->n_dropped -= n_dropped; /* what was dropped before stands in these */
	profile->n_lost = gather->n_lost;
}

/* A session that was created after the last report and is released before the next one. */
static void send_last(struct inftrace_profile *profile, struct gather *gather, struct profile_item *item,
		      uint64_t to_ns)
{
	if (gather && profile->state != PROFILE_IDLE && !item->is_out)
		send(profile, gather, item, to_ns > profile->from_ns ? to_ns : profile->from_ns);
}

int profile_add(struct inftrace_profile *profile, const char *name)
{
	struct profile_item *item = items_named(profile, name);

	if (item && !item->is_out && !item->is_enrolled)
		return -EALREADY;
	if (!item)
		item = items_add(profile, name, 0);
	if (!item)
		return -ENOMEM;
	item->is_out = item->is_enrolled = false;
	return 0;
}

/* The last one: an earlier session with this address was released. */
static const struct gather_program *program_of_object(const struct gather *gather, uint64_t object)
{
	const struct gather_program *programs = gather->programs.data, *found = NULL;

	for (size_t i = 0; i < gather->programs.n; i++)
		if (programs[i].object == object && (!found || programs[i].number > found->number))
			found = &programs[i];
	return found && !found->gone_ns ? found : NULL;
}

static void bind(const struct gather *gather, struct profile_item *item)
{
	const struct gather_program *program = program_of_object(gather, item->object);

	if (program)
		items_bind(item, program, names_text(gather->sink.names, program->model));
}

int profile_add_session(struct inftrace_profile *profile, const struct gather *gather, uint64_t object)
{
	struct profile_item *item;

	if (items_of_object(profile, object))
		return -EALREADY;
	item = items_add(profile, NULL, object);
	if (!item)
		return -ENOMEM;
	if (gather)
		bind(gather, item);
	return 0;
}

int profile_remove(struct inftrace_profile *profile, struct gather *gather, const char *name, uint64_t now_ns)
{
	struct profile_item *item = items_named(profile, name);

	if (!item || item->is_out)
		return -ENOENT;
	send_last(profile, gather, item, now_ns);
	if (!has_pattern(profile) || profile->state == PROFILE_IDLE)
		items_remove(profile, item);
	else
		item->is_out = true;
	return 0;
}

int profile_remove_session(struct inftrace_profile *profile, struct gather *gather, uint64_t object, uint64_t now_ns)
{
	struct profile_item *item = items_of_object(profile, object);

	if (!item)
		return -ENOENT;
	send_last(profile, gather, item, now_ns);
	items_remove(profile, item);
	return 0;
}

void profile_forget_sessions(struct inftrace_profile *profile)
{
	for (size_t i = 0; i < profile->items.n; i++)
		item_at(profile, i)->number = 0;
}

void profile_free(struct inftrace_profile *profile)
{
	while (profile->items.n)
		items_remove(profile, item_at(profile, profile->items.n - 1));
	array_done(&profile->items, sizeof(struct profile_item));
	pattern_free(profile->models);
	free(profile);
}

static bool matches(struct inftrace_profile *profile, const char *name)
{
	int found = profile->takes_all ? 1 : pattern_search(profile->models, name, strlen(name));

	if (found < 0 && !profile->note[0])
		snprintf(profile->note, sizeof profile->note,
			 "the pattern takes too long for the name '%.200s', which is left out", name);
	return found > 0;
}

void profile_came(struct inftrace_profile *profile, const struct gather *gather, const struct gather_program *program,
		  bool is_new)
{
	const char *name = names_text(gather->sink.names, program->model);
	struct profile_item *item;

	if (!has_pattern(profile) || profile->state == PROFILE_IDLE)
		return;
	item = items_named(profile, name);
	if (item ? !item->is_out || !is_new : !matches(profile, name))
		return;
	if (!item)
		item = items_add(profile, name, 0);
	if (item) {
		item->is_out = false;
		item->is_enrolled = true;
	}
}

void profile_start(struct inftrace_profile *profile, struct gather *gather, uint64_t now_ns)
{
	const struct gather_program *programs = gather->programs.data;

	profile->state = PROFILE_RUNNING;
	profile->n_starts++;
	profile->from_ns = profile->start_ns = now_ns;
	profile->stop_ns = 0;
	profile->n_lost = gather->n_lost;
	profile->note[0] = 0;
	for (size_t i = 0; i < profile->items.n; i++) {
		item_at(profile, i)->n_seen = 0;
		if (item_at(profile, i)->object && !item_at(profile, i)->number)
			bind(gather, item_at(profile, i));
	}
	for (size_t i = 0; i < gather->programs.n; i++)
		if (!programs[i].gone_ns)
			profile_came(profile, gather, &programs[i], true);
}

uint64_t profile_due(const struct inftrace_profile *profile, int64_t offset_ns)
{
	uint64_t real_ns = profile->from_ns + (uint64_t)offset_ns;

	if (!profile->is_stream || profile->state == PROFILE_IDLE)
		return UINT64_MAX;
	return profile->from_ns + profile->rate_ns - real_ns % profile->rate_ns;
}

/* The end of the period that is over at until_ns: of the last one, if several are. */
static uint64_t boundary(const struct inftrace_profile *profile, uint64_t until_ns, int64_t offset_ns)
{
	return until_ns - (until_ns + (uint64_t)offset_ns) % profile->rate_ns;
}

/* The reports whose time has come before until_ns, and is not after the stop. */
static void report_due(struct inftrace_profile *profile, struct gather *gather, uint64_t until_ns, int64_t offset_ns)
{
	if (profile->stop_ns && until_ns > profile->stop_ns)
		until_ns = profile->stop_ns;
	if (profile_due(profile, offset_ns) < until_ns)
		send_all(profile, gather, boundary(profile, until_ns - 1, offset_ns));
}

/* What the pattern has brought goes, so that the next start finds it again. */
static void finish(struct inftrace_profile *profile, struct gather *gather, uint64_t to_ns)
{
	send_all(profile, gather, to_ns);
	profile->state = PROFILE_IDLE;
	for (size_t i = profile->items.n; i-- > 0;)
		if (item_at(profile, i)->is_enrolled || item_at(profile, i)->is_out)
			items_remove(profile, item_at(profile, i));
}

/* Whether the inference is of this program. */
static bool is_of(struct profile_item *item, const struct sample *sample, const char *name)
{
	if (!item->object)
		return !item->is_out && !strcmp(item->name, name);
	if (item->number || item->object != sample->program.object)
		return item->number && item->number == sample->program.number;
	items_bind(item, &sample->program, name);
	return true;
}

static void add(struct inftrace_profile *profile, const struct gather *gather, struct profile_item *item,
		const struct sample *sample)
{
	if (item->n_seen++ % profile->every)
		return;
	if (report_add(&item->report, gather, sample))
		profile->n_dropped++;
}

void profile_take(struct inftrace_profile *profile, struct gather *gather, const struct sample *sample,
		  int64_t offset_ns)
{
	const char *name = names_text(gather->sink.names, sample->program.model);
	uint64_t end_ns = sample->run.end_ns;

	if (profile->state == PROFILE_IDLE || sample->run.begin_ns < profile->start_ns ||
	    (profile->stop_ns && end_ns > profile->stop_ns))
		return;
	if (profile->is_stream)
		report_due(profile, gather, end_ns, offset_ns);
	for (size_t i = 0; i < profile->items.n; i++)
		if (is_of(item_at(profile, i), sample, name))
			add(profile, gather, item_at(profile, i), sample);
	if (!profile->is_stream && item_at(profile, 0)->report.n_samples == profile->n_samples)
		finish(profile, gather, end_ns);
}

static void end_session(struct inftrace_profile *profile, struct gather *gather, uint32_t number, uint64_t time_ns)
{
	for (size_t i = profile->items.n; number && i-- > 0;) {
		struct profile_item *item = item_at(profile, i);

		if (!item->object || item->number != number)
			continue;
		profile->is_gone = !profile->is_stream;
		if (profile->is_stream) {
			send_last(profile, gather, item, time_ns);
			items_remove(profile, item);
		} else if (profile->state != PROFILE_IDLE) {
			finish(profile, gather, time_ns > profile->from_ns ? time_ns : profile->from_ns);
		}
	}
}

void profile_gone(struct inftrace_profile *profile, struct gather *gather, const struct gather_program *program,
		  uint64_t time_ns, int64_t offset_ns)
{
	struct profile_item *item;

	if (profile->stop_ns && time_ns > profile->stop_ns)
		time_ns = profile->stop_ns;
	if (profile->is_stream && profile->state != PROFILE_IDLE)
		report_due(profile, gather, time_ns, offset_ns);
	end_session(profile, gather, program->number, time_ns);
	item = has_pattern(profile) ? items_named(profile, names_text(gather->sink.names, program->model)) : NULL;
	if (!item || !(item->is_enrolled || item->is_out) || gather_lives(gather, program->model))
		return;
	send_last(profile, gather, item, time_ns);
	items_remove(profile, item);
}

void profile_advance(struct inftrace_profile *profile, struct gather *gather, uint64_t until_ns, int64_t offset_ns)
{
	if (profile->state == PROFILE_IDLE)
		return;
	if (profile->is_stream)
		report_due(profile, gather, until_ns, offset_ns);
	if (profile->stop_ns && until_ns >= profile->stop_ns)
		finish(profile, gather, profile->stop_ns);
}
