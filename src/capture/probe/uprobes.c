// SPDX-License-Identifier: Apache-2.0
/*
 * Which processes have probes in them: files are looked at once, each copy of a runtime in a process gets its links and
 * a place in the map that the program looks at.
 */
#include "capture/probe/uprobes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/probe/uprobe_load.h"
#include "capture/probe/uprobe_trial.h"
#include "capture/proc/file_look.h"
#include "capture/proc/modules.h"
#include "capture/proc/proc.h"
#include "capture/proc/rights.h"

/* A file that was analysed. */
struct analysed {
	uint64_t device, inode, size;
	struct timespec changed;
	const struct analysed *host;
	struct probe_sites sites;
	int code; /* of the analysis */
	struct err err;
};

/*
 * The probes of a file in all processes that have it. Each further process costs an entry in a map and nothing for the
 * others, where a link of its own costs each hit of the others 52 ns.
 */
struct shared {
	const struct analysed *file; /* NULL: the place is free */
	struct uprobe_links links;
	char armed[800];
	bool has_load, has_weights;
};

enum { MAX_SHARED = 256 };

struct uprobes {
	struct uprobes_opts opts;
	struct uprobe_loaded loaded;
	struct modules_seen seen;
	struct analysed **analysed;
	size_t n_analysed;
	struct uprobes_copy copy[UPROBE_MAX_ARMED];
	struct uprobe_links links[UPROBE_MAX_ARMED];
	uint32_t shared_of[UPROBE_MAX_ARMED]; /* the number of its shared links + 1; 0: it has links of its own */
	struct shared shared[MAX_SHARED];
	struct {
		uint64_t device, inode;
	} file[UPROBE_MAX_ARMED];
	uint32_t last;		   /* place that was given out last: others first */
	bool is_started, is_final; /* is_final: nothing more can be armed */
};

struct uprobes *uprobes_open(const struct uprobes_opts *opts, struct err *err)
{
	struct uprobes *uprobes = calloc(1, sizeof *uprobes);
	struct err reason;

	if (!uprobes) {
		err_set(err, ENOMEM, "cannot prepare probes: out of memory");
		return NULL;
	}
	uprobes->opts = *opts;
	if (uprobe_load(&uprobes->loaded, opts->link, err)) {
		/* what the kernel says is seldom what is missing */
		if (rights_check("", &reason))
			*err = reason;
		else if (access("/sys/kernel/btf/vmlinux", R_OK))
			err_set(err, ENOTSUP,
				"cannot load the BPF program: the kernel's types cannot be read from "
				"/sys/kernel/btf/vmlinux: %s (a "
				"container that hides it, or a kernel without CONFIG_DEBUG_INFO_BTF); run inftrace on "
				"the host",
				strerror(errno));
		free(uprobes);
		return NULL;
	}
	if (uprobe_trial(uprobes->loaded.link, &uprobes->loaded.empty, err)) {
		if ((err->code == EPERM || err->code == EACCES) && rights_is_filtered())
			err_set(
			    err, EPERM,
			    "cannot probe running programs: a seccomp filter blocks it; "
			    "start the container with --security-opt seccomp=unconfined, or run inftrace on the host");
		uprobes_close(uprobes);
		return NULL;
	}
	return uprobes;
}

struct uprobes_copy *uprobes_copy(struct uprobes *uprobes, uint32_t number)
{
	return number < UPROBE_MAX_ARMED && uprobes->copy[number].pid ? &uprobes->copy[number] : NULL;
}

struct uprobe_armed *uprobes_armed(struct uprobes *uprobes, uint32_t number)
{
	return &uprobes->loaded.armed[number % UPROBE_MAX_ARMED];
}

struct uprobe_ring *uprobes_ring(struct uprobes *uprobes)
{
	return &uprobes->loaded.ring;
}

const char *uprobes_link_name(const struct uprobes *uprobes)
{
	return uprobe_link_name(uprobes->loaded.link);
}

enum uprobe_link_type uprobes_link_here(void)
{
	for (int link = UPROBE_LINK_SESSION; link <= UPROBE_LINK_PERF; link++)
		if (!uprobe_link_check((enum uprobe_link_type)link))
			return (enum uprobe_link_type)link;
	return UPROBE_LINK_ANY;
}

