/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of native programs that ask for inferences: what is at an address that the agent saw. */
#ifndef CAPTURE_SOURCE_CALLER_PLACE_H
#define CAPTURE_SOURCE_CALLER_PLACE_H

#include "capture/decode/recorded.h"

/*
 * caller: "/usr/bin/app+0x1234". "main (/src/app.c:42)", or without a line "main (/usr/bin/app+0x1234)", as an id in
 * names; the caller's own where the file says nothing. Waits for a child that reads the file, at most two seconds,
 * and for a process about five in all, because rings fill up meanwhile. Later callers are addresses then.
 */
uint32_t caller_place_of(struct recorded *process, struct names *names, const char *caller);

#endif
