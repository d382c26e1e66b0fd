// SPDX-License-Identifier: Apache-2.0
/*
 * Turns Chrome's JSON trace into events. chrome_trace.c reads the file; this file keeps its events, sorts them by time
 * and puts them on tracks (chrome_tracks.c).
 *
 * Phases: X, and B with E, are slices of a thread. b with e, and S with F, are slices of lanes: those with one category
 * and id nest. i, I, R and n are instants, C counters; s, t and f flows, which are instants that tie slices; M names
 * processes and threads. Others are counted as left out.
 *
 * Kinds: a category that is one of inftrace's own (a file of `inftrace export`) keeps its kind and arguments. PyTorch's
 * operators (cpu_op) become operators, and its GPU kernels and copies kernels. Its steps (ProfilerStep#1) become
 * inferences; in a file without steps, all that was profiled is one. A kernel has the type and the inference of the
 * operator that launched it: both have its "External id". Everything else stays what its program calls it: a
 * slice of kind `user` with its category. Arguments that have no key of ours stay JSON (chrome_args.c). CPU time of the
 * thread (tdur, or the difference of tts) is thread_cpu_ns.
 *
 * Files have any order, so an event takes 104 bytes of memory until all are read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/import/chrome_in.h"
#include "trace/import/importer.h"

#define STEP "ProfilerStep#"

enum { MAX_ARGS = 24 };

enum entry_type { ENTRY_SLICE, ENTRY_ASYNC, ENTRY_INSTANT, ENTRY_FLOW, ENTRY_FLOW_END, ENTRY_COUNTER };

struct entry {
	uint64_t ts_ns, end_ns; /* end: UINT64_MAX: none */
	uint64_t cpu_ns;	/* of the thread: when it began, until cpu_is_whole: in all; UINT64_MAX: unknown */
	uint64_t key;		/* ASYNC: of its category and id; FLOW: of the flow */
	const char *args;	/* in the file; NULL: none */
	const char *end_args;	/* of the event that ends it */
	uint32_t args_len, end_args_len;
	uint32_t thread, process; /* indexes */
	uint32_t name, category;
	uint32_t at;	 /* in the file */
	uint32_t before; /* the slice around it that is open, too: index + 1 */
	uint8_t type;
	bool is_of_process; /* INSTANT: of no thread */
	bool cpu_is_whole;
};

struct chrome {
	struct chrome_trace trace;
	struct chrome_tracks tracks;
	struct slices_stream stream;
	struct names *names;
	struct array entries;
	struct perfetto_map open; /* key of asynchronous slices: index + 1 of the last open entry */
	struct chrome_args args;
	uint64_t n_other, n_unmatched;
	uint32_t n_inferences, n_flows;
	uint64_t step_until_ns;		       /* the end of the inference that began last */
	uint32_t torch_process;		       /* index + 1 of the one with PyTorch's operators; 0: none */
	uint32_t step_name;		       /* "ProfilerStep"; 0: the file has no steps */
	struct perfetto_map flows;	       /* key: number of the flow */
	struct perfetto_map op_types, op_runs; /* of PyTorch's operators: "External id": name; its inference */
};

static int out_of_memory(struct chrome *chrome)
{
	return err_set(chrome->stream.err, ENOMEM, "out of memory");
}

/* Reading. */

static struct entry *entry_at(struct chrome *chrome, uint32_t number)
{
	return (struct entry *)chrome->entries.data + number - 1;
}

static uint32_t len_of(struct json_span args)
{
	return args.len < UINT32_MAX ? (uint32_t)args.len : 0;
}

static struct entry *keep(struct chrome *chrome, const struct chrome_trace_event *event, enum entry_type type)
{
	struct entry *entry = array_add(&chrome->entries, sizeof *entry);

