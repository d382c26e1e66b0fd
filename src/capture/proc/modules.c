// SPDX-License-Identifier: Apache-2.0
/*
 * Reads /proc/PID/maps. The device and inode there identify a file. Its path is only a hint, valid in the process's own
 * mount namespace at the time of the mapping. Some file systems (btrfs, overlays) give stat another device than maps:
 * there the inode alone must agree. Files that cannot be reached by path are opened through map_files, which leads to
 * the very mapping, but needs more rights.
 */
#include "capture/proc/modules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/privilege.h"
#include "capture/proc/proc.h"
#include "capture/proc/rights.h"

enum { MAX_MODULES = 1 << 16, LINK = 160 };

static bool take_hex(char **at, char end, uint64_t *value)
{
	char *stop;

	if (**at == '-' || **at == '+' || **at == ' ')
		return false;
	errno = 0;
	*value = strtoull(*at, &stop, 16);
	if (stop == *at || *stop != end || errno)
		return false;
	*at = stop + 1;
	return true;
}

/* The kernel writes a newline in a path as \012, and escapes nothing else. */
static void unescape(char *path)
{
	char *to = path;

	for (; *path; path++) {
		if (!strncmp(path, "\\012", 4)) {
			*to++ = '\n';
			path += 3;
		} else {
			*to++ = *path;
		}
	}
	*to = 0;
}

bool modules_parse(char *line, struct module *module)
{
	static const char deleted[] = " (deleted)";
	uint64_t major_, minor_;
	char *at = line, *end;
	size_t len;

	memset(module, 0, sizeof *module);
	/* start-end perms offset major:minor inode   path */
	if (!take_hex(&at, '-', &module->start) || !take_hex(&at, ' ', &module->end) || module->start >= module->end)
		return false;
	if (strnlen(at, 5) < 5 || at[4] != ' ' || at[2] != 'x')
		return false;
	at += 5;
	if (!take_hex(&at, ' ', &module->offset) || !take_hex(&at, ':', &major_) || !take_hex(&at, ' ', &minor_))
		return false;
	module->inode = strtoull(at, &end, 10);
	at = end + strspn(end, " ");
	if (end == at || *at != '/' || !module->inode || major_ > UINT32_MAX || minor_ > UINT32_MAX)
		return false;
	module->major = (uint32_t)major_;
	module->minor = (uint32_t)minor_;
	len = strlen(at);
	if (len && at[len - 1] == '\n')
		at[--len] = 0;
	if (len >= sizeof deleted && !strcmp(at + len - (sizeof deleted - 1), deleted)) {
		at[len - (sizeof deleted - 1)] = 0;
		module->is_deleted = true;
	}
	unescape(at);
	module->path = at;
	return true;
}

static int out_of_memory(const struct modules *modules, struct err *err)
{
	return err_set(err, ENOMEM, "cannot read the modules of process %d: out of memory", (int)modules->pid);
}

static int add(struct modules *modules, const struct module *found, struct err *err)
{
	struct module *grown, *last;

	for (size_t i = modules->n; i-- > 0;) {
		last = &modules->module[i];
		if (last->inode == found->inode && last->major == found->major && last->minor == found->minor)
			return 0; /* another mapping of it */
	}
	if (modules->n == MAX_MODULES)
		return 0;
	if (!(modules->n & (modules->n - 1))) {
		grown = realloc(modules->module, (modules->n ? modules->n * 2 : 1) * sizeof *grown);
		if (!grown)
			return out_of_memory(modules, err);
		modules->module = grown;
	}
	modules->module[modules->n] = *found;
	modules->module[modules->n].path = strdup(found->path);
	if (!modules->module[modules->n].path)
		return out_of_memory(modules, err);
	modules->n++;
	return 0;
}