int uprobes_check(struct err *err)
{
	struct utsname kernel;
	int code = rights_check("", err);

	if (code)
		return code;
	if (uprobes_link_here() != UPROBE_LINK_ANY)
		return 0;
	if (uname(&kernel))
		*kernel.release = 0;
	return err_set(err, ENOTSUP, "cannot probe running programs: this needs Linux %s or later; this is %.64s",
		       uprobe_link_since(UPROBE_LINK_ANY), kernel.release);
}

bool uprobes_is_slow(const struct uprobes *uprobes)
{
	return uprobes->loaded.link == UPROBE_LINK_PERF;
}

static void set_gate(struct uprobes *uprobes, uint32_t number, bool is_open)
{
	__atomic_store_n(&uprobes->loaded.armed[number].is_open, is_open, __ATOMIC_RELEASE);
}

static void set_gates(struct uprobes *uprobes, bool is_open)
{
	uprobes->is_started = is_open;
	for (uint32_t i = 0; i < UPROBE_MAX_ARMED; i++)
		if (uprobes->copy[i].pid)
			set_gate(uprobes, i, is_open);
}

void uprobes_start(struct uprobes *uprobes)
{
	set_gates(uprobes, true);
}

void uprobes_stop(struct uprobes *uprobes)
{
	set_gates(uprobes, false);
}

static struct analysed *analyse(struct uprobes *uprobes, int fd, const char *name, const struct analysed *host,
				struct err *err)
{
	struct analysed *found, **grown;
	struct stat stat_;

	if (fstat(fd, &stat_)) {
		err_set(err, errno, "cannot look at %s: %s", name, strerror(errno));
		return NULL;
	}
	for (size_t i = 0; i < uprobes->n_analysed; i++) {
		found = uprobes->analysed[i];
		if (found->device == stat_.st_dev && found->inode == stat_.st_ino &&
		    found->size == (uint64_t)stat_.st_size && found->changed.tv_sec == stat_.st_ctim.tv_sec &&
		    found->changed.tv_nsec == stat_.st_ctim.tv_nsec && found->host == host)
			return found;
	}
	grown = realloc(uprobes->analysed, (uprobes->n_analysed + 1) * sizeof(struct analysed *));
	found = grown ? calloc(1, sizeof *found) : NULL;
	if (grown)
		uprobes->analysed = grown;
	if (!found) {
		err_set(err, ENOMEM, "cannot look at %s: out of memory", name);
		return NULL;
	}
	*found = (struct analysed){ .device = stat_.st_dev,
				    .inode = stat_.st_ino,
				    .size = (uint64_t)stat_.st_size,
				    .changed = stat_.st_ctim,
				    .host = host };
	found->code = file_look_sites(&found->sites, fd, name, host ? &host->sites : NULL, &found->err);
	uprobes->analysed[uprobes->n_analysed++] = found;
	return found;
}

/*
 * Not a five-byte nop: kernels from 6.18 turn a probe on one into a call, which writes below the stack pointer of a
 * function that may have something there.
 */
static bool is_safe(int fd, const struct probe_site *site)
{
	static const uint8_t nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	uint8_t bytes[sizeof nop5] = { 0 };

	return pread(fd, bytes, sizeof bytes, (off_t)site->offset) >= 1 && memcmp(bytes, nop5, sizeof nop5);
}

static bool is_kernel(unsigned major_, unsigned minor_)
{
	unsigned its_major = 0, its_minor = 0;
	struct utsname name;

	if (uname(&name) || sscanf(name.release, "%u.%u", &its_major, &its_minor) != 2)
		return true;
	return its_major > major_ || (its_major == major_ && its_minor >= minor_);
}

/* What people are told: "runs 1, operators 698, ..." */
static void describe_sites(struct uprobes_copy *copy, const struct uprobe_site *site, size_t n)
{
	size_t count[N_SITE_KINDS] = { 0 }, used = 0;

	for (size_t i = 0; i < n; i++)
		count[site[i].cookie & 0xff]++;
	for (int kind = 0; kind < N_SITE_KINDS; kind++)
		if (count[kind] && used < sizeof copy->armed)
			used += (size_t)snprintf(copy->armed + used, sizeof copy->armed - used, "%s%s %zu",
						 used ? ", " : "", probe_kind_name((enum probe_kind)kind), count[kind]);
	copy->has_load = count[SITE_LOAD];
	copy->has_weights = count[SITE_WEIGHT];
}

