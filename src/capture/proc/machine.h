/* SPDX-License-Identifier: Apache-2.0 */
/* Describes this machine, for people: "AMD EPYC 9654, 2 CPUs, 23.5 GiB, Linux 6.12.0 x86_64". Keeps no state. */
#ifndef CAPTURE_PROC_MACHINE_H
#define CAPTURE_PROC_MACHINE_H

#include <stddef.h>

/* CPUs that are online; 0: not known. */
unsigned machine_cpus(const char *sysroot);
/* Leaves out unreadable parts; "" when all are. */
void machine_describe(const char *sysroot, char *text, size_t size);

/* "AMD EPYC 9654"; "" when unknown. */
void machine_processor(const char *sysroot, char *text, size_t size);

#endif
