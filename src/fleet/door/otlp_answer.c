// SPDX-License-Identifier: Apache-2.0
/* Answers of receivers, which may be anything. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/pb.h"
#include "fleet/door/door_in.h"

enum { RESPONSE_PARTIAL = 1, PARTIAL_REJECTED = 1, PARTIAL_MESSAGE };

bool otlp_is_partial(const void *answer, size_t size, int64_t *n_rejected, char *why, size_t why_size)
{
	struct pb_in in = pb_in(answer, size), inside;
	struct pb_field field;

	*n_rejected = 0;
	*why = 0;
	while (pb_next(&in, &field) > 0) {
		if (field.number != RESPONSE_PARTIAL || field.wire != PB_BYTES)
			continue;
		inside = pb_inside(&field);
		while (pb_next(&inside, &field) > 0) {
			if (field.number == PARTIAL_REJECTED && field.wire == PB_VARINT)
				*n_rejected = (int64_t)field.value;
			if (field.number == PARTIAL_MESSAGE && field.wire == PB_BYTES)
				origin_copy(why, why_size, (const char *)field.data, (size_t)field.value);
		}
	}
	return *n_rejected > 0;
}

double otlp_retry_after(const char *text, int64_t now_s)
{
	struct tm tm = { 0 };
	const char *end;
	char *behind;
	double seconds;

	while (*text == ' ' || *text == '\t')
		text++;
	if (*text >= '0' && *text <= '9') {
		seconds = strtod(text, &behind);
		return behind[strspn(behind, " \t\r\n")] || !isfinite(seconds) ? -1 : seconds;
	}
	end = strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &tm);
	if (!end || end[strspn(end, " \t\r\n")])
		return -1;
	seconds = (double)(timegm(&tm) - (time_t)now_s);
	return seconds > 0 ? seconds : 0;
}
