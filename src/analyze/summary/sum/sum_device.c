// SPDX-License-Identifier: Apache-2.0
/*
 * Work comes in about the order of its begin, over all streams. What comes later than that adds to the time that the
 * device was busy only where it lies before all others: that time is never too long.
 */
#include <errno.h>
#include <string.h>

#include "analyze/summary/sum_kinds.h"
#include "analyze/summary/sum_slow.h"
#include "event/event.h"

enum { CLOCK_NS = 20000 };

static void add_copy(struct summary_maker *maker, struct summary_device *to, const struct slice *slice, uint64_t end_ns)
{
	const char *direction = names_text(maker->names, fact_text(&slice->facts, FACT_DIRECTION));
	struct summary_copies *copies = !strcmp(direction, EVENT_DIRECTION_TO)	   ? &to->to
					: !strcmp(direction, EVENT_DIRECTION_FROM) ? &to->from
										   : NULL;

	if (!copies)
		return;
	to->copies_ns = stats_sum(to->copies_ns, end_ns - slice->begin_ns);
	copies->n++;
	copies->bytes = stats_sum(copies->bytes, sum_at_least_0(fact_int(&slice->facts, FACT_BYTES, 0)));
}

/* The wait ended while the device idled: what ended the gap was asked for after it. */
static void match(struct run_gap *gap, const struct run_gap *wait)
{
	if (wait->end_ns >= gap->begin_ns && wait->end_ns <= gap->end_ns && wait->after > gap->after)
		gap->after = wait->after;
}

static void keep_gap(struct run_device *device, uint64_t begin_ns, uint64_t end_ns)
{
	struct run_gap *to = &device->gap[0];

	for (uint32_t i = 1; i < device->n_gaps; i++)
		if (device->gap[i].end_ns - device->gap[i].begin_ns < to->end_ns - to->begin_ns)
			to = &device->gap[i];
	if (device->n_gaps < RUN_GAPS)
		to = &device->gap[device->n_gaps++];
	else if (to->end_ns - to->begin_ns >= end_ns - begin_ns)
		return;
	*to = (struct run_gap){ begin_ns, end_ns, RUN_LATE };
	for (uint32_t i = 0; i < device->n_call_waits && i < RUN_GAPS; i++)
		match(to, &device->wait[i]);
}

/* Calls come after the work, as a rule, but not always. */
static void keep_wait(struct run_device *device, const struct slice *slice, uint64_t end_ns, enum run_wait of)
{
	struct run_gap *wait = &device->wait[device->n_call_waits++ % RUN_GAPS];

	*wait = (struct run_gap){ slice->begin_ns, end_ns, of };
	for (uint32_t i = 0; i < device->n_gaps; i++)
		match(&device->gap[i], wait);
	if (of == RUN_AFTER_WAIT && end_ns > device->end_wait_ns)
		device->end_wait_ns = end_ns;
}

static void add_gap(struct run_device *device, const struct slice *slice)
{
	uint64_t gap_ns = slice->begin_ns - device->end_ns;
	int64_t queued_ns = fact_int(&slice->facts, FACT_QUEUED, -1);

	device->sum.idle_ns = stats_sum(device->sum.idle_ns, gap_ns);
	/* the call that asked for it returned when the device was idle already */
	if (queued_ns < 0 || (uint64_t)queued_ns >= gap_ns)
		return;
	device->sum.launch_idle_ns = stats_sum(device->sum.launch_idle_ns, gap_ns);
	keep_gap(device, device->end_ns, slice->begin_ns);
}

static uint64_t new_ns(const struct run_device *device, const struct slice *slice, uint64_t end_ns)
{
	if (!device->sum.n_kernels || slice->begin_ns >= device->end_ns)
		return end_ns - slice->begin_ns;
	if (end_ns <= device->begin_ns)
		return end_ns - slice->begin_ns;
	return end_ns > device->end_ns ? end_ns - device->end_ns : 0;
}

/* Those of one operator come one after the other, as a rule. */
static int add_to_operator(struct summary_maker *maker, struct run *run, const struct slice *slice, uint64_t end_ns)
{
	struct ops_block *block = run->work.last ? block_at(&maker->operators, run->work.last) : NULL;
	struct op *last = block ? &block->op[block->n - 1] : NULL,
		  op = { .end_ns = end_ns - slice->begin_ns, .bytes = 1 };

	if (sum_operators_kind(&maker->operators, fact_text(&slice->facts, FACT_OPERATOR), &slice->facts, &op.kind))
		return -ENOMEM;
	if (!last || last->kind != op.kind)
		return sum_operators_put(&maker->operators, &run->work, &op);
	last->end_ns = stats_sum(last->end_ns, op.end_ns);
	last->bytes++;
	return 0;
}

