// SPDX-License-Identifier: Apache-2.0
/* Puts work of a device and calls into events, on lines of their own. Does not know what belongs together. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/decode/device_in.h"
#include "capture/decode/kernel_name.h"

enum { NAMES = 1 << 13, MAX_LINES = 4096, MAX_NTH = 16, OF_OVERHEAD = -1, ARGS = 16 };

static const struct library {
	const char *name, *calls, *line;
} libraries[N_DEVICE_LIBRARIES] = {
	[DEVICE_OF_CUDA] = { "CUPTI", "CUDA calls", "stream" },
	[DEVICE_OF_ROCM] = { "rocprofiler-sdk", "HIP calls", "queue" },
	[DEVICE_OF_LEVEL_ZERO] = { "PTI", "Level Zero calls", "queue" },
};

static const struct library *library_of(const struct recorded *process)
{
	return &libraries[process->device.library];
}

static uint32_t define(struct device_step *step, const struct track_def *def)
{
	struct event event = { .type = EVENT_TRACK, .track = sink_new_track(step->out), .def = def };

	return sink_put(step->out, &event, step->err) ? 0 : event.track;
}

/* 0: the sink is broken, or out of memory. */
static uint32_t group_of(struct device_step *step, uint32_t number)
{
	struct array *groups = &step->process->device.groups;
	struct device_group *group = groups->data;
	struct track_def def = { .type = TRACK_GROUP };
	char name[32];

	for (size_t i = 0; i < groups->n; i++)
		if (group[i].number == number)
			return group[i].track;
	if (number == DEVICE_GROUP_OF_CALLS)
		snprintf(name, sizeof name, "%s", library_of(step->process)->calls);
	else
		snprintf(name, sizeof name, "GPU %" PRIu32, number);
	def.parent = recorded_track(step->process, step->out);
	def.name = names_of(step->out->names, name);
	group = array_add(groups, sizeof *group);
	if (!group)
		return 0;
	*group = (struct device_group){ number, define(step, &def) };
	return group->track;
}

static void name_line(const struct device_step *step, const struct device_line *line, uint32_t context, char *name,
		      size_t size)
{
	char more[32] = "", of_context[32] = "";

	if (line->nth > 1)
		snprintf(more, sizeof more, " (%" PRIu32 ")", line->nth);
	if (line->group != DEVICE_GROUP_OF_CALLS && context > 1)
		snprintf(of_context, sizeof of_context, ", context %" PRIu32, context);
	if (line->group != DEVICE_GROUP_OF_CALLS && line->number == SEGMENT_COPY_STREAM)
		snprintf(name, size, "copies%s", more);
	else if (line->group != DEVICE_GROUP_OF_CALLS)
		snprintf(name, size, "%s %" PRIu32 "%s%s", library_of(step->process)->line, line->number, of_context,
			 more);
	else if ((int32_t)line->number == OF_OVERHEAD)
		snprintf(name, size, "overhead%s", more);
	else
		snprintf(name, size, "thread %" PRIu32 "%s", line->number, more);
}

/*
 * The line of a stream or thread on which nothing is after that time. The last one of many takes what is in no order.
 * NULL and err: the sink is broken, or out of memory.
 */
static struct device_line *line_of(struct device_step *step, const struct device_line *of, uint32_t place,
				   uint64_t begin_ns)
{
	struct array *lines = &step->process->device.lines;
	struct device_line *line = lines->data, *last = NULL;
	struct track_def def = { .type = TRACK_LANE };
	struct device_line added = *of;
	char name[96];

	added.nth = 1;
	for (size_t i = 0; i < lines->n; i++) {
		if (line[i].group != of->group || line[i].number != of->number)
			continue;
		if (line[i].end_ns <= begin_ns)
			return &line[i];
		last = &line[i];
		added.nth++;
	}
	if (last && (added.nth > MAX_NTH || lines->n >= MAX_LINES))
		return last;
	name_line(step, &added, of->group == DEVICE_GROUP_OF_CALLS ? 0 : place & 0xffffff, name, sizeof name);
	def.parent = group_of(step, of->group == DEVICE_GROUP_OF_CALLS ? of->group : place >> 24);
	def.name = names_of(step->out->names, name);
	added.track = def.parent ? define(step, &def) : 0;
	line = added.track ? array_add(lines, sizeof *line) : NULL;
	if (line)
		*line = added;
	return line;
}

static int put(struct device_step *step, struct device_line *line, struct event *event, uint64_t end_ns)
{
	if (!line)
		return -ENOMEM;
	/* on the last of many lines */
	if (event->time_ns < line->end_ns)
		event->time_ns = line->end_ns;
	if (end_ns < event->time_ns)
		end_ns = event->time_ns;
	line->end_ns = end_ns;
	event->type = EVENT_BEGIN;
	event->track = line->track;
	return sink_put_slice(step->out, event, end_ns, step->err);
}

static struct device_name *slot_of(struct device_name *names, uint32_t symbol)
{
	uint32_t at = symbol * 2654435761u % NAMES;

