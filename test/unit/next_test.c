// SPDX-License-Identifier: Apache-2.0
/* Watches and holds children of this test; what needs root is skipped without it. */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/processor.h"
#include "capture/probe/next/next_in.h"
#include "capture/proc/modules.h"
#include "capture/proc/proc.h"
#include "cases.h"

/* The actions of a held child, in memory shared with it. */
struct shared {
	volatile uint64_t n_turns;
	volatile int n_signals;
};

static struct shared *shared;

static int map_shared(void **state)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared == MAP_FAILED;
}

static void nap_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static void count_signal(int number)
{
	shared->n_signals++;
}

static pid_t spinning_child(void)
{
	pid_t child;

	memset(shared, 0, sizeof *shared);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGUSR1, count_signal);
		for (;;)
			shared->n_turns++;
	}
	while (!shared->n_turns)
		nap_ms(1);
	return child;
}

static void end_child(pid_t child)
{
	int status;

	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
}

/* The signal that stopped it, from waitpid. */
static int stopped(pid_t child)
{
	struct err err = { 0 };
	int status;

	if (next_hold_begin(child, &err) == -EPERM) {
		end_child(child);
		skip();
	}
	assert_int_equal(err.code, 0);
	assert_int_equal(waitpid(child, &status, __WALL), child);
	assert_true(WIFSTOPPED(status));
	return status;
}

/* The number of attempts, 5 ms apart: on a busy machine it may take long until a child runs. */
enum { PATIENCE = 12000 };

static bool is_running(void)
{
	uint64_t before = shared->n_turns;

	for (int i = 0; i < PATIENCE && shared->n_turns == before; i++)
		nap_ms(5);
	return shared->n_turns != before;
}

TEST(a_held_thread_stands_still_and_goes_on)
{
	uint64_t address;
	pid_t child = spinning_child();
	int status = stopped(child);
	uint64_t turns = shared->n_turns;

	nap_ms(50);
	assert_int_equal(shared->n_turns, turns);
	/* it runs its own code: it may have used everything it has mapped */
	assert_false(next_hold_is_early(child, &address) || next_hold_is_in_loader(child, address));
	next_hold_end(child, status);
	assert_true(is_running());
	end_child(child);
}

TEST(a_signal_that_comes_while_it_is_held_is_not_lost)
{
	pid_t child = spinning_child();
	int status = stopped(child);

	kill(child, SIGUSR1);
	next_hold_end(child, status);
	for (int i = 0; i < PATIENCE && !shared->n_signals; i++)
		nap_ms(5);
	assert_int_equal(shared->n_signals, 1);
	end_child(child);
}

/* It arrives between the two steps of holding: the thread stops for the signal, not for us. */
TEST(a_signal_that_stops_it_first_is_given_to_it)
{
	pid_t child = spinning_child();
	int status;

	if (ptrace(PTRACE_SEIZE, child, 0, 0)) {
		end_child(child);
		skip();
	}
	kill(child, SIGUSR1);
	assert_int_equal(waitpid(child, &status, __WALL), child);
	assert_int_equal(shared->n_signals, 0);
	next_hold_end(child, status);
	for (int i = 0; i < PATIENCE && !shared->n_signals; i++)
		nap_ms(5);
	assert_int_equal(shared->n_signals, 1);
	end_child(child);
}

/* A child that does nothing but map is caught inside the call sooner or later. Otherwise it is in the C library. */
TEST(a_thread_inside_the_call_that_maps_is_held_in_time)
{
	int n_early = 0;
	uint64_t address;
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			munmap(mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
				    -1, 0),
			       64 << 20);
	}
	for (int i = 0; i < PATIENCE && !n_early; i++) {
		int status;
		nap_ms(3);
		status = stopped(child);
		n_early += next_hold_is_early(child, &address) || next_hold_is_in_loader(child, address);
		next_hold_end(child, status);
	}
	end_child(child);
	assert_true(n_early > 0);
}

static bool is_libc(const char *path)
{
	return strstr(path, "/libc.so") || strstr(path, "/libc-");
}

/* The C library, as this process has mapped it. */
static struct next_mapping mapping_of_libc(void)
{
	struct next_mapping mapping = { 0 };
	struct modules modules = { 0 };
	struct err err;

	assert_int_equal(modules_read(&modules, "", getpid(), &err), 0);
	for (size_t i = 0; i < modules.n; i++) {
		const struct module *module = &modules.module[i];

		if (!is_libc(module->path))
			continue;
		mapping = (struct next_mapping){ .pid = getpid(),
						 .start = module->start,
						 .size = module->end - module->start,
						 .offset = module->offset,
						 .major = module->major,
						 .minor = module->minor,
						 .inode = module->inode };
		snprintf(mapping.path, sizeof mapping.path, "%s", module->path);
	}
	modules_done(&modules);
	assert_true(mapping.inode);
	return mapping;
}

/* Makes what the loader has made read-only of the C library as it was before. */
static int unprotect(struct dl_phdr_info *info, size_t size, void *ctx)
{
	for (int i = 0; is_libc(info->dlpi_name) && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uintptr_t begin = (info->dlpi_addr + header->p_vaddr) & ~(page_size() - 1);
		uintptr_t end = (info->dlpi_addr + header->p_vaddr + header->p_memsz) & ~(page_size() - 1);

		if (header->p_type == PT_GNU_RELRO)
			return !mprotect((void *)begin, end - begin, PROT_READ | PROT_WRITE);
	}
	return 0;
}

