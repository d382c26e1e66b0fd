// SPDX-License-Identifier: Apache-2.0
/* Maps a recording's file and reads it through the trace reader into a store. Prints nothing, computes nothing itself.
 */
#include "analyze/summary/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/perfetto/perfetto_read.h"

static int map_file(struct recording *to, const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), code = 0;
	struct stat stat;

	if (fd < 0)
		return err_set(err, errno, "cannot open %s: %s", path, strerror(errno));
	if (fstat(fd, &stat))
		code = err_set(err, errno, "cannot look at %s: %s", path, strerror(errno));
	else if (!S_ISREG(stat.st_mode))
		code = err_set(err, EINVAL, "cannot read %s: it is not a file; a recording is read from a file", path);
	else if (!stat.st_size)
		code = err_set(err, EINVAL, "cannot read %s: it is empty, nothing was recorded", path);
	else if ((to->data = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED)
		code = err_set(err, errno, "cannot map %s into memory: %s", path, strerror(errno));
	else
		to->size = (size_t)stat.st_size;
	close(fd);
	if (!code)
		madvise(to->data, to->size, MADV_SEQUENTIAL);
	return code;
}

int recording_open(struct recording *recording, const char *path, struct err *err)
{
	struct perfetto_read_result result = { 0 };
	struct summary_file file = { .path = path };
	int code;

	*recording = (struct recording){ 0 };
	code = map_file(recording, path, err);
	if (code)
		return code;
	recording->names = names_new();
	recording->store = recording->names ? store_new(recording->names, &recording->last_track) : NULL;
	if (!recording->store)
		return err_set(err, ENOMEM, "cannot read %s: out of memory", path);
	code = perfetto_read(recording->data, recording->size, store_sink(recording->store), &result, err);
	if (code) {
		err_wrap(err, "cannot read %s", path);
		return code;
	}
	file.bytes = recording->size;
	file.is_cut = result.is_cut;
	file.cut_at = result.cut_at;
	file.n_late = result.n_late;
	recording->summary = summary_new(recording->store, &file, err);
	return recording->summary ? 0 : -ENOMEM;
}

void recording_close(struct recording *recording)
{
	summary_free(recording->summary);
	store_free(recording->store);
	names_free(recording->names);
	if (recording->size)
		munmap(recording->data, recording->size);
	*recording = (struct recording){ 0 };
}
