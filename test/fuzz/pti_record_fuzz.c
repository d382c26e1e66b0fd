// SPDX-License-Identifier: Apache-2.0
/* A buffer of PTI's records: any bytes, stepped through as the library does that knows their sizes. */
#include "capture/agent/pti/pti_record.h"

#include <stdlib.h>

#include "fuzz.h"

static size_t size_of(const uint8_t *record, size_t left)
{
	static const uint8_t sizes[16] = {
		[PTI_KERNEL] = 168, [PTI_DRIVER_API] = 48,    [PTI_OVERHEAD] = 56, [PTI_COPY] = 136,
		[PTI_FILL] = 136,   [PTI_COPY_BETWEEN] = 168, [PTI_SYNC] = 72,	   [7] = 24,
		[12] = 64
	};
	uint32_t kind;

	if (left < sizeof kind)
		return 0;
	memcpy(&kind, record, sizeof kind);
	return kind < sizeof sizes ? sizes[kind] : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* as large as it is, so that a read past its end is seen */
	uint8_t *exact = malloc(size ? size : 1);
	size_t at = 0, step;

	if (!exact)
		abort();
	memcpy(exact, data, size);
	while ((step = size_of(exact + at, size - at))) {
		struct pti_record record;
		bool is_read = pti_read(exact + at, size - at, &record);

		if (is_read && (!pti_layout_of(record.kind) || record.address[PTI_ADDRESS]))
			abort();
		if (size - at < step)
			break;
		at += step;
	}
	free(exact);
	return 0;
}
