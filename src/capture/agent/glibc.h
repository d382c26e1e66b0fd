/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that the C library has moved between its libraries: up to 2.33 they are in libdl and libpthread, which a
 * program may lack. A pointer is NULL until it is found. The agent calls them through these pointers alone, so that it
 * needs no newer C library than the program has (glibc.c).
 */
#ifndef CAPTURE_AGENT_GLIBC_H
#define CAPTURE_AGENT_GLIBC_H

#include <pthread.h>

#define GLIBC_FUNCTIONS(F) \
	F(void *, dlopen, (const char *, int)) \
	F(int, dlclose, (void *)) \
	F(void *, dlsym, (void *, const char *)) \
	F(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)) \
	F(int, pthread_detach, (pthread_t)) \
	F(int, pthread_key_create, (pthread_key_t *, void (*)(void *))) \
	F(int, pthread_setspecific, (pthread_key_t, const void *))

#define GLIBC_POINTER(result, name, params) result(*name) params;
struct glibc {
	GLIBC_FUNCTIONS(GLIBC_POINTER)
};
extern struct glibc glibc __attribute__((visibility("hidden")));

/* Takes what the program has had from its start. Call first; again: takes what is missing. */
void glibc_start(void);
/* Takes what is missing from a library that was loaded since, or from what it needs. handle: of dlopen. */
void glibc_learn(void *handle);
/* The C library's own function; also where there is no libdl. NULL: none. */
void *glibc_next(const char *name);

#endif