/* Checks the process's executable. The loader maps 32-bit programs only below 4 GiB, but others may be there, too. */
static bool is_32bit(const char *sysroot, pid_t pid)
{
	unsigned char ident[5] = { 0 };
	char path[LINK];
	int fd;

	if (snprintf(path, sizeof path, "%s/proc/%d/exe", sysroot, (int)proc_living(sysroot, pid)) >= (int)sizeof path)
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	if (read(fd, ident, sizeof ident) != sizeof ident)
		ident[4] = 0;
	close(fd);
	return !memcmp(ident, "\177ELF", 4) && ident[4] == 1;
}

static int refuse(pid_t pid, int code, struct err *err)
{
	if (code == ENOENT || code == ESRCH)
		return err_set(err, ESRCH, "cannot read process %d: it has ended", (int)pid);
	if (code == EACCES || code == EPERM)
		return err_set(err, EACCES,
			       "cannot read process %d: it belongs to another user or has more privileges; this needs "
			       "CAP_SYS_PTRACE",
			       (int)pid);
	return err_set(err, code, "cannot read process %d: %s", (int)pid, strerror(code));
}

int modules_read(struct modules *modules, const char *sysroot, pid_t pid, struct err *err)
{
	char path[LINK], *line = NULL;
	struct module found;
	size_t size = 0;
	int failed = 0;
	bool was_on;
	FILE *maps;

	*modules = (struct modules){ .pid = pid };
	if (snprintf(path, sizeof path, "%s/proc/%d/maps", sysroot, (int)proc_living(sysroot, pid)) >= (int)sizeof path)
		return err_set(err, ENAMETOOLONG, "cannot read process %d: the path is too long", (int)pid);
	was_on = privilege_reach();
	maps = fopen(path, "re");
	if (was_on)
		privilege_use(true);
	if (!maps)
		return refuse(pid, errno, err);
	errno = 0;
	while (!failed && getline(&line, &size, maps) > 0)
		if (modules_parse(line, &found))
			failed = add(modules, &found, err);
	if (!failed && ferror(maps))
		failed = refuse(pid, errno ? errno : EIO, err);
	modules->is_32bit = is_32bit(sysroot, pid);
	free(line);
	fclose(maps);
	return failed;
}

void modules_done(struct modules *modules)
{
	for (size_t i = 0; i < modules->n; i++)
		free(modules->module[i].path);
	free(modules->module);
	memset(modules, 0, sizeof *modules);
}

static uint64_t mix(uint64_t mark, uint64_t value)
{
	return (mark ^ value) * UINT64_C(0x9e3779b97f4a7c15) >> 7 ^ (mark << 23 | mark >> 41);
}

uint64_t modules_mark(const struct modules *modules)
{
	uint64_t mark = modules->n;

	for (size_t i = 0; i < modules->n; i++) {
		const struct module *module = &modules->module[i];

		mark = mix(mark, (uint64_t)module->major << 32 | module->minor);
		mark = mix(mark, module->inode);
		mark = mix(mark, module->start);
	}
	return mark ? mark : 1;
}

/* Two file systems give stat other devices than maps, with the same inode numbers. */
static bool has_own_devices(int fd)
{
	struct statfs stat_;

	return !fstatfs(fd, &stat_) && (stat_.f_type == OVERLAYFS_SUPER_MAGIC || stat_.f_type == BTRFS_SUPER_MAGIC);
}

static bool is_same(int fd, const struct module *module)
{
	struct stat stat_;

	if (fstat(fd, &stat_) || !S_ISREG(stat_.st_mode) || stat_.st_ino != module->inode)
		return false;
	return (major(stat_.st_dev) == module->major && minor(stat_.st_dev) == module->minor) || has_own_devices(fd);
}

static bool is_file(int fd)
{
	struct stat stat_;

	return !fstat(fd, &stat_) && S_ISREG(stat_.st_mode);
}

/*
 * Opens a path if it leads to the module's file (NULL: to any file); -1: it does not, or cannot be opened (errno).
 * Inspects it before opening, because opening a device may have effects.
 */
