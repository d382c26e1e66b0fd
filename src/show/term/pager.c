// SPDX-License-Identifier: Apache-2.0
/* The page is made in memory first, since its length decides. Reads no key and moves no cursor: the pager does. */
#include "show/term/pager.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_FOUND = 127 };

FILE *pager_open(struct pager *pager)
{
	*pager = (struct pager){ 0 };
	if (isatty(STDOUT_FILENO))
		pager->memory = open_memstream(&pager->text, &pager->size);
	return pager->memory ? pager->memory : stdout;
}

static bool is_long(const struct pager *pager)
{
	struct winsize window;
	size_t n = 0;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) || !window.ws_row)
		return false;
	for (size_t i = 0; i < pager->size; i++)
		n += pager->text[i] == '\n';
	return n >= window.ws_row;
}

/* False: it could not be started, and has shown nothing. */
static bool show(const struct pager *pager)
{
	const char *command = getenv("PAGER");
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	FILE *pipe;
	int status;

	command = command ? command : "less";
	if (!*command || !strcmp(command, "cat"))
		return false;
	setenv("LESS", "FRX", 0);
	fflush(stdout);
	pipe = popen(command, "we");
	if (!pipe)
		return false;
	/* who leaves the pager early has seen enough */
	sigaction(SIGPIPE, &ignore, &before);
	fwrite(pager->text, 1, pager->size, pipe);
	status = pclose(pipe);
	sigaction(SIGPIPE, &before, NULL);
	return !(WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND);
}

void pager_close(struct pager *pager, bool is_wanted)
{
	if (!pager->memory)
		return;
	fclose(pager->memory);
	if (pager->text && !(is_wanted && is_long(pager) && show(pager)))
		fwrite(pager->text, 1, pager->size, stdout);
	free(pager->text);
}
