// SPDX-License-Identifier: Apache-2.0
/*
 * Turns ONNX Runtime's own profile into events: the session's creation, inferences and operators as in recordings, and
 * device kernels. ort_profile.c reads the file; this file keeps its events, sorts them by time and assigns tracks.
 *
 * process
 *   unknown model        group; the profile does not name the model
 *     inferences         a lane for each thread that runs inferences: session, load, specialize; inference, setup
 *   thread               operators
 *   provider             group
 *     kernels            a lane for each concurrent kernel
 *
 * Times are whole microseconds since the session was constructed. Begins and durations are each rounded down, so the
 * end of a slice may lie 2 us outside of the slice around it: it is cut there. Facts absent from the file are not made
 * up: the model's name, whether an inference failed, the parts of session_initialization.
 *
 * A profile of one thread is put inference by inference, because an inference ends after all of its operators. Of
 * others a million events are sorted at a time: the runtime keeps no more, so that only files which other tools made
 * are larger. A slice that began more than half of that before is moved: it begins later, and is counted.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "trace/import/importer.h"
#include "trace/import/ort_profile_in.h"
#include "trace/import/slices.h"
#include "trace/perfetto/perfetto_map.h"

enum {
	MAX_ACTIVE = 64,
	MAX_DEVICE_LANES = 64,
	ROUNDING_US = 2,
	SESSION = 1,
	WINDOW = 1 << 20,
	PART = 1 << 15,
	TAIL = 64 << 10
};

enum line_type { LINE_NONE, LINE_THREAD, LINE_LANE };

/* A thread's operators or inferences. */
struct line {
	struct slices slices;
	int64_t setup_from; /* begin of the inference that has not begun to execute; -1: none */
};

struct device_lane {
	struct slices slices;
	uint32_t provider, stream, group;
	int64_t end; /* microseconds */
};

/* An inference that is running. */
struct active {
	int64_t end;
	int32_t tid;
	uint32_t number;
};

struct profile {
	struct ort_profile file;
	struct array entries, lines;	 /* struct ort_profile_entry, struct line */
	uint32_t n_taken, last_operator; /* events of the file; in entries: the index + 1 of the last operator */
	int64_t put_until;		 /* all events that began before are put */
	struct ort_profile_event session;
	struct perfetto_map inference_of; /* flow: number of the inference */
	struct slices_stream stream;
	struct perfetto_map line_of; /* type and thread: index in lines + 1 */
	struct device_lane device_lanes[MAX_DEVICE_LANES];
	uint32_t n_device_lanes, n_lanes;
	struct active active[MAX_ACTIVE];
	uint32_t n_active, n_inferences;
	uint32_t process, group, model;
	uint32_t device; /* the provider of the first kernel, for those whose provider is not known; 0: none is */
	int32_t pid;
	int32_t tid;	  /* of the first event */
	bool is_threaded; /* events of several threads, or kernels, which may lie far from their operators */
	bool is_begun, has_pending_session;
	bool has_session; /* the file begins with the session: the first inference is the session's first */
};

static int out_of_memory(const struct profile *profile)
{
	return err_set(profile->stream.err, ENOMEM, "out of memory");
}

/* ONNX Runtime's own profilers of GPUs write the kernels of an operator right behind it, with its name. */
static void attach_to_last(struct profile *profile, struct ort_profile_entry *kernel)
{
	struct ort_profile_entry *operator;

	if (!profile->last_operator || !kernel->event.operator || kernel->event.correlation)
		return;
	operator = (struct ort_profile_entry *)profile->entries.data + profile->last_operator - 1;
	if (operator->event.name != kernel->event.operator)
		return;
	kernel->flow = operator->flow = operator->at + 1;
	if (!kernel->event.provider)
		kernel->event.provider = operator->event.provider;
}

static int put_window(struct profile *profile, size_t n);

