// SPDX-License-Identifier: Apache-2.0
/* Loads sched.bpf.c, tells it which processes to watch, and takes its sums. */
#include "capture/probe/sched_watch.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/proc/namespace.h"

/* The pid namespace that every kernel begins with has this inode. */
static const uint64_t initial_namespace = 0xeffffffc;

enum { MAX_LINKS = 3 };

extern const unsigned char sched_object[];
extern const size_t sched_object_size;

struct sched_watch {
	struct bpf_object *object;
	struct bpf_link *link[MAX_LINKS];
	int n_links, watched, pairs;
};

static int say_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	return 0;
}

int sched_watch_check(struct err *err)
{
	if (geteuid())
		return err_set(err, EOPNOTSUPP, "cannot watch the scheduler: needs root");
	if (namespace_own() != initial_namespace)
		return err_set(err, EOPNOTSUPP,
			       "cannot watch the scheduler: its events name processes by the numbers "
			       "of another pid namespace");
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return err_set(err, ENOENT,
			       "cannot watch the scheduler: /sys/kernel/btf/vmlinux cannot be read; the kernel needs "
			       "CONFIG_DEBUG_INFO_BTF");
	return 0;
}

static int attach(struct sched_watch *watch)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, watch->object)
	{
		struct bpf_link *link = bpf_program__attach(program);

		if (!link)
			return -errno;
		watch->link[watch->n_links++] = link;
	}
	return 0;
}

static int load(struct sched_watch *watch)
{
	int code;

	watch->object = bpf_object__open_mem(sched_object, sched_object_size, NULL);
	code = watch->object ? bpf_object__load(watch->object) : -errno;
	if (code)
		return code;
	watch->watched = bpf_object__find_map_fd_by_name(watch->object, "watched");
	watch->pairs = bpf_object__find_map_fd_by_name(watch->object, "pairs");
	return attach(watch);
}

int sched_watch_start(struct sched_watch **watch, struct err *err)
{
	libbpf_print_fn_t before = libbpf_set_print(say_nothing);
	int code;

	*watch = calloc(1, sizeof **watch);
	code = *watch ? load(*watch) : -ENOMEM;
	libbpf_set_print(before);
	if (!code)
		return 0;
	sched_watch_stop(*watch);
	*watch = NULL;
	return err_set(err, -code, "cannot watch the scheduler: the BPF program cannot be loaded: %s", strerror(-code));
}

int sched_watch_add(struct sched_watch *watch, pid_t pid)
{
	uint32_t tgid = (uint32_t)pid, one = 1;

	return bpf_map_update_elem(watch->watched, &tgid, &one, BPF_ANY) ? -errno : 0;
}

void sched_watch_remove(struct sched_watch *watch, pid_t pid)
{
	uint32_t tgid = (uint32_t)pid;

	bpf_map_delete_elem(watch->watched, &tgid);
}

/* Before Linux 5.14 it takes two calls: what is added between them is not counted. */
static bool take_sum(int pairs, const struct sched_pair *pair, uint64_t *ns)
{
	int code = bpf_map_lookup_and_delete_elem(pairs, pair, ns);

	if (!code || code == -ENOENT)
		return !code;
	return !bpf_map_lookup_elem(pairs, pair, ns) && !bpf_map_delete_elem(pairs, pair);
}

int sched_watch_take(struct sched_watch *watch, int (*take)(void *ctx, const struct sched_pair *pair, uint64_t ns),
		     void *ctx)
{
	struct sched_pair pair, next;
	bool is_over = bpf_map_get_next_key(watch->pairs, NULL, &next) != 0;
	uint64_t ns;
	int code = 0;

	for (int n = 0; !code && !is_over && n < SCHED_PAIRS; n++) {
		pair = next;
		is_over = bpf_map_get_next_key(watch->pairs, &pair, &next) != 0;
		if (!take_sum(watch->pairs, &pair, &ns))
			continue;
		pair.name[SCHED_NAME - 1] = 0;
		code = take(ctx, &pair, ns);
	}
	return code;
}

void sched_watch_stop(struct sched_watch *watch)
{
	if (!watch)
		return;
	for (int i = 0; i < watch->n_links; i++)
		bpf_link__destroy(watch->link[i]);
	bpf_object__close(watch->object);
	free(watch);
}
