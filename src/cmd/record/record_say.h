/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder's messages and progress, on standard error. */
#ifndef CMD_RECORD_SAY_H
#define CMD_RECORD_SAY_H

#include <stdbool.h>

#include "capture/recorder/say.h"

/*
 * is_quiet: warnings only. has_progress: also a line that is kept up to date, where standard error is a terminal. Not
 * for a program that shares this terminal: the line would be glued to its output.
 */
struct say record_say(bool is_quiet, bool has_progress);

#endif
