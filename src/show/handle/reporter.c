// SPDX-License-Identifier: Apache-2.0
/*
 * What has ended when a flush begins is read by the next one at the latest: so far reports are complete. Inferences of
 * a process that is found later than that are in a later report.
 */
#include "show/handle/reporter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "profile/items.h"

static void end_recording(const struct reporter *reporter)
{
	uint64_t one = 1;

	if (write(reporter->done_fd, &one, sizeof one) < 0)
		return; /* it is readable already */
}

static bool send(void *to, struct profile_letter *letter)
{
	struct reporter *reporter = to;

	if (!reporter->err.code &&
	    report_out_put(reporter->opts.out, &letter->report, reporter->offset_ns, &reporter->err))
		end_recording(reporter);
	profile_free_letter(letter);
	return true;
}

/* Running. NULL: out of memory. */
static struct inftrace_profile *add_profile(struct reporter *reporter, const char *model)
{
	struct inftrace_profile *profile = calloc(1, sizeof *profile);

	if (!profile)
		return NULL;
	profile->is_stream = !model;
	profile->takes_all = !model && !reporter->opts.models;
	profile->n_samples = reporter->opts.n_samples;
	profile->rate_ns = reporter->opts.rate_ns;
	profile->every = reporter->opts.every;
	profile->type = reporter->opts.type;
	profile->send = send;
	profile->to = reporter;
	if (model && profile_add(profile, model)) {
		profile_free(profile);
		return NULL;
	}
	profile->next = reporter->profiles;
	reporter->profiles = profile;
	profile_start(profile, &reporter->gather, reporter->start_ns);
	return profile;
}

static bool has_profile(const struct reporter *reporter, const char *model)
{
	for (const struct inftrace_profile *profile = reporter->profiles; profile; profile = profile->next)
		if (items_named(profile, model))
			return true;
	return false;
}

static void take(void *ctx, const struct sample *sample)
{
	struct reporter *reporter = ctx;

	for (struct inftrace_profile *profile = reporter->profiles; profile; profile = profile->next)
		profile_take(profile, &reporter->gather, sample, reporter->offset_ns);
}

static void came(void *ctx, const struct gather_program *program, bool is_new)
{
	struct reporter *reporter = ctx;
	const char *name = names_text(reporter->gather.sink.names, program->model);
	struct pattern *models = reporter->opts.models;

	if (!reporter->opts.n_samples)
		profile_came(reporter->profiles, &reporter->gather, program, is_new);
	else if (!has_profile(reporter, name) && (!models || pattern_search(models, name, strlen(name)) > 0))
		add_profile(reporter, name);
}

static void gone(void *ctx, const struct gather_program *program, uint64_t time_ns)
{
	struct reporter *reporter = ctx;

	if (!reporter->opts.n_samples)
		profile_gone(reporter->profiles, &reporter->gather, program, time_ns, reporter->offset_ns);
}

static void advance(struct reporter *reporter, uint64_t until_ns)
{
	bool is_done = reporter->profiles != NULL;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	reporter->offset_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - (int64_t)clock_ns();
	gather_advance(&reporter->gather, until_ns);
	for (struct inftrace_profile *profile = reporter->profiles; profile; profile = profile->next) {
		profile_advance(profile, &reporter->gather, until_ns, reporter->offset_ns);
		is_done &= profile->state == PROFILE_IDLE;
	}
	if (is_done)
		end_recording(reporter);
}

static int flush(struct sink *sink, struct err *err)
{
	struct reporter *reporter = (struct reporter *)sink;
	uint64_t until_ns = reporter->flushed_ns;

	reporter->flushed_ns = clock_ns();
	if (until_ns)
		advance(reporter, until_ns);
	return 0;
}

int reporter_init(struct reporter *reporter, const struct reporter_opts *opts, struct names *names,
		  uint32_t *last_track, struct err *err)
{
	*reporter = (struct reporter){ .opts = *opts, .start_ns = clock_ns(), .done_fd = -1 };
	if (!gather_init(&reporter->gather, names, last_track))
		return err_no_memory(err, "cannot gather inferences");
	reporter->gather.sink.flush = flush;
	reporter->gather.with_parts = opts->type == INFTRACE_TRACE;
	reporter->gather.calls = (struct gather_calls){ take, came, gone, reporter };
	reporter->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (reporter->done_fd < 0)
		return err_set(err, errno, "cannot make an event descriptor: %s", strerror(errno));
	if (opts->n_samples)
		return 0;
	if (!add_profile(reporter, NULL))
		return err_no_memory(err, "cannot make a handle");
	reporter->profiles->models = opts->models;
	reporter->opts.models = NULL;
	return 0;
}

void reporter_end(struct reporter *reporter)
{
	uint64_t now_ns = clock_ns();

	for (struct inftrace_profile *profile = reporter->profiles; profile; profile = profile->next)
		if (profile->state == PROFILE_RUNNING) {
			profile->state = PROFILE_STOPPING;
			profile->stop_ns = now_ns;
		}
	advance(reporter, now_ns);
}

void reporter_done(struct reporter *reporter)
{
	struct inftrace_profile *next;

	for (struct inftrace_profile *profile = reporter->profiles; profile; profile = next) {
		next = profile->next;
		profile_free(profile);
	}
	reporter->profiles = NULL;
	pattern_free(reporter->opts.models);
	reporter->opts.models = NULL;
	if (reporter->done_fd >= 0)
		close(reporter->done_fd);
	reporter->done_fd = -1;
	gather_done(&reporter->gather);
}
