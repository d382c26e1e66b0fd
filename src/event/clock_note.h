/* SPDX-License-Identifier: Apache-2.0 */
/* Notes on the clocks of a recording. */
#ifndef EVENT_CLOCK_NOTE_H
#define EVENT_CLOCK_NOTE_H

/* source, error_ns [count]: which clock the times come from; the largest error of conversion; times it jumped */
#define EVENT_NOTE_CLOCK "clock"
/* state (EVENT_CLOCK_*), from_ns, by_ns [text]: the machine's clocks parted, between from_ns and the note's time */
#define EVENT_NOTE_CLOCK_CHANGED "clock changed"
#define EVENT_CLOCK_SUSPENDED "suspended"   /* by_ns: how long; CLOCK_MONOTONIC stood still */
#define EVENT_CLOCK_JUMPED "counter jumped" /* by_ns: the processor's counter, more than the clock */
#define EVENT_CLOCK_SET "wall clock set"    /* by_ns: CLOCK_REALTIME */
#define EVENT_CLOCK_SOURCE "clock source"   /* the kernel took another one; text: both */
/* The source of a clock note for input that has only durations: slices lie end to end, so rates have no meaning. */
#define EVENT_CLOCK_NONE "none: durations only, laid end to end"

#endif
