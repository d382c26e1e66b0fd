// SPDX-License-Identifier: Apache-2.0
#include "analyze/store/shapes.h"

#include <stdlib.h>
#include <string.h>

/* "1x3x224" from `text` to `end`; 0: a dimension is not known. */
static uint64_t product_of(const char *text, const char *end)
{
	uint64_t product = 1;

	while (text < end) {
		char *after;
		uint64_t dim = strtoull(text, &after, 10);

		if (after == text || after > end || (dim && product > UINT64_MAX / 16 / dim))
			return 0;
		product *= dim;
		text = after + (after < end);
	}
	return product;
}

/* "*48" behind a shape: of so many inputs. */
static uint64_t times_of(const char *text, const char *end)
{
	return text < end && *text == '*' ? strtoul(text + 1, NULL, 10) & UINT32_MAX : 1;
}

uint64_t shapes_elements(const char *shapes)
{
	const char *stop = strstr(shapes, "->");
	uint64_t elements = 0;

	stop = stop ? stop : shapes + strlen(shapes);
	while (shapes < stop) {
		const char *comma = memchr(shapes, ',', (size_t)(stop - shapes)), *end = comma ? comma : stop;
		const char *open = memchr(shapes, '[', (size_t)(end - shapes));
		const char *close = open ? memchr(open, ']', (size_t)(end - open)) : NULL;

		if (open && !close)
			return 0;
		elements += open ? product_of(open + 1, close) * times_of(close + 1, end) : product_of(shapes, end);
		shapes = end + (comma != NULL);
	}
	return elements;
}

uint32_t shapes_bin(uint64_t elements)
{
	unsigned octave = 63 - (unsigned)__builtin_clzll(elements);
	uint64_t quarter = octave >= 2 ? elements >> (octave - 2) & 3 : elements << (2 - octave) & 3;

	return octave * 4 + (uint32_t)quarter;
}
