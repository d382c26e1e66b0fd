/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a recording when it is over. */
#ifndef CMD_RECORD_SUMMARY_H
#define CMD_RECORD_SUMMARY_H

#include <stdio.h>

#include "capture/recorder/recorder.h"
#include "cmd/record/recording_file.h"

/* Completes the file, whose size the result gets. Says so where segments could not be joined. */
void record_summary_close(struct recording_file *file, struct recorder_result *result);

/* For people: what was recorded, and how to look at it. */
void record_summary_print(FILE *to, const char *path, const struct recorder_result *result);

/* For programs: one JSON object. has_status: the program was our child, and its end belongs to the facts. */
void record_summary_json(FILE *to, const char *path, const struct recorder_result *result, bool has_status);

#endif
