// SPDX-License-Identifier: Apache-2.0
/* Numbers and texts as bytes in a buffer, and the buffer into the file. Knows no format but JSON's and CSV's quotes. */
#include "trace/export/text_out.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/text/csv.h"
#include "base/text/utf8.h"

void text_out_init(struct text_out *out, int fd)
{
	out->fd = fd;
	out->code = 0;
	out->n = 0;
	out->n_bytes = 0;
}

static void write_all(struct text_out *out, const char *data, size_t len)
{
	while (len && !out->code) {
		ssize_t n = write(out->fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			out->code = n && errno ? errno : EIO;
			return;
		}
		data += n;
		len -= (size_t)n;
	}
}

int text_out_flush(struct text_out *out, struct err *err)
{
	write_all(out, out->data, out->n);
	out->n = 0;
	return out->code ? err_set(err, out->code, "cannot write the file: %s", strerror(out->code)) : 0;
}

void text_out_long(struct text_out *out, const void *data, size_t len)
{
	write_all(out, out->data, out->n);
	out->n = 0;
	out->n_bytes += len;
	if (len > sizeof out->data / 2) {
		write_all(out, data, len);
		return;
	}
	memcpy(out->data, data, len);
	out->n = len;
}

void text_out_uint(struct text_out *out, uint64_t value)
{
	char digits[20];
	size_t at = sizeof digits;

	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	text_out_put(out, digits + at, sizeof digits - at);
}

void text_out_int(struct text_out *out, int64_t value)
{
	if (value < 0)
		text_out_char(out, '-');
	text_out_uint(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void text_out_real(struct text_out *out, double value)
{
	char text[40];
	int n = isfinite(value) ? snprintf(text, sizeof text, "%.15g", value) : 0;

	text_out_put(out, text, (size_t)n);
}

/* The length of the longest beginning that needs no escape. */
static size_t plain(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at >= ' ' && *at < 0x7f && *at != '"' && *at != '\\')
		at++;
	return (size_t)(at - (const unsigned char *)text);
}

/* One character that is not plain; the bytes of it. */
static size_t put_escaped(struct text_out *out, const char *text)
{
	unsigned char c = (unsigned char)*text;
	char escape[8];
	size_t len, broken = 1;

	if (c < 0x80) {
		if (c == '"' || c == '\\')
			snprintf(escape, sizeof escape, "\\%c", c);
		else
			snprintf(escape, sizeof escape, "\\u%04x", c);
		text_out_text(out, escape);
		return 1;
	}
	len = utf8_char_len(text, strnlen(text, 4), &broken);
	if (len)
		text_out_put(out, text, len);
	else
		text_out_text(out, "\xef\xbf\xbd");
	return len ? len : broken;
}

void text_out_json(struct text_out *out, const char *text)
{
	text_out_char(out, '"');
	while (*text) {
		size_t len = plain(text);

		text_out_put(out, text, len);
		text += len;
		if (*text)
			text += put_escaped(out, text);
	}
	text_out_char(out, '"');
}

/* One character inside of quotes; the bytes of it. */
static size_t put_quoted(struct text_out *out, const char *text)
{
	if ((unsigned char)*text >= 0x80)
		return put_escaped(out, text);
	if (*text == '"')
		text_out_char(out, '"');
	text_out_char(out, *text);
	return 1;
}

void text_out_csv(struct text_out *out, const char *text)
{
	size_t n = strlen(text);
	bool is_quoted = csv_is_quoted(text, n);

	if (is_quoted)
		text_out_char(out, '"');
	if (csv_is_formula(text, n))
		text_out_char(out, '\'');
	while (*text) {
		size_t len = plain(text);

		text_out_put(out, text, len);
		text += len;
		if (*text)
			text += put_quoted(out, text);
	}
	if (is_quoted)
		text_out_char(out, '"');
}
