// SPDX-License-Identifier: Apache-2.0
/* Copies bytes of segments. Reads no packet and chooses no segment. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/invoker.h"
#include "base/new_name.h"
#include "trace/rotate/rotate_folder.h"
#include "trace/rotate/rotate_in.h"

int rotate_copy_begin(struct rotate_copy *copy, int folder, const char *name, struct err *err)
{
	*copy = (struct rotate_copy){ .folder = folder };
	snprintf(copy->part, sizeof copy->part, "%.20s.part", name);
	unlinkat(folder, copy->part, 0);
	copy->to = openat(folder, copy->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (copy->to < 0)
		return err_set(err, errno, "cannot create %s: %s", copy->part, strerror(errno));
	invoker_give(copy->to);
	return 0;
}

/* Where the kernel cannot copy from file to file. */
static ssize_t copy_by_hand(int from, off_t at, int to, size_t size)
{
	char chunk[1 << 16];
	ssize_t n = pread(from, chunk, size < sizeof chunk ? size : sizeof chunk, at), done = 0;

	while (n > 0 && done < n) {
		ssize_t put = write(to, chunk + done, (size_t)(n - done));
		if (put < 0 && errno != EINTR)
			return -1;
		done += put > 0 ? put : 0;
	}
	return n;
}

static ssize_t copy_some(int from, off_t at, int to, size_t size)
{
	off_t begin = at;
	ssize_t n = copy_file_range(from, &at, to, NULL, size, 0);

	if (n < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP))
		return copy_by_hand(from, begin, to, size);
	return n;
}

int rotate_copy_add(struct rotate_copy *copy, uint64_t number, uint64_t *at, uint64_t end, uint64_t max,
		    struct err *err)
{
	struct rotate_name name = rotate_folder_name(number);
	int from = openat(copy->folder, name.s, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), code = 0;

	if (from < 0)
		return err_set(err, errno, "cannot open %s: %s", name.s, strerror(errno));
	while (!code && *at < end && max) {
		uint64_t want = end - *at < max ? end - *at : max;
		ssize_t n = copy_some(from, (off_t)*at, copy->to, want);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			code = err_set(err, n ? errno : EIO, "cannot copy %s: %s", name.s,
				       n ? strerror(errno) : "it is shorter than it was");
			break;
		}
		*at += (uint64_t)n;
		copy->bytes += (uint64_t)n;
		max -= (uint64_t)n;
	}
	close(from);
	return code;
}

int rotate_copy_move(int folder, const char *name, const char *path, struct err *err)
{
	return new_name_give(folder, name, path) ? err_set(err, errno, "cannot write %s: %s", path, strerror(errno))
						 : 0;
}

int rotate_copy_end(struct rotate_copy *copy, const char *path, struct err *err)
{
	return rotate_copy_move(copy->folder, copy->part, path, err);
}

void rotate_copy_drop(struct rotate_copy *copy)
{
	if (copy->to <= 0)
		return;
	close(copy->to);
	unlinkat(copy->folder, copy->part, 0);
	copy->to = -1;
}