static void describe_file(struct uprobes_copy *copy, const struct analysed *file)
{
	snprintf(copy->version, sizeof copy->version, "%s", file->sites.version);
	if (*file->sites.left_out)
		snprintf(copy->left_out, sizeof copy->left_out, "%s; build id %s", file->sites.left_out,
			 *file->sites.build_id ? file->sites.build_id : "unknown");
	copy->runtime = runtimes[file->sites.runtime]->name;
	copy->is_old_string = file->sites.is_old_string;
}

/* Up to kernel 6.9 uprobe.multi let only one thread of a process through: it is asked for all processes. */
static bool filters_processes(const struct uprobes *uprobes)
{
	return uprobes->loaded.link != UPROBE_LINK_MULTI || is_kernel(6, 10);
}

/* The kernel goes by the memory of a process's first thread. One that has ended (pthread_exit) has none. */
static bool is_headless(pid_t pid)
{
	return proc_living("", pid) != pid;
}

/*
 * Whether the program in the kernel must look itself whose thread it is on: there, and with perf events up to 6.12,
 * whose returns came from every process that had any probe at the place.
 */
static bool needs_filter(const struct uprobes *uprobes, const struct uprobes_copy *copy)
{
	return !filters_processes(uprobes) || copy->is_headless ||
	       (uprobes->loaded.link == UPROBE_LINK_PERF && !is_kernel(6, 13));
}

/* A process by what no later one has, too. */
struct identity {
	pid_t pid;
	uint64_t start_ticks;
};

static bool is_of(const struct uprobes_copy *copy, const struct identity *process)
{
	return copy->pid == process->pid && copy->start_ticks == process->start_ticks;
}

static int say_gone(const struct identity *process, struct err *err)
{
	return err_set(err, ESRCH, "cannot probe process %d: it has ended", (int)process->pid);
}

static int say_failed(int code, const struct uprobes_copy *copy, const char *path, size_t n, struct err *err)
{
	if (code == -ESRCH)
		return say_gone(&(struct identity){ copy->pid, copy->start_ticks }, err);
	if ((code == -EPERM || code == -EACCES) && rights_is_filtered())
		return err_set(err, EPERM,
			       "cannot probe process %d: a filter of system calls (seccomp) refuses it; "
			       "start the container with "
			       "--security-opt seccomp=unconfined, or run inftrace on the host",
			       (int)copy->pid);
	if (code == -EMFILE)
		return err_set(err, EMFILE,
			       "cannot put probes on %s: %zu places, each of which takes an open file on this kernel, "
			       "are more than "
			       "ulimit -n allows; --level inference has fewer",
			       path, n);
	return code ? err_set(err, -code, "cannot put probes on %s: %s", path, strerror(-code)) : 0;
}

/* A file's sites in one process, or in all: pid 0. index: what their cookies bear. */
struct putting {
	int fd;
	const struct analysed *file;
	const char *path;
	pid_t pid;
	uint32_t index;
};

static int put_links(struct uprobes *uprobes, struct uprobe_links *links, struct uprobes_copy *copy,
		     const struct putting *putting, struct err *err)
{
	const struct probe_sites *sites = &putting->file->sites;
	const struct uprobe_loaded *loaded = &uprobes->loaded;
	struct uprobe_site *site = calloc(sites->n + 1, sizeof *site);
	struct uprobe_place place;
	char link[64];
	size_t n = 0;
	int code;

	if (!site)
		return err_set(err, ENOMEM, "cannot put probes on %s: out of memory", putting->path);
	for (size_t i = 0; i < sites->n; i++) {
		const struct probe_site *from = &sites->site[i];
		enum probe_kind kind = (enum probe_kind)from->kind;
		if ((probe_kind_is_operator(kind) && !uprobes->opts.has_operators) || !is_safe(putting->fd, from))
			continue;
		site[n++] = (struct uprobe_site){ from->offset, UPROBE_COOKIE(kind, putting->index, from->depth),
						  probe_kind_returns(kind) };
	}
	describe_sites(copy, site, n);
	snprintf(link, sizeof link, "/proc/self/fd/%d", putting->fd);
	place = (struct uprobe_place){ link, putting->pid, site, n };
	code = uprobe_links_open(links, loaded->link, uprobes->opts.is_empty ? &loaded->empty : &loaded->program,
				 &place, err);
	free(site);
	return say_failed(code, copy, putting->path, n, err);
}