	if (!entry)
		return NULL;
	entry->type = (uint8_t)type;
	entry->ts_ns = event->ts_ns;
	entry->end_ns = UINT64_MAX;
	entry->cpu_is_whole = event->has_cpu_dur && event->phase == 'X';
	entry->cpu_ns = entry->cpu_is_whole ? event->cpu_dur_ns : event->has_cpu ? event->cpu_ns : UINT64_MAX;
	entry->name = chrome_text(chrome->names, event->name);
	entry->category = chrome_text(chrome->names, event->category);
	entry->at = (uint32_t)chrome->entries.n;
	entry->args = event->args.start;
	entry->args_len = len_of(event->args);
	entry->thread = chrome_thread_of(&chrome->tracks, event);
	entry->process = chrome_process_of(&chrome->tracks, event);
	return entry->thread == UINT32_MAX || entry->process == UINT32_MAX ? NULL : entry;
}

static bool is_category(const struct chrome *chrome, const struct entry *entry, const char *category)
{
	return !strcmp(names_text(chrome->names, entry->category), category);
}

/* Whether a slice is what PyTorch calls a step, and in a file without any, all that it profiled. */
static bool is_step(const struct chrome *chrome, const struct entry *entry)
{
	if (!chrome->torch_process || entry->type > ENTRY_ASYNC)
		return false;
	if (!chrome->step_name)
		return is_category(chrome, entry, "Trace");
	return is_category(chrome, entry, "user_annotation") &&
	       !strncmp(names_text(chrome->names, entry->name), STEP, strlen(STEP));
}

/* Notes what makes a file one of PyTorch. */
static void look_at(struct chrome *chrome, const struct entry *entry)
{
	if (!chrome->torch_process && is_category(chrome, entry, "cpu_op"))
		chrome->torch_process = entry->process + 1;
	if (!chrome->step_name && is_category(chrome, entry, "user_annotation") &&
	    !strncmp(names_text(chrome->names, entry->name), STEP, strlen(STEP)))
		chrome->step_name = names_intern(chrome->names, STEP, strlen(STEP) - 1);
}

static int take_slice(struct chrome *chrome, const struct chrome_trace_event *event)
{
	struct entry *entry = keep(chrome, event, ENTRY_SLICE);
	struct chrome_thread *threads = chrome->tracks.threads.data;

	if (!entry)
		return out_of_memory(chrome);
	look_at(chrome, entry);
	if (event->phase == 'X') {
		entry->end_ns = event->has_dur ? event->ts_ns + event->dur_ns : event->ts_ns;
	} else {
		entry->before = threads[entry->thread].open;
		threads[entry->thread].open = (uint32_t)chrome->entries.n;
	}
	return 0;
}

/* Gives the slice at *open its end, and makes the one around it the open one. */
static void end_slice(struct chrome *chrome, const struct chrome_trace_event *event, uint32_t *open)
{
	struct entry *entry = *open ? entry_at(chrome, *open) : NULL;

	if (!entry || event->ts_ns < entry->ts_ns) {
		chrome->n_unmatched++;
		return;
	}
	entry->end_ns = event->ts_ns;
	entry->end_args = event->args.start;
	entry->end_args_len = len_of(event->args);
	entry->cpu_is_whole = event->has_cpu && entry->cpu_ns <= event->cpu_ns;
	entry->cpu_ns = entry->cpu_is_whole ? event->cpu_ns - entry->cpu_ns : UINT64_MAX;
	*open = entry->before;
}

static int take_end(struct chrome *chrome, const struct chrome_trace_event *event)
{
	uint32_t thread = chrome_thread_of(&chrome->tracks, event);

	if (thread == UINT32_MAX)
		return out_of_memory(chrome);
	end_slice(chrome, event, &((struct chrome_thread *)chrome->tracks.threads.data)[thread].open);
	return 0;
}

