// SPDX-License-Identifier: Apache-2.0
/* GPUs under NVIDIA's driver, with a library controlled by the test (test/fake/nvml.c). */
#include "capture/source/device/nvml.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/source/tree.h"
#include "cases.h"
#include "keep.h"

#define MS_NS UINT64_C(1000000)
#define PATIENCE_NS (60000 * MS_NS)
#define FIRST_NAMESPACE "pid:[4026531836]"

/* Program 2000 on a machine made of files, and its recorder. */
struct world {
	char folder[64], says[96];
	struct keep *keep;
	struct tree tree;
	struct target target;
	void *state;
	struct err err;
	bool has_failed;
};

static const struct source *nvml(void)
{
	for (size_t i = 0; sources[i]; i++)
		if (!strcmp(sources[i]->name, "gpu-nvidia"))
			return sources[i];
	fail_msg("no such source");
	return NULL;
}

static void put_file(const struct world *world, const char *path, const char *text)
{
	char full[512], *slash;
	FILE *file;

	snprintf(full, sizeof full, "%s/%s", world->folder, path);
	for (slash = full + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		mkdir(full, 0700);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void put_link(const struct world *world, const char *path, const char *to)
{
	char full[512];

	put_file(world, path, "");
	snprintf(full, sizeof full, "%s/%s", world->folder, path);
	unlink(full);
	assert_int_equal(symlink(to, full), 0);
}

/* Sets the values of the library. */
static void say(const struct world *world, const char *text)
{
	char next[128];
	FILE *file;

	snprintf(next, sizeof next, "%s.next", world->says);
	file = fopen(next, "w");
	fputs(text, file);
	fclose(file);
	assert_int_equal(rename(next, world->says), 0);
}

static struct world *world_new(const char *namespace, const char *says)
{
	struct world *world = calloc(1, sizeof *world);

	strcpy(world->folder, "/tmp/nvml_test.XXXXXX");
	assert_non_null(mkdtemp(world->folder));
	snprintf(world->says, sizeof world->says, "%s/says", world->folder);
	put_link(world, "proc/self/ns/pid", namespace);
	put_file(world, "proc/uptime", "5000.00 1.00\n");
	put_file(world, "proc/2000/stat",
		 "2000 (python3) S 1 2000 2000 0 -1 0 0 0 0 0 2 1 0 0 20 0 1 0 100 0 900 0 1 1 0 0 0 0 0 0 0 0 0 17\n");
	put_file(world, "proc/2000/cmdline", "python3");
	put_file(world, "proc/2000/task/2000/children", "");
	put_link(world, "proc/2000/fd/3", "/dev/nvidiactl");
	setenv("INFTRACE_NVML", FAKE_LIBRARY, 1);
	setenv("FAKE_NVML", world->says, 1);
	say(world, says);
	world->keep = keep_new();
	world->target =
	    (struct target){ .sysroot = world->folder, .pid = 2000, .tree = &world->tree, .interval_ns = 100 * MS_NS };
	world->state = calloc(1, nvml()->state_size);
	assert_int_equal(nvml()->check(&world->target, &world->err), 0);
	assert_int_equal(nvml()->start(world->state, &world->target, &world->keep->sink, &world->err), 0);
	return world;
}

static void world_free(struct world *world)
{
	char command[128];

	nvml()->stop(world->state);
	free(world->state);
	tree_done(&world->tree);
	keep_free(world->keep);
	snprintf(command, sizeof command, "rm -rf %s", world->folder);
	assert_int_equal(system(command), 0);
	free(world);
}

static void open_device(const struct world *world, const char *path)
{
	put_link(world, "proc/2000/fd/4", path);
}

static void look(struct world *world)
{
	uint64_t now_ns = clock_ns();

	assert_int_equal(tree_update(&world->tree, &world->target, &world->keep->sink, now_ns, &world->err), 0);
	world->has_failed |= nvml()->drain(world->state, &world->keep->sink, now_ns, &world->err) != 0;
}

/* Samples until the counter has this value; if it never does, the last assertion of the test fails. */
static double wait_for(struct world *world, double (*value)(const struct keep *keep, const char *name),
		       const char *name, double wanted)
{
	uint64_t until_ns = clock_ns() + PATIENCE_NS;

	while (clock_ns() < until_ns && !world->has_failed && !(fabs(value(world->keep, name) - wanted) < 1e-6)) {
		look(world);
		usleep(5000);
	}
	return value(world->keep, name);
}

static double process_value(const struct keep *keep, const char *name)
{
	return keep_value(keep, 2000, name);
}

/* Samples until the library has been queried several times. */
static void look_a_while(struct world *world)
{
	uint64_t until_ns = clock_ns() + 500 * MS_NS;

	while (clock_ns() < until_ns && !world->has_failed) {
		look(world);
		usleep(20000);
	}
}

static void look_until_it_fails(struct world *world)
{
	uint64_t until_ns = clock_ns() + PATIENCE_NS;

	while (clock_ns() < until_ns && !world->has_failed) {
		look(world);
		usleep(5000);
	}
	assert_true(world->has_failed);
}

static void is_near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= fabs(wanted) * 1e-9 + 1e-9))
		fail_msg("%.17g is not %.17g", value, wanted);
}

