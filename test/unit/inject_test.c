// SPDX-License-Identifier: Apache-2.0
/* What the injector finds in files, and its code, which runs here in this process. */
#include "capture/inject/inject.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/inject/inject_code.h"
#include "capture/inject/inject_file.h"

static int look(struct inject_file *found, const char *path, uint64_t map_start, struct err *err)
{
	struct image_file file;
	int fd = open(path, O_RDONLY | O_CLOEXEC), code;

	assert_true(fd >= 0);
	*found = (struct inject_file){ .map_start = map_start };
	code = image_file_open(&file, fd, path, err);
	if (!code)
		code = inject_file_look(&file, found, err);
	image_file_close(&file);
	close(fd);
	return code;
}

static void functions_of_this_process_are_found_where_the_loader_has_them(void **state)
{
	struct inject_file found;
	struct err err;
	Dl_info info;
	void *libc;

	/* the C library's own functions: a sanitizer overrides them */
	libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	assert_non_null(libc);
	assert_int_not_equal(dladdr(dlsym(libc, "dlopen"), &info), 0);
	assert_int_equal(look(&found, info.dli_fname, (uint64_t)info.dli_fbase, &err), 0);
	for (int i = 0; i < N_INJECT_SYMBOLS; i++)
		assert_int_equal(found.symbol[i], (uint64_t)dlsym(libc, inject_symbols[i]));
	assert_int_equal(found.slot, 0);
	dlclose(libc);
}

static void what_a_subverted_child_says_is_not_sound(void **state)
{
	struct inject_file file = { .n_gaps = INJECT_GAPS }, bad;

	assert_true(inject_file_is_sound(&file));
	bad = file;
	bad.n_gaps++;
	assert_false(inject_file_is_sound(&bad));
	bad = file;
	bad.gap[INJECT_GAPS - 1].size = UINT64_MAX;
	assert_false(inject_file_is_sound(&bad));
	memset(bad.version, 'x', sizeof bad.version);
	bad.n_gaps = 0;
	assert_false(inject_file_is_sound(&bad));
}

/* The gap behind data begins where .bss ends, not where the file does. */
static void gaps_lie_behind_all_that_a_segment_has(void **state)
{
	struct inject_file found;
	unsigned n_code = 0, n_data = 0;
	struct err err;

	assert_int_equal(look(&found, TEST_DIR "/data/inject/good/functions.so", 0x10000000, &err), 0);
	for (uint32_t i = 0; i < found.n_gaps; i++) {
		n_code += found.gap[i].is_code;
		n_data += !found.gap[i].is_code;
		assert_int_equal((found.gap[i].address + found.gap[i].size) & 4095, 0);
	}
	assert_int_equal(n_code, 1);
	assert_int_equal(n_data, 1);
	/* 400 bytes of data in the file, 400 more without file content: see the recipe in test/data/inject/README.md */
	assert_int_equal(found.gap[1].address & 4095, 0x330);
}

static void a_runtime_has_a_word_to_replace(void **state)
{
	struct inject_file found;
	struct err err;

	assert_int_equal(look(&found, TEST_DIR "/data/elf/good/plain.so", 0x7f0000000000, &err), 0);
	assert_true(found.slot > 0x7f0000000000 && found.original > 0x7f0000000000);
	assert_int_equal(found.slot & 7, 0);
}

static void nothing_is_found_in_broken_files(void **state)
{
	static const char *const bad[] = { "no_gnu_hash.so", "many_buckets.so", "no_buckets.so", "cut.so",
					   "endless_segment.so" };
	struct inject_file found;
	struct err err;
	char path[512];

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(path, sizeof path, TEST_DIR "/data/inject/bad/%s", bad[i]);
		if (look(&found, path, 0x10000000, &err))
			continue;
		if (!strcmp(bad[i], "endless_segment.so"))
			for (uint32_t k = 0; k < found.n_gaps; k++)
				assert_true(found.gap[k].is_code);
		else
			for (int k = 0; k < N_INJECT_SYMBOLS; k++)
				assert_int_equal(found.symbol[k], 0);
	}
}

/* ---- the code ---- */

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
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(size > sizeof head && size <= 1024 && page != MAP_FAILED);
	memset(&place, 0, sizeof place);
	head.state = (uint64_t)&place.state;
	head.original = (uint64_t)original;
	head.pthread_create = (uint64_t)pthread_create;
	head.dlopen = (uint64_t)dlopen;
	head.dlsym = (uint64_t)dlsym;
	head.dlerror = (uint64_t)dlerror;
	head.errno_location = (uint64_t)errno_at;
	head.register_atfork = (uint64_t)register_atfork;
	inject_code_make(page, &head);
	place.head = (struct ferry_head *)page;
	trigger = inject_code_trigger((uint64_t)page);
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
	return munmap(place->head, 4096);
}

