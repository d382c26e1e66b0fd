/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of an injection. */
#ifndef CAPTURE_INJECT_INJECT_IN_H
#define CAPTURE_INJECT_INJECT_IN_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/inject/inject.h"
#include "capture/proc/modules.h"
#include "event/ferry.h"
#include "runtime/find/image_file.h"

/*
 * What the injector needs to know of a module's file: functions by name, the word to replace, unused bytes at the ends
 * of segments. Addresses are those in the process. Nothing is executed; the file is input.
 */
enum inject_symbol {
	INJECT_PTHREAD_CREATE,
	INJECT_DLOPEN,
	INJECT_DLSYM,
	INJECT_DLERROR,
	INJECT_ERRNO,
	INJECT_ATFORK,
	INJECT_PTHREAD_DETACH,
	INJECT_KEY_CREATE,
	INJECT_SETSPECIFIC,
	N_INJECT_SYMBOLS
};
extern const char *const inject_symbols[N_INJECT_SYMBOLS];

enum { INJECT_GAPS = 8 };

/* From the end of a segment to the end of its last page: nobody uses that, but for loaders on their own data. */
struct inject_gap {
	uint64_t address, size;
	uint64_t offset; /* of code: what the page holds there in the file */
	bool is_code;	 /* else writable data, zero unless used */
};

struct inject_file {
	uint64_t map_start, map_offset;	   /* in: a mapping of the file in the process */
	uint64_t symbol[N_INJECT_SYMBOLS]; /* 0: not exported */
	uint64_t slot, original;	   /* a runtime: the word to replace, and what it holds; 0, 0: none */
	uint64_t unbound;		   /* what it may hold instead, until its first call; 0: nothing */
	char other[48];			   /* the runtime that is linked into it and not recorded; "": none */
	char version[32];		   /* of the runtime */
	struct inject_gap gap[INJECT_GAPS];
	uint32_t n_gaps;
};

/*
 * For file_look_at (capture/proc/file_look.h). A file without a runtime is no error; one that is not understood is:
 * ENOTSUP.
 */
int inject_file_look(const struct image_file *file, void *result, struct err *err);
/* What came from another process keeps to its bounds. */
bool inject_file_is_sound(const struct inject_file *file);

/*
 * Whether a process is one into which the agent can come, and what is where in it: its C library's functions, its
 * runtime's word, the files with unused bytes. Looks at /proc and at files; reads no memory of the process.
 */
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

/* Bytes of the process that nobody uses, for the code and its state; or those that an earlier injector left there. */
/*
 * Fills in inject->at, is_new and head.state; the rest of the head is filled in already. 0, or -ENOSPC and err. Nothing
 * is written.
 */
int inject_place_find(struct inject *inject, struct inject_target *target, struct err *err);
/* Whether a head of ours lies at this address; it may be of another version. */
bool inject_place_has_head(const struct inject *inject, uint64_t at, struct ferry_head *head);

/* A private folder that we and the target both see, whatever it calls its root. */
/*
 * Makes the folder, its lifeline, and where the target does not see our files a copy of the agent; fills in head.dir
 * and head.agent.
 */
int inject_dir_make(struct inject *inject, const char *agent, struct err *err);
void inject_dir_remove(struct inject *inject);
/* Whether somebody records into the folder that this head names. */
bool inject_dir_is_in_use(const struct inject *inject, const struct ferry_head *head);

/* The memory of the process into which the agent comes, through inject->memory. Addresses are the process's. */
/* 0, or -errno and err: it may be touched by nobody, or not by us. */
int inject_memory_open(struct inject *inject, struct err *err);
/* False: there is no such memory, or no such process any more. */
bool inject_memory_get(const struct inject *inject, uint64_t at, void *to, size_t size);
/* The same where it must be there: 0, or -errno and err; ESRCH: the process has ended. */
int inject_memory_read(const struct inject *inject, uint64_t at, void *to, size_t size, struct err *err);
int inject_memory_write(const struct inject *inject, uint64_t at, const void *from, size_t size, struct err *err);
/* Aligned words are written whole. */
int inject_memory_write_word(const struct inject *inject, uint64_t at, uint64_t word, struct err *err);

/* The bytes that are written into a target: a filled head and the code behind it (ferry_x86.S, ferry_arm64.S). */
/* Bytes of head and code, a multiple of 64. */
size_t inject_code_size(void);
/* Writes them to `to`. */
void inject_code_make(void *to, const struct ferry_head *head);
/* What the slot is to hold, seen from the head's address. */
uint64_t inject_code_trigger(uint64_t head, uint32_t slot);
bool inject_code_is_trigger(uint64_t head, uint64_t address);

#endif