static void is_missing(double value)
{
	if (!isnan(value))
		fail_msg("%.17g should be missing", value);
}

static const char two[] = "count 2\ndriver 570.86.15\n0.name NVIDIA H200\n0.pci 00000000:1A:00.0\n0.minor 3\n"
			  "0.utilization 57 12\n0.memory 150754820096 2147483648\n0.power 412500\n0.energy 5000000\n"
			  "0.temperature 61\n0.clock 1980 3201\n0.compute 2000 1073741824\n0.compute 77 5\n"
			  "0.use 2000 40 0\n1.name NVIDIA T4\n1.minor 4\n1.power 30000\n1.compute 77 4096\n";

#define CASE(name, ...) TEST_OF_NEW(name, struct world, world, world_new(__VA_ARGS__), world_free(world))

CASE(a_device_in_use_tells_how_it_is_doing, FIRST_NAMESPACE, two)
{
	uint32_t track;

	open_device(world, "/dev/nvidia3");
	is_near(wait_for(world, keep_device_value, "gpu nvidia0 busy", 57), 57);
	is_near(keep_device_value(world->keep, "gpu nvidia0 memory busy"), 12);
	is_near(keep_device_value(world->keep, "gpu nvidia0 memory used"), 2147483648.0);
	is_near(keep_device_value(world->keep, "gpu nvidia0 memory total"), 150754820096.0);
	is_near(keep_device_value(world->keep, "gpu nvidia0 power"), 412.5);
	is_near(keep_device_value(world->keep, "gpu nvidia0 temperature"), 61);
	is_near(keep_device_value(world->keep, "gpu nvidia0 clock"), 1980);
	is_near(keep_device_value(world->keep, "gpu nvidia0 memory clock"), 3201);
	track = world->keep->track[keep_device_counter(world->keep, "gpu nvidia0 power")].parent;
	assert_string_equal(keep_text(world->keep, world->keep->track[track].name),
			    "gpu nvidia0: NVIDIA H200 at 00000000:1A:00.0, driver 570.86.15");
	assert_string_equal(
	    keep_text(world->keep, world->keep->track[keep_device_counter(world->keep, "gpu nvidia0 energy")].unit),
	    "J");
	/* no recorded process uses the other one */
	assert_int_equal(keep_device_counter(world->keep, "gpu nvidia1 power"), 0);
}

CASE(a_process_has_its_memory_and_its_share, FIRST_NAMESPACE, two)
{
	open_device(world, "/dev/nvidia3");
	is_near(wait_for(world, process_value, "gpu nvidia0 memory", 1073741824), 1073741824);
	is_near(wait_for(world, process_value, "gpu nvidia0 sm", 40), 40);
	/*
	 * it computes and draws, in the same memory; impossible values of the driver are ignored; old samples do not
	 * count
	 */
	say(world, "count 1\n0.compute 2000 4096\n0.graphics 2000 8192\n0.use 2000 777 0\n0.use 2000 90 60000000\n");
	is_near(wait_for(world, process_value, "gpu nvidia0 memory", 8192), 8192);
	is_near(wait_for(world, process_value, "gpu nvidia0 sm", 0), 0);
}

CASE(energy_counts_from_the_first_look_until_its_meter_is_reset, FIRST_NAMESPACE,
     "count 1\n0.energy 5000000\n0.power 1000\n0.compute 2000 1\n")
{
	size_t n = 0;

	open_device(world, "/dev/nvidia0");
	is_near(wait_for(world, keep_device_value, "gpu nvidia0 energy", 0), 0);
	say(world, "count 1\n0.energy 5120000\n0.power 1000\n0.compute 2000 1\n");
	is_near(wait_for(world, keep_device_value, "gpu nvidia0 energy", 120), 120);
	say(world, "count 1\n0.energy 7\n0.power 2000\n0.compute 2000 1\n");
	is_near(wait_for(world, keep_device_value, "gpu nvidia0 power", 2), 2);
	say(world, "count 1\n0.energy 6000000\n0.power 3000\n0.compute 2000 1\n");
	is_near(wait_for(world, keep_device_value, "gpu nvidia0 power", 3), 3);
	for (size_t i = 0; i < world->keep->n; i++)
		n += world->keep->event[i].type == EVENT_COUNTER && world->keep->event[i].value > 120 &&
		     world->keep->event[i].track == keep_device_counter(world->keep, "gpu nvidia0 energy");
	assert_int_equal(n, 0);
}

