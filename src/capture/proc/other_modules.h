/* SPDX-License-Identifier: Apache-2.0 */
/* Runtimes among a process's modules that are not recorded (runtime/other_runtimes.h). */
#ifndef CAPTURE_PROC_OTHER_MODULES_H
#define CAPTURE_PROC_OTHER_MODULES_H

#include "capture/proc/modules.h"

/* The runtime of one of them; NULL: it is none, or another one of them has it and is recorded. */
const char *other_modules_at(const struct modules *modules, size_t i);
/* "OpenVINO 2026.4.1, PyTorch 2.11.0", with as many as fit. False: there are none. */
bool other_modules(const struct modules *modules, char *text, size_t size);
/* The same of a process that may not be readable. */
bool other_modules_of(pid_t pid, char *text, size_t size);

#endif
