// SPDX-License-Identifier: Apache-2.0
/*
 * Reads /proc and parses its texts. One read gets a whole file: the kernel produces these files in one piece for a read
 * from the beginning (except cmdline and children, which are not read here).
 */
#include "capture/proc/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/privilege.h"

static int open_file(const char *sysroot, pid_t pid, const char *name)
{
	char path[PATH_MAX];
	bool was_on;
	int fd, used;

	if (pid)
		used = snprintf(path, sizeof path, "%s/proc/%d/%s", sysroot, (int)pid, name);
	else
		used = snprintf(path, sizeof path, "%s/proc/%s", sysroot, name);
	if (used < 0 || (size_t)used >= sizeof path)
		return -ENAMETOOLONG;
	was_on = privilege_reach();
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (was_on)
		privilege_use(true);
	if (fd >= 0)
		return fd;
	if (errno != ENOENT || !pid)
		return -errno;
	snprintf(path, sizeof path, "%s/proc/%d", sysroot, (int)pid);
	return access(path, F_OK) ? -ESRCH : -ENOENT;
}

static ssize_t read_start(int fd, void *buf, size_t size)
{
	ssize_t got;

	do
		got = pread(fd, buf, size, 0);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

ssize_t proc_read(const char *sysroot, pid_t pid, const char *name, void *buf, size_t size)
{
	int fd = open_file(sysroot, pid, name);
	ssize_t got;

	if (fd < 0)
		return fd;
	got = read_start(fd, buf, size);
	close(fd);
	return got;
}

ssize_t proc_file_read(struct proc_file *file, const char *sysroot, pid_t pid, const char *name, void *buf, size_t size)
{
	ssize_t got;

	if (!file->slot) {
		int fd = open_file(sysroot, pid, name);
		if (fd < 0)
			return fd;
		file->slot = fd + 1;
	}
	got = read_start(file->slot - 1, buf, size);
	if (got < 0)
		proc_file_close(file);
	return got;
}

void proc_file_close(struct proc_file *file)
{
	if (file->slot)
		close(file->slot - 1);
	file->slot = 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_end(char c)
{
	return is_blank(c) || c == '\n';
}

/* The word at or after *at, on this line; moves *at behind it. False: end of the line or the text. */
static bool next_word(const char **at, const char *end, const char **word, size_t *len)
{
	const char *p = *at;

	while (p < end && is_blank(*p))
		p++;
	*word = p;
	while (p < end && !is_end(*p))
		p++;
	*at = p;
	*len = (size_t)(p - *word);
	return *len > 0;
}

static bool to_number(const char *word, size_t len, uint64_t *out)
{
	uint64_t value = 0;

	for (size_t i = 0; i < len; i++) {
		if (word[i] < '0' || word[i] > '9' || __builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(word[i] - '0'), &value))
			return false;
	}
	*out = value;
	return len > 0;
}

bool proc_number(const char *text, size_t len, unsigned nth, uint64_t *out)
{
	const char *at = text, *end = text + len, *word;
	size_t word_len;

	do {
		if (!next_word(&at, end, &word, &word_len))
			return false;
	} while (nth--);
	/* A number at the end of the text may have been cut off. */
	return at < end && to_number(word, word_len, out);
}

bool proc_thread_sched(const char *sysroot, pid_t pid, pid_t tid, struct proc_sched *out)
{
	char name[48], text[96];
	struct proc_sched sched;
	ssize_t got;

	snprintf(name, sizeof name, "task/%d/schedstat", (int)tid);
	got = proc_read(sysroot, pid, name, text, sizeof text);
	if (got <= 0 || !proc_number(text, (size_t)got, 0, &sched.ran_ns) ||
	    !proc_number(text, (size_t)got, 1, &sched.waited_ns))
		return false;
	*out = sched;
	return true;
}

bool proc_field(const char *text, size_t len, const char *key, uint64_t *out)
{
	const char *end = text + len;
	size_t key_len = strlen(key);

	while (text < end) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));
		if (!line_end)
			return false;
		if ((size_t)(line_end - text) > key_len && !memcmp(text, key, key_len) && text[key_len] == ':')
			return proc_number(text + key_len + 1, (size_t)(line_end - text) - key_len, 0, out);
		text = line_end + 1;
	}
	return false;
}

bool proc_pressure(const char *text, size_t len, uint64_t *out)
{
	static const char some[] = "some ", total[] = "total=";
	const char *line_end = memchr(text, '\n', len), *at = text, *word;
	size_t word_len;

	if (!line_end || len < sizeof some - 1 || memcmp(text, some, sizeof some - 1))
		return false;
	while (next_word(&at, line_end, &word, &word_len)) {
		if (word_len > sizeof total - 1 && !memcmp(word, total, sizeof total - 1))
			return to_number(word + sizeof total - 1, word_len - (sizeof total - 1), out);
	}
	return false;
}

