// SPDX-License-Identifier: Apache-2.0
/* Writes samples and what defines their stacks: texts, then mappings, frames and callstacks that refer to them. */
#include <string.h>

#include "base/pb.h"
#include "event/callstack.h"
#include "trace/perfetto/perfetto_fields.h"
#include "trace/perfetto/perfetto_out.h"
#include "trace/perfetto/perfetto_texts.h"

enum { HEAD_ROOM = 64, FRAME_ROOM = 96, NUMBER_ROOM = 6, MOST_FRAMES = 4096 };

struct telling {
	struct perfetto_samples *samples;
	struct perfetto_texts *texts;
	uint32_t sequence;
	uint8_t *packet, *data, *entry;
};

static int out_of_memory(const struct telling *telling)
{
	return err_no_memory(&telling->texts->out->err, "cannot write the recording");
}

/* Whether this number has to be told. -1: out of memory. */
static int is_new(const struct telling *telling, struct perfetto_seen *seen, uint32_t number)
{
	int added = number ? perfetto_seen_add(seen, number) : 0;

	return added < 0 ? out_of_memory(telling) : added;
}

static uint8_t *begin(struct telling *telling, size_t room, uint32_t field, uint32_t number)
{
	uint8_t *at = perfetto_out_room(telling->texts->out, HEAD_ROOM + room);

	if (!at)
		return NULL;
	at = pb_open(at, TRACE_PACKET, &telling->packet);
	at = pb_put_uint(at, PACKET_SEQUENCE_ID, telling->sequence);
	at = pb_open(at, PACKET_INTERNED_DATA, &telling->data);
	at = pb_open(at, field, &telling->entry);
	return pb_put_uint(at, ENTRY_IID, number);
}

static void end(struct telling *telling, uint8_t *at)
{
	perfetto_out_end(telling->texts->out,
			 pb_close(pb_close(pb_close(at, telling->entry), telling->data), telling->packet));
}

static int tell_text(struct telling *telling, struct perfetto_seen *seen, uint32_t field, uint32_t id)
{
	const struct names *names = telling->texts->texts;
	int is = is_new(telling, seen, id);
	uint8_t *at;

	if (is <= 0)
		return is;
	at = begin(telling, 3 * names_len(names, id), field, id);
	if (!at)
		return -1;
	end(telling, perfetto_describe_text(at, ENTRY_TEXT, names_text(names, id), names_len(names, id)));
	return 0;
}

/* A mapping has the number of its path. */
static int tell_mapping(struct telling *telling, uint32_t path)
{
	int is = is_new(telling, &telling->samples->mappings, path);
	uint8_t *at;

	if (is <= 0)
		return is;
	if (tell_text(telling, &telling->samples->paths, INTERNED_MAPPING_PATHS, path) ||
	    !(at = begin(telling, FRAME_ROOM, INTERNED_MAPPINGS, path)))
		return -1;
	end(telling, pb_put_uint(at, MAPPING_PATHS, path));
	return 0;
}

static int tell_frame(struct telling *telling, uint32_t number)
{
	static const char cut[] = "(more frames)";
	const struct frame *frame = callstacks_frame_of(names_callstacks(telling->texts->texts), number);
	uint32_t path = frame ? (frame->module ? frame->module : frame->file) : 0, function;
	int is = is_new(telling, &telling->samples->frames, number);
	uint8_t *at;

	if (is <= 0 || !frame)
		return is;
	function = frame->function;
	if (frame->kind == FRAME_CUT)
		function = path = names_of(telling->texts->texts, cut);
	else if (!path)
		path = names_of(telling->texts->texts, "(unknown)"); /* each frame has a mapping */
	if (tell_text(telling, &telling->samples->functions, INTERNED_FUNCTIONS, function) ||
	    tell_text(telling, &telling->samples->sources, INTERNED_SOURCE_PATHS, frame->file) ||
	    tell_mapping(telling, path) || !(at = begin(telling, FRAME_ROOM, INTERNED_FRAMES, number)))
		return -1;
	if (function)
		at = pb_put_uint(at, FRAME_FUNCTION, function);
	if (path)
		at = pb_put_uint(at, FRAME_MAPPING, path);
	at = pb_put_uint(at, FRAME_REL_PC, frame->offset);
	if (frame->file)
		at = pb_put_uint(at, FRAME_SOURCE_PATH, frame->file);
	if (frame->line)
		at = pb_put_uint(at, FRAME_LINE, frame->line);
	end(telling, pb_put_uint(at, FRAME_KIND, frame->kind));
	return 0;
}

