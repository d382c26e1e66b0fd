// SPDX-License-Identifier: Apache-2.0
/* A JSON text: any bytes. Tokens lie in the text in order; levels close as often as they open. */
#include "base/text/json_read.h"

#include <stdlib.h>

#include "fuzz.h"

static void require(bool claim)
{
	if (!claim)
		abort();
}

static void require_inside(struct json_span span, const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;

	require(!span.start ||
		(span.start >= text && span.start <= text + size && span.len <= (size_t)(text + size - span.start)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_reader reader;
	enum json_token token;
	const char *before;
	int64_t number;
	char text[100];
	int depth = 0;

	json_read_init(&reader, (const char *)data, size);
	do {
		before = reader.at;
		token = json_read_next(&reader);
		depth += (token == JSON_OBJECT || token == JSON_ARRAY) - (token == JSON_CLOSE);
		require(depth == reader.depth && depth >= 0 && depth <= JSON_READ_DEPTH);
		require(reader.at >= before && (reader.at > before || token == JSON_END || token == JSON_BROKEN));
		require_inside(reader.key, data, size);
		require_inside(reader.value, data, size);
		json_span_text(reader.value, text, sizeof text);
		require(strlen(text) <= reader.value.len);
		if (json_span_int(reader.value, &number) && token == JSON_NUMBER)
			require(reader.value.len >= 1 && reader.value.len < 400000);
	} while (token != JSON_END && token != JSON_BROKEN);
	require(token == JSON_BROKEN || !depth);
	require(json_read_next(&reader) == token);
	return 0;
}
