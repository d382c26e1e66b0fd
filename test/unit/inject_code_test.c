// SPDX-License-Identifier: Apache-2.0
/* The injector's code, which runs here in this process. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/processor.h"
#include "capture/inject/inject_in.h"
#include "cases.h"

struct place {
	struct ferry_head *head;
	struct ferry_state state;
	unsigned long (*trigger)(long, long, long, long, long, long);
};

static int n_entered;
static pthread_t entered_in;
static sigset_t entered_with;

static void enter(const struct ferry_head *head)
{
	struct ferry_state *state = (struct ferry_state *)head->state;

	entered_in = pthread_self();
	pthread_sigmask(SIG_SETMASK, NULL, &entered_with);
	pthread_detach(pthread_self());
	state->code = 7;
	__atomic_add_fetch(&n_entered, 1, __ATOMIC_SEQ_CST);
}

static long original(long a, long b, long c, long d, long e, long f)
{
	return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f;
}

static int refuse(void)
{
	errno = EIO;
	return EAGAIN;
}

static void (*at_fork[3])(void); /* before it, after it, in the child */

static int register_atfork(void (*before)(void), void (*after)(void), void (*in_child)(void), void *library)
{
	assert_null(library);
	at_fork[0] = before;
	at_fork[1] = after;
	at_fork[2] = in_child;
	return 0;
}

static int *errno_at(void)
{
	return &errno;
}

static int prepare(void **state)
{
	static struct place place;
	struct ferry_head head = { .magic = FERRY_MAGIC, .entry = FERRY_ENTRY, .agent = "/nowhere/agent.so" };
	size_t size = inject_code_size();
	uint64_t trigger;
	char *page = mmap(NULL, PROCESSOR_MAX_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(size > sizeof head && size <= FERRY_MAX && page != MAP_FAILED);
	memset(&place, 0, sizeof place);
	head.state = (uint64_t)&place.state;
	head.slot[0] = (struct ferry_slot){ 8, (uint64_t)original };
	head.pthread_create = (uint64_t)pthread_create;
	head.dlopen = (uint64_t)dlopen;
	head.dlsym = (uint64_t)dlsym;
	head.dlerror = (uint64_t)dlerror;
	head.errno_location = (uint64_t)errno_at;
	head.register_atfork = (uint64_t)register_atfork;
	inject_code_make(page, &head);
	place.head = (struct ferry_head *)page;
	trigger = inject_code_trigger((uint64_t)page, 0);
	memcpy(&place.trigger, &trigger, sizeof trigger);
	n_entered = 0;
	*state = &place;
	return 0;
}

static int n_threads(void)
{
	DIR *list = opendir("/proc/self/task");
	int n = -2; /* . and .. */

	assert_non_null(list);
	while (readdir(list))
		n++;
	closedir(list);
	return n;
}

static int unprepare(void **state)
{
	struct place *place = *state;

	/* the thread that reports its end still runs a few instructions in that page */
	while (n_threads() > 1)
		usleep(1000);
	return munmap(place->head, PROCESSOR_MAX_PAGE);
}

/* Like in the target: readable and executable. */
static void close_page(struct place *place)
{
	char *page = (char *)place->head;

	assert_int_equal(mprotect(page, PROCESSOR_MAX_PAGE, PROT_READ | PROT_EXEC), 0);
	__builtin___clear_cache(page, page + inject_code_size());
}

static void wait_for(const struct ferry_state *state, uint32_t phase)
{
	for (int i = 0; i < 60000 && __atomic_load_n(&state->phase, __ATOMIC_ACQUIRE) != phase; i++)
		usleep(1000);
	assert_int_equal(state->phase, phase);
}

#define CASE(name) TEST_FROM(name, struct place, place, prepare, unprepare)

CASE(many_calls_enter_once_and_all_go_on)
{
	sigset_t before, after;

	place->state.entry = (uint64_t)enter;
	close_page(place);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	errno = ERANGE;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(place->trigger(1, 2, 3, 4, 5, 6), 654321);
	assert_int_equal(errno, ERANGE);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	assert_memory_equal(&before, &after, 8); /* the kernel's view of it */
	wait_for(&place->state, FERRY_DONE);
	assert_int_equal(n_entered, 1);
	assert_false(pthread_equal(entered_in, pthread_self()));
	assert_int_equal(place->state.code, 7);
	assert_true(sigismember(&entered_with, SIGTERM) && sigismember(&entered_with, SIGUSR1) &&
		    sigismember(&entered_with, SIGPROF));
}

static long another(long a, long b, long c, long d, long e, long f)
{
	return f - a;
}

CASE(each_slot_goes_on_to_a_function_of_its_own)
{
	place->state.entry = (uint64_t)enter;
	for (uint32_t i = 1; i < FERRY_SLOTS; i++)
		place->head->slot[i].original = (uint64_t)(i & 1 ? another : original);
	close_page(place);
	for (int round = 0; round < 3; round++)
		for (uint32_t i = FERRY_SLOTS; i-- > 0;) {
			uint64_t trigger = inject_code_trigger((uint64_t)place->head, i);
			memcpy(&place->trigger, &trigger, sizeof trigger);
			assert_true(inject_code_is_trigger((uint64_t)place->head, trigger));
			assert_int_equal(place->trigger(1, 2, 3, 4, 5, 6), i & 1 ? 5 : 654321);
		}
	wait_for(&place->state, FERRY_DONE);
	assert_int_equal(n_entered, 1);
}

struct status {
	long word[4];
};

/* As OnRunStart returns its Status: its address is an argument, or in a register of its own. */
static struct status original_of_class(long a, long b, long c, long d, long e)
{
	return (struct status){ { a, b, c + 10 * d, e } };
}

CASE(a_class_is_returned_where_its_caller_wants_it)
{
	struct status (*trigger)(long, long, long, long, long);
	struct status got;

	memcpy(&trigger, &place->trigger, sizeof trigger);
	place->head->slot[0].original = (uint64_t)original_of_class;
	place->state.entry = (uint64_t)enter;
	close_page(place);
	for (int i = 0; i < 100; i++) {
		got = trigger(i, 2, 3, 4, 5);
		assert_true(got.word[0] == i && got.word[1] == 2 && got.word[2] == 43 && got.word[3] == 5);
	}
	wait_for(&place->state, FERRY_DONE);
	assert_int_equal(n_entered, 1);
}

/* setuid() in a program with threads waits until each of them has handled a signal that only the C library knows. */
CASE(setuid_does_not_wait_for_the_new_thread_for_ever)
{
	place->state.entry = (uint64_t)enter;
	close_page(place);
	place->trigger(0, 0, 0, 0, 0, 0);
	wait_for(&place->state, FERRY_DONE);
	for (int signal_ = 32; signal_ <= 33; signal_++)
		assert_int_equal(((uint64_t *)&entered_with)[0] >> (signal_ - 1) & 1, 0);
}

CASE(a_library_that_cannot_be_loaded_is_told_with_the_loaders_own_words)
{
	close_page(place);
	assert_int_equal(place->trigger(1, 2, 3, 4, 5, 6), 654321);
	wait_for(&place->state, FERRY_FAILED);
	assert_non_null(strstr(place->state.error, "/nowhere/agent.so"));
	assert_int_equal(place->state.error[sizeof place->state.error - 1], 0);
	assert_int_equal(place->trigger(1, 2, 3, 4, 5, 6), 654321);
}

CASE(a_thread_that_is_refused_is_told_and_errno_is_as_it_was)
{
	place->head->pthread_create = (uint64_t)refuse;
	close_page(place);
	errno = ERANGE;
	assert_int_equal(place->trigger(1, 2, 3, 4, 5, 6), 654321);
	assert_int_equal(errno, ERANGE);
	assert_int_equal(place->state.phase, FERRY_FAILED);
	assert_int_equal(place->state.code, EAGAIN);
}

static int is_loading, may_load, n_forked, n_wrong;

static void *load_slowly(const char *path, int flags)
{
	__atomic_store_n(&is_loading, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&may_load, __ATOMIC_ACQUIRE))
		usleep(1000);
	n_wrong += __atomic_load_n(&n_forked, __ATOMIC_ACQUIRE);
	return NULL;
}

