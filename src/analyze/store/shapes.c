// SPDX-License-Identifier: Apache-2.0
#include "analyze/store/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* BIN_BITS: room for shapes_bin and 1; PRIME: of FNV. KEPT: inputs whose text is read once for their size. */
enum { BIN_BITS = 9, PRIME = 16777619, KEPT = 256 };

static const uint64_t largest = UINT64_MAX / 16;

/* "1x3x224" from `text` to `end`; 0: a dimension is not known. */
static uint64_t product_of(const char *text, const char *end)
{
	uint64_t product = 1;

	while (text < end) {
		uint64_t dim = 0;

		if (*text < '0' || *text > '9')
			return 0;
		for (; text < end && *text >= '0' && *text <= '9' && dim <= largest; text++)
			dim = dim * 10 + (uint64_t)(*text - '0');
		if (dim > largest || __builtin_mul_overflow(product, dim, &product) || product > largest)
			return 0;
		text += text < end;
	}
	return product;
}

/* "*48" behind a shape: of so many inputs. */
static uint64_t times_of(const char *text, const char *end)
{
	return text < end && *text == '*' ? strtoul(text + 1, NULL, 10) & UINT32_MAX : 1;
}

bool shapes_end(const char *shapes)
{
	return !*shapes || (*shapes == '-' && shapes[1] == '>');
}

size_t shapes_input(const char *shapes)
{
	size_t len = 0;

	while (shapes[len] != ',' && !shapes_end(shapes + len))
		len++;
	return len;
}

bool shapes_next(const char **shapes, uint64_t *elements)
{
	const char *text = *shapes, *end = text + shapes_input(text), *open, *close;

	open = memchr(text, '[', (size_t)(end - text));
	close = open ? memchr(open, ']', (size_t)(end - open)) : NULL;
	if (shapes_end(text) || (open && !close))
		return false;
	*elements = open ? product_of(open + 1, close) : product_of(text, end);
	if (open && (__builtin_mul_overflow(*elements, times_of(close + 1, end), elements) || *elements > largest))
		*elements = 0;
	*shapes = end + (*end == ',');
	return true;
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

static uint32_t with_share(uint32_t shares, uint32_t share)
{
	return (shares ^ share) * PRIME;
}

uint32_t shapes_size(const char *shapes, uint64_t *elements)
{
	uint64_t own[KEPT + 1], all = 0;
	const char *rest = shapes;
	uint32_t shares = 0, n = 0;

	while (n < KEPT && shapes_next(&rest, &own[n]))
		all += own[n++];
	for (shapes = rest; shapes_next(&shapes, &own[KEPT]);)
		all += own[KEPT];
	*elements = all = shapes_end(shapes) ? all : 0;
	if (!all)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		shares = with_share(shares, share_of(own[i], all));
	while (shapes_next(&rest, &own[KEPT]))
		shares = with_share(shares, share_of(own[KEPT], all));
	shares = n == 1 ? 0 : shares ^ shares >> BIN_BITS;
	return shares << BIN_BITS | (shapes_bin(all) + 1);
}

uint32_t shapes_coarse(uint32_t size)
{
	return size & ((1u << BIN_BITS) - 1);
}

uint64_t shapes_times(const char *shapes)
{
	size_t len = shapes_input(shapes);
	const char *close = memrchr(shapes, ']', len), *from = close ? close : shapes;
	const char *times = memchr(from, '*', (size_t)(shapes + len - from));
	uint64_t n = times ? strtoul(times + 1, NULL, 10) & UINT32_MAX : 1;

	return n ? n : 1;
}

int64_t shapes_dimension(const char *shapes, uint32_t axis)
{
	const char *end = shapes + shapes_input(shapes), *open = memchr(shapes, '[', (size_t)(end - shapes));
	const char *at = open ? open + 1 : shapes;
	int64_t length = 0;

	for (; axis; axis--) {
		at = memchr(at, 'x', (size_t)(end - at));
		if (!at)
			return -1;
		at++;
	}
	if (at == end || *at < '0' || *at > '9')
		return -1;
	for (; at < end && *at >= '0' && *at <= '9' && length <= (int64_t)largest; at++)
		length = length * 10 + (*at - '0');
	return length <= (int64_t)largest ? length : -1;
}
