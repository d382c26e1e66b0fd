// SPDX-License-Identifier: Apache-2.0
/* Maps files, and spools input that cannot be mapped. Interprets no bytes: decompressor.c knows compressed ones. */
#include "trace/import/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/rotate/rotate_folder.h"

enum { CHUNK = 256 << 10 };

static int failed(const char *path, const char *verb, struct err *err)
{
	return err_set(err, errno, "cannot %s %s: %s", verb, path, strerror(errno));
}

/* A temporary file without a name, which disappears when closed. */
static int open_spool(struct err *err)
{
	const char *folder = getenv("TMPDIR");
	char path[500];
	int fd;

	if (!folder || !*folder)
		folder = "/tmp";
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 && snprintf(path, sizeof path, "%s/inftrace-XXXXXX", folder) < (int)sizeof path) {
		fd = mkostemp(path, O_CLOEXEC); /* a file system without O_TMPFILE */
		if (fd >= 0)
			unlink(path);
	}
	if (fd < 0)
		err_set(err, errno, "cannot make a temporary file in %s: %s; set TMPDIR to another folder", folder,
			strerror(errno));
	return fd;
}

static int copy(int from, int to, const char *path, struct err *err)
{
	char *chunk = malloc(CHUNK);
	int code = chunk ? 0 : err_set(err, ENOMEM, "cannot read %s: out of memory", path);
	ssize_t n = 1;

	while (!code && n) {
		n = read(from, chunk, CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		code = n < 0 ? failed(path, "read", err) : decompressor_write(to, chunk, (size_t)n, err);
	}
	free(chunk);
	return code;
}

static int refuse_empty(const char *path, struct err *err)
{
	size_t len = strlen(path);

	return err_set(err, EINVAL, "cannot read %s: it is empty, nothing was recorded%s", path,
		       len > 5 && !strcmp(path + len - 5, ".json")
			   ? "; ONNX Runtime writes its profile when the session is closed or end_profiling() is called"
			   : "");
}

static int map(struct input *input, int fd, const char *path, struct err *err)
{
	struct stat stat;
	void *data;

	if (fstat(fd, &stat))
		return failed(path, "read", err);
	if (!stat.st_size)
		return refuse_empty(path, err);
	data = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return err_set(err, errno, "cannot map %s into memory: %s", path, strerror(errno));
	madvise(data, (size_t)stat.st_size, MADV_SEQUENTIAL);
	input->data = data;
	input->size = (size_t)stat.st_size;
	return 0;
}

static int spool(struct input *input, int from, const char *path, struct err *err)
{
	int to = open_spool(err), code = to < 0 ? -err->code : copy(from, to, path, err);

	if (!code)
		code = map(input, to, path, err);
	if (to >= 0)
		close(to);
	return code;
}

static void unmap(struct input *input)
{
	if (input->size)
		munmap((void *)input->data, input->size);
	input->data = NULL;
	input->size = 0;
}

/* What is compressed is decompressed into a temporary file, which takes its place. */
static int decompress(struct input *input, const struct decompressor *decompressor, const char *path, struct err *err)
{
	int to = open_spool(err), code = to < 0 ? -err->code : 0;

	if (!code) {
		code = decompressor->run(input, to, err);
		if (!code && input->is_cut && !lseek(to, 0, SEEK_CUR))
			code = err_set(err, EBADMSG, "its %s data is cut off before the first block of it",
				       decompressor->name);
		unmap(input);
		if (code)
			err_wrap(err, "cannot read %s", path);
		else
			code = map(input, to, path, err);
	}
	if (to >= 0)
		close(to);
	return code;
}

/* The file; or, of a recording that is not complete, the folder with its segments. */
static int open_path(const char *path)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
	struct rotate_path folder;
	int fd = open(path, flags), code = errno;

	if (fd >= 0 || code != ENOENT)
		return fd;
	folder = rotate_folder_of(path);
	fd = *folder.s ? open(folder.s, flags | O_DIRECTORY) : -1;
	if (fd < 0)
		errno = code;
	return fd;
}

int input_open(struct input *input, const char *path, struct err *err)
{
	bool is_standard = !strcmp(path, "-");
	int fd = is_standard ? dup(STDIN_FILENO) : open_path(path), code;
	const struct decompressor *decompressor;
	struct stat stat;

	*input = (struct input){ 0 };
	if (is_standard)
		path = INPUT_STANDARD;
	if (fd < 0)
		return failed(path, "open", err);
	if (fstat(fd, &stat))
		code = failed(path, "inspect", err);
	else if (S_ISREG(stat.st_mode))
		code = map(input, fd, path, err);
	else if (S_ISDIR(stat.st_mode))
		code = input_group_open(input, fd, path, err);
	else if (!S_ISFIFO(stat.st_mode) && !S_ISSOCK(stat.st_mode))
		code = err_set(err, EINVAL, "cannot read %s: it is not a file", path);
	else if (!is_standard && fcntl(fd, F_SETFL, 0)) /* was opened without blocking for a writer */
		code = failed(path, "read", err);
	else
		code = spool(input, fd, path, err);
	close(fd);
	decompressor = code ? NULL : decompressor_of(input);
	return decompressor ? decompress(input, decompressor, path, err) : code;
}

void input_forget(const struct input *input)
{
	if (input->size)
		madvise((void *)input->data, input->size, MADV_DONTNEED);
}

void input_forget_part(const char *data, size_t size)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = ((uintptr_t)data + page - 1) / page * page,
			to = ((uintptr_t)data + size) / page * page;

	if (from < to)
		madvise((void *)from, to - from, MADV_DONTNEED);
}

void input_close(struct input *input)
{
	unmap(input);
	input->is_cut = false;
}
