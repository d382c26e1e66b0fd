// SPDX-License-Identifier: Apache-2.0
/* A format file of a trace event, a zero, and an event's bytes: any bytes. */
#include <stdlib.h>
#include <string.h>

#include "capture/source/device/gpu_jobs.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *zero = memchr(data, 0, size);
	size_t len = zero ? (size_t)(zero - data) : size, left = zero ? size - len - 1 : 0;
	/* as large as they are, so that a read past an end is seen */
	char *text = malloc(len + 1);
	uint8_t *raw = malloc(left ? left : 1);
	struct gpu_job_format format;
	struct gpu_job_event event;

	if (!text || !raw)
		abort();
	memcpy(text, data, len);
	text[len] = 0;
	if (left)
		memcpy(raw, zero + 1, left);
	if (gpu_job_read_format(text, &format) && gpu_job_read(&format, raw, left, &event))
		if (strnlen(event.ring, sizeof event.ring) == sizeof event.ring ||
		    strnlen(event.device, sizeof event.device) == sizeof event.device)
			abort();
	free(text);
	free(raw);
	return 0;
}