TEST(what_a_driver_does_not_tell_is_missing)
{
	struct world *world = world_new(FIRST_NAMESPACE, "count 1\n0.power 1000\n0.compute 2000 18446744073709551615\n"
							 "0.memory 5 6\n0.utilization 101 0\n");

	open_device(world, "/dev/nvidia0");
	is_near(wait_for(world, keep_device_value, "gpu nvidia0 power", 1), 1);
	is_missing(keep_device_value(world->keep, "gpu nvidia0 busy"));
	is_missing(keep_device_value(world->keep, "gpu nvidia0 memory used"));
	is_missing(keep_device_value(world->keep, "gpu nvidia0 energy"));
	is_missing(process_value(world->keep, "gpu nvidia0 memory"));
	is_missing(process_value(world->keep, "gpu nvidia0 sm"));
	world_free(world);
}

CASE(the_library_is_not_loaded_before_a_device_is_open, FIRST_NAMESPACE, two)
{
	char started[128];

	snprintf(started, sizeof started, "%s.started", world->says);
	look_a_while(world);
	assert_int_not_equal(access(started, F_OK), 0);
	assert_int_equal(keep_count(world->keep, EVENT_COUNTER), 0);
	open_device(world, "/dev/nvidia3");
	is_near(wait_for(world, keep_device_value, "gpu nvidia0 busy", 57), 57);
	assert_int_equal(access(started, F_OK), 0);
}

CASE(in_a_container_a_number_counts_only_with_the_device_open, "pid:[4026532999]", two)
{
	/*
	 * the driver's 2000 uses device 0, but is another process: ours has device 1 open, of which only that is known
	 */
	open_device(world, "/dev/nvidia4");
	is_near(wait_for(world, keep_device_value, "gpu nvidia1 power", 30), 30);
	is_missing(process_value(world->keep, "gpu nvidia0 memory"));
	is_missing(keep_device_value(world->keep, "gpu nvidia0 power"));
	open_device(world, "/dev/nvidia3");
	is_near(wait_for(world, process_value, "gpu nvidia0 memory", 1073741824), 1073741824);
}

CASE(where_processes_are_not_listed_an_open_device_is_in_use, FIRST_NAMESPACE,
     "count 2\n0.minor 0\n0.power 5000\n1.minor 1\n1.power 6000\n")
{
	open_device(world, "/dev/nvidia1");
	is_near(wait_for(world, keep_device_value, "gpu nvidia1 power", 6), 6);
	is_missing(keep_device_value(world->keep, "gpu nvidia0 power"));
}

/* The duration of a call in nanoseconds. */
static uint64_t last_look_ns(struct world *world)
{
	uint64_t began_ns = clock_ns();

	world->target.is_ending = true;
	look(world);
	return clock_ns() - began_ns;
}