int sum_device_settle(struct summary_maker *maker, const struct run *run, const struct place *place)
{
	struct operators *operators = &maker->operators;
	uint32_t at = sum_operators_place(operators, place);

	if (at == NONE)
		return -ENOMEM;
	for (uint32_t number = run->work.first; number; number = block_at(operators, number)->next) {
		const struct ops_block *block = block_at(operators, number);

		for (const struct op *op = block->op; op < block->op + block->n; op++) {
			uint32_t index = keys_find(&operators->group_keys, at, op->kind);
			struct summary_operator *facts = index == NONE ? NULL : &group_at(operators, index)->facts;

			if (!facts)
				continue;
			facts->n_kernels += (uint64_t)op->bytes * run->weight;
			facts->device_ns = stats_sum(facts->device_ns, sum_scaled(op->end_ns, run->weight));
		}
	}
	return 0;
}

int sum_device_work(struct summary_maker *maker, struct run *run, const struct slice *slice, uint64_t end_ns)
{
	struct run_device *device = &run->device;

	if (!device->sum.n_kernels && process_at(maker, run->process)->device_end_ns < slice->begin_ns)
		device->idle_from_ns = process_at(maker, run->process)->device_end_ns;
	device->sum.busy_ns = stats_sum(device->sum.busy_ns, new_ns(device, slice, end_ns));
	if (device->sum.n_kernels && slice->begin_ns > device->end_ns)
		add_gap(device, slice);
	if (!device->sum.n_kernels || slice->begin_ns < device->begin_ns)
		device->begin_ns = slice->begin_ns;
	device->end_ns = end_ns > device->end_ns ? end_ns : device->end_ns;
	device->sum.n_kernels++;
	device->sum.kernels_ns = stats_sum(device->sum.kernels_ns, end_ns - slice->begin_ns);
	if (facts_have(&slice->facts, FACT_DIRECTION))
		add_copy(maker, &device->sum, slice, end_ns);
	return facts_have(&slice->facts, FACT_OPERATOR) ? add_to_operator(maker, run, slice, end_ns) : 0;
}

/* As CUDA, its driver, HIP and Level Zero call them. */
static bool takes_memory(const char *name)
{
	static const char *const begins[] = { "cudaMalloc", "cudaFree",	    "cudaHostAlloc", "cuMemAlloc",
					      "cuMemFree",  "cuMemHost",    "hipMalloc",     "hipFree",
					      "hipHost",    "hipExtMalloc", "zeMemAlloc",    "zeMemFree" };

	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return !strstr(name, "Async");
	return false;
}

/* Time of the driver that is no call; false: it is one. */
static bool add_overhead(struct summary_device *to, const char *name, uint64_t ns)
{
	if (!strcmp(name, EVENT_OVERHEAD_COMPILATION))
		to->compile_ns = stats_sum(to->compile_ns, ns);
	else if (!strcmp(name, EVENT_OVERHEAD_MODULE) || !strcmp(name, EVENT_OVERHEAD_FUNCTION))
		to->load_ns = stats_sum(to->load_ns, ns);
	else
		return false;
	return true;
}

void sum_device_call(const struct summary_maker *maker, struct run *run, const struct slice *slice, uint64_t end_ns)
{
	const char *name = names_text(maker->names, slice->name);
	struct summary_device *sum = &run->device.sum;

	if (add_overhead(sum, name, end_ns - slice->begin_ns))
		return;
	sum->n_calls++;
	if (strstr(name, "Synchronize")) {
		sum->n_waits++;
		sum->waits_ns = stats_sum(sum->waits_ns, end_ns - slice->begin_ns);
		keep_wait(&run->device, slice, end_ns, RUN_AFTER_WAIT);
	} else if (strstr(name, "Memcpy") && !strstr(name, "Async")) {
		keep_wait(&run->device, slice, end_ns, RUN_AFTER_COPY);
	} else if (takes_memory(name)) {
		sum->n_memory++;
		sum->memory_ns = stats_sum(sum->memory_ns, end_ns - slice->begin_ns);
	}
}

static void add_idle_before(const struct run *run, struct summary_device *to)
{
	const struct run_device *device = &run->device;
	uint64_t from_ns = device->idle_from_ns;

	if (!from_ns || device->begin_ns <= from_ns)
		return;
	if (from_ns < run->begin_ns)
		to->between_ns = run->begin_ns - from_ns;
	from_ns = from_ns < run->begin_ns ? run->begin_ns : from_ns;
	to->before_ns = device->begin_ns > from_ns ? device->begin_ns - from_ns : 0;
}

/*
 * The call returns when the device is done, but for what it does itself then. The device's clock is right within
 * microseconds, by which its work may seem to outlast the wait for it.
 */
