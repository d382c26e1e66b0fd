// SPDX-License-Identifier: Apache-2.0
/*
 * The order of writing is what makes it safe: code and head to where nobody goes, the state, and last the one word,
 * whole, because it is aligned. What an earlier injector left in the process is used again, code that a thread may be
 * in is never changed.
 */
#include "inject/inject.h"

#include "event/record.h"
#include "inject/inject_code.h"
#include "inject/inject_dir.h"
#include "inject/inject_file.h"
#include "source/analysis.h"
#include "source/modules.h"
#include "source/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CODE = FERRY_MAX, SETTLE_MS = 50, STEP_MS = 2, WAIT_MS = 3000 };

/* Files of the process that stay as long as it does, and its runtime's. */
struct parts {
	struct modules modules;
	const struct module *libc, *program, *runtime;
	struct inject_file libc_file, program_file, runtime_file;
	int libc_fd, program_fd;
};

/* For tests of what happens when we are killed: INFTRACE_INJECT_STOP=N ends this process at its Nth step. */
static void step(void)
{
	static long number, last = -1;
	const char *text;

	if (last < 0) {
		text = getenv("INFTRACE_INJECT_STOP");
		last = text ? atol(text) : 0;
	}
	if (++number == last)
		kill(getpid(), SIGKILL);
}

static bool get(const struct inject *inject, uint64_t at, void *to, size_t size)
{
	return pread(inject->memory, to, size, (off_t)at) == (ssize_t)size;
}

static int put(const struct inject *inject, uint64_t at, const void *from, size_t size, struct err *err)
{
	if (pwrite(inject->memory, from, size, (off_t)at) == (ssize_t)size)
		return 0;
	return err_set(err, errno ? errno : EIO, "cannot inject: cannot write to the memory of process %d: %s",
		       (int)inject->pid, strerror(errno ? errno : EIO));
}

