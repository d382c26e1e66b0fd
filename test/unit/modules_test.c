// SPDX-License-Identifier: Apache-2.0
/* The modules of this process, which maps the files that the tests need. */
#include "capture/proc/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/proc/file_look.h"
#include "cases.h"

enum { BIG = 300 << 10 };

static char folder[] = "/tmp/inftrace-modules-XXXXXX";

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	return rmdir(folder);
}

static void path_of(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", folder, name);
}

/* A copy of a small runtime, enlarged to the least size of runtimes. */
static int copy(const char *from, const char *name, char *path, size_t size)
{
	static char data[BIG];
	int fd = open(from, O_RDONLY | O_CLOEXEC);

	path_of(path, size, name);
	memset(data, 0, sizeof data);
	assert_true(fd >= 0 && read(fd, data, sizeof data) > 0);
	close(fd);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0 && write(fd, data, sizeof data) == sizeof data);
	return fd;
}

static const struct module *mapped_at(const struct modules *modules, const void *address)
{
	for (size_t i = 0; i < modules->n; i++)
		if (modules->module[i].start == (uint64_t)address)
			return &modules->module[i];
	return NULL;
}

static bool is_same_file(int a, int b)
{
	struct stat left, right;

	return !fstat(a, &left) && !fstat(b, &right) && left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

TEST(a_line_of_maps_is_taken_apart)
{
	char code[] =
	    "7f0e1000-7f0e2000 r-xp 00001000 fd:01 1234567                    /opt/a b/lib\\012c.so (deleted)\n";
	char data[] = "7f0e1000-7f0e2000 rw-p 00001000 fd:01 1234567                    /opt/lib.so\n";
	char none[] = "7f0e1000-7f0e2000 r-xp 00000000 00:00 0\n",
	     vdso[] = "7f0e1000-7f0e2000 r-xp 00000000 00:00 0   [vdso]\n";
	char odd[] = "7f0e2000-7f0e1000 r-xp 00000000 fd:01 12 /opt/lib.so\n", cut[] = "7f0e1000-7f0e2000 r-x";
	struct module module;

	assert_true(modules_parse(code, &module));
	assert_string_equal(module.path, "/opt/a b/lib\nc.so");
	assert_true(module.is_deleted);
	assert_int_equal(module.start, 0x7f0e1000);
	assert_int_equal(module.end, 0x7f0e2000);
	assert_int_equal(module.offset, 0x1000);
	assert_int_equal(module.major, 0xfd);
	assert_int_equal(module.minor, 1);
	assert_int_equal(module.inode, 1234567);
	assert_false(modules_parse(data, &module));
	assert_false(modules_parse(none, &module));
	assert_false(modules_parse(vdso, &module));
	assert_false(modules_parse(odd, &module));
	assert_false(modules_parse(cut, &module));
}

TEST(own_modules_are_there_and_open)
{
	struct modules modules;
	struct err err = { 0 };
	int own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), n_own = 0;

	assert_int_equal(modules_read(&modules, "", getpid(), &err), 0);
	assert_false(modules.is_32bit);
	for (size_t i = 0; i < modules.n; i++) {
		int fd = modules_open(getpid(), &modules.module[i], &err);
		assert_true(fd >= 0);
		n_own += is_same_file(fd, own);
		close(fd);
	}
	assert_int_equal(n_own, 1);
	modules_done(&modules);
	close(own);
}

static uint64_t own_mark(void)
{
	struct modules modules;
	struct err err = { 0 };
	uint64_t mark;

	assert_int_equal(modules_read(&modules, "", getpid(), &err), 0);
	mark = modules_mark(&modules);
	modules_done(&modules);
	return mark;
}

