// SPDX-License-Identifier: Apache-2.0
/* Labels are compared as bytes: whoever fills them zeroes the struct first. */
#include "fleet/aggregate/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double least_bound = 1e-4;

const char *series_phase_name(int phase)
{
#define PHASE_NAME(name, text) text,
	static const char *const names[N_SERIES_PHASES] = { "other", EVENT_PHASES(PHASE_NAME) "load", "optimize" };
#undef PHASE_NAME

	return names[phase];
}

double series_bound(uint32_t at)
{
	return least_bound * (double)(UINT64_C(1) << at);
}

static struct series *find(const struct series_table *table, const struct series_labels *labels)
{
	for (size_t i = 0; i < table->n; i++)
		if (!memcmp(&table->row[i]->labels, labels, sizeof *labels))
			return table->row[i];
	return NULL;
}

static bool is_of_service(const struct series_labels *a, const struct series_labels *b)
{
	return !strcmp(a->service, b->service) && !strcmp(a->k8s_namespace, b->k8s_namespace) &&
	       !strcmp(a->k8s_pod, b->k8s_pod) && !strcmp(a->container, b->container);
}

static bool has_room(const struct series_table *table, const struct series_labels *labels)
{
	size_t n = 0;

	for (size_t i = 0; i < table->n; i++)
		n += is_of_service(&table->row[i]->labels, labels);
	return table->n < table->max && n < table->max / SERIES_PART;
}

static struct series *add(struct series_table *table, const struct series_labels *labels)
{
	struct series **grown = realloc(table->row, (table->n + 1) * sizeof(struct series *)), *series;

	if (grown)
		table->row = grown;
	series = grown ? calloc(1, sizeof *series) : NULL;
	if (!series)
		return NULL;
	series->labels = *labels;
	series->number = ++table->last_number;
	return table->row[table->n++] = series;
}

struct series *series_get(struct series_table *table, const struct series_labels *labels)
{
	struct series *found = find(table, labels);
	struct series_labels other = *labels;

	if (found)
		return found;
	if (has_room(table, labels))
		return add(table, labels);
	table->n_refused++;
	memset(other.model, 0, sizeof other.model);
	memset(other.runtime, 0, sizeof other.runtime);
	memset(other.provider, 0, sizeof other.provider);
	memset(other.device, 0, sizeof other.device);
	strcpy(other.model, SERIES_OTHER);
	found = find(table, &other);
	/* one for each service, but no more of these than of the others */
	if (found || table->n < table->max)
		return found ? found : add(table, &other);
	memset(&other, 0, sizeof other);
	strcpy(other.service, SERIES_OTHER);
	strcpy(other.model, SERIES_OTHER);
	found = find(table, &other);
	return found ? found : add(table, &other);
}

bool series_times_add(struct series_times *times, uint64_t ns, uint64_t weight)
{
	uint32_t at = 0;

	while (at < SERIES_BOUNDS && (double)ns / 1e9 > series_bound(at))
		at++;
	times->n += weight;
	times->ns += ns * weight;
	times->below[at] += weight;
	return exponential_add(&times->histogram, ns, weight);
}

struct series *series_numbered(const struct series_table *table, uint32_t number)
{
	size_t from = 0, to = table->n;

	/* the newest is always the last */
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (table->row[middle]->number < number)
			from = middle + 1;
		else
			to = middle;
	}
	return from < table->n && table->row[from]->number == number ? table->row[from] : NULL;
}

static void add_to(struct series_operator *row, size_t *n, const char *type, const char *provider, uint64_t ns)
{
	size_t i = 0;

	while (i < *n && (strcmp(row[i].type, type) != 0 || strcmp(row[i].provider, provider) != 0))
		i++;
	if (i == *n) {
		/* that of others may be among the first: each has one row */
		if (i >= SERIES_OPERATORS && (strcmp(type, SERIES_OTHER) != 0 || *provider)) {
			add_to(row, n, SERIES_OTHER, "", ns);
			return;
		}
		row[i] = (struct series_operator){ .now_ns = 0 };
		++*n;
		snprintf(row[i].type, sizeof row[i].type, "%s", type);
		snprintf(row[i].provider, sizeof row[i].provider, "%s", provider);
	}
	row[i].now_ns += ns;
}

