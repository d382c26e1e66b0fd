// SPDX-License-Identifier: Apache-2.0
#include "analyze/store/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* BIN_BITS: room for shapes_bin and 1; PRIME: of FNV. */
enum { BIN_BITS = 9, PRIME = 16777619 };

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

uint32_t shapes_bin(uint64_t number)
{
	unsigned octave = 63 - (unsigned)__builtin_clzll(number);
	uint64_t quarter = octave >= 2 ? number >> (octave - 2) & 3 : number << (2 - octave) & 3;

	return octave * 4 + (uint32_t)quarter;
}

/* The nearest power of two of which it is a part, from 1; 0: it is empty, or not known. */
static uint32_t share_of(uint64_t own, uint64_t all)
{
	return own ? 1 + (uint32_t)ilogb((double)all / (double)own * M_SQRT2) : 0;
}

uint32_t shapes_size(const char *shapes)
{
	uint64_t all = shapes_elements(shapes), own;
	uint32_t shares = 0, share = 0;

	if (!all)
		return 0;
	while (shapes_next(&shapes, &own)) {
		share = share_of(own, all);
		shares = (shares ^ share) * PRIME;
	}
	shares = share == 1 && shares == PRIME ? 0 : shares ^ shares >> BIN_BITS;
	return shares << BIN_BITS | (shapes_bin(all) + 1);
}

bool shapes_alike(uint32_t size, uint32_t other)
{
	return !((size ^ other) & ((1u << BIN_BITS) - 1));
}