static int take(struct ort_profile *file, const struct ort_profile_event *event, struct err *err)
{
	struct profile *profile = (struct profile *)file;
	int code = profile->entries.n < WINDOW ? 0 : put_window(profile, WINDOW / 2);
	struct ort_profile_entry *entry = code ? NULL : array_add_raw(&profile->entries, sizeof *entry);

	if (code)
		return code;
	if (!entry)
		return err_set(err, ENOMEM, "out of memory");
	*entry = (struct ort_profile_entry){ *event, profile->n_taken++, 0 };
	if (event->kind == ORT_PROFILE_NODE)
		profile->last_operator = (uint32_t)profile->entries.n;
	else if (event->kind == ORT_PROFILE_KERNEL)
		attach_to_last(profile, entry);
	else
		profile->last_operator = 0;
	if (event->pid > 0 && profile->pid < 0)
		profile->pid = event->pid;
	profile->has_session |= event->kind == ORT_PROFILE_LOAD || event->kind == ORT_PROFILE_INIT;
	if (profile->n_taken == 1)
		profile->tid = event->tid;
	profile->is_threaded |= event->tid != profile->tid;
	if (event->kind == ORT_PROFILE_RUN && !profile->is_threaded && profile->entries.n >= PART)
		return put_window(profile, profile->entries.n);
	return 0;
}

/* Tracks. */

static uint32_t numbered(struct profile *profile, const char *name, uint32_t number)
{
	char text[40];

	if (number < 2)
		return names_of(profile->file.names, name);
	snprintf(text, sizeof text, "%.20s %u", name, number);
	return names_of(profile->file.names, text);
}

static uint32_t define_line(struct profile *profile, enum line_type type, int32_t tid)
{
	struct track_def thread = { .type = TRACK_THREAD, .parent = profile->process, .pid = profile->pid, .tid = tid };
	struct track_def group = { .type = TRACK_GROUP, .parent = profile->process, .name = profile->model };
	struct track_def lane = { .type = TRACK_LANE };

	if (type == LINE_THREAD)
		return slices_define(&profile->stream, &thread);
	if (!profile->group)
		profile->group = slices_define(&profile->stream, &group);
	if (!profile->group)
		return 0;
	lane.parent = profile->group;
	lane.name = numbered(profile, "inferences", ++profile->n_lanes);
	return slices_define(&profile->stream, &lane);
}

/* NULL and err: out of memory, or the sink is broken. Valid until the next call. */
static struct line *line_of(struct profile *profile, enum line_type type, int32_t tid)
{
	uint64_t key = (uint64_t)type << 32 | (uint32_t)tid;
	uint32_t index = perfetto_map_get(&profile->line_of, key), track;
	struct line *line;

	if (index)
		return (struct line *)profile->lines.data + index - 1;
	track = define_line(profile, type, tid);
	if (!track)
		return NULL;
	line = array_add(&profile->lines, sizeof *line);
	if (!line || !perfetto_map_put(&profile->line_of, key, (uint32_t)profile->lines.n)) {
		out_of_memory(profile);
		return NULL;
	}
	*line = (struct line){ .slices.track = track, .setup_from = -1 };
	return line;
}

/* The group for the provider's lanes. 0 and err: the sink is broken. */
static uint32_t device_group(struct profile *profile, uint32_t provider)
{
	struct track_def group = { .type = TRACK_GROUP, .parent = profile->process, .name = provider };

	for (uint32_t i = 0; i < profile->n_device_lanes; i++)
		if (profile->device_lanes[i].provider == provider)
			return profile->device_lanes[i].group;
	if (!provider)
		group.name = names_of(profile->file.names, "device");
	return slices_define(&profile->stream, &group);
}

