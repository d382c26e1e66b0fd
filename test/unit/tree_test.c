// SPDX-License-Identifier: Apache-2.0
#include "capture/source/tree.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "cases.h"
#include "keep.h"

#define S_NS UINT64_C(1000000000)
#define T0 (5000 * S_NS)
#define T1 (5001 * S_NS)

struct world {
	struct keep *keep;
	struct tree tree;
	struct target target;
	char sysroot[4096];
	struct err err;
};

static struct world *world_new(pid_t pid)
{
	struct world *world = calloc(1, sizeof *world);

	world->keep = keep_new();
	world->target = (struct target){ .sysroot = world->sysroot, .pid = pid, .tree = &world->tree };
	return world;
}

static void world_free(struct world *world)
{
	tree_done(&world->tree);
	keep_free(world->keep);
	free(world);
}

/* Replaces the machine's files by machine/snapshot, and updates the tree. */
static void update(struct world *world, const char *snapshot, uint64_t now_ns)
{
	if (snapshot)
		snprintf(world->sysroot, sizeof world->sysroot, TEST_DIR "/sysroot/%s", snapshot);
	assert_int_equal(tree_update(&world->tree, &world->target, &world->keep->sink, now_ns, &world->err), 0);
}

static bool has(const struct world *world, pid_t pid)
{
	for (size_t i = 0; i < world->tree.n; i++) {
		if (world->tree.process[i].pid == pid)
			return true;
	}
	return false;
}

static const struct track_def *process_of(const struct world *world, pid_t pid)
{
	uint32_t track = tree_track(&world->tree, pid);

	assert_int_not_equal(track, 0);
	assert_int_equal(world->keep->track[track].pid, pid);
	return &world->keep->track[track];
}

static const char *name_of(const struct world *world, pid_t pid)
{
	return keep_text(world->keep, process_of(world, pid)->name);
}

static const char *command_of(const struct world *world, pid_t pid)
{
	return keep_text(world->keep, process_of(world, pid)->command);
}

#define CASE(name, ...) TEST_OF_NEW(name, struct world, world, world_new(__VA_ARGS__), world_free(world))

CASE(descendants_are_found_through_every_thread, 2000)
{
	update(world, "laptop/t0", T0);
	assert_int_equal(world->tree.n, 4);
	assert_int_equal(world->tree.process[0].pid, 2000);
	assert_true(has(world, 2001) && has(world, 2010) && has(world, 2011));
	assert_int_equal(keep_count(world->keep, EVENT_TRACK), 4);
}

CASE(a_process_is_called_what_people_call_it, 2000)
{
	update(world, "laptop/t0", T0);
	assert_string_equal(name_of(world, 2000), "run-everything.sh");
	assert_string_equal(command_of(world, 2000), "/bin/bash ./run-everything.sh --all");
	assert_string_equal(name_of(world, 2001), "python3");
	assert_string_equal(command_of(world, 2001), "python3 infer.py --model a model.onnx");
}

CASE(a_start_is_on_the_clock_of_the_recording, 2000)
{
	/* 10000.00 s after boot is T0; 2001 started 9900.10 s after boot. */
	update(world, "laptop/t0", T0);
	assert_int_equal(process_of(world, 2001)->start_ns, T0 - 99900000000);
}

CASE(an_orphan_stays_and_what_ended_goes, 2000)
{
	uint32_t helper, worker;

	update(world, "laptop/t0", T0);
	helper = tree_track(&world->tree, 2011);
	worker = tree_track(&world->tree, 2010);
	update(world, "laptop/t1", T1);
	assert_true(has(world, 2011));
	assert_false(has(world, 2010));
	assert_true(has(world, 2020));
	assert_int_equal(tree_track(&world->tree, 2011), helper);
	/* its recorded events may still arrive */
	assert_int_equal(tree_track(&world->tree, 2010), worker);
	assert_int_equal(tree_add(&world->tree, &world->target, &world->keep->sink, 2010, T1, &world->err), worker);
	assert_int_equal(tree_track(&world->tree, 3000), 0);
	assert_int_equal(world->tree.process[world->tree.n - 1].pid, 2020);
}

