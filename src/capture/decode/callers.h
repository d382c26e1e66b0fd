/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that ask for inferences, where the agent wrote an address: what is there comes later, from a child that reads
 * the file. Until then the events that bear the address are gathered, and rings are read on. One thread.
 */
#ifndef CAPTURE_DECODE_CALLERS_H
#define CAPTURE_DECODE_CALLERS_H

#include "capture/decode/lanes.h"
#include "event/names.h"

struct recorded;

enum { CALLERS = 256 };

/*
 * The owner's: the name of what is at the address that `caller` names ("/usr/bin/app+0x1234"), or caller itself; 0: it
 * comes later. waits: for at most two seconds, and then it is never 0.
 */
struct callers_finder {
	uint32_t (*find)(const struct callers_finder *finder, struct names *names, uint32_t caller, bool waits);
	void *ctx;
	const struct recorded *process;
};

/* Zeroed: none, and addresses stay what they are. */
struct callers {
	struct callers_finder finder;
	struct caller_known {
		uint32_t address, place; /* names; place 0: to come */
		bool is_late;		 /* events go on with the address until it comes */
	} at[CALLERS];
	uint32_t n, n_open;
};

/* The name to put into an event: of the line, or of the address as long as that is to come. */
uint32_t callers_place(struct callers *callers, struct names *names, uint32_t caller);
/*
 * Gives gathered events the lines that have come. The time up to which events may be put: before the first one whose
 * line is to come; UINT64_MAX: all. waits: none is to come any more.
 */
uint64_t callers_settle(struct callers *callers, struct lanes *lanes, struct names *names, bool waits);

#endif
