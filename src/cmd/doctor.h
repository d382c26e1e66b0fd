/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What doctor finds out. Every look is harmless: it reads files and writes nothing; libraries of runtimes are loaded in
 * processes of their own.
 * sysroot: "" in life; a captured tree in tests.
 */
#ifndef CMD_DOCTOR_H
#define CMD_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "model/ort/ort_ask.h"
#include "model/ort/ort_find.h"

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_LESS, /* recording works, but shows less or costs more */
	DOCTOR_NO,   /* recording does not work */
	DOCTOR_NOTE, /* good to know */
};

struct doctor_finding {
	enum doctor_state state;
	char text[400];
	char advice[300]; /* what to do about it; "": nothing */
};

/* doctor_machine.c: the table, ended by a row without a name. */
struct doctor_check {
	const char *name;
	void (*look)(struct doctor_finding *finding, const char *sysroot);
};
extern const struct doctor_check doctor_checks[];
/* The first bytes of a small file, NUL-terminated, without a final line break; "" and -errno when unreadable. */
int doctor_read(const char *sysroot, const char *path, char *buf, size_t size);

/* doctor_kernels.c: of each vendor whose driver is there, by what its kernels would be recorded. */
typedef void (*doctor_kernels_fn)(void *ctx, const char *vendor, const struct doctor_finding *finding);
void doctor_kernels_each(const char *sysroot, doctor_kernels_fn each, void *ctx);

/* doctor_runtime.c */
struct doctor_runtime {
	struct ort_found found; /* version: as it answered, else what its files say */
	struct ort_answer answer;
	bool has_answered;
	char problem[400]; /* why it cannot be loaded by inftrace model, or did not answer; "" nothing */
};

typedef void (*doctor_runtime_fn)(void *ctx, const struct doctor_runtime *runtime);

/*
 * The copies of ONNX Runtime that programs started here would find. is_asked: each is loaded in a process of its own,
 * which may crash or hang: that is its answer, and all together get 20 s. Never one below a sysroot.
 * 0, or -errno and err: what INFTRACE_ORT names is not there, there are too many, out of memory; what was found is told
 * all the same.
 */
int doctor_runtimes_each(const char *sysroot, bool is_asked, doctor_runtime_fn each, void *ctx, struct err *err);

#endif
