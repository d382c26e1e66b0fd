/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a test program calls in place of CUDA (fake_*), and how the fake libcupti (cupti.c) sees it. A launch that
 * nobody observes takes its time all the same.
 */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stdint.h>

enum { FAKE_TO_DEVICE = 1, FAKE_FROM_DEVICE = 2 };

/* The call takes about 2 us, the kernel device_ns, behind all before it on the stream. */
void fake_launch(uint32_t stream, uint64_t device_ns, const char *name);
void fake_copy(uint32_t stream, uint64_t bytes, int direction);
void fake_graph(uint32_t stream, unsigned n_nodes, uint64_t each_ns, const char *name);
/* What is launched on any stream until fake_captured is a node of a graph, and does not run. One graph, which is kept.
 */
void fake_capture(void);
void fake_captured(void);
void fake_replay(uint32_t stream);
void fake_sync(uint32_t stream); /* returns when the stream is done */

struct fake_observer {
	void (*launch)(uint32_t stream, uint64_t device_ns, const char *name);
	void (*copy)(uint32_t stream, uint64_t bytes, int direction);
	void (*graph)(uint32_t stream, unsigned n_nodes, uint64_t each_ns, const char *name);
	void (*sync)(uint32_t stream);
	/* NULL: its graphs cannot be captured */
	void (*capture)(void);
	void (*captured)(void);
	void (*replay)(uint32_t stream);
};

void fake_observe(const struct fake_observer *observer);
int fake_is_initialized(void);

#endif