CASE(new_numbers_are_looked_at_one_by_one, 2000)
{
	/* 2012 to 2030 were given out; no list of children is read between the walks of each second */
	for (int i = 0; i < 3; i++)
		update(world, "laptop/t0", T0 + (uint64_t)i * S_NS / 100);
	update(world, "laptop/t1", T0 + S_NS / 10);
	assert_true(has(world, 2020));
	assert_false(has(world, 2027));
	assert_false(has(world, 2026));
}

CASE(a_number_is_looked_at_again_when_nobody_was_there, 2000)
{
	for (int i = 0; i < 3; i++)
		update(world, "laptop/t0", T0 + (uint64_t)i * S_NS / 100);
	update(world, "laptop/between", T0 + S_NS / 20);
	assert_false(has(world, 2020));
	update(world, "laptop/t1", T0 + S_NS / 10);
	assert_true(has(world, 2020));
}

CASE(numbers_may_begin_anew, 60)
{
	/* the last one was 71, then 70 */
	for (int i = 0; i < 3; i++)
		update(world, "restless/t0", T0 + (uint64_t)i * S_NS / 100);
	update(world, "restless/t1", T0 + S_NS / 10);
	assert_string_equal(name_of(world, 70), "other");
}

CASE(an_orphan_that_was_not_known_is_no_member, 2000)
{
	update(world, "laptop/t1", T1);
	assert_int_equal(world->tree.n, 3);
	assert_false(has(world, 2011));
}

CASE(a_pid_used_again_is_another_process, 60)
{
	uint32_t job;

	update(world, "restless/t0", T0);
	job = tree_track(&world->tree, 70);
	assert_string_equal(name_of(world, 70), "job");
	update(world, "restless/t1", T1);
	assert_int_not_equal(tree_track(&world->tree, 70), job);
	assert_string_equal(name_of(world, 70), "other");
	assert_int_equal(world->tree.n, 3);
}

CASE(a_new_process_is_named_when_it_is_20_ms_old, 60)
{
	update(world, "restless/t0", T0);
	assert_false(has(world, 71));
	assert_int_equal(tree_track(&world->tree, 71), 0);
	update(world, "restless/t1", T1);
	assert_string_equal(name_of(world, 71), "child");
}

CASE(a_young_process_is_named_in_the_end, 60)
{
	world->target.is_ending = true;
	update(world, "restless/t0", T0);
	assert_string_equal(name_of(world, 71), "sh");
}

CASE(another_program_is_announced_on_the_same_track, 60)
{
	uint32_t track;

	update(world, "restless/t0", T0);
	track = tree_track(&world->tree, 60);
	assert_string_equal(name_of(world, 60), "sh");
	update(world, "restless/t1", T1);
	assert_int_equal(tree_track(&world->tree, 60), track);
	assert_string_equal(name_of(world, 60), "server");
	assert_string_equal(command_of(world, 60), "server --port 80");
}

/* Whoever looks for more than the tree does looks when there is news. */
CASE(a_machine_that_made_nothing_has_no_news, 60)
{
	uint64_t quiet;

	for (uint64_t i = 0; i < 2; i++)
		update(world, "restless/t0", T0 + i * S_NS / 20);
	quiet = world->tree.n_news;
	for (uint64_t i = 2; i < 5; i++)
		update(world, NULL, T0 + i * S_NS / 20);
	assert_int_equal(world->tree.n_news, quiet);
	/* what was given out is looked at twice */
	for (uint64_t i = 5; i < 10; i++)
		update(world, "restless/t1", T0 + i * S_NS / 20);
	assert_int_equal(world->tree.n_news, quiet + 2);
}