static bool ends_with_wait(const struct run *run)
{
	uint64_t wall_ns = run->end_ns - run->begin_ns, until_ns = run->device.end_wait_ns;
	uint64_t error_ns = wall_ns / 50 < CLOCK_NS ? wall_ns / 50 : CLOCK_NS;

	return until_ns && until_ns <= run->end_ns && run->end_ns - until_ns <= wall_ns / 10 &&
	       until_ns + error_ns >= run->device.end_ns;
}

static uint64_t part_of(uint64_t ns, uint64_t part, uint64_t whole)
{
	return (uint64_t)((double)ns * (double)part / (double)whole);
}

void sum_device_of_run(const struct run *run, struct summary_device *to)
{
	double wall_ns = (double)(run->end_ns - run->begin_ns), waits_ns;
	uint64_t kept_ns = 0;

	*to = run->device.sum;
	to->n_runs = 1;
	to->wall_ns = run->end_ns - run->begin_ns;
	to->late_ns = run->device.end_ns > run->end_ns ? run->device.end_ns - run->end_ns : 0;
	for (uint32_t i = 0; i < run->device.n_gaps; i++) {
		const struct run_gap *gap = &run->device.gap[i];

		kept_ns += gap->end_ns - gap->begin_ns;
		to->wait_idle_ns += gap->after == RUN_AFTER_WAIT ? gap->end_ns - gap->begin_ns : 0;
		to->copy_idle_ns += gap->after == RUN_AFTER_COPY ? gap->end_ns - gap->begin_ns : 0;
	}
	if (kept_ns && kept_ns < to->launch_idle_ns) { /* the shorter ones are taken to be like the longest */
		to->wait_idle_ns = part_of(to->launch_idle_ns, to->wait_idle_ns, kept_ns);
		to->copy_idle_ns = part_of(to->launch_idle_ns, to->copy_idle_ns, kept_ns);
	}
	add_idle_before(run, to);
	to->n_end_waits = ends_with_wait(run);
	waits_ns = (double)(to->wait_idle_ns + to->copy_idle_ns + (to->n_end_waits ? to->before_ns : 0));
	to->n_wait_bound = waits_ns >= 0.1 * wall_ns;
	to->n_idle_before = to->between_ns && (double)to->between_ns >= wall_ns;
	to->n_launch_bound = (double)(to->launch_idle_ns - to->wait_idle_ns - to->copy_idle_ns) >= 0.3 * wall_ns;
	to->n_copy_bound = to->copies_ns && (double)to->copies_ns >= 0.1 * wall_ns;
	to->n_memory_bound = to->n_memory && (double)to->memory_ns >= 0.05 * wall_ns;
}

void sum_device_add(struct summary_device *to, const struct summary_device *from)
{
	to->n_runs += from->n_runs;
	to->wall_ns = stats_sum(to->wall_ns, from->wall_ns);
	to->n_kernels += from->n_kernels;
	to->kernels_ns = stats_sum(to->kernels_ns, from->kernels_ns);
	to->busy_ns = stats_sum(to->busy_ns, from->busy_ns);
	to->idle_ns = stats_sum(to->idle_ns, from->idle_ns);
	to->launch_idle_ns = stats_sum(to->launch_idle_ns, from->launch_idle_ns);
	to->wait_idle_ns = stats_sum(to->wait_idle_ns, from->wait_idle_ns);
	to->copy_idle_ns = stats_sum(to->copy_idle_ns, from->copy_idle_ns);
	to->before_ns = stats_sum(to->before_ns, from->before_ns);
	to->between_ns = stats_sum(to->between_ns, from->between_ns);
	to->late_ns = stats_sum(to->late_ns, from->late_ns);
	to->copies_ns = stats_sum(to->copies_ns, from->copies_ns);
	to->to.n += from->to.n;
	to->to.bytes = stats_sum(to->to.bytes, from->to.bytes);
	to->from.n += from->from.n;
	to->from.bytes = stats_sum(to->from.bytes, from->from.bytes);
	to->n_calls += from->n_calls;
	to->n_waits += from->n_waits;
	to->waits_ns = stats_sum(to->waits_ns, from->waits_ns);
	to->n_memory += from->n_memory;
	to->memory_ns = stats_sum(to->memory_ns, from->memory_ns);
	to->compile_ns = stats_sum(to->compile_ns, from->compile_ns);
	to->load_ns = stats_sum(to->load_ns, from->load_ns);
	to->n_end_waits += from->n_end_waits;
	to->n_wait_bound += from->n_wait_bound;
	to->n_idle_before += from->n_idle_before;
	to->n_launch_bound += from->n_launch_bound;
	to->n_copy_bound += from->n_copy_bound;
	to->n_memory_bound += from->n_memory_bound;
}
