// SPDX-License-Identifier: Apache-2.0
#include "analyze/result/program_quota.h"

#include <math.h>
#include <string.h>

#include "analyze/result/process_resources.h"

enum { LEAST_PERIODS = 5 };

static const double least_share = 0.1, least_of_waits = 0.25;
static const char of_path[] = "cpu quota of ";

static const struct summary_resource *find(const struct summary *summary, uint32_t process, const char *name,
					   const char *path)
{
	const struct summary_range own = process_resources(summary, process);
	size_t len = strlen(name);

	for (uint32_t i = own.first; i < own.first + own.n; i++) {
		const struct summary_resource *resource = &summary->resources[i];
		const char *text = names_text(summary->names, resource->name);

		if (!strncmp(text, name, len) && !strcmp(text + len, path))
			return resource;
	}
	return NULL;
}

/* It counts up from the first look at the process: what was counted in the part of the recording that is looked at. */
static double counted(const struct summary *summary, uint32_t process, const char *name, const char *path)
{
	const struct summary_resource *resource = find(summary, process, name, path);

	return resource && resource->last > resource->first ? resource->last - resource->first : NAN;
}

static struct program_quota level_of(const struct summary *summary, const struct summary_resource *resource)
{
	const char *path = names_text(summary->names, resource->name) + sizeof of_path - 1;
	uint32_t process = resource->process;

	return (struct program_quota){ .least = NAN,
				       .cpus = resource->last,
				       .before = resource->max,
				       .path = path,
				       .periods = counted(summary, process, "quota periods of ", path),
				       .throttled = counted(summary, process, "throttled periods of ", path),
				       .throttled_ns = counted(summary, process, "throttled time of ", path) };
}

static bool counts_more(const struct program_quota *a, const struct program_quota *b)
{
	if (isnan(b->cpus) || isnan(a->throttled_ns) != isnan(b->throttled_ns))
		return isnan(b->throttled_ns);
	return isnan(a->throttled_ns) ? a->cpus < b->cpus : a->throttled_ns > b->throttled_ns;
}

struct program_quota program_quota_of(const struct summary *summary, uint32_t process)
{
	const struct summary_resource *least = find(summary, process, "cpu quota", "");
	struct program_quota quota = { NAN, NAN, NAN, NULL, NAN, NAN, NAN };
	const struct summary_range own = process_resources(summary, process);

	for (uint32_t i = own.first; i < own.first + own.n; i++) {
		const struct summary_resource *resource = &summary->resources[i];
		struct program_quota level;

		if (strncmp(names_text(summary->names, resource->name), of_path, sizeof of_path - 1) != 0 ||
		    !(resource->last > 0))
			continue;
		level = level_of(summary, resource);
		if (counts_more(&level, &quota))
			quota = level;
	}
	quota.least = least && least->last > 0 ? least->last : NAN;
	return quota;
}

struct program_quota program_quota_of_all(const struct summary *summary)
{
	struct program_quota found = { NAN, NAN, NAN, NULL, NAN, NAN, NAN };

	for (uint32_t i = 0; i < summary->n_processes; i++) {
		struct program_quota own = program_quota_of(summary, i);

		if (!isnan(own.cpus) && counts_more(&own, &found))
			found = own;
	}
	return found;
}

/* Where others have the CPUs, a quota may be used up for moments, and inferences wait for those others all the same. */
static bool matters(const struct program_quota *quota, const struct summary_time *time)
{
	double least_ns =
	    time->waiting_ns ? least_of_waits * (double)time->waiting_ns : least_share * (double)time->inferences_ns;

	return isnan(quota->throttled_ns) || quota->throttled_ns >= least_ns;
}

bool program_quota_is_short(const struct program_quota *quota, const struct summary_time *time)
{
	return quota->throttled >= LEAST_PERIODS && quota->throttled >= least_share * quota->periods &&
	       matters(quota, time);
}
