/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that tell what a device does: kernels, copies. One is started when the program has initialised its device,
 * never before, and only where they are to be recorded.
 */
#ifndef CAPTURE_AGENT_DEVICE_H
#define CAPTURE_AGENT_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

enum device_wish {
	DEVICE_NOT_WANTED,
	DEVICE_WANTED,
	DEVICE_WANTED_NODES, /* also each node of a graph, where that is to be had */
};

enum device_look {
	LOOK_DONE,
	LOOK_SOON, /* the program is about to initialise it */
	LOOK_LATER,
};

/* A library. The calls come one at a time. */
struct agent_device {
	/*
	 * Begins, if the program has initialised the device. On a thread of the program that could call malloc itself,
	 * and without the loader's lock.
	 */
	enum device_look (*look)(void);
	/* Ends what look has begun; returns when nothing of the agent is called any more, or after some seconds. */
	void (*leave)(void);
	/* What a program gets that looks a function of the library up by name; NULL: the real one. */
	void *(*instead_of)(const char *name, void *real);
};

extern const struct agent_device *const agent_devices[]; /* NULL-terminated */

/* From now on devices are looked for, or not; on no hot path. */
void devices_want(enum device_wish wish);
enum device_wish devices_wanted(void);
/*
 * A library begins, unless another one has: their records cannot be told apart. False: it leaves the program to that
 * one, in silence. From devices_leave on nobody has.
 */
bool devices_claim(const struct agent_device *device);
void devices_give_up(const struct agent_device *device);
/* Says why a library tells nothing of kernels, unless another one does. */
void devices_refuse(const char *why);
/* Whether the recording is over, so that a library's thread has to end. */
bool devices_are_over(void);
/* The recording ends, or restarts. */
void devices_leave(void);
/* Looks if it is time to: before and after an inference. */
void devices_look(void);
void *devices_instead_of(const char *name, void *real);

#endif