static void *forking(void *state)
{
	at_fork[0]();
	__atomic_store_n(&n_forked, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void fork_while_loading(struct place *place)
{
	pthread_t thread;

	is_loading = may_load = n_forked = n_wrong = 0;
	place->head->dlopen = (uint64_t)load_slowly;
	close_page(place);
	place->trigger(0, 0, 0, 0, 0, 0);
	while (!__atomic_load_n(&is_loading, __ATOMIC_ACQUIRE))
		usleep(1000);
	assert_int_equal(place->state.loading, FERRY_LOADING);
	pthread_create(&thread, NULL, forking, NULL);
	usleep(50000); /* it must not go on meanwhile */
	__atomic_store_n(&may_load, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	assert_int_equal(place->state.loading, FERRY_NOT_LOADING);
	wait_for(&place->state, FERRY_FAILED);
	assert_int_equal(place->state.n_forks, 1);
	at_fork[1]();
	assert_int_equal(place->state.n_forks, 0);
	assert_int_equal(n_wrong, 0);
}

CASE(a_fork_and_the_loading_of_the_agent_wait_for_each_other)
{
	fork_while_loading(place);
}

CASE(a_child_forked_while_the_agent_is_loaded_says_so_for_ever)
{
	fork_while_loading(place);
	place->state.loading = FERRY_LOADING;
	for (int i = 0; i < 2; i++) {
		place->state.n_forks = 1;
		at_fork[2]();
		assert_int_equal(place->state.loading, FERRY_HALF_LOADED);
		assert_int_equal(place->state.n_forks, 0);
	}
}

CASE(a_phase_that_is_not_idle_is_left_alone)
{
	static const uint32_t phases[] = { FERRY_CLAIMED, FERRY_FAILED, FERRY_DONE, FERRY_DISARMED, FERRY_ARMED };

	place->state.entry = (uint64_t)enter;
	close_page(place);
	for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
		place->state.phase = phases[i];
		assert_int_equal(place->trigger(1, 2, 3, 4, 5, 6), 654321);
		assert_int_equal(place->state.phase, phases[i]);
	}
	assert_int_equal(n_entered, 0);
}
