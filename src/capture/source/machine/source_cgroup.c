// SPDX-License-Identifier: Apache-2.0
/*
 * What CPU quotas do to each process. "throttled": percent of the time that its cgroup was out of quota, summed over
 * the CPUs that had something to run for it. The quota may be that of a cgroup further up: the largest of the path
 * counts. "cpu quota" is the least of the path, in CPUs, when that changes. Each cgroup of the path that has a quota
 * has its own with its path in the name, "cpu quota of PATH", and once it was throttled, "quota periods of PATH", those
 * of them that were "throttled periods of PATH", and the "throttled time of PATH", all since the process was first seen
 * in it. No counter where there is no quota, or it is never used up.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/proc/cgroup_cpu.h"
#include "capture/proc/machine.h"
#include "capture/source/counter.h"
#include "capture/source/follow.h"

#define SPAN_NS UINT64_C(8000000)
#define PATH_NS UINT64_C(200000000)

/* What is told of a cgroup of the path. */
struct level {
	struct counter quota, periods, throttled, time;
	double told; /* quota as told last; 0: none */
	struct cgroup_cpu_use first, base;
};

struct cgroup_item {
	struct followed followed;
	struct held throttled;
	struct counter quota; /* the least */
	double told;	      /* as told last; 0: none */
	struct cgroup_cpu cgroup;
	uint64_t path_ns; /* when its path and quotas are read again */
	bool has_base;
	uint64_t base_ns, first_ns;
	struct level level[CGROUP_CPU_LEVELS];
};

static int check(const struct target *target, struct err *err)
{
	char text[4096];
	ssize_t got = target->pid ? proc_read(target->sysroot, target->pid, "cgroup", text, sizeof text) : 0;

	return got < 0 ? err_set(err, (int)-got, "cannot read %s/proc/%d/cgroup: %s", target->sysroot, (int)target->pid,
				 strerror((int)-got))
		       : 0;
}

static int put_of_level(const struct sample *sample, const struct cgroup_item *item, int level, struct counter *counter,
			struct counter_value value)
{
	size_t len = item->cgroup.level[level].len;
	char name[CGROUP_CPU_PATH + 32];

	snprintf(name, sizeof name, "%s of %.*s", value.name, len ? (int)len : 1, len ? item->cgroup.path : "/");
	value.name = name;
	value.parent = sample->process->track;
	return counter_put(counter, &value, sample->out, sample->err);
}

/* One that was lifted is as large as the machine. */
static bool is_other(const struct sample *sample, double *quota, double *told)
{
	if (!(*quota > 0) && *told > 0)
		*quota = machine_cpus(sample->target->sysroot);
	if (!(*quota > 0) || (*told >= *quota && *told <= *quota))
		return false;
	*told = *quota;
	return true;
}

static int put_quotas(const struct sample *sample, struct cgroup_item *item, uint64_t time_ns)
{
	double least = 0;
	int result = 0;

	for (int i = 0; !result && i < item->cgroup.n; i++) {
		double quota = cgroup_cpu_quota(&item->cgroup, sample->target->sysroot, i);

		least = quota > 0 && !(least > 0 && least <= quota) ? quota : least;
		if (is_other(sample, &quota, &item->level[i].told))
			result = put_of_level(sample, item, i, &item->level[i].quota,
					      (struct counter_value){ "cpu quota", "CPUs", 0, time_ns, quota });
	}
	if (result || !is_other(sample, &least, &item->told))
		return result;
	return counter_put(&item->quota,
			   &(struct counter_value){ "cpu quota", "CPUs", sample->process->track, time_ns, least },
			   sample->out, sample->err);
}