static void pause_ms(unsigned ms)
{
	struct timespec time = { ms / 1000, (long)(ms % 1000) * 1000000 };

	nanosleep(&time, NULL);
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- whether it can be done at all ---- */

static int check_user(const struct inject *inject, const char *status, size_t len, struct err *err)
{
	const char *line = memmem(status, len, "\nUid:", 5);
	unsigned id[4];

	if (!line || sscanf(line + 5, "%u %u %u %u", &id[0], &id[1], &id[2], &id[3]) != 4)
		return err_set(err, EIO, "cannot inject: whose process %d is cannot be read", (int)inject->pid);
	for (int i = 0; i < 4; i++)
		if (id[i] != geteuid())
			return err_set(
			    err, EPERM,
			    "cannot inject: process %d belongs to user %u, and the agent comes into programs of the "
			    "same user only (you are %u); run inftrace as that user, or leave out --inject",
			    (int)inject->pid, id[i], geteuid());
	return 0;
}

static int check_status(const struct inject *inject, bool allows_seccomp, struct err *err)
{
	char status[8192];
	ssize_t len = proc_read("", inject->pid, "status", status, sizeof status);
	uint64_t filter = 0;
	int code;

	if (len < 0)
		return err_set(err, ESRCH, "cannot inject: there is no process %d", (int)inject->pid);
	code = check_user(inject, status, (size_t)len, err);
	if (!code && proc_field(status, (size_t)len, "Seccomp", &filter) && filter && !allows_seccomp)
		code = err_set(
		    err, EPERM,
		    "cannot inject: process %d runs under a filter of system calls (seccomp), which may kill it for "
		    "what the agent does; leave out --inject",
		    (int)inject->pid);
	return code;
}

static const char *name_of(const struct module *module)
{
	const char *slash = strrchr(module->path, '/');

	return slash ? slash + 1 : module->path;
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static const struct module *find_libc(const struct modules *modules)
{
	for (size_t i = 0; i < modules->n; i++) {
		const char *name = name_of(&modules->module[i]);
		if (!strcmp(name, "libc.so.6") || (starts(name, "libc-2.") && strstr(name, ".so")))
			return &modules->module[i];
	}
	return NULL;
}

static bool is_musl(const struct modules *modules)
{
	for (size_t i = 0; i < modules->n; i++)
		if (starts(name_of(&modules->module[i]), "ld-musl") ||
		    starts(name_of(&modules->module[i]), "libc.musl"))
			return true;
	return false;
}

static const struct module *find_program(const struct modules *modules, pid_t pid)
{
	char link[64], path[4096];
	ssize_t len;

	snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
	len = readlink(link, path, sizeof path - 1);
	path[len < 0 ? 0 : len] = 0;
	for (size_t i = 0; i < modules->n; i++)
		if (!strcmp(modules->module[i].path, path))
			return &modules->module[i];
	return NULL;
}

static int check_modules(const struct inject *inject, struct parts *parts, struct err *err)
{
	const struct modules *modules = &parts->modules;

	if (!inject_code_size())
		return err_set(err, ENOTSUP,
			       "cannot inject: it is not possible on this kind of processor; leave out --inject");
	if (modules->is_32bit)
		return err_set(err, ENOTSUP, "cannot inject: process %d runs 32-bit code", (int)inject->pid);
	if (is_musl(modules))
		return err_set(
		    err, ENOTSUP,
		    "cannot inject: process %d uses the musl C library, for which the agent is not made; leave out "
		    "--inject",
		    (int)inject->pid);
	parts->libc = find_libc(modules);
	if (!parts->libc)
		return err_set(
		    err, ENOTSUP,
		    "cannot inject: process %d has no GNU C library, so that nothing can be loaded into it (a static "
		    "program?); leave out --inject",
		    (int)inject->pid);
	parts->program = find_program(modules, inject->pid);
	return 0;
}

/* What the file is; *fd stays open for the caller. */
static int look_into(pid_t pid, const struct module *module, struct inject_file *file, int *fd, struct err *err)
{
	*fd = modules_open(pid, module, err);
	if (*fd < 0)
		return *fd;
	*file = (struct inject_file){ .map_start = module->start, .map_offset = module->offset };
	return analysis_file(inject_file_look, file, sizeof *file, *fd, module->path, err);
}

static int find_functions(struct inject *inject, struct parts *parts, struct err *err)
{
	struct ferry_head *head = &inject->head;
	uint64_t *const to[N_INJECT_SYMBOLS] = {
		[INJECT_PTHREAD_CREATE] = &head->pthread_create,
		[INJECT_DLOPEN] = &head->dlopen,
		[INJECT_DLSYM] = &head->dlsym,
		[INJECT_DLERROR] = &head->dlerror,
		[INJECT_ERRNO] = &head->errno_location,
	};
	int code = look_into(inject->pid, parts->libc, &parts->libc_file, &parts->libc_fd, err);

	for (int i = 0; i < N_INJECT_SYMBOLS && !code; i++) {
		*to[i] = parts->libc_file.symbol[i];
		if (!*to[i])
			code = err_set(err, ENOTSUP,
				       "cannot inject: the C library of process %d has no %s; it must be GNU's, 2.34 "
				       "or later; leave "
				       "out --inject",
				       (int)inject->pid, inject_symbols[i]);
	}
	return code;
}

/* The first runtime that is understood. */
static int find_runtime(struct inject *inject, struct parts *parts, struct err *err)
{
	struct modules_seen seen = { 0 };
	struct err why = { 0 };
	int code = -ENOENT;

	for (size_t i = 0; i < parts->modules.n && code; i++) {
		const struct module *module = &parts->modules.module[i];
		int fd = modules_open(inject->pid, module, &why);
		if (fd >= 0 && modules_look(&seen, fd) == MODULES_RUNTIME) {
			parts->runtime_file =
			    (struct inject_file){ .map_start = module->start, .map_offset = module->offset };
			code = analysis_file(inject_file_look, &parts->runtime_file, sizeof parts->runtime_file, fd,
					     module->path, err);
			if (!code && parts->runtime_file.slot)
				parts->runtime = module;
			else if (!code)
				code = -ENOENT;
		}
		if (fd >= 0)
			close(fd);
	}
	modules_seen_done(&seen);
	if (code == -ENOENT)
		return err_set(err, ENOENT,
			       "cannot inject: process %d has no ONNX Runtime in it, or it has not loaded one yet",
			       (int)inject->pid);
	if (code)
		return code;
	inject->head.slot = parts->runtime_file.slot;
	inject->head.original = parts->runtime_file.original;
	snprintf(inject->version, sizeof inject->version, "%s", parts->runtime_file.version);
	snprintf(inject->path, sizeof inject->path, "%s", parts->runtime->path);
	return 0;
}

/* ---- where it can be written ---- */

static bool is_page_readonly(pid_t pid, uint64_t at)
{
	unsigned long long start, end;
	bool is_readonly = true;
	char path[64], line[512], perms[8];
	FILE *maps;

	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof line, maps))
		if (sscanf(line, "%llx-%llx %7s", &start, &end, perms) == 3 && at >= start && at < end)
			is_readonly = perms[1] != 'w';
	if (maps)
		fclose(maps);
	return is_readonly;
}

