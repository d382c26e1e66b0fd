/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a process is one that was asked for by name or path. Reads /proc; what cannot be read does not fit. */
#ifndef CAPTURE_RECORDER_ATTACH_FIT_H
#define CAPTURE_RECORDER_ATTACH_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * One of both is given, or none: then everything fits. A program has the name of what the kernel calls it, of its
 * executable, of the first word of its command line and, where that is an interpreter, of the script that it runs; its
 * path is that of the executable or of the script, here or as the process sees it.
 */
struct attach_wish {
	const char *name, *path;
};

bool attach_fit(const struct attach_wish *wish, pid_t pid);

/* All names of a process: of its script, executable and first word, and the kernel's. "": it has none of that kind. */
enum { ATTACH_NAMES = 4 };
struct attach_names {
	char name[ATTACH_NAMES][256];
};
void attach_fit_names(pid_t pid, struct attach_names *names);

/* The path by which this program would be found when it is started again, as the process sees it; "" it is not known.
 */
void attach_fit_path(pid_t pid, char *path, size_t size);

/*
 * The script in the command line of an interpreter: words of `len` bytes in all that end in NUL each, as in
 * /proc/PID/cmdline; a last word that was cut off is no word. NULL: it runs none.
 */
const char *attach_fit_script(const char *words, size_t len);

#endif
