// SPDX-License-Identifier: Apache-2.0
/* Knows nothing of files. Threads are made when they are needed and inherit the caller's signal mask and priority. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "capture/probe/next/next_in.h"

struct reader {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	void (*work)(void *);
	void *job;
	bool has_job, is_left; /* left: nobody waits for it any more */
};

static struct reader *reader; /* NULL: none, or the last one is stuck */
static unsigned n_stuck;

static void *serve(void *arg)
{
	struct reader *mine = arg;

	pthread_mutex_lock(&mine->lock);
	while (!mine->is_left) {
		while (!mine->has_job)
			pthread_cond_wait(&mine->changed, &mine->lock);
		pthread_mutex_unlock(&mine->lock);
		mine->work(mine->job);
		pthread_mutex_lock(&mine->lock);
		mine->has_job = false;
		pthread_cond_broadcast(&mine->changed);
	}
	pthread_mutex_unlock(&mine->lock);
	__atomic_fetch_sub(&n_stuck, 1, __ATOMIC_RELAXED);
	free(mine);
	return NULL;
}

static struct reader *start(void)
{
	struct reader *made = calloc(1, sizeof *made);
	pthread_condattr_t attributes;
	pthread_t thread;

	if (!made)
		return NULL;
	pthread_mutex_init(&made->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&made->changed, &attributes);
	if (pthread_create(&thread, NULL, serve, made)) {
		free(made);
		return NULL;
	}
	pthread_detach(thread);
	return made;
}

/* With the lock. */
static void wait_a_moment(struct reader *mine)
{
	uint64_t until_ns = clock_ns() + NEXT_READER_DUE_MS * 1000000ull;
	struct timespec until = { (time_t)(until_ns / 1000000000u), (long)(until_ns % 1000000000u) };

	pthread_cond_timedwait(&mine->changed, &mine->lock, &until);
}

bool next_reader_do(void (*work)(void *job), void *job, void (*due)(void *ctx), void *ctx)
{
	const uint64_t until_ns = clock_ns() + NEXT_READER_PATIENCE_MS * 1000000ull;
	struct reader *mine = reader;
	bool is_done;

	if (!mine && (__atomic_load_n(&n_stuck, __ATOMIC_RELAXED) >= NEXT_READER_STUCK || !(mine = reader = start())))
		return false;
	pthread_mutex_lock(&mine->lock);
	mine->work = work;
	mine->job = job;
	mine->has_job = true;
	pthread_cond_broadcast(&mine->changed);
	while (mine->has_job && clock_ns() < until_ns) {
		wait_a_moment(mine);
		if (!mine->has_job)
			break;
		pthread_mutex_unlock(&mine->lock);
		due(ctx);
		pthread_mutex_lock(&mine->lock);
	}
	is_done = !mine->has_job;
	mine->is_left = !is_done;
	if (!is_done) {
		__atomic_fetch_add(&n_stuck, 1, __ATOMIC_RELAXED);
		reader = NULL;
	}
	pthread_mutex_unlock(&mine->lock);
	return is_done;
}
