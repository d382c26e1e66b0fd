// SPDX-License-Identifier: Apache-2.0
/*
 * Keeps what came of a device until its operators have come (device_spans.c), and ties them. device_tell.c puts it into
 * events.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/decode/device_in.h"

enum { MAX_WAITING = 1 << 17, ROUNDS = 2 };

static int by_correlation(const void *a_, const void *b_)
{
	const struct device_call *a = a_, *b = b_;

	if (a->correlation != b->correlation)
		return a->correlation < b->correlation ? -1 : 1;
	/* the outermost one first */
	return a->begin_ns != b->begin_ns ? (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns)
					  : (a->end_ns < b->end_ns) - (a->end_ns > b->end_ns);
}

/* The call that the work is of: numbers come again after 2^32, so the last one before its end. NULL: unknown. */
static struct device_call *call_of(struct device *device, const struct device_work *work)
{
	struct device_call *call = device->calls.data, *found = NULL;
	size_t low = 0, high = device->calls.n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (call[middle].correlation < work->correlation)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < device->calls.n && call[low].correlation == work->correlation; low++)
		if (!call[low].is_overhead && (!work->end_ns || call[low].begin_ns <= work->end_ns))
			if (!found || call[low].begin_ns > found->end_ns)
				found = &call[low];
	return found;
}

static bool is_due(struct device *device, const struct device_work *work, bool is_last)
{
	if (is_last || device->work.n > MAX_WAITING)
		return true;
	return work->round + ROUNDS <= device->n_flushed &&
	       (!work->call || device_is_past(device, work->call->tid, work->call->end_ns));
}

