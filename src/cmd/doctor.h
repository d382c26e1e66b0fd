/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What doctor finds out. Every look is harmless: it reads files, loads nothing, runs nothing and writes nothing.
 * sysroot: "" in life; a captured tree in tests.
 */
#ifndef CMD_DOCTOR_H
#define CMD_DOCTOR_H

#include "base/err.h"

#include <stddef.h>

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_LESS,	/* recording works, but shows less or costs more */
	DOCTOR_NO,	/* recording does not work */
	DOCTOR_NOTE,	/* good to know */
};

struct doctor_finding {
	enum doctor_state state;
	char text[400];
	char advice[300];	/* what to do about it; "": nothing */
};

/* doctor_machine.c: the table, ended by a row without a name. */
struct doctor_check {
	const char *name;
	void (*look)(struct doctor_finding *finding, const char *sysroot);
};
extern const struct doctor_check doctor_checks[];

/* doctor_runtime.c */
struct doctor_runtime {
	char *path;	/* of the library, without links */
	char *version;	/* "1.22.0", or NULL: neither file name nor package tells */
	const char *way;	/* "Python", "Node.js", "library" */
};

struct doctor_runtimes {
	struct doctor_runtime *runtime;
	size_t n;
};

/* The copies of ONNX Runtime that programs started here would find. Out of memory: what was found so far. */
void doctor_runtimes_find(struct doctor_runtimes *found, const char *sysroot);
void doctor_runtimes_done(struct doctor_runtimes *found);

struct json;
/* doctor_providers.c: what inftrace model can use, as text or (json not NULL) as the array "model_runtimes". 0, or -errno and err. */
int doctor_providers(struct json *json, struct err *err);

/* The first bytes of a small file, NUL-terminated, without a final line break; "" and -errno when unreadable. */
int doctor_read(const char *sysroot, const char *path, char *buf, size_t size);

#endif