static struct device_lane *add_device_lane(struct profile *profile, const struct ort_profile_event *event,
					   uint32_t number)
{
	struct track_def def = { .type = TRACK_LANE, .parent = device_group(profile, event->provider) };
	struct device_lane *lane = &profile->device_lanes[profile->n_device_lanes];
	char stream[60];

	def.name = numbered(profile, "kernels", number);
	if (event->stream) {
		snprintf(stream, sizeof stream, "stream %.40s", names_text(profile->file.names, event->stream));
		def.name = names_of(profile->file.names, stream);
	}
	*lane = (struct device_lane){ .provider = event->provider, .stream = event->stream, .group = def.parent };
	lane->slices.track = def.parent ? slices_define(&profile->stream, &def) : 0;
	if (!lane->slices.track)
		return NULL;
	profile->n_device_lanes++;
	return lane;
}

/* A free lane; the last one when the limit is reached. NULL and err: the sink is broken. */
static struct device_lane *device_lane(struct profile *profile, const struct ort_profile_event *kernel)
{
	struct ort_profile_event of_device = *kernel, *event = &of_device;
	struct device_lane *lane = profile->device_lanes, *last = lane + profile->n_device_lanes;
	uint32_t number = 1;

	event->provider = event->provider ? event->provider : profile->device;
	for (; lane < last; lane++) {
		if (lane->provider != event->provider || lane->stream != event->stream)
			continue;
		if (lane->end <= event->ts)
			return lane;
		number++;
	}
	return profile->n_device_lanes == MAX_DEVICE_LANES ? last - 1 : add_device_lane(profile, event, number);
}

/* Inferences that run at a time. */

static void forget_ended(struct profile *profile, int64_t ts)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < profile->n_active; i++)
		if (profile->active[i].end >= ts)
			profile->active[n++] = profile->active[i];
	profile->n_active = n;
}

static void begin_inference(struct profile *profile, const struct ort_profile_event *event)
{
	struct active *active = profile->active;

	profile->n_inferences++;
	if (profile->n_active == MAX_ACTIVE)
		memmove(active, active + 1, --profile->n_active * sizeof *active);
	active[profile->n_active++] = (struct active){ event->ts + event->dur, event->tid, profile->n_inferences };
}

/* The inference of its thread, or the only one that is running; 0: unknown. */
static uint32_t inference_of(const struct profile *profile, int32_t tid)
{
	for (uint32_t i = profile->n_active; i-- > 0;)
		if (profile->active[i].tid == tid)
			return profile->active[i].number;
	return profile->n_active == 1 ? profile->active[0].number : 0;
}

/* Events. */

static int put(struct profile *profile, struct slices *slices, struct event *event,
	       const struct ort_profile_event *from)
{
	event->type = EVENT_BEGIN;
	event->track = slices->track;
	event->time_ns = (uint64_t)from->ts * 1000;
	return slices_put(&profile->stream, slices, event, (uint64_t)(from->ts + from->dur) * 1000);
}

static int put_creation(struct profile *profile, const struct ort_profile_event *from)
{
	struct line *line = line_of(profile, LINE_LANE, from->tid);
	struct event event = { .kind = from->kind == ORT_PROFILE_LOAD ? KIND_LOAD : KIND_SPECIALIZE,
			       .name = from->name };

	if (!line)
		return -profile->stream.err->code;
	line->setup_from = -1;
	return put(profile, &line->slices, &event, from);
}

static int put_inference(struct profile *profile, const struct ort_profile_event *from)
{
	struct line *line = line_of(profile, LINE_LANE, from->tid);
	struct arg args[6] = { arg_name(KEY_MODEL, profile->model) };
	struct event event = { .kind = KIND_INFERENCE, .name = profile->model, .args = args };
	size_t n = 1;

	if (!line)
		return -profile->stream.err->code;
	begin_inference(profile, from);
	args[n++] = arg_int(KEY_SESSION, SESSION);
	args[n++] = arg_int(KEY_ID, profile->n_inferences);
	args[n++] = arg_int(KEY_INFERENCE, profile->n_inferences);
	if (from->tid >= 0)
		args[n++] = arg_int(KEY_TID, from->tid);
	if (profile->n_inferences == 1 && profile->has_session)
		args[n++] = arg_int(KEY_FIRST, 1);
	event.n_args = n;
	line->setup_from = from->ts;
	return put(profile, &line->slices, &event, from);
}

