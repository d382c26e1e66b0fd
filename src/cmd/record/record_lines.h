/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --progress FILE: how far a recording is, as lines of JSON for another program, about twice a second. Writes to a file
 * or a pipe of its own, because the recorded program may have standard output and standard error.
 */
#ifndef CMD_RECORD_LINES_H
#define CMD_RECORD_LINES_H

#include <stdio.h>

#include "base/err.h"
#include "capture/recorder/say.h"

struct record_lines {
	FILE *to;						      /* NULL: nobody wants lines */
	const char *const *recording;				      /* the path of its file */
	void (*next)(void *ctx, const struct say_progress *progress); /* who else wants to know, or NULL */
};

/* path NULL: none. 0, or -errno and err. */
int record_lines_open(struct record_lines *lines, const char *path, const char *const *recording, struct err *err);
/* Puts the lines before what `say` does with progress. */
void record_lines_join(struct record_lines *lines, struct say *say);
void record_lines_close(struct record_lines *lines);

#endif
