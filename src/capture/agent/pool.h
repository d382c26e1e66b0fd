/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the runtime's pools that a thread starts while it creates a session, and the CPU that they use meanwhile.
 */
#ifndef CAPTURE_AGENT_POOL_H
#define CAPTURE_AGENT_POOL_H

#include <stdint.h>

struct thread;

enum { POOL_THREADS = 64 };

/* Those started since the last creation on a thread ended; the started threads write, too. */
struct pool {
	uint32_t round;
	uint32_t n_started;	   /* counted by the thread that starts them, */
	uint32_t n;		   /* and by those of them that run already */
	int32_t tid[POOL_THREADS]; /* 0: not there yet */
};

/* On a started thread: it is one of the pool, if that is still the round in which it was started. */
void pool_join(struct pool *pool, uint32_t round);
/* At the end of the thread's creation: writes what they used since they began, and forgets them. */
void pool_tell(struct thread *thread, uint32_t session);

#endif
