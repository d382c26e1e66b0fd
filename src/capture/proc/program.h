/* SPDX-License-Identifier: Apache-2.0 */
/* What a process is called, how it was called, and whether an agent can live in it: for people. Keeps nothing. */
#ifndef CAPTURE_PROC_PROGRAM_H
#define CAPTURE_PROC_PROGRAM_H

#include <stddef.h>
#include <sys/types.h>

/* The path of its executable, "" where it cannot be known; "(deleted)" is left out. */
void program_executable(const char *sysroot, pid_t pid, char *path, size_t size);

/*
 * The program's name, "" where nothing is known. comm (what the kernel calls the process; 15 bytes, and
 * anything a program may set) is completed from the command line or the executable where it is the
 * beginning of one of their names (python3, run-everything.sh); where it is not, the executable names it.
 */
void program_name(const char *sysroot, pid_t pid, const char *comm, char *name, size_t size);

/* The arguments, joined by blanks; control characters become blanks, and what does not fit "...". */
void program_command(const char *sysroot, pid_t pid, char *command, size_t size);

/* Why the agent cannot be loaded into the program in this open file; "" when nothing in the file speaks against it. */
const char *program_refusal(int fd);

#endif
