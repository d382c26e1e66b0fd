// SPDX-License-Identifier: Apache-2.0
/* A profile of ONNX Runtime: any bytes. */
#include "check_profile.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return check_profile_of(device_profile_ort, data, size);
}