/* Whether a head of ours lies here; with code of another make it cannot be used. */
static bool is_ferry(const struct inject *inject, uint64_t at, struct ferry_head *head)
{
	return get(inject, at, head, sizeof *head) && head->magic == FERRY_MAGIC;
}

static bool has_our_code(const struct inject *inject, uint64_t at)
{
	char ours[MAX_CODE], its[MAX_CODE];
	size_t size = inject_code_size();

	inject_code_make(ours, &inject->head);
	return get(inject, at, its, size) && !memcmp(ours + sizeof(struct ferry_head), its + sizeof(struct ferry_head),
						     size - sizeof(struct ferry_head));
}

/* In memory as in the file: nobody has put anything there. */
static bool is_untouched(const struct inject *inject, int fd, const struct inject_gap *gap, uint64_t at)
{
	char file[MAX_CODE], memory[MAX_CODE];
	size_t size = inject_code_size();
	ssize_t n = pread(fd, file, size, (off_t)(gap->offset + (at - gap->address)));

	if (n < 0 || !get(inject, at, memory, size))
		return false;
	memset(file + n, 0, size - (size_t)n); /* beyond the file's end */
	return !memcmp(file, memory, size);
}

/*
 * Takes the place for the code: that of an earlier time for the same slot, else a free one. *state: that of an earlier
 * time.
 */
static bool find_code(struct inject *inject, const struct inject_file *file, int fd, uint64_t *state)
{
	size_t size = inject_code_size();
	uint64_t free_at = 0;

	for (uint32_t i = 0; i < file->n_gaps; i++) {
		const struct inject_gap *gap = &file->gap[i];
		uint64_t skip = -gap->address & 63;
		if (!gap->is_code)
			continue;
		for (uint64_t at = skip; gap->size >= size && at <= gap->size - size; at += size) {
			struct ferry_head head;
			if (is_ferry(inject, gap->address + at, &head)) {
				*state = head.state;
				if (head.slot != inject->head.slot || !has_our_code(inject, gap->address + at))
					continue;
				inject->at = gap->address + at;
				return true;
			}
			if (!free_at && is_untouched(inject, fd, gap, gap->address + at))
				free_at = gap->address + at;
		}
	}
	inject->at = free_at;
	inject->is_new = true;
	return free_at != 0;
}

static bool find_state(struct inject *inject, const struct inject_file *file)
{
	static const struct ferry_state none;
	struct ferry_state now;

	for (uint32_t i = 0; i < file->n_gaps; i++) {
		const struct inject_gap *gap = &file->gap[i];
		uint64_t skip = -gap->address & 15;
		if (gap->is_code || gap->size < skip + sizeof now)
			continue;
		inject->head.state = gap->address + skip;
		if (get(inject, inject->head.state, &now, sizeof now) && !memcmp(&now, &none, sizeof now))
			return true;
	}
	inject->head.state = 0;
	return false;
}

static int find_places(struct inject *inject, struct parts *parts, struct err *err)
{
	uint64_t state = 0;
	bool found = find_code(inject, &parts->libc_file, parts->libc_fd, &state);

	if (!found && parts->program &&
	    !look_into(inject->pid, parts->program, &parts->program_file, &parts->program_fd, err))
		found = find_code(inject, &parts->program_file, parts->program_fd, &state);
	if (!found)
		return err_set(
		    err, ENOSPC,
		    "cannot inject: process %d has no unused bytes for %zu bytes of code; leave out --inject",
		    (int)inject->pid, inject_code_size());
	inject->head.state = state;
	if (state || find_state(inject, &parts->libc_file) || find_state(inject, &parts->program_file))
		return 0;
	if (parts->program && parts->program_fd < 0 &&
	    !look_into(inject->pid, parts->program, &parts->program_file, &parts->program_fd, err) &&
	    find_state(inject, &parts->program_file))
		return 0;
	return err_set(err, ENOSPC,
		       "cannot inject: process %d has no unused bytes for %zu bytes of data; leave out --inject",
		       (int)inject->pid, sizeof(struct ferry_state));
}

