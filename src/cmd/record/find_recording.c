// SPDX-License-Identifier: Apache-2.0
/* Looks for recordings where no file is named, and whether one is still being written. Opens no recording. */
#include "cmd/record/find_recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/opt.h"
#include "show/term/term.h"
#include "trace/rotate/rotate_folder.h"

/* Nobody gets a lease on a file while another has it open for writing; a folder of segments is locked. */
bool find_recording_is_written(const char *path)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	bool is_open = fd >= 0 && fcntl(fd, F_SETLEASE, F_RDLCK) && errno == EAGAIN;

	if (fd < 0 && errno == ENOENT)
		return rotate_folder_is_used(rotate_folder_of(path).s);
	if (rotate_folder_is_used(path))
		is_open = true;

	if (fd >= 0)
		close(fd);
	return is_open;
}

static bool ends_with(const char *name, const char *suffix)
{
	size_t len = strlen(name), n = strlen(suffix);

	return len > n && !strcmp(name + len - n, suffix);
}

/* A file, or a folder of segments. */
static bool is_recording(const char *name, struct stat *own)
{
	if (ends_with(name, ".pftrace"))
		return !stat(name, own) && S_ISREG(own->st_mode);
	return ends_with(name, ".pftrace.d") && !stat(name, own) && S_ISDIR(own->st_mode);
}

static bool is_newer(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
						      : a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

int find_recording_newest(struct find_recording *to, struct err *err)
{
	struct stat newest = { 0 }, own;
	DIR *folder = opendir(".");

	*to->path = 0;
	if (!folder)
		return err_set(err, errno, "cannot look for a recording here: %s; give FILE", strerror(errno));
	for (struct dirent *entry; (entry = readdir(folder));) {
		if (!is_recording(entry->d_name, &own) || (*to->path && !is_newer(&own, &newest)))
			continue;
		snprintf(to->path, sizeof to->path, "%s", entry->d_name);
		newest = own;
	}
	closedir(folder);
	if (!*to->path)
		return opt_misused(err, "this folder has no recording (*.pftrace); give FILE");
	term_say("newest recording: %s", to->path);
	return 0;
}
