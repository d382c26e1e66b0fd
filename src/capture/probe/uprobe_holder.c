// SPDX-License-Identifier: Apache-2.0
/* Puts the probes of a file into one process or all, as a whole or in parts. Decides nothing. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "capture/probe/uprobes_in.h"
#include "capture/proc/rights.h"

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

bool uprobe_is_kernel(unsigned major_, unsigned minor_)
{
	unsigned its_major = 0, its_minor = 0;
	struct utsname name;

	if (uname(&name) || sscanf(name.release, "%u.%u", &its_major, &its_minor) != 2)
		return true;
	return its_major > major_ || (its_major == major_ && its_minor >= minor_);
}

/* Up to kernel 6.9 uprobe.multi let only one thread of a process through: it is asked for all processes. */
bool uprobe_filters_processes(const struct uprobes *uprobes)
{
	return uprobes->loaded.link != UPROBE_LINK_MULTI || uprobe_is_kernel(6, 10);
}

/* Perf events take too long to go. */
bool uprobe_is_paced(const struct uprobes *uprobes)
{
	return uprobes->opts.is_paced && uprobes->loaded.link != UPROBE_LINK_PERF && uprobe_filters_processes(uprobes);
}

uint64_t uprobe_cpu_ns(pid_t pid)
{
	struct timespec time_;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time_))
		return 0;
	return (uint64_t)time_.tv_sec * 1000000000u + (uint64_t)time_.tv_nsec;
}

static int say_failed(int code, const struct uprobes_copy *copy, size_t n, struct err *err)
{
	if (code == -ESRCH)
		return err_set(err, ESRCH, "cannot probe process %d: it has ended", (int)copy->pid);
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
			       copy->path, n);
	return code ? err_set(err, -code, "cannot put probes on %s: %s", copy->path, strerror(-code)) : 0;
}

static bool is_wanted(const struct uprobes *uprobes, const struct analysed *file, const struct probe_site *site)
{
	return (uprobes->opts.has_operators || !probe_kind_is_operator((enum probe_kind)site->kind)) &&
	       is_safe(file->fd, site);
}

static bool is_in_part(const struct uprobes *uprobes, const struct probe_site *site, enum uprobe_part part)
{
	if (!uprobe_is_paced(uprobes))
		return part == PART_WHOLE;
	return part == (probe_kind_is_operator((enum probe_kind)site->kind) ? PART_OPERATORS
			: site->kind == SITE_RUN			    ? PART_RUNS
									    : PART_WHOLE);
}

/* What people are told: "runs 1, operators 698, ..." */
static void describe_sites(const struct uprobes *uprobes, struct analysed *file)
{
	size_t count[N_SITE_KINDS] = { 0 }, used = 0;

	for (size_t i = 0; i < file->sites.n; i++)
		count[file->sites.site[i].kind] += is_wanted(uprobes, file, &file->sites.site[i]);
	for (int kind = 0; kind < N_SITE_KINDS; kind++)
		if (count[kind] && used < sizeof file->armed)
			used += (size_t)snprintf(file->armed + used, sizeof file->armed - used, "%s%s %zu",
						 used ? ", " : "", probe_kind_name((enum probe_kind)kind), count[kind]);
	file->has_load = count[SITE_LOAD];
	file->has_weights = count[SITE_WEIGHT];
}

int uprobe_part_put(struct uprobes *uprobes, struct holder *holder, enum uprobe_part part,
		    const struct uprobes_copy *copy, struct err *err)
{
	const struct probe_sites *sites = &holder->file->sites;
	const struct uprobe_loaded *loaded = &uprobes->loaded;
	struct uprobe_site *site = calloc(sites->n + 1, sizeof *site);
	struct uprobe_place place;
	char link[64];
	size_t n = 0;
	int code = 0;

	if (!site)
		return err_set(err, ENOMEM, "cannot put probes on %s: out of memory", copy->path);
	for (size_t i = 0; i < sites->n; i++) {
		const struct probe_site *from = &sites->site[i];
		enum probe_kind kind = (enum probe_kind)from->kind;
		if (is_in_part(uprobes, from, part) && is_wanted(uprobes, holder->file, from))
			site[n++] = (struct uprobe_site){ from->offset, UPROBE_COOKIE(kind, holder->index, from->depth),
							  probe_kind_returns(kind) };
	}
	snprintf(link, sizeof link, "/proc/self/fd/%d", holder->file->fd);
	place = (struct uprobe_place){ link, holder->pid, site, n };
	if (n)
		code = uprobe_links_open(&holder->links[part], loaded->link,
					 uprobes->opts.is_empty ? &loaded->empty : &loaded->program, &place, err);
	if (!code)
		holder->state[part] = PART_IN;
	free(site);
	return say_failed(code, copy, n, err);
}

