// SPDX-License-Identifier: Apache-2.0
/*
 * The program is forked, waits on a pipe while the recorder gets ready, and is then executed with the
 * agent preloaded. A program in which the agent cannot live (static, musl, 32 bits, setuid) is started as
 * it is, and the reason is kept for the report.
 */
#include "capture/recorder/launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/part_path.h"
#include "base/temp_dir.h"
#include "capture/proc/program.h"

enum { MAX_SCRIPTS = 5 };
static const char prefix[] = "inftrace-";
static int hold[2] = { -1, -1 };   /* closed by launch_go: the child goes on */
static int failed[2] = { -1, -1 }; /* errno of an exec that failed */

static bool stat_is_dir(const char *path)
{
	struct stat stat_of;

	return !stat(path, &stat_of) && S_ISDIR(stat_of.st_mode);
}

static int find_program(char *path, size_t size, const char *name, struct err *err)
{
	const char *dirs = getenv("PATH");
	bool was_found = false;

	if (strchr(name, '/'))
		dirs = "";
	else if (!dirs)
		dirs = "/usr/local/bin:/usr/bin:/bin";
	for (;;) {
		size_t len = strcspn(dirs, ":");
		if (*dirs || len)
			snprintf(path, size, "%.*s/%s", (int)len, dirs, name);
		else
			snprintf(path, size, "%s", name);
		if (!access(path, X_OK) && !stat_is_dir(path))
			return 0;
		was_found |= !access(path, F_OK);
		if (!dirs[len])
			break;
		dirs += len + 1;
	}
	if (was_found && strchr(name, '/') && !stat_is_dir(name))
		return err_set(err, EACCES, "cannot start %s: it is not executable (try: chmod +x %s)", name, name);
	if (was_found && strchr(name, '/'))
		return err_set(err, EACCES, "cannot start %s: it is a folder", name);
	if (was_found)
		return err_set(err, EACCES, "cannot start %s: found in PATH, but it is not executable", name);
	return err_set(err, ENOENT, "cannot start %s: %s", name,
		       strchr(name, '/') ? "no such file" : "command not found in PATH");
}

/* The interpreter of a "#!" line, or false. */
static bool script_interpreter(const char *head, size_t len, char *to, size_t size)
{
	size_t at = 2, end;

	if (len < 4 || head[0] != '#' || head[1] != '!')
		return false;
	while (at < len && (head[at] == ' ' || head[at] == '\t'))
		at++;
	for (end = at; end < len && !strchr(" \t\r\n", head[end]);)
		end++;
	if (end == at || end - at >= size)
		return false;
	memcpy(to, head + at, end - at);
	to[end - at] = 0;
	return true;
}

static void look_at_program(struct launch *launch)
{
	char head[256], interpreter[256];

	for (int depth = 0; depth < MAX_SCRIPTS; depth++) {
		int fd = open(launch->program, O_RDONLY | O_CLOEXEC);
		ssize_t len;
		if (fd < 0) {
			snprintf(launch->reason, sizeof launch->reason, "its file cannot be read: %s", strerror(errno));
			return;
		}
		len = read(fd, head, sizeof head);
		if (len > 0 && script_interpreter(head, (size_t)len, interpreter, sizeof interpreter)) {
			close(fd);
			snprintf(launch->program, sizeof launch->program, "%s", interpreter);
			continue;
		}
		snprintf(launch->reason, sizeof launch->reason, "%s", program_refusal(fd));
		close(fd);
		return;
	}
}

/* Whether the process that made this folder ("inftrace-PID-XXXXXX") is alive. */
static bool is_in_use(const char *name)
{
	long pid = atol(name + strlen(prefix));

	return pid <= 0 || !kill((pid_t)pid, 0) || errno != ESRCH;
}

static void remove_stale(const char *parent)
{
	DIR *dir = opendir(parent);
	struct dirent *entry;
	struct stat stat;
	char path[512];

	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)) || is_in_use(entry->d_name))
			continue;
		snprintf(path, sizeof path, "%s/%s", parent, entry->d_name);
		if (!lstat(path, &stat) && S_ISDIR(stat.st_mode) && stat.st_uid == geteuid())
			temp_dir_remove(path);
	}
	if (dir)
		closedir(dir);
}

