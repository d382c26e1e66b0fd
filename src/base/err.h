/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One error, filled where it happens, wrapped with context on the way up, printed only in cmd/. Quiet: never prints,
 * allocates or exits, so the agent may use it, too.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

struct err {
	int code;      /* positive errno value, 0 when nothing failed */
	char msg[400]; /* one line, no newline, fit to show a user */
};

/* All return -code, so a caller can write: return err_set(err, ...); err may be NULL. */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* "what: out of memory"; what: "cannot write the recording". */
int err_no_memory(struct err *err, const char *what);
/* "fmt: old message"; keeps the code. */
int err_wrap(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Replaces control characters by '?': names of files and programs are untrusted, and a terminal would obey them. */
void err_disarm(char *text);

#endif
