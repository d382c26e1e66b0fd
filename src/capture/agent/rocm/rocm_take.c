// SPDX-License-Identifier: Apache-2.0
/* Turns records of rocprofiler-sdk into the agent's, on the library's thread or on the agent's that flushes. */
#include <errno.h>
#include <string.h>

#include "capture/agent/rocm/rocm_in.h"

enum { OPERATIONS = 1024, TRACING = 1, HOST_TO_DEVICE = 2, DEVICE_TO_HOST = 3, DEVICE_TO_DEVICE = 4 };

static struct device_teller teller;

static const struct call_name names[] = {
	{ "hipGraphLaunch", CALL_GRAPH },
	{ "hipLaunchHostFunc", 0 },
	{ "hipLaunch", CALL_LAUNCH },
	{ "hipModuleLaunch", CALL_LAUNCH },
	{ "hipExtLaunch", CALL_LAUNCH },
	{ "hipExtModuleLaunch", CALL_LAUNCH },
	{ "hipHccModuleLaunch", CALL_LAUNCH },
	{ "hipDrvLaunch", CALL_LAUNCH },
	{ "hipMemcpy", CALL_COPY },
	{ "hipDrvMemcpy", CALL_COPY },
	{ "hipMemset", CALL_SET },
	{ "hipDeviceSynchronize", CALL_WAIT },
	{ "hipStreamSynchronize", CALL_WAIT },
	{ "hipEventSynchronize", CALL_WAIT },
	{ "hipCtxSynchronize", CALL_WAIT },
	{ "hipMalloc", CALL_MEMORY },
	{ "hipFree", CALL_MEMORY },
	{ "hipHostMalloc", CALL_MEMORY },
	{ "hipHostAlloc", CALL_MEMORY },
	{ "hipHostFree", CALL_MEMORY },
	{ "hipExtMalloc", CALL_MEMORY },
	{ NULL, 0 },
};

/* The names are the library's, and stay. */
static struct {
	const char *name;
	uint8_t group;
} calls[OPERATIONS];

size_t rocm_take_calls(int32_t *operations, size_t room)
{
	size_t n = 0;

	for (int32_t i = 0; i < OPERATIONS && n < room; i++) {
		const char *name = NULL;
		uint64_t len = 0;

		calls[i].group = 0;
		if (rocm.query_buffer_tracing_kind_operation_name(rocm.kinds[ROCM_CALL], i, &name, &len) || !name)
			continue;
		calls[i].name = name;
		calls[i].group = device_teller_group(names, name);
		if (calls[i].group)
			operations[n++] = i;
	}
	return n;
}

static bool read_clock(uint64_t *theirs)
{
	return !rocm.get_timestamp(theirs);
}

void rocm_take_start(void)
{
	lock_take(&teller.lock);
	device_teller_start(&teller, DEVICE_OF_ROCM, DEVICE_CLOCK_STEADY, read_clock);
	lock_give(&teller.lock);
}

static void tell_call(struct thread *thread, const struct rocm_record *from)
{
	if (from->operation >= OPERATIONS || !calls[from->operation].group)
		return;
	device_teller_call(&teller, thread,
			   &(struct told_call){ .begin = from->start,
						.end = from->end,
						.name = calls[from->operation].name,
						.thread = (uint32_t)from->thread,
						.run = (uint32_t)from->correlation,
						.group = calls[from->operation].group });
}

static void tell_copy(struct thread *thread, const struct rocm_record *from)
{
	uint32_t to = rocm_device_number(from->device), of = rocm_device_number(from->other);
	struct told_work work = { .begin = from->start,
				  .end = from->end,
				  .bytes = from->bytes,
				  .device = to != UINT32_MAX   ? to
					    : of != UINT32_MAX ? of
							       : 0,
				  .stream = SEGMENT_COPY_STREAM,
				  .run = (uint32_t)from->correlation,
				  .kind = DEVICE_COPY };

	work.direction = from->operation == HOST_TO_DEVICE     ? DEVICE_TO
			 : from->operation == DEVICE_TO_HOST   ? DEVICE_FROM
			 : from->operation != DEVICE_TO_DEVICE ? DEVICE_HOST
			 : to == of			       ? DEVICE_INSIDE
							       : DEVICE_BETWEEN;
	device_teller_work(&teller, thread, &work);
}

static void tell_kernel(struct thread *thread, const struct rocm_record *from)
{
	uint32_t device = rocm_device_number(from->device);
	struct told_work work = { .begin = from->start,
				  .end = from->end,
				  .shared = from->shared,
				  .device = device != UINT32_MAX ? device : 0,
				  .stream = (uint32_t)from->queue,
				  .run = (uint32_t)from->correlation,
				  .kind = DEVICE_KERNEL };

	work.name = rocm_kernel_name(from->kernel, &work.registers);
	for (unsigned i = 0; i < 3; i++) {
		work.block[i] = from->block[i];
		work.grid[i] = from->block[i] ? from->grid[i] / from->block[i] + (from->grid[i] % from->block[i] != 0)
					      : from->grid[i];
	}
	device_teller_work(&teller, thread, &work);
}

static void tell(struct thread *thread, enum rocm_kind kind, const struct rocm_record *from)
{
	switch (kind) {
	case ROCM_CALL:
		tell_call(thread, from);
		return;
	case ROCM_COPY:
		tell_copy(thread, from);
		return;
	case ROCM_KERNEL:
		tell_kernel(thread, from);
		return;
	default:
		device_teller_overhead(
		    &teller, thread,
		    &(struct told_call){ .begin = from->start, .end = from->end, .name = "scratch memory" });
	}
}

static enum rocm_kind kind_of(const struct rocm_header *header)
{
	unsigned kind = 0;

	while (kind < ROCM_KINDS &&
	       (header->category != TRACING || !rocm.kinds[kind] || rocm.kinds[kind] != header->kind))
		kind++;
	return (enum rocm_kind)kind;
}

void rocm_take(uint64_t context, uint64_t buffer, struct rocm_header **headers, size_t n, void *data,
	       uint64_t n_dropped)
{
	int saved = errno;
	struct thread *thread = hot->generation ? agent_thread() : NULL;

	(void)context;
	(void)buffer;
	(void)data;
	lock_take(&teller.lock);
	device_clock_look(&teller.clock);
	teller.n_dropped += n_dropped;
	for (size_t i = 0; i < n && headers; i++) {
		enum rocm_kind kind = headers[i] ? kind_of(headers[i]) : ROCM_KINDS;
		struct rocm_record from;

		if (kind == ROCM_KINDS || !headers[i]->record || !rocm_read(kind, headers[i]->record, ROCM_MOST, &from))
			teller.n_strange++;
		else if (thread)
			tell(thread, kind, &from);
		else
			teller.n_dropped++;
	}
	lock_give(&teller.lock);
	errno = saved;
}

void rocm_take_state(enum device_state state, uint64_t time)
{
	lock_take(&teller.lock);
	device_teller_state(&teller, state, time);
	lock_give(&teller.lock);
}
