// SPDX-License-Identifier: Apache-2.0
/* Decides which clock each file is placed by. The user's word holds; then common inferences; then what a file says. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text/units.h"
#include "trace/merge/merge_in.h"

enum { STAMP = 20, SAME_BOOT_NS = 20000000, NOTE_ERROR_NS = 10000000, NAME_EARLY_NS = 20000000 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "_dddd-dd-dd_dd-dd-dd" */
static bool is_stamp(const char *at)
{
	static const char form[] = "_0000-00-00_00-00-00";

	for (size_t i = 0; i < STAMP; i++)
		if (form[i] == '0' ? !is_digit(at[i]) : at[i] != form[i])
			return false;
	return true;
}

bool merge_time_of_name(const char *path, int64_t *realtime_ns, uint64_t *error_ns)
{
	const char *at = basename(path), *found = NULL;
	struct tm tm = { .tm_isdst = -1 };
	time_t seconds;
	int ms = 0;

	for (; strlen(at) >= STAMP; at++)
		if (is_stamp(at))
			found = at;
	if (!found || sscanf(found, "_%d-%d-%d_%d-%d-%d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min,
			     &tm.tm_sec) != 6)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	seconds = mktime(&tm);
	if (seconds < 0)
		return false;
	found += STAMP;
	*error_ns = 1000000000;
	if (found[0] == '_' && is_digit(found[1]) && is_digit(found[2]) && is_digit(found[3]) && !is_digit(found[4])) {
		ms = (found[1] - '0') * 100 + (found[2] - '0') * 10 + (found[3] - '0');
		*error_ns = 1000000;
	}
	*realtime_ns = (int64_t)seconds * 1000000000 + (int64_t)ms * 1000000;
	return true;
}

static void place(struct merge_file *file, int64_t offset_ns, const uint64_t *error_ns, const char *source)
{
	file->is_placed = true;
	file->offset_ns = offset_ns;
	file->has_error = error_ns;
	file->error_ns = error_ns ? *error_ns : 0;
	snprintf(file->source, sizeof file->source, "%s", source);
}

/* What stands for "not known" in messages: how the user can say it. */
static int refuse(const struct merge_file *file, const char *why, struct err *err)
{
	return err_set(err, EINVAL,
		       "cannot place %s: %s; give --offset %s=TIME, the time of its 0 in nanoseconds since 1970",
		       file->path, why, file->path);
}

/* Clock of the output: what to add to CLOCK_REALTIME. false: not known. */
static bool from_realtime(const struct merge_file *base, int64_t *ns)
{
	*ns = base ? 0 - base->facts.realtime_ns : 0;
	return !base || base->facts.has_realtime;
}

static int refuse_base(const struct merge_file *file, const struct merge_file *base, struct err *err)
{
	return err_set(
	    err, EINVAL,
	    "cannot place %s: %s does not say when it was recorded; give --offset %s=+TIME, how long after its "
	    "begin",
	    file->path, base->path, file->path);
}

static int place_given(struct merge_file *file, const struct merge_file *base, struct err *err)
{
	const uint64_t exact = 0;
	int64_t realtime;

	if (file->given == MERGE_GIVEN_AFTER && !base)
		return err_set(
		    err, EINVAL,
		    "cannot place %s: a time with a sign counts from the start of a recording of inftrace, and "
		    "none is given; give --offset %s=TIME, the time of its 0 in nanoseconds since 1970",
		    file->path, file->path);
	if (file->given == MERGE_GIVEN_AFTER) {
		place(file, (int64_t)base->facts.first_ns + file->given_ns, &exact, "the time that was given");
		return 0;
	}
	if (!from_realtime(base, &realtime))
		return refuse_base(file, base, err);
	place(file, file->given_ns + realtime, base ? &base->facts.set_ns : &exact, "the time that was given");
	return 0;
}

/* By CLOCK_REALTIME. Two recordings of one boot have the same CLOCK_MONOTONIC. */
static int place_snapshot(struct merge_file *file, const struct merge_file *base, struct err *err)
{
	int64_t realtime, offset;
	uint64_t apart;
	const uint64_t note = NOTE_ERROR_NS;

	if (!from_realtime(base, &realtime))
		return refuse_base(file, base, err);
	offset = file->facts.realtime_ns + realtime;
	apart = offset < 0 ? 0 - (uint64_t)offset : (uint64_t)offset;
	if (base && file->facts.is_recording && apart <= SAME_BOOT_NS &&
	    !strcmp(file->facts.machine, base->facts.machine)) {
		const uint64_t exact = 0;

		place(file, 0, &exact, "its clock, which is the same");
	} else if (file->facts.realtime_is) {
		place(file, offset, NULL, "");
		snprintf(file->source, sizeof file->source, "%s, by the wall clock", file->facts.realtime_is);
	} else {
		place(file, offset, &note, "the start in its notes, by the wall clock");
	}
	return 0;
}