/* From the begin of an inference to the execution of its graph: inputs are checked, providers prepared. */
static int put_setup(struct profile *profile, const struct ort_profile_event *execute)
{
	struct line *line = line_of(profile, LINE_LANE, execute->tid);
	struct ort_profile_event setup = *execute;
	struct event event = { .kind = KIND_SETUP, .name = names_of(profile->file.names, "setup") };

	if (!line)
		return -profile->stream.err->code;
	setup.ts = line->setup_from;
	setup.dur = execute->ts - setup.ts;
	line->setup_from = -1;
	/* the lane is otherwise unchanged since */
	if (setup.ts < 0 || !setup.dur || !line->slices.depth ||
	    line->slices.end_ns[line->slices.depth - 1] < (uint64_t)execute->ts * 1000)
		return 0;
	return put(profile, &line->slices, &event, &setup);
}

static size_t add_texts(struct arg *args, const struct ort_profile_event *from)
{
	size_t n = 0;

	if (from->op_type)
		args[n++] = arg_name(KEY_OP_TYPE, from->op_type);
	if (from->provider)
		args[n++] = arg_name(KEY_PROVIDER, from->provider);
	if (from->implementation)
		args[n++] = arg_name(KEY_IMPLEMENTATION, from->implementation);
	if (from->shapes)
		args[n++] = arg_name(KEY_SHAPES, from->shapes);
	if (from->bytes >= 0)
		args[n++] = arg_int(KEY_BYTES, from->bytes);
	return n;
}

static int put_operator(struct profile *profile, const struct ort_profile_entry *entry)
{
	const struct ort_profile_event *from = &entry->event;
	struct line *line = line_of(profile, LINE_THREAD, from->tid);
	uint32_t inference = inference_of(profile, from->tid);
	struct arg args[9];
	struct event event = { .kind = KIND_OPERATOR,
			       .name = from->name ? from->name : from->op_type,
			       .args = args,
			       .n_args = add_texts(args, from) };

	if (!line)
		return -profile->stream.err->code;
	if (inference)
		args[event.n_args++] = arg_int(KEY_INFERENCE, inference);
	if (entry->flow)
		args[event.n_args++] = arg_int(KEY_FLOW, entry->flow);
	if (entry->flow && inference && !perfetto_map_put(&profile->inference_of, entry->flow, inference))
		return out_of_memory(profile);
	return put(profile, &line->slices, &event, from);
}

/* A kernel belongs to the inference of its operator; without one, to the only inference that runs. */
static int put_kernel(struct profile *profile, const struct ort_profile_entry *entry)
{
	const struct ort_profile_event *from = &entry->event;
	struct device_lane *lane = device_lane(profile, from);
	uint32_t inference =
	    entry->flow ? perfetto_map_get(&profile->inference_of, entry->flow) : inference_of(profile, -1);
	struct arg args[9];
	struct event event = { .kind = KIND_KERNEL, .name = from->name, .args = args, .n_args = add_texts(args, from) };

	if (!lane)
		return -profile->stream.err->code;
	if (inference)
		args[event.n_args++] = arg_int(KEY_INFERENCE, inference);
	if (entry->flow) {
		args[event.n_args++] = arg_int(KEY_FLOW, entry->flow);
		args[event.n_args++] = arg_name(KEY_OPERATOR, from->operator);
	}
	lane->end = from->ts + from->dur;
	return put(profile, &lane->slices, &event, from);
}

static int put_entry(struct profile *profile, const struct ort_profile_entry *entry)
{
	const struct ort_profile_event *event = &entry->event;

	forget_ended(profile, event->ts);
	switch (event->kind) {
	case ORT_PROFILE_LOAD:
	case ORT_PROFILE_INIT:
		return put_creation(profile, event);
	case ORT_PROFILE_RUN:
		return put_inference(profile, event);
	case ORT_PROFILE_EXECUTE:
		return put_setup(profile, event);
	case ORT_PROFILE_NODE:
		return put_operator(profile, entry);
	case ORT_PROFILE_KERNEL:
	case ORT_PROFILE_API:
		return put_kernel(profile, entry);
	case ORT_PROFILE_OTHER:
		break;
	}
	return 0;
}