static int take_async(struct chrome *chrome, const struct chrome_trace_event *event)
{
	bool is_begin = event->phase == 'b' || event->phase == 'S';
	uint64_t key = chrome_key('a', event->pid, event->category, event->id);
	uint32_t open = perfetto_map_get(&chrome->open, key);
	struct entry *entry;

	/* A map has no 0: what is not open is UINT32_MAX. */
	open = open == UINT32_MAX ? 0 : open;
	if (is_begin) {
		entry = keep(chrome, event, ENTRY_ASYNC);
		if (!entry)
			return out_of_memory(chrome);
		entry->key = key;
		entry->before = open;
		open = (uint32_t)chrome->entries.n;
	} else {
		end_slice(chrome, event, &open);
	}
	return perfetto_map_put(&chrome->open, key, open ? open : UINT32_MAX) ? 0 : out_of_memory(chrome);
}

static int take_other(struct chrome *chrome, const struct chrome_trace_event *event, enum entry_type type)
{
	struct entry *entry = keep(chrome, event, type);

	if (!entry)
		return out_of_memory(chrome);
	entry->is_of_process = type == ENTRY_INSTANT && (event->scope == 'p' || event->scope == 'g');
	if (type == ENTRY_FLOW || type == ENTRY_FLOW_END)
		entry->key = chrome_key('f', event->category, event->name, event->id);
	return 0;
}

/* The text of one argument, as an id; 0: it is not there. */
static uint32_t text_arg(struct chrome *chrome, struct json_span args, const char *name)
{
	struct json_reader reader;
	enum json_token token;

	json_read_init(&reader, args.start, args.len);
	if (!args.start || json_read_next(&reader) != JSON_OBJECT)
		return 0;
	while ((token = json_read_next(&reader)) != JSON_CLOSE && token != JSON_BROKEN) {
		if (token == JSON_TEXT && json_span_is(reader.key, name))
			return chrome_text(chrome->names, reader.value);
		if ((token == JSON_OBJECT || token == JSON_ARRAY) && !json_read_skip(&reader))
			return 0;
	}
	return 0;
}

static int take_metadata(struct chrome *chrome, const struct chrome_trace_event *event)
{
	uint32_t process = chrome_process_of(&chrome->tracks, event), thread;
	struct chrome_process *processes = chrome->tracks.processes.data;
	uint32_t text;

	if (process == UINT32_MAX)
		return out_of_memory(chrome);
	if (json_span_is(event->name, "process_name")) {
		text = text_arg(chrome, event->args, "name");
		processes[process].name = text ? text : processes[process].name;
	} else if (json_span_is(event->name, "process_labels")) {
		processes[process].label = text_arg(chrome, event->args, "labels");
	} else if (json_span_is(event->name, "thread_name")) {
		thread = chrome_thread_of(&chrome->tracks, event);
		if (thread == UINT32_MAX)
			return out_of_memory(chrome);
		text = text_arg(chrome, event->args, "name");
		if (text)
			((struct chrome_thread *)chrome->tracks.threads.data)[thread].name = text;
	}
	return 0;
}

static int take(struct chrome_trace *trace, const struct chrome_trace_event *event, struct err *err)
{
	struct chrome *chrome = (struct chrome *)trace;

	switch (event->phase) {
	case 'X':
	case 'B':
		return take_slice(chrome, event);
	case 'E':
		return take_end(chrome, event);
	case 'b':
	case 'S':
	case 'e':
	case 'F':
		return take_async(chrome, event);
	case 'i':
	case 'I':
	case 'R':
	case 'n':
		return take_other(chrome, event, ENTRY_INSTANT);
	case 'C':
		return take_other(chrome, event, ENTRY_COUNTER);
	case 's':
	case 't':
		return take_other(chrome, event, ENTRY_FLOW);
	case 'f':
		return take_other(chrome, event, ENTRY_FLOW_END);
	case 'M':
		return take_metadata(chrome, event);
	default:
		chrome->n_other++;
		return 0;
	}
}

/* Putting. */