static int make_dir(struct launch *launch, struct err *err)
{
	const char *parents[] = { "/dev/shm", getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp" };

	for (unsigned i = 0; i < 4; i++) {
		if (!parents[i] || parents[i][0] != '/' || strlen(parents[i]) > 150)
			continue;
		remove_stale(parents[i]);
		snprintf(launch->dir, sizeof launch->dir, "%s/%s%d-XXXXXX", parents[i], prefix, (int)getpid());
		if (mkdtemp(launch->dir))
			return 0;
	}
	launch->dir[0] = 0;
	return err_set(err, errno, "cannot make a folder for shared memory in /dev/shm or /tmp: %s", strerror(errno));
}

int launch_prepare(struct launch *launch, char *const *argv, struct err *err)
{
	int code;

	memset(launch, 0, sizeof *launch);
	code = find_program(launch->program, sizeof launch->program, argv[0], err);
	if (code)
		return code;
	look_at_program(launch);
	return make_dir(launch, err);
}

static void set_environment(const struct launch *launch, const struct launch_opts *opts, const char *agent)
{
	const char *preload = getenv("LD_PRELOAD"), *asan = getenv("ASAN_OPTIONS");
	char text[1024];

	setenv("INFTRACE_DIR", launch->dir, 1);
	setenv("INFTRACE_LEVEL", opts->level, 1);
	snprintf(text, sizeof text, "%llu", opts->ring_bytes);
	setenv("INFTRACE_RING", text, 1);
	if (!opts->use_ticks)
		setenv("INFTRACE_CLOCK", "monotonic", 1);
	snprintf(text, sizeof text, "%s%s%s", agent, preload && *preload ? ":" : "", preload ? preload : "");
	setenv("LD_PRELOAD", text, 1);
	/* a program built with the address sanitizer refuses to start behind a library that is preloaded */
	snprintf(text, sizeof text, "%s%sverify_asan_link_order=0", asan ? asan : "", asan && *asan ? ":" : "");
	setenv("ASAN_OPTIONS", text, 1);
}

static _Noreturn void child(const struct launch *launch, const struct launch_opts *opts, char *const *argv,
			    const char *agent, const sigset_t *mask)
{
	char byte;

	close(hold[1]);
	close(failed[0]);
	while (read(hold[0], &byte, 1) < 0 && errno == EINTR)
		;
	if (*agent)
		set_environment(launch, opts, agent);
	if (opts->stdout_is_ours)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	int code = errno;
	if (write(failed[1], &code, sizeof code) < 0)
		_exit(126);
	_exit(127);
}

int launch_start(struct launch *launch, const struct launch_opts *opts, char *const *argv, struct err *err)
{
	char agent[512] = "";
	sigset_t mask, all;
	int code;

	if (!*launch->reason && (code = agent_path(agent, sizeof agent, err)))
		return code;
	if (pipe2(hold, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		return err_set(err, errno, "cannot start %s: %s", argv[0], strerror(errno));
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &mask);
	launch->pid = fork();
	if (!launch->pid)
		child(launch, opts, argv, agent, &mask);
	code = errno;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(hold[0]);
	close(failed[1]);
	return launch->pid < 0 ? err_set(err, code, "cannot start %s: %s", argv[0], strerror(code)) : 0;
}

int launch_go(struct launch *launch, struct err *err)
{
	int code = 0;

	close(hold[1]);
	if (read(failed[0], &code, sizeof code) != sizeof code)
		code = 0;
	close(failed[0]);
	if (code)
		return err_set(err, code, "cannot start %s: %s", launch->program, strerror(code));
	return 0;
}

void launch_done(struct launch *launch)
{
	if (launch->dir[0])
		temp_dir_remove(launch->dir);
	launch->dir[0] = 0;
}
