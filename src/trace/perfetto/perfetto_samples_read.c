// SPDX-License-Identifier: Apache-2.0
/*
 * Reads samples, those of Perfetto's own profilers too: they have a stack and no state, so their threads ran. Frames of
 * one message may come before the mappings and texts that they refer to.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/callstack.h"
#include "trace/perfetto/perfetto_event.h"
#include "trace/perfetto/perfetto_fields.h"
#include "trace/perfetto/perfetto_texts.h"

enum { MOST_PARTS = 16 };

static struct perfetto_stacks *stacks_of(struct sequence *sequence)
{
	if (!sequence->stacks)
		sequence->stacks = calloc(1, sizeof *sequence->stacks);
	return sequence->stacks;
}

static uint32_t meaning(const struct perfetto_map *map, uint64_t number)
{
	uint32_t value = perfetto_map_get(map, number);

	return value ? value - 1 : 0;
}

static int read_text(struct reader *reader, struct perfetto_map *map, struct pb_in in)
{
	struct pb_field field, text = { 0 };
	uint64_t number = 0;
	int more;

	while ((more = pb_next(&in, &field)) > 0) {
		if (field.number == ENTRY_IID && field.wire == PB_VARINT)
			number = field.value;
		if (field.number == ENTRY_TEXT && field.wire == PB_BYTES)
			text = field;
	}
	if (more < 0)
		return -EBADMSG;
	return perfetto_map_put(map, number,
				1 + names_intern(reader->state.out->names, (const char *)text.data, text.value))
		   ? 0
		   : -ENOMEM;
}

/* A path comes in parts. */
static int read_mapping(struct reader *reader, struct perfetto_stacks *stacks, struct pb_in in)
{
	uint32_t parts[MOST_PARTS], n = 0, path = 0;
	struct names *names = reader->state.out->names;
	uint64_t number = 0;
	struct pb_field field;
	char text[1024];
	size_t len = 0;
	int more;

	while ((more = pb_next(&in, &field)) > 0) {
		if (field.number == ENTRY_IID && field.wire == PB_VARINT)
			number = field.value;
		if (field.number == MAPPING_PATHS && field.wire == PB_VARINT && n < MOST_PARTS)
			parts[n++] = meaning(&stacks->paths, field.value);
	}
	if (more < 0)
		return -EBADMSG;
	path = n ? parts[0] : 0;
	for (uint32_t i = 0; n > 1 && i < n; i++) {
		size_t more_len = names_len(names, parts[i]);

		if (len + more_len + 1 > sizeof text)
			break;
		text[len++] = '/';
		memcpy(text + len, names_text(names, parts[i]), more_len);
		len += more_len;
		path = names_intern(names, text, len);
	}
	return perfetto_map_put(&stacks->mappings, number, 1 + path) ? 0 : -ENOMEM;
}

static int read_frame(struct reader *reader, struct perfetto_stacks *stacks, struct pb_in in)
{
	struct frame frame = { .kind = FRAME_NATIVE };
	uint64_t number = 0;
	struct pb_field field;
	int more;

	while ((more = pb_next(&in, &field)) > 0) {
		if (field.wire != PB_VARINT)
			continue;
		switch (field.number) {
		case ENTRY_IID:
			number = field.value;
			break;
		case FRAME_FUNCTION:
			frame.function = meaning(&stacks->functions, field.value);
			break;
		case FRAME_MAPPING:
			frame.module = meaning(&stacks->mappings, field.value);
			break;
		case FRAME_REL_PC:
			frame.offset = field.value;
			break;
		case FRAME_SOURCE_PATH:
			frame.file = meaning(&stacks->sources, field.value);
			break;
		case FRAME_LINE:
			frame.line = (uint32_t)field.value;
			break;
		case FRAME_KIND:
			frame.kind = (uint32_t)field.value;
			break;
		}
	}
	if (more < 0)
		return -EBADMSG;
	if (frame.kind == FRAME_CUT)
		frame = (struct frame){ .kind = FRAME_CUT };
	if (frame.kind == FRAME_PYTHON || frame.kind == FRAME_JAVASCRIPT || frame.kind == FRAME_JAVA)
		frame.module = 0;
	return perfetto_map_put(&stacks->frames, number,
				1 + callstacks_frame(names_callstacks(reader->state.out->names), &frame))
		   ? 0
		   : -ENOMEM;
}

/* Outermost frame first. */
static int read_stack(struct reader *reader, struct perfetto_stacks *stacks, struct pb_in in)
{
	struct callstacks *to = names_callstacks(reader->state.out->names);
	uint32_t stack = 0;
	uint64_t number = 0;
	struct pb_field field;
	int more;

	while ((more = pb_next(&in, &field)) > 0) {
		if (field.number == ENTRY_IID && field.wire == PB_VARINT)
			number = field.value;
		else if (field.number == CALLSTACK_FRAMES && field.wire == PB_VARINT)
			stack = callstacks_push(to, stack, meaning(&stacks->frames, field.value));
		else if (field.number == CALLSTACK_FRAMES && field.wire == PB_BYTES)
			for (struct pb_in packed = pb_inside(&field); packed.at < packed.end;) {
				uint64_t frame;

				if (!pb_get_varint(&packed, &frame))
					return -EBADMSG;
				stack = callstacks_push(to, stack, meaning(&stacks->frames, frame));
			}
	}
	if (more < 0)
		return -EBADMSG;
	return perfetto_map_put(&stacks->stacks, number, 1 + stack) ? 0 : -ENOMEM;
}