/* The file as a whole. */

/* From the begin of loading to the end of initialization, for which the file has no event. false: it has neither. */
static bool find_session(const struct profile *profile, struct ort_profile_event *whole)
{
	const struct ort_profile_entry *entries = profile->entries.data;
	const struct ort_profile_event *load = NULL, *init = NULL;

	for (size_t i = 0; i < profile->entries.n && !init; i++) {
		if (entries[i].event.kind == ORT_PROFILE_LOAD && !load)
			load = &entries[i].event;
		if (entries[i].event.kind == ORT_PROFILE_INIT)
			init = &entries[i].event;
	}
	if (!init)
		return false;
	*whole = *init;
	if (load && load->tid == init->tid) {
		whole->ts = load->ts;
		whole->dur = init->ts + init->dur - load->ts;
	}
	return true;
}

static int put_session(struct profile *profile, const struct ort_profile_event *whole)
{
	struct line *line = line_of(profile, LINE_LANE, whole->tid);
	struct arg args[3] = { arg_name(KEY_MODEL, profile->model), arg_int(KEY_SESSION, SESSION),
			       arg_int(KEY_TID, whole->tid) };
	struct event event = {
		.kind = KIND_SESSION, .name = profile->model, .args = args, .n_args = whole->tid >= 0 ? 3 : 2
	};

	return line ? put(profile, &line->slices, &event, whole) : -profile->stream.err->code;
}

static uint32_t first_provider(const struct profile *profile)
{
	const struct ort_profile_entry *entries = profile->entries.data;

	for (size_t i = 0; i < profile->entries.n; i++)
		if (entries[i].event.kind == ORT_PROFILE_KERNEL && entries[i].event.provider)
			return entries[i].event.provider;
	return 0;
}

/* Defines the process, and finds the session, which the first window has. */
static int begin(struct profile *profile)
{
	struct track_def def = { .type = TRACK_PROCESS, .pid = profile->pid > 0 ? profile->pid : 0 };

	profile->is_begun = true;
	profile->device = first_provider(profile);
	profile->pid = def.pid;
	profile->has_pending_session = find_session(profile, &profile->session);
	profile->process = slices_define(&profile->stream, &def);
	return profile->process ? 0 : -profile->stream.err->code;
}

/* Events that came too late to be in order begin where the last one did. */
static void move_late(struct profile *profile)
{
	struct ort_profile_entry *entries = profile->entries.data;

	for (size_t i = 0; i < profile->entries.n && entries[i].event.ts < profile->put_until; i++) {
		struct ort_profile_event *event = &entries[i].event;
		int64_t end = event->ts + event->dur;

		event->ts = profile->put_until;
		event->dur = end > event->ts ? end - event->ts : 0;
		profile->stream.n_moved++;
	}
}

static int put_first(struct profile *profile, size_t n)
{
	const struct ort_profile_entry *entry = profile->entries.data;
	int code = 0;

	for (size_t i = 0; i < n && !code; i++) {
		if (profile->has_pending_session && entry[i].event.ts >= profile->session.ts) {
			profile->has_pending_session = false;
			code = put_session(profile, &profile->session);
		}
		if (!code)
			code = put_entry(profile, &entry[i]);
	}
	return code;
}

/* Puts the first n of the events in memory, in the order of time. */
static int put_window(struct profile *profile, size_t n)
{
	struct ort_profile_entry *entries = profile->entries.data;
	int code = 0;

	ort_profile_sort(entries, profile->entries.n);
	if (!ort_profile_attach(entries, profile->entries.n))
		return out_of_memory(profile);
	move_late(profile);
	if (!profile->is_begun)
		code = begin(profile);
	if (!code)
		code = put_first(profile, n);
	if (code || !n)
		return code;
	profile->put_until = entries[n - 1].event.ts;
	profile->entries.n -= n;
	profile->last_operator = 0;
	memmove(entries, entries + n, profile->entries.n * sizeof *entries);
	return 0;
}

