// SPDX-License-Identifier: Apache-2.0
/*
 * Stands before the functions that start programs: exec and posix_spawn in all their forms. What they start gets the
 * variables of the agent back (exec_env.c), or is spared an agent that it could not load (exec_file.c). All of it runs
 * in children of vfork and in signal handlers: no allocation, no lock, and memory of the stack alone. system() and
 * popen() start a shell from inside the C library; the shell calls exec, and is served there.
 */
#include "capture/agent/exec/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/agent/exec/exec_env.h"
#include "capture/agent/exec/sandbox.h"
#include "capture/agent/glibc.h"

#define EXPORTED __attribute__((visibility("default")))

typedef int exec_fn(const char *path, char *const argv[], char *const envp[]);
typedef int spawn_fn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		     const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]);

extern char **environ;

/* Looked up once; a call before that looks it up itself. */
static struct {
	exec_fn *execve, *execvpe;
	int (*fexecve)(int fd, char *const argv[], char *const envp[]);
	int (*execveat)(int folder, const char *path, char *const argv[], char *const envp[], int flags);
	spawn_fn *posix_spawn, *posix_spawnp;
} real;

static void look_up(void *to, const char *name)
{
	void *symbol = glibc_next(name);

	memcpy(to, &symbol, sizeof symbol);
}

static void look_up_all(void)
{
	look_up(&real.execve, "execve");
	look_up(&real.execvpe, "execvpe");
	look_up(&real.fexecve, "fexecve");
	look_up(&real.execveat, "execveat"); /* glibc has it since 2.34 */
	look_up(&real.posix_spawn, "posix_spawn");
	look_up(&real.posix_spawnp, "posix_spawnp");
}

static int keep_own(struct dl_phdr_info *info, size_t size, void *data)
{
	uint64_t offset = (uint64_t)(uintptr_t)keep_own - info->dlpi_addr;
	bool is_own = false;

	for (int i = 0; i < info->dlpi_phnum; i++)
		is_own |= info->dlpi_phdr[i].p_type == PT_LOAD &&
			  offset - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz;
	if (is_own && *info->dlpi_name == '/')
		exec_env_keep(info->dlpi_name);
	return is_own;
}

void exec_start(void)
{
	look_up_all();
	dl_iterate_phdr(keep_own, NULL);
}

static bool is_missing(const void *function)
{
	if (!function)
		look_up_all();
	return !function && !real.execve;
}

/* envp, or the environment that replaces it, on the stack of the caller. */
#define ENVIRONMENT(envp, suits_) \
	({ \
		int saved_ = errno; \
		bool good_ = sandbox_lets_next_start() && (suits_); \
		size_t size_ = exec_env_size((envp), good_); \
		char *const *env_ = size_ ? exec_env_make(__builtin_alloca(size_), (envp), good_) : (char **)(envp); \
		errno = saved_; \
		env_; \
	})

EXPORTED int execve(const char *path, char *const argv[], char *const envp[])
{
	char *const *env = ENVIRONMENT(envp, exec_file_suits(AT_FDCWD, path));

	if (is_missing((void *)real.execve))
		return (int)syscall(SYS_execve, path, argv, env);
	return real.execve(path, argv, env);
}

EXPORTED int execvpe(const char *file, char *const argv[], char *const envp[])
{
	char *const *env = ENVIRONMENT(envp, exec_file_suits_search(file));

	if (is_missing((void *)real.execvpe) || !real.execvpe) {
		errno = ENOSYS;
		return -1;
	}
	return real.execvpe(file, argv, env);
}

EXPORTED int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

EXPORTED int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

EXPORTED int fexecve(int fd, char *const argv[], char *const envp[])
{
	char *const *env = ENVIRONMENT(envp, exec_file_suits(fd, ""));

	if (is_missing((void *)real.fexecve) || !real.fexecve) {
		errno = ENOSYS;
		return -1;
	}
	return real.fexecve(fd, argv, env);
}

EXPORTED int execveat(int folder, const char *path, char *const argv[], char *const envp[], int flags)
{
	char *const *env = ENVIRONMENT(envp, exec_file_suits(folder, path));

	if (is_missing((void *)real.execveat) || !real.execveat)
		return (int)syscall(SYS_execveat, folder, path, argv, env, flags);
	return real.execveat(folder, path, argv, env, flags);
}

EXPORTED int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
			 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	char *const *env = ENVIRONMENT(envp, exec_file_suits(AT_FDCWD, path));

	if (is_missing((void *)real.posix_spawn) || !real.posix_spawn)
		return ENOSYS;
	return real.posix_spawn(pid, path, actions, attributes, argv, env);
}

EXPORTED int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			  const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	char *const *env = ENVIRONMENT(envp, exec_file_suits_search(file));

	if (is_missing((void *)real.posix_spawnp) || !real.posix_spawnp)
		return ENOSYS;
	return real.posix_spawnp(pid, file, actions, attributes, argv, env);
}

/*
 * How many words there are with the first, and the NULL behind them. The headers promise the compiler that first is not
 * NULL, and programs break that: it must not know.
 */
static size_t count(const char *first, va_list *words)
{
	size_t n = 1;

	__asm__("" : "+r"(first));
	for (; first; first = va_arg(*words, char *))
		n++;
	return n;
}

/* Takes what count has counted. */
static void take(char **argv, size_t n, const char *first, va_list *words)
{
	argv[0] = (char *)first;
	for (size_t i = 1; i < n; i++)
		argv[i] = va_arg(*words, char *);
}

/* argv from the words behind first, on the stack of the caller; words stand behind their NULL then. */
#define WORDS(argv, words, first) \
	do { \
		va_list counted_; \
		size_t n_; \
		va_start(words, first); \
		va_copy(counted_, words); \
		n_ = count(first, &counted_); \
		va_end(counted_); \
		argv = __builtin_alloca(n_ * sizeof *argv); \
		take(argv, n_, first, &words); \
	} while (0)

EXPORTED int execl(const char *path, const char *first, ...)
{
	va_list words;
	char **argv;

	WORDS(argv, words, first);
	va_end(words);
	return execve(path, argv, environ);
}

EXPORTED int execlp(const char *file, const char *first, ...)
{
	va_list words;
	char **argv;

	WORDS(argv, words, first);
	va_end(words);
	return execvpe(file, argv, environ);
}

EXPORTED int execle(const char *path, const char *first, ...)
{
	va_list words;
	char **argv, **envp;

	WORDS(argv, words, first);
	envp = va_arg(words, char **);
	va_end(words);
	return execve(path, argv, envp);
}
