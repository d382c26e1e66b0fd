// SPDX-License-Identifier: Apache-2.0
/* Members that occur in many objects. */
#include "show/json/json_in.h"

void json_summary_name(struct json_summary *to, const char *key, uint32_t name)
{
	json_text(&to->json, key, name ? names_text(to->names, name) : NULL);
}

void json_summary_time(struct json_summary *to, const char *key, uint64_t time_ns)
{
	uint64_t begin_ns = to->summary->recording.begin_ns;

	if (!time_ns || time_ns == STORE_OPEN || time_ns < begin_ns)
		json_null(&to->json, key);
	else
		json_count(&to->json, key, time_ns - begin_ns);
}

void json_summary_process(struct json_summary *to, uint32_t process)
{
	if (process == SUMMARY_NONE)
		json_null(&to->json, "pid");
	else
		json_known(&to->json, "pid", to->summary->processes[process].pid);
}

void json_summary_spread(struct json_summary *to, const char *key, const struct summary_spread *spread)
{
	if (!spread->n) {
		json_null(&to->json, key);
		return;
	}
	json_object(&to->json, key);
	json_count(&to->json, "count", spread->n);
	json_count(&to->json, "total_ns", spread->total_ns);
	json_real(&to->json, "mean_ns", spread->mean_ns);
	json_real(&to->json, "mean_interval_95_ns", spread->interval_ns);
	json_count(&to->json, "min_ns", spread->min_ns);
	json_count(&to->json, "p50_ns", spread->p50_ns);
	json_count(&to->json, "p90_ns", spread->p90_ns);
	json_count(&to->json, "p99_ns", spread->p99_ns);
	json_count(&to->json, "max_ns", spread->max_ns);
	json_bool(&to->json, "percentiles_are_exact", spread->is_exact);
	json_end(&to->json, '}');
}
