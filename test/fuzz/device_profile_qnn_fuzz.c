// SPDX-License-Identifier: Apache-2.0
/* A file of QNN's profiler: any bytes. */
#include "check_profile.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return check_profile_of(device_profile_qnn, data, size);
}