	for (uint32_t tries = 0; tries < NAMES / 2; tries++, at = (at + 1) % NAMES)
		if (!names[at].symbol || names[at].symbol == symbol)
			return &names[at];
	return NULL;
}

/* Two symbols with one short name are told apart by a number. */
static uint32_t shorten(struct device_step *step, uint32_t symbol)
{
	struct device_name *names = step->process->device.names, *slot, *shared;
	char text[KERNEL_NAME_MAX], numbered[KERNEL_NAME_MAX + 16];
	uint32_t shown;

	if (!names && !(names = step->process->device.names = calloc(NAMES, sizeof *names)))
		return symbol;
	slot = slot_of(names, symbol);
	if (!slot || slot->shown)
		return slot ? slot->shown : symbol;
	if (!kernel_name_shorten(names_text(step->out->names, symbol), text)) {
		*slot = (struct device_name){ symbol, symbol, slot->n };
		return symbol;
	}
	shown = names_of(step->out->names, text);
	slot->symbol = symbol;
	slot->shown = shown;
	shared = slot_of(names, shown);
	if (!shared)
		return shown;
	shared->symbol = shown;
	if (shared->n++) {
		snprintf(numbered, sizeof numbered, "%s (%" PRIu32 ")", text, shared->n);
		slot->shown = names_of(step->out->names, numbered);
	}
	return slot->shown;
}

static const char *direction_of(const struct device_work *work)
{
	switch (work->kind == DEVICE_COPY ? work->direction : 0) {
	case DEVICE_TO:
	case 3: /* from an array of the host's, and so on */
		return EVENT_DIRECTION_TO;
	case DEVICE_FROM:
	case 4:
		return EVENT_DIRECTION_FROM;
	case DEVICE_BETWEEN:
		return EVENT_DIRECTION_BETWEEN;
	}
	return work->kind == DEVICE_COPY && work->direction <= DEVICE_INSIDE ? EVENT_DIRECTION_INSIDE : NULL;
}

/* As other tools call them: the analysis knows copies by it. */
static uint32_t name_of(struct device_step *step, const struct device_work *work)
{
	const char *direction = direction_of(work);
	char text[64];

	if (work->kind == DEVICE_KERNEL && work->name)
		return shorten(step, work->name);
	if (work->kind == DEVICE_GRAPH)
		snprintf(text, sizeof text, "graph %" PRIu64, work->value);
	else
		snprintf(text, sizeof text, "%s%s%s",
			 work->kind == DEVICE_KERNEL ? "(name lost)"
			 : work->kind == DEVICE_COPY ? "memcpy"
						     : "memset",
			 direction ? " " : "", direction ? direction : "");
	return names_of(step->out->names, text);
}

static struct arg sized(struct device_step *step, enum event_key key, uint64_t x, uint64_t y, uint64_t z)
{
	char text[72];

	snprintf(text, sizeof text, "%" PRIu64 "x%" PRIu64 "x%" PRIu64, x, y, z);
	return arg_text(key, step->out, text);
}

static size_t describe_kernel(struct device_step *step, const struct device_work *work, uint32_t shown,
			      struct arg *args)
{
	uint64_t grid = work->grid, block = work->value;
	size_t n = 0;

	if (grid)
		args[n++] = sized(step, KEY_GRID, grid >> 32, grid >> 16 & 0xffff, grid & 0xffff);
	if (block >> 16)
		args[n++] = sized(step, KEY_BLOCK, block >> 48, block >> 32 & 0xffff, block >> 16 & 0xffff);
	if (block & 0xffff)
		args[n++] = arg_int(KEY_REGISTERS, (int64_t)(block & 0xffff));
	args[n++] = arg_int(KEY_SHARED_BYTES, work->shared);
	if (shown != work->name && work->name)
		args[n++] = arg_name(KEY_SYMBOL, work->name);
	return n;
}

static int64_t flow_id(const struct device_step *step, uint64_t flow)
{
	const uint64_t own = (uint64_t)1 << (FLOW_BITS - 1); /* beside those that the program has made up */

	return (int64_t)(step->process->flows_base ^ (own | (flow & (own - 1))));
}

/* The operator and the inference, as far as there are any. */
static size_t describe_span(struct device_step *step, const struct device_span *span, struct arg *args)
{
	struct recorded *process = step->process;
	struct segment_node node = segment_node(&process->map, span ? span->node : 0);
	size_t n = 0;

	if (node.name || node.type)
		args[n++] = arg_name(KEY_OPERATOR, node.name ? node.name : node.type);
	if (node.type)
		args[n++] = arg_name(KEY_OP_TYPE, node.type);
	if (node.provider)
		args[n++] = arg_name(KEY_PROVIDER, node.provider);
	if (span && span->run)
		args[n++] = arg_int(KEY_INFERENCE, (int64_t)(process->run_base + recorded_run(process, span->run)));
	return n;
}

