// SPDX-License-Identifier: Apache-2.0
/*
 * Walks through the process's modules while other threads fork. dl_iterate_phdr holds a lock of the loader that fork
 * does not release in the child (glibc up to at least 2.36). A child forked at such a moment would wait for it forever
 * in its first dlopen. So a fork waits until the agent's walk has ended.
 *
 * Either side waits for at most half a second and then goes on: a program that hangs would be worse than the
 * problem this prevents.
 */
#include "capture/agent/replace/module_walk.h"

#include <errno.h>
#include <stddef.h>

#include "base/syscalls.h"

enum { TRIES = 5000, PAUSE_NS = 100000 };

static int is_walking;
/* How often this thread has begun; the handler of a signal during a walk may fork. 0: it did not get its turn. */
static __thread unsigned n_begun __attribute__((tls_model("initial-exec")));

void module_walk_begin(void)
{
	int saved = errno;

	n_begun += n_begun != 0;
	for (int i = 0; i < TRIES && !n_begun; i++) {
		n_begun = !__atomic_exchange_n(&is_walking, 1, __ATOMIC_ACQUIRE);
		if (!n_begun)
			call_sleep_ns(PAUSE_NS);
	}
	errno = saved;
}

void module_walk_end(void)
{
	if (n_begun && !--n_begun)
		__atomic_store_n(&is_walking, 0, __ATOMIC_RELEASE);
}

/* The child has no other threads. */
static void forget(void)
{
	is_walking = 0;
	n_begun = 0;
}

/* In every libc; pthread_atfork, which calls it, may be in libpthread, which a program may lack. The agent stays. */
int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void *module);

void module_walk_start(void)
{
	__register_atfork(module_walk_begin, module_walk_end, forget, NULL);
}

int module_walk_images(struct image_set *set)
{
	int code;

	module_walk_begin();
	code = image_set_self(set);
	module_walk_end();
	return code;
}