/* The word must be what the file says, or ours from an earlier time. */
static int check_slot(struct inject *inject, struct err *err)
{
	uint64_t found;

	if (!get(inject, inject->head.slot, &found, sizeof found))
		return err_set(err, EIO, "cannot inject: cannot read the memory of process %d", (int)inject->pid);
	if (found == inject->head.original || found == inject_code_trigger(inject->at))
		return 0;
	return err_set(
	    err, EBUSY,
	    "cannot inject: process %d has a function of %s replaced already: another tool is in it, or it was started "
	    "under inftrace record",
	    (int)inject->pid, inject->path);
}

/* Nobody else is at it: neither is an agent at work, nor a call on its way to one. */
static int check_idle(const struct inject *inject, struct err *err)
{
	uint64_t until = now_ms() + WAIT_MS;
	struct ferry_state state;
	struct ferry_head head;

	if (inject->is_new && !get(inject, inject->head.state, &state, sizeof state))
		return err_set(err, EIO, "cannot inject: cannot read the memory of process %d", (int)inject->pid);
	for (;;) {
		bool has_head = !inject->is_new && is_ferry(inject, inject->at, &head);
		if (has_head && inject_dir_is_in_use(inject, &head))
			return err_set(err, EBUSY, "cannot inject: process %d is being recorded by another inftrace",
				       (int)inject->pid);
		if (!get(inject, inject->head.state, &state, sizeof state))
			return err_set(err, EIO, "cannot inject: cannot read the memory of process %d",
				       (int)inject->pid);
		if (state.phase == FERRY_IDLE || state.phase == FERRY_FAILED || state.phase == FERRY_DONE)
			return 0;
		if (now_ms() > until)
			return err_set(err, EBUSY,
				       "cannot inject: the agent that was brought into process %d before has not left "
				       "yet; try again",
				       (int)inject->pid);
		pause_ms(STEP_MS);
	}
}

static void close_parts(struct parts *parts)
{
	if (parts->libc_fd >= 0)
		close(parts->libc_fd);
	if (parts->program_fd >= 0)
		close(parts->program_fd);
	modules_done(&parts->modules);
}

static int analyse(struct inject *inject, const struct inject_opts *opts, struct parts *parts, struct err *err)
{
	char path[64];
	int code;

	if ((code = check_status(inject, opts->allows_seccomp, err)) ||
	    (code = modules_read(&parts->modules, "", inject->pid, err)) || (code = check_modules(inject, parts, err)))
		return code;
	snprintf(path, sizeof path, "/proc/%d/mem", (int)inject->pid);
	inject->memory = open(path, O_RDWR | O_CLOEXEC);
	if (inject->memory < 0)
		return err_set(
		    err, errno,
		    "cannot inject: cannot write to the memory of process %d: %s; it may not be touched by others "
		    "(kernel.yama.ptrace_scope, or it has more rights than you); run inftrace as root",
		    (int)inject->pid, strerror(errno));
	if ((code = find_functions(inject, parts, err)) || (code = find_runtime(inject, parts, err)) ||
	    (code = find_places(inject, parts, err)) || (code = check_idle(inject, err)))
		return code;
	return check_slot(inject, err);
}

int inject_prepare(struct inject *inject, pid_t pid, const struct inject_opts *opts, struct err *err)
{
	struct parts parts = { .libc_fd = -1, .program_fd = -1 };
	int code;

	*inject = (struct inject){ .pid = pid, .memory = -1, .dir = -1, .lifeline = -1, .parent = -1 };
	inject->head = (struct ferry_head){ .magic = FERRY_MAGIC,
					    .segment_size = sizeof(struct segment),
					    .ring_bytes = opts->ring_bytes,
					    .level = opts->level,
					    .use_ticks = opts->use_ticks,
					    .entry = FERRY_ENTRY };
	code = analyse(inject, opts, &parts, err);
	close_parts(&parts);
	if (code)
		return code;
	inject->head.slot_is_readonly = is_page_readonly(pid, inject->head.slot);
	return inject_dir_make(inject, opts->agent, err);
}

/* ---- in and out ---- */

static int put_word(const struct inject *inject, uint64_t at, uint64_t word, struct err *err)
{
	return put(inject, at, &word, sizeof word, err);
}

/*
 * An earlier injector may have died while its word was waiting for a call: that is taken back, and a call that has just
 * taken it gets the time to find that nobody is there.
 */
