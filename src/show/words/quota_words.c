// SPDX-License-Identifier: Apache-2.0
#include "show/words/quota_words.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

struct quota {
	double cpus, periods, throttled, throttled_ns; /* NAN: not known */
};

static double last_of(const struct summary *summary, uint32_t process, const char *name)
{
	for (uint32_t i = 0; i < summary->n_resources; i++)
		if (summary->resources[i].process == process &&
		    !strcmp(names_text(summary->names, summary->resources[i].name), name))
			return summary->resources[i].last;
	return NAN;
}

static bool is_shorter(const struct quota *a, const struct quota *b)
{
	if (isnan(b->cpus) || isnan(a->throttled) != isnan(b->throttled))
		return isnan(b->throttled);
	return isnan(a->throttled) ? a->cpus < b->cpus : a->throttled > b->throttled;
}

static struct quota find(const struct summary *summary)
{
	struct quota found = { NAN, NAN, NAN, NAN };

	for (uint32_t i = 0; i < summary->n_processes; i++) {
		struct quota own = { .cpus = last_of(summary, i, "cpu quota") };

		if (!(own.cpus > 0))
			continue;
		own.periods = last_of(summary, i, "quota periods");
		own.throttled = last_of(summary, i, "throttled periods");
		own.throttled_ns = last_of(summary, i, "throttled time");
		if (is_shorter(&own, &found))
			found = own;
	}
	return found;
}

static void add_throttled(struct printable *text, const struct quota *quota)
{
	if (quota->throttled > 0)
		printable_add(text, "throttled in %s of %s, for %s", units_count((uint64_t)quota->throttled).s,
			      printable_count((uint64_t)quota->periods, "period").s,
			      units_duration(quota->throttled_ns).s);
}

struct printable quota_words(const struct summary *summary)
{
	struct quota quota = find(summary);
	struct printable text = { "" };

	if (!(quota.cpus > 0))
		return text;
	printable_add(&text, "%s CPUs%s", units_decimal(quota.cpus).s, quota.throttled > 0 ? "; " : "");
	add_throttled(&text, &quota);
	return text;
}

struct printable quota_sentence(const struct summary *summary)
{
	struct quota quota = find(summary);
	struct printable text = { "" };

	printable_add(&text, "Its cgroup may use %s CPUs and was ", units_decimal(quota.cpus).s);
	add_throttled(&text, &quota);
	return text;
}

bool quota_is_short(const struct summary *summary)
{
	struct quota quota = find(summary);

	return quota.throttled >= 5 && quota.throttled >= 0.1 * quota.periods;
}
