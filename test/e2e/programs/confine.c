/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine LIBRARY MODEL SHAPE OUT_LEN WAY LIST WHEN THREADS RUNS: makes RUNS runs, confines itself, and makes RUNS runs
 * more. A system call that LIST does not name kills it then.
 *
 * WAY   prctl; syscall (SYS_seccomp); tsync (the same for all threads); libseccomp (by libseccomp.so.2);
 *       libc (prctl, looked up in the C library alone);
 *       thread (prctl, in a thread of its own that makes the runs);
 *       raw (by an instruction of its own; goes on when standard input ends);
 *       child, vfork (a child confines itself and starts another one of these, which does not);
 *       twice (prctl, after a filter that only kills for getpid); strict; counter (PR_SET_TSC); none
 * LIST  service (about what systemd's @system-service allows);
 *       tight (what the C library needs for threads and memory);
 *       alone (what a program without threads needs);
 *       still (no memory either);
 *       refused (tight, but by EPERM)
 * WHEN  late (after RUNS runs); loaded (before the first run); early (before the runtime is loaded);
 *       fork (late, and a child makes runs, too);
 *       start (late, and a shell starts another one of these);
 *       asked (a thread makes runs until standard input ends; the program confines itself after a line there)
 *
 * THREADS make runs at the same time; 0: the first thread alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ort.h"

#define ALONE \
	SYS_read, SYS_write, SYS_clock_gettime, SYS_exit, SYS_exit_group, SYS_rt_sigreturn, SYS_mmap, SYS_munmap, \
	    SYS_brk, SYS_madvise
#define TIGHT \
	ALONE, SYS_futex, SYS_mprotect, SYS_clone, 435, SYS_set_robust_list, 334, SYS_rt_sigprocmask, SYS_sched_yield, \
	    SYS_fork, SYS_wait4, SYS_getrandom
#define SERVICE \
	TIGHT, SYS_openat, SYS_open, SYS_close, SYS_fstat, SYS_newfstatat, SYS_lseek, SYS_pread64, SYS_gettid, \
	    SYS_getpid, SYS_nanosleep, SYS_clock_nanosleep, SYS_getrusage, SYS_mremap, SYS_ftruncate, SYS_rename, \
	    SYS_renameat, SYS_unlink, SYS_unlinkat, SYS_prlimit64, SYS_prctl, SYS_access, SYS_faccessat, SYS_readlink, \
	    SYS_readlinkat, SYS_getcwd, SYS_ioctl, SYS_sched_getaffinity, SYS_getdents64, SYS_uname, SYS_sysinfo, \
	    SYS_tgkill, SYS_rt_sigaction, SYS_poll, SYS_execve, SYS_arch_prctl, SYS_set_tid_address, SYS_fcntl, \
	    SYS_statfs, SYS_getuid, SYS_sched_setaffinity, SYS_fallocate, SYS_stat, SYS_lstat, SYS_epoll_create1, \
	    SYS_pipe2, SYS_statx, SYS_getppid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_vfork, SYS_dup2, SYS_dup

static const struct {
	const char *name;
	int n, calls[96];
} lists[] = {
#define LIST(name, ...) \
	{ \
		name, sizeof((int[]){ __VA_ARGS__ }) / sizeof(int), \
		{ \
			__VA_ARGS__ \
		} \
	}
	LIST("service", SERVICE),
	LIST("tight", TIGHT),
	LIST("alone", ALONE),
	LIST("still", SYS_read, SYS_write, SYS_futex, SYS_clock_gettime, SYS_exit, SYS_exit_group),
	LIST("refused", TIGHT),
};

static struct sock_filter code[128];
static struct sock_fprog program = { 0, code };
static const int *allowed;
static int n_allowed;
static long n_runs;
static struct ort ort;
static struct model model;
static pthread_barrier_t barrier;

static void must(int is_so, const char *what)
{
	if (!is_so)
		die(what, strerror(errno));
}

static void add(uint16_t op, uint8_t yes, uint8_t no, uint32_t k)
{
	code[program.len++] = (struct sock_filter){ op, yes, no, k };
}

static void choose(const char *list)
{
	unsigned i = 0;

	while (strcmp(lists[i].name, list))
		must(++i < sizeof lists / sizeof *lists, "list");
	allowed = lists[i].calls;
	n_allowed = lists[i].n;
	add(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
	for (int k = 0; k < n_allowed; k++)
		add(BPF_JMP | BPF_JEQ | BPF_K, (uint8_t)(n_allowed - k), 0, (uint32_t)allowed[k]);
	add(BPF_RET | BPF_K, 0, 0, strcmp(list, "refused") ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM);
	add(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
}

static void by_libseccomp(void)
{
	void *library = dlopen("libseccomp.so.2", RTLD_NOW);
	void *(*init)(uint32_t);
	int (*rule)(void *, uint32_t, int, unsigned), (*load)(void *);
	void *context;

	must(library != NULL, "libseccomp.so.2");
	*(void **)&init = dlsym(library, "seccomp_init");
	*(void **)&rule = dlsym(library, "seccomp_rule_add");
	*(void **)&load = dlsym(library, "seccomp_load");
	context = init(SECCOMP_RET_KILL_PROCESS);
	for (int i = 0; i < n_allowed; i++)
		rule(context, SECCOMP_RET_ALLOW, allowed[i], 0);
	must(!load(context), "seccomp_load");
}

static void by_instruction(void)
{
	long result = SYS_seccomp;
	char byte;

	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"(SECCOMP_SET_MODE_FILTER), "S"(0), "d"(&program)
			 : "rcx", "r11", "memory");
	must(!result, "raw");
	must(!read(STDIN_FILENO, &byte, 1), "standard input");
}

static void in_a_child(char **argv, int is_shared)
{
	int status;
	pid_t child = is_shared ? vfork() : fork();

	if (!child) {
		if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
			_exit(1);
		execl(argv[0], argv[0], argv[1], argv[2], argv[3], argv[4], "none", argv[6], "loaded", "0", argv[9],
		      NULL);
		_exit(2);
	}
	must(waitpid(child, &status, 0) == child, "waitpid");
	printf("child %x\n", status);
	fflush(stdout);
}

static void forbid_getpid(void)
{
	struct sock_filter lines[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
				       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpid, 0, 1),
				       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
				       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog first = { 4, lines };

	must(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &first), "first");
}

static void confine(const char *way, char **argv)
{
	int (*found)(int, ...) = NULL;

	must(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges");
	if (!strcmp(way, "twice"))
		forbid_getpid();
	if (!strcmp(way, "prctl") || !strcmp(way, "thread") || !strcmp(way, "twice"))
		must(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), way);
	else if (!strcmp(way, "syscall"))
		must(!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program), way);
	else if (!strcmp(way, "tsync"))
		must(!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program), way);
	else if (!strcmp(way, "raw"))
		by_instruction();
	else if (!strcmp(way, "libseccomp"))
		by_libseccomp();
	else if (!strcmp(way, "strict"))
		must(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT), way);
	else if (!strcmp(way, "counter"))
		must(!prctl(PR_SET_TSC, PR_TSC_SIGSEGV), way);
	else if (!strcmp(way, "child") || !strcmp(way, "vfork"))
		in_a_child(argv, !strcmp(way, "vfork"));
	*(void **)&found = strcmp(way, "libc") ? NULL : dlsym(dlopen("libc.so.6", RTLD_NOW), "prctl");
	if (found)
		must(!found(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0), way);
}

