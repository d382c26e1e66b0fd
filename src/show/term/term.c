// SPDX-License-Identifier: Apache-2.0
/* Colours and line breaks. Moves no cursor. */
#include "show/term/term.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text/units.h"

enum { READING_TAKES_LONG = 16 << 20 }; /* bytes */

enum { LEAST_WIDTH = 80, MOST_WIDTH = 110, LONGEST = 1000 };

static bool has_colour(FILE *stream)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(stream)) && !(no_colour && *no_colour) && !(term && !strcmp(term, "dumb"));
}

const char *term_style(FILE *stream, enum term_style style)
{
	static const char *const sequence[] = {
		[TERM_PLAIN] = "\033[0m", [TERM_BOLD] = "\033[1m",   [TERM_DIM] = "\033[2m",
		[TERM_RED] = "\033[31m",  [TERM_GREEN] = "\033[32m", [TERM_YELLOW] = "\033[33m",
	};

	return has_colour(stream) ? sequence[style] : "";
}

void term_say(const char *format, ...)
{
	char text[6144]; /* a path, and what is to be said of it */
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	err_disarm(text);
	/* a line of progress may stand there */
	fprintf(stderr, "%sinftrace: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", text);
}

bool term_reading(const char *path)
{
	char text[PATH_MAX + 64];
	struct stat status;

	if (!isatty(STDERR_FILENO) || stat(path, &status) || !S_ISREG(status.st_mode) ||
	    status.st_size < READING_TAKES_LONG)
		return false;
	snprintf(text, sizeof text, "reading %s (%s) ...", path, units_bytes((double)status.st_size).s);
	err_disarm(text);
	fprintf(stderr, "inftrace: %s", text);
	return true;
}

void term_has_read(bool is_shown)
{
	if (is_shown)
		fputs("\r\033[K", stderr);
}

/* Columns of UTF-8 text: bytes that do not continue a character. */
static int columns(const char *text, size_t len)
{
	int n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

void term_wrap(FILE *stream, const char *text, int indent, int used, int width)
{
	bool at_start = true;

	while (*text) {
		size_t len = strcspn(text, " \n");

		if (!at_start && used + 1 + columns(text, len) > width) {
			fputc('\n', stream);
			used = 0;
			at_start = true;
		}
		if (at_start && used < indent)
			used += fprintf(stream, "%*s", indent - used, "");
		if (!at_start)
			used += fprintf(stream, " ");
		fwrite(text, 1, len, stream);
		used += columns(text, len);
		at_start = false;
		text += len;
		while (*text == ' ')
			text++;
		if (!strncmp(text, "\n\n", 2)) {
			fputs("\n\n", stream);
			text += 2;
			used = 0;
			at_start = true;
		} else if (*text == '\n') {
			text++;
		}
	}
	fputc('\n', stream);
}

int term_page_width(void)
{
	struct winsize size;

	const char *columns_wanted = getenv("COLUMNS");
	int wanted = columns_wanted ? atoi(columns_wanted) : 0;

	if (wanted > 0)
		return wanted < LEAST_WIDTH ? LEAST_WIDTH : wanted > LONGEST ? LONGEST : wanted;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return 0;
	return size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col > MOST_WIDTH ? MOST_WIDTH : size.ws_col;
}

bool term_wants_ascii(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = getenv(variables[i]);

		if (value && *value)
			return !strcasestr(value, "utf-8") && !strcasestr(value, "utf8");
	}
	return false;
}
