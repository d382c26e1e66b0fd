// SPDX-License-Identifier: Apache-2.0
/*
 * What counters said while a slow inference ran. A counter that may say why keeps its last values; when an inference
 * turns out to be slow, those that touch it are its evidence. A value stands for the time before it, so those that come
 * after its end are added to what is pending. Decides nothing: analyze/why does.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/summary/sum_slow.h"

/* No value that stands for time before the end of an inference comes later than that. */
#define PENDING_NS UINT64_C(20000000000)

static const struct {
	const char *name; /* ending in a blank: only the beginning of it */
	enum summary_gauge gauge;
	bool is_of_process;
} gauges[] = {
	{ "cpu", SUMMARY_CPU, true },
	{ "waiting for a cpu", SUMMARY_WAITING, true },
	{ "throttled", SUMMARY_THROTTLED, true },
	{ "disk reads", SUMMARY_READS, true },
	{ "cpu", SUMMARY_MACHINE_CPU, false },
	{ "stolen", SUMMARY_STOLEN, false },
	{ "memory pressure", SUMMARY_MEMORY_PRESSURE, false },
	{ "cpu frequency", SUMMARY_FREQUENCY, false },
	{ "temperature", SUMMARY_TEMPERATURE, false },
	{ "gpu ", SUMMARY_DEVICE, false },
	{ "npu ", SUMMARY_DEVICE, false },
	{ "gpu ", SUMMARY_DEVICE_OWN, true },
	{ "npu ", SUMMARY_DEVICE_OWN, true },
	{ "other program ", SUMMARY_OTHER_PROGRAM, false },
	{ "waited for ", SUMMARY_RAN_INSTEAD, true },
};

static struct counter *counter_at(const struct summary_maker *maker, uint32_t index)
{
	return (struct counter *)maker->counters.data + index;
}

static struct evidence *evidence_at(const struct summary_maker *maker, uint32_t index)
{
	return (struct evidence *)maker->evidence.data + index;
}

static bool is_named(const char *name, const char *wanted)
{
	size_t len = strlen(wanted);

	return wanted[len - 1] == ' ' ? !strncmp(name, wanted, len) : !strcmp(name, wanted);
}

/* "gpu card1": what a device's counters begin with. */
static size_t device_len(const char *name)
{
	const char *end = strchr(name, ' ');

	return end ? (size_t)(end - name) + 1 + strcspn(end + 1, " ") : 0;
}

/* Does the counter tell that a device worked: of the whole device, or of an engine for a process? */
static bool tells_work(const struct summary_maker *maker, const struct track_def *def, bool is_of_process)
{
	const char *name = names_text(maker->names, def->name);

	return !strcmp(names_text(maker->names, def->unit), "%") &&
	       (is_of_process || !strcmp(name + device_len(name), " busy"));
}

static bool is_gauge(const struct summary_maker *maker, const struct counter *counter, size_t i)
{
	const struct track_def *def = &maker->tracks[counter->track].def;

	if (gauges[i].is_of_process != (counter->process != 0) ||
	    !is_named(names_text(maker->names, def->name), gauges[i].name))
		return false;
	return (gauges[i].gauge != SUMMARY_DEVICE && gauges[i].gauge != SUMMARY_DEVICE_OWN) ||
	       tells_work(maker, def, gauges[i].is_of_process);
}

int sum_why_counter(struct summary_maker *maker, uint32_t index)
{
	struct counter *counter = counter_at(maker, index);
	uint32_t *to;

	for (size_t i = 0; i < sizeof gauges / sizeof *gauges; i++) {
		if (!is_gauge(maker, counter, i))
			continue;
		to = array_add(&maker->gauges, sizeof *to);
		counter->past = calloc(PAST, sizeof *counter->past);
		if (!to || !counter->past)
			return -ENOMEM;
		*to = index;
		counter->gauge = (uint8_t)(gauges[i].gauge + 1);
		return 0;
	}
	return 0;
}

