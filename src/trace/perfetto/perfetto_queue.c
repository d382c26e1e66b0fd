// SPDX-License-Identifier: Apache-2.0
/* A ring of blocks, one lock. Compression and writing go on without the lock. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/privilege.h"
#include "trace/perfetto/perfetto_out.h"

struct perfetto_queue {
	struct perfetto_file *file;
	pthread_mutex_t lock;
	pthread_cond_t has_work, has_room; /* has_room: a block was written, or writing failed */
	pthread_t thread;
	bool is_running, is_ending;
	struct perfetto_block *block, spare;
	size_t first, n, max; /* block[first] is being written */
	uint64_t bytes;
	struct err err; /* the first failure; nothing is written after it */
};

struct perfetto_queue *perfetto_queue_new(struct perfetto_file *file, size_t max_blocks, struct err *err)
{
	struct perfetto_queue *queue = calloc(1, sizeof *queue);

	if (queue)
		queue->block = calloc(max_blocks, sizeof *queue->block);
	if (!queue || !queue->block) {
		free(queue);
		err_no_memory(err, "cannot write the recording");
		return NULL;
	}
	queue->file = file;
	queue->max = max_blocks;
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->has_work, NULL);
	pthread_cond_init(&queue->has_room, NULL);
	return queue;
}

/* Writes block[first]; the lock is held before and after. */
static void write_first(struct perfetto_queue *queue)
{
	struct perfetto_block block = queue->block[queue->first];
	struct err err = queue->err;

	pthread_mutex_unlock(&queue->lock);
	if (!err.code)
		perfetto_file_write(queue->file, block.data, block.len, &err);
	pthread_mutex_lock(&queue->lock);
	queue->err = err;
	queue->bytes = queue->file->bytes;
	queue->first = (queue->first + 1) % queue->max;
	queue->n--;
	if (queue->spare.data || block.size != PERFETTO_BLOCK)
		free(block.data);
	else
		queue->spare = block;
	pthread_cond_broadcast(&queue->has_room);
}

static void *run(void *ctx)
{
	struct perfetto_queue *queue = ctx;

	privilege_drop(); /* of this thread alone: the file is open */
	pthread_mutex_lock(&queue->lock);
	while (queue->n || !queue->is_ending) {
		if (queue->n)
			write_first(queue);
		else
			pthread_cond_wait(&queue->has_work, &queue->lock);
	}
	pthread_mutex_unlock(&queue->lock);
	return NULL;
}

/* Signals are for the thread that records. Where no thread can be had, the caller writes. */
static void start(struct perfetto_queue *queue)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	queue->is_running = !pthread_create(&queue->thread, NULL, run, queue);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* An empty buffer; the lock is held. */
static bool get_spare(struct perfetto_queue *queue, struct perfetto_block *block)
{
	*block = queue->spare;
	queue->spare = (struct perfetto_block){ 0 };
	if (!block->data)
		*block = (struct perfetto_block){ .data = malloc(PERFETTO_BLOCK), .size = PERFETTO_BLOCK };
	block->len = 0;
	return block->data;
}

static int fail(const struct err *from, struct err *err)
{
	return from->code ? err_set(err, from->code, "%s", from->msg) : 0;
}

int perfetto_queue_pass(struct perfetto_queue *queue, struct perfetto_block *block, bool must_wait, struct err *err)
{
	struct perfetto_block empty;
	int code = 0;

	pthread_mutex_lock(&queue->lock);
	if (!queue->is_running)
		start(queue);
	while (queue->n == queue->max && must_wait && !queue->err.code)
		pthread_cond_wait(&queue->has_room, &queue->lock);
	if (queue->err.code) {
		code = fail(&queue->err, err);
	} else if (queue->n < queue->max && (must_wait || !queue->n || block->len >= PERFETTO_BLOCK / 2)) {
		if (get_spare(queue, &empty)) {
			queue->block[(queue->first + queue->n++) % queue->max] = *block;
			*block = empty;
		} else {
			code = err_no_memory(err, "cannot write the recording");
		}
	}
	if (!queue->is_running && queue->n) {
		bool was_on = privilege_use(false);
		write_first(queue);
		privilege_use(was_on);
	}
	pthread_cond_signal(&queue->has_work);
	pthread_mutex_unlock(&queue->lock);
	return code;
}

int perfetto_queue_wait(struct perfetto_queue *queue, struct err *err)
{
	int code;

	pthread_mutex_lock(&queue->lock);
	while (queue->n)
		pthread_cond_wait(&queue->has_room, &queue->lock);
	code = fail(&queue->err, err);
	pthread_mutex_unlock(&queue->lock);
	return code;
}

uint64_t perfetto_queue_bytes(struct perfetto_queue *queue)
{
	uint64_t bytes;

	pthread_mutex_lock(&queue->lock);
	bytes = queue->bytes;
	pthread_mutex_unlock(&queue->lock);
	return bytes;
}

void perfetto_queue_free(struct perfetto_queue *queue)
{
	if (!queue)
		return;
	pthread_mutex_lock(&queue->lock);
	queue->is_ending = true;
	pthread_cond_signal(&queue->has_work);
	pthread_mutex_unlock(&queue->lock);
	if (queue->is_running)
		pthread_join(queue->thread, NULL);
	pthread_mutex_destroy(&queue->lock);
	pthread_cond_destroy(&queue->has_work);
	pthread_cond_destroy(&queue->has_room);
	free(queue->spare.data);
	free(queue->block);
	free(queue);
}
