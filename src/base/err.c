// SPDX-License-Identifier: Apache-2.0
/* Fills and wraps struct err. Does not print. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list args;

	if (code <= 0)
		code = EIO;
	if (!err)
		return -code;
	err->code = code;
	va_start(args, fmt);
	vsnprintf(err->msg, sizeof err->msg, fmt, args);
	va_end(args);
	return -code;
}

int err_no_memory(struct err *err, const char *what)
{
	return err_set(err, ENOMEM, "%s: out of memory", what);
}

int err_wrap(struct err *err, const char *fmt, ...)
{
	char old[sizeof err->msg];
	va_list args;
	int used;

	if (!err)
		return -EIO;
	memcpy(old, err->msg, sizeof old);
	va_start(args, fmt);
	used = vsnprintf(err->msg, sizeof err->msg, fmt, args);
	va_end(args);
	if (used >= 0 && (size_t)used + 3 < sizeof err->msg)
		snprintf(err->msg + used, sizeof err->msg - (size_t)used, ": %.*s",
			 (int)(sizeof err->msg - (size_t)used - 3), old);
	return err->code ? -err->code : -EIO;
}

void err_disarm(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 127)
			*text = '?';
}