/* No stdio: it may allocate. */
static void say(const char *what, uint64_t number)
{
	char line[64];
	int len = snprintf(line, sizeof line, "%s %016lx\n", what, number);

	must(write(STDOUT_FILENO, line, (size_t)len) == len, "write");
}

static uint64_t run_all(void)
{
	uint64_t sum = 0;

	for (long i = 0; i < n_runs; i++)
		sum = model_run(&model);
	return sum;
}

static void *work(void *sum)
{
	*(uint64_t *)sum = run_all();
	pthread_barrier_wait(&barrier);
	*(uint64_t *)sum += run_all();
	return NULL;
}

static void open_all(char **argv)
{
	ort_open(&ort, runtime_open(argv[1]));
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
}

static void *confined_thread(void *argv)
{
	confine("thread", argv);
	say("thread", run_all());
	return NULL;
}

static void with_threads(char **argv, int n)
{
	pthread_t thread[64];
	uint64_t sum[64], all = 0;

	pthread_barrier_init(&barrier, NULL, (unsigned)n + 1);
	for (int i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, work, &sum[i]);
	usleep((useconds_t)(getpid() % 7) * 100); /* another moment in each process */
	confine(argv[5], argv);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < n; i++) {
		pthread_join(thread[i], NULL);
		all += sum[i];
	}
	say("threads", all);
}