static struct merge_prior prior_of(const struct merge_file *file, const struct merge_file *base)
{
	struct merge_prior prior = { 0 };
	int64_t realtime;

	prior.is_known = !strcmp(file->format, "ort-profile") && from_realtime(base, &realtime) &&
			 merge_time_of_name(file->path, &prior.offset_ns, &prior.error_ns);
	if (prior.is_known)
		prior.offset_ns += realtime;
	if (prior.is_known && base)
		prior.error_ns += base->facts.set_ns;
	return prior;
}

/* By inferences that a recording has, too. false: none does. */
static bool place_by_match(struct merge_file *file, const struct merge_file *files, size_t n,
			   const struct merge_prior *prior)
{
	struct merge_match match, best = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct merge_prior there = *prior;

		if (!files[i].facts.is_recording || !files[i].is_placed)
			continue;
		there.offset_ns -= files[i].offset_ns;
		if (merge_match(&file->facts, &files[i].facts, &there, &match) && match.n_pairs > best.n_pairs) {
			best = match;
			best.offset_ns += files[i].offset_ns;
		}
	}
	if (!best.n_pairs)
		return false;
	place(file, best.offset_ns, &best.error_ns, "");
	snprintf(file->source, sizeof file->source, "%" PRIu64 " inferences that both have", best.n_pairs);
	file->n_pairs = best.n_pairs;
	return true;
}

static int place_other(struct merge_file *file, const struct merge_file *files, size_t n, const struct merge_file *base,
		       struct err *err)
{
	struct merge_prior prior = prior_of(file, base);
	uint64_t start_ns, ignored;
	int64_t named;

	if (file->facts.has_no_begins)
		return refuse(file, "it has durations, but no begins", err);
	if (place_by_match(file, files, n, &prior))
		return 0;
	if (file->facts.realtime_is)
		return place_snapshot(file, base, err);
	/* the runtime makes the name, opens the file, and only then begins to count: 5 ms later where CPUs were busy */
	start_ns = prior.error_ns + NAME_EARLY_NS;
	if (prior.is_known) {
		place(file, prior.offset_ns, &start_ns, "its start time, which its name has");
		return 0;
	}
	if (!strcmp(file->format, "ort-profile") && !merge_time_of_name(file->path, &named, &ignored))
		return refuse(
		    file,
		    base ? "its name does not say when it began, and its inferences match those of no recording"
			 : "its name does not say when it began",
		    err);
	return refuse(file,
		      base ? "it does not say when it began, and its inferences match those of no recording"
			   : "it does not say when it began",
		      err);
}

/* A clock has no times below 0. */
static int check(const struct merge_file *file, const struct merge_file *base, struct err *err)
{
	int64_t first;

	if (!file->facts.has_events || file->offset_ns >= 0)
		return 0;
	first = (int64_t)file->facts.first_ns + file->offset_ns;
	if (file->facts.first_ns <= INT64_MAX && first >= 0)
		return 0;
	return err_set(
	    err, ERANGE,
	    "cannot place %s: according to %s, it starts %s before the clock of %s; the files come from different runs",
	    file->path, file->source, units_duration(-(double)first).s, base ? base->path : "the output");
}

int merge_place(struct merge_file *files, size_t n, size_t *base, struct err *err)
{
	const uint64_t exact = 0;
	const struct merge_file *clock;
	int code = 0;

	for (*base = 0; *base < n && !files[*base].facts.is_recording; ++*base)
		;
	clock = *base < n ? &files[*base] : NULL;
	if (clock)
		place(&files[*base], 0, &exact, "its own clock, which the others are placed on");
	for (size_t i = 0; i < n && !code; i++) {
		if (files[i].is_placed)
			continue;
		if (files[i].given)
			code = place_given(&files[i], clock, err);
		else if (files[i].facts.is_recording && files[i].facts.has_realtime)
			code = place_snapshot(&files[i], clock, err);
	}
	for (size_t i = 0; i < n && !code; i++)
		if (!files[i].is_placed)
			code = place_other(&files[i], files, n, clock, err);
	for (size_t i = 0; i < n && !code; i++)
		code = check(&files[i], clock, err);
	return code;
}