static int close_all(struct profile *profile)
{
	struct line *lines = profile->lines.data;
	int code = 0;

	for (size_t i = 0; i < profile->lines.n && !code; i++)
		code = slices_close(&profile->stream, &lines[i].slices, UINT64_MAX);
	for (uint32_t i = 0; i < profile->n_device_lanes && !code; i++)
		code = slices_close(&profile->stream, &profile->device_lanes[i].slices, UINT64_MAX);
	return code;
}

static int put_instant(struct profile *profile, const char *name, enum event_kind kind, const struct arg args[2])
{
	struct sink *out = profile->stream.out;
	struct event event = { .type = EVENT_INSTANT,
			       .kind = kind,
			       .track = profile->process,
			       .name = names_of(out->names, name),
			       .args = args,
			       .time_ns = (uint64_t)profile->put_until * 1000,
			       .n_args = 2 };

	return sink_put(out, &event, profile->stream.err);
}

/* Notes the resolution of times, and what is missing. */
static int put_facts(struct profile *profile)
{
	struct sink *out = profile->stream.out;
	uint64_t n = profile->file.n_unread - profile->file.n_broken + profile->stream.n_too_deep;
	struct arg clock[2] = { arg_text(KEY_SOURCE, out, "whole microseconds of the profile"),
				arg_int(KEY_ERROR_NS, 1000) };
	struct arg lost[2] = { arg_int(KEY_COUNT, (int64_t)n),
			       arg_text(KEY_WHERE, out, "in the profile: not readable") };
	struct arg stopped[2] = { arg_text(KEY_TEXT, out, "ONNX Runtime keeps 1,000,000 events and drops later ones"),
				  arg_int(KEY_PID, profile->pid) };
	int code = profile->n_taken ? put_instant(profile, EVENT_NOTE_CLOCK, KIND_NOTE, clock) : 0;

	if (!code && n)
		code = put_instant(profile, "lost", KIND_LOST, lost);
	if (!code && profile->file.n_events >= ORT_PROFILE_MAX)
		code = put_instant(profile, EVENT_NOTE_STOPPED, KIND_NOTE, stopped);
	return code;
}

static int put_rest(struct profile *profile)
{
	int code = put_window(profile, profile->entries.n);

	if (!code)
		code = close_all(profile);
	return code ? code : put_facts(profile);
}

/* The runtime writes the kernels of plugins behind all other events. */
static bool ends_with_kernels(const struct import_bytes *in)
{
	size_t len = in->size < TAIL ? in->size : TAIL;
	const char *tail = in->data + in->size - len;

	return memmem(tail, len, "\"Kernel\"", 8) || memmem(tail, len, "\"Api\"", 5);
}

static int read(const struct import_bytes *in, struct sink *out, struct import_result *result, struct err *err)
{
	struct profile profile = { .file = { .names = out->names, .take = take },
				   .stream = { out, err, ROUNDING_US * 1000, 0, 0 },
				   .model = names_of(out->names, "unknown model"),
				   .pid = -1,
				   .is_threaded = ends_with_kernels(in) };
	int code = ort_profile_read(&profile.file, in, err);

	if (!code)
		code = put_rest(&profile);
	result->is_cut = profile.file.is_cut;
	result->cut_at = profile.file.cut_at;
	result->n_late = profile.stream.n_moved;
	perfetto_map_done(&profile.line_of);
	array_done(&profile.lines, sizeof(struct line));
	perfetto_map_done(&profile.inference_of);
	array_done(&profile.entries, sizeof(struct ort_profile_entry));
	return code;
}

const struct importer import_ort_profile = {
	.name = "ort-profile",
	.help = "profile of ONNX Runtime (JSON)",
	.sniff = ort_profile_sniff,
	.read = read,
};
