// SPDX-License-Identifier: Apache-2.0
/* What the other parts of a summary in the making share. Calls none of them. */
#include <string.h>

#include "analyze/summary/sum_in.h"

bool sum_is_failure(struct summary_maker *maker, uint32_t status)
{
	if (!status || status == maker->ok)
		return false;
	if (strcmp(names_text(maker->names, status), "ok") != 0)
		return true;
	maker->ok = status;
	return false;
}

struct summary_spread sum_spread(struct stats *stats)
{
	struct summary_spread spread = { .n = stats->n,
					 .mean_ns = stats_mean(stats),
					 .interval_ns = stats_interval(stats).half,
					 .is_exact = stats_is_exact(stats) };

	if (stats->n) {
		spread.total_ns = stats->sum;
		spread.min_ns = stats->min;
		spread.p50_ns = stats_percentile(stats, 0.5);
		spread.p90_ns = stats_percentile(stats, 0.9);
		spread.p99_ns = stats_percentile(stats, 0.99);
		spread.max_ns = stats->max;
	}
	stats_done(stats);
	*stats = (struct stats){ .limit = stats->limit };
	return spread;
}

void sum_facts_take(struct facts *facts, const struct arg *args, size_t n, uint64_t *inference)
{
	static const struct {
		uint8_t fact, type; /* fact: + 1 */
	} known[N_KEYS] = {
		[KEY_SESSION] = { FACT_SESSION + 1, ARG_INT },
		[KEY_ID] = { FACT_ID + 1, ARG_INT },
		[KEY_TID] = { FACT_TID + 1, ARG_INT },
		[KEY_BATCH] = { FACT_BATCH + 1, ARG_INT },
		[KEY_FIRST] = { FACT_FIRST + 1, ARG_INT },
		[KEY_PARTIAL] = { FACT_PARTIAL + 1, ARG_INT },
		[KEY_RUN_QUEUE_NS] = { FACT_RUN_QUEUE + 1, ARG_INT },
		[KEY_THREAD_CPU_NS] = { FACT_THREAD_CPU + 1, ARG_INT },
		[KEY_FAULTS] = { FACT_FAULTS + 1, ARG_INT },
		[KEY_SWITCHES] = { FACT_SWITCHES + 1, ARG_INT },
		[KEY_USAGE_OF_SLOW] = { FACT_USAGE_OF_SLOW + 1, ARG_INT },
		[KEY_MAJOR_FAULTS] = { FACT_MAJOR_FAULTS + 1, ARG_INT },
		[KEY_READ_BYTES] = { FACT_READ_BYTES + 1, ARG_INT },
		[KEY_POOL_QUEUE_NS] = { FACT_POOL_QUEUE + 1, ARG_INT },
		[KEY_BYTES] = { FACT_BYTES + 1, ARG_INT },
		[KEY_ALLOCATED] = { FACT_ALLOCATED + 1, ARG_INT },
		[KEY_COUNT] = { FACT_COUNT + 1, ARG_INT },
		[KEY_QUEUED_NS] = { FACT_QUEUED + 1, ARG_INT },
		[KEY_CAPABILITIES] = { FACT_CAPABILITIES + 1, ARG_INT },
		[KEY_MODIFIED] = { FACT_MODIFIED + 1, ARG_INT },
		[KEY_WEIGHT] = { FACT_WEIGHT + 1, ARG_INT },
		[KEY_SUBNORMAL] = { FACT_SUBNORMAL + 1, ARG_INT },
		[KEY_POOL_THREADS] = { FACT_POOL_THREADS + 1, ARG_INT },
		[KEY_POOL_CPU_NS] = { FACT_POOL_CPU + 1, ARG_INT },
		[KEY_POOLED] = { FACT_POOLED + 1, ARG_INT },
		[KEY_GRADIENTS] = { FACT_GRADIENTS + 1, ARG_INT },
		[KEY_TRAINING_MODE] = { FACT_TRAINING_MODE + 1, ARG_INT },
		[KEY_TIMED] = { FACT_TIMED + 1, ARG_INT },
		[KEY_FOLLOWS] = { FACT_FOLLOWS + 1, ARG_INT },
		[KEY_MODEL] = { FACT_MODEL + 1, ARG_NAME },
		[KEY_STATUS] = { FACT_STATUS + 1, ARG_NAME },
		[KEY_SHAPES] = { FACT_SHAPES + 1, ARG_NAME },
		[KEY_SEQUENCES] = { FACT_SEQUENCES + 1, ARG_NAME },
		[KEY_TAG] = { FACT_TAG + 1, ARG_NAME },
		[KEY_CALLER] = { FACT_CALLER + 1, ARG_NAME },
		[KEY_OP_TYPE] = { FACT_OP_TYPE + 1, ARG_NAME },
		[KEY_PROVIDER] = { FACT_PROVIDER + 1, ARG_NAME },
		[KEY_DIRECTION] = { FACT_DIRECTION + 1, ARG_NAME },
		[KEY_OPERATOR] = { FACT_OPERATOR + 1, ARG_NAME },
		[KEY_TEXT] = { FACT_TEXT + 1, ARG_NAME },
	};

	for (const struct arg *arg = args; arg < args + n; arg++) {
		unsigned fact;

		if (arg->key == KEY_INFERENCE && arg->type == ARG_INT) {
			*inference = arg->integer > 0 ? (uint64_t)arg->integer : 0;
			continue;
		}
		fact = arg->key < N_KEYS && known[arg->key].type == arg->type ? known[arg->key].fact : 0;
		if (!fact)
			continue;
		facts->has |= 1ull << (fact - 1);
		facts->value[fact - 1] = arg->type == ARG_NAME ? (int64_t)arg->name : arg->integer;
	}
}