void series_operator_add(struct series *series, const char *type, const char *provider, uint64_t ns)
{
	add_to(series->operator, &series->n_operators, type, provider, ns);
}

bool series_kernel_add(struct series *series, const char *kind, uint64_t ns)
{
	if (!series->kernel && !(series->kernel = calloc(SERIES_OPERATORS + 1, sizeof *series->kernel)))
		return false;
	add_to(series->kernel, &series->n_kernels, kind, "", ns);
	return true;
}

void series_note_fallback(struct series *series, uint64_t n)
{
	series->has_now_fallback = true;
	if (n > series->now_fallback)
		series->now_fallback = n;
}

struct series_tokens *series_tokens_now(struct series *series)
{
	if (!series->generations)
		series->generations = calloc(1, sizeof *series->generations);
	return series->generations ? &series->generations->now : NULL;
}

void series_count_operators(struct series *series, bool were_seen, uint64_t weight)
{
	if (were_seen)
		series->n_with += weight;
	else
		series->n_without += weight;
}

static void roll_row(struct series_operator *row, double factor)
{
	row->last_ns = (uint64_t)((double)row->now_ns * factor);
	row->all_ns += row->last_ns;
	row->now_ns = 0;
}

/* Operators that were seen stand for those of inferences before that were not seen. */
static void roll_operators(struct series *series)
{
	double factor = series->n_with ? 1 + (double)series->n_without / (double)series->n_with : 1;

	for (size_t i = 0; i < series->n_operators; i++)
		roll_row(&series->operator[i], factor);
	for (size_t i = 0; i < series->n_kernels; i++)
		roll_row(&series->kernel[i], 1);
	if (series->n_with)
		series->n_without = 0;
	series->n_with = 0;
	if (series->has_now_fallback)
		series->n_fallback = series->now_fallback;
	series->has_fallback |= series->has_now_fallback;
	series->now_fallback = 0;
	series->has_now_fallback = false;
}

static bool merge_times(struct series_times *to, const struct series_times *from)
{
	to->n += from->n;
	to->ns += from->ns;
	for (uint32_t i = 0; i <= SERIES_BOUNDS; i++)
		to->below[i] += from->below[i];
	return exponential_merge(&to->histogram, &from->histogram);
}

static bool merge(struct series_sums *to, const struct series_sums *from)
{
	for (int i = 0; i < N_FAILURES; i++)
		to->failed[i] += from->failed[i];
	to->cpu_ns += from->cpu_ns;
	to->queued_ns += from->queued_ns;
	to->blocked_ns += from->blocked_ns;
	to->n_created += from->n_created;
	to->n_not_created += from->n_not_created;
	to->creating_ns += from->creating_ns;
	for (int i = 0; i < N_SERIES_PHASES; i++)
		to->phase_ns[i] += from->phase_ns[i];
	return merge_times(&to->runs, &from->runs) && merge_times(&to->firsts, &from->firsts);
}

void series_sums_clear(struct series_sums *sums)
{
	struct exponential runs = sums->runs.histogram, firsts = sums->firsts.histogram;

	exponential_clear(&runs);
	exponential_clear(&firsts);
	*sums = (struct series_sums){ .runs.histogram = runs, .firsts.histogram = firsts };
}

static void times_clear(struct series_times *times)
{
	struct exponential histogram = times->histogram;

	exponential_clear(&histogram);
	*times = (struct series_times){ .histogram = histogram };
}

static bool roll_generations(struct series_generations *generations)
{
	struct series_tokens ended = generations->now;
	bool is_well = true;

	generations->all.n_in += ended.n_in;
	generations->all.n_out += ended.n_out;
	generations->now = generations->last;
	generations->last = ended;
	generations->now.n_in = generations->now.n_out = 0;
	for (int i = 0; i < N_SERIES_GENERATION_TIMES; i++) {
		is_well = merge_times(&generations->all.times[i], &ended.times[i]) && is_well;
		times_clear(&generations->now.times[i]);
	}
	return is_well;
}

bool series_had_generations(const struct series *series)
{
	const struct series_tokens *last = series->generations ? &series->generations->last : NULL;

	return last && (last->n_out || last->times[SERIES_GENERATION].n);
}