static void add_value(struct evidence *to, uint32_t counter, const struct past *value)
{
	uint64_t from_ns = value->from_ns > to->begin_ns ? value->from_ns : to->begin_ns;
	uint64_t to_ns = value->to_ns < to->end_ns ? value->to_ns : to->end_ns, span_ns = value->to_ns - value->from_ns;
	uint32_t i = 0;

	if (to_ns <= from_ns)
		return;
	while (i < to->n && to->row[i].counter != counter)
		i++;
	if (i == MAX_EVIDENCE)
		return;
	if (i == to->n)
		to->row[to->n++] = (struct evidence_row){ .counter = counter };
	to->row[i].within_ns += to_ns - from_ns;
	to->row[i].span_ns += span_ns;
	to->row[i].within += value->value * (double)(to_ns - from_ns) / 1e9;
	to->row[i].amount += value->value * (double)span_ns / 1e9;
}

/* Evidence of a machine's counter is everybody's. */
static bool is_of(const struct counter *counter, const struct evidence *evidence)
{
	return !counter->process || counter->process == evidence->process;
}

void sum_why_value(struct summary_maker *maker, uint32_t index, const struct past *value)
{
	struct counter *counter = counter_at(maker, index);
	uint32_t *pending = maker->evidence_pending.data;
	size_t n = 0;

	counter->past[counter->n_past++ % PAST] = *value;
	for (size_t i = 0; i < maker->evidence_pending.n; i++) {
		struct evidence *evidence = evidence_at(maker, pending[i]);

		if (is_of(counter, evidence))
			add_value(evidence, index, value);
		evidence->is_pending = value->to_ns < evidence->end_ns + PENDING_NS;
		if (evidence->is_pending)
			pending[n++] = pending[i];
	}
	maker->evidence_pending.n = n;
}

static int new_evidence(struct summary_maker *maker, struct slow *slow)
{
	if (slow->evidence)
		return 0;
	if (!array_add(&maker->evidence, sizeof(struct evidence)))
		return -ENOMEM;
	slow->evidence = (uint32_t)maker->evidence.n;
	evidence_at(maker, slow->evidence - 1)->is_pending = false;
	return 0;
}

int sum_why_gather(struct summary_maker *maker, const struct run *run, struct slow *slow)
{
	const uint32_t *gauge = maker->gauges.data;
	struct evidence *to;
	uint32_t *pending;

	if (new_evidence(maker, slow))
		return -ENOMEM;
	to = evidence_at(maker, slow->evidence - 1);
	to->begin_ns = run->begin_ns;
	to->end_ns = run->end_ns;
	to->process = run->process;
	to->n = 0;
	for (size_t i = 0; i < maker->gauges.n; i++) {
		const struct counter *counter = counter_at(maker, gauge[i]);
		uint64_t n = counter->n_past, first = n > PAST ? n - PAST : 0;

		for (uint64_t k = first; is_of(counter, to) && k < n; k++)
			add_value(to, gauge[i], &counter->past[k % PAST]);
	}
	if (to->is_pending)
		return 0;
	pending = array_add(&maker->evidence_pending, sizeof *pending);
	if (!pending)
		return -ENOMEM;
	*pending = slow->evidence - 1;
	to->is_pending = true;
	return 0;
}

void sum_why_beside(struct run *run, struct run *other)
{
	uint64_t begin_ns = run->begin_ns > other->begin_ns ? run->begin_ns : other->begin_ns;
	uint64_t end_ns = run->over_ns < other->over_ns ? run->over_ns : other->over_ns;
	uint64_t both_ns = end_ns > begin_ns ? end_ns - begin_ns : 0;
	struct run *of[] = { run, other };

	if (run->process == other->process && fact_int(&run->facts, FACT_TID, -1) > 0 &&
	    fact_int(&run->facts, FACT_TID, -1) == fact_int(&other->facts, FACT_TID, -1))
		return; /* one within the other */
	for (int i = 0; both_ns && i < 2; i++) {
		of[i]->overlap_ns = stats_sum(of[i]->overlap_ns, both_ns);
		if (both_ns > of[i]->most_ns) {
			of[i]->most_ns = both_ns;
			of[i]->beside = of[1 - i]->session;
		}
	}
}

