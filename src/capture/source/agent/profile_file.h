/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a process writes a profile of ONNX Runtime's own: its profiler was left on, and slows each operator down. */
#ifndef CAPTURE_SOURCE_AGENT_PROFILE_FILE_H
#define CAPTURE_SOURCE_AGENT_PROFILE_FILE_H

#include "capture/decode/recorded.h"
#include "capture/source/source.h"

/* Is it named as the runtime names a profile: "..._2026-11-28_13-01-52_441.json", without the last number before 1.22?
 */
bool profile_file_is_one(const char *path);
/* Looks at the files that the process has open, and notes the first one. 0, or the error of the sink. */
int profile_file_look(struct recorded *process, const struct target *target, struct sink *out, uint64_t now_ns,
		      struct err *err);

#endif
