// SPDX-License-Identifier: Apache-2.0
/*
 * What is not certain to work is refused with a word on what to do instead. Files may be anybody's: a child without
 * rights looks into them (capture/proc/file_look.h).
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/privilege.h"
#include "base/program_file.h"
#include "capture/inject/inject_in.h"
#include "capture/proc/file_look.h"
#include "capture/proc/namespace.h"
#include "capture/proc/other_modules.h"
#include "capture/proc/proc.h"
#include "capture/proc/program.h"
#include "runtime/other_runtimes.h"

static int check_user(const struct inject *inject, const char *status, size_t len, struct err *err)
{
	const char *line = memmem(status, len, "\nUid:", 5);
	unsigned id[4];

	if (!line || sscanf(line + 5, "%u %u %u %u", &id[0], &id[1], &id[2], &id[3]) != 4)
		return err_set(err, EIO, "cannot inject: cannot read the user of process %d", (int)inject->pid);
	for (int i = 0; i < 4; i++)
		if (id[i] != geteuid())
			return err_set(err, EPERM,
				       "cannot inject: process %d belongs to user %u, and --inject needs the same user "
				       "(you are %u); run inftrace as that user, or leave out --inject",
				       (int)inject->pid, id[i], geteuid());
	return 0;
}

/*
 * CAP_SYS_PTRACE of the executable's file is used against Yama alone: a program with more rights than the user's, which
 * the kernel hides from the user, would run the agent with these rights.
 */
static int check_access(const struct inject *inject, struct err *err)
{
	bool was_on = privilege_use(false);
	char byte;
	ssize_t got = proc_read("", proc_living("", inject->pid), "maps", &byte, 1);

	privilege_use(was_on);
	if (got != -EACCES && got != -EPERM)
		return 0;
	return err_set(err, EPERM, "cannot inject: process %d has more rights than you; leave out --inject",
		       (int)inject->pid);
}

/* Whether one of its threads does: it may be the one that runs the injected code. */
static bool is_filtered(pid_t pid)
{
	char path[64], status[8192];
	const struct dirent *entry;
	uint64_t filter = 0;
	DIR *list;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	list = opendir(path);
	while (list && !filter && (entry = readdir(list))) {
		ssize_t len;

		snprintf(path, sizeof path, "task/%.20s/status", entry->d_name);
		len = *entry->d_name == '.' ? 0 : proc_read("", pid, path, status, sizeof status);
		if (len > 0 && !proc_field(status, (size_t)len, "Seccomp", &filter))
			filter = 0;
	}
	if (list)
		closedir(list);
	return filter != 0;
}

int inject_target_check(const struct inject *inject, bool allows_seccomp, struct err *err)
{
	char status[8192];
	ssize_t len = proc_read("", inject->pid, "status", status, sizeof status);
	int code;

	if (len < 0)
		return err_set(err, ESRCH, "cannot inject: there is no process %d", (int)inject->pid);
	code = check_user(inject, status, (size_t)len, err);
	if (!code)
		code = check_access(inject, err);
	if (!code && !allows_seccomp && is_filtered(inject->pid))
		code = err_set(err, EPERM,
			       "cannot inject: process %d runs under a seccomp filter, which may kill it for a system "
			       "call of the agent; leave out --inject, or add --allow-seccomp",
			       (int)inject->pid);
	return code;
}

struct mapping {
	unsigned long long start, end;
	char perms[8];
};

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static const struct module *find_libc(const struct modules *modules)
{
	for (size_t i = 0; i < modules->n; i++) {
		const char *name = basename(modules->module[i].path);
		if (!strcmp(name, "libc.so.6") || (starts(name, "libc-2.") && strstr(name, ".so")))
			return &modules->module[i];
	}
	return NULL;
}

static const struct module *find_loader(const struct modules *modules)
{
	for (size_t i = 0; i < modules->n; i++)
		if (starts(basename(modules->module[i].path), "ld-linux") ||
		    starts(basename(modules->module[i].path), "ld-2."))
			return &modules->module[i];
	return NULL;
}

static bool is_musl(const struct modules *modules)
{
	for (size_t i = 0; i < modules->n; i++)
		if (starts(basename(modules->module[i].path), "ld-musl") ||
		    starts(basename(modules->module[i].path), "libc.musl"))
			return true;
	return false;
}

static const struct module *find_program(const struct modules *modules, pid_t pid)
{
	char link[64], path[4096];
	ssize_t len;

	snprintf(link, sizeof link, "/proc/%d/exe", (int)proc_living("", pid));
	len = readlink(link, path, sizeof path - 1);
	path[len < 0 ? 0 : len] = 0;
	for (size_t i = 0; i < modules->n; i++)
		if (!strcmp(modules->module[i].path, path))
			return &modules->module[i];
	return NULL;
}