/*
 * Sessions alone: kernels that have them keep shadow stacks in step with return probes, also in processes that are not
 * asked (rights_check_returns).
 */
static bool is_shared(const struct uprobes *uprobes)
{
	return uprobes->opts.is_shared && uprobes->loaded.link == UPROBE_LINK_SESSION;
}

/* The shared probes of the file, put in by its first process; NULL: there is no place for another one. */
static struct shared *shared_of_file(struct uprobes *uprobes, const struct analysed *file)
{
	struct shared *free_ = NULL;

	for (uint32_t i = MAX_SHARED; i-- > 0;) {
		if (uprobes->shared[i].file == file)
			return &uprobes->shared[i];
		if (!uprobes->shared[i].file)
			free_ = &uprobes->shared[i];
	}
	return free_;
}

static int share_links(struct uprobes *uprobes, uint32_t number, struct shared *shared, struct putting *putting,
		       struct err *err)
{
	struct uprobes_copy *copy = &uprobes->copy[number];
	uint32_t file = (uint32_t)(shared - uprobes->shared);
	int code = 0;

	putting->index = UPROBE_SHARED | file;
	if (!shared->file) {
		code = put_links(uprobes, &shared->links, copy, putting, err);
		if (code)
			return code;
		shared->file = putting->file;
		memcpy(shared->armed, copy->armed, sizeof shared->armed);
		shared->has_load = copy->has_load;
		shared->has_weights = copy->has_weights;
	}
	memcpy(copy->armed, shared->armed, sizeof copy->armed);
	copy->has_load = shared->has_load;
	copy->has_weights = shared->has_weights;
	code = uprobe_place_put(&uprobes->loaded, file, copy->pid, number);
	if (code)
		return err_set(err, -code, "cannot put probes on %s: %s", putting->path, strerror(-code));
	uprobes->shared_of[number] = file + 1;
	return 0;
}

static int put_probes(struct uprobes *uprobes, uint32_t number, int fd, const struct analysed *file, const char *path,
		      struct err *err)
{
	struct uprobes_copy *copy = &uprobes->copy[number];
	struct shared *shared = is_shared(uprobes) ? shared_of_file(uprobes, file) : NULL;
	struct putting putting = { .fd = fd, .file = file, .path = path, .index = number };

	describe_file(copy, file);
	if (shared)
		return share_links(uprobes, number, shared, &putting, err);
	putting.pid = filters_processes(uprobes) && !copy->is_headless ? copy->pid : 0;
	return put_links(uprobes, &uprobes->links[number], copy, &putting, err);
}

/* 0: there is no such process. */
static uint64_t start_of(pid_t pid)
{
	struct proc_stat stat_;
	char text[1024];
	ssize_t got = proc_read("", pid, "stat", text, sizeof text);

	return got > 0 && proc_stat_parse(text, (size_t)got, &stat_) ? stat_.start_ticks : 0;
}

static void fill(struct uprobes_copy *copy, const struct identity *process, const char *path)
{
	char link[64];
	ssize_t got;

	*copy = (struct uprobes_copy){ .pid = process->pid,
				       .start_ticks = process->start_ticks,
				       .path = strdup(path),
				       .is_headless = is_headless(process->pid),
				       .is_new = true };
	snprintf(link, sizeof link, "/proc/%d/cwd", (int)process->pid);
	got = readlink(link, copy->cwd, sizeof copy->cwd - 1);
	copy->cwd[got > 0 ? got : 0] = 0;
}

