// SPDX-License-Identifier: Apache-2.0
#include "show/words/usage_words.h"

#include <string.h>

#include "base/text/units.h"

/* Of fewer, unless they are half of all, an average says nothing. */
enum { LEAST = 20 };

static int64_t dearest_reading(const struct summary *summary)
{
	int64_t most_ns = 0;

	for (uint32_t i = 0; i < summary->n_runtimes; i++)
		most_ns = summary->runtimes[i].usage_ns > most_ns ? summary->runtimes[i].usage_ns : most_ns;
	return most_ns;
}

struct printable usage_missing(const struct summary *summary)
{
	int64_t ns = dearest_reading(summary);
	struct printable text = { "" };

	if (summary->recording.is_from_outside)
		printable_add(&text, "not recorded: the kernel's types cannot be read (/sys/kernel/btf/vmlinux)");
	else if (!strcmp(names_text(summary->names, summary->recording.level), "detail"))
		printable_add(&text, "no inference has them");
	else if (ns)
		printable_add(&text,
			      "reading them twice takes %s, which is more than 0.25 %% of an inference; --level detail "
			      "records them all the same",
			      units_duration(2 * (double)ns).s);
	else
		printable_add(&text, "not recorded");
	return text;
}

bool usage_is_known(const struct summary_runs *runs)
{
	return runs->n_usage >= LEAST || (runs->n_usage && runs->n_usage * 2 >= runs->latency.n);
}

struct printable usage_words(const struct summary_runs *runs)
{
	double n = (double)runs->n_usage;
	struct printable text = { "" };

	printable_add(&text, "%s of CPU", units_duration((double)runs->thread_cpu_ns / n).s);
	if (runs->n_waits)
		printable_add(&text, ", %s waiting for a CPU",
			      units_duration((double)runs->run_queue_ns / (double)runs->n_waits).s);
	printable_add(&text, ", %s page faults", units_decimal((double)runs->faults / n).s);
	printable_add(&text, ", %s context switches", units_decimal((double)runs->switches / n).s);
	if (runs->n_usage < runs->latency.n)
		printable_add(&text, " (%s of them were read)", units_count(runs->n_usage).s);
	return text;
}
