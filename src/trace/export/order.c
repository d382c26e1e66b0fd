// SPDX-License-Identifier: Apache-2.0
/* Keeps the last events; when the window is full, sorts them and passes the earlier half on. */
#include <stdlib.h>
#include <string.h>

#include "trace/export/pairing.h"

void order_init(struct order *order, int (*take)(struct order *, const struct event *, struct err *))
{
	*order = (struct order){ .take = take };
}

static const char failure[] = "cannot write the file";

static int compare(const void *left, const void *right)
{
	const struct order_key *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	if (a->is_late != b->is_late)
		return a->is_late < b->is_late ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* The keys of all entries, sorted. false: out of memory. */
static bool sort(struct order *order)
{
	const struct order_entry *entry = order->entries.data;
	bool is_sorted = true;

	order->keys.n = 0;
	for (size_t i = 0; i < order->entries.n; i++) {
		struct order_key *key = array_add_raw(&order->keys, sizeof *key);

		if (!key)
			return false;
		*key = (struct order_key){ entry[i].event.time_ns, !entry[i].is_first, (uint32_t)i };
		is_sorted = is_sorted && (!i || compare(key - 1, key) < 0);
	}
	if (!is_sorted)
		qsort(order->keys.data, order->keys.n, sizeof(struct order_key), compare);
	return true;
}

static int keep(struct array *entries, struct array *args, const struct order_entry *entry, struct err *err)
{
	struct order_entry *kept = array_add_raw(entries, sizeof *kept);

	if (!kept)
		return err_no_memory(err, failure);
	*kept = *entry;
	kept->first_arg = args->n;
	for (size_t i = 0; i < entry->event.n_args; i++) {
		struct arg *arg = array_add_raw(args, sizeof *arg);

		if (!arg)
			return err_no_memory(err, failure);
		*arg = entry->event.args[i];
	}
	return 0;
}

static int pass_on(struct order *order, const struct order_entry *entry, struct err *err)
{
	order->n_late += entry->event.time_ns < order->last_ns;
	if (entry->event.time_ns > order->last_ns)
		order->last_ns = entry->event.time_ns;
	return order->take(order, &entry->event, err);
}

/* Passes the first n on and keeps the rest, in order. */
static int drain(struct order *order, size_t n, struct err *err)
{
	const struct order_key *key;
	struct array entries, args;
	int code = sort(order) ? 0 : err_no_memory(err, failure);

	key = order->keys.data;
	order->other_entries.n = order->other_args.n = 0;
	for (size_t i = 0; i < order->entries.n && !code; i++) {
		struct order_entry entry = ((const struct order_entry *)order->entries.data)[key[i].at];

		entry.event.args = array_from(&order->args, entry.first_arg, sizeof(struct arg));
		code =
		    i < n ? pass_on(order, &entry, err) : keep(&order->other_entries, &order->other_args, &entry, err);
	}
	entries = order->entries;
	args = order->args;
	order->entries = order->other_entries;
	order->args = order->other_args;
	order->other_entries = entries;
	order->other_args = args;
	return code;
}

/* false: out of memory. */
static bool note_track(struct order *order, const struct event *event)
{
	while (order->threads.n <= event->track)
		if (!array_add(&order->threads, sizeof(bool)))
			return false;
	((bool *)order->threads.data)[event->track] = event->def->type == TRACK_THREAD;
	return true;
}

int order_put(struct order *order, const struct event *event, struct err *err)
{
	struct order_entry entry = { .event = *event };
	int code = 0;

	if (event->type == EVENT_TRACK)
		return note_track(order, event) ? order->take(order, event, err) : err_no_memory(err, failure);
	if (event->type == EVENT_TRACK_END || event->type == EVENT_SAMPLE)
		return 0;
	entry.is_first = event->track < order->threads.n && ((const bool *)order->threads.data)[event->track];
	if (order->entries.n == ORDER_WINDOW)
		code = drain(order, ORDER_WINDOW / 2, err);
	return code ? code : keep(&order->entries, &order->args, &entry, err);
}

int order_finish(struct order *order, struct err *err)
{
	return drain(order, order->entries.n, err);
}

void order_done(struct order *order)
{
	array_done(&order->entries, sizeof(struct order_entry));
	array_done(&order->other_entries, sizeof(struct order_entry));
	array_done(&order->args, sizeof(struct arg));
	array_done(&order->other_args, sizeof(struct arg));
	array_done(&order->keys, sizeof(struct order_key));
	array_done(&order->threads, sizeof(bool));
}
