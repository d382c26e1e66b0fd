/* SPDX-License-Identifier: Apache-2.0 */
/* What the recorder itself writes into the file: what was recorded and how, how programs ended, what it cost. */
#ifndef CAPTURE_RECORDER_RECORDER_NOTE_H
#define CAPTURE_RECORDER_RECORDER_NOTE_H

#include "capture/recorder/recorder_state.h"

/* topic: EVENT_NOTE_ of event/event.h. A sink that fails is seen at the next flush. */
void recorder_note(struct recorder *recorder, const char *topic, const struct arg *args, size_t n);
void recorder_note_start(struct recorder *recorder);
/* status: as wait tells it; NULL: not known. */
void recorder_note_exit(struct recorder *recorder, pid_t pid, const int *status);
/* Fills in result->cpu_ns, too. */
void recorder_note_end(struct recorder *recorder);

#endif