static int tell_stack(struct telling *telling, uint32_t stack)
{
	const struct callstacks *stacks = names_callstacks(telling->texts->texts);
	int is = is_new(telling, &telling->samples->stacks, stack);
	uint32_t frames[MOST_FRAMES], n = 0;
	const struct callstack *at;
	uint8_t *to;

	if (is <= 0)
		return is;
	for (at = callstacks_get(stacks, stack); at && n < MOST_FRAMES; at = callstacks_get(stacks, at->caller))
		frames[n++] = at->frame;
	for (uint32_t i = 0; i < n; i++)
		if (tell_frame(telling, frames[i]))
			return -1;
	to = begin(telling, (size_t)n * NUMBER_ROOM, INTERNED_CALLSTACKS, stack);
	if (!to)
		return -1;
	while (n-- > 0)
		to = pb_put_uint(to, CALLSTACK_FRAMES, frames[n]);
	end(telling, to);
	return 0;
}

/* For the UI: a sample has only the thread's number. */
static int tell_thread(struct telling *telling, const struct event_sample *sample, int32_t pid)
{
	const uint64_t key = (uint64_t)(uint32_t)pid << 32 | (uint32_t)sample->tid;
	const struct names *names = telling->texts->texts;
	uint32_t name = sample->thread_name;
	uint8_t *at, *packet, *tree, *thread;

	if (!name || perfetto_map_get(&telling->samples->threads, key) == name + 1)
		return 0;
	if (!perfetto_map_put(&telling->samples->threads, key, name + 1))
		return out_of_memory(telling);
	at = perfetto_out_room(telling->texts->out, HEAD_ROOM + 3 * names_len(names, name));
	if (!at)
		return -1;
	at = pb_open(at, TRACE_PACKET, &packet);
	at = pb_put_uint(at, PACKET_SEQUENCE_ID, telling->sequence);
	at = pb_open(at, PACKET_PROCESS_TREE, &tree);
	at = pb_open(at, TREE_THREADS, &thread);
	at = pb_put_uint(at, TREE_THREAD_TID, (uint32_t)sample->tid);
	at = perfetto_describe_text(at, TREE_THREAD_NAME, names_text(names, name), names_len(names, name));
	at = pb_put_uint(at, TREE_THREAD_TGID, (uint32_t)pid);
	perfetto_out_end(telling->texts->out, pb_close(pb_close(pb_close(at, thread), tree), packet));
	return 0;
}

int perfetto_samples_tell(struct perfetto_samples *samples, struct perfetto_texts *texts, struct perfetto_told *told,
			  uint32_t sequence, const struct event_sample *sample, int32_t pid)
{
	struct telling telling = { .samples = samples, .texts = texts, .sequence = sequence };
	const uint32_t values[] = { sample->thread_name, sample->call, sample->object };

	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (perfetto_texts_tell_value(texts, told, sequence, values[i]))
			return -1;
	return tell_thread(&telling, sample, pid) || tell_stack(&telling, sample->stack) ||
		       tell_stack(&telling, sample->holder_stack)
		   ? -1
		   : 0;
}

static uint8_t *put(uint8_t *at, uint32_t field, uint64_t value)
{
	return value ? pb_put_uint(at, field, value) : at;
}

uint8_t *perfetto_samples_put(uint8_t *at, const struct perfetto_texts *texts, const struct event_sample *sample,
			      int32_t pid)
{
	uint8_t *inside;

	at = pb_open(at, PACKET_PERF_SAMPLE, &inside);
	at = pb_put_uint(at, SAMPLE_PID, (uint32_t)pid);
	at = pb_put_uint(at, SAMPLE_TID, (uint32_t)sample->tid);
	at = put(at, SAMPLE_CALLSTACK, sample->stack);
	at = pb_put_uint(at, SAMPLE_STATE_NUMBER, sample->state);
	at = put(at, SAMPLE_WEIGHT_NS, sample->weight_ns);
	at = put(at, SAMPLE_CPU_NS, sample->cpu_ns);
	at = put(at, SAMPLE_QUEUE_NS, sample->queue_ns);
	at = put(at, SAMPLE_THREAD_NAME, perfetto_texts_value(texts, sample->thread_name));
	at = put(at, SAMPLE_CALL_NAME, perfetto_texts_value(texts, sample->call));
	at = put(at, SAMPLE_OBJECT, perfetto_texts_value(texts, sample->object));
	at = put(at, SAMPLE_HOLDER_TID, (uint32_t)sample->holder_tid);
	at = put(at, SAMPLE_HOLDER_CALLSTACK, sample->holder_stack);
	at = put(at, SAMPLE_FLAG_BITS, sample->flags);
	return pb_close(at, inside);
}

void perfetto_samples_done(struct perfetto_samples *samples)
{
	struct perfetto_seen *const seen[] = { &samples->functions, &samples->paths,  &samples->sources,
					       &samples->mappings,  &samples->frames, &samples->stacks };

	for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
		perfetto_seen_done(seen[i]);
	perfetto_map_done(&samples->threads);
}