/* The operator, else the inference, else the thread. */
static size_t describe_asker(struct device_step *step, const struct device_work *work, struct arg *args)
{
	struct device_span of = work->span ? *work->span : (struct device_span){ 0 };
	size_t n;

	if (work->captured_in)
		of.node = work->captured_in;
	n = describe_span(step, &of, args);
	if (work->node)
		args[n++] = arg_int(KEY_GRAPH, (int64_t)(work->node >> 32)); /* as CUPTI numbers nodes */
	if (!work->call)
		return n;
	if (!work->span)
		args[n++] = arg_int(KEY_TID, work->call->tid);
	args[n++] = arg_int(KEY_QUEUED_NS,
			    work->begin_ns > work->call->end_ns ? (int64_t)(work->begin_ns - work->call->end_ns) : 0);
	args[n++] = arg_int(KEY_FLOW_END, flow_id(step, work->call->flow));
	return n;
}

int device_tell_work(struct device_step *step, const struct device_work *work)
{
	/* the number of a stream is its context's */
	const struct device_line of = { .group = work->place, .number = work->stream };
	struct arg args[ARGS];
	struct event event = { .kind = KIND_KERNEL, .time_ns = work->begin_ns, .args = args };
	const char *direction = direction_of(work);

	event.name = name_of(step, work);
	event.n_args = describe_asker(step, work, args);
	if (work->kind == DEVICE_KERNEL)
		event.n_args += describe_kernel(step, work, event.name, args + event.n_args);
	else if (work->kind == DEVICE_GRAPH)
		args[event.n_args++] = arg_int(KEY_GRAPH, (int64_t)work->value);
	else
		args[event.n_args++] = arg_int(KEY_BYTES, (int64_t)work->value);
	if (direction)
		args[event.n_args++] = arg_text(KEY_DIRECTION, step->out, direction);
	return put(step, line_of(step, &of, work->place, work->begin_ns), &event, work->end_ns);
}

int device_tell_call(struct device_step *step, const struct device_call *call, const struct device_span *span)
{
	const struct device_line of = { .group = DEVICE_GROUP_OF_CALLS,
					.number = (uint32_t)(call->is_overhead ? OF_OVERHEAD : call->tid) };
	struct event event = { .kind = KIND_CALL, .time_ns = call->begin_ns, .name = call->name };
	struct arg args[ARGS];
	size_t n = describe_span(step, span, args);

	if (call->tid)
		args[n++] = arg_int(KEY_TID, call->tid);
	if (call->flow)
		args[n++] = arg_int(KEY_FLOW, flow_id(step, call->flow));
	if (call->has_failed)
		args[n++] = arg_text(KEY_STATUS, step->out, "failed");
	event.args = args;
	event.n_args = n;
	return put(step, line_of(step, &of, 0, call->begin_ns), &event, call->end_ns);
}

int device_tell_dropped(struct device_step *step, const struct record *record, uint64_t now_ns)
{
	const struct library *library = library_of(step->process);
	char where[96];

	snprintf(where, sizeof where, "kernels and copies, that %s dropped", library->name);
	if (record->text != SEGMENT_NO_STREAM)
		snprintf(where, sizeof where, "kernels and copies of GPU %" PRIu32 ", %s %" PRIu32 ": no buffer",
			 record->text >> 24, library->line, record->id);
	return recorded_lost(step->process, step->out, now_ns, record->value, where, step->err);
}

static int tell_lost(struct recorded *process, struct sink *out, uint64_t now_ns, struct err *err)
{
	const struct device *device = &process->device;
	int code = 0;

	if (device->n_timeless)
		code = recorded_lost(process, out, now_ns, device->n_timeless,
				     "kernels and copies without times: the device had no memory left for them", err);
	if (!code && device->n_strange)
		code = recorded_lost(process, out, now_ns, device->n_strange,
				     "records of a device of kinds that are not known here", err);
	return code;
}

int device_tell_end(struct recorded *process, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct device *device = &process->device;
	uint64_t error_ns = device->early_ns > device->error_ns ? device->early_ns : device->error_ns;
	struct arg args[5] = { arg_int(KEY_PID, process->pid), arg_text(KEY_SOURCE, out, library_of(process)->name),
			       arg_int(KEY_ERROR_NS, (int64_t)error_ns) };
	size_t n = 3;
	char text[160];
	int code;

	if (!device->is_begun || device->is_told)
		return 0;
	device->is_told = true;
	if (device->n_steps)
		args[n++] = arg_int(KEY_COUNT, device->n_steps);
	if (!device->has_ended) {
		snprintf(text, sizeof text,
			 "kernels of the last %.0f ms may be missing: the program ended before %s had told them",
			 now_ns > device->flushed_ns ? (double)(now_ns - device->flushed_ns) / 1e6 : 0.0,
			 library_of(process)->name);
		args[n++] = arg_text(KEY_TEXT, out, text);
	}
	code = tell_lost(process, out, now_ns, err);
	return code ? code
		    : recorded_note(
			  out, EVENT_NOTE_DEVICE_CLOCK,
			  &(struct event){
			      .track = recorded_track(process, out), .time_ns = now_ns, .args = args, .n_args = n },
			  err);
}