static void generations_free(struct series_generations *generations)
{
	for (int i = 0; generations && i < N_SERIES_GENERATION_TIMES; i++) {
		exponential_done(&generations->now.times[i].histogram);
		exponential_done(&generations->last.times[i].histogram);
		exponential_done(&generations->all.times[i].histogram);
	}
	free(generations);
}

void series_sums_done(struct series_sums *sums)
{
	exponential_done(&sums->runs.histogram);
	exponential_done(&sums->firsts.histogram);
}

/*
 * Of `n` things in a row, `from` of which are before this one, as many of `count` as are this one's part: they lie at
 * the same distance from each other, the first one at `at`, from 0 to 1 of it.
 */
static uint64_t part_of(double each, double at, uint64_t from, uint64_t here)
{
	return (uint64_t)((double)(from + here) * each + at) - (uint64_t)((double)from * each + at);
}

static bool add_times_like(struct series_times *to, const struct series_times *from, uint64_t count, double at)
{
	struct exponential like = from->histogram;
	uint64_t bucket[EXPONENTIAL_BUCKETS], before = 0;
	double each = (double)count / (double)from->n;

	like.bucket = bucket;
	for (uint32_t i = 0; i < like.n; before += from->histogram.bucket[i++])
		bucket[i] = part_of(each, at, before, from->histogram.bucket[i]);
	before = 0;
	for (uint32_t i = 0; i <= SERIES_BOUNDS; before += from->below[i++])
		to->below[i] += part_of(each, at, before, from->below[i]);
	to->n += count;
	to->ns += (uint64_t)((double)from->ns * each + at);
	return exponential_merge(&to->histogram, &like);
}

bool series_add_like(struct series *series, const struct series_sums *from, uint64_t count)
{
	static const double golden = 0.61803398874989485;
	struct series_sums *to = &series->now;
	double each = from->runs.n ? (double)count / (double)from->runs.n : 0;

	if (!from->runs.n || !count)
		return true;
	for (int i = 0; i < N_FAILURES; i++) {
		double n = (double)from->failed[i] * each + series->like_failed[i];

		to->failed[i] += (uint64_t)n;
		series->like_failed[i] = n - floor(n);
	}
	/* the fractions of its multiples leave no gap, however few they are */
	series->like_at += golden;
	series->like_at -= floor(series->like_at);
	to->cpu_ns += (uint64_t)((double)from->cpu_ns * each);
	to->queued_ns += (uint64_t)((double)from->queued_ns * each);
	to->blocked_ns += (uint64_t)((double)from->blocked_ns * each);
	return add_times_like(&to->runs, &from->runs, count, series->like_at);
}

static void series_free(struct series *series)
{
	series_sums_done(&series->now);
	series_sums_done(&series->last);
	series_sums_done(&series->all);
	generations_free(series->generations);
	free(series->kernel);
	free(series);
}

static bool roll(struct series *series, uint64_t interval)
{
	struct series_sums ended = series->now;
	bool is_well = merge(&series->all, &series->now);

	if (series->n_open || series->n_sessions || ended.runs.n || ended.n_created || ended.n_not_created)
		series->last_interval = interval;
	series->now = series->last;
	series->last = ended;
	series_sums_clear(&series->now);
	roll_operators(series);
	if (series->generations)
		is_well = roll_generations(series->generations) && is_well;
	series->slowest = series->now_slowest;
	series->now_slowest = (struct series_example){ 0 };
	return is_well;
}

bool series_roll(struct series_table *table, uint64_t interval, uint64_t most_idle)
{
	bool is_well = true;
	size_t n = 0;

	for (size_t i = 0; i < table->n; i++) {
		struct series *series = table->row[i];

		is_well = roll(series, interval) && is_well;
		if (!series->n_users && series->last_interval + most_idle < interval)
			series_free(series);
		else
			table->row[n++] = series;
	}
	table->n = n;
	return is_well;
}

void series_done(struct series_table *table)
{
	for (size_t i = 0; i < table->n; i++)
		series_free(table->row[i]);
	free(table->row);
	*table = (struct series_table){ .max = table->max };
}