/* Each begins with 0. */
static int put_totals(const struct sample *sample, struct cgroup_item *item, int level, uint64_t time_ns)
{
	struct level *to = &item->level[level];
	const struct cgroup_cpu_use *first = &to->first, *now = &to->base;
	const struct {
		struct counter *counter;
		const char *name, *unit;
		uint64_t value;
	} totals[] = {
		{ &to->periods, "quota periods", "count", now->n_periods - first->n_periods },
		{ &to->throttled, "throttled periods", "count", now->n_throttled - first->n_throttled },
		{ &to->time, "throttled time", "ns", now->throttled_ns - first->throttled_ns },
	};
	int result = 0;

	if (now->n_throttled <= first->n_throttled)
		return 0;
	for (size_t i = 0; !result && i < sizeof totals / sizeof *totals; i++) {
		struct counter_value value = { totals[i].name, totals[i].unit, 0, item->first_ns, 0 };

		if (!totals[i].counter->track)
			result = put_of_level(sample, item, level, totals[i].counter, value);
		value.time_ns = time_ns;
		value.value = (double)totals[i].value;
		result = result ? result : put_of_level(sample, item, level, totals[i].counter, value);
	}
	return result;
}

/* By how much the levels have grown: the one that grew most. A count that shrinks is not believed. */
static uint64_t growth(struct cgroup_item *item)
{
	uint64_t most = 0;

	for (int i = 0; i < item->cgroup.n; i++) {
		struct cgroup_cpu_use *base = &item->level[i].base, now;
		uint64_t more;

		if (!cgroup_cpu_read(&item->cgroup, i, &now) || now.throttled_ns < base->throttled_ns ||
		    now.n_periods < base->n_periods || now.n_throttled < base->n_throttled)
			continue;
		more = now.throttled_ns - base->throttled_ns;
		*base = now;
		most = more > most ? more : most;
	}
	return most;
}

static void look_again(const struct sample *sample, struct cgroup_item *item, uint64_t time_ns)
{
	if (cgroup_cpu_find(&item->cgroup, sample->target->sysroot, sample->process->pid)) {
		memset(item->level, 0, sizeof item->level);
		item->has_base = false;
	}
	if (item->has_base || !item->cgroup.n)
		return;
	growth(item);
	for (int i = 0; i < item->cgroup.n; i++)
		item->level[i].first = item->level[i].base;
	item->has_base = true;
	item->base_ns = item->first_ns = time_ns;
}

static int put_throttled(const struct sample *sample, struct cgroup_item *item, uint64_t time_ns)
{
	uint64_t span_ns = time_ns - item->base_ns;

	if (span_ns < SPAN_NS)
		return 0;
	item->base_ns = time_ns;
	return held_put_any(&item->throttled,
			    &(struct counter_value){ "throttled", "%", sample->process->track, time_ns,
						     (double)growth(item) / (double)span_ns * 100 },
			    sample->target->is_ending, sample->out, sample->err);
}

static int sample_process(void *data, const struct sample *sample, void *data_item)
{
	struct cgroup_item *item = data_item;
	uint64_t time_ns = sample_clock_ns(sample->target, sample->now_ns);
	bool is_due = sample->now_ns >= item->path_ns || sample->target->is_ending;
	int result;

	if (is_due)
		look_again(sample, item, time_ns);
	if (!item->has_base)
		return 0;
	result = put_throttled(sample, item, time_ns);
	if (result || !is_due)
		return result;
	item->path_ns = sample->now_ns + PATH_NS;
	result = put_quotas(sample, item, time_ns);
	for (int i = 0; !result && time_ns > item->first_ns && i < item->cgroup.n; i++)
		result = put_totals(sample, item, i, time_ns);
	return result;
}

static void close_item(void *data_item)
{
	cgroup_cpu_close(&((struct cgroup_item *)data_item)->cgroup);
}

static const struct follow_kind cgroup_kind = { sizeof(struct cgroup_item), sample_process, close_item,
						.is_fine = true };

static int start(void *state, const struct target *target, struct sink *out, struct err *err)
{
	*(struct sampler *)state = (struct sampler){ .kind = &cgroup_kind, .fine.target = target };
	return 0;
}

const struct source source_cgroup = {
	.name = "cgroup",
	.help = "CPU quotas of cgroups, and time without",
	.state_size = sizeof(struct sampler),
	.check = check,
	.start = start,
	.due_ms = sampler_due_ms,
	.drain = sampler_drain,
	.stop = sampler_stop,
};