uint32_t sum_process_of(struct summary_maker *maker, struct track *track)
{
	const struct track *at = track;

	if (track->epoch == maker->n_defined)
		return track->process;
	track->epoch = maker->n_defined;
	track->process = 0;
	/* parents may form a circle in a broken file */
	for (int hops = 0; hops < 64; hops++) {
		if (at->def.type == TRACK_PROCESS) {
			track->process = keys_find(&maker->process_keys, (uint64_t)(at - maker->tracks), 0);
			break;
		}
		if (!at->def.parent || at->def.parent > maker->n_tracks || !maker->tracks[at->def.parent].is_defined)
			break;
		at = &maker->tracks[at->def.parent];
	}
	return track->process;
}

/*
 * The processes of a program run a model together; one without a name is a program of its own. Where they are told
 * apart, a server may replace its workers all the time: of more than a table can show, all of a program are one.
 */
uint32_t sum_group_of(struct summary_maker *maker, uint32_t process)
{
	struct process *own = process_at(maker, process);
	uint32_t n = maker->group_keys.n, index, name, *first;

	if (own->group)
		return own->group - 1;
	own->group = process + 1;
	name = maker->tracks[own->track].def.name;
	if (process < MAX_PROCESSES && (maker->opts.by_process || !name))
		return process;
	index = keys_number(&maker->group_keys, name, 0);
	if (index == NONE || (index == n && !(first = array_add(&maker->groups, sizeof *first))))
		return NONE;
	first = (uint32_t *)maker->groups.data + index;
	if (index == n)
		*first = process;
	own->group = *first + 1;
	return *first;
}

void sum_busy_begin(struct busy *busy, uint64_t time_ns)
{
	if (busy->is_open && !busy->n_active && busy->end_ns < time_ns) {
		busy->total_ns += busy->end_ns - busy->start_ns;
		busy->is_open = false;
	}
	if (!busy->is_open) {
		busy->is_open = true;
		busy->start_ns = busy->end_ns = time_ns;
	}
	busy->n_active++;
}

void sum_busy_end(struct busy *busy, uint64_t time_ns)
{
	busy->n_active--;
	if (time_ns > busy->end_ns)
		busy->end_ns = time_ns;
}

uint64_t sum_busy_at(const struct busy *busy, uint64_t time_ns)
{
	uint64_t end_ns = busy->n_active ? time_ns : busy->end_ns;

	return busy->total_ns + (busy->is_open && end_ns > busy->start_ns ? end_ns - busy->start_ns : 0);
}
