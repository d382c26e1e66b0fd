// SPDX-License-Identifier: Apache-2.0
/*
 * Gives PTI memory for its records, and turns them into the agent's when they are complete: on a thread of PTI's or on
 * the agent's that flushes. The texts of names are PTI's.
 */
#include <errno.h>
#include <string.h>

#include "capture/agent/device/device_buffers.h"
#include "capture/agent/pti/pti_in.h"

enum {
	CALLS = 1024,
	DEVICES = 64,
	QUEUES = 512,
	HOST_WAITS = 3, /* types of synchronisation from here on are waits of the host */
};

static struct device_teller teller;

static struct device_buffers buffers;
static uint64_t n_refused;

static const struct call_name names[] = {
	{ "zeCommandListAppendLaunch", CALL_LAUNCH },
	{ "zeCommandListImmediateAppend", CALL_GRAPH },
	{ "zeCommandQueueExecute", CALL_GRAPH },
	{ "zeCommandListAppendMemoryCopy", CALL_COPY },
	{ "zeCommandListAppendImageCopy", CALL_COPY },
	{ "zeCommandListAppendMemoryFill", CALL_SET },
	{ "zeCommandListHostSynchronize", CALL_WAIT },
	{ "zeCommandQueueSynchronize", CALL_WAIT },
	{ "zeEventHostSynchronize", CALL_WAIT },
	{ "zeFenceHostSynchronize", CALL_WAIT },
	{ "zeMemAlloc", CALL_MEMORY },
	{ "zeMemFree", CALL_MEMORY },
	{ NULL, 0 },
};

/* The names are the library's, and stay. */
static struct {
	const char *name;
	uint8_t group;
} calls[CALLS];

/* In the order in which they came. */
static struct {
	char device[DEVICES][PTI_ADDRESS + 1];
	uint64_t queue[QUEUES];
	uint32_t n_devices, n_queues;
} seen;

static bool read_clock(uint64_t *theirs)
{
	*theirs = pti.GetTimestamp();
	return *theirs != 0;
}

bool pti_take_start(void)
{
	if (!device_buffers_start(&buffers))
		return false;
	lock_take(&teller.lock);
	device_teller_start(&teller, DEVICE_OF_LEVEL_ZERO, DEVICE_CLOCK_WALL, read_clock);
	lock_give(&teller.lock);
	return true;
}

void pti_take_enable_calls(void)
{
	for (uint32_t i = 0; i < CALLS; i++) {
		const char *name = NULL;

		calls[i].group = 0;
		if (pti.GetApiIdName(PTI_OF_LEVEL_ZERO, i, &name) || !name)
			continue;
		calls[i].name = name;
		calls[i].group = device_teller_group(names, name);
		if (calls[i].group)
			pti.EnableDriverApi(1, PTI_OF_LEVEL_ZERO, i);
	}
}

void pti_take_request(unsigned char **buffer, size_t *bytes)
{
	*buffer = device_buffers_take(&buffers, bytes);
	if (!*buffer) /* PTI drops the record, and says nothing */
		__atomic_fetch_add(&n_refused, 1, __ATOMIC_RELAXED);
}

static uint32_t device_of(const char *address)
{
	uint32_t i = 0;

	while (i < seen.n_devices && strcmp(seen.device[i], address))
		i++;
	if (i == DEVICES)
		return DEVICES - 1;
	if (i == seen.n_devices)
		memcpy(seen.device[seen.n_devices++], address, sizeof seen.device[i]);
	return i;
}

static uint32_t queue_of(uint64_t handle)
{
	uint32_t i = 0;

	while (i < seen.n_queues && seen.queue[i] != handle)
		i++;
	if (i == QUEUES)
		return QUEUES;
	if (i == seen.n_queues)
		seen.queue[seen.n_queues++] = handle;
	return i + 1;
}

/* Types are named for where from and where to, four each: memory, host, device, shared. */
static uint8_t direction_of(const struct pti_record *from)
{
	enum { OF_DEVICE = 2, PLACES = 4 };
	bool is_from = from->type / PLACES == OF_DEVICE, is_to = from->type % PLACES == OF_DEVICE;

	if (from->kind == PTI_COPY_BETWEEN)
		return DEVICE_BETWEEN;
	return is_from && is_to ? DEVICE_INSIDE : is_from ? DEVICE_FROM : is_to ? DEVICE_TO : DEVICE_HOST;
}

static void tell_work(struct thread *thread, const struct pti_record *from)
{
	struct told_work work = { .begin = from->start,
				  .end = from->end,
				  .bytes = from->bytes,
				  .device = device_of(from->address),
				  .stream = queue_of(from->queue),
				  .run = from->correlation,
				  .kind = from->kind == PTI_KERNEL ? DEVICE_KERNEL
					  : from->kind == PTI_FILL ? DEVICE_SET
								   : DEVICE_COPY };

	if (work.kind == DEVICE_KERNEL)
		work.name = (const char *)(uintptr_t)from->name;
	if (work.kind == DEVICE_COPY)
		work.direction = direction_of(from);
	device_teller_work(&teller, thread, &work);
}

static void tell_call(struct thread *thread, const struct pti_record *from)
{
	struct told_call call = { .begin = from->start,
				  .end = from->end,
				  .thread = from->thread,
				  .run = from->correlation,
				  .has_failed = from->result != 0 };

	if (from->call >= CALLS || !calls[from->call].group)
		return;
	call.name = calls[from->call].name;
	call.group = calls[from->call].group;
	device_teller_call(&teller, thread, &call);
}

static void tell(struct thread *thread, const struct pti_record *from)
{
	switch (from->kind) {
	case PTI_SYNC:
		if (from->type < HOST_WAITS)
			return;
		/* fall through */
	case PTI_DRIVER_API:
		tell_call(thread, from);
		return;
	case PTI_OVERHEAD:
		device_teller_overhead(
		    &teller, thread,
		    &(struct told_call){ .begin = from->start, .end = from->end, .name = "PTI's overhead" });
		return;
	}
	tell_work(thread, from);
}

/* The records of a buffer; thread NULL: they are counted as dropped. */
static void take_records(struct thread *thread, uint8_t *buffer, size_t used)
{
	struct pti_record from;
	void *record = NULL;

	while (!pti.GetNextRecord(buffer, used, &record) && record) {
		size_t left = (size_t)(buffer + used - (uint8_t *)record);

		if ((uint8_t *)record < buffer || left > used)
			return;
		if (!pti_read(record, left, &from))
			teller.n_strange++;
		else if (thread)
			tell(thread, &from);
		else
			teller.n_dropped++;
	}
}

void pti_take_complete(unsigned char *buffer, size_t bytes, size_t used)
{
	unsigned number = device_buffers_number(&buffers, buffer);
	int saved = errno;
	struct thread *thread;

	if (number == DEVICE_NO_BUFFER)
		return;
	thread = hot->generation && number < DEVICE_BUFFERS ? agent_thread() : NULL;
	lock_take(&teller.lock);
	device_clock_look(&teller.clock);
	if (used <= bytes)
		take_records(thread, buffer, used);
	else
		teller.n_strange++;
	lock_give(&teller.lock);
	device_buffers_give(&buffers, number);
	errno = saved;
}

void pti_take_state(enum device_state state, uint64_t time)
{
	lock_take(&teller.lock);
	teller.n_dropped += __atomic_exchange_n(&n_refused, 0, __ATOMIC_RELAXED);
	device_teller_state(&teller, state, time);
	lock_give(&teller.lock);
}
