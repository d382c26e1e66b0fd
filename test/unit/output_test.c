// SPDX-License-Identifier: Apache-2.0
/* Outputs on file systems that have no unnamed files, cannot refuse to replace a file, and have links or not. */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "trace/export/output_folder.h"

/* From here on, a call with any of these bits in this argument fails. */
static bool deny(uint32_t call, uint32_t argument, uint32_t bits, uint32_t error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * argument),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof filter / sizeof *filter, filter };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* As NFS does. */
static bool be_plain(void)
{
	return deny(SYS_renameat2, 4, RENAME_NOREPLACE, EINVAL) &&
	       deny(SYS_openat, 2, O_TMPFILE & ~O_DIRECTORY, EOPNOTSUPP);
}

static bool is_written(const char *path, const char *text)
{
	struct output output;
	struct err err;
	int code = output_open(&output, path, false, &err);

	if (!code && write(output.fd, text, strlen(text)) != (ssize_t)strlen(text))
		code = -EIO;
	if (!code)
		code = output_keep(&output, &err);
	output_drop(&output);
	return !code;
}

/* Another program makes a file of that name while ours is written. */
static bool is_kept_from_replacing(const char *path)
{
	struct output output;
	struct err err;
	int code = output_open(&output, path, false, &err);
	int other = code ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (other < 0)
		return false;
	close(other);
	code = output_keep(&output, &err);
	output_drop(&output);
	return code == -EEXIST;
}

static bool is_folder_written(const char *path)
{
	struct output_folder folder;
	struct err err;
	int code = output_folder_open(&folder, path, false, &err);

	if (!code)
		code = output_folder_keep(&folder, &err);
	output_folder_drop(&folder);
	return !code && !rmdir(path);
}

static bool has_text(const char *path, const char *wanted)
{
	char text[16] = "";
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, text, sizeof text - 1);

	close(fd);
	return n == (ssize_t)strlen(wanted) && !strcmp(text, wanted);
}

static int write_with_links(void)
{
	if (!be_plain())
		return 2;
	if (!is_written("new", "text") || !has_text("new", "text") || unlink("new"))
		return 3;
	if (!is_kept_from_replacing("other") || !has_text("other", "") || unlink("other"))
		return 4;
	return is_folder_written("folder") ? 0 : 5;
}

static int write_without_links(void)
{
	return deny(SYS_linkat, 0, (uint32_t)AT_FDCWD, EPERM) ? write_with_links() : 2;
}

/* In a process and a folder of its own, in which it leaves nothing. */
static void expect_success(int (*run)(void))
{
	char folder[] = "/tmp/inftrace-output-XXXXXX";
	pid_t child;
	int status;

	assert_non_null(mkdtemp(folder));
	child = fork();
	if (!child)
		_exit(chdir(folder) ? 1 : run());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(rmdir(folder), 0);
}

TEST(an_output_gets_its_name_where_rename_cannot_refuse_to_replace)
{
	expect_success(write_with_links);
}

TEST(an_output_gets_its_name_where_there_are_no_links_either)
{
	expect_success(write_without_links);
}

static int replace_denied(void)
{
	struct output output;
	struct err err;

	if (!is_written("mine", "text") || !deny(SYS_openat, 2, O_TMPFILE & ~O_DIRECTORY, EACCES))
		return 2;
	if (output_open(&output, "mine", true, &err) != -EACCES || !strstr(err.msg, "use -o - > mine"))
		return 3;
	if (output_open(&output, "none", true, &err) != -EACCES || strstr(err.msg, "-o -"))
		return 4;
	return has_text("mine", "text") && !unlink("mine") ? 0 : 5;
}

TEST(a_writable_file_in_a_folder_that_is_not_names_the_way_to_write_it)
{
	expect_success(replace_denied);
}

static int write_without_proc(void)
{
	return chroot(".") ? 2 : !is_written("/new", "text") || !has_text("/new", "text") ? 3 : unlink("/new") ? 4 : 0;
}

TEST(an_output_gets_its_name_where_proc_is_not_mounted)
{
	if (geteuid()) /* only root may change its root */
		skip();
	expect_success(write_without_proc);
}