static int check_libc(pid_t pid, const struct module *libc, struct err *err)
{
	char emulator[40];
	int minor;

	if (program_emulator("", pid, emulator, sizeof emulator))
		return err_set(err, ENOTSUP,
			       "cannot inject: %s runs process %d, and programs for another processor are not "
			       "supported",
			       emulator, (int)pid);
	if (!libc)
		return err_set(err, ENOTSUP,
			       "cannot inject: process %d has no GNU C library, so the agent cannot be loaded (a "
			       "static program?); leave out --inject",
			       (int)pid);
	if (program_file_is_old(libc->path, &minor))
		return err_set(err, ENOTSUP,
			       "cannot inject: process %d uses glibc 2.%d, and the agent needs 2.%d or newer; leave "
			       "out --inject",
			       (int)pid, minor, GLIBC_OLDEST);
	return 0;
}

static int find_modules(const struct inject *inject, struct inject_target *target, struct err *err)
{
	const struct modules *modules = &target->modules;

	if (modules->is_32bit)
		return err_set(err, ENOTSUP, "cannot inject: process %d runs 32-bit code", (int)inject->pid);
	if (is_musl(modules))
		return err_set(err, ENOTSUP,
			       "cannot inject: process %d uses the musl C library, which the agent does not support; "
			       "leave out --inject",
			       (int)inject->pid);
	target->libc.module = find_libc(modules);
	target->program.module = find_program(modules, inject->pid);
	target->loader.module = find_loader(modules);
	return check_libc(inject->pid, target->libc.module, err);
}

/* What the child has found in a file is input. */
static int read_file(const struct module *module, int fd, struct inject_file *file, struct err *err)
{
	int code;

	*file = (struct inject_file){ .map_start = module->start, .map_offset = module->offset };
	code = file_look_at(inject_file_look, file, sizeof *file, fd, module->path, err);
	if (!code && !inject_file_is_sound(file))
		code = err_set(err, EIO, "cannot inject: the data read from %s make no sense; leave out --inject",
			       module->path);
	if (code)
		file->n_gaps = 0;
	return code;
}

/* The file stays open. */
static int look_into(struct inject_part *part, pid_t pid, struct err *err)
{
	part->fd = modules_open(pid, part->module, err);
	return part->fd < 0 ? part->fd : read_file(part->module, part->fd, &part->file, err);
}

/* Up to 2.33 the C library has these beside it. */
static bool is_part_of_libc(const struct module *module)
{
	return starts(basename(module->path), "libpthread") || starts(basename(module->path), "libdl");
}

/* What libc has not. */
static int add_symbols(const struct module *module, pid_t pid, struct inject_file *libc, struct err *err)
{
	struct inject_part part = { .module = module, .fd = -1 };
	bool is_complete = true;
	int code;

	for (int i = 0; i < N_INJECT_SYMBOLS; i++)
		is_complete &= libc->symbol[i] != 0;
	if (is_complete)
		return 0;
	code = look_into(&part, pid, err);
	for (int i = 0; i < N_INJECT_SYMBOLS && !code; i++)
		if (!libc->symbol[i])
			libc->symbol[i] = part.file.symbol[i];
	if (part.fd >= 0)
		close(part.fd);
	return code;
}

static int find_functions(struct inject *inject, struct inject_target *target, struct err *err)
{
	struct ferry_head *head = &inject->head;
	uint64_t *const to[N_INJECT_SYMBOLS] = {
		[INJECT_PTHREAD_CREATE] = &head->pthread_create,
		[INJECT_DLOPEN] = &head->dlopen,
		[INJECT_DLSYM] = &head->dlsym,
		[INJECT_DLERROR] = &head->dlerror,
		[INJECT_ERRNO] = &head->errno_location,
		[INJECT_ATFORK] = &head->register_atfork,
		[INJECT_PTHREAD_DETACH] = &head->pthread_detach,
		[INJECT_KEY_CREATE] = &head->pthread_key_create,
		[INJECT_SETSPECIFIC] = &head->pthread_setspecific,
	};
	int code = look_into(&target->libc, inject->pid, err);

	for (size_t m = 0; m < target->modules.n && !code; m++)
		if (is_part_of_libc(&target->modules.module[m]))
			code = add_symbols(&target->modules.module[m], inject->pid, &target->libc.file, err);
	for (int i = 0; i < N_INJECT_SYMBOLS && !code; i++) {
		*to[i] = target->libc.file.symbol[i];
		if (!*to[i])
			code = err_set(err, ENOTSUP,
				       "cannot inject: the C library of process %d has no %s; it must be GNU's; leave "
				       "out --inject",
				       (int)inject->pid, inject_symbols[i]);
	}
	return code;
}

/* -ENOENT: this module is no runtime, or cannot be opened; why is the first time left in *barred. */
static int read_runtime(struct modules_seen *seen, pid_t pid, const struct module *module, struct inject_file *file,
			struct err *barred, struct err *err)
{
	struct err why;
	int fd = modules_open(pid, module, &why), code = -ENOENT;