void uprobes_disarm(struct uprobes *uprobes, uint32_t number)
{
	struct uprobes_copy *copy = &uprobes->copy[number];

	set_gate(uprobes, number, false);
	/* shared links stay: another process of the file comes, or has come */
	if (uprobes->shared_of[number])
		uprobe_place_remove(&uprobes->loaded, uprobes->shared_of[number] - 1, copy->pid, number);
	uprobes->shared_of[number] = 0;
	uprobe_links_close(&uprobes->links[number]);
	free(copy->path);
	memset(copy, 0, sizeof *copy);
}

/* Where it lies in the process: in the mapping that the module's code begins with, as all code of these builds. */
static void note_run(struct uprobe_armed *armed, const struct module *module, const struct probe_sites *sites)
{
	const struct probe_site *run = &sites->site[sites->first[SITE_RUN]];
	uint64_t length = sites->run_end - sites->run_start, entry;

	if (!probe_sites_count(sites, SITE_RUN) || !length || run->offset < module->offset)
		return;
	entry = module->start + (run->offset - module->offset) - (run->address - sites->run_start);
	if (entry < module->start || entry + length > module->end)
		return;
	armed->run_start = entry;
	armed->run_end = entry + length;
}

/* Where the objects of this runtime keep names. */
static void note_layout(struct uprobe_armed *armed, const struct probe_sites *sites)
{
	const struct runtime_layout *layout = runtimes[sites->runtime]->layout;

	if (!layout)
		return;
	armed->kernel_info = layout->kernel_info;
	armed->is_info_inside = sites->minor > 0 && sites->minor <= layout->info_inside;
	armed->info_node = layout->info_node;
	armed->info_provider = layout->info_provider;
	armed->node_index = layout->node_index;
	armed->node_name = layout->node_name;
	armed->node_type = layout->node_name + (sites->is_old_string ? layout->old_string : layout->string);
	armed->part_name = layout->part_name;
	armed->status_message = layout->status_message;
	armed->context_options = layout->context_options;
}

static int arm(struct uprobes *uprobes, const struct identity *process, const struct module *module, int fd,
	       const struct analysed *file, struct err *err)
{
	uint64_t start_ns = clock_ns();
	uint32_t number = 0, n_tried = 0;
	struct uprobe_armed *armed;
	int code;

	for (; n_tried < UPROBE_MAX_ARMED; n_tried++) {
		number = ++uprobes->last % UPROBE_MAX_ARMED;
		if (!uprobes->copy[number].pid)
			break;
	}
	if (n_tried == UPROBE_MAX_ARMED)
		return err_set(err, EMFILE,
			       "cannot probe process %d: the limit of %d probed copies of a runtime is reached",
			       (int)process->pid, UPROBE_MAX_ARMED);
	fill(&uprobes->copy[number], process, module->path);
	armed = &uprobes->loaded.armed[number];
	*armed =
	    (struct uprobe_armed){ .is_old_string = file->sites.is_old_string,
				   .has_operators = uprobes->opts.has_operators,
				   .sample = uprobes->opts.sample,
				   .tgid = needs_filter(uprobes, &uprobes->copy[number]) ? (uint32_t)process->pid : 0,
				   .generation = clock_ns(), /* not those of who had the place before */
				   .has_gaps = uprobes->opts.sample > 1 || uprobes->opts.max_per_second,
				   .min_gap_ns =
				       uprobes->opts.max_per_second ? 1000000000u / uprobes->opts.max_per_second : 0 };
	note_run(armed, module, &file->sites);
	note_layout(armed, &file->sites);
	uprobes->file[number].device = (uint64_t)module->major << 32 | module->minor;
	uprobes->file[number].inode = module->inode;
	code = put_probes(uprobes, number, fd, file, module->path, err);
	/* the kernel has found who has the number: it must have been this process */
	if (!code && start_of(process->pid) != process->start_ticks)
		code = say_gone(process, err);
	if (code) {
		uprobes_disarm(uprobes, number);
		return code;
	}
	uprobes->copy[number].arm_ns = clock_ns() - start_ns;
	set_gate(uprobes, number, uprobes->is_started);
	return 0;
}