CASE(another_program_is_announced_at_once_with_news, 60)
{
	for (uint64_t i = 0; i < 5; i++)
		update(world, "restless/t0", T0 + i * S_NS / 100);
	update(world, "restless/t1", T0 + S_NS / 20);
	assert_string_equal(name_of(world, 60), "server");
}

CASE(an_unchanged_program_is_announced_once, 2000)
{
	for (uint64_t i = 0; i < 10; i++)
		update(world, "laptop/t0", T0 + i * S_NS);
	assert_int_equal(keep_count(world->keep, EVENT_TRACK), 4);
}

CASE(without_lists_of_children_parents_are_asked, 50)
{
	update(world, "old-kernel/t0", T0);
	assert_int_equal(world->tree.n, 3);
	/* the grandchild comes first in the list of all processes */
	assert_true(has(world, 55) && has(world, 60));
	update(world, "old-kernel/t1", T1);
	assert_true(has(world, 60));
	assert_false(has(world, 58));
}

CASE(a_machine_that_made_no_process_is_searched_once_a_second, 100)
{
	/* the last pid is the same in both */
	update(world, "odd/t0", T0);
	update(world, "odd/t0", T0 + S_NS / 100);
	update(world, "odd/t1", T0 + S_NS / 50);
	assert_false(has(world, 108));
	update(world, "odd/t1", T0 + S_NS + S_NS / 50);
	assert_true(has(world, 108));
}

/* A process has its number before it is in its parent's list. */
CASE(a_machine_that_made_a_process_is_searched_twice, 100)
{
	update(world, "odd/t0", T0);
	update(world, "odd/t1", T0 + S_NS / 100);
	assert_true(has(world, 108));
}

CASE(odd_names_are_names, 100)
{
	update(world, "odd/t0", T0);
	assert_string_equal(name_of(world, 100), ") (x");
	assert_string_equal(command_of(world, 100), "");
	assert_string_equal(name_of(world, 101), "a) Z 1 2 (b");
	assert_string_equal(name_of(world, 102), "x");
	assert_string_equal(command_of(world, 102), "/usr/bin/x one two");
}

CASE(what_vanished_is_cut_off_or_dead_is_not_there, 100)
{
	update(world, "odd/t0", T0);
	assert_false(has(world, 104));
	assert_false(has(world, 105));
	assert_false(has(world, 106));
	assert_false(has(world, 99999));
	assert_int_equal(world->tree.n, 5);
}

TEST(what_is_hidden_is_not_there)
{
	struct world *world = world_new(30);

	update(world, "hidepid/t0", T0);
	assert_int_equal(world->tree.n, 2);
	world_free(world);
	world = world_new(1);
	update(world, "hidepid/t0", T0);
	assert_int_equal(world->tree.n, 0);
	world_free(world);
}

CASE(a_process_can_be_added_from_elsewhere, 2000)
{
	uint32_t track;

	update(world, "laptop/t0", T0);
	track = tree_add(&world->tree, &world->target, &world->keep->sink, 3000, T0, &world->err);
	assert_string_equal(name_of(world, 3000), "firefox");
	assert_int_equal(tree_add(&world->tree, &world->target, &world->keep->sink, 3000, T0, &world->err), track);
	assert_int_equal(tree_add(&world->tree, &world->target, &world->keep->sink, 2001, T0, &world->err),
			 tree_track(&world->tree, 2001));
	assert_int_equal(tree_add(&world->tree, &world->target, &world->keep->sink, 4000, T0, &world->err), 0);
	assert_int_equal(world->err.code, ESRCH);
}

CASE(an_added_process_need_not_be_20_ms_old, 60)
{
	uint32_t track;

	update(world, "restless/t0", T0);
	track = tree_add(&world->tree, &world->target, &world->keep->sink, 71, T0, &world->err);
	assert_int_not_equal(track, 0);
	update(world, NULL, T0 + S_NS);
	assert_int_equal(tree_track(&world->tree, 71), track);
	assert_int_equal(world->tree.n, 3);
}