void uprobe_part_take(struct holder *holder, enum uprobe_part part)
{
	uprobe_links_close(&holder->links[part]);
	holder->state[part] = PART_OUT;
}

void uprobe_holder_done(struct holder *holder)
{
	for (int part = 0; part < N_PARTS; part++)
		uprobe_part_take(holder, (enum uprobe_part)part);
	*holder = (struct holder){ 0 };
}

static bool is_shared(const struct uprobes *uprobes, const struct analysed *file)
{
	bool is_split = file->host ? file->host->is_split : file->is_split;

	return uprobes->opts.is_shared && !is_split;
}

/* The shared probes of the file; where there are none yet, a free place, or that of a file that nobody has any more. */
static struct holder *shared_of_file(struct uprobes *uprobes, const struct analysed *file)
{
	struct holder *free_ = NULL, *left = NULL;

	for (uint32_t i = MAX_SHARED; i-- > 0;) {
		struct holder *holder = &uprobes->shared[i];

		if (holder->file == file)
			return holder;
		if (!holder->file)
			free_ = holder;
		else if (!holder->n_members)
			left = holder;
	}
	if (!free_ && left) {
		uprobe_holder_done(left);
		free_ = left;
	}
	return free_;
}

static struct holder *holder_of(struct uprobes *uprobes, uint32_t number, struct analysed *file)
{
	const struct uprobes_copy *copy = &uprobes->copy[number];
	struct holder *shared = is_shared(uprobes, file) ? shared_of_file(uprobes, file) : NULL;
	struct holder *holder = shared ? shared : &uprobes->own[number];

	if (holder->file)
		return holder;
	*holder = (struct holder){ .file = file, .index = number };
	if (shared)
		holder->index = UPROBE_SHARED | (uint32_t)(shared - uprobes->shared);
	else
		holder->pid = uprobe_filters_processes(uprobes) && !copy->is_headless ? copy->pid : 0;
	return holder;
}

/* Operators of a provider's library go with those of its runtime. */
static bool begins_with(const struct holder *holder, enum uprobe_part part)
{
	return part != PART_OPERATORS || !holder->host || holder->host->state[PART_OPERATORS] == PART_IN;
}

static int fill_holder(struct uprobes *uprobes, struct holder *holder, const struct uprobes_copy *copy, struct err *err)
{
	int n_parts = uprobe_is_paced(uprobes) ? N_PARTS : 1, code = 0;

	for (int part = 0; part < n_parts && !code; part++)
		if (begins_with(holder, (enum uprobe_part)part))
			code = uprobe_part_put(uprobes, holder, (enum uprobe_part)part, copy, err);
	if (code)
		uprobe_holder_done(holder);
	return code;
}

static void begin_pace(struct uprobes *uprobes, uint32_t number)
{
	const struct holder *holder = uprobes->holder[number];
	struct uprobe_armed *armed = &uprobes->loaded.armed[number];

	if (!uprobe_is_paced(uprobes))
		return;
	armed->window++;
	armed->is_run_out = holder->state[PART_RUNS] != PART_IN;
	armed->is_operator_out = holder->state[PART_OPERATORS] != PART_IN;
	armed->has_gaps = true;
}

int uprobe_holder_join(struct uprobes *uprobes, uint32_t number, struct analysed *file, struct err *err)
{
	struct uprobes_copy *copy = &uprobes->copy[number];
	struct holder *holder = holder_of(uprobes, number, file);
	int code = 0;

	if (!*file->armed)
		describe_sites(uprobes, file);
	memcpy(copy->armed, file->armed, sizeof copy->armed);
	copy->has_load = file->has_load;
	copy->has_weights = file->has_weights;
	if (uprobes->host[number] != number)
		holder->host = uprobes->holder[uprobes->host[number]];
	if (holder->state[PART_WHOLE] == PART_OUT)
		code = fill_holder(uprobes, holder, copy, err);
	if (code)
		return code;
	if (!holder->pid && holder->index & UPROBE_SHARED)
		code = uprobe_place_put(&uprobes->loaded, holder->index & (UPROBE_SHARED - 1), copy->pid, number);
	if (code)
		return err_set(err, -code, "cannot put probes on %s: %s", copy->path, strerror(-code));
	holder->n_members++;
	file->n_copies++;
	uprobes->holder[number] = holder;
	begin_pace(uprobes, number);
	return 0;
}

void uprobe_holder_leave(struct uprobes *uprobes, uint32_t number)
{
	struct holder *holder = uprobes->holder[number];

	if (!holder)
		return;
	uprobes->holder[number] = NULL;
	holder->n_members--;
	holder->file->n_copies--;
	/* shared links stay: another process of the file comes, or has come */
	if (holder->index & UPROBE_SHARED)
		uprobe_place_remove(&uprobes->loaded, holder->index & (UPROBE_SHARED - 1), uprobes->copy[number].pid,
				    number);
	else
		uprobe_holder_done(holder);
}
