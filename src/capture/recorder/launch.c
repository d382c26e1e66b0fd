// SPDX-License-Identifier: Apache-2.0
/*
 * The program is forked, waits on a pipe while the recorder gets ready, and is then executed with the
 * agent preloaded. A program in which the agent cannot live (static, musl, 32 bits, setuid) is started as
 * it is, and the reason is kept for the report.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/part_path.h"
#include "base/program_file.h"
#include "base/temp_dir.h"
#include "capture/proc/program.h"
#include "capture/proc/rights.h"
#include "capture/recorder/recorder_in.h"

enum { MAX_SCRIPTS = 5, STALE_S = 10, ROOM = 16 << 20 };
static const char prefix[] = "inftrace-";

static bool stat_is_dir(const char *path)
{
	struct stat stat_of;

	return !stat(path, &stat_of) && S_ISDIR(stat_of.st_mode);
}

/* Why a file that was named with its folder cannot be started; code: errno of looking at it. */
static int refuse_path(const char *name, int code, struct err *err)
{
	if (stat_is_dir(name))
		return err_set(err, EACCES, "cannot start %s: it is a folder", name);
	if (!code)
		return err_set(err, EACCES, "cannot start %s: it is not executable (try: chmod +x %s)", name, name);
	if (code == EACCES)
		return err_set(err, EACCES, "cannot start %s: permission denied: this user may not enter its folder",
			       name);
	return err_set(err, code, "cannot start %s: %s", name, code == ENOENT ? "no such file" : strerror(code));
}

static bool is_program(const char *path)
{
	return !access(path, X_OK) && !stat_is_dir(path);
}

/* Goes through PATH as execvp does. */
static int search_path(char *path, size_t size, const char *name, struct err *err)
{
	const char *dirs = getenv("PATH");
	bool was_found = false, was_barred = false;

	if (!dirs)
		dirs = "/usr/local/bin:/usr/bin:/bin";
	for (;; dirs++) {
		size_t len = strcspn(dirs, ":");
		snprintf(path, size, "%.*s%s%s", (int)len, dirs, len ? "/" : "", name);
		if (is_program(path))
			return 0;
		was_found |= !access(path, F_OK);
		was_barred |= errno == EACCES;
		dirs += len;
		if (!*dirs)
			break;
	}
	if (was_found)
		return err_set(err, EACCES, "cannot start %s: found in PATH, but it is not executable", name);
	if (was_barred)
		return err_set(err, ENOENT,
			       "cannot start %s: command not found in the folders of PATH that this user may enter",
			       name);
	return err_set(err, ENOENT, "cannot start %s: command not found in PATH", name);
}

static int find_program(char *path, size_t size, const char *name, struct err *err)
{
	if (!strchr(name, '/'))
		return search_path(path, size, name, err);
	snprintf(path, size, "%s", name);
	if (is_program(path))
		return 0;
	return refuse_path(name, access(path, F_OK) ? errno : 0, err);
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
		launch->is_foreign = !depth && program_file_kind(fd) == PROGRAM_OTHER_PROCESSOR;
		close(fd);
		return;
	}
}

/* The PID in "inftrace-PID-XXXXXX", as its own namespace counts; 0: another name. */
static pid_t maker_of(const char *name)
{
	char *end;
	long pid = strncmp(name, prefix, strlen(prefix)) ? 0 : strtol(name + strlen(prefix), &end, 10);

	return pid > 0 && pid <= INT_MAX && *end == '-' ? (pid_t)pid : 0;
}

/*
 * Whether a recorder has this folder. The lock says it, also of one in another PID namespace, once the sticky bit says
 * that the folder was locked. It is not when it is new, or made again, and in version 0.1.0 it never is.
 */
static bool is_in_use(int dir, pid_t maker)
{
	struct stat stat_;

	if (flock(dir, LOCK_EX | LOCK_NB) || fstat(dir, &stat_) || stat_.st_uid != geteuid())
		return true;
	return !(stat_.st_mode & S_ISVTX) &&
	       (stat_.st_mtime + STALE_S > time(NULL) || !kill(maker, 0) || errno != ESRCH);
}