static bool is_before(const struct summary_other *a, const struct summary_other *b)
{
	if (!b->name || a->gauge != b->gauge)
		return !b->name || a->gauge == SUMMARY_RAN_INSTEAD;
	return a->gauged.mean > b->gauged.mean;
}

static void put_other(const struct summary_other *other, struct summary_slow *to)
{
	uint32_t at = SUMMARY_OTHERS;

	while (at && is_before(other, &to->others[at - 1]))
		at--;
	if (at == SUMMARY_OTHERS)
		return;
	memmove(&to->others[at + 1], &to->others[at], (SUMMARY_OTHERS - 1 - at) * sizeof *other);
	to->others[at] = *other;
}

static bool is_same_device(const struct summary_maker *maker, uint32_t a, uint32_t b)
{
	const char *name = names_text(maker->names, a);

	return !strncmp(name, names_text(maker->names, b), device_len(name)) &&
	       device_len(name) == device_len(names_text(maker->names, b));
}

/* Of several devices or engines, the one that worked most for the process; else the one that worked most. */
static void put_device(const struct summary_maker *maker, uint32_t name, enum summary_gauge gauge,
		       const struct summary_gauged *gauged, struct summary_slow *to)
{
	const struct summary_gauged *own = &to->gauged[SUMMARY_DEVICE_OWN], *all = &to->gauged[SUMMARY_DEVICE];
	bool is_better = gauge == SUMMARY_DEVICE_OWN ? !own->span_ns || gauged->mean > own->mean
			 : own->span_ns		     ? is_same_device(maker, to->device, name)
						     : !all->span_ns || gauged->mean > all->mean;

	if (!is_better)
		return;
	to->gauged[gauge] = *gauged;
	to->device = name;
}

static struct summary_gauged gauged_of(const struct counter *counter, const struct evidence_row *row)
{
	struct summary_gauged gauged = { row->span_ns, row->within / (double)row->within_ns * 1e9, row->amount, NAN };

	if (counter->row.busy_ns)
		gauged.usual = counter->busy_sum / (double)counter->row.busy_ns;
	return gauged;
}

static void put_devices(const struct summary_maker *maker, const struct evidence *evidence, struct summary_slow *to)
{
	static const enum summary_gauge order[] = { SUMMARY_DEVICE_OWN, SUMMARY_DEVICE };

	for (size_t k = 0; k < sizeof order / sizeof *order; k++)
		for (uint32_t i = 0; i < evidence->n; i++) {
			const struct counter *counter = counter_at(maker, evidence->row[i].counter);
			struct summary_gauged gauged = gauged_of(counter, &evidence->row[i]);

			if (counter->gauge == order[k] + 1)
				put_device(maker, maker->tracks[counter->track].def.name, order[k], &gauged, to);
		}
}

void sum_why_put(struct summary_maker *maker, const struct slow *slow, struct summary_slow *to)
{
	const struct evidence *evidence = slow->evidence ? evidence_at(maker, slow->evidence - 1) : NULL;

	for (uint32_t i = 0; evidence && i < evidence->n; i++) {
		const struct evidence_row *row = &evidence->row[i];
		const struct counter *counter = counter_at(maker, row->counter);
		enum summary_gauge gauge = (enum summary_gauge)(counter->gauge - 1);
		struct summary_gauged gauged = gauged_of(counter, row);

		if (gauge == SUMMARY_DEVICE || gauge == SUMMARY_DEVICE_OWN)
			continue;
		if (gauge == SUMMARY_OTHER_PROGRAM || gauge == SUMMARY_RAN_INSTEAD)
			put_other(&(struct summary_other){ maker->tracks[counter->track].def.name, gauge, gauged }, to);
		else
			to->gauged[gauge] = gauged;
	}
	if (evidence)
		put_devices(maker, evidence, to);
}

void sum_why_done(struct summary_maker *maker)
{
	array_done(&maker->gauges, sizeof(uint32_t));
	array_done(&maker->evidence, sizeof(struct evidence));
	array_done(&maker->evidence_pending, sizeof(uint32_t));
}
