// SPDX-License-Identifier: Apache-2.0
/*
 * A watcher that keeps a recording waits for SIGUSR1. The signal goes only to a process that does: it would end any
 * other. The watcher's open segment says where the dump will be; that it grows, and that it is complete, is seen in the
 * folders, so that the watcher needs no socket.
 */
#include "cmd/fleet/ask_dump.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/proc/proc.h"
#include "capture/proc/proc_list.h"

enum { BEGIN_MS = 20000, MOST_WATCHERS = 16 };
static const char part[] = "dump.part";

struct asked {
	pid_t pid;
	int process;		      /* pidfd */
	char folder[PATH_MAX];	      /* of segments, as the watcher sees it: "/var/x.pftrace.d" */
	int news, of_parts, of_dumps; /* inotify, and its two watches */
};

/* "inftrace watch ..." and neither a door nor another helper of one. */
static bool is_watcher(pid_t pid)
{
	char text[512];
	ssize_t len = proc_read("", pid, "stat", text, sizeof text);
	struct proc_stat stat;
	const char *second;

	if (len <= 0 || !proc_stat_parse(text, (size_t)len, &stat) || strcmp(stat.name, "inftrace") != 0)
		return false;
	len = proc_read("", pid, "cmdline", text, sizeof text - 1);
	if (len <= 0)
		return false;
	text[len] = 0;
	second = text + strlen(text) + 1;
	return second < text + len && !strcmp(second, "watch");
}

static bool waits_for_signal(pid_t pid)
{
	char text[4096];
	ssize_t len = proc_read("", pid, "status", text, sizeof text - 1);
	const char *line;

	if (len <= 0)
		return false;
	text[len] = 0;
	line = strstr(text, "\nSigBlk:");
	return line && strtoull(line + strlen("\nSigBlk:"), NULL, 16) >> (SIGUSR1 - 1) & 1;
}

/* Those that keep a recording, at most MOST_WATCHERS. */
static size_t find_watchers(pid_t *pids)
{
	struct proc_row *rows = NULL;
	size_t n_rows = 0, n = 0;

	if (proc_list("", &rows, &n_rows))
		return 0;
	for (size_t i = 0; i < n_rows && n < MOST_WATCHERS; i++)
		if (rows[i].pid != getpid() && is_watcher(rows[i].pid) && waits_for_signal(rows[i].pid))
			pids[n++] = rows[i].pid;
	free(rows);
	return n;
}

static int choose(const char *text, pid_t *pid, struct err *err)
{
	pid_t pids[MOST_WATCHERS];
	size_t n = find_watchers(pids);
	char *end = NULL;
	long wanted = text ? strtol(text, &end, 10) : 0;

	if (text && (!*text || *end))
		return err_set(err, EINVAL, "'%.40s' is no PID", text);
	if (!n)
		return err_set(err, ESRCH,
			       "cannot ask for a dump: no inftrace watch that records runs here; start one "
			       "with -o FILE");
	if (!text && n > 1)
		return err_set(err, EINVAL,
			       "cannot ask for a dump: %zu inftrace watch record here; name one, as in: "
			       "inftrace watch --dump %d",
			       n, (int)pids[0]);
	*pid = text ? (pid_t)wanted : pids[0];
	for (size_t i = 0; i < n; i++)
		if (pids[i] == *pid)
			return 0;
	return err_set(err, ESRCH, "cannot ask for a dump: %ld is no inftrace watch that records", wanted);
}

/* "/var/x.pftrace.d/00000042.pftrace": its folder. */
static bool take_segment(struct asked *asked, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0;

	if (len < 2 || strncmp(slash - 2, ".d", 2) != 0 || strspn(slash + 1, "0123456789") < 8 ||
	    strcmp(slash + 1 + strspn(slash + 1, "0123456789"), ".pftrace") != 0)
		return false;
	snprintf(asked->folder, sizeof asked->folder, "%.*s", (int)len, path);
	return true;
}

static int find_folder(struct asked *asked, struct err *err)
{
	char path[PATH_MAX], link[PATH_MAX];
	const struct dirent *entry;
	bool is_found = false;
	ssize_t len;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/fd", (int)asked->pid);
	dir = opendir(path);
	if (!dir && (errno == EACCES || errno == EPERM))
		return err_set(err, errno,
			       "cannot ask %d for a dump: its files need root; run: sudo inftrace watch --dump %d",
			       (int)asked->pid, (int)asked->pid);
	if (!dir)
		return err_set(err, errno, "cannot ask %d for a dump: %s", (int)asked->pid, strerror(errno));
	while (!is_found && (entry = readdir(dir))) {
		len = readlinkat(dirfd(dir), entry->d_name, link, sizeof link - 1);
		if (len <= 0)
			continue;
		link[len] = 0;
		is_found = take_segment(asked, link);
	}
	closedir(dir);
	return is_found ? 0 : err_set(err, ENOENT, "cannot ask %d for a dump: it keeps no recording", (int)asked->pid);
}

