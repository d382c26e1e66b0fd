// SPDX-License-Identifier: Apache-2.0
/* Formats texts for the callback. Prints nothing. */
#include "capture/recorder/say.h"

#include <stdarg.h>
#include <stdio.h>

enum { TEXT = 6144 }; /* a path, and what is to be said of it */

__attribute__((format(printf, 3, 0))) static void say_text(const struct say *say, enum say_severity severity,
							   const char *format, va_list args)
{
	char text[TEXT];

	if (!say->text)
		return;
	vsnprintf(text, sizeof text, format, args);
	say->text(say->ctx, severity, text);
}

void say_info(const struct say *say, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_text(say, SAY_INFO, format, args);
	va_end(args);
}

void say_warning(const struct say *say, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_text(say, SAY_WARNING, format, args);
	va_end(args);
}

void say_progress(const struct say *say, const struct say_progress *progress)
{
	if (say->progress)
		say->progress(say->ctx, progress);
}
