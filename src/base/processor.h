/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and numbers that differ by processor. Code that differs is in files of its own: <part>_x86.c and
 * <part>_arm64.c, of which Meson builds one (doc/contributing.md).
 */
#ifndef BASE_PROCESSOR_H
#define BASE_PROCESSOR_H

#include <elf.h>
#include <stdint.h>

#if defined(__x86_64__)
#define PROCESSOR_NAME "x86-64"
#define PROCESSOR_MULTIARCH "x86_64-linux-gnu" /* Debian's name, of folders */
#define PROCESSOR_NODE "x64"		       /* Node's name */
#define PROCESSOR_COUNTER "tsc"		       /* what clock_ticks reads */
#define PROCESSOR_COUNTER_TITLE "time stamp counter"
#define PROCESSOR_CLOCK "invariant time-stamp counter"
#define PROCESSOR_AUDIT AUDIT_ARCH_X86_64 /* of linux/audit.h, for filters of system calls */
#define PROCESSOR_LIBC "GLIBC_2.2.5"	  /* the oldest version of the C library's functions */
enum {
	PROCESSOR_ELF = EM_X86_64,
	PROCESSOR_RELATIVE = R_X86_64_RELATIVE,
	PROCESSOR_WORD = R_X86_64_64,
	PROCESSOR_JUMP_SLOT = R_X86_64_JUMP_SLOT,
	PROCESSOR_GLOB_DAT = R_X86_64_GLOB_DAT,
	PROCESSOR_MAX_PAGE = 4096,
	PROCESSOR_DWARF_FRAME_POINTER = 6, /* numbers of registers in .eh_frame */
	PROCESSOR_DWARF_STACK_POINTER = 7,
	PROCESSOR_THREAD_TID = 720, /* from what pthread_self() gives to the thread's number, in glibc */
};

static inline uint64_t page_size(void)
{
	return 4096;
}
#elif defined(__aarch64__)
#include <sys/auxv.h>

#define PROCESSOR_NAME "aarch64"
#define PROCESSOR_MULTIARCH "aarch64-linux-gnu"
#define PROCESSOR_NODE "arm64"
#define PROCESSOR_COUNTER "cntvct"
#define PROCESSOR_COUNTER_TITLE "virtual counter"
#define PROCESSOR_CLOCK "virtual counter of fixed rate"
#define PROCESSOR_AUDIT AUDIT_ARCH_AARCH64
#define PROCESSOR_LIBC "GLIBC_2.17"
enum {
	PROCESSOR_ELF = EM_AARCH64,
	PROCESSOR_RELATIVE = R_AARCH64_RELATIVE,
	PROCESSOR_WORD = R_AARCH64_ABS64,
	PROCESSOR_JUMP_SLOT = R_AARCH64_JUMP_SLOT,
	PROCESSOR_GLOB_DAT = R_AARCH64_GLOB_DAT,
	PROCESSOR_MAX_PAGE = 65536,
	PROCESSOR_DWARF_FRAME_POINTER = 29,
	PROCESSOR_DWARF_STACK_POINTER = 31,
	PROCESSOR_THREAD_TID = 208,
};

/* A kernel is built for pages of 4, 16 or 64 KiB. */
static inline uint64_t page_size(void)
{
	return getauxval(AT_PAGESZ);
}
#else
#error "inftrace runs on x86-64 and aarch64"
#endif

#endif
