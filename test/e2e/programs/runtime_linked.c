/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime as a library that the program is linked to. */
#include "ort.h"

struct ort_base *OrtGetApiBase(void);

struct ort_base *runtime_open(const char *path)
{
	return OrtGetApiBase();
}

void runtime_close(void)
{
}