	if (fd < 0) {
		if (!barred->code)
			*barred = why;
		return -ENOENT;
	}
	if (modules_look(seen, fd) == MODULES_RUNTIME)
		code = read_file(module, fd, file, err);
	close(fd);
	if (!code && !file->slot && !barred->code && other_runtimes_titled(file->other))
		err_set(barred, ENOTSUP, "%s contains %s, whose inferences %s", module->path, file->other,
			other_runtimes_recorded(file->other));
	else if (!code && !file->slot && !barred->code)
		err_set(barred, ENOTSUP, "%s was built without type information; try attach without --inject",
			module->path);
	return code || file->slot ? code : -ENOENT;
}

/* Whether there is room for more. */
static bool add_slot(struct inject *inject, const struct module *module, const struct inject_file *file)
{
	uint32_t n = 0;

	while (inject->head.slot[n].at)
		n++;
	inject->head.slot[n] = (struct ferry_slot){ file->slot, file->original };
	inject->unbound[n] = file->unbound;
	if (!n) {
		snprintf(inject->version, sizeof inject->version, "%s", file->version);
		snprintf(inject->path, sizeof inject->path, "%s", module->path);
	}
	return n + 1 < FERRY_SLOTS;
}

/* All runtimes that are understood, and all copies of each: it is not known which of them the program calls. */
static int find_runtimes(struct inject *inject, const struct modules *modules, struct err *err)
{
	struct modules_seen seen = { 0 };
	struct err barred = { 0 }, failure;
	struct inject_file file;
	char others[120];
	int code = -ENOENT;
	bool has_room = true;

	for (size_t i = 0; i < modules->n && has_room; i++) {
		int its = read_runtime(&seen, inject->pid, &modules->module[i], &file, &barred, &failure);
		if (!its)
			has_room = add_slot(inject, &modules->module[i], &file);
		if (!its || (its != -ENOENT && code == -ENOENT))
			code = its;
		if (its && its != -ENOENT && code == its)
			*err = failure;
	}
	modules_seen_done(&seen);
	if (code == -ENOENT && barred.code)
		return err_set(err, ENOENT,
			       "cannot inject: cannot use the runtime loaded by process %d: %s; otherwise "
			       "restart the program",
			       (int)inject->pid, barred.msg);
	if (code == -ENOENT && other_modules(modules, others, sizeof others))
		return err_set(
		    err, ENOENT,
		    "cannot inject: process %d has loaded %s, whose inferences inftrace does not record, and no "
		    "runtime that it does",
		    (int)inject->pid, others);
	if (code == -ENOENT)
		return err_set(err, ENOENT,
			       "cannot inject: process %d has loaded no runtime that inftrace records, or not yet",
			       (int)inject->pid);
	return code;
}

int inject_target_look(struct inject_target *target, struct inject *inject, struct err *err)
{
	int code;

	*target = (struct inject_target){ .libc.fd = -1, .program.fd = -1, .loader.fd = -1 };
	code = modules_read(&target->modules, "", inject->pid, err);
	if (!code)
		code = find_modules(inject, target, err);
	if (!code)
		code = find_functions(inject, target, err);
	return code ? code : find_runtimes(inject, &target->modules, err);
}

struct inject_part *inject_target_part(struct inject_target *target, struct inject_part *part)
{
	struct err ignored;

	if (part->module && part->fd < 0)
		look_into(part, target->modules.pid, &ignored);
	return part;
}

void inject_target_close(struct inject_target *target)
{
	if (target->libc.fd >= 0)
		close(target->libc.fd);
	if (target->program.fd >= 0)
		close(target->program.fd);
	if (target->loader.fd >= 0)
		close(target->loader.fd);
	modules_done(&target->modules);
}

/* The line of /proc/PID/maps with the address. */
static bool find_mapping(pid_t pid, uint64_t at, struct mapping *found)
{
	char path[64], line[512];
	bool is_found = false;
	FILE *maps;

	snprintf(path, sizeof path, "/proc/%d/maps", (int)proc_living("", pid));
	maps = fopen(path, "re");
	while (maps && !is_found && fgets(line, sizeof line, maps))
		is_found = sscanf(line, "%llx-%llx %7s", &found->start, &found->end, found->perms) == 3 &&
			   at >= found->start && at < found->end;
	if (maps)
		fclose(maps);
	return is_found;
}

bool inject_target_is_readonly(pid_t pid, uint64_t at)
{
	struct mapping found;

	return !find_mapping(pid, at, &found) || found.perms[1] != 'w';
}

bool inject_target_is_same_code(pid_t pid, uint64_t at, uint64_t other)
{
	struct mapping found;

	return find_mapping(pid, at, &found) && found.perms[2] == 'x' && other >= found.start && other < found.end;
}

bool inject_target_has_thread(pid_t pid, pid_t thread)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task/%d", (int)pid, (int)thread);
	return thread > 0 && (!access(path, F_OK) || namespace_tid(pid, thread));
}
