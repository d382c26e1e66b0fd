// SPDX-License-Identifier: Apache-2.0
/*
 * A buffer of CUPTI's records: any bytes, stepped through as a library does that knows their sizes. The rest of each is
 * taken for a name.
 */
#include "capture/agent/cupti/cupti_record.h"

#include <stdlib.h>

#include "capture/decode/kernel_name.h"
#include "fuzz.h"

static size_t size_of(const uint8_t *record, size_t left)
{
	static const uint16_t sizes[CUPTI_KINDS] = { [CUPTI_COPY] = 88,	   [CUPTI_SET] = 88,
						     [CUPTI_DRIVER] = 40,  [CUPTI_RUNTIME] = 40,
						     [CUPTI_KERNEL] = 208, [CUPTI_OVERHEAD] = 48,
						     [CUPTI_GRAPH] = 48,   [61] = 72 };
	uint32_t kind;

	if (left < sizeof kind)
		return 0;
	memcpy(&kind, record, sizeof kind);
	return kind < CUPTI_KINDS ? sizes[kind] : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[512], shown[KERNEL_NAME_MAX];
	size_t at = 0, step;

	while ((step = size_of(data + at, size - at))) {
		struct cupti_record record;
		bool is_read = cupti_read(data + at, size - at, &record);

		if (is_read && (!cupti_layout_of(record.kind) || record.direction > 255 || record.registers > 65535))
			abort();
		if (size - at < step)
			break;
		at += step;
	}
	step = size - at < sizeof name - 1 ? size - at : sizeof name - 1;
	memcpy(name, data + at, step);
	name[step] = 0;
	kernel_name_shorten(name, shown);
	if (strnlen(shown, sizeof shown) == sizeof shown)
		abort();
	return 0;
}
