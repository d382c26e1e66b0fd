// SPDX-License-Identifier: Apache-2.0
/* Whether the terminal can show a page, before it is touched. Apart from screen_curses.c: term.h takes common words. */
#include "show/top/screen_check.h"

#include <curses.h>
#include <errno.h>
#include <stdlib.h>
#include <term.h>
#include <unistd.h>

static bool has(const char *capability)
{
	const char *text = tigetstr(capability);

	return text && text != (const char *)-1;
}

int screen_check(struct err *err)
{
	const char *term = getenv("TERM");
	int status;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, ENOTTY,
			       "cannot show the page: standard input and output must be a terminal; try plain "
			       "lines: inftrace top --plain");
	if (!term || !*term)
		return err_set(err, ENOTTY,
			       "cannot show the page: TERM is not set, so the kind of terminal is not known; try "
			       "TERM=xterm, or plain lines: inftrace top | cat");
	if (setupterm(NULL, STDOUT_FILENO, &status) != OK)
		return err_set(
		    err, ENOTTY,
		    "cannot show the page: the terminal '%.40s' (TERM) is not known here; try TERM=xterm, or "
		    "plain lines: inftrace top | cat",
		    term);
	if (!has("cup") || !has("clear"))
		return err_set(err, ENOTTY,
			       "cannot show the page: the terminal '%.40s' (TERM) cannot move its cursor; try plain "
			       "lines: inftrace top | cat",
			       term);
	return 0;
}