TEST(a_library_is_being_loaded_until_part_of_its_data_is_read_only)
{
	struct next_mapping mapping = mapping_of_libc(), nowhere = { .pid = getpid(), .path = "/none", .inode = 1 };

	assert_false(next_is_loading(&mapping));
	assert_false(next_is_loading(&nowhere));
	if (!dl_iterate_phdr(unprotect, NULL))
		skip(); /* it has no such part */
	assert_true(next_is_loading(&mapping));
}

static void wait_for_byte(void *job)
{
	char byte;

	if (read(*(int *)job, &byte, 1) < 0)
		abort();
}

static void count_due(void *ctx)
{
	++*(int *)ctx;
}

/* Like a read of a file that nobody answers. What is due is done meanwhile, and the next call is not held up. */
TEST(a_call_that_never_returns_is_left_behind)
{
	static int stuck[2], quick[2];
	int n_due = 0;

	assert_int_equal(pipe(stuck) | pipe(quick), 0);
	for (int i = 0; i < 2; i++)
		assert_false(next_reader_do(wait_for_byte, &stuck[0], count_due, &n_due));
	assert_true(n_due > 2);
	assert_int_equal(write(quick[1], "x", 1), 1);
	assert_true(next_reader_do(wait_for_byte, &quick[0], count_due, &n_due));
	assert_int_equal(write(stuck[1], "xx", 2), 2);
}

/* A process that holds `child` under a name, until the other end of *let_go is closed. */
static pid_t holder(pid_t child, const char *name, int *let_go)
{
	int ends[2], status;
	struct err err;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		close(ends[1]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		if (next_hold_begin(child, &err) || waitpid(child, &status, __WALL) != child)
			_exit(1);
		while (read(ends[0], &byte, 1) > 0)
			;
		next_hold_end(child, status);
		_exit(0);
	}
	close(ends[0]);
	*let_go = ends[1];
	return pid;
}

/* The answer of next_hold_begin once it is the holder's. */
static int refusal(pid_t child, pid_t holder_pid)
{
	char expected[32], status[4096];
	struct err err = { 0 };
	int n;

	snprintf(expected, sizeof expected, "TracerPid:\t%d\n", (int)holder_pid);
	do {
		nap_ms(1);
		n = (int)proc_read("", child, "status", status, sizeof status - 1);
		assert_true(n > 0);
		status[n] = 0;
	} while (!strstr(status, expected));
	return next_hold_begin(child, &err);
}

TEST(what_another_inftrace_holds_is_to_be_had_later)
{
	const struct {
		const char *name;
		int code;
	} cases[] = { { NEXT_HOLD_NAME, -EBUSY }, { "gdb", -EPERM }, { NEXT_HOLD_NAME "2", -EPERM } };
	int let_go;

	if (geteuid())
		skip();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		pid_t child = spinning_child(), other = holder(child, cases[i].name, &let_go);

		assert_int_equal(refusal(child, other), cases[i].code);
		close(let_go);
		assert_int_equal(waitpid(other, NULL, 0), other);
		next_hold_end(child, stopped(child));
		end_child(child);
	}
}

TEST(what_is_gone_is_an_error)
{
	struct err err = { 0 };
	pid_t child = fork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	assert_int_equal(next_hold_begin(child, &err), -ESRCH);
	assert_non_null(strstr(err.msg, "is gone"));
}

static void open_events(struct next_events *events)
{
	struct err err = { 0 };
	int code = next_events_open(events, &err);

	if (code == -EACCES)
		skip();
	assert_int_equal(code, 0);
}

/* Maps a file as code n times in a row. */
static int map_often(const char *path, int n, struct stat *stat_)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0 && !ftruncate(fd, 2 * (off_t)page_size()) && !fstat(fd, stat_));
	for (int i = 0; i < n; i++) {
		void *at = mmap(NULL, page_size(), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, (off_t)page_size());
		assert_true(at != MAP_FAILED);
		munmap(at, page_size());
	}
	close(fd);
	unlink(path);
	return n;
}

TEST(a_mapping_is_told_with_its_file)
{
	static struct next_mapping mapping;
	static struct next_events events;
	struct stat stat_;
	char path[64];
	int n = 0;

	open_events(&events);
	snprintf(path, sizeof path, "/tmp/inftrace-next-%d", (int)getpid());
	map_often(path, 1, &stat_);
	while (next_events_take(&events, &mapping)) {
		if (mapping.pid != getpid() || mapping.inode != stat_.st_ino)
			continue;
		assert_string_equal(mapping.path, path);
		assert_int_equal(mapping.tid, getpid());
		assert_int_equal(mapping.size, page_size());
		assert_int_equal(mapping.offset, page_size());
		n++;
	}
	assert_int_equal(n, 1);
}

/* More than fits into the ring: it wraps, and losses are counted. */
TEST(none_is_lost_uncounted)
{
	static struct next_mapping mapping;
	static struct next_events events;
	struct stat stat_;
	uint64_t n_seen = 0, n_made = 0;
	cpu_set_t here;
	char path[64];

	/* the kernel reports a loss with the next mapping on the same processor */
	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	assert_int_equal(sched_setaffinity(0, sizeof here, &here), 0);
	open_events(&events);
	snprintf(path, sizeof path, "/tmp/inftrace-next-%d", (int)getpid());
	for (int round = 0; round < 6; round++) {
		n_made += (uint64_t)map_often(path, round == 4 ? 20000 : 300, &stat_);
		while (next_events_take(&events, &mapping))
			n_seen += mapping.pid == getpid() && !strcmp(mapping.path, path);
	}
	assert_true(n_seen < n_made);
	assert_true(n_seen >= 5 * 300);
	assert_true(n_seen + events.n_lost >= n_made);
}

TEST_GROUP(map_shared, NULL)