static int open_same(const char *path, const struct module *module)
{
	int place = open(path, O_PATH | O_CLOEXEC), fd = -1;
	char link[LINK];

	if (place < 0)
		return -1;
	snprintf(link, sizeof link, "/proc/self/fd/%d", place);
	if (module ? !is_same(place, module) : !is_file(place))
		errno = ENOENT;
	else
		fd = open(link, O_RDONLY | O_CLOEXEC);
	close(place);
	return fd;
}

/* A descriptor of the process may still hold a deleted file open. */
static int open_kept(pid_t pid, const struct module *module)
{
	char path[LINK];
	struct dirent *entry;
	int fd = -1;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && fd < 0 && (entry = readdir(dir))) {
		snprintf(path, sizeof path, "/proc/%d/fd/%.20s", (int)pid, entry->d_name);
		if (*entry->d_name != '.')
			fd = open_same(path, module);
	}
	if (dir)
		closedir(dir);
	return fd;
}

/* Below a root set by chroot, maps gives paths from the namespace's own root. */
static int open_below_root(pid_t pid, const struct module *module)
{
	char link[LINK], path[8192], root[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof link, "/proc/%d/root", (int)pid);
	len = readlink(link, root, sizeof root - 1);
	if (len <= 1 || len == sizeof root - 1 || strncmp(module->path, root, (size_t)len) ||
	    module->path[len] != '/' ||
	    snprintf(path, sizeof path, "%s%s", link, module->path + len) >= (int)sizeof path)
		return -1;
	return open_same(path, module);
}

/* Reports why the path cannot be followed: because of the process, or of a part of the path. */
static int refuse_path(pid_t pid, const struct module *module, struct err *err)
{
	char link[LINK], advice[RIGHTS_ADVICE];
	int root;

	snprintf(link, sizeof link, "/proc/%d/root", (int)pid);
	root = open(link, O_PATH | O_CLOEXEC);
	if (root >= 0) {
		close(root);
		return err_set(err, EACCES,
			       "cannot open %.200s of process %d: only its owner may read it, or a folder above it; "
			       "run inftrace with sudo, or add cap_dac_read_search to its capabilities",
			       module->path, (int)pid);
	}
	rights_advise("", true, advice, sizeof advice);
	return err_set(err, EACCES,
		       "cannot open %.100s of process %d: this needs CAP_SYS_PTRACE, because the process has another "
		       "user or more privileges than inftrace; %s",
		       module->path, (int)pid, advice);
}

int modules_open(pid_t process, const struct module *module, struct err *err)
{
	pid_t pid = proc_living("", process);
	char path[8192];
	int fd = -1, refused;
	bool is_barred;

	errno = 0;
	if (!module->is_deleted &&
	    snprintf(path, sizeof path, "/proc/%d/root%s", (int)pid, module->path) < (int)sizeof path)
		fd = open_same(path, module);
	/* without the right to enter its root: ours may be the same */
	is_barred = fd < 0 && errno == EACCES;
	if (is_barred)
		fd = open_same(module->path, module);
	else if (fd < 0 && !module->is_deleted)
		fd = open_below_root(pid, module);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof path, "/proc/%d/map_files/%llx-%llx", (int)pid, (unsigned long long)module->start,
		 (unsigned long long)module->end);
	/* leads to the mapping itself: nothing to compare */
	fd = open_same(path, NULL);
	refused = fd < 0 ? errno : 0;
	if (fd < 0) {
		snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
		fd = open_same(path, module);
	}
	if (fd < 0)
		fd = open_kept(pid, module);
	if (fd >= 0)
		return fd;
	if (is_barred)
		return refuse_path(pid, module, err);
	if (refused == EPERM || refused == EACCES)
		return err_set(err, EPERM,
			       "cannot open %s of process %d: it was %s; reading the mapped copy needs "
			       "CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN",
			       module->path, (int)process, module->is_deleted ? "deleted" : "replaced");
	return err_set(err, refused ? refused : ENOENT, "cannot open %s of process %d: %s", module->path, (int)process,
		       refused == ENOENT ? "it is no longer mapped" : strerror(refused));
}
