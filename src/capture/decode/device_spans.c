// SPDX-License-Identifier: Apache-2.0
/* Which operator or inference each thread was in, for as long as work of a device may come that was asked for then. */
#include <errno.h>
#include <string.h>

#include "capture/decode/device_in.h"

enum { MAX_THREADS = 4096, MAX_SPANS = 1 << 16, LOOK_ON = 4096 };
#define PATIENCE_NS 10000000000u /* with an operator that has not ended */

static struct device_thread *find_thread(struct device *device, int32_t tid, bool may_add)
{
	struct device_thread *thread = device->threads.data;

	for (size_t i = 0; i < device->threads.n; i++)
		if (thread[i].tid == tid)
			return &thread[i];
	if (!may_add || device->threads.n == MAX_THREADS)
		return NULL;
	thread = array_add(&device->threads, sizeof *thread);
	if (thread)
		thread->tid = tid;
	return thread;
}

static int32_t inner_tid(const struct records_step *step)
{
	const struct workers *workers = &step->process->workers;

	return step->reader->worker ? workers->at[step->reader->worker - 1].inner_tid : 0;
}

/* All work of those up to there has been told. */
static void forget_spans(struct array *spans, uint64_t until_ns)
{
	struct device_span *span = spans->data;
	size_t n_old = 0;

	while (n_old < spans->n && (span[n_old].end_ns < until_ns || spans->n - n_old >= MAX_SPANS))
		n_old++;
	if (n_old < spans->n / 2 && spans->n < MAX_SPANS)
		return;
	memmove(span, span + n_old, (spans->n - n_old) * sizeof *span);
	spans->n -= n_old;
}

int device_add_span(const struct records_step *step, const struct device_span *span)
{
	struct device *device = &step->process->device;
	struct device_thread *thread;
	struct device_span *added;

	if (!device->is_begun)
		return 0;
	thread = find_thread(device, inner_tid(step), true);
	if (!thread)
		return 0;
	if (!span->node)
		thread->open_ns = 0;
	if (thread->spans.n && thread->spans.n % 1024 == 0)
		forget_spans(&thread->spans, device->oldest_ns);
	added = array_add_raw(&thread->spans, sizeof *added);
	if (!added)
		return -ENOMEM;
	*added = *span;
	if (!span->begin_ns && thread->n_open_operators)
		thread->n_open_operators--;
	if (!span->begin_ns)
		added->begin_ns = thread->n_open_operators < DEVICE_OPEN
				      ? thread->open_operator_ns[thread->n_open_operators]
				      : span->end_ns;
	return 0;
}

void device_begin_operator(const struct records_step *step, uint64_t begin_ns)
{
	struct device_thread *thread =
	    step->process->device.is_begun ? find_thread(&step->process->device, inner_tid(step), true) : NULL;

	if (!thread)
		return;
	if (thread->n_open_operators < DEVICE_OPEN)
		thread->open_operator_ns[thread->n_open_operators] = begin_ns;
	thread->n_open_operators++;
}

void device_begin_run(const struct records_step *step, uint64_t begin_ns)
{
	struct device_thread *thread =
	    step->process->device.is_begun ? find_thread(&step->process->device, inner_tid(step), true) : NULL;

	if (thread) {
		thread->open_ns = begin_ns;
		thread->n_open_operators = 0;
	}
}

/* The innermost one that holds the moment, of which the first end is the first that can; NULL: none has ended. */
static const struct device_span *span_at(const struct device_thread *thread, uint64_t time_ns)
{
	const struct device_span *span = thread->spans.data;
	size_t low = 0, high = thread->spans.n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (span[middle].end_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i < thread->spans.n && i < low + LOOK_ON; i++)
		if (span[i].begin_ns <= time_ns)
			return &span[i];
	return NULL;
}

const struct device_span *device_span_at(struct device *device, int32_t tid, uint64_t time_ns)
{
	const struct device_thread *thread = find_thread(device, tid, false);

	return thread ? span_at(thread, time_ns) : NULL;
}

bool device_is_past(struct device *device, int32_t tid, uint64_t time_ns)
{
	const struct device_thread *thread = find_thread(device, tid, false);

	return !thread || !thread->open_ns || time_ns < thread->open_ns ||
	       (time_ns <= device->flushed_ns && device->flushed_ns - time_ns > PATIENCE_NS);
}
