// SPDX-License-Identifier: Apache-2.0
/*
 * For test_sites.py:
 *   sites_tool sites FILE...     the places of probes, found in a child process as inftrace does it: a line
 *                                "kind offset address cheap start" per site, and the time taken
 *   sites_tool lengths FILE      "address size emulated" of each instruction of each function of the file (x86-64)
 *   sites_tool modules PID       "verdict inode path", and whether each file could be opened
 *   sites_tool broken FILE N     counts outcomes for the file cut off at N places, and changed in N ways
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/proc/file_look.h"
#include "capture/proc/modules.h"
#include "runtime/find/eh_frame.h"
#ifdef __x86_64__
#include "runtime/find/x86_insn.h"
#endif

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		fprintf(stderr, "cannot open %s: %s\n", path, strerror(errno));
		exit(3);
	}
	return fd;
}

static void print_site(const struct probe_site *site, const struct eh_frame *frames)
{
	struct eh_function function = { 0, 0 };

	eh_frame_function(frames, site->address, &function);
	printf("%s\t%llu\t%llu\t%d\t%llu\n", probe_kind_name((enum probe_kind)site->kind),
	       (unsigned long long)site->offset, (unsigned long long)site->address, site->is_cheap,
	       (unsigned long long)function.start);
}

static int print_sites(const char *path)
{
	int fd = open_file(path);
	struct probe_sites sites;
	struct image_file file;
	struct eh_frame frames;
	struct err err = { 0 };
	double start = now_ms();
	int failed = file_look_sites(&sites, fd, path, NULL, &err);

	if (failed) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	printf("version\t%s\t%d\nbuild id\t%s\nold strings\t%d\nleft out\t%s\nms\t%.1f\n", sites.version, sites.minor,
	       sites.build_id, sites.is_old_string, sites.left_out, now_ms() - start);
	if (image_file_open(&file, fd, path, &err) ||
	    eh_frame_open(&frames, image_file_image(&file), file.frames, file.frames_end, &err))
		return 1;
	for (size_t i = 0; i < sites.n; i++)
		print_site(&sites.site[i], &frames);
	image_file_close(&file);
	probe_sites_done(&sites);
	close(fd);
	return 0;
}

#ifdef __x86_64__
static void print_function(const struct image *image, const struct eh_function *function)
{
	struct x86_insn insn;

	for (uint64_t at = function->start; at < function->end; at += insn.size) {
		size_t room = function->end - at < 15 ? function->end - at : 15;
		const uint8_t *code = image_at(image, at, room, IMAGE_X);
		if (!code || !x86_insn_decode(&insn, code, room)) {
			printf("%llx\t0\n", (unsigned long long)at);
			return;
		}
		printf("%llx\t%d\t%d\n", (unsigned long long)at, insn.size, insn.is_emulated);
	}
}

static int print_lengths(const char *path)
{
	struct image_file file;
	struct eh_frame frames;
	struct err err = { 0 };
	uint64_t last = 0;

	if (image_file_open(&file, open_file(path), path, &err) ||
	    eh_frame_open(&frames, image_file_image(&file), file.frames, file.frames_end, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	for (size_t i = 0; i < frames.n; i++) {
		struct eh_function function;
		int32_t start;
		memcpy(&start, frames.table + i * 8, 4);
		if (!eh_frame_function(&frames, frames.header + (uint64_t)(int64_t)start, &function) ||
		    function.start < last)
			continue;
		last = function.end;
		print_function(image_file_image(&file), &function);
	}
	return 0;
}
#else
/* All have 4 bytes. */
static int print_lengths(const char *path)
{
	return 2;
}
#endif

static int print_modules(pid_t pid)
{
	static const char *const verdicts[] = { "other", "runtime", "library" };
	struct modules_seen seen = { 0 };
	struct modules modules;
	struct err err = { 0 };

	if (modules_read(&modules, "", pid, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	for (size_t i = 0; i < modules.n; i++) {
		const struct module *module = &modules.module[i];
		int fd = modules_open(pid, module, &err);
		printf("%s\t%llu\t%s\t%d\t%s\n", fd < 0 ? "refused" : verdicts[modules_look(&seen, fd)],
		       (unsigned long long)module->inode, module->path, module->is_deleted, fd < 0 ? err.msg : "");
		if (fd >= 0)
			close(fd);
	}
	modules_seen_done(&seen);
	modules_done(&modules);
	return 0;
}

static uint64_t seed = 88172645463325252u;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* 0 if sites were found, else -errno. */
static int try_broken(const uint8_t *data, size_t size, size_t *n_sites)
{
	struct probe_sites sites = { 0 };
	struct err err = { 0 };
	int fd = memfd_create("broken", MFD_CLOEXEC), failed;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		exit(3);
	failed = file_look_sites(&sites, fd, "broken", NULL, &err);
	*n_sites = sites.n;
	if (failed == -EIO || failed == -ETIME)
		printf("died\t%s\n", err.msg);
	probe_sites_done(&sites);
	close(fd);
	return failed;
}

static int try_all_broken(const char *path, int n)
{
	int fd = open_file(path), n_found = 0, n_refused = 0;
	struct stat stat_;
	size_t n_sites, size;
	uint8_t *data;

	if (fstat(fd, &stat_))
		return 3;
	size = (size_t)stat_.st_size;
	data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return 3;
	for (int i = 0; i < n; i++)
		*(try_broken(data, size * (size_t)i / (size_t)n, &n_sites) ? &n_refused : &n_found) += 1;
	printf("cut\t%d\t%d\n", n_found, n_refused);
	n_found = n_refused = 0;
	for (int i = 0; i < n; i++) {
		/* half of the changes are in headers, dynamic section, relocations and tables */
		for (int k = 0; k < 1 << (i % 12); k++)
			data[next_random() % (i & 1 ? size : i & 2 ? 4096 : size / 4)] = (uint8_t)next_random();
		*(try_broken(data, size, &n_sites) ? &n_refused : &n_found) += 1;
		if (mmap(data, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
			return 3;
	}
	printf("changed\t%d\t%d\n", n_found, n_refused);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc < 3)
		return 2;
	for (int i = 2; i < argc && !strcmp(argv[1], "sites"); i++)
		failed |= print_sites(argv[i]);
	if (!strcmp(argv[1], "lengths"))
		failed = print_lengths(argv[2]);
	else if (!strcmp(argv[1], "modules"))
		failed = print_modules(atoi(argv[2]));
	else if (!strcmp(argv[1], "broken") && argc > 3)
		failed = try_all_broken(argv[2], atoi(argv[3]));
	return failed;
}
