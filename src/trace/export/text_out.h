/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffered output to a file, for exporters that write many small texts. An error is kept: later output is dropped, and
 * text_out_flush reports it. One thread.
 */
#ifndef TRACE_EXPORT_TEXT_OUT_H
#define TRACE_EXPORT_TEXT_OUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

enum { TEXT_OUT_BYTES = 64 << 10 };

struct text_out {
	int fd;	  /* borrowed */
	int code; /* errno of the first failure; 0: none */
	size_t n;
	uint64_t n_bytes; /* given to it so far */
	char data[TEXT_OUT_BYTES];
};

void text_out_init(struct text_out *out, int fd);
/* 0, or -errno and err: the first failure of any output so far. */
int text_out_flush(struct text_out *out, struct err *err);

/* len bytes; too many to fit are written in parts. */
void text_out_long(struct text_out *out, const void *data, size_t len);
static inline void text_out_put(struct text_out *out, const void *data, size_t len)
{
	if (len > sizeof out->data - out->n) {
		text_out_long(out, data, len);
		return;
	}
	memcpy(out->data + out->n, data, len);
	out->n += len;
	out->n_bytes += len;
}

static inline void text_out_char(struct text_out *out, char c)
{
	text_out_put(out, &c, 1);
}

static inline void text_out_text(struct text_out *out, const char *text)
{
	text_out_put(out, text, strlen(text));
}

void text_out_uint(struct text_out *out, uint64_t value);
void text_out_int(struct text_out *out, int64_t value);
void text_out_real(struct text_out *out, double value); /* 15 digits; infinities and NaN: nothing */
/* In quotes, escaped, as UTF-8: bytes that are none become U+FFFD. */
void text_out_json(struct text_out *out, const char *text);
/* A field of CSV, by the rules of base/csv.h. */
void text_out_csv(struct text_out *out, const char *text);

#endif
