/* SPDX-License-Identifier: Apache-2.0 */
/* A process's name and command line, and whether an agent can be loaded into it: for people. Keeps no state. */
#ifndef CAPTURE_PROC_PROGRAM_H
#define CAPTURE_PROC_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The path of its executable without "(deleted)"; "": unknown. */
void program_executable(const char *sysroot, pid_t pid, char *path, size_t size);

/*
 * The program's name, "": unknown. comm (the kernel's name of the process: 15 bytes, which a program may set to
 * anything) is completed from the command line or the executable if one of their names begins with it (python3,
 * run-everything.sh); otherwise the executable's name is used.
 */
void program_name(const char *sysroot, pid_t pid, const char *comm, char *name, size_t size);

/* The arguments, joined by blanks; control characters become blanks, and an end that does not fit "...". */
void program_command(const char *sysroot, pid_t pid, char *command, size_t size);

/* Why the agent cannot be loaded into the program in this open file; "" when the file shows no reason. */
const char *program_refusal(int fd);

/* The emulator that runs a program of another processor in this process, by its file's name. False: none. */
bool program_emulator(const char *sysroot, pid_t pid, char *name, size_t size);

#endif
