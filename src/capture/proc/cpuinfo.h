/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc/cpuinfo says of the processor: cpuinfo_x86.c or cpuinfo_arm64.c. */
#ifndef CAPTURE_PROC_CPUINFO_H
#define CAPTURE_PROC_CPUINFO_H

#include <stdbool.h>
#include <stddef.h>

/* Its name for people; "": the text holds none, which is so in many virtual machines. */
void cpuinfo_name(const char *text, char *name, size_t size);
/* Whether the text is of a processor that this inftrace is built for. */
bool cpuinfo_is_ours(const char *text);

#endif
