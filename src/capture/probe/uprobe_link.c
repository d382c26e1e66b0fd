// SPDX-License-Identifier: Apache-2.0
/*
 * Links by the raw system call: the headers of today's distributions know neither these kinds of links nor their
 * fields. Numbers are those of the kernel's interface since 6.6 and 6.13, which do not change.
 */
#include <linux/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/probe/uprobe_load.h"

enum { TRACE_UPROBE_MULTI = 48, TRACE_UPROBE_SESSION = 57, MULTI_RETURN = 1 };

/* Where BPF_LINK_CREATE looks for it in union bpf_attr. */
struct multi_attr {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t cnt, multi_flags, pid, unused;
};

struct perf_link_attr {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t cookie;
};

const char *uprobe_link_name(enum uprobe_link_type type)
{
	static const char *const names[] = { "any", "uprobe.session", "uprobe.multi", "perf event" };

	return names[type];
}

const char *uprobe_link_since(enum uprobe_link_type type)
{
	static const char *const kernels[] = { "5.15", "6.13", "6.6", "5.15" };

	return kernels[type];
}

unsigned uprobe_link_attach_type(enum uprobe_link_type type)
{
	return type == UPROBE_LINK_SESSION ? TRACE_UPROBE_SESSION : type == UPROBE_LINK_MULTI ? TRACE_UPROBE_MULTI : 0;
}

static int create_multi(const struct multi_attr *attr)
{
	return (int)syscall(SYS_bpf, BPF_LINK_CREATE, attr, sizeof *attr);
}

/* A number in a file of sysfs; -1: not there. */
static int read_number(const char *path, const char *format)
{
	FILE *file = fopen(path, "re");
	int number = -1;

	if (!file)
		return -1;
	if (fscanf(file, format, &number) != 1)
		number = -1;
	fclose(file);
	return number;
}

static int perf_type(void)
{
	return read_number("/sys/bus/event_source/devices/uprobe/type", "%d");
}

/* Asks for its cookie, and no more. Its descriptor; -errno: EINVAL where the kernel does not know the type or cookies.
 */
static int load_small(enum uprobe_link_type type)
{
	struct bpf_insn program[3] = { { .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_attach_cookie },
				       { .code = BPF_ALU64 | BPF_MOV | BPF_K }, /* sessions return 0 or 1 */
				       { .code = BPF_JMP | BPF_EXIT } };
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof attr);
	attr.prog_type = BPF_PROG_TYPE_KPROBE;
	attr.expected_attach_type = uprobe_link_attach_type(type);
	attr.insns = (uint64_t)(uintptr_t)program;
	attr.insn_cnt = 3;
	attr.license = (uint64_t)(uintptr_t)"GPL";
	fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof attr);
	return fd < 0 ? -errno : fd;
}

static bool is_known(enum uprobe_link_type type, int program)
{
	uint64_t offset = 1, cookie = 0;
	int fd;

	if (type == UPROBE_LINK_PERF)
		return perf_type() >= 0;
	fd = create_multi(&(struct multi_attr){ .prog_fd = (uint32_t)program,
						.attach_type = uprobe_link_attach_type(type),
						.path = (uintptr_t)"/",
						.offsets = (uintptr_t)&offset,
						.cookies = (uintptr_t)&cookie,
						.cnt = 1 });
	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno == EBADF; /* not a file: it has come so far as to look */
}

int uprobe_link_check(enum uprobe_link_type type)
{
	int program = load_small(type);
	bool is_there = program >= 0 && is_known(type, program);

	if (program >= 0)
		close(program);
	return is_there ? 0 : program >= 0 || program == -EINVAL ? -EOPNOTSUPP : program;
}

/* One probe by a perf event of this type and config. The link holds the event. */
static int create_perf(int program, int type, uint64_t config, const char *path, pid_t pid,
		       const struct uprobe_site *site)
{
	struct perf_event_attr attr = { .size = sizeof attr,
					.type = (uint32_t)type,
					.config1 = (uintptr_t)path,
					.config2 = site->offset,
					.config = config };
	struct perf_link_attr create = { .prog_fd = (uint32_t)program,
					 .attach_type = BPF_PERF_EVENT,
					 .cookie = site->cookie };
	int event, link;

	event = (int)syscall(SYS_perf_event_open, &attr, pid ? pid : -1, pid ? -1 : 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return -1;
	create.target_fd = (uint32_t)event;
	link = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &create, sizeof create);
	close(event);
	return link;
}

static int add(struct uprobe_links *links, int fd)
{
	if (fd < 0)
		return -1;
	links->fd[links->n++] = fd;
	return 0;
}

static bool returns(const struct uprobe_site *site)
{
	return site->has_return;
}

