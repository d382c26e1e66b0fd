// SPDX-License-Identifier: Apache-2.0
/* A Python module to be loaded without Python: any bytes. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "model/ort/ort_wheel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t library[WHEEL_NAMES_ROOM];
	long length = wheel_names_library(data, size, library, sizeof library);

	if (length > (long)sizeof library || (length > 0 && memcmp(library, ELFMAG, SELFMAG)))
		abort();
	if (length > 0)
		memset(library, 0, (size_t)length);
	return 0;
}
