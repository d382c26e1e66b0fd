/* SPDX-License-Identifier: Apache-2.0 */
/* The topic of notes about the files that a file was put together of. */
#ifndef EVENT_MERGED_NOTE_H
#define EVENT_MERGED_NOTE_H

/*
 * path, source, by_ns [error_ns, count]: of a file that was put together of several: one of them, by what it was placed
 * on their clock, what was added to its times, and how far off that may be; count: inferences that it shares with the
 * file that placed it. Once for each
 */
#define EVENT_NOTE_MERGED "merged"

#endif
