/* SPDX-License-Identifier: Apache-2.0 */
/*
 * silent_fs FOLDER: mounts a file system with one file, "file", that can be opened and mapped, but whose contents are
 * never read: nobody answers. Maps it executable in a thread, prints "mapped US" for how long that thread stood still
 * from then on, and serves until its standard input ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int fuse;
static const char *folder;

static void answer(uint64_t unique, const void *data, size_t size, int error)
{
	char out[4096];
	struct fuse_out_header head = { (uint32_t)(sizeof head + size), -error, unique };

	memcpy(out, &head, sizeof head);
	if (size)
		memcpy(out + sizeof head, data, size);
	if (write(fuse, out, sizeof head + size) < 0 && errno != ENOENT)
		exit(1);
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){
		.ino = node, .size = 1 << 20, .mode = node == 1 ? S_IFDIR | 0755 : S_IFREG | 0755, .nlink = 1
	};
}

static void serve(const struct fuse_in_header *in)
{
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION,
				      .minor = FUSE_KERNEL_MINOR_VERSION,
				      .max_write = 4096 };
	struct fuse_entry_out entry = { .nodeid = 2, .attr = attributes(2), .entry_valid = 1000, .attr_valid = 1000 };
	struct fuse_attr_out attr = { .attr_valid = 1000, .attr = attributes(in->nodeid) };
	struct fuse_open_out opened = { .open_flags = FOPEN_KEEP_CACHE };

	if (in->opcode == FUSE_INIT)
		answer(in->unique, &init, sizeof init, 0);
	else if (in->opcode == FUSE_LOOKUP)
		answer(in->unique, &entry, sizeof entry, 0);
	else if (in->opcode == FUSE_GETATTR)
		answer(in->unique, &attr, sizeof attr, 0);
	else if (in->opcode == FUSE_OPEN || in->opcode == FUSE_OPENDIR)
		answer(in->unique, &opened, sizeof opened, 0);
	else if (in->opcode != FUSE_READ && in->opcode != FUSE_FORGET)
		answer(in->unique, NULL, 0, ENOSYS);
}

static void *serve_all(void *arg)
{
	static _Alignas(8) char in[1 << 17];

	(void)arg;
	while (read(fuse, in, sizeof in) > 0)
		serve((const struct fuse_in_header *)in);
	return NULL;
}

static void *map(void *arg)
{
	struct timespec from, to;
	char path[4096];
	int fd;

	(void)arg;
	snprintf(path, sizeof path, "%s/file", folder);
	fd = open(path, O_RDONLY);
	clock_gettime(CLOCK_MONOTONIC, &from);
	if (fd < 0 || mmap(NULL, 1 << 20, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		exit(2);
	for (int i = 0; i < 1000; i++)
		usleep(100);
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("mapped %lld\n", (long long)(to.tv_sec - from.tv_sec) * 1000000 + (to.tv_nsec - from.tv_nsec) / 1000);
	fflush(stdout);
	return NULL;
}

int main(int argc, char **argv)
{
	char options[128], byte;
	pthread_t server, mapper;

	folder = argv[argc - 1];
	fuse = open("/dev/fuse", O_RDWR);
	snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fuse);
	if (fuse < 0 || mount("silent", folder, "fuse", MS_NOSUID | MS_NODEV, options)) {
		printf("no fuse: %s\n", strerror(errno));
		return 0;
	}
	pthread_create(&server, NULL, serve_all, NULL);
	pthread_create(&mapper, NULL, map, NULL);
	while (read(0, &byte, 1) > 0)
		;
	umount2(folder, MNT_FORCE | MNT_DETACH); /* ends what waits for an answer, too */
	_exit(0);
}
