/* SPDX-License-Identifier: Apache-2.0 */
/* Running programs whose name is nearly the one that was asked for, for an error message. Reads /proc only. */
#ifndef CAPTURE_RECORDER_ATTACH_NEAR_H
#define CAPTURE_RECORDER_ATTACH_NEAR_H

#include <stddef.h>

/*
 * "server.js (4242) or server.py (4243)": at most three programs, those with a runtime loaded first, then by how near
 * the name is. text: "" when no name is near.
 */
void attach_near(const char *name, char *text, size_t size);

#endif
