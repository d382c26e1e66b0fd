/* SPDX-License-Identifier: Apache-2.0 */
/* The sources of one recording: which of them can run here, when each is to be drained, how one of them ends. */
#ifndef CAPTURE_RECORDER_RECORDER_SOURCES_H
#define CAPTURE_RECORDER_RECORDER_SOURCES_H

#include "capture/recorder/recorder_state.h"

/*
 * Starts all that can run here; of the others the reason is noted. 0, or -errno and err: one is missing without which
 * there is nothing to record (way->needed).
 */
int recorder_sources_start(struct recorder *recorder, struct err *err);
/*
 * Drains those whose time it is, at the end all. One that fails ends and is noted. 0, or -errno and err: it is what the
 * recording is about.
 */
int recorder_sources_drain(struct recorder *recorder, uint64_t now_ns, struct err *err);
/* When the source is due without which there is nothing to record; UINT64_MAX: none is. */
uint64_t recorder_sources_needed_ns(const struct recorder *recorder);
/* Those that choose when they are drained are drained now. */
void recorder_sources_hurry(struct recorder *recorder, uint64_t now_ns);
/* The tree may have changed: those that say that they are due at once are. */
void recorder_sources_ask(struct recorder *recorder, uint64_t now_ns);
/* When the next one is due; UINT64_MAX: there is none. */
uint64_t recorder_sources_due_ns(const struct recorder *recorder);
void recorder_sources_stop(struct recorder *recorder);

#endif
