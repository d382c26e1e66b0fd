// SPDX-License-Identifier: Apache-2.0
/*
 * Sorts events by begin, and attaches kernels to operators. The runtime writes events in the order of their ends, so
 * only those that contain others are far from their place.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/import/ort_profile_in.h"
#include "trace/perfetto/perfetto_map.h"

enum { MOVES_PER_EVENT = 32 };

static int by_begin(const void *left, const void *right)
{
	const struct ort_profile_entry *l = left, *r = right;
	const struct ort_profile_event *a = &l->event, *b = &r->event;

	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (!a->dur != !b->dur)
		return a->dur ? 1 : -1;
	if (a->dur != b->dur)
		return a->dur > b->dur ? -1 : 1;
	return l->at < r->at ? -1 : l->at > r->at;
}

/* The first of n sorted entries that comes after this one. */
static size_t place_of(const struct ort_profile_entry *entries, size_t n, const struct ort_profile_entry *one)
{
	size_t low = 0, step = 1;

	for (; step <= n && by_begin(&entries[n - step], one) > 0; step *= 2)
		n -= step;
	low = step <= n ? n - step : 0;
	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (by_begin(&entries[middle], one) > 0)
			n = middle;
		else
			low = middle + 1;
	}
	return n;
}

/* Moves each entry to its place. false: too many moves. */
static bool insert_all(struct ort_profile_entry *entries, size_t n)
{
	size_t moves = 0;

	for (size_t i = 1; i < n; i++) {
		struct ort_profile_entry one = entries[i];
		size_t place;

		if (by_begin(&entries[i - 1], &one) <= 0)
			continue;
		place = place_of(entries, i, &one);
		moves += i - place;
		if (moves / MOVES_PER_EVENT > n)
			return false;
		memmove(&entries[place + 1], &entries[place], (i - place) * sizeof *entries);
		entries[place] = one;
	}
	return true;
}

void ort_profile_sort(struct ort_profile_entry *entries, size_t n)
{
	if (n && !insert_all(entries, n))
		qsort(entries, n, sizeof *entries, by_begin);
}

static bool is_kernel(const struct ort_profile_entry *entry)
{
	return entry->event.kind == ORT_PROFILE_KERNEL || entry->event.kind == ORT_PROFILE_API;
}

/* The operator's name according to the kernel; 0: not known. */
static uint32_t wanted_by(const struct ort_profile_entry *kernel)
{
	return kernel->event.operator		       ? kernel->event.operator
	       : kernel->event.kind == ORT_PROFILE_API ? kernel->event.name
						       : 0;
}

static void attach(struct ort_profile_entry *kernel, struct ort_profile_entry *operator)
{
	operator->flow = operator->at + 1;
	kernel->flow = operator->flow;
	kernel->event.operator = operator->event.name;
	if (!kernel->event.provider)
		kernel->event.provider = operator->event.provider;
}

/* Attaches by name and time; kernels with a correlation id vote on the moment from which times count. */
static bool attach_by_name(struct ort_profile_entry *entries, size_t n, uint64_t *base)
{
	struct perfetto_map last = { 0 }; /* operator of a name: its index + 1 */
	bool is_complete = true;
	uint64_t votes = 0;

	*base = 0;
	for (size_t i = 0; i < n && is_complete; i++) {
		struct ort_profile_entry *entry = &entries[i];
		uint32_t found;
		uint64_t vote;

		if (entry->event.kind == ORT_PROFILE_NODE)
			is_complete = perfetto_map_put(&last, entry->event.name, (uint32_t)i + 1);
		if (!is_kernel(entry) || entry->flow)
			continue;
		found = perfetto_map_get(&last, wanted_by(entry));
		if (!found)
			continue;
		if (!entry->event.correlation) {
			attach(entry, &entries[found - 1]);
			continue;
		}
		vote = entry->event.correlation - (uint64_t)entries[found - 1].event.ts;
		*base = votes ? *base : vote;
		votes += *base == vote ? 1 : -1;
	}
	perfetto_map_done(&last);
	return is_complete;
}

static bool attach_by_correlation(struct ort_profile_entry *entries, size_t n, uint64_t base)
{
	struct perfetto_map begun = { 0 }; /* operator of a begin: its index + 1 */
	bool is_complete = true;

	for (size_t i = 0; i < n && is_complete; i++)
		if (entries[i].event.kind == ORT_PROFILE_NODE)
			is_complete = perfetto_map_put(&begun, (uint64_t)entries[i].event.ts, (uint32_t)i + 1);
	for (size_t i = 0; i < n && is_complete; i++) {
		uint32_t found;

		if (!is_kernel(&entries[i]) || entries[i].flow || !entries[i].event.correlation)
			continue;
		found = perfetto_map_get(&begun, entries[i].event.correlation - base);
		if (found)
			attach(&entries[i], &entries[found - 1]);
	}
	perfetto_map_done(&begun);
	return is_complete;
}

bool ort_profile_attach(struct ort_profile_entry *entries, size_t n)
{
	bool is_needed = false;
	uint64_t base;

	for (size_t i = 0; i < n && !is_needed; i++)
		is_needed = is_kernel(&entries[i]) && !entries[i].flow;
	if (!is_needed)
		return true;
	if (!attach_by_name(entries, n, &base))
		return false;
	return !base || attach_by_correlation(entries, n, base);
}