/* Like in the target: readable and executable. */
static void close_page(struct place *place)
{
	assert_int_equal(mprotect(place->head, 4096, PROT_READ | PROT_EXEC), 0);
}

static void wait_for(const struct ferry_state *state, uint32_t phase)
{
	for (int i = 0; i < 60000 && __atomic_load_n(&state->phase, __ATOMIC_ACQUIRE) != phase; i++)
		usleep(1000);
	assert_int_equal(state->phase, phase);
}

static void many_calls_enter_once_and_all_go_on(void **state)
{
	struct place *place = *state;
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

/* setuid() in a program with threads waits until each of them has handled a signal that only the C library knows. */
static void setuid_does_not_wait_for_the_new_thread_for_ever(void **state)
{
	struct place *place = *state;

	place->state.entry = (uint64_t)enter;
	close_page(place);
	place->trigger(0, 0, 0, 0, 0, 0);
	wait_for(&place->state, FERRY_DONE);
	for (int signal_ = 32; signal_ <= 33; signal_++)
		assert_int_equal(((uint64_t *)&entered_with)[0] >> (signal_ - 1) & 1, 0);
}

static void a_library_that_cannot_be_loaded_is_told_with_the_loaders_own_words(void **state)
{
	struct place *place = *state;

	close_page(place);
	assert_int_equal(place->trigger(1, 2, 3, 4, 5, 6), 654321);
	wait_for(&place->state, FERRY_FAILED);
	assert_non_null(strstr(place->state.error, "/nowhere/agent.so"));
	assert_int_equal(place->state.error[sizeof place->state.error - 1], 0);
	assert_int_equal(place->trigger(1, 2, 3, 4, 5, 6), 654321);
}

static void a_thread_that_is_refused_is_told_and_errno_is_as_it_was(void **state)
{
	struct place *place = *state;

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

static void a_fork_and_the_loading_of_the_agent_wait_for_each_other(void **state)
{
	struct place *place = *state;
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

static void a_child_forked_while_the_agent_is_loaded_says_so_for_ever(void **state)
{
	struct place *place = *state;

	a_fork_and_the_loading_of_the_agent_wait_for_each_other(state);
	place->state.loading = FERRY_LOADING;
	for (int i = 0; i < 2; i++) {
		place->state.n_forks = 1;
		at_fork[2]();
		assert_int_equal(place->state.loading, FERRY_HALF_LOADED);
		assert_int_equal(place->state.n_forks, 0);
	}
}

static void a_phase_that_is_not_idle_is_left_alone(void **state)
{
	static const uint32_t phases[] = { FERRY_CLAIMED, FERRY_FAILED, FERRY_DONE, FERRY_DISARMED, FERRY_ARMED };
	struct place *place = *state;

	place->state.entry = (uint64_t)enter;
	close_page(place);
	for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
		place->state.phase = phases[i];
		assert_int_equal(place->trigger(1, 2, 3, 4, 5, 6), 654321);
		assert_int_equal(place->state.phase, phases[i]);
	}
	assert_int_equal(n_entered, 0);
}

static void a_process_that_has_anothers_number_now_is_left_alone(void **state)
{
	struct inject_opts opts = { .agent = "/nowhere", .level = 1 };
	struct inject inject;
	struct err err;

	/* the very first process started later than that */
	assert_int_equal(inject_prepare(&inject, getpid(), 1, &opts, &err), -ESRCH);
	assert_non_null(strstr(err.msg, "its PID has been reused"));
	inject_done(&inject);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_subverted_child_says_is_not_sound),
		cmocka_unit_test(functions_of_this_process_are_found_where_the_loader_has_them),
		cmocka_unit_test(gaps_lie_behind_all_that_a_segment_has),
		cmocka_unit_test(a_runtime_has_a_word_to_replace),
		cmocka_unit_test(nothing_is_found_in_broken_files),
		cmocka_unit_test(a_process_that_has_anothers_number_now_is_left_alone),
		cmocka_unit_test_setup_teardown(many_calls_enter_once_and_all_go_on, prepare, unprepare),
		cmocka_unit_test_setup_teardown(setuid_does_not_wait_for_the_new_thread_for_ever, prepare, unprepare),
		cmocka_unit_test_setup_teardown(a_library_that_cannot_be_loaded_is_told_with_the_loaders_own_words,
						prepare, unprepare),
		cmocka_unit_test_setup_teardown(a_thread_that_is_refused_is_told_and_errno_is_as_it_was, prepare,
						unprepare),
		cmocka_unit_test_setup_teardown(a_fork_and_the_loading_of_the_agent_wait_for_each_other, prepare,
						unprepare),
		cmocka_unit_test_setup_teardown(a_child_forked_while_the_agent_is_loaded_says_so_for_ever, prepare,
						unprepare),
		cmocka_unit_test_setup_teardown(a_phase_that_is_not_idle_is_left_alone, prepare, unprepare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
