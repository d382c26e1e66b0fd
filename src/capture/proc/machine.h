/* SPDX-License-Identifier: Apache-2.0 */
/* What machine this is, for people: "AMD EPYC 9654, 2 CPUs, 23.5 GiB, Linux 6.12.0 x86_64". Keeps nothing. */
#ifndef CAPTURE_PROC_MACHINE_H
#define CAPTURE_PROC_MACHINE_H

#include <stddef.h>

/* What cannot be read is left out; "" when nothing can. */
void machine_describe(const char *sysroot, char *text, size_t size);

/* "AMD EPYC 9654"; "" when it is not told. */
void machine_processor(const char *sysroot, char *text, size_t size);

#endif
