/* SPDX-License-Identifier: Apache-2.0 */
/* A library with an OrtGetApiBase of its own, which it calls as any program would: through its import. */
#include <stddef.h>

#ifndef NAME
#define NAME "one"
#endif

struct ort_base;
const struct ort_base *OrtGetApiBase(void);
const char *which(void);

const struct ort_base *OrtGetApiBase(void)
{
	return (const struct ort_base *)NAME;
}

const char *which(void)
{
	return (const char *)OrtGetApiBase();
}
