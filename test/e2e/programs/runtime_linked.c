/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime as a library to which the program is linked. */
#include "ort.h"

struct ort_base *OrtGetApiBase(void);

struct ort_base *runtime_open(const char *path)
{
	return OrtGetApiBase();
}

void runtime_close(void)
{
}