static int take_back(const struct inject *inject, struct err *err)
{
	uint32_t done = FERRY_DONE;
	struct ferry_state state;
	uint64_t found;
	int code = 0;

	if (!get(inject, inject->head.slot, &found, sizeof found) ||
	    !get(inject, inject->head.state, &state, sizeof state))
		return err_set(err, EIO, "cannot inject: cannot read the memory of process %d", (int)inject->pid);
	if (found != inject->head.original)
		code = put_word(inject, inject->head.slot, inject->head.original, err);
	step();
	if (!code && state.phase == FERRY_IDLE) {
		code = put(inject, inject->head.state, &done, sizeof done, err);
		pause_ms(SETTLE_MS);
	}
	step();
	return code;
}

static int write_code(const struct inject *inject, struct err *err)
{
	char code[MAX_CODE];

	if (!inject->is_new)
		return put(inject, inject->at, &inject->head, sizeof inject->head, err);
	inject_code_make(code, &inject->head);
	return put(inject, inject->at, code, inject_code_size(), err);
}

/* What is left of an earlier time stays, but for what went wrong then. The phase is written last. */
static int write_state(const struct inject *inject, struct err *err)
{
	struct ferry_state state;
	int code;

	if (!get(inject, inject->head.state, &state, sizeof state))
		return err_set(err, EIO, "cannot inject: cannot read the memory of process %d", (int)inject->pid);
	memset(state.error, 0, sizeof state.error);
	state.code = 0;
	code = put(inject, inject->head.state + 4, (char *)&state + 4, sizeof state - 4, err);
	state.phase = FERRY_IDLE;
	step();
	return code ? code : put(inject, inject->head.state, &state.phase, sizeof state.phase, err);
}

int inject_write(struct inject *inject, struct err *err)
{
	int code = 0;

	if (inject_code_size() > MAX_CODE)
		return err_set(err, ENOSPC, "cannot inject: the code has grown too long");
	step();
	if (!inject->is_new)
		code = take_back(inject, err);
	if (!code)
		code = write_code(inject, err);
	step();
	if (!code)
		code = write_state(inject, err);
	step();
	/* once more: the program may have unloaded its runtime, and have something else there */
	if (!code)
		code = check_slot(inject, err);
	if (!code)
		code = put_word(inject, inject->head.slot, inject_code_trigger(inject->at), err);
	inject->was_written = !code;
	step();
	return code;
}

static enum inject_where failed(const struct inject *inject, const struct ferry_state *state, struct err *err)
{
	char why[sizeof state->error + 1] = "";

	memcpy(why, state->error, sizeof state->error);
	for (char *at = why; *at; at++)
		if ((unsigned char)*at < ' ')
			*at = '?';
	err_set(err, state->code ? (int)state->code : ELIBACC,
		"cannot inject: process %d could not load the agent: %s; the program goes on", (int)inject->pid,
		*why	      ? why
		: state->code ? strerror((int)state->code)
			      : "it does not say why");
	return INJECT_FAILED;
}

enum inject_where inject_look(const struct inject *inject, struct err *err)
{
	struct ferry_state state;

	if (!get(inject, inject->head.state, &state, sizeof state))
		return INJECT_GONE;
	switch (state.phase) {
	case FERRY_IDLE:
		return INJECT_PENDING;
	case FERRY_CLAIMED:
		return INJECT_COMING;
	case FERRY_ARMED:
		return INJECT_THERE;
	case FERRY_FAILED:
		return failed(inject, &state, err);
	default:
		return state.code ? failed(inject, &state, err) : INJECT_LEFT;
	}
}

int inject_leave(struct inject *inject, unsigned wait_ms, struct err *err)
{
	uint64_t until = now_ms() + wait_ms, found;
	enum inject_where where;
	struct err ignored;

	if (!inject->was_written)
		return 0;
	step();
	if (get(inject, inject->head.slot, &found, sizeof found) && found == inject_code_trigger(inject->at))
		put_word(inject, inject->head.slot, inject->head.original, &ignored);
	step();
	inject->was_written = false;
	close(inject->lifeline);
	inject->lifeline = -1;
	step();
	while ((where = inject_look(inject, &ignored)) == INJECT_THERE || where == INJECT_COMING) {
		if (now_ms() >= until)
			return err_set(err, ETIMEDOUT,
				       "process %d has not taken out the agent's hooks yet, because it does not run; "
				       "it will when it does",
				       (int)inject->pid);
		pause_ms(STEP_MS);
	}
	step();
	return 0;
}

void inject_done(struct inject *inject)
{
	inject_dir_remove(inject);
	if (inject->memory >= 0)
		close(inject->memory);
	inject->memory = -1;
}
