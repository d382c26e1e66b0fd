// SPDX-License-Identifier: Apache-2.0
/* Goes through the mapped files. Which of them hold a runtime is modules.c's knowledge. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/proc/file_version.h"
#include "capture/proc/other_modules.h"
#include "capture/proc/program.h"
#include "capture/recorder/attach/attach_in.h"
#include "runtime/other_runtimes.h"

enum attach_loaded attach_loaded_each(struct modules_seen *seen, pid_t pid, attach_loaded_fn *each, void *ctx,
				      struct err *err)
{
	enum attach_loaded loaded = ATTACH_NO_RUNTIME;
	bool is_barred = false, goes_on = true;
	struct modules modules;
	struct err why;

	if (modules_read(&modules, "", pid, err))
		loaded = ATTACH_UNREADABLE;
	for (size_t i = 0; i < modules.n && goes_on; i++) {
		int fd = modules_open(pid, &modules.module[i], &why);
		if (!is_barred && (fd == -EACCES || fd == -EPERM)) {
			is_barred = true;
			*err = why;
		}
		if (fd < 0)
			continue;
		if (modules_look(seen, fd) == MODULES_RUNTIME) {
			loaded = ATTACH_RUNTIME;
			goes_on = each(ctx, &modules.module[i], fd);
		}
		close(fd);
	}
	modules_done(&modules);
	return loaded == ATTACH_NO_RUNTIME && is_barred ? ATTACH_UNREADABLE : loaded;
}

static bool stop_at_first(void *ctx, const struct module *module, int fd)
{
	return false;
}

enum attach_loaded attach_loaded(struct modules_seen *seen, pid_t pid)
{
	struct err ignored;

	return attach_loaded_each(seen, pid, stop_at_first, NULL, &ignored);
}

/* Titles of runtimes; NULL: none is such. */
struct unprobed {
	const char *title;  /* that probes cannot see */
	const char *linked; /* that is linked into a file, and not recorded at all */
};

/* Ends with a runtime that probes can see. */
static bool find_unprobed(void *ctx, const struct module *module, int fd)
{
	struct unprobed *unprobed = ctx;
	struct file_version found;
	struct err ignored;

	unprobed->title = NULL;
	if (!file_version(&found, fd, module->path, &ignored) && !found.runtime->find_sites)
		unprobed->title = found.runtime->title;
	else if (found.other)
		unprobed->linked = found.other;
	else
		unprobed->linked = NULL;
	return unprobed->title || unprobed->linked;
}

/* What every program has says nothing. */
static bool is_common(const char *name)
{
	static const char *const common[] = { "ld-linux",  "ld-musl", "libc.",	    "libc-", "libm.",
					      "libm-",	   "libdl",   "libpthread", "librt", "libgcc_s",
					      "libstdc++", "libz.",   "libutil",    "[" };

	for (size_t i = 0; i < sizeof common / sizeof *common; i++)
		if (!strncmp(name, common[i], strlen(common[i])))
			return true;
	return false;
}

static size_t size_of(const struct module *module)
{
	return module->end - module->start;
}

/* The biggest that was not named yet: that is what a program is about. */
static struct module *biggest(struct modules *modules)
{
	struct module *best = NULL;

	for (size_t i = 0; i < modules->n; i++) {
		struct module *module = &modules->module[i];
		if (size_of(module) && !is_common(basename(module->path)) && (!best || size_of(module) > size_of(best)))
			best = module;
	}
	return best;
}

static void list(struct modules *modules, char *text, size_t size)
{
	struct module *module;
	size_t used = 0, left = 0;

	*text = 0;
	while ((module = biggest(modules))) {
		const char *name = basename(module->path);
		if (used + strlen(name) + 24 < size)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
		else
			left++;
		module->end = module->start;
	}
	if (left)
		snprintf(text + used, size - used, " and %zu more", left);
}

/* Perhaps one of those that could not be opened is what was looked for. */
static int find_barred(const struct modules *modules, struct err *err)
{
	for (size_t i = 0; i < modules->n; i++) {
		int fd = modules_open(modules->pid, &modules->module[i], err);
		if (fd == -EPERM || fd == -EACCES)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return 0;
}

int attach_loaded_nothing(const char *name, pid_t pid, struct err *err)
{
	struct modules_seen seen = { 0 };
	struct modules modules;
	char text[120], emulator[40];
	struct unprobed unprobed = { NULL, NULL };
	struct err ignored;
	int code = modules_read(&modules, "", pid, err);

	if (!code && modules.is_32bit)
		code = err_set(err, ENOTSUP, "cannot attach to %.40s (%d): 32-bit programs are not supported", name,
			       (int)pid);
	if (!code && program_emulator("", pid, emulator, sizeof emulator))
		code = err_set(err, ENOTSUP,
			       "cannot attach to %.40s (%d): %s runs it, and programs for another processor are not "
			       "supported",
			       name, (int)pid, emulator);
	if (!code)
		code = find_barred(&modules, err);
	if (!code && attach_loaded_each(&seen, pid, find_unprobed, &unprobed, &ignored) == ATTACH_RUNTIME &&
	    unprobed.title)
		code = err_set(err, ENOTSUP, "cannot attach to %.40s (%d): probes cannot see %s; add --inject", name,
			       (int)pid, unprobed.title);
	if (!code && unprobed.linked)
		code = err_set(err, ENOENT, "cannot attach to %.40s (%d): it contains %s, whose inferences %s", name,
			       (int)pid, unprobed.linked, other_runtimes_recorded(unprobed.linked));
	if (!code && attach_loaded(&seen, pid) == ATTACH_RUNTIME)
		code = err_set(err, EAGAIN,
			       "cannot attach to %.40s (%d): it loaded a runtime only now, or loads it again and "
			       "again; try again, or use --follow",
			       name, (int)pid);
	if (!code && other_modules(&modules, text, sizeof text))
		code =
		    err_set(err, ENOENT,
			    "cannot attach to %.40s (%d): it has loaded %s, whose inferences inftrace does not record",
			    name, (int)pid, text);
	if (!code) {
		list(&modules, text, sizeof text);
		code = err_set(err, ENOENT, "cannot attach to %.40s (%d): no supported runtime is loaded%s%s", name,
			       (int)pid, *text ? "; loaded: " : "", text);
	}
	modules_seen_done(&seen);
	modules_done(&modules);
	return code;
}