/* Live. */

static void nap(int ms)
{
	poll(NULL, 0, ms);
}

static void update_until(struct world *world, bool (*is_so)(const struct world *world, pid_t pid), pid_t pid)
{
	uint64_t until_ns = clock_ns() + 60 * S_NS; /* a busy machine may be slow to end a process */

	while (!is_so(world, pid) && clock_ns() < until_ns) {
		nap(tree_due_ms(&world->tree));
		update(world, NULL, clock_ns());
	}
	assert_true(is_so(world, pid));
}

static bool has_not(const struct world *world, pid_t pid)
{
	return !has(world, pid);
}

static bool has_two(const struct world *world, pid_t pid)
{
	return world->tree.n == 2;
}

TEST(a_living_daemon_is_followed_until_it_ends)
{
	int life[2], go[2];
	pid_t root, child;
	struct world *world;
	char byte;

	assert_int_equal(pipe(life) | pipe(go), 0);
	root = fork();
	if (!root) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, 0);
			setsid();
			close(life[1]);
			/* until the test ends, in whatever way */
			_exit((int)read(life[0], &byte, 1));
		}
		_exit(read(go[0], &byte, 1) != 1);
	}
	world = world_new(root);
	update_until(world, has_two, 0);
	child = world->tree.process[1].pid;
	assert_int_equal(write(go[1], "x", 1), 1);
	assert_int_equal(waitpid(root, NULL, 0), root);
	update_until(world, has_not, root);
	assert_true(has(world, child));
	assert_true(process_of(world, child)->start_ns <= clock_ns() &&
		    process_of(world, child)->start_ns + 600 * S_NS > clock_ns());
	kill(child, SIGKILL);
	update_until(world, has_not, child);
	world_free(world);
	for (int i = 0; i < 2; i++) {
		close(life[i]);
		close(go[i]);
	}
}

/* As a notebook starts the recorder of its own process, beside a child that is a part of it. */
TEST(who_starts_its_own_recorder_does_not_contain_it)
{
	pid_t own = getpid(), child = fork(), recorder;
	int status = -1;

	if (!child)
		_exit((prctl(PR_SET_PDEATHSIG, SIGKILL), pause()));
	recorder = fork();
	if (!recorder) {
		struct world *world = world_new(own);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (!has(world, child)) {
			nap(tree_due_ms(&world->tree));
			update(world, NULL, clock_ns());
		}
		_exit(has(world, getpid()));
	}
	assert_int_equal(waitpid(recorder, &status, 0), recorder);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(status, 0);
}

TEST(a_root_stays_until_it_is_waited_for)
{
	struct world *world;
	siginfo_t info;
	int go[2];
	pid_t root;
	char byte;

	assert_int_equal(pipe(go), 0);
	root = fork();
	if (!root) {
		close(go[1]);
		_exit((int)read(go[0], &byte, 1));
	}
	world = world_new(root);
	update_until(world, has, root);
	close(go[1]);
	assert_int_equal(waitid(P_PID, (id_t)root, &info, WEXITED | WNOWAIT), 0);
	update(world, NULL, clock_ns());
	assert_true(has(world, root));
	assert_true(world->tree.process[0].is_over);
	assert_int_equal(waitpid(root, NULL, 0), root);
	update(world, NULL, clock_ns());
	assert_false(has(world, root));
	world_free(world);
	close(go[0]);
}

TEST(a_root_that_ended_at_once_is_announced)
{
	struct world *world;
	siginfo_t info;
	pid_t root = fork();

	if (!root)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)root, &info, WEXITED | WNOWAIT), 0);
	world = world_new(root);
	update(world, NULL, clock_ns());
	assert_string_equal(name_of(world, root), program_invocation_short_name);
	waitpid(root, NULL, 0);
	world_free(world);
}
