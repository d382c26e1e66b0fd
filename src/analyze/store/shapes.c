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

		if (*text < '0' || *text > '9' || after > end || (dim && product > UINT64_MAX / 16 / dim))
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

bool shapes_next(const char **shapes, uint64_t *elements)
{
	const char *text = *shapes, *stop = strstr(text, "->"), *comma, *end, *open, *close;

	stop = stop ? stop : text + strlen(text);
	comma = memchr(text, ',', (size_t)(stop - text));
	end = comma ? comma : stop;
	open = memchr(text, '[', (size_t)(end - text));
	close = open ? memchr(open, ']', (size_t)(end - open)) : NULL;
	if (text == stop || (open && !close))
		return false;
	*elements = open ? product_of(open + 1, close) * times_of(close + 1, end) : product_of(text, end);
	*shapes = end + (comma != NULL);
	return true;
}

bool shapes_end(const char *shapes)
{
	return !*shapes || !strncmp(shapes, "->", 2);
}

uint64_t shapes_elements(const char *shapes)
{
	uint64_t elements = 0, own;

	while (shapes_next(&shapes, &own))
		elements += own;
	return shapes_end(shapes) ? elements : 0;
}

uint32_t shapes_bin(uint64_t elements)
{
	unsigned octave = 63 - (unsigned)__builtin_clzll(elements);
	uint64_t quarter = octave >= 2 ? elements >> (octave - 2) & 3 : elements << (2 - octave) & 3;

	return octave * 4 + (uint32_t)quarter;
}
