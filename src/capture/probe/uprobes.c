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
#include "capture/probe/uprobe_trial.h"
#include "capture/probe/uprobes_in.h"
#include "capture/proc/proc.h"
#include "capture/proc/rights.h"

/* After a file could not be analysed in the time that it gets. */
#define AGAIN_NS UINT64_C(60000000000)

struct uprobes *uprobes_open(const struct uprobes_opts *opts, struct err *err)
{
	struct uprobes *uprobes = calloc(1, sizeof *uprobes);
	struct err reason;

	if (!uprobes) {
		err_no_memory(err, "cannot prepare probes");
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
	/*
	 * Kernels that have sessions keep shadow stacks in step with return probes, also in processes that are not
	 * asked (rights_check_returns).
	 */
	uprobes->opts.is_shared &= uprobes->loaded.link == UPROBE_LINK_SESSION;
	if (uprobe_is_paced(uprobes))
		uprobe_levels_begin(uprobes);
	return uprobes;
}

uint64_t uprobes_n_strangers(const struct uprobes *uprobes)
{
	return __atomic_load_n(&uprobes->loaded.n_strangers[STRANGERS_MET], __ATOMIC_RELAXED);
}

uint64_t uprobes_n_stranger_runs(const struct uprobes *uprobes)
{
	if (!uprobes->opts.is_shared || uprobes->opts.shares_late)
		return 0;
	return __atomic_load_n(&uprobes->loaded.n_strangers[STRANGERS_RUN_ENDS], __ATOMIC_RELAXED) / 2;
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

static void look_at_sites(struct analysed *file, int fd, const char *name)
{
	file->tried_ns = clock_ns();
	file->code = file_look_sites(&file->sites, fd, name, file->host ? &file->host->sites : NULL, &file->err);
}

/* There was no time for it: a machine is not busy for ever. */
static struct analysed *look_again(struct analysed *file, int fd, const char *name)
{
	if (file->code == -ETIME && clock_ns() - file->tried_ns > AGAIN_NS)
		look_at_sites(file, fd, name);
	return file;
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
			return look_again(found, fd, name);
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
				    .host = host,
				    .is_split = uprobes->opts.shares_late,
				    .fd = -1 };
	look_at_sites(found, fd, name);
	uprobes->analysed[uprobes->n_analysed++] = found;
	return found;
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
	return !uprobe_filters_processes(uprobes) || copy->is_headless ||
	       (uprobes->loaded.link == UPROBE_LINK_PERF && !uprobe_is_kernel(6, 13));
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

/* Nobody has probes in it: the next process that has it opens it again. Else a deleted file would take its disk. */
static void let_go(const struct uprobes *uprobes, struct analysed *file)
{
	if (file->n_copies)
		return;
	file->is_split = uprobes->opts.shares_late;
	file->must_share = file->must_split = false;
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

void uprobes_disarm(struct uprobes *uprobes, uint32_t number)
{
	struct uprobes_copy *copy = &uprobes->copy[number];
	struct analysed *file = uprobes->holder[number] ? uprobes->holder[number]->file : uprobes->homeless[number];

	set_gate(uprobes, number, false);
	uprobe_group_forget(uprobes, number);
	uprobe_holder_leave(uprobes, number);
	if (file)
		let_go(uprobes, file);
	uprobe_counts_done(&uprobes->counts[number]);
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

/* The copy of the runtime in the same process, of a provider's library. */
static uint32_t host_of(const struct uprobes *uprobes, uint32_t number, const struct analysed *file)
{
	for (uint32_t i = 0; i < UPROBE_MAX_ARMED && file->host; i++)
		if (uprobes->copy[i].pid == uprobes->copy[number].pid && uprobes->holder[i] &&
		    uprobes->holder[i]->file == file->host)
			return i;
	return number;
}

/* Probes are put in again by it, when the file may have no name any more. */
static int keep_open(struct analysed *file, int fd, struct err *err)
{
	if (file->fd < 0)
		file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return file->fd < 0 ? err_set(err, errno, "cannot keep a file open: %s", strerror(errno)) : 0;
}

static int arm(struct uprobes *uprobes, const struct identity *process, const struct module *module,
	       struct analysed *file, struct err *err)
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
	describe_file(&uprobes->copy[number], file);
	uprobes->host[number] = host_of(uprobes, number, file);
	uprobe_pace_init(&uprobes->pace[number], clock_ns(), uprobe_cpu_ns(process->pid));
	uprobes->counts[number].pid = process->pid;
	code = uprobe_holder_join(uprobes, number, file, err);
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
			code = keep_open(file, fd, err) ? -err->code : arm(uprobes, process, module, file, err);
		if (file)
			let_go(uprobes, file);
	}
	close(fd);
	return code == -ENOENT ? 0 : code;
}

/* All modules, in two rounds: the library of a provider is looked at once its runtime is known. *first: a failure. */
static void look_at_all(struct uprobes *uprobes, const struct identity *process, const struct modules *modules,
			struct err *first)
{
	const struct analysed *host = NULL;
	struct err failure;

	for (int wanted = MODULES_RUNTIME; wanted <= MODULES_LIBRARY; wanted++)
		for (size_t i = 0; i < modules->n && (wanted == MODULES_RUNTIME || host); i++)
			if (look(uprobes, process, &modules->module[i], &host, (enum modules_verdict)wanted,
				 &failure) &&
			    !first->code)
				*first = failure;
}

int uprobes_arm(struct uprobes *uprobes, pid_t pid, uint64_t start_ticks, uint64_t *looked, struct err *err)
{
	const struct identity process = { pid, start_of(pid) };
	struct modules modules = { 0 };
	struct err first = { 0 };
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
	if (!code && looked && *looked == modules_mark(&modules)) {
		modules_done(&modules);
		return count_armed(uprobes, &process);
	}
	if (!code)
		code = rights_check_returns("", pid, err);
	if (!code && modules.is_32bit)
		code = err_set(err, ENOTSUP, "cannot probe process %d: it runs 32-bit code", (int)pid);
	if (!code)
		look_at_all(uprobes, &process, &modules, &first);
	if (looked)
		*looked = code || first.code ? 0 : modules_mark(&modules);
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
		uprobe_holder_done(&uprobes->shared[i]);
	for (size_t i = 0; i < uprobes->n_analysed; i++) {
		if (uprobes->analysed[i]->fd >= 0)
			close(uprobes->analysed[i]->fd);
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