static bool only_enters(const struct uprobe_site *site)
{
	return !site->has_return;
}

static bool is_any(const struct uprobe_site *site)
{
	return true;
}

/* One link, of the program, type and flags in `attr`, for those sites of the place that `takes` accepts. */
static int add_multi(struct uprobe_links *links, struct multi_attr attr, const struct uprobe_place *place,
		     bool (*takes)(const struct uprobe_site *site))
{
	uint64_t *offset = malloc(2 * place->n * sizeof *offset), *cookie = offset + place->n;
	int result = 0;

	if (!offset)
		return -1;
	for (size_t i = 0; i < place->n; i++) {
		if (!takes(&place->site[i]))
			continue;
		offset[attr.cnt] = place->site[i].offset;
		cookie[attr.cnt++] = place->site[i].cookie;
	}
	attr.path = (uintptr_t)place->path;
	attr.pid = (uint32_t)place->pid;
	attr.offsets = (uintptr_t)offset;
	attr.cookies = (uintptr_t)cookie;
	if (attr.cnt)
		result = add(links, create_multi(&attr));
	free(offset);
	return result;
}

static int open_perf(struct uprobe_links *links, const struct uprobe_programs *programs,
		     const struct uprobe_place *place)
{
	int type = perf_type(), bit = read_number("/sys/bus/event_source/devices/uprobe/format/retprobe", "config:%d");
	uint64_t on_return = 1ull << (bit < 0 ? 0 : bit);

	links->is_slow = true;
	for (size_t i = 0; i < place->n; i++) {
		const struct uprobe_site *site = &place->site[i];
		if (site->has_return &&
		    add(links, create_perf(programs->leave, type, on_return, place->path, place->pid, site)))
			return -1;
		if (add(links, create_perf(programs->entry, type, 0, place->path, place->pid, site)))
			return -1;
	}
	return 0;
}

static int open_all(struct uprobe_links *links, enum uprobe_link_type type, const struct uprobe_programs *programs,
		    const struct uprobe_place *place)
{
	struct multi_attr entry = { .prog_fd = (uint32_t)programs->entry, .attach_type = TRACE_UPROBE_MULTI };
	struct multi_attr leave = { .prog_fd = (uint32_t)programs->leave,
				    .attach_type = TRACE_UPROBE_MULTI,
				    .multi_flags = MULTI_RETURN };
	struct multi_attr both = { .prog_fd = (uint32_t)programs->session, .attach_type = TRACE_UPROBE_SESSION };

	if (type == UPROBE_LINK_PERF)
		return open_perf(links, programs, place);
	if (add_multi(links, type == UPROBE_LINK_SESSION ? both : leave, place, returns))
		return -1;
	return add_multi(links, entry, place, type == UPROBE_LINK_SESSION ? only_enters : is_any);
}

int uprobe_links_open(struct uprobe_links *links, enum uprobe_link_type type, const struct uprobe_programs *programs,
		      const struct uprobe_place *place, struct err *err)
{
	int code;

	*links = (struct uprobe_links){ .fd = calloc(2 * place->n + 2, sizeof *links->fd) };
	errno = ENOMEM;
	if (links->fd && !open_all(links, type, programs, place))
		return 0;
	code = errno;
	uprobe_links_close(links);
	return err_set(err, code, "cannot put probes on %s: %s", place->path, strerror(code));
}

static int by_number(const void *left, const void *right)
{
	return *(const int *)left - *(const int *)right;
}

/* Closes every descriptor but those of the links. */
static void keep_only(const struct uprobe_links *links)
{
	int from = 0;

	qsort(links->fd, links->n, sizeof *links->fd, by_number);
	for (size_t i = 0; i < links->n; i++) {
		if (links->fd[i] > from)
			syscall(SYS_close_range, from, links->fd[i] - 1, 0);
		from = links->fd[i] + 1;
	}
	syscall(SYS_close_range, from, ~0u, 0);
}

/*
 * Each takes the kernel some 100 ms, one after the other: a process of its own waits for that, by ending. It holds
 * nothing else, and is nobody's child.
 */
static void close_later(const struct uprobe_links *links)
{
	enum { UNTIL_WE_HAVE_CLOSED_US = 200000 };
	pid_t child = fork();

	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	if (child)
		return;
	if (fork())
		_exit(0);
	setsid();
	keep_only(links);
	usleep(UNTIL_WE_HAVE_CLOSED_US);
	_exit(0);
}

void uprobe_links_close(struct uprobe_links *links)
{
	enum { FEW = 8 };

	if (links->is_slow && links->n > FEW)
		close_later(links);
	for (size_t i = 0; i < links->n; i++)
		close(links->fd[i]);
	free(links->fd);
	*links = (struct uprobe_links){ 0 };
}
