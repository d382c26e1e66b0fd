/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the texts of /proc below a sysroot, and parses numbers in them. Texts are input: bounded, never trusted, need
 * not end in NUL. A value that is absent or not a number is reported as missing. No state except a kept descriptor; any
 * thread.
 */
#ifndef CAPTURE_PROC_PROC_H
#define CAPTURE_PROC_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* /proc/PID/stat. Ticks are of sysconf(_SC_CLK_TCK). */
struct proc_stat {
	char name[64];	/* comm; may hold any byte but NUL */
	char state;	/* 'R', 'S', ... 'Z' */
	bool is_forked; /* it has not called exec so far */
	bool is_kernel; /* a kernel thread, not a program */
	bool is_ending; /* it has begun to exit: cgroups of version 1 have let go of it */
	pid_t parent;
	uint64_t minor_faults, major_faults;
	uint64_t cpu_ticks; /* user and system, including guest time */
	uint64_t n_threads;
	uint64_t start_ticks; /* since boot */
};

/* The first line of /proc/stat. */
enum proc_cpu_field {
	CPU_USER,
	CPU_NICE,
	CPU_SYSTEM,
	CPU_IDLE,
	CPU_IOWAIT,
	CPU_IRQ,
	CPU_SOFTIRQ,
	CPU_STEAL,
	N_CPU_FIELDS
};

struct proc_cpu {
	uint64_t ticks[N_CPU_FIELDS];
};

/* A file that may stay open between reads. Zeroed: closed. */
struct proc_file {
	int slot; /* descriptor + 1 */
};

/* The most processes whose files are kept open; a bigger tree is read by open, read, close. */
enum { PROC_KEPT = 128 };

/* Bytes read (at most size), or -errno; -ESRCH when the process is gone. pid 0: "<sysroot>/proc/<name>". */
ssize_t proc_read(const char *sysroot, pid_t pid, const char *name, void *buf, size_t size);
/*
 * The same through a descriptor that is opened at first use and kept. It belongs to the process it was opened for, even
 * if the pid is reused.
 */
ssize_t proc_file_read(struct proc_file *file, const char *sysroot, pid_t pid, const char *name, void *buf,
		       size_t size);
void proc_file_close(struct proc_file *file);

/*
 * The process itself; if its first thread has ended (pthread_exit), another one, because what /proc says of the memory
 * and the files of a process is that thread's. A thread's number may be used like a PID below /proc.
 */
pid_t proc_living(const char *sysroot, pid_t pid);

/* Nanoseconds, of a thread's schedstat. */
struct proc_sched {
	uint64_t ran_ns, waited_ns; /* on a CPU; for one */
};

/* false, and *out is unchanged: the thread is gone, or this kernel does not count it. */
bool proc_thread_sched(const char *sysroot, pid_t pid, pid_t tid, struct proc_sched *out);

/* All return false, and leave *out unchanged, when the text has another form. */
bool proc_stat_parse(const char *text, size_t len, struct proc_stat *out);
bool proc_cpu_parse(const char *text, size_t len, struct proc_cpu *out);
/* The nth (from 0) number in a list separated by blanks, as in statm. */
bool proc_number(const char *text, size_t len, unsigned nth, uint64_t *out);
/* The total microseconds for which some task waited, from a file of /proc/pressure. */
bool proc_pressure(const char *text, size_t len, uint64_t *out);
/* The number on the line that begins with "<key>:", as in status, meminfo, smaps_rollup. */
bool proc_field(const char *text, size_t len, const char *key, uint64_t *out);

/* Whether it has ended and only its exit status is left. */
static inline bool proc_is_zombie(const struct proc_stat *stat)
{
	return (stat->state == 'Z' || stat->state == 'X') && stat->n_threads <= 1;
}

/* Whether pids in "<sysroot>/proc" are valid for system calls: not in a captured tree, nor in another namespace's. */
bool proc_is_ours(const char *sysroot);

/* Ticks as nanoseconds; UINT64_MAX when it does not fit. */
uint64_t proc_ticks_ns(uint64_t ticks);

#endif