static int by_begin(const void *a_, const void *b_)
{
	const struct device_work *a = a_, *b = b_;

	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static int call_by_begin(const void *a_, const void *b_)
{
	const struct device_call *a = a_, *b = b_;

	return (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
}

/* A stream of which something waits: what begins later on it waits, too, so that its line is in order. */
struct waiting {
	uint32_t place[64], stream[64];
	size_t n;
};

static bool waits(const struct waiting *waiting, const struct device_work *work)
{
	for (size_t i = 0; i < waiting->n; i++)
		if (waiting->place[i] == work->place && waiting->stream[i] == work->stream)
			return true;
	return waiting->n == sizeof waiting->place / sizeof *waiting->place;
}

/* NULL: in none. */
static const struct device_span *span_of(struct device *device, const struct device_call *call)
{
	return device_span_at(device, call->tid, call->begin_ns + (call->end_ns - call->begin_ns) / 2);
}

static void tie(struct device *device, struct device_work *work)
{
	struct device_call *call = work->call;

	if (work->node)
		work->captured_in = device_nodes_operator(device, work->node);
	if (!call)
		return;
	if (work->begin_ns && work->begin_ns < call->begin_ns && call->begin_ns - work->begin_ns > device->early_ns)
		device->early_ns = call->begin_ns - work->begin_ns;
	if (!call->flow)
		call->flow = ++device->n_flows;
	work->span = span_of(device, call);
}

static int put_work(struct device_step *step, bool is_last)
{
	struct device *device = &step->process->device;
	struct device_work *work = device->work.data;
	struct waiting waiting = { .n = 0 };
	size_t n_left = 0;
	int code = 0;

	for (size_t i = 0; i < device->work.n; i++)
		work[i].call = call_of(device, &work[i]);
	if (device->work.n)
		qsort(work, device->work.n, sizeof *work, by_begin);
	for (size_t i = 0; i < device->work.n; i++) {
		bool stays = code || waits(&waiting, &work[i]);

		if (!stays && !is_due(device, &work[i], is_last)) {
			stays = true;
			waiting.place[waiting.n] = work[i].place;
			waiting.stream[waiting.n++] = work[i].stream;
		}
		if (stays) {
			work[n_left++] = work[i];
			continue;
		}
		tie(device, &work[i]);
		code = device_tell_work(step, &work[i]);
	}
	device->work.n = n_left;
	return code;
}

/* Calls whose work has been told, or will not come; those that go on waiting may be of work that is not here yet. */
static int put_calls(struct device_step *step, bool is_last)
{
	struct device *device = &step->process->device;
	struct device_call *call = device->calls.data;
	uint64_t oldest_ns = UINT64_MAX;
	size_t n_left = 0;
	int code = 0;

	for (size_t i = 0; i < device->work.n; i++) {
		const struct device_work *work = (struct device_work *)device->work.data + i;
		const struct device_call *of = call_of(device, work);

		if (of && of->begin_ns < oldest_ns)
			oldest_ns = of->begin_ns;
	}
	if (device->calls.n)
		qsort(call, device->calls.n, sizeof *call, call_by_begin);
	for (size_t i = 0; i < device->calls.n; i++) {
		bool is_over = call[i].begin_ns < oldest_ns &&
			       (call[i].round + 2 * ROUNDS <= device->n_flushed || device->calls.n > MAX_WAITING);

		if (code || (!is_over && !is_last))
			call[n_left++] = call[i];
		else
			code = device_tell_call(step, &call[i], span_of(device, &call[i]));
	}
	device->calls.n = n_left;
	device->oldest_ns = n_left ? call[0].begin_ns : device->flushed_ns;
	return code;
}

/* Calls inside of others with their number are the same work: the driver's in the runtime's. */
static void merge_calls(struct device *device)
{
	struct device_call *call = device->calls.data;
	size_t n = 0, outer = SIZE_MAX; /* the last call that was kept */

	if (device->calls.n)
		qsort(call, device->calls.n, sizeof *call, by_correlation);
	for (size_t i = 0; i < device->calls.n; i++) {
		bool is_inside = outer != SIZE_MAX && call[outer].correlation == call[i].correlation &&
				 call[outer].tid == call[i].tid && call[i].begin_ns <= call[outer].end_ns;

		if (is_inside && !call[i].is_overhead)
			continue;
		outer = call[i].is_overhead ? outer : n;
		call[n++] = call[i];
	}
	device->calls.n = n;
}

int device_put(struct recorded *process, struct sink *out, bool is_last, struct err *err)
{
	struct device *device = &process->device;
	struct device_step step = { process, out, err };
	uint64_t oldest_ns;
	int code;

	if (!device->is_begun || (!is_last && device->put_round == device->n_flushed && device->work.n <= MAX_WAITING &&
				  device->calls.n <= MAX_WAITING))
		return 0;
	device->put_round = device->n_flushed;
	merge_calls(device);
	oldest_ns = device_nodes_settle(device, is_last);
	code = put_work(&step, is_last);
	if (!code)
		code = put_calls(&step, is_last);
	if (oldest_ns < device->oldest_ns)
		device->oldest_ns = oldest_ns;
	return code;
}

static int take_work(const struct records_step *step)
{
	const struct record *record = step->record;
	struct device *device = &step->process->device;
	struct device_work *work;

	if (!record->flags || record->flags >= N_DEVICE_WORKS || record->value < record->time)
		return 0;
	/* without times it cannot be shown: it is counted as such */
	if (!record->time)
		return 0;
	work = array_add(&device->work, sizeof *work);
	if (!work)
		return -ENOMEM;
	*work = (struct device_work){ .begin_ns = record->time,
				      .end_ns = record->value,
				      .order = ++device->n_work,
				      .stream = record->id,
				      .correlation = record->run,
				      .kind = record->flags,
				      .direction = record->more,
				      .round = device->n_flushed };
	if (record->flags == DEVICE_KERNEL)
		work->name = segment_text(&step->process->map, record->text);
	if (device->more.run != record->run || device->more.kind != record->flags)
		return 0;
	work->grid = device->more.grid;
	work->value = device->more.value;
	work->shared = device->more.shared;
	work->place = device->more.place;
	if (device->more.node_run == record->run)
		work->node = device->more.node;
	device->more.node = 0;
	device->more.kind = 0;
	return 0;
}

static int take_call(const struct records_step *step)
{
	const struct record *record = step->record;
	struct device *device = &step->process->device;
	struct device_call *call;

	if (!record->time || record->value < record->time)
		return 0;
	call = array_add(&device->calls, sizeof *call);
	if (!call)
		return -ENOMEM;
	*call = (struct device_call){ .begin_ns = record->time,
				      .end_ns = record->value,
				      .name = segment_text(&step->process->map, record->text),
				      .tid = (int32_t)record->id,
				      .correlation = record->run,
				      .has_failed = record->flags & FLAG_FAILED,
				      .is_overhead = record->type == RECORD_DEVICE_OVERHEAD,
				      .round = device->n_flushed };
	return 0;
}

static void take_state(struct device *device, const struct record *record)
{
	device->is_begun = true;
	device->has_ended |= record->flags == DEVICE_ENDED; /* rings are read one after the other */
	device->n_flushed++;
	device->flushed_ns = record->time;
	device->error_ns = record->value > device->error_ns ? record->value : device->error_ns;
	device->n_strange = record->id;
	device->n_timeless = record->run;
	device->n_steps = record->text;
	device->library = record->more < N_DEVICE_LIBRARIES ? record->more : DEVICE_OF_CUDA;
}

int device_take(const struct records_step *step)
{
	const struct record *record = step->record;
	struct device *device = &step->process->device;
	struct device_step out = { step->process, step->out, step->err };

	if (!device->is_begun && record->type != RECORD_DEVICE_STATE)
		return 0;
	switch (record->type) {
	case RECORD_DEVICE_MORE:
		device->more.grid = record->time;
		device->more.value = record->value;
		device->more.shared = record->id;
		device->more.place = record->text;
		device->more.run = record->run;
		device->more.kind = record->flags;
		return 0;
	case RECORD_DEVICE_NODE:
		if (record->flags != DEVICE_NODE_OF_WORK)
			return device_nodes_take(device, record);
		device->more.node = record->value;
		device->more.node_run = record->run;
		return 0;
	case RECORD_DEVICE_WORK:
		return take_work(step);
	case RECORD_DEVICE_CALL:
	case RECORD_DEVICE_OVERHEAD:
		return take_call(step);
	case RECORD_DEVICE_DROPPED:
		return device_tell_dropped(&out, record, step->now_ns);
	case RECORD_DEVICE_STATE:
		take_state(device, record);
	}
	return 0;
}