/* Fields of /proc/PID/stat, counted from the state, which follows the name, as 0. */
enum {
	STAT_PARENT = 1,
	STAT_FLAGS = 6,
	STAT_MINOR = 7,
	STAT_MAJOR = 9,
	STAT_USER = 11,
	STAT_SYSTEM = 12,
	STAT_THREADS = 17,
	STAT_START = 19,
	N_STAT
};
enum {
	STAT_WANTED = 1 << STAT_PARENT | 1 << STAT_FLAGS | 1 << STAT_MINOR | 1 << STAT_MAJOR | 1 << STAT_USER |
	1 << STAT_SYSTEM | 1 << STAT_THREADS | 1 << STAT_START
};

/* From linux/sched.h: a process that has not called exec since its fork, a kernel thread. */
enum { PF_EXITING = 0x00000004, PF_FORKNOEXEC = 0x00000040, PF_KTHREAD = 0x00200000 };

bool proc_stat_parse(const char *text, size_t len, struct proc_stat *out)
{
	const char *open = memchr(text, '(', len), *close = memrchr(text, ')', len), *at, *word;
	uint64_t number[N_STAT] = { 0 };
	struct proc_stat stat = { 0 };
	size_t word_len, name_len;

	if (!open || !close || close < open)
		return false;
	name_len = (size_t)(close - open) - 1;
	if (name_len >= sizeof stat.name || memchr(open, 0, name_len + 1))
		return false;
	memcpy(stat.name, open + 1, name_len);
	at = close + 1;
	for (int i = 0; i < N_STAT; i++) {
		if (!next_word(&at, text + len, &word, &word_len))
			return false;
		if (i == 0)
			stat.state = word[0];
		else if (STAT_WANTED & 1 << i && !to_number(word, word_len, &number[i]))
			return false;
	}
	/* As in proc_number: the last one may have been cut off. */
	if (at == text + len || number[STAT_PARENT] > INT_MAX)
		return false;
	stat.parent = (pid_t)number[STAT_PARENT];
	stat.is_forked = number[STAT_FLAGS] & PF_FORKNOEXEC;
	stat.is_kernel = number[STAT_FLAGS] & PF_KTHREAD;
	stat.is_ending = number[STAT_FLAGS] & PF_EXITING;
	stat.minor_faults = number[STAT_MINOR];
	stat.major_faults = number[STAT_MAJOR];
	if (__builtin_add_overflow(number[STAT_USER], number[STAT_SYSTEM], &stat.cpu_ticks))
		stat.cpu_ticks = UINT64_MAX;
	stat.n_threads = number[STAT_THREADS];
	stat.start_ticks = number[STAT_START];
	*out = stat;
	return true;
}

static bool is_alive(const char *sysroot, pid_t pid, struct proc_stat *stat)
{
	char text[1024];
	ssize_t got = proc_read(sysroot, pid, "stat", text, sizeof text);

	return got > 0 && proc_stat_parse(text, (size_t)got, stat) && stat->state != 'Z' && stat->state != 'X';
}

pid_t proc_living(const char *sysroot, pid_t pid)
{
	struct proc_stat stat = { .n_threads = 0 };
	const struct dirent *entry;
	pid_t living = pid;
	char path[PATH_MAX];
	DIR *dir;

	if (is_alive(sysroot, pid, &stat) ||
	    snprintf(path, sizeof path, "%s/proc/%d/task", sysroot, (int)pid) >= (int)sizeof path)
		return pid;
	dir = opendir(path);
	while (dir && living == pid && (entry = readdir(dir))) {
		pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
		if (thread > 0 && is_alive(sysroot, thread, &stat))
			living = thread;
	}
	if (dir)
		closedir(dir);
	return living;
}

bool proc_cpu_parse(const char *text, size_t len, struct proc_cpu *out)
{
	const char *line_end = memchr(text, '\n', len), *at = text + 4, *word;
	struct proc_cpu cpu = { 0 };
	size_t word_len;
	int n = 0;

	if (!line_end || line_end - text < 4 || memcmp(text, "cpu ", 4))
		return false;
	while (n < N_CPU_FIELDS && next_word(&at, line_end, &word, &word_len)) {
		if (!to_number(word, word_len, &cpu.ticks[n++]))
			return false;
	}
	/* The oldest kernels end at idle. */
	if (n <= CPU_IDLE)
		return false;
	*out = cpu;
	return true;
}

bool proc_is_ours(const char *sysroot)
{
	char link[32], self[32];
	ssize_t got = *sysroot ? -1 : readlink("/proc/self", link, sizeof link);
	int len = snprintf(self, sizeof self, "%d", (int)getpid());

	return got == len && !memcmp(link, self, (size_t)len);
}

uint64_t proc_ticks_ns(uint64_t ticks)
{
	uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK), ns;

	if (__builtin_mul_overflow(ticks / hz, (uint64_t)1000000000, &ns) ||
	    __builtin_add_overflow(ns, ticks % hz * 1000000000 / hz, &ns))
		return UINT64_MAX;
	return ns;
}
