/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of machine code that processes have mapped, and what is known of addresses in them. Two children read the files
 * (capture/code/code_reader.h): one goes from function to caller, which is waited for; one finds functions and lines,
 * which may take long, and is not.
 */
#ifndef CAPTURE_STACKS_STACK_IMAGE_H
#define CAPTURE_STACKS_STACK_IMAGE_H

#include <sys/types.h>

#include "base/array.h"
#include "base/index.h"
#include "capture/code/code_reader.h"
#include "capture/proc/modules.h"
#include "event/callstack.h"
#include "event/names.h"

/*
 * Functions of code that a program makes while it runs, by the file that its runtime keeps for profilers:
 * /tmp/perf-PID.map, as Node.js writes it with --perf-basic-prof, Java by `jcmd PID Compiler.perfmap`, .NET with
 * DOTNET_PerfMapEnabled. Only reads; without the file there are no names.
 */
/* Of one process. Zeroed: not read. */
struct stack_jit {
	pid_t pid;
	int inner_pid;	   /* as its namespace counts it; 0: not known yet */
	int64_t taken;	   /* bytes of the file */
	uint64_t tried_ns; /* when it was opened, */
	unsigned n_failed; /* and how often it was not there */
	struct array map;  /* private */
	struct array text;
};

/* The function at an address of the process; false: not known. Reads what the file has more than before. */
bool stack_jit_find(struct stack_jit *jit, uint64_t address, struct code_place *place);
void stack_jit_done(struct stack_jit *jit);

/* In the sampler's own dictionary: an address whose place is not known yet; offset: number of its struct stack_code. */
enum { FRAME_CODE = 0x100 };

struct stack_image {
	uint32_t major, minor;
	uint64_t inode;
	uint32_t path;	 /* text */
	bool is_libc;	 /* of the C or C++ library, or the loader: what programs call to wait */
	bool is_agent;	 /* a guest: its frames are no part of the program */
	bool is_sent[2]; /* to the children, by enum code_kind */
	bool is_bad;	 /* a child ended by it */
	pid_t pid;	 /* of a process that has it mapped, at module */
	struct module module;
	struct stack_jit *jit; /* it is no file, but what a process makes: offsets are addresses. NULL: a file */
};

/* An address in an image, and its place. */
struct stack_code {
	uint32_t image; /* 0: in no file */
	uint64_t offset;
	bool is_answered;
	uint32_t begin, n; /* of stack_images.frame, innermost first */
};

/* Zeroed: none. */
struct stack_images {
	struct array image, code, frame; /* struct stack_image, struct stack_code; uint32_t, frames of names */
	struct code_reader reader[2];	 /* by enum code_kind */
	struct stack_rule *rule;	 /* private: a table */
	struct index index;		 /* private: of code, by its number + 1 */
	uint32_t n_asked, n_answered;	 /* of code, in order */
	uint64_t asked_ns, asked_cpu_ns; /* when the oldest of those was asked; its child's CPU time then */
	bool is_ending;			 /* names may take CPU time */
};

/* The number of a module, from 1; 0: out of memory. */
uint32_t stack_image_of(struct stack_images *images, struct names *names, pid_t pid, const struct module *module);
/* What this process makes while it runs; 0: out of memory. */
uint32_t stack_image_made(struct stack_images *images, struct names *names, pid_t pid);
const struct stack_image *stack_image_at(const struct stack_images *images, uint32_t image);
/* NULL: not known. Valid until the next call. */
const struct code_rule *stack_image_rule(struct stack_images *images, uint32_t image, uint64_t offset);
/* The frame of an address, in the dictionary of names; its place comes later. 0: out of memory. */
uint32_t stack_image_frame(struct stack_images *images, struct names *names, uint32_t image, uint64_t offset);
/* Asks for places and takes answers, as far as that goes without waiting. */
void stack_images_work(struct stack_images *images, struct names *names, uint64_t now_ns);
/* Waits for all places; what is not known by then is left without. */
void stack_images_finish(struct stack_images *images, struct names *names);
static inline const struct stack_code *stack_image_code(const struct stack_images *images, uint64_t number)
{
	return number < images->code.n ? (const struct stack_code *)images->code.data + number : NULL;
}
void stack_images_done(struct stack_images *images);

/* Where a process has machine code: its executable mappings, of files and others. */
struct stack_map {
	uint64_t start, end, offset;
	uint32_t image; /* 0: of no file */
};

/* Of one process, by address. Zeroed: not read. */
struct stack_maps {
	struct array map; /* struct stack_map */
	uint64_t read_ns;
	uint32_t n_interpreters; /* of them, by their names */
};

/* NULL: no code is there. Reads the mappings again if the address is in none, at most once in a while. */
const struct stack_map *stack_maps_find(struct stack_maps *maps, uint64_t address, struct stack_images *images,
					struct names *names, pid_t pid);
void stack_maps_done(struct stack_maps *maps);

#endif
