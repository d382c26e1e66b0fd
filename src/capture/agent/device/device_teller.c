// SPDX-License-Identifier: Apache-2.0
/* Puts what a device's library told into records. Does not know the library. */
#include "capture/agent/device/device_teller.h"

#include <string.h>

#include "capture/agent/dict.h"

void device_teller_start(struct device_teller *teller, enum device_library library, enum device_clock_kind kind,
			 bool (*read)(uint64_t *theirs))
{
	teller->library = library;
	teller->n_dropped = 0;
	teller->n_strange = teller->n_timeless = 0;
	device_clock_start(&teller->clock, kind, read);
}

static uint64_t hash_of(const char *text, size_t len)
{
	uint64_t hash = 0x9e3779b97f4a7c15u ^ len;

	for (; len >= 8; text += 8, len -= 8) {
		uint64_t word;

		memcpy(&word, text, 8);
		hash = (hash ^ word) * 0xff51afd7ed558ccdu;
		hash ^= hash >> 32;
	}
	for (; len; text++, len--)
		hash = (hash ^ (uint8_t)*text) * 0xc4ceb9fe1a85ec53u, hash ^= hash >> 29;
	return (hash ^ hash >> 33) | 1;
}

uint32_t device_text(struct device_texts *texts, const char *name)
{
	size_t len = name ? strnlen(name, SEGMENT_MAX_TEXT) : 0;
	uint64_t hash = len ? hash_of(name, len) : 0;
	uint32_t at = (uint32_t)(hash >> 20) % DEVICE_TEXTS;

	if (texts->generation != hot->generation) {
		memset(texts->known, 0, sizeof texts->known);
		texts->generation = hot->generation;
	}
	if (!len)
		return 0;
	if (texts->known[at].hash != hash || !texts->known[at].text) {
		texts->known[at].text = dict_text(name, len);
		texts->known[at].hash = hash;
	}
	return texts->known[at].text;
}

void device_put(struct thread *thread, const struct record *of)
{
	struct record *record = agent_claim(thread);

	if (record) {
		*record = *of;
		agent_publish(thread);
	}
}

void device_teller_work(struct device_teller *teller, struct thread *thread, const struct told_work *from)
{
	struct record more = { .value = from->kind == DEVICE_GRAPH ? from->graph : from->bytes,
			       .run = from->run,
			       .text = from->device << 24 | (from->context & 0xffffff),
			       .type = RECORD_DEVICE_MORE,
			       .flags = from->kind };
	struct record work = { .id = from->stream,
			       .run = from->run,
			       .type = RECORD_DEVICE_WORK,
			       .flags = from->kind,
			       .more = from->direction };

	if (from->begin && from->end >= from->begin) {
		work.time = device_clock_ns(&teller->clock, from->begin);
		work.value = device_clock_ns(&teller->clock, from->end);
	} else {
		teller->n_timeless++;
	}
	if (from->kind == DEVICE_KERNEL) {
		more.time = device_grid(from->grid[0], from->grid[1], from->grid[2]);
		more.value = device_block(from->block[0], from->block[1], from->block[2], from->registers);
		more.id = from->shared;
		work.text = device_text(&teller->texts, from->name);
	}
	if (from->node)
		device_put(thread, &(struct record){ .value = from->node,
						     .run = from->run,
						     .type = RECORD_DEVICE_NODE,
						     .flags = DEVICE_NODE_OF_WORK });
	device_put(thread, &more);
	device_put(thread, &work);
}

static struct record interval(struct device_teller *teller, const struct told_call *from, enum device_record type)
{
	return (struct record){ .time = device_clock_ns(&teller->clock, from->begin),
				.value = device_clock_ns(&teller->clock, from->end),
				.id = from->thread,
				.run = from->run,
				.text = device_text(&teller->texts, from->name),
				.type = (uint16_t)type };
}

void device_teller_call(struct device_teller *teller, struct thread *thread, const struct told_call *from)
{
	struct record record;

	if (!from->begin || from->end < from->begin)
		return;
	record = interval(teller, from, RECORD_DEVICE_CALL);
	record.more = from->group;
	record.flags = from->has_failed ? FLAG_FAILED : 0;
	device_put(thread, &record);
}

void device_teller_overhead(struct device_teller *teller, struct thread *thread, const struct told_call *from)
{
	struct record record;

	if (!from->begin || from->end < from->begin)
		return;
	record = interval(teller, from, RECORD_DEVICE_OVERHEAD);
	device_put(thread, &record);
}

void device_teller_state(struct device_teller *teller, enum device_state state, uint64_t time)
{
	struct thread *thread = agent_thread();

	if (!thread)
		return;
	device_clock_look(&teller->clock);
	device_put(thread, &(struct record){ .time = time,
					     .value = teller->clock.error_ns,
					     .id = teller->n_strange,
					     .run = teller->n_timeless,
					     .text = teller->clock.n_steps,
					     .type = RECORD_DEVICE_STATE,
					     .flags = (uint8_t)state,
					     .more = (uint8_t)teller->library });
	if (teller->n_dropped)
		device_put(thread, &(struct record){ .value = teller->n_dropped,
						     .text = SEGMENT_NO_STREAM,
						     .type = RECORD_DEVICE_DROPPED });
	teller->n_dropped = 0;
}

uint8_t device_teller_group(const struct call_name *names, const char *name)
{
	for (; names->begin; names++)
		if (!strncmp(name, names->begin, strlen(names->begin)))
			return names->group;
	return 0;
}
