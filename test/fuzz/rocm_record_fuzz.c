// SPDX-License-Identifier: Apache-2.0
/* A record of rocprofiler-sdk of each kind, a kernel symbol, and what a callback is told: any bytes. */
#include "capture/agent/rocm/rocm_record.h"

#include <stdlib.h>

#include "fuzz.h"

static void check_records(const uint8_t *data, size_t size)
{
	for (unsigned kind = 0; kind < ROCM_KINDS; kind++) {
		struct rocm_record record;
		uint64_t claimed = 0;

		if (size >= sizeof claimed)
			memcpy(&claimed, data, sizeof claimed);
		if (!rocm_read((enum rocm_kind)kind, data, size, &record))
			continue;
		if (claimed > size || !rocm_layout_of((enum rocm_kind)kind, claimed))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* as large as it is, so that a read past its end is seen */
	uint8_t *exact = malloc(size ? size : 1);
	struct rocm_told told = { { 0 } };
	struct rocm_kernel kernel;

	if (!exact)
		abort();
	memcpy(exact, data, size);
	check_records(exact, size);
	if (rocm_read_kernel(exact, size, &kernel) && size < 32)
		abort();
	memcpy(&told, data, size < sizeof told ? size : sizeof told);
	if (rocm_symbol(&told, 10) && (uint32_t)told.word[4] != 10 && (uint32_t)told.word[5] != 10)
		abort();
	free(exact);
	return 0;
}