/* What can be understood once the rounds before it are over. */
static int read_in_round(struct reader *reader, struct perfetto_stacks *stacks, int round, const struct pb_field *field)
{
	struct pb_in in = pb_inside(field);

	switch (field->number) {
	case INTERNED_FUNCTIONS:
		return round == 0 ? read_text(reader, &stacks->functions, in) : 0;
	case INTERNED_MAPPING_PATHS:
		return round == 0 ? read_text(reader, &stacks->paths, in) : 0;
	case INTERNED_SOURCE_PATHS:
		return round == 0 ? read_text(reader, &stacks->sources, in) : 0;
	case INTERNED_MAPPINGS:
		return round == 1 ? read_mapping(reader, stacks, in) : 0;
	case INTERNED_FRAMES:
		return round == 2 ? read_frame(reader, stacks, in) : 0;
	case INTERNED_CALLSTACKS:
		return round == 3 ? read_stack(reader, stacks, in) : 0;
	}
	return 0;
}

static bool is_of_stacks(const struct pb_field *field)
{
	return field->wire == PB_BYTES &&
	       ((field->number >= INTERNED_FUNCTIONS && field->number <= INTERNED_CALLSTACKS) ||
		(field->number >= INTERNED_MAPPING_PATHS && field->number <= INTERNED_MAPPINGS));
}

int perfetto_samples_intern(struct reader *reader, struct sequence *sequence, struct pb_in in)
{
	struct perfetto_stacks *stacks = NULL;
	struct pb_field field;
	int result = 0;

	for (int round = 0; round < 4 && !result; round++) {
		struct pb_in again = in;
		bool has_any = false;

		while (!result && pb_next(&again, &field) > 0) {
			if (!is_of_stacks(&field))
				continue;
			has_any = true;
			stacks = stacks_of(sequence);
			result = stacks ? read_in_round(reader, stacks, round, &field) : -ENOMEM;
		}
		if (!has_any)
			break;
	}
	if (result == -EBADMSG)
		err_set(reader->err, EBADMSG, "its interned stacks are malformed");
	return result == -ENOMEM ? perfetto_state_out_of_memory(reader->err) : result;
}

static uint32_t text_of(const struct reader *reader, const struct sequence *sequence, uint64_t number)
{
	uint32_t value = perfetto_state_string(&reader->state, sequence, number);

	return value ? value - 1 : 0;
}

static uint32_t stack_of(const struct sequence *sequence, uint64_t number)
{
	return sequence->stacks ? meaning(&sequence->stacks->stacks, number) : 0;
}

static void take_field(const struct reader *reader, const struct sequence *sequence, struct event_sample *sample,
		       const struct pb_field *field)
{
	switch (field->number) {
	case SAMPLE_TID:
		sample->tid = (int32_t)field->value;
		break;
	case SAMPLE_CALLSTACK:
		sample->stack = stack_of(sequence, field->value);
		break;
	case SAMPLE_STATE_NUMBER:
		sample->state = field->value < N_SAMPLE_STATES ? (uint8_t)field->value : SAMPLE_UNKNOWN;
		break;
	case SAMPLE_WEIGHT_NS:
		sample->weight_ns = field->value;
		break;
	case SAMPLE_CPU_NS:
		sample->cpu_ns = field->value;
		break;
	case SAMPLE_QUEUE_NS:
		sample->queue_ns = field->value;
		break;
	case SAMPLE_THREAD_NAME:
		sample->thread_name = text_of(reader, sequence, field->value);
		break;
	case SAMPLE_CALL_NAME:
		sample->call = text_of(reader, sequence, field->value);
		break;
	case SAMPLE_OBJECT:
		sample->object = text_of(reader, sequence, field->value);
		break;
	case SAMPLE_HOLDER_TID:
		sample->holder_tid = (int32_t)field->value;
		break;
	case SAMPLE_HOLDER_CALLSTACK:
		sample->holder_stack = stack_of(sequence, field->value);
		break;
	case SAMPLE_FLAG_BITS:
		sample->flags = (uint8_t)field->value;
		break;
	}
}

int perfetto_samples_read(struct reader *reader, struct sequence *sequence, uint64_t time_ns, struct pb_in in)
{
	struct event_sample sample = { .state = SAMPLE_RAN };
	struct event event = { .type = EVENT_SAMPLE, .time_ns = time_ns, .sample = &sample };
	struct pb_field field;
	uint32_t index;
	int32_t pid = 0;
	int more;

	while ((more = pb_next(&in, &field)) > 0) {
		if (field.wire != PB_VARINT)
			continue;
		if (field.number == SAMPLE_PID)
			pid = (int32_t)field.value;
		take_field(reader, sequence, &sample, &field);
	}
	if (more < 0)
		return err_set(reader->err, EBADMSG, "its sample is malformed");
	if (sample.weight_ns > time_ns || sample.cpu_ns > sample.weight_ns ||
	    sample.queue_ns > sample.weight_ns - sample.cpu_ns || !sample.tid) {
		reader->result->n_skipped++;
		return 0;
	}
	index = perfetto_tracks_process(&reader->state, pid);
	if (!index)
		return perfetto_state_out_of_memory(reader->err);
	if (!reader->state.track[index].id && perfetto_tracks_emit(&reader->state, index, reader->err))
		return -1;
	event.track = reader->state.track[index].id;
	return sink_put(reader->state.out, &event, reader->err);
}
