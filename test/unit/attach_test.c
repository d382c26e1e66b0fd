// SPDX-License-Identifier: Apache-2.0
/* Selecting a process, and noticing when it is another one: real child processes. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/proc/proc.h"
#include "capture/recorder/attach/attach_find.h"
#include "capture/recorder/attach/attach_fit.h"
#include "capture/recorder/attached.h"
#include "cases.h"

/* Whether the child runs this file; its command line changes a little later than its executable. */
static bool is_started(pid_t child, const char *path)
{
	char link[64], exe[PATH_MAX], wanted[PATH_MAX], words[64];
	ssize_t len;

	assert_non_null(realpath(path, wanted));
	snprintf(link, sizeof link, "/proc/%d/exe", (int)child);
	len = readlink(link, exe, sizeof exe);
	return len == (ssize_t)strlen(wanted) && !memcmp(exe, wanted, (size_t)len) &&
	       proc_read("", child, "cmdline", words, sizeof words) > 0;
}

/* A child; its standard input ends when this process does. */
static pid_t start(const char *path, char *const *argv)
{
	int input[2];
	pid_t child;

	assert_int_equal(pipe2(input, O_CLOEXEC), 0);
	child = fork();
	if (!child) {
		dup2(input[0], STDIN_FILENO);
		execv(path, argv);
		_exit(127);
	}
	close(input[0]);
	for (int i = 0; i < 10000; i++) {
		if (is_started(child, path))
			return child;
		usleep(1000);
	}
	fail_msg("%s does not start", path);
	return 0;
}

