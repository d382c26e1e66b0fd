// SPDX-License-Identifier: Apache-2.0
/* Finds and replaces bytes that are not UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF). */
#include "base/text/utf8.h"

#include <string.h>

size_t utf8_char_len(const char *text_, size_t len, size_t *broken)
{
	const uint8_t *text = (const uint8_t *)text_;
	uint8_t first = text[0], low = 0x80, high = 0xbf;
	size_t need;

	*broken = 1;
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	need = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	if (first == 0xe0)
		low = 0xa0;
	else if (first == 0xed)
		high = 0x9f;
	else if (first == 0xf0)
		low = 0x90;
	else if (first == 0xf4)
		high = 0x8f;
	for (size_t i = 1; i < need; i++) {
		if (i == len || text[i] < low || text[i] > high)
			return 0;
		*broken = i + 1;
		low = 0x80;
		high = 0xbf;
	}
	return need;
}

bool utf8_is_valid(const char *text, size_t len)
{
	for (size_t i = 0, n, broken; i < len; i += n)
		if (!(n = utf8_char_len(text + i, len - i, &broken)))
			return false;
	return true;
}

uint32_t utf8_decode(const char *text_)
{
	const uint8_t *text = (const uint8_t *)text_;

	if (text[0] < 0x80)
		return text[0];
	if (text[0] < 0xe0)
		return (text[0] & 0x1fu) << 6 | (text[1] & 0x3fu);
	if (text[0] < 0xf0)
		return (text[0] & 0x0fu) << 12 | (text[1] & 0x3fu) << 6 | (text[2] & 0x3fu);
	return (text[0] & 0x07u) << 18 | (text[1] & 0x3fu) << 12 | (text[2] & 0x3fu) << 6 | (text[3] & 0x3fu);
}

size_t utf8_encode(char *to, uint32_t number)
{
	const size_t len = number < 0x80 ? 1 : number < 0x800 ? 2 : number < 0x10000 ? 3 : 4;
	static const uint8_t first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	if (number > 0x10ffff || (number >= 0xd800 && number < 0xe000))
		return 0;
	for (size_t i = len; i-- > 1; number >>= 6)
		to[i] = (char)(0x80 | (number & 0x3f));
	to[0] = (char)(first[len] | number);
	return len;
}

size_t utf8_clean(char *to, const char *text, size_t len)
{
	char *start = to;

	for (size_t i = 0, n, broken; i < len;) {
		n = utf8_char_len(text + i, len - i, &broken);
		if (n) {
			memcpy(to, text + i, n);
			to += n;
			i += n;
		} else {
			memcpy(to, "\xef\xbf\xbd", 3);
			to += 3;
			i += broken;
		}
	}
	return (size_t)(to - start);
}
