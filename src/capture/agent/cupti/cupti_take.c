// SPDX-License-Identifier: Apache-2.0
/*
 * Gives CUPTI memory for its records, and turns them into the agent's when they are complete: on CUPTI's thread, on the
 * agent's that flushes, from 13.0 on also on the program's. The texts of names are CUPTI's, and readable only here.
 *
 * Up to 12.9 CUPTI crashes when it gets no buffer: beyond the limit it gets one whose records are counted, not told.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/cupti/cupti_in.h"
#include "capture/agent/device/device_buffers.h"
#include "capture/agent/device/device_teller.h"
#include "event/device_note.h"

enum { STREAMS = 64 };

static struct device_buffers buffers;
static struct device_teller teller;
static uint64_t n_nothing; /* requests that got no memory of their own at all */

/* What was dropped of a stream and not told so far. */
static struct {
	uint32_t place, stream;
	uint64_t n;
} dropped[STREAMS];

static bool read_clock(uint64_t *theirs)
{
	*theirs = 0;
	return !cupti.GetTimestamp(theirs);
}

bool cupti_take_start(void)
{
	if (!device_buffers_start(&buffers))
		return false;
	lock_take(&teller.lock);
	device_teller_start(&teller, DEVICE_OF_CUDA, DEVICE_CLOCK_WALL, read_clock);
	lock_give(&teller.lock);
	return true;
}

void cupti_take_request(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
	*max_records = 0;
	*buffer = device_buffers_take(&buffers, bytes);
	if (*buffer)
		return;
	__atomic_fetch_add(&n_nothing, 1, __ATOMIC_RELAXED);
	*buffer = device_buffers_at(&buffers, DEVICE_NO_BUFFER - 1, bytes);
}

static void drop(uint32_t place, uint32_t stream, uint64_t n)
{
	unsigned i = 0;

	while (i < STREAMS - 1 && dropped[i].n && (dropped[i].place != place || dropped[i].stream != stream))
		i++;
	/* there are too many streams to tell them apart */
	dropped[i].place = i == STREAMS - 1 ? SEGMENT_NO_STREAM : place;
	dropped[i].stream = stream;
	dropped[i].n += n;
}

static uint32_t place_of(const struct cupti_record *from)
{
	return from->device << 24 | (from->context & 0xffffff);
}

static void tell_call(struct thread *thread, const struct cupti_record *from)
{
	struct told_call call = { .begin = from->start,
				  .end = from->end,
				  .thread = from->thread,
				  .run = from->correlation,
				  .has_failed = from->result };

	call.group = cupti_call_group(from->kind == CUPTI_DRIVER, from->call, &call.name);
	if (call.group)
		device_teller_call(&teller, thread, &call);
}

static uint8_t work_of(uint32_t kind)
{
	switch (kind) {
	case CUPTI_KERNEL:
		return DEVICE_KERNEL;
	case CUPTI_COPY:
	case CUPTI_COPY_BETWEEN:
		return DEVICE_COPY;
	case CUPTI_SET:
		return DEVICE_SET;
	}
	return DEVICE_GRAPH;
}

static void tell_work(struct thread *thread, const struct cupti_record *from)
{
	struct told_work work = { .begin = from->start,
				  .end = from->end,
				  .bytes = from->bytes,
				  .graph = from->graph,
				  .registers = from->registers,
				  .shared = from->static_shared + from->dynamic_shared,
				  .device = from->device,
				  .stream = from->stream,
				  .run = from->correlation,
				  .context = from->context,
				  .node = from->node,
				  .name = (const char *)(uintptr_t)from->name,
				  .kind = work_of(from->kind),
				  .direction = (uint8_t)from->direction };

	for (unsigned i = 0; i < 3; i++) {
		work.grid[i] = from->grid[i];
		work.block[i] = from->block[i];
	}
	if (from->kind == CUPTI_COPY_BETWEEN)
		work.direction = DEVICE_BETWEEN;
	device_teller_work(&teller, thread, &work);
}

/* What CUPTI calls overhead. */
static const char *overhead_of(uint32_t kind)
{
	static const char *const names_of[] = { "buffer flush",		 "instrumentation",
						"CUPTI's resources",	 EVENT_OVERHEAD_MODULE,
						EVENT_OVERHEAD_FUNCTION, "command buffer full",
						"buffer request",	 "memory" };

	if (kind == 1)
		return EVENT_OVERHEAD_COMPILATION;
	kind = kind >> 16;
	return kind && kind <= sizeof names_of / sizeof *names_of ? names_of[kind - 1] : "other overhead";
}

static void tell_overhead(struct thread *thread, const struct cupti_record *from)
{
	struct told_call overhead = { .begin = from->start,
				      .end = from->end,
				      .name = overhead_of(from->call),
				      .thread = from->object == CUPTI_OBJECT_THREAD ? from->thread : 0 };

	device_teller_overhead(&teller, thread, &overhead);
}

static void tell(struct thread *thread, const struct cupti_record *from)
{
	switch (from->kind) {
	case CUPTI_DRIVER:
	case CUPTI_RUNTIME:
		tell_call(thread, from);
		return;
	case CUPTI_OVERHEAD:
		tell_overhead(thread, from);
		return;
	}
	tell_work(thread, from);
}

/* The records of a buffer; thread NULL: they are counted as dropped. */
static void take_records(struct thread *thread, uint8_t *buffer, size_t valid)
{
	struct cupti_record from;
	void *record = NULL;

	while (!cupti.ActivityGetNextRecord(buffer, valid, &record)) {
		size_t left = (size_t)(buffer + valid - (uint8_t *)record);
		uint32_t kind = 0;
		bool is_read = cupti_read(record, left, &from);

		if (left >= sizeof kind)
			memcpy(&kind, record, sizeof kind);
		if (!is_read)
			teller.n_strange++;
		else if (thread)
			tell(thread, &from);
		else
			drop(from.stream ? place_of(&from) : SEGMENT_NO_STREAM, from.stream, 1);
	}
}

static void count_dropped(void *context, uint32_t stream)
{
	size_t n = 0;

	if (!cupti.ActivityGetNumDroppedRecords(context, stream, &n) && n)
		drop(SEGMENT_NO_STREAM, stream, n);
}

void cupti_take_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
	unsigned number = device_buffers_number(&buffers, buffer);
	int saved = errno;
	struct thread *thread;

	if (number == DEVICE_NO_BUFFER)
		return;
	/* a child of fork has CUPTI's buffers, and no CUPTI */
	thread = hot->generation && number < DEVICE_BUFFERS ? agent_thread() : NULL;
	lock_take(&teller.lock);
	device_clock_look(&teller.clock);
	if (valid <= bytes)
		take_records(thread, buffer, valid);
	else
		teller.n_strange++;
	count_dropped(context, stream);
	lock_give(&teller.lock);
	device_buffers_give(&buffers, number);
	errno = saved;
}

void cupti_take_tell(enum device_state state, uint64_t time)
{
	struct thread *thread = agent_thread();

	if (!thread)
		return;
	lock_take(&teller.lock);
	count_dropped(NULL, 0);
	drop(SEGMENT_NO_STREAM, 0, __atomic_exchange_n(&n_nothing, 0, __ATOMIC_RELAXED));
	for (unsigned i = 0; i < STREAMS; i++) {
		if (dropped[i].n)
			device_put(thread, &(struct record){ .value = dropped[i].n,
							     .id = dropped[i].stream,
							     .text = dropped[i].place,
							     .type = RECORD_DEVICE_DROPPED });
		dropped[i].n = 0;
	}
	device_teller_state(&teller, state, time);
	lock_give(&teller.lock);
}