static bool is_armed(const struct uprobes *uprobes, const struct identity *process, const struct module *module)
{
	for (uint32_t i = 0; i < UPROBE_MAX_ARMED; i++)
		if (is_of(&uprobes->copy[i], process) && uprobes->file[i].inode == module->inode &&
		    uprobes->file[i].device == ((uint64_t)module->major << 32 | module->minor))
			return true;
	return false;
}

static int count_armed(const struct uprobes *uprobes, const struct identity *process)
{
	int n = 0;

	for (uint32_t i = 0; i < UPROBE_MAX_ARMED; i++)
		n += is_of(&uprobes->copy[i], process);
	return n;
}

/*
 * Looks at one file of the process and arms it when it is what is wanted: a runtime, or with a host a provider's
 * library. *host: the runtime, once it is known.
 */
static int look(struct uprobes *uprobes, const struct identity *process, const struct module *module,
		const struct analysed **host, enum modules_verdict wanted, struct err *err)
{
	struct analysed *file;
	int fd = modules_open(process->pid, module, err), code = 0;

	if (fd == -EACCES)
		return fd; /* as all files of this process */
	if (fd < 0)
		return 0; /* it has gone from there, and nothing tells that it is a runtime */
	if (modules_look(&uprobes->seen, fd) == wanted) {
		file = analyse(uprobes, fd, module->path, wanted == MODULES_LIBRARY ? *host : NULL, err);
		code = file ? file->code : -err->code;
		if (file && code)
			*err = file->err;
		if (!code && wanted == MODULES_RUNTIME && !*host)
			*host = file;
		if (!code && !is_armed(uprobes, process, module))
			code = arm(uprobes, process, module, fd, file, err);
	}
	close(fd);
	return code == -ENOENT ? 0 : code;
}

int uprobes_arm(struct uprobes *uprobes, pid_t pid, uint64_t start_ticks, struct err *err)
{
	const struct identity process = { pid, start_of(pid) };
	const struct analysed *host = NULL;
	struct modules modules = { 0 };
	struct err first = { 0 }, failure;
	int code = 0;

	if (!process.start_ticks || (start_ticks && start_ticks != process.start_ticks))
		return say_gone(&process, err);
	if (uprobes->is_final && count_armed(uprobes, &process))
		return count_armed(uprobes, &process);
	if (uprobes->is_final)
		return err_set(
		    err, EPERM,
		    "no runtime was seen in it when recording began; one that it loaded since was not looked for "
		    "(--follow looks for it)");
	code = modules_read(&modules, "", pid, err);
	if (!code)
		code = rights_check_returns("", pid, err);
	if (!code && modules.is_32bit)
		code = err_set(err, ENOTSUP, "cannot probe process %d: it runs 32-bit code", (int)pid);
	for (int wanted = MODULES_RUNTIME; wanted <= MODULES_LIBRARY && !code; wanted++) {
		for (size_t i = 0; i < modules.n && (wanted == MODULES_RUNTIME || host); i++)
			if (look(uprobes, &process, &modules.module[i], &host, (enum modules_verdict)wanted,
				 &failure) &&
			    !first.code)
				first = failure;
	}
	modules_done(&modules);
	if (code)
		return code;
	if (first.code && !count_armed(uprobes, &process)) {
		*err = first;
		return -first.code;
	}
	return count_armed(uprobes, &process);
}

void uprobes_close(struct uprobes *uprobes)
{
	if (!uprobes)
		return;
	uprobes_stop(uprobes);
	for (uint32_t i = 0; i < UPROBE_MAX_ARMED; i++)
		if (uprobes->copy[i].pid)
			uprobes_disarm(uprobes, i);
	for (uint32_t i = 0; i < MAX_SHARED; i++)
		uprobe_links_close(&uprobes->shared[i].links);
	for (size_t i = 0; i < uprobes->n_analysed; i++) {
		probe_sites_done(&uprobes->analysed[i]->sites);
		free(uprobes->analysed[i]);
	}
	free(uprobes->analysed);
	modules_seen_done(&uprobes->seen);
	uprobe_unload(&uprobes->loaded);
	free(uprobes);
}

int uprobes_drop_rights(struct uprobes *uprobes, struct err *err)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capset, &header, none))
		return err_set(err, errno, "cannot give up rights: %s", strerror(errno));
	uprobes->is_final = true;
	return 0;
}
