// SPDX-License-Identifier: Apache-2.0
/* The agent's lock: owners that do not come back, and threads that are cancelled. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "capture/agent/lock.h"
#include "cases.h"

static struct lock lock;

TEST(who_waits_in_vain_goes_on_without)
{
	lock_take(&lock);
	errno = 7;
	assert_false(lock_try(&lock));
	assert_false(lock_try(&lock));
	assert_int_equal(errno, 7);
	lock_give(&lock);
	assert_true(lock_try(&lock));
	lock_give(&lock);
}

static unsigned n_in_vain;

static void *try_often(void *unused)
{
	for (int i = 0; i < 40; i++) {
		if (!lock_try(&lock)) {
			__atomic_add_fetch(&n_in_vain, 1, __ATOMIC_RELAXED);
			continue;
		}
		usleep(1000); /* as one that is preempted */
		lock_give(&lock);
	}
	return NULL;
}

/* Sixty-four threads with one millisecond each: more than two seconds in all, but no owner takes that long. */
TEST(nobody_waits_in_vain_for_many_short_owners)
{
	pthread_t thread[64];

	for (int i = 0; i < 64; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, try_often, NULL), 0);
	for (int i = 0; i < 64; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(n_in_vain, 0);
}

static int is_inside;

static void *work(void *unused)
{
	lock_take(&lock);
	__atomic_store_n(&is_inside, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&is_inside, __ATOMIC_ACQUIRE))
		usleep(100); /* a cancellation point */
	lock_give(&lock);
	pthread_testcancel();
	return NULL;
}

TEST(an_owner_is_cancelled_only_after_it_gave_the_lock_back)
{
	pthread_t thread;
	void *result;

	assert_int_equal(pthread_create(&thread, NULL, work, NULL), 0);
	while (!__atomic_load_n(&is_inside, __ATOMIC_ACQUIRE))
		usleep(100);
	pthread_cancel(thread);
	usleep(1000);
	__atomic_store_n(&is_inside, 0, __ATOMIC_RELEASE);
	pthread_join(thread, &result);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_true(lock_try(&lock));
	lock_give(&lock);
}

enum { THREADS = 4, TIMES = 20000 };
static unsigned counted;

static void *count(void *unused)
{
	for (int i = 0; i < TIMES; i++) {
		lock_take(&lock);
		counted++;
		lock_give(&lock);
	}
	return NULL;
}

TEST(one_thread_at_a_time_owns_it)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, count, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(counted, THREADS * TIMES);
}