TEST(a_driver_that_hangs_stops_nobody)
{
	struct world *world = world_new(FIRST_NAMESPACE, two);
	uint64_t began_ns, longest_ns = 0;

	open_device(world, "/dev/nvidia3");
	is_near(wait_for(world, keep_device_value, "gpu nvidia0 busy", 57), 57);
	say(world, "count 2\nstop utilization\n");
	for (int i = 0; i < 30; i++) {
		began_ns = clock_ns();
		look(world);
		began_ns = clock_ns() - began_ns;
		longest_ns = began_ns > longest_ns ? began_ns : longest_ns;
		usleep(10000);
	}
	assert_false(world->has_failed);
	/* generous, because the machine may be busy; a hang would last forever */
	assert_true(longest_ns < 5000 * MS_NS);
	assert_true(last_look_ns(world) < 5000 * MS_NS);
	began_ns = clock_ns();
	world_free(world);
	assert_true(clock_ns() - began_ns < PATIENCE_NS);
	/* no process is left */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

CASE(a_library_that_crashes_ends_the_source_and_says_so, FIRST_NAMESPACE, two)
{
	open_device(world, "/dev/nvidia3");
	is_near(wait_for(world, keep_device_value, "gpu nvidia0 busy", 57), 57);
	say(world, "count 2\ncrash utilization\n");
	look_until_it_fails(world);
	assert_string_equal(world->err.msg, "NVIDIA's library was killed by signal 11 (Segmentation fault)");
}

TEST(why_the_library_does_not_answer_is_said)
{
	struct world *world = world_new(FIRST_NAMESPACE, "init 9\n");

	open_device(world, "/dev/nvidia3");
	look_until_it_fails(world);
	assert_string_equal(world->err.msg, "cannot query NVIDIA's driver: Driver Not Loaded (9)");
	world_free(world);
	world = world_new(FIRST_NAMESPACE, "");
	setenv("INFTRACE_NVML", "/nowhere.so", 1);
	world->has_failed = false;
	nvml()->stop(world->state);
	memset(world->state, 0, nvml()->state_size);
	assert_int_equal(nvml()->start(world->state, &world->target, &world->keep->sink, &world->err), 0);
	open_device(world, "/dev/nvidia3");
	look_until_it_fails(world);
	assert_non_null(strstr(world->err.msg, "cannot load NVIDIA's library: /nowhere.so"));
	world_free(world);
}

CASE(the_last_look_is_waited_for, FIRST_NAMESPACE, two)
{
	open_device(world, "/dev/nvidia3");
	is_near(wait_for(world, keep_device_value, "gpu nvidia0 power", 412.5), 412.5);
	world->target.interval_ns = 3600 * 1000 * MS_NS;
	say(world, "count 2\n0.power 99000\n0.compute 2000 5\n");
	/* on a busy machine an answer may be late; without waiting none would arrive at all */
	for (int i = 0; i < 20 && keep_device_value(world->keep, "gpu nvidia0 power") != 99; i++)
		last_look_ns(world);
	is_near(keep_device_value(world->keep, "gpu nvidia0 power"), 99);
}

/* Whether a process with this pid is running. */
static bool is_running(pid_t pid)
{
	char path[64], text[512] = "";
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	if (file && fread(text, 1, sizeof text - 1, file) > 0)
		fclose(file);
	return file && strstr(text, ") ") && strstr(text, ") ")[2] != 'Z';
}

TEST(a_recorder_that_is_killed_leaves_nobody_behind)
{
	uint64_t until_ns = clock_ns() + PATIENCE_NS;
	struct nvml_ask ask = { 0 };
	struct world *world;
	struct err err;
	int ends[2];
	pid_t recorder, helper = 0;

	assert_int_equal(pipe(ends), 0);
	world = world_new(FIRST_NAMESPACE, "count 2\nstop utilization\n");
	recorder = fork();
	if (!recorder) {
		nvml_ask_start(&ask, 100 * MS_NS, &err);
		nvml_ask_begin(&ask);
		usleep(200000);
		_exit(write(ends[1], &ask.pid, sizeof ask.pid) == sizeof ask.pid && !pause());
	}
	assert_int_equal(read(ends[0], &helper, sizeof helper), sizeof helper);
	assert_true(is_running(helper));
	kill(recorder, SIGKILL);
	waitpid(recorder, NULL, 0);
	while (is_running(helper) && clock_ns() < until_ns)
		usleep(5000);
	assert_false(is_running(helper));
	close(ends[0]);
	close(ends[1]);
	world_free(world);
}

struct listed {
	struct source_device device[4];
	size_t n;
};

static void keep_device(void *ctx, const struct source_device *device)
{
	struct listed *listed = ctx;

	assert_int_not_equal(listed->n, 4);
	listed->device[listed->n++] = *device;
}

CASE(devices_are_listed_with_what_they_do_not_tell, FIRST_NAMESPACE, two)
{
	struct listed listed = { .n = 0 };

	nvml()->devices(&world->target, keep_device, &listed);
	assert_int_equal(listed.n, 2);
	assert_string_equal(listed.device[0].name, "gpu nvidia0");
	assert_string_equal(listed.device[0].text, "NVIDIA H200 at 00000000:1A:00.0, driver 570.86.15");
	assert_string_equal(listed.device[0].problem, "");
	assert_string_equal(listed.device[1].tells, "power");
	assert_non_null(strstr(listed.device[1].problem, "does not report busy, memory busy"));
	say(world, "init 9\n");
	listed.n = 0;
	nvml()->devices(&world->target, keep_device, &listed);
	assert_int_equal(listed.n, 1);
	assert_string_equal(listed.device[0].problem, "cannot query NVIDIA's driver: Driver Not Loaded (9)");
}