TEST(a_mark_tells_whether_the_same_code_is_mapped)
{
	char path[64];
	uint64_t before = own_mark(), with, elsewhere;
	int fd = copy("/proc/self/exe", "marked", path, sizeof path);
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0), *other;

	assert_true(at != MAP_FAILED && before);
	assert_int_equal(own_mark(), with = own_mark());
	assert_int_not_equal(with, before);
	other = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	munmap(at, 4096);
	elsewhere = own_mark();
	assert_int_not_equal(elsewhere, with);
	munmap(other, 4096);
	assert_int_equal(own_mark(), before);
	close(fd);
	unlink(path);
}

TEST(a_process_that_is_gone_is_an_error)
{
	struct modules modules;
	struct err err = { 0 };
	pid_t child = fork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	assert_int_equal(modules_read(&modules, "", child, &err), -ESRCH);
	assert_non_null(strstr(err.msg, "it has ended"));
	modules_done(&modules);
}

/* Maps it, lets `change` change its path, and opens it with the current line of maps. */
static void check_open_after(void (*change)(const char *path), bool is_kept)
{
	struct modules modules;
	struct err err = { 0 };
	char path[256];
	int fd = copy(TEST_DIR "/data/elf/good/plain.so", "lib.so", path, sizeof path), opened, held = dup(fd);
	void *at = mmap(NULL, BIG, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	const struct module *module;

	assert_true(at != MAP_FAILED);
	if (!is_kept)
		close(fd);
	change(path);
	assert_int_equal(modules_read(&modules, "", getpid(), &err), 0);
	module = mapped_at(&modules, at);
	assert_non_null(module);
	opened = modules_open(getpid(), module, &err);
	if (opened < 0)
		fail_msg("%s", err.msg);
	assert_true(is_same_file(opened, held));
	close(opened);
	close(held);
	if (is_kept)
		close(fd);
	modules_done(&modules);
	munmap(at, BIG);
	unlink(path);
}

static void delete(const char *path)
{
	assert_int_equal(unlink(path), 0);
}

static void replace(const char *path)
{
	char other[256];

	close(copy(TEST_DIR "/data/elf/good/relr.so", "other.so", other, sizeof other));
	assert_int_equal(rename(other, path), 0);
}

static void leave(const char *path)
{
}

TEST(a_deleted_file_is_still_reached)
{
	check_open_after(delete, true);
}

TEST(a_replaced_file_is_not_taken_for_the_mapped_one)
{
	check_open_after(replace, true);
	check_open_after(leave, false);
}

/* Like in another mount namespace: the path leads to another file here. */
TEST(a_path_that_leads_elsewhere_is_not_followed)
{
	struct modules modules;
	struct err err = { 0 };
	char path[256], other[256];
	int fd = copy(TEST_DIR "/data/elf/good/plain.so", "lib.so", path, sizeof path), opened;
	void *at = mmap(NULL, BIG, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	struct module module;

	close(copy(TEST_DIR "/data/elf/good/relr.so", "other.so", other, sizeof other));
	assert_int_equal(modules_read(&modules, "", getpid(), &err), 0);
	assert_non_null(mapped_at(&modules, at));
	module = *mapped_at(&modules, at);
	module.path = other;
	opened = modules_open(getpid(), &module, &err);
	assert_true(opened >= 0);
	assert_true(is_same_file(opened, fd));
	close(opened);
	close(fd);
	modules_done(&modules);
	munmap(at, BIG);
	unlink(path);
	unlink(other);
}

TEST(a_runtime_is_told_by_its_names_and_remembered)
{
	struct modules_seen seen = { 0 };
	enum modules_verdict verdict;
	char path[256];
	int fd = copy(TEST_DIR "/data/elf/good/plain.so", "lib.so", path, sizeof path);
	int own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_false(modules_is_known(&seen, fd, &verdict));
	assert_int_equal(modules_look(&seen, fd), MODULES_RUNTIME);
	assert_true(modules_is_known(&seen, fd, &verdict));
	assert_int_equal(verdict, MODULES_RUNTIME);
	/* the same inode, changed */
	assert_int_equal(pwrite(fd, "", 1, 0), 1);
	assert_int_equal(modules_look(&seen, fd), MODULES_OTHER);
	assert_int_equal(modules_look(&seen, own), MODULES_OTHER);
	modules_seen_done(&seen);
	close(own);
	close(fd);
	unlink(path);
}

TEST(many_files_are_remembered)
{
	struct modules_seen seen = { 0 };
	enum modules_verdict verdict;
	int fd[600];

	for (int i = 0; i < 600; i++) {
		fd[i] = memfd_create("file", MFD_CLOEXEC);
		assert_true(fd[i] >= 0);
		assert_int_equal(ftruncate(fd[i], BIG), 0);
		modules_look(&seen, fd[i]);
	}
	for (int i = 0; i < 600; i++) {
		assert_true(modules_is_known(&seen, fd[i], &verdict));
		close(fd[i]);
	}
	modules_seen_done(&seen);
}

TEST(a_child_finds_what_the_parent_would)
{
	int fd = open(TEST_DIR "/data/elf/good/plain.so", O_RDONLY | O_CLOEXEC);
	struct probe_sites here, there;
	struct image_file file;
	struct err err = { 0 };

	assert_int_equal(image_file_open(&file, fd, "it", &err), 0);
	assert_int_equal(probe_sites_find(&here, &file, NULL, &err), 0);
	assert_int_equal(file_look_sites(&there, fd, "it", NULL, &err), 0);
	assert_int_equal(here.n, there.n);
	assert_memory_equal(here.first, there.first, sizeof here.first);
	assert_string_equal(here.version, there.version);
	for (size_t i = 0; i < here.n; i++)
		assert_int_equal(here.site[i].offset, there.site[i].offset);
	probe_sites_done(&here);
	probe_sites_done(&there);
	image_file_close(&file);
	close(fd);
}

TEST(what_the_child_refuses_the_parent_says)
{
	int fd = open(TEST_DIR "/data/elf/bad/cut.so", O_RDONLY | O_CLOEXEC);
	struct probe_sites sites;
	struct err err = { 0 };

	assert_int_equal(file_look_sites(&sites, fd, "it", NULL, &err), -ENOEXEC);
	assert_string_equal(err.msg,
			    "cannot read it: at byte 120: it is truncated: a segment ends behind the end of the file");
	assert_int_equal(file_look_sites(&sites, fd, "i\033t", NULL, &err), -ENOEXEC);
	assert_non_null(strstr(err.msg, "cannot read i?t: at byte 120"));
	probe_sites_done(&sites);
	close(fd);
}

TEST(a_device_that_is_mapped_is_not_opened)
{
	int device = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, device, 0);
	struct modules modules;
	struct err err = { 0 };
	int n = 0;

	close(device);
	assert_ptr_not_equal(at, MAP_FAILED);
	assert_int_equal(modules_read(&modules, "", getpid(), &err), 0);
	for (size_t i = 0; i < modules.n; i++) {
		if (strcmp(modules.module[i].path, "/dev/zero") != 0)
			continue;
		n++;
		assert_true(modules_open(getpid(), &modules.module[i], &err) < 0);
	}
	assert_int_equal(n, 1);
	modules_done(&modules);
	munmap(at, 4096);
}

/* Without root, with these capabilities alone, tries to open a file of its parent that only root may read. */
static int open_as_nobody(const struct module *module, uint64_t rights, char *why, size_t size)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct some[2] = { { (uint32_t)rights, (uint32_t)rights, 0 }, { 0 } };
	int ends[2], status;
	struct err err = { 0 };
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		if (prctl(PR_SET_KEEPCAPS, 1) || syscall(SYS_setresuid, 65534, 65534, 65534) ||
		    syscall(SYS_capset, &header, some))
			_exit(1);
		err.code = -modules_open(getppid(), module, &err);
		_exit(write(ends[1], &err, sizeof err) != sizeof err);
	}
	close(ends[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(read(ends[0], &err, sizeof err), sizeof err);
	close(ends[0]);
	snprintf(why, size, "%s", err.msg);
	return err.code;
}

TEST(what_keeps_it_from_a_file_is_told_apart)
{
	char path[256], why[sizeof((struct err *)0)->msg];
	int fd = copy(TEST_DIR "/data/elf/good/plain.so", "lib.so", path, sizeof path);
	void *at = mmap(NULL, BIG, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	struct modules modules;
	struct err err;

	close(fd);
	assert_int_equal(modules_read(&modules, "", getpid(), &err), 0);
	if (!geteuid()) {
		assert_int_equal(open_as_nobody(mapped_at(&modules, at), 0, why, sizeof why), EACCES);
		assert_non_null(strstr(why, "this needs CAP_SYS_PTRACE"));
		assert_int_equal(open_as_nobody(mapped_at(&modules, at), 1u << CAP_SYS_PTRACE, why, sizeof why),
				 EACCES);
		assert_non_null(strstr(why, "cap_dac_read_search"));
	}
	modules_done(&modules);
	munmap(at, BIG);
	unlink(path);
	if (geteuid())
		skip();
}

/* Like a child that a hostile file has taken over. */
static int answer_and_stay(const struct image_file *file, void *result, struct err *err)
{
	struct {
		int32_t failed;
		struct err err;
		int result;
	} answer = { .result = 42 };

	if (write(STDOUT_FILENO, &answer, sizeof answer) == sizeof answer)
		for (;;)
			pause();
	return -EIO;
}

TEST(a_child_that_does_not_end_is_not_waited_for)
{
	int fd = open(TEST_DIR "/data/elf/good/plain.so", O_RDONLY | O_CLOEXEC), result = 0;
	struct err err = { 0 };

	alarm(60);
	assert_int_equal(file_look_at(answer_and_stay, &result, sizeof result, fd, "it", &err), 0);
	alarm(0);
	assert_int_equal(result, 42);
	close(fd);
}

/* Longer than it may take on a CPU of its own: a machine that is busy, a quota. */
static int answer_slowly(const struct image_file *file, void *result, struct err *err)
{
	for (int i = 0; i < 11; i++) {
		clock_t until = clock() + CLOCKS_PER_SEC / 500;

		while (clock() < until)
			;
		sleep(1);
	}
	*(int *)result = 42;
	return 0;
}

static int answer_never(const struct image_file *file, void *result, struct err *err)
{
	for (;;)
		pause();
	return 0;
}

TEST(a_child_is_waited_for_as_long_as_it_computes)
{
	int fd = open(TEST_DIR "/data/elf/good/plain.so", O_RDONLY | O_CLOEXEC), result = 0, status;
	struct err err = { 0 };
	pid_t other = fork();

	if (!other)
		_exit(file_look_at(answer_never, &result, sizeof result, fd, "it", &err) != -ETIME);
	assert_int_equal(file_look_at(answer_slowly, &result, sizeof result, fd, "it", &err), 0);
	assert_int_equal(result, 42);
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(status, 0);
	close(fd);
}

/* Another process truncates and restores the file while it is being read. */
TEST(a_file_that_shrinks_is_an_error_at_most)
{
	int n_found = 0, n_failed = 0;
	char path[256];
	int fd = copy(TEST_DIR "/data/elf/good/plain.so", "lib.so", path, sizeof path), status;
	static char data[BIG];
	pid_t child;

	assert_int_equal(pread(fd, data, sizeof data, 0), sizeof data);
	child = fork();
	if (!child)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!child) {
		if (ftruncate(fd, 5000) || pwrite(fd, data, sizeof data, 0) < 0)
			_exit(1);
	}
	/* until it was read while truncated */
	while (n_found + n_failed < 100 || (!n_failed && n_found < 10000)) {
		struct probe_sites sites;
		struct err err = { 0 };
		if (file_look_sites(&sites, fd, "it", NULL, &err))
			n_failed++;
		else
			n_found++;
		probe_sites_done(&sites);
	}
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_true(n_failed > 0);
	close(fd);
	unlink(path);
}

TEST_GROUP(make_folder, remove_folder)
