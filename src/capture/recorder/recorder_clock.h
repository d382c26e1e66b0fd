/* SPDX-License-Identifier: Apache-2.0 */
/* Notes what happens to the machine's clocks while a recording runs: suspends, a clock that is set, another source. */
#ifndef CAPTURE_RECORDER_RECORDER_CLOCK_H
#define CAPTURE_RECORDER_RECORDER_CLOCK_H

#include "capture/recorder/recorder_state.h"

/* Call it each turn. */
void recorder_clock_look(struct recorder *recorder);

#endif
