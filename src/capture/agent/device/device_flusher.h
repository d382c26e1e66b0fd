/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent's thread that has a device's library deliver what it has recorded, from time to time. All its
 * signals are blocked. Children of fork have none.
 */
#ifndef CAPTURE_AGENT_DEVICE_DEVICE_FLUSHER_H
#define CAPTURE_AGENT_DEVICE_DEVICE_FLUSHER_H

#include <stdbool.h>
#include <stdint.h>

enum device_command { DEVICE_GO_ON, DEVICE_LEAVE };

struct device_flusher {
	bool (*turn)(enum device_command command); /* false: the thread has to end */
	uint32_t command, running;		   /* running: the number of the thread; 0: there is none */
	uint32_t n_threads;
	int32_t pid; /* that started it; a child of fork has another one */
	unsigned ms; /* between two turns that nobody asks for; 0: 100 */
};

/* False: no thread could be started. */
bool device_flusher_start(struct device_flusher *flusher);
/* Whether it is there, in this process. */
bool device_flusher_runs(const struct device_flusher *flusher);
/* Waits for a word; false: it took longer. */
bool device_wait(const uint32_t *word, uint32_t value, unsigned ms);
/* Has it end and waits for that; false: it took longer. Not on the thread itself. */
bool device_flusher_end(struct device_flusher *flusher, unsigned ms);

#endif
