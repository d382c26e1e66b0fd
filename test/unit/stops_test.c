// SPDX-License-Identifier: Apache-2.0
/* Processes of captured trees that are stopped, traced or frozen, in cgroups of both versions. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cases.h"
#include "world.h"

#define MS_NS UINT64_C(1000000)

enum { PID = 2000 };

struct fixture {
	char root[64];
	struct world *world;
	int ticks; /* that it has used a CPU */
};

static void put_file(const struct fixture *f, const char *path, const char *text)
{
	char whole[512];
	FILE *file;

	snprintf(whole, sizeof whole, "mkdir -p $(dirname %s/%s)", f->root, path);
	assert_int_equal(system(whole), 0);
	snprintf(whole, sizeof whole, "%s/%s", f->root, path);
	file = fopen(whole, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void put_state(const struct fixture *f, char state, int switches)
{
	char text[512];

	snprintf(
	    text, sizeof text,
	    "%d (app) %c 1 2000 2000 0 -1 4194560 100 0 0 0 %d 2 0 0 20 0 1 0 100 10000000 500 18446744073709551615 1 "
	    "1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
	    PID, state, f->ticks);
	put_file(f, "proc/2000/stat", text);
	snprintf(text, sizeof text,
		 "Name:\tapp\nTgid:\t2000\nTracerPid:\t77\nvoluntary_ctxt_switches:\t%d\n"
		 "nonvoluntary_ctxt_switches:\t3\n",
		 switches);
	put_file(f, "proc/2000/status", text);
}

static int setup(void **state)
{
	static const char *const names[] = { "stops", NULL };
	struct fixture *f = calloc(1, sizeof *f);

	snprintf(f->root, sizeof f->root, "/tmp/inftrace-stops-XXXXXX");
	assert_non_null(mkdtemp(f->root));
	f->ticks = 5;
	put_state(f, 'R', 1);
	put_file(f, "proc/2000/cmdline", "app");
	put_file(f, "proc/2000/comm", "app\n");
	put_file(f, "proc/77/comm", "gdb\n");
	put_file(f, "proc/2000/cgroup", "0::/\n");
	f->world = world_of("laptop/t0", PID, names);
	snprintf(f->world->sysroot, sizeof f->world->sysroot, "%s", f->root);
	look(f->world, NULL, 900 * MS_NS);
	look(f->world, NULL, 930 * MS_NS); /* it has a name by now */
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	world_free(f->world);
	snprintf(command, sizeof command, "rm -rf %s", f->root);
	assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

static void look_at(struct fixture *f, uint64_t ms)
{
	look(f->world, NULL, ms * MS_NS);
}

static const struct event *nth(const struct fixture *f, enum event_type type, size_t n)
{
	for (size_t i = 0; i < f->world->keep->n; i++)
		if (f->world->keep->event[i].type == type && !n--)
			return &f->world->keep->event[i];
	return NULL;
}

static const struct arg *arg_of(const struct event *event, enum event_key key)
{
	for (size_t i = 0; i < event->n_args; i++)
		if (event->args[i].key == key)
			return &event->args[i];
	fail_msg("no %s", event_key_name(key));
	return NULL;
}

/* A slice, in milliseconds: seen running, seen held, seen held, seen running. */
static void assert_halt(const struct fixture *f, size_t n, const char *name, const uint64_t *ms)
{
	const struct event *begin = nth(f, EVENT_BEGIN, n), *end = nth(f, EVENT_END, n);

	assert_non_null(begin);
	assert_non_null(end);
	assert_int_equal(begin->kind, KIND_HALT);
	assert_string_equal(keep_text(f->world->keep, begin->name), name);
	assert_int_equal(begin->track, end->track);
	assert_int_equal(arg_of(begin, KEY_FROM_NS)->integer, ms[0] * MS_NS);
	assert_int_equal(begin->time_ns, ms[1] * MS_NS);
	assert_int_equal(end->time_ns, ms[2] * MS_NS);
	assert_int_equal(arg_of(end, KEY_UNTIL_NS)->integer, ms[3] * MS_NS);
}

#define CASE(name) TEST_FROM(name, struct fixture, f, setup, teardown)

CASE(a_stop_lies_between_the_moments_at_which_it_was_not_there)
{
	look_at(f, 1000);
	put_state(f, 'T', 1);
	look_at(f, 1020);
	assert_non_null(nth(f, EVENT_BEGIN, 0)); /* at once: the recorder may be killed */
	look_at(f, 1022);
	look_at(f, 1024);
	put_state(f, 'R', 2);
	look_at(f, 1026);
	assert_halt(f, 0, "stopped", (uint64_t[]){ 1000, 1020, 1024, 1026 });
	put_state(f, 'T', 1);
	look_at(f, 1040);
	put_state(f, 'S', 1);
	look_at(f, 1042);
	assert_halt(f, 1, "stopped", (uint64_t[]){ 1026, 1040, 1040, 1042 });
}

CASE(a_tracer_that_holds_for_a_moment_holds_nothing)
{
	look_at(f, 1000);
	for (int i = 1; i < 20; i++) { /* strace: it runs in between */
		put_state(f, 't', i);
		look_at(f, 1000 + 2 * (uint64_t)i);
	}
	put_state(f, 'R', 30);
	look_at(f, 1100);
	put_state(f, 't', 31);
	look_at(f, 1102);
	put_state(f, 'R', 31);
	look_at(f, 1104);
	assert_null(nth(f, EVENT_BEGIN, 0));
}

CASE(a_process_that_a_debugger_holds_is_traced)
{
	look_at(f, 1000);
	put_state(f, 't', 5);
	look_at(f, 1020);
	look_at(f, 1022);
	look_at(f, 1100);
	put_state(f, 'S', 6);
	look_at(f, 1102);
	assert_halt(f, 0, "traced", (uint64_t[]){ 1000, 1020, 1100, 1102 });
	assert_int_equal(arg_of(nth(f, EVENT_BEGIN, 0), KEY_PID)->integer, 77);
	assert_string_equal(keep_text(f->world->keep, arg_of(nth(f, EVENT_BEGIN, 0), KEY_TEXT)->name), "gdb");
}

static void freeze(struct fixture *f, const char *cgroup, const char *file, const char *frozen, const char *thawed)
{
	put_file(f, "proc/2000/cgroup", cgroup);
	put_file(f, file, thawed);
	put_state(f, 'S', 1);
	look_at(f, 1000);
	put_file(f, file, frozen);
	look_at(f, 1020);
	look_at(f, 1100);
	put_file(f, file, thawed);
	look_at(f, 1102);
	assert_halt(f, 0, "frozen", (uint64_t[]){ 1000, 1020, 1100, 1102 });
}

TEST_WITH(a_cgroup_of_version_1_is_frozen, setup, teardown)
{
	freeze(*state, "5:cpu:/a\n4:freezer:/a/b\n1:name=systemd:/\n0::/\n", "sys/fs/cgroup/freezer/a/b/freezer.state",
	       "FROZEN\n", "THAWED\n");
}

TEST_WITH(a_cgroup_of_version_2_is_frozen, setup, teardown)
{
	freeze(*state, "0::/system.slice/app.service\n", "sys/fs/cgroup/system.slice/app.service/cgroup.events",
	       "populated 1\nfrozen 1\n", "populated 1\nfrozen 0\n");
}

TEST_WITH(a_cgroup_of_both_versions_is_frozen, setup, teardown)
{
	freeze(*state, "4:freezer:/\n0::/user.slice\n", "sys/fs/cgroup/unified/user.slice/cgroup.events",
	       "populated 1\nfrozen 1\n", "populated 1\nfrozen 0\n");
}

CASE(a_process_that_is_killed_while_stopped_was_stopped_to_its_end)
{
	char command[128];

	f->world->target.pid = 0; /* a worker: the program itself stays until it is waited for */
	assert_int_not_equal(
	    tree_add(&f->world->tree, &f->world->target, &f->world->keep->sink, PID, 1000 * MS_NS, &f->world->err), 0);
	look_at(f, 1000);
	put_state(f, 'T', 1);
	look_at(f, 1020);
	look_at(f, 1060);
	snprintf(command, sizeof command, "rm -r %s/proc/2000", f->root);
	assert_int_equal(system(command), 0);
	look_at(f, 1080);
	assert_halt(f, 0, "stopped", (uint64_t[]){ 1000, 1020, 1060, 1080 });
}

CASE(one_that_is_stopped_to_the_end_of_the_recording_has_no_end)
{
	look_at(f, 1000);
	put_state(f, 'T', 1);
	look_at(f, 1020);
	f->world->target.is_ending = true;
	look_at(f, 1030);
	assert_non_null(nth(f, EVENT_BEGIN, 0));
	assert_null(nth(f, EVENT_END, 0));
}

CASE(a_stop_that_the_recorder_shared_is_known_by_the_kernels_word)
{
	look_at(f, 1000);
	f->world->target.n_child_stops++;
	look_at(f, 3000);
	assert_halt(f, 0, "stopped", (uint64_t[]){ 1000, 1100, 2950, 3000 });
	/* it slept too long, and nobody stopped the program */
	look_at(f, 5000);
	/* the program was stopped for a moment, and ran while the recorder had no CPU */
	f->world->target.n_child_stops++;
	f->ticks += 100;
	put_state(f, 'R', 9);
	look_at(f, 7000);
	assert_null(nth(f, EVENT_BEGIN, 1));
}