static pid_t start_sleep(void)
{
	return start("/bin/sleep", (char *[]){ "a-name-of-this-test", "1000", NULL });
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static const char *script(const char *words, size_t size)
{
	return attach_fit_script(words, size);
}
#define SCRIPT(words) script(words, sizeof words)

TEST(the_script_is_what_an_interpreter_runs)
{
	assert_string_equal(SCRIPT("python3\0app.py\0--fast"), "app.py");
	assert_string_equal(SCRIPT("/usr/bin/python3.11\0-u\0-X\0dev\0-W\0ignore\0/srv/app.py"), "/srv/app.py");
	assert_string_equal(SCRIPT("python\0-m\0app.server\0-v"), "app.server");
	assert_string_equal(SCRIPT("java\0-Xmx1g\0-cp\0/lib\0-jar\0app.jar\0x"), "app.jar");
	assert_string_equal(SCRIPT("node\0--require\0./first.js\0server.js"), "server.js");
}

TEST(what_is_no_interpreter_or_runs_no_file_has_no_script)
{
	assert_null(SCRIPT("vim\0app.py"));
	assert_null(SCRIPT("pythonic\0app.py"));
	assert_null(SCRIPT("python3\0-c\0import app"));
	assert_null(SCRIPT("node\0-e\0run()"));
	assert_null(SCRIPT("python3\0-"));
	assert_null(SCRIPT("python3"));
	assert_null(SCRIPT("python3\0-m"));
	assert_null(attach_fit_script("", 0));
	assert_null(attach_fit_script("python3", 7));
	/* cut off in the middle of the last word: that word does not count */
	assert_null(attach_fit_script("python3\0app.p", 13));
}

TEST(a_process_fits_by_its_names_and_by_its_path)
{
	pid_t child = start_sleep();
	char path[PATH_MAX];

	assert_true(attach_fit(&(struct attach_wish){ .name = "sleep" }, child));
	assert_true(attach_fit(&(struct attach_wish){ .name = "a-name-of-this-test" }, child));
	assert_false(attach_fit(&(struct attach_wish){ .name = "slee" }, child));
	assert_false(attach_fit(&(struct attach_wish){ .name = "1000" }, child));
	assert_true(attach_fit(&(struct attach_wish){ .path = "/bin/../bin/sleep" }, child));
	assert_false(attach_fit(&(struct attach_wish){ .path = "/bin/sh" }, child));
	assert_false(attach_fit(&(struct attach_wish){ .path = "/no/such/file" }, child));
	assert_true(attach_fit(&(struct attach_wish){ NULL, NULL }, child));
	attach_fit_path(child, path, sizeof path);
	assert_true(attach_fit(&(struct attach_wish){ .path = path }, child));
	end(child);
}

static void write_script(char *file, size_t size, const char *folder, const char *text)
{
	int fd;

	snprintf(file, size, "%s/wait.sh", folder);
	fd = open(file, O_WRONLY | O_CREAT, 0700);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

TEST(a_script_fits_by_name_and_by_path_from_anywhere)
{
	char folder[] = "/tmp/inftrace-attach-XXXXXX", file[64], before[PATH_MAX], path[PATH_MAX];
	pid_t child;

	assert_non_null(mkdtemp(folder));
	write_script(file, sizeof file, folder, "read x\n");
	assert_non_null(getcwd(before, sizeof before));
	assert_int_equal(chdir(folder), 0);
	child = start("/bin/sh", (char *[]){ "sh", "wait.sh", NULL });
	assert_int_equal(chdir(before), 0);
	assert_true(attach_fit(&(struct attach_wish){ .name = "wait.sh" }, child));
	assert_true(attach_fit(&(struct attach_wish){ .path = file }, child));
	attach_fit_path(child, path, sizeof path);
	assert_string_equal(path, file);
	end(child);
	unlink(file);
	rmdir(folder);
}

TEST(what_is_found_is_the_topmost_that_fits_and_not_ourselves)
{
	char folder[] = "/tmp/inftrace-attach-XXXXXX", file[64];
	struct attach_matches matches;
	pid_t child, *family;
	struct err err;

	assert_non_null(mkdtemp(folder));
	write_script(file, sizeof file, folder, "if [ $1 ]; then read x; exit; fi\nsh $0 again\n:\n");
	child = start("/bin/sh", (char *[]){ "sh", file, NULL });
	while (attach_find_family(child, &family) != 2)
		free(family);
	assert_int_equal(family[0], child);
	while (!attach_fit(&(struct attach_wish){ .path = file }, family[1]))
		usleep(1000);
	assert_int_equal(attach_find(&(struct attach_wish){ .path = file }, &matches, &err), 0);
	assert_int_equal(matches.n, 1);
	assert_int_equal(matches.match[0].pid, child);
	assert_false(matches.match[0].has_runtime);
	attach_matches_done(&matches);
	/* another build may be running one, too */
	assert_int_equal(attach_find(&(struct attach_wish){ .name = "attach_test" }, &matches, &err), 0);
	for (size_t i = 0; i < matches.n; i++)
		assert_int_not_equal(matches.match[i].pid, getpid());
	attach_matches_done(&matches);
	end(child);
	kill(family[1], SIGKILL);
	free(family);
	unlink(file);
	rmdir(folder);
}

TEST(a_process_that_cannot_be_meant_is_said)
{
	struct attach_match match;
	siginfo_t info;
	struct err err;
	pid_t child = fork();

	if (!child)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(attach_find_pid(child, &match, &err), -ESRCH);
	assert_non_null(strstr(err.msg, "has ended"));
	waitpid(child, NULL, 0);
	assert_int_equal(attach_find_pid(child, &match, &err), -ESRCH);
	assert_non_null(strstr(err.msg, "no such process"));
	assert_int_equal(attach_find_pid(getpid(), &match, &err), -EINVAL);
}

/* In a new pid namespace: process 1 is the parent of process 2, which is the parent of process 3. */
static _Noreturn void look_at_process_two(void)
{
	struct attach_match match;
	struct err err;
	pid_t second;

	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("proc", "/proc", "proc", 0, NULL))
		_exit(77);
	second = fork();
	if (!second) {
		if (!fork())
			pause();
		pause();
	}
	/* its child */
	while (kill(3, 0))
		usleep(1000);
	_exit(second != 2 || attach_find_pid(2, &match, &err) || attach_find_pid(3, &match, &err));
}

TEST(a_pid_of_two_makes_no_thread_of_the_kernel)
{
	pid_t child = fork();
	int status;

	if (!child) {
		pid_t first;
		if (unshare(CLONE_NEWPID | CLONE_NEWNS))
			_exit(77);
		first = fork();
		if (!first)
			look_at_process_two();
		waitpid(first, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

TEST(another_start_time_is_another_process)
{
	pid_t child = start_sleep();
	struct attach_match match;
	struct attached attached;
	struct err err;

	assert_int_equal(attached_init(&attached, &err), 0);
	assert_int_equal(attach_find_pid(child, &match, &err), 0);
	assert_int_equal(attached_add(&attached, child, match.start_ticks + 1, &err), -ESRCH);
	assert_non_null(strstr(err.msg, "its PID has been reused"));
	assert_int_equal(attached.n, 0);
	assert_int_equal(attached_add(&attached, child, match.start_ticks, &err), 0);
	assert_int_equal(attached_add(&attached, child, 0, &err), 0);
	assert_int_equal(attached.n, 1);
	attached_done(&attached);
	end(child);
}

TEST(an_end_is_seen_once_and_how_it_came_where_the_kernel_tells)
{
	pid_t first = start_sleep(), second = start_sleep();
	struct attached attached;
	struct attached_end told;
	struct pollfd poller;
	struct err err;

	assert_int_equal(attached_init(&attached, &err), 0);
	assert_int_equal(attached_add(&attached, first, 0, &err), 0);
	assert_int_equal(attached_add(&attached, second, 0, &err), 0);
	assert_false(attached_next_ended(&attached, &told));
	poller = (struct pollfd){ attached.fd, POLLIN, 0 };
	assert_int_equal(poll(&poller, 1, 0), 0);
	end(first);
	assert_int_equal(poll(&poller, 1, 60000), 1);
	assert_true(attached_next_ended(&attached, &told));
	assert_int_equal(told.pid, first);
	if (told.is_known)
		assert_true(WIFSIGNALED(told.wait_status) && WTERMSIG(told.wait_status) == SIGKILL);
	assert_false(attached_next_ended(&attached, &told));
	assert_int_equal(poll(&poller, 1, 0), 0);
	assert_int_equal(attached.n, 1);
	assert_int_equal(attached.program[0].pid, second);
	attached_done(&attached);
	end(second);
}
