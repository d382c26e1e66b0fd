/* SPDX-License-Identifier: Apache-2.0 */
/* The real dlsym, which the agent's own one covers (first.c). */
#ifndef CAPTURE_AGENT_FIRST_H
#define CAPTURE_AGENT_FIRST_H

/* Finds the real dlsym, and the C library's other functions (glibc.h). May be called again. */
void first_start(void);
/* The real dlsym; not for RTLD_NEXT. NULL also when there is none. */
void *first_dlsym(void *handle, const char *name);
/* The same for RTLD_NEXT; only after first_start. */
extern void *(*first_real_dlsym)(void *, const char *)__attribute__((visibility("hidden")));

#endif