static void alone(char **argv)
{
	pthread_t thread;

	if (strcmp(argv[7], "loaded") && strcmp(argv[7], "early"))
		say("before", run_all());
	if (!strcmp(argv[5], "thread")) {
		pthread_create(&thread, NULL, confined_thread, argv);
		pthread_join(thread, NULL);
	} else if (strcmp(argv[7], "early")) {
		confine(argv[5], argv);
	}
	if (!strcmp(argv[5], "strict") || !strcmp(argv[5], "counter")) {
		/* the runtime itself could not run: strict mode forbids the counter, too */
		say("found", dlsym(RTLD_DEFAULT, "OrtGetApiBase") != NULL);
		return;
	}
	if (!strcmp(argv[7], "fork")) {
		pid_t child = fork();
		int status;

		if (!child) {
			say("child", run_all());
			syscall(SYS_exit_group, 7);
		}
		must(waitpid(child, &status, 0) == child, "waitpid");
		say("status", (uint64_t)status);
	}
	if (!strcmp(argv[7], "start")) {
		char command[1024];

		snprintf(command, sizeof command, "exec %s %s %s %s %s none %s loaded 0 %s", argv[0], argv[1], argv[2],
			 argv[3], argv[4], argv[6], argv[9]);
		say("status", (uint64_t)system(command));
	}
	say("after", run_all());
}

static int is_ended;

static void *serve(void *n_differ)
{
	uint64_t first = model_run(&model);

	for (n_runs = 1; !__atomic_load_n(&is_ended, __ATOMIC_ACQUIRE); n_runs++) {
		uint64_t until_ns = now_ns() + 2000000;

		*(long *)n_differ += model_run(&model) != first;
		while (now_ns() < until_ns) /* a sleep is a system call */
			;
	}
	__atomic_store_n(&is_ended, 2, __ATOMIC_RELEASE);
	return NULL;
}

static void when_asked(char **argv)
{
	pthread_t thread;
	long n_differ = 0;
	char byte;

	setvbuf(stdout, NULL, _IONBF, 0);
	pthread_create(&thread, NULL, serve, &n_differ);
	printf("ready\n");
	must(read(STDIN_FILENO, &byte, 1) == 1, "standard input");
	confine(argv[5], argv);
	printf("confined\n");
	must(!read(STDIN_FILENO, &byte, 1), "standard input");
	__atomic_store_n(&is_ended, 1, __ATOMIC_RELEASE);
	/* not pthread_join: strict mode allows no futex */
	while (__atomic_load_n(&is_ended, __ATOMIC_ACQUIRE) != 2)
		;
	printf("runs %ld failed 0\ndiffer %ld\n", n_runs, n_differ);
	syscall(SYS_exit, 0);
}

int main(int argc, char **argv)
{
	must(argc == 10, "arguments");
	choose(argv[6]);
	n_runs = atol(argv[9]);
	if (!strcmp(argv[7], "early"))
		confine(argv[5], argv);
	open_all(argv);
	if (!strcmp(argv[7], "asked"))
		when_asked(argv);
	if (atoi(argv[8]))
		with_threads(argv, atoi(argv[8]));
	else
		alone(argv);
	syscall(SYS_exit, 3); /* the call that strict mode allows */
	return 0;
}