static int watch_folders(struct asked *asked, struct err *err)
{
	char parts[PATH_MAX + 64], dumps[PATH_MAX + 72];

	snprintf(parts, sizeof parts, "/proc/%d/root%s", (int)asked->pid, asked->folder);
	snprintf(dumps, sizeof dumps, "%s/..", parts);
	asked->news = inotify_init1(IN_CLOEXEC);
	asked->of_parts = inotify_add_watch(asked->news, parts, IN_CREATE | IN_DELETE | IN_ONLYDIR);
	asked->of_dumps = inotify_add_watch(asked->news, dumps, IN_MOVED_TO | IN_CREATE | IN_ONLYDIR);
	if (asked->of_parts >= 0 && asked->of_dumps >= 0)
		return 0;
	return err_set(err, errno, "cannot wait for a dump in %.200s: %s", asked->folder, strerror(errno));
}

static bool has_part(const struct asked *asked)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof path, "/proc/%d/root%s/%s", (int)asked->pid, asked->folder, part);
	return !access(path, F_OK);
}

/* The folder of segments is x.pftrace.d or x.d; a dump is x.dump-0001.pftrace. */
static bool is_dump(const struct asked *asked, const char *name)
{
	const char *slash = strrchr(asked->folder, '/');
	size_t len = strlen(slash + 1) - strlen(".d"), suffix = strlen(".pftrace");

	if (len > suffix && !strncmp(slash + 1 + len - suffix, ".pftrace", suffix))
		len -= suffix;
	return !strncmp(name, slash + 1, len) && !strncmp(name + len, ".dump-", strlen(".dump-"));
}

enum news { NOTHING, BEGUN, COMPLETE, FAILED };

static enum news read_news(const struct asked *asked, char *name, size_t size)
{
	char buf[4096] __attribute__((aligned(8)));
	ssize_t len = read(asked->news, buf, sizeof buf);
	const struct inotify_event *event;
	enum news news = NOTHING;

	for (const char *at = buf; len > 0 && at < buf + len; at += sizeof *event + event->len) {
		event = (const struct inotify_event *)at;
		if (event->wd == asked->of_dumps && event->len && is_dump(asked, event->name)) {
			snprintf(name, size, "%s", event->name);
			return COMPLETE;
		}
		if (event->wd == asked->of_parts && event->len && !strcmp(event->name, part))
			news = event->mask & IN_CREATE ? BEGUN : FAILED;
	}
	return news;
}

static int wait_complete(const struct asked *asked, bool has_begun, struct err *err)
{
	struct pollfd poller[] = { { asked->news, POLLIN, 0 }, { asked->process, POLLIN, 0 } };
	int n, pid = (int)asked->pid;
	char name[NAME_MAX + 1];
	enum news news;

	for (;;) {
		n = poll(poller, 2, has_begun ? -1 : BEGIN_MS);
		if (n < 0 && errno == EINTR)
			continue;
		if (!n)
			return err_set(err, ETIMEDOUT,
				       "inftrace watch (%d) began no dump within %d s; its standard error says why",
				       pid, BEGIN_MS / 1000);
		news = poller[0].revents ? read_news(asked, name, sizeof name) : NOTHING;
		has_begun |= news == BEGUN;
		if (news == COMPLETE) {
			printf("%.*s/%s\n", (int)(strrchr(asked->folder, '/') - asked->folder), asked->folder, name);
			return 0;
		}
		if (news == FAILED)
			return err_set(err, EIO,
				       "inftrace watch (%d) could not complete the dump; its standard error says why",
				       pid);
		if (!poller[0].revents && poller[1].revents)
			return err_set(err, ESRCH, "%d has ended before the dump was complete", pid);
	}
}

int ask_dump(const char *pid, struct err *err)
{
	struct asked asked = { .process = -1, .news = -1 };
	bool has_begun = false;
	int code = choose(pid, &asked.pid, err);

	if (code)
		return code;
	asked.process = (int)syscall(SYS_pidfd_open, asked.pid, 0);
	code = asked.process < 0 ? err_set(err, errno, "cannot ask %d for a dump: %s", (int)asked.pid, strerror(errno))
				 : find_folder(&asked, err);
	if (!code)
		code = watch_folders(&asked, err);
	if (!code)
		has_begun = has_part(&asked);
	/* the descriptor is of the process that is asked, whoever gets its number */
	if (!code && !has_begun && is_watcher(asked.pid) && waits_for_signal(asked.pid) &&
	    syscall(SYS_pidfd_send_signal, asked.process, SIGUSR1, NULL, 0))
		code = err_set(err, errno, "cannot ask %d for a dump: %s", (int)asked.pid, strerror(errno));
	if (!code)
		code = wait_complete(&asked, has_begun, err);
	if (asked.process >= 0)
		close(asked.process);
	if (asked.news >= 0)
		close(asked.news);
	return code;
}