/* By begin; of slices that begin together, the longest is around the others. Flows come after the slices they tie. */
static int by_time(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	bool is_slice = a->type <= ENTRY_ASYNC, is_other_slice = b->type <= ENTRY_ASYNC;

	if (a->ts_ns != b->ts_ns)
		return a->ts_ns < b->ts_ns ? -1 : 1;
	if (is_slice != is_other_slice)
		return is_slice ? -1 : 1;
	if (is_slice && a->end_ns != b->end_ns)
		return a->end_ns > b->end_ns ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* *is_ours: the category is one of inftrace's. */
static enum event_kind kind_of(const struct chrome *chrome, const struct entry *entry, bool *is_ours)
{
	const char *category = names_text(chrome->names, entry->category);
	enum event_kind kind = event_kind_named(category, strlen(category));

	*is_ours = kind != KIND_NONE;
	if (kind != KIND_NONE)
		return kind;
	if (!strcmp(category, "cpu_op"))
		return KIND_OPERATOR;
	if (!strcmp(category, "gpu_memcpy") || !strcmp(category, "gpu_memset"))
		return KIND_KERNEL;
	return is_step(chrome, entry) ? KIND_INFERENCE : KIND_USER;
}

static void add_arg(struct chrome *chrome, const struct json_reader *reader, enum json_token token, struct event *event,
		    struct arg *args)
{
	enum event_key key = event_key_named(reader->key.start, reader->key.len);
	int64_t number;

	if (event->n_args >= MAX_ARGS - 2)
		return;
	if (token == JSON_TEXT)
		args[event->n_args++] = arg_name(key, chrome_text(chrome->names, reader->value));
	else if (token == JSON_NUMBER && json_span_int(reader->value, &number))
		args[event->n_args++] = arg_int(key, number);
	else if (token == JSON_NUMBER && reader->value.len < 40)
		args[event->n_args++] = arg_real(key, strtod(reader->value.start, NULL));
}

/* Arguments of inftrace's own events. */
static void add_args(struct chrome *chrome, struct json_span from, struct event *event, struct arg *args)
{
	struct json_reader reader;
	enum json_token token;

	json_read_init(&reader, from.start, from.len);
	if (!from.start || json_read_next(&reader) != JSON_OBJECT)
		return;
	while ((token = json_read_next(&reader)) != JSON_CLOSE && token != JSON_BROKEN) {
		struct json_span key = reader.key, value = reader.value;
		const char *start = reader.at - 1;

		if (token == JSON_OBJECT || token == JSON_ARRAY) {
			if (!json_read_skip(&reader))
				return;
			value = (struct json_span){ start, (size_t)(reader.at - start) };
		}
		if (event_key_named(key.start, key.len) != KEY_NONE)
			add_arg(chrome, &reader, token, event, args);
		else
			chrome_args_member(&chrome->args, key, token, value);
	}
}

/* Arguments of others, and the time of the thread. */
static void add_rest(struct chrome *chrome, const struct entry *entry, struct event *event, struct arg *args)
{
	uint32_t text = chrome_args_take(&chrome->args, chrome->names);

	if (entry->cpu_is_whole && entry->cpu_ns <= INT64_MAX && event->n_args < MAX_ARGS)
		args[event->n_args++] = arg_int(KEY_THREAD_CPU_NS, (int64_t)entry->cpu_ns);
	if (text && event->n_args < MAX_ARGS)
		args[event->n_args++] = arg_name(KEY_ARGUMENTS, text);
}

static void add_step(struct chrome *chrome, const struct entry *entry, struct event *event, struct arg *args)
{
	if (chrome->step_name)
		event->name = chrome->step_name;
	chrome->step_until_ns = entry->end_ns;
	args[event->n_args++] = arg_name(KEY_MODEL, event->name);
	args[event->n_args++] = arg_int(KEY_ID, ++chrome->n_inferences);
	args[event->n_args++] = arg_int(KEY_INFERENCE, chrome->n_inferences);
}

/* The number that PyTorch gives an operator and what it launches; 0: none. */
static uint64_t external_id(const struct entry *entry)
{
	struct json_reader reader;
	enum json_token token;
	int64_t number;

	json_read_init(&reader, entry->args, entry->args_len);
	if (!entry->args || json_read_next(&reader) != JSON_OBJECT)
		return 0;
	while ((token = json_read_next(&reader)) != JSON_CLOSE && token != JSON_BROKEN) {
		if (token == JSON_NUMBER && json_span_is(reader.key, "External id"))
			return json_span_int(reader.value, &number) && number > 0 ? (uint64_t)number : 0;
		if ((token == JSON_OBJECT || token == JSON_ARRAY) && !json_read_skip(&reader))
			return 0;
	}
	return 0;
}

/* Events come by time: an operator before what it launches. */
static int note_operator(struct chrome *chrome, const struct entry *entry)
{
	uint64_t id = external_id(entry);
	bool is_in_run = entry->ts_ns < chrome->step_until_ns;

	if (id && (!perfetto_map_put(&chrome->op_types, id, entry->name) ||
		   (is_in_run && !perfetto_map_put(&chrome->op_runs, id, chrome->n_inferences))))
		return out_of_memory(chrome);
	return 0;
}

/* Of a kernel or copy: what launched it. */
static void add_launcher(struct chrome *chrome, const struct entry *entry, struct event *event, struct arg *args)
{
	uint64_t id = external_id(entry);
	uint32_t type = id ? perfetto_map_get(&chrome->op_types, id) : 0;
	uint32_t run = id ? perfetto_map_get(&chrome->op_runs, id) : 0;

	if (!id && entry->ts_ns < chrome->step_until_ns)
		run = chrome->n_inferences;
	if (type && event->n_args < MAX_ARGS)
		args[event->n_args++] = arg_name(KEY_OP_TYPE, type);
	if (run && event->n_args < MAX_ARGS)
		args[event->n_args++] = arg_int(KEY_INFERENCE, run);
}

static void add_facts(struct chrome *chrome, const struct entry *entry, struct event *event, struct arg *args)
{
	bool is_ours;

	event->kind = kind_of(chrome, entry, &is_ours);
	event->args = args;
	if (is_ours) {
		add_args(chrome, (struct json_span){ entry->args, entry->args_len }, event, args);
		add_args(chrome, (struct json_span){ entry->end_args, entry->end_args_len }, event, args);
	} else if (event->kind == KIND_OPERATOR) {
		args[event->n_args++] = arg_name(KEY_OP_TYPE, entry->name);
	} else if (event->kind == KIND_INFERENCE) {
		add_step(chrome, entry, event, args);
	} else if (event->kind == KIND_USER && entry->category) {
		args[event->n_args++] = arg_name(KEY_CATEGORY, entry->category);
	}
	if (!is_ours && event->kind == KIND_OPERATOR && entry->ts_ns < chrome->step_until_ns)
		args[event->n_args++] = arg_int(KEY_INFERENCE, chrome->n_inferences);
	if (event->kind == KIND_KERNEL && chrome->torch_process)
		add_launcher(chrome, entry, event, args);
	if (!is_ours) {
		chrome_args_object(&chrome->args, (struct json_span){ entry->args, entry->args_len });
		chrome_args_object(&chrome->args, (struct json_span){ entry->end_args, entry->end_args_len });
	}
	add_rest(chrome, entry, event, args);
}

static struct slices *slices_of(struct chrome *chrome, const struct entry *entry)
{
	if (is_step(chrome, entry))
		return chrome_lane_slices(&chrome->tracks, chrome->torch_process - 1, entry->key, entry->ts_ns,
					  entry->end_ns);
	return entry->type == ENTRY_ASYNC
		   ? chrome_lane_slices(&chrome->tracks, entry->process, entry->key, entry->ts_ns, entry->end_ns)
		   : chrome_thread_slices(&chrome->tracks, entry->thread);
}

static int put_slice(struct chrome *chrome, const struct entry *entry)
{
	struct arg args[MAX_ARGS];
	struct slices *slices = slices_of(chrome, entry);
	struct event event = { .type = EVENT_BEGIN, .name = entry->name, .time_ns = entry->ts_ns };

	if (!slices)
		return -chrome->stream.err->code;
	event.track = slices->track;
	add_facts(chrome, entry, &event, args);
	if (event.kind == KIND_OPERATOR && note_operator(chrome, entry))
		return -ENOMEM;
	return slices_put(&chrome->stream, slices, &event, entry->end_ns);
}

/* Ids of flows are unique in the file only together with their names. 0: out of memory. */
static uint32_t flow_of(struct chrome *chrome, uint64_t key)
{
	uint32_t flow = perfetto_map_get(&chrome->flows, key);

	if (flow)
		return flow;
	return perfetto_map_put(&chrome->flows, key, ++chrome->n_flows) ? chrome->n_flows : 0;
}

/* The track of an instant, on which what ended by then is ended. 0: see err. */
static uint32_t track_of(struct chrome *chrome, const struct entry *entry)
{
	struct slices *slices;

	if (entry->is_of_process)
		return chrome_process_track(&chrome->tracks, entry->process);
	slices = chrome_thread_slices(&chrome->tracks, entry->thread);
	return slices && !slices_close(&chrome->stream, slices, entry->ts_ns) ? slices->track : 0;
}

static int put_instant(struct chrome *chrome, const struct entry *entry)
{
	struct arg args[MAX_ARGS + 1];
	struct event event = { .type = EVENT_INSTANT, .name = entry->name, .time_ns = entry->ts_ns };
	uint32_t flow;

	event.track = track_of(chrome, entry);
	if (!event.track)
		return -chrome->stream.err->code;
	add_facts(chrome, entry, &event, args);
	if (entry->type != ENTRY_INSTANT) {
		flow = flow_of(chrome, entry->key);
		if (!flow)
			return out_of_memory(chrome);
		args[event.n_args++] = arg_int(entry->type == ENTRY_FLOW ? KEY_FLOW : KEY_FLOW_END, flow);
	}
	return sink_put(chrome->stream.out, &event, chrome->stream.err);
}

static int put_counters(struct chrome *chrome, const struct entry *entry)
{
	struct json_reader reader;
	enum json_token token;
	int code = 0;

	json_read_init(&reader, entry->args, entry->args_len);
	if (!entry->args || json_read_next(&reader) != JSON_OBJECT)
		return 0;
	while ((token = json_read_next(&reader)) != JSON_CLOSE && token != JSON_BROKEN && !code) {
		struct event event = { .type = EVENT_COUNTER, .time_ns = entry->ts_ns };

		if ((token == JSON_OBJECT || token == JSON_ARRAY) && !json_read_skip(&reader))
			return 0;
		if (token != JSON_NUMBER || reader.value.len >= 40)
			continue;
		event.value = strtod(reader.value.start, NULL);
		event.track = chrome_counter_track(&chrome->tracks, entry->process, entry->name, reader.key);
		code =
		    event.track ? sink_put(chrome->stream.out, &event, chrome->stream.err) : -chrome->stream.err->code;
	}
	return code;
}

static int put_entry(struct chrome *chrome, const struct entry *entry)
{
	switch ((enum entry_type)entry->type) {
	case ENTRY_SLICE:
	case ENTRY_ASYNC:
		return put_slice(chrome, entry);
	case ENTRY_INSTANT:
	case ENTRY_FLOW:
	case ENTRY_FLOW_END:
		return put_instant(chrome, entry);
	case ENTRY_COUNTER:
		return put_counters(chrome, entry);
	}
	return 0;
}

/* A fact about the whole file, on the first process. */
static int put_fact(struct chrome *chrome, const char *name, enum event_kind kind, uint64_t n, struct arg what)
{
	const struct entry *last = chrome->entries.n ? entry_at(chrome, (uint32_t)chrome->entries.n) : NULL;
	struct arg args[2] = { arg_int(KEY_COUNT, (int64_t)n), what };
	struct event event = { .type = EVENT_INSTANT, .kind = kind, .args = args, .n_args = 2 };

	if (!n || !chrome->tracks.processes.n)
		return 0;
	event.name = names_of(chrome->names, name);
	event.time_ns = last ? last->ts_ns : 0;
	event.track = chrome_process_track(&chrome->tracks, 0);
	return event.track ? sink_put(chrome->stream.out, &event, chrome->stream.err) : -chrome->stream.err->code;
}

/* Notes what is missing. */
static int put_facts(struct chrome *chrome)
{
	char damaged[100];
	const struct {
		uint64_t n;
		bool is_lost;
		const char *words;
	} facts[] = {
		{ chrome->n_other, false, "events of other phases than slices, instants, counters and flows" },
		{ chrome->trace.n_damaged, true, damaged },
		{ chrome->trace.n_unread, true, "in the trace: events without a phase or a time" },
		{ chrome->n_unmatched, true, "in the trace: ends of slices that did not begin" },
		{ chrome->stream.n_too_deep, true, "in the trace: slices inside of more than 63 others" },
		{ chrome->args.n_long, false, "arguments of events, longer than 4,000 bytes" },
	};
	int code = 0;

	snprintf(damaged, sizeof damaged, "in the trace: not JSON, first at byte %llu",
		 (unsigned long long)chrome->trace.damaged_at);
	for (size_t i = 0; i < sizeof facts / sizeof *facts && !code; i++)
		code = put_fact(chrome, facts[i].is_lost ? "lost" : EVENT_NOTE_LEFT_OUT,
				facts[i].is_lost ? KIND_LOST : KIND_NOTE, facts[i].n,
				arg_text(facts[i].is_lost ? KEY_WHERE : KEY_TEXT, chrome->stream.out, facts[i].words));
	return code;
}

static int put_all(struct chrome *chrome)
{
	const struct entry *entries = chrome->entries.data;
	int code = 0;

	if (chrome->entries.n)
		qsort(chrome->entries.data, chrome->entries.n, sizeof *entries, by_time);
	for (size_t i = 0; i < chrome->entries.n && !code; i++)
		code = put_entry(chrome, &entries[i]);
	if (!code)
		code = chrome_tracks_close(&chrome->tracks);
	return code ? code : put_facts(chrome);
}

static int read(const struct import_bytes *in, struct sink *out, struct import_result *result, struct err *err)
{
	struct chrome chrome = { .trace = { .take = take }, .stream = { out, err, 1000, 0, 0 }, .names = out->names };
	struct err after;
	int code, put_code;

	chrome.tracks.stream = &chrome.stream;
	code = chrome_trace_read(&chrome.trace, in, err);
	chrome.stream.err = &after; /* the first error is the one to tell */
	put_code = put_all(&chrome);
	if (!code && put_code) {
		*err = after;
		code = put_code;
	}
	result->is_cut = chrome.trace.is_cut;
	result->cut_at = chrome.trace.cut_at;
	result->n_late = chrome.stream.n_moved;
	result->has_realtime = chrome.trace.has_base;
	result->realtime_ns = chrome.trace.base_ns;
	result->realtime_is = "its base time";
	chrome_tracks_done(&chrome.tracks);
	array_done(&chrome.entries, sizeof(struct entry));
	perfetto_map_done(&chrome.open);
	perfetto_map_done(&chrome.flows);
	perfetto_map_done(&chrome.op_types);
	perfetto_map_done(&chrome.op_runs);
	return code;
}

const struct importer import_chrome = {
	.name = "chrome",
	.help = "trace of Chrome, PyTorch and others (JSON)",
	.sniff = chrome_trace_sniff,
	.read = read,
};
