// SPDX-License-Identifier: Apache-2.0
/* A trace file: any bytes. */
#include "fuzz.h"

#include "check_sink.h"
#include "trace/perfetto_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfetto_read_result result;
	struct check_sink check;
	struct err err;

	check_sink_init(&check);
	perfetto_read(data, size, &check.sink, &result, &err);
	check_sink_done(&check);
	return 0;
}
