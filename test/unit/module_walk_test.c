// SPDX-License-Identifier: Apache-2.0
/* A thread walks through the modules all the time, while children are forked that load a library. */
#include "capture/agent/replace/module_walk.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"

enum { CHILDREN = 100, PATIENCE_S = 20 };

static int has_ended;

static int nothing(struct dl_phdr_info *info, size_t size, void *data)
{
	return 0;
}

static void *walk(void *unused)
{
	while (!__atomic_load_n(&has_ended, __ATOMIC_ACQUIRE)) {
		module_walk_begin();
		dl_iterate_phdr(nothing, NULL);
		module_walk_end();
	}
	return NULL;
}

TEST(children_of_fork_can_load_libraries_whatever_the_agent_does)
{
	pthread_t thread;
	int status;

	module_walk_start();
	assert_int_equal(pthread_create(&thread, NULL, walk, NULL), 0);
	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();
		if (!child) {
			alarm(PATIENCE_S);
			_exit(!dlopen("libm.so.6", RTLD_NOW));
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
	__atomic_store_n(&has_ended, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

TEST(a_walk_inside_a_walk_does_not_wait_for_itself)
{
	int status;
	pid_t child;

	module_walk_begin();
	module_walk_begin();
	module_walk_end();
	/* as a handler of a signal would */
	child = fork();
	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, &status, 0), child);
	module_walk_end();
	assert_int_equal(status, 0);
}
