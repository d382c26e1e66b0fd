// SPDX-License-Identifier: Apache-2.0
/* What a receiver of metrics answers: a body, and a Retry-After header. What is kept is short and clean. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"
#include "fleet/door/door_in.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), why[40];
	int64_t n_rejected;
	double seconds;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	if (otlp_is_partial(data, size, &n_rejected, why, sizeof why) && n_rejected <= 0)
		abort();
	if (strnlen(why, sizeof why) == sizeof why || !utf8_is_valid(why, strlen(why)))
		abort();
	seconds = otlp_retry_after(text, 1000000000);
	if (!isfinite(seconds) || (seconds < 0 && seconds != -1))
		abort();
	free(text);
	return 0;
}
