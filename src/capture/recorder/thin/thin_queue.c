// SPDX-License-Identifier: Apache-2.0
/* Groups lie one behind the other in a buffer, 16 bytes an event and 16 an argument. Decides nothing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/recorder/thin/thin_in.h"

enum { MAX_ARGS = 32 };

struct held {
	uint64_t time_ns;
	uint32_t name;
	uint8_t type, kind;
	uint16_t n_args;
};

static struct thin_group *group_at(const struct thin_queue *queue, size_t at)
{
	return (struct thin_group *)(queue->data + at);
}

/* Room behind the end; moves what is there to the begin first. */
static uint8_t *room(struct thin_queue *queue, size_t n)
{
	size_t used = queue->end - queue->begin, size = queue->size ? queue->size : 4096;
	uint8_t *data;

	if (queue->size - queue->end >= n)
		return queue->data + queue->end;
	if (used)
		memmove(queue->data, queue->data + queue->begin, used);
	queue->last -= used ? queue->begin : queue->last;
	queue->begin = 0;
	queue->end = used;
	/* at least half of it stays free, so that moving is rare */
	while (size < 2 * (used + n))
		size *= 2;
	if (size > queue->size) {
		data = realloc(queue->data, size);
		if (!data)
			return NULL;
		queue->data = data;
		queue->size = size;
	}
	return queue->data + queue->end;
}

int thin_queue_open(struct thin_queue *queue, uint64_t key, uint64_t time_ns)
{
	uint8_t *at = room(queue, sizeof(struct thin_group));

	if (!at)
		return -ENOMEM;
	queue->last = queue->end;
	*group_at(queue, queue->end) =
	    (struct thin_group){ .key = key, .time_ns = time_ns, .n_bytes = sizeof(struct thin_group) };
	queue->end += sizeof(struct thin_group);
	return 0;
}

int thin_queue_add(struct thin_queue *queue, const struct event *event)
{
	uint16_t n_args = event->n_args < MAX_ARGS ? (uint16_t)event->n_args : MAX_ARGS;
	size_t n = sizeof(struct held) + n_args * sizeof(struct arg);
	uint8_t *at = room(queue, n);
	struct thin_group *group;

	if (!at)
		return -ENOMEM;
	*(struct held *)at = (struct held){ .time_ns = event->time_ns,
					    .name = event->name,
					    .type = (uint8_t)event->type,
					    .kind = (uint8_t)event->kind,
					    .n_args = n_args };
	if (n_args)
		memcpy(at + sizeof(struct held), event->args, n_args * sizeof(struct arg));
	queue->end += n;
	group = group_at(queue, queue->last);
	group->n_bytes += (uint32_t)n;
	return 0;
}

const struct thin_group *thin_queue_first(const struct thin_queue *queue)
{
	return queue->begin < queue->end ? group_at(queue, queue->begin) : NULL;
}

bool thin_queue_is_single(const struct thin_queue *queue)
{
	return queue->begin == queue->last;
}

int thin_queue_take(struct thin_queue *queue, uint32_t track, struct sink *out, struct err *err)
{
	size_t at = queue->begin + sizeof(struct thin_group),
	       end = queue->begin + group_at(queue, queue->begin)->n_bytes;
	int code = 0;

	while (at < end && out && !code) {
		const struct held *held = (const struct held *)(queue->data + at);
		const struct event event = { .type = (enum event_type)held->type,
					     .kind = (enum event_kind)held->kind,
					     .track = track,
					     .name = held->name,
					     .time_ns = held->time_ns,
					     .args = (const struct arg *)(held + 1),
					     .n_args = held->n_args };
		code = sink_put(out, &event, err);
		at += sizeof *held + held->n_args * sizeof(struct arg);
	}
	queue->begin = end;
	if (queue->begin == queue->end)
		queue->begin = queue->end = queue->last = 0;
	return code;
}

void thin_queue_done(struct thin_queue *queue)
{
	free(queue->data);
	*queue = (struct thin_queue){ 0 };
}
