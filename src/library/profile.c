// SPDX-License-Identifier: Apache-2.0
/* Handles of samples and streams: which inferences count, and when a report is complete. */
#include "library/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern const struct exporter export_chrome, export_latency_csv;

static struct profile_model *model_at(const struct inftrace_profile *profile, size_t i)
{
	return (struct profile_model *)profile->models.data + i;
}

static struct profile_model *find(const struct inftrace_profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->models.n; i++)
		if (!strcmp(model_at(profile, i)->name, name))
			return model_at(profile, i);
	return NULL;
}

int profile_add(struct inftrace_profile *profile, const char *name)
{
	struct profile_model *model;
	char *copy;

	if (find(profile, name))
		return -EALREADY;
	copy = strdup(name);
	model = copy ? array_add(&profile->models, sizeof *model) : NULL;
	if (!model) {
		free(copy);
		return -ENOMEM;
	}
	*model = (struct profile_model){ .name = copy };
	report_init(&model->report, profile->type == INFTRACE_TRACE ? &export_chrome : &export_latency_csv);
	return 0;
}

void profile_free_letter(struct profile_letter *letter)
{
	if (!letter)
		return;
	free(letter->text);
	free(letter->model);
	free(letter);
}

/* Sends what there is of a model; nothing without memory for it. */
static void send(struct inftrace_profile *profile, struct gather *gather, struct profile_model *model, uint64_t to_ns)
{
	struct profile_letter *letter = calloc(1, sizeof *letter);
	uint32_t n_samples = model->report.n_samples;
	size_t len = 0;

	if (letter) {
		letter->model = strdup(model->name);
		letter->text = report_end(&model->report, gather, &len);
	}
	if (!letter || !letter->text || !letter->model) {
		report_done(&model->report);
		profile_free_letter(letter);
		return;
	}
	letter->profile = profile;
	letter->report = (struct inftrace_report){ .size = sizeof letter->report,
						   .model = letter->model,
						   .text = letter->text,
						   .text_len = len,
						   .type = profile->type,
						   .n_samples = n_samples,
						   .from_ns = profile->from_ns,
						   .to_ns = to_ns };
	profile->send(profile->to, letter);
}

static void send_all(struct inftrace_profile *profile, struct gather *gather, uint64_t to_ns)
{
	for (size_t i = 0; i < profile->models.n; i++)
		if (profile->is_stream || model_at(profile, i)->report.n_samples)
			send(profile, gather, model_at(profile, i), to_ns);
	profile->from_ns = to_ns;
}

int profile_remove(struct inftrace_profile *profile, struct gather *gather, const char *name, uint64_t now_ns)
{
	struct profile_model *model = find(profile, name);
	size_t at = model ? (size_t)(model - model_at(profile, 0)) : 0;

	if (!model)
		return -ENOENT;
	if (gather)
		send(profile, gather, model, now_ns);
	report_done(&model->report);
	free(model->name);
	memmove(model, model + 1, (profile->models.n - at - 1) * sizeof *model);
	profile->models.n--;
	return 0;
}

void profile_free(struct inftrace_profile *profile)
{
	while (profile->models.n)
		profile_remove(profile, NULL, model_at(profile, 0)->name, 0);
	array_done(&profile->models, sizeof(struct profile_model));
	free(profile);
}

void profile_start(struct inftrace_profile *profile, uint64_t now_ns)
{
	profile->state = PROFILE_RUNNING;
	profile->n_starts++;
	profile->from_ns = profile->start_ns = now_ns;
	profile->stop_ns = 0;
	for (size_t i = 0; i < profile->models.n; i++)
		model_at(profile, i)->n_seen = 0;
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

static void finish(struct inftrace_profile *profile, struct gather *gather, uint64_t to_ns)
{
	send_all(profile, gather, to_ns);
	profile->state = PROFILE_IDLE;
}

void profile_take(struct inftrace_profile *profile, struct gather *gather, const struct sample *sample,
		  int64_t offset_ns)
{
	struct profile_model *model;
	uint64_t end_ns = sample->run.end_ns;

	if (profile->state == PROFILE_IDLE || sample->run.begin_ns < profile->start_ns ||
	    (profile->stop_ns && end_ns > profile->stop_ns))
		return;
	if (profile->is_stream)
		report_due(profile, gather, end_ns, offset_ns);
	model = find(profile, names_text(gather->sink.names, sample->model));
	if (!model || model->n_seen++ % profile->every)
		return;
	report_add(&model->report, gather, sample);
	if (!profile->is_stream && model->report.n_samples == profile->n_samples)
		finish(profile, gather, end_ns);
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
