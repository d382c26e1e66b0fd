/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a process is one into which the agent can come, and what is where in it: its C library's functions, its
 * runtime's word, the files with unused bytes. Looks at /proc and at files; reads no memory of the process.
 */
#ifndef CAPTURE_INJECT_INJECT_TARGET_H
#define CAPTURE_INJECT_INJECT_TARGET_H

#include "capture/inject/inject.h"
#include "capture/inject/inject_file.h"
#include "capture/proc/modules.h"

/* A file of the process that stays for as long as it does. */
struct inject_part {
	const struct module *module; /* NULL: there is none */
	int fd;			     /* -1: not looked into yet */
	struct inject_file file;
};

struct inject_target {
	struct modules modules;
	struct inject_part libc, program, loader;
};

/* Says no to a process of another user, or under a filter. 0, or -errno and err. */
int inject_target_check(const struct inject *inject, bool allows_seccomp, struct err *err);
/*
 * Fills in what inject->head holds of functions and the runtime's word, inject->version and inject->path; says no to a
 * process in which it is not certain that this works. 0, or -errno and err: ENOENT there is no runtime.
 * inject_target_close also after a failure.
 */
int inject_target_look(struct inject_target *target, struct inject *inject, struct err *err);
/* One of the target's parts, looked into when it is first asked for; without gaps where there is none to be used. */
struct inject_part *inject_target_part(struct inject_target *target, struct inject_part *part);
void inject_target_close(struct inject_target *target);

/* Whether the process may not write there. */
bool inject_target_is_readonly(pid_t pid, uint64_t at);
/* Whether both addresses lie in the same piece of code. */
bool inject_target_is_same_code(pid_t pid, uint64_t at, uint64_t other);
/* Whether the process has a thread of this number, as the process itself sees it. */
bool inject_target_has_thread(pid_t pid, pid_t thread);

#endif
