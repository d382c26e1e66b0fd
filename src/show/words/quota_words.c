// SPDX-License-Identifier: Apache-2.0
#include "show/words/quota_words.h"

#include <string.h>

#include "analyze/result/program_quota.h"
#include "analyze/result/result_words.h"
#include "base/text/units.h"

enum { PATH = 60 };

static void add_throttled(struct printable *text, const struct program_quota *quota)
{
	if (quota->throttled > 0)
		printable_add(text, "throttled in %s of %s, for %s", units_count((uint64_t)quota->throttled).s,
			      printable_count((uint64_t)quota->periods, "period").s,
			      units_duration(quota->throttled_ns).s);
}

static bool has_path(const struct program_quota *quota)
{
	return quota->path && strcmp(quota->path, "/") != 0;
}

struct printable quota_words(const struct summary *summary, bool is_ascii)
{
	struct program_quota quota = program_quota_of_all(summary);
	struct printable text = { "" };

	if (!(quota.cpus > 0))
		return text;
	printable_add(&text, "%s CPUs", units_decimal(quota.cpus).s);
	if (quota.before > quota.cpus)
		printable_add(&text, ", %s before", units_decimal(quota.before).s);
	if (has_path(&quota))
		printable_add(&text, " for %s", model_text(quota.path, PATH, is_ascii).s);
	if (quota.throttled > 0)
		printable_add(&text, "; ");
	add_throttled(&text, &quota);
	return text;
}

struct printable quota_sentence(const struct summary *summary)
{
	struct program_quota quota = program_quota_of_all(summary);
	struct printable text = { "" };

	printable_add(&text, "Its cgroup may use %s CPUs and was ", units_decimal(quota.cpus).s);
	add_throttled(&text, &quota);
	return text;
}

struct printable quota_machine(const struct model_machine *machine)
{
	struct printable text = { "" };

	if (!(machine->usable_cpus < (double)machine->n_all_cpus))
		return printable_count((uint64_t)machine->n_cpus, "CPU");
	printable_add(&text, "%s of ", units_decimal(machine->usable_cpus).s);
	printable_add(&text, "%s, by %s", printable_count((uint64_t)machine->n_all_cpus, "CPU").s,
		      machine->is_by_quota ? "the quota of its cgroup" : "its affinity");
	return text;
}

bool quota_is_short(const struct summary *summary)
{
	struct program_quota quota = program_quota_of_all(summary);

	return program_quota_is_short(&quota, &summary->time);
}