static void remove_stale(const char *parent)
{
	DIR *list = opendir(parent);
	struct dirent *entry;
	char path[512];

	while (list && (entry = readdir(list))) {
		pid_t maker = maker_of(entry->d_name);
		int dir = maker ? openat(dirfd(list), entry->d_name,
					 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
				: -1;
		if (dir < 0)
			continue;
		if (!is_in_use(dir, maker) &&
		    snprintf(path, sizeof path, "%s/%s", parent, entry->d_name) < (int)sizeof path)
			temp_dir_remove(path);
		close(dir);
	}
	if (list)
		closedir(list);
}

/* Whether a few processes find room below this folder. */
static bool has_room(const char *parent)
{
	struct statvfs at;

	return !statvfs(parent, &at) && at.f_bavail >= ROOM / (at.f_frsize ? at.f_frsize : 1);
}

static bool make_dir_in(struct launch *launch, const char *parent)
{
	remove_stale(parent);
	snprintf(launch->dir, sizeof launch->dir, "%s/%s%d-XXXXXX", parent, prefix, (int)getpid());
	if (!mkdtemp(launch->dir))
		return false;
	launch->lock = open(launch->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (launch->lock >= 0 && !flock(launch->lock, LOCK_SH))
		fchmod(launch->lock, 01700);
	return true;
}

/* Where memory is, then where there is only disk; a place that is too small is taken if there is no other. */
static int make_dir(struct launch *launch, struct err *err)
{
	char here[200];
	const char *parents[] = { "/dev/shm", getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp",
				  getcwd(here, sizeof here) };

	for (int wants_room = 1; wants_room >= 0; wants_room--)
		for (unsigned i = 0; i < sizeof parents / sizeof *parents; i++)
			if (parents[i] && parents[i][0] == '/' && strlen(parents[i]) <= 150 &&
			    !(wants_room && !has_room(parents[i])) && make_dir_in(launch, parents[i]))
				return 0;
	launch->dir[0] = 0;
	return err_set(err, errno, "cannot make a folder for shared memory in /dev/shm, /tmp or here: %s",
		       strerror(errno));
}

int launch_prepare(struct launch *launch, char *const *argv, struct err *err)
{
	int code;

	*launch = (struct launch){ .hold = -1, .failed = -1, .lock = -1 };
	code = find_program(launch->program, sizeof launch->program, argv[0], err);
	if (code)
		return code;
	look_at_program(launch);
	return make_dir(launch, err);
}

/* Sets a variable to a list with one item more, before or behind what the user has in it. 0 or -ENOMEM. */
static int add_to(const char *variable, const char *item, bool is_first)
{
	const char *own = getenv(variable);
	bool is_alone = !own || !*own;
	char *text;
	int code = 0;

	if (asprintf(&text, "%s%s%s", is_first || is_alone ? item : own, is_alone ? "" : ":",
		     is_alone	? ""
		     : is_first ? own
				: item) < 0)
		return -ENOMEM;
	if (setenv(variable, text, 1))
		code = -ENOMEM;
	free(text);
	return code;
}

static int set_environment(const struct launch *launch, const struct launch_opts *opts, const char *agent)
{
	char text[32];
	int code;

	setenv("INFTRACE_DIR", launch->dir, 1);
	setenv("INFTRACE_LEVEL", opts->level, 1);
	snprintf(text, sizeof text, "%llu", (unsigned long long)opts->ring_bytes);
	setenv("INFTRACE_RING", text, 1);
	if (!opts->use_ticks)
		setenv("INFTRACE_CLOCK", "monotonic", 1);
	/* the agent stays out of a program to which more filters apply: it does not know what they forbid */
	if (opts->kernels) {
		setenv("INFTRACE_KERNELS", opts->graph_nodes ? "nodes" : "1", 1);
		/* by which CUDA's driver loads it when the program initialises CUDA; another tool's stays */
		setenv("CUDA_INJECTION64_PATH", agent, 0);
		/* without it older drivers of Level Zero let nobody see its calls */
		setenv("ZE_ENABLE_TRACING_LAYER", "1", 0);
	}
	snprintf(text, sizeof text, "%u", rights_count_filters());
	setenv("INFTRACE_FILTERS", text, 1);
	code = add_to("LD_PRELOAD", agent, true);
	/* a program built with the address sanitizer refuses to start behind a library that is preloaded */
	return code ? code : add_to("ASAN_OPTIONS", "verify_asan_link_order=0", false);
}

/* The ends of both pipes that are the child's. */
struct child_ends {
	int hold, failed;
};

static _Noreturn void child(const struct launch *launch, const struct launch_opts *opts, char *const *argv,
			    const char *agent, const struct child_ends *ends, const sigset_t *mask)
{
	int code = 0;
	char byte;

	close(launch->hold);
	close(launch->failed);
	while (read(ends->hold, &byte, 1) < 0 && errno == EINTR)
		;
	if (*agent)
		code = set_environment(launch, opts, agent);
	if (opts->stdout_is_ours)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	for (int i = 0; i < 3 && opts->stdio; i++)
		if (opts->stdio[i] >= 0)
			dup2(opts->stdio[i], i);
	sigprocmask(SIG_SETMASK, mask, NULL);
	/* execvp gives the shell what the kernel refuses */
	if (!code && launch->is_foreign)
		execv(launch->program, argv);
	else if (!code)
		execvp(argv[0], argv);
	code = code ? -code : errno;
	if (write(ends->failed, &code, sizeof code) < 0)
		_exit(126);
	_exit(127);
}

static int open_pipes(struct launch *launch, struct child_ends *ends)
{
	int hold[2], failed[2], code;

	if (pipe2(hold, O_CLOEXEC))
		return errno;
	if (pipe2(failed, O_CLOEXEC)) {
		code = errno;
		close(hold[0]);
		close(hold[1]);
		return code;
	}
	launch->hold = hold[1];
	launch->failed = failed[0];
	*ends = (struct child_ends){ hold[0], failed[1] };
	return 0;
}

int launch_start(struct launch *launch, const struct launch_opts *opts, char *const *argv, struct err *err)
{
	char agent[512] = "";
	struct child_ends ends = { -1, -1 };
	sigset_t mask, all;
	int code;

	if (!*launch->reason && (code = agent_preload_path(agent, sizeof agent, err)))
		return code;
	code = open_pipes(launch, &ends);
	if (code)
		return err_set(err, code, "cannot start %s: %s", argv[0], strerror(code));
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &mask);
	launch->pid = fork();
	if (!launch->pid)
		child(launch, opts, argv, agent, &ends, &mask);
	code = errno;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(ends.hold);
	close(ends.failed);
	return launch->pid < 0 ? err_set(err, code, "cannot start %s: %s", argv[0], strerror(code)) : 0;
}

static void close_end(int *end)
{
	if (*end >= 0)
		close(*end);
	*end = -1;
}

int launch_go(struct launch *launch, struct err *err)
{
	int code = 0;

	close_end(&launch->hold);
	if (read(launch->failed, &code, sizeof code) != sizeof code)
		code = 0;
	close_end(&launch->failed);
	if (code)
		return err_set(err, code, "cannot start %s: %s", launch->program, strerror(code));
	return 0;
}

void launch_done(struct launch *launch)
{
	/* still held: it has not become the program yet, and never will */
	if (launch->hold >= 0 && launch->pid > 0) {
		kill(launch->pid, SIGKILL);
		waitpid(launch->pid, NULL, 0);
	}
	close_end(&launch->hold);
	close_end(&launch->failed);
	if (launch->dir[0])
		temp_dir_remove(launch->dir);
	launch->dir[0] = 0;
	close_end(&launch->lock);
}
