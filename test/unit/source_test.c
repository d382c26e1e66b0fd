// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/source/tree.h"
#include "cases.h"
#include "world.h"

#define MS_NS UINT64_C(1000000)
#define S_NS UINT64_C(1000000000)
#define T0 (5000 * S_NS)
#define T1 (5001 * S_NS)

static struct world *world_new(const char *snapshot, pid_t pid)
{
	static const char *const names[] = { "cpu", "memory", "process", "pressure", "energy", NULL };

	return world_of(snapshot, pid, names);
}

#define CASE(name, ...) TEST_OF_NEW(name, struct world, world, world_new(__VA_ARGS__), world_free(world))
#define CROWDED(name, ...) TEST_OF_NEW(name, struct world, world, crowded(__VA_ARGS__), world_free(world))

CASE(cpu_is_a_share_of_the_time_since_the_look_before, "laptop/t0", 2000)
{
	look(world, "laptop/t0", T0);
	is_missing(keep_value(world->keep, 2001, "cpu"));
	look(world, "laptop/t1", T1);
	is_near(keep_value(world->keep, 2001, "cpu"), 150);
	is_near(keep_value(world->keep, 2011, "cpu"), 25);
	is_near(keep_value(world->keep, 2000, "cpu"), 0);
}

CASE(a_young_process_is_sampled_from_its_start, "laptop/t0", 2000)
{
	/* 2020 started half a second before T1, and has used 200 ms of CPU and caused 300 faults since. */
	look(world, "laptop/t1", T1);
	is_near(keep_value(world->keep, 2020, "cpu"), 40);
	is_near(keep_value(world->keep, 2020, "page faults"), 600);
	is_missing(keep_value(world->keep, 2001, "page faults"));
}

CASE(machine_cpu_is_what_was_not_idle_of_all_cores, "laptop/t0", 2000)
{
	/* 400 ticks passed: 130 idle, 10 waiting for disks */
	look(world, "laptop/t0", T0);
	look(world, "laptop/t1", T1);
	is_near(keep_value(world->keep, 0, "cpu"), 65);
}

CASE(what_the_host_took_is_no_cpu_of_the_machine, "guest/t0", 2000)
{
	/* 100 ticks passed: 35 idle, 5 waiting for disks, 35 taken by the host */
	look(world, "guest/t0", T0);
	is_missing(keep_value(world->keep, 0, "stolen"));
	look(world, "guest/t1", T1);
	is_near(keep_value(world->keep, 0, "cpu"), 25);
	is_near(keep_value(world->keep, 0, "stolen"), 35);
}

CASE(memory_is_in_bytes, "laptop/t0", 2000)
{
	double page = (double)sysconf(_SC_PAGESIZE);

	look(world, "laptop/t0", T0);
	is_near(keep_value(world->keep, 2001, "rss"), 200000 * page);
	is_near(keep_value(world->keep, 2001, "peak rss"), 900000.0 * 1024);
	is_near(keep_value(world->keep, 0, "memory used"), 7000000.0 * 1024);
	look(world, "laptop/t1", T1);
	is_near(keep_value(world->keep, 2001, "rss"), 250000 * page);
	is_near(keep_value(world->keep, 2001, "peak rss"), 1100000.0 * 1024);
	is_near(keep_value(world->keep, 0, "memory used"), 7500000.0 * 1024);
}

static size_t n_values(const struct world *world, int32_t pid, const char *name)
{
	uint32_t track = keep_counter(world->keep, keep_process(world->keep, pid), name);
	size_t n = 0;

	for (size_t i = 0; i < world->keep->n; i++)
		n += world->keep->event[i].type == EVENT_COUNTER && track && world->keep->event[i].track == track;
	return n;
}

/* Samples until it was read n times, and returns the time of the last read. */
static uint64_t look_for_pss(struct world *world, uint64_t now_ns, size_t n)
{
	while (n_values(world, 2001, "pss") < n && now_ns < T0 + 3600 * S_NS)
		look(world, NULL, now_ns += S_NS / 10);
	assert_int_equal(n_values(world, 2001, "pss"), n);
	return now_ns;
}

/* Later if reading was expensive, which it is here when another program got the processor meanwhile. */
CASE(pss_is_read_after_a_second_then_every_ten_at_most, "laptop/t0", 2000)
{
	uint64_t first_ns, second_ns;

	look(world, "laptop/t0", T0);
	is_missing(keep_value(world->keep, 2001, "pss"));
	first_ns = look_for_pss(world, T0, 1);
	assert_true(first_ns >= T1 && first_ns <= T1 + 2 * S_NS);
	is_near(keep_value(world->keep, 2001, "pss"), 750000.0 * 1024);
	second_ns = look_for_pss(world, first_ns, 2);
	assert_true(second_ns >= first_ns + 10 * S_NS);
	assert_true(look_for_pss(world, second_ns, 3) >= second_ns + 10 * S_NS);
}

CASE(pss_is_read_in_the_end, "laptop/t0", 2000)
{
	look(world, "laptop/t0", T0);
	world->target.is_ending = true;
	look(world, NULL, T0 + 2 * MS_NS);
	is_near(keep_value(world->keep, 2001, "pss"), 750000.0 * 1024);
}

CASE(threads_and_faults_come_from_stat, "laptop/t0", 2000)
{
	look(world, "laptop/t0", T0);
	is_near(keep_value(world->keep, 2001, "threads"), 3);
	look(world, "laptop/t1", T1);
	is_near(keep_value(world->keep, 2001, "threads"), 4);
	is_near(keep_value(world->keep, 2001, "page faults"), 1000);
	is_near(keep_value(world->keep, 2001, "major faults"), 3);
}

CASE(counters_carry_units_and_lie_below_their_process, "laptop/t0", 2000)
{
	static const char *const wanted[][2] = {
		{ "cpu", "%" },		{ "rss", "bytes" },	      { "peak rss", "bytes" },	    { "pss", "bytes" },
		{ "threads", "count" }, { "page faults", "count/s" }, { "major faults", "count/s" }
	};

	look(world, "laptop/t0", T0);
	world->target.is_ending = true;
	look(world, "laptop/t1", T1);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		uint32_t track = keep_counter(world->keep, tree_track(&world->tree, 2001), wanted[i][0]);
		assert_int_not_equal(track, 0);
		assert_string_equal(keep_text(world->keep, world->keep->track[track].unit), wanted[i][1]);
	}
	assert_int_not_equal(keep_counter(world->keep, 0, "cpu"), 0);
	assert_int_not_equal(keep_counter(world->keep, 0, "memory used"), 0);
}

CASE(pressure_is_a_share_of_time, "laptop/t0", 2000)
{
	/* 250 ms more of waiting for a CPU, none for memory */
	look(world, "laptop/t0", T0);
	is_missing(keep_value(world->keep, 0, "cpu pressure"));
	look(world, "laptop/t1", T1);
	is_near(keep_value(world->keep, 0, "cpu pressure"), 25);
	is_near(keep_value(world->keep, 0, "memory pressure"), 0);
	/* it decreased: nothing until the old value is reached again */
	look(world, "laptop/t0", T1 + S_NS);
	is_near(keep_value(world->keep, 0, "cpu pressure"), 0);
	look(world, "laptop/t1", T1 + 2 * S_NS);
	is_near(keep_value(world->keep, 0, "cpu pressure"), 0);
}

CASE(energy_is_counted_over_the_wrap_of_its_meter, "metered/t0", 2000)
{
	look(world, "metered/t0", T0);
	is_missing(keep_value(world->keep, 0, "package-0 power"));
	is_near(keep_value(world->keep, 0, "package-0 energy"), 0);
	/* 20 J up to the largest value, 25 J from 0 on */
	look(world, "metered/t1", T1);
	is_near(keep_value(world->keep, 0, "package-0 power"), 45);
	is_near(keep_value(world->keep, 0, "package-0 energy"), 45);
	is_near(keep_value(world->keep, 0, "package-0 dram power"), 3.323986);
	is_near(keep_value(world->keep, 0, "psys power"), 35);
	look(world, NULL, T1 + S_NS);
	is_near(keep_value(world->keep, 0, "package-0 power"), 0);
	is_near(keep_value(world->keep, 0, "package-0 energy"), 45);
}

CASE(power_is_over_the_time_that_went_by, "metered/t0", 2000)
{
	world->target.interval_ns = 10 * MS_NS;
	look(world, "metered/t0", T0);
	look(world, "metered/t1", T0 + 4 * S_NS);
	is_near(keep_value(world->keep, 0, "package-0 power"), 45 / 4.0);
	/* the last sample may follow the one before at once: no time for a value */
	world->target.is_ending = true;
	look(world, NULL, T0 + 4 * S_NS + MS_NS);
	assert_int_equal(n_values(world, 0, "package-0 power"), 1);
}

CASE(each_meter_is_one_of_the_machine_with_its_unit, "metered/t0", 2000)
{
	static const char *const wanted[][2] = { { "package-0 power", "W" },
						 { "package-0 energy", "J" },
						 { "package-1 energy", "J" },
						 { "package-0 dram power", "W" },
						 { "psys energy", "J" } };
	size_t n = 0;

	look(world, "metered/t0", T0);
	look(world, "metered/t1", T1);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		uint32_t track = keep_counter(world->keep, 0, wanted[i][0]);
		assert_int_not_equal(track, 0);
		assert_string_equal(keep_text(world->keep, world->keep->track[track].unit), wanted[i][1]);
	}
	/* cores are part of their package, and the same package by another path does not count twice */
	assert_int_equal(keep_counter(world->keep, 0, "package-0 core power"), 0);
	for (uint32_t i = 1; i <= world->keep->last_track; i++)
		n += !strcmp(keep_text(world->keep, world->keep->track[i].name), "package-0 energy");
	assert_int_equal(n, 1);
}

CASE(a_meter_that_was_reset_counts_no_joules_any_more, "metered/t0", 2000)
{
	look(world, "metered/t0", T0);
	/* 7 J, then 1 J: a wrap within a second would mean 262 kW */
	look(world, "metered/t1", T1);
	is_missing(keep_value(world->keep, 0, "package-1 power"));
	assert_int_equal(n_values(world, 0, "package-1 energy"), 1);
	look(world, NULL, T1 + S_NS);
	is_near(keep_value(world->keep, 0, "package-1 power"), 0);
	assert_int_equal(n_values(world, 0, "package-1 energy"), 1);
}

CASE(a_meter_that_makes_no_sense_is_missing, "odd/t0", 100)
{
	look(world, "odd/t0", T0);
	look(world, "odd/t1", T1);
	/* decreased without a known largest value; a truncated number; invalid names */
	is_missing(keep_value(world->keep, 0, "package-0 power"));
	is_missing(keep_value(world->keep, 0, "package-1 energy"));
	is_missing(keep_value(world->keep, 0, "../../etc energy"));
	is_near(keep_value(world->keep, 0, "dram power"), 0);
}

CASE(a_process_that_ended_has_no_more_values, "laptop/t0", 2000)
{
	size_t n;

	look(world, "laptop/t0", T0);
	n = n_values(world, 2010, "rss");
	assert_int_equal(n, 1);
	look(world, "laptop/t1", T1);
	assert_int_equal(n_values(world, 2010, "rss"), 1);
	assert_int_equal(n_values(world, 2011, "rss"), 2);
}

CASE(a_pid_used_again_begins_anew, "restless/t0", 60)
{
	/* one job had used 9 s; the other one, 200 ms old, 50 ms */
	look(world, "restless/t0", T0);
	look(world, "restless/t1", T1);
	is_near(keep_value(world->keep, 70, "cpu"), 5 / 20.0 * 100);
}

CASE(counters_that_go_back_stay, "odd/t0", 100)
{
	look(world, "odd/t0", T0);
	look(world, "odd/t1", T1);
	is_near(keep_value(world->keep, 101, "cpu"), 0);
	is_near(keep_value(world->keep, 102, "cpu"), 50);
	is_near(keep_value(world->keep, 101, "page faults"), 0);
	/* user +100, idle +300; a decreased value counts as unchanged */
	is_near(keep_value(world->keep, 0, "cpu"), 25);
	/* 101 was at 100 ticks and fell to 50: only ticks above 100 count again */
	look(world, "odd/t0", T1 + S_NS);
	is_near(keep_value(world->keep, 101, "cpu"), 0);
}

CASE(huge_counters_are_no_harm, "odd/t0", 100)
{
	double page = (double)sysconf(_SC_PAGESIZE);

	look(world, "odd/t0", T0);
	is_near(keep_value(world->keep, 103, "rss"), 0x1p63 * page);
	look(world, "odd/t1", T1);
	is_near(keep_value(world->keep, 103, "rss"), 0x1p64 * page);
	is_near(keep_value(world->keep, 103, "page faults"), 0x1p63);
	assert_true(keep_value(world->keep, 103, "cpu") >= 0);
	/* never walks the page tables of such a large process */
	world->target.is_ending = true;
	look(world, "odd/t1", T1 + S_NS);
	is_missing(keep_value(world->keep, 103, "pss"));
}

CASE(what_is_cut_off_is_missing_and_noted_once, "odd/t0", 100)
{
	size_t n_notes = 0;

	look(world, "odd/t0", T0);
	look(world, "odd/t1", T1);
	look(world, NULL, T1 + S_NS);
	look(world, NULL, T1 + 2 * S_NS);
	for (size_t i = 0; i < world->keep->n; i++) {
		const struct event *event = &world->keep->event[i];
		if (event->type != EVENT_INSTANT)
			continue;
		assert_int_equal(event->kind, KIND_NOTE);
		assert_string_equal(keep_text(world->keep, event->name), EVENT_NOTE_UNREADABLE);
		assert_string_equal(world->keep->text[i], "not understood");
		assert_int_equal(world->keep->track[event->track].parent, tree_track(&world->tree, 107));
		n_notes++;
	}
	/* stat for cpu and for process, statm for memory */
	assert_int_equal(n_notes, 3);
	assert_int_equal(n_values(world, 107, "rss"), 1);
	assert_int_equal(n_values(world, 107, "threads"), 1);
}

CASE(an_impossible_total_is_no_value, "odd/t0", 100)
{
	look(world, "odd/t0", T0);
	is_missing(keep_value(world->keep, 0, "memory used"));
}

CASE(an_old_kernel_gives_what_it_has, "old-kernel/t0", 50)
{
	look(world, "old-kernel/t0", T0);
	look(world, "old-kernel/t1", T1);
	is_near(keep_value(world->keep, 0, "cpu"), 50);
	is_near(keep_value(world->keep, 60, "cpu"), 10);
	is_missing(keep_value(world->keep, 0, "memory used"));
	is_missing(keep_value(world->keep, 0, "cpu pressure"));
	world->target.is_ending = true;
	look(world, NULL, T1 + S_NS);
	is_missing(keep_value(world->keep, 50, "pss"));
}

static void check(const char *source, const char *snapshot, pid_t pid, int code, const char *says)
{
	char sysroot[4096];
	struct err err = { 0 };
	struct target target = { .sysroot = sysroot, .pid = pid };

	snprintf(sysroot, sizeof sysroot, TEST_DIR "/sysroot/%s", snapshot);
	assert_int_equal(source_named(source)->check(&target, &err), -code);
	if (code && !strstr(err.msg, says))
		fail_msg("\"%s\" does not say \"%s\"", err.msg, says);
}

TEST(check_says_what_is_missing)
{
	check("cpu", "laptop/t0", 2001, 0, "");
	check("memory", "laptop/t0", 2001, 0, "");
	check("process", "laptop/t0", 2001, 0, "");
	check("cpu", "hidepid/t0", 1, ESRCH, "hidepid");
	check("memory", "hidepid/t0", 1, ESRCH, "hidepid");
	check("process", "hidepid/t0", 1, ESRCH, "hidepid");
	check("memory", "old-kernel/t0", 50, EPROTO, "MemAvailable");
	check("process", "odd/t1", 107, EPROTO, "not understood");
	check("pressure", "laptop/t0", 2001, 0, "");
	check("pressure", "old-kernel/t0", 50, ENOENT, "CONFIG_PSI");
	check("cpu", "nowhere", 1, ENOENT, "/proc/stat");
	check("energy", "metered/t0", 1, 0, "");
	check("frequency", "crowded/t0", 300, 0, "");
	check("frequency", "laptop/t0", 1, ENOENT, "cpufreq");
	check("waits", "crowded/t0", 300, 0, "");
	check("waits", "laptop/t0", 2001, ENOENT, "schedstat");
	check("energy", "laptop/t0", 1, ENOENT, "modprobe intel_rapl_msr");
}

static void put_file(const char *folder, const char *name, const char *text, mode_t mode)
{
	char path[4200];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(chmod(path, mode), 0);
}

/* As on most kernels: only root may read energy_uj. A captured tree does not keep file modes. */
TEST(a_meter_for_root_only_is_said_with_what_to_do)
{
	char root[] = "/tmp/inftrace-energy-XXXXXX", zone[4096], command[4200];
	struct target target = { .sysroot = root, .pid = 1 };
	struct err err = { 0 };
	int code;

	assert_non_null(mkdtemp(root));
	snprintf(zone, sizeof zone, "%s/sys/class/powercap/intel-rapl:0", root);
	snprintf(command, sizeof command, "mkdir -p %s && chmod -R a+rx %s", zone, root);
	assert_int_equal(system(command), 0);
	put_file(zone, "name", "package-0\n", 0444);
	put_file(zone, "max_energy_range_uj", "262143328850\n", 0444);
	put_file(zone, "energy_uj", "1000\n", geteuid() ? 0 : 0400);
	if (!geteuid())
		assert_int_equal(seteuid(65534), 0);
	code = source_named("energy")->check(&target, &err);
	if (!getuid())
		assert_int_equal(seteuid(0), 0);
	snprintf(command, sizeof command, "rm -rf %s", root);
	assert_int_equal(system(command), 0);
	assert_int_equal(code, -EACCES);
	assert_non_null(strstr(err.msg, "run inftrace as root"));
	assert_non_null(strstr(err.msg, "chmod a+r"));
}

CASE(samples_become_rarer_until_the_interval, "laptop/t0", 2000)
{
	size_t n_first, n_second;

	for (uint64_t now_ns = T0; now_ns < T0 + S_NS; now_ns += MS_NS)
		look(world, "laptop/t0", now_ns);
	n_first = n_values(world, 2001, "rss");
	for (uint64_t now_ns = T0 + S_NS; now_ns < T0 + 11 * S_NS; now_ns += MS_NS)
		look(world, "laptop/t0", now_ns);
	n_second = n_values(world, 2001, "rss") - n_first;
	/* at 0, 20, 40, 80, ... 640 ms, then on each second */
	assert_int_equal(n_first, 7);
	assert_int_equal(n_second, 10);
}

CASE(samples_come_every_10_ms_if_wanted, "laptop/t0", 2000)
{
	world->target.interval_ns = 10 * MS_NS;
	for (uint64_t now_ns = T0; now_ns < T0 + S_NS; now_ns += MS_NS)
		look(world, "laptop/t0", now_ns);
	assert_int_equal(n_values(world, 2001, "rss"), 100);
	assert_int_equal(n_values(world, 2001, "peak rss"), 1);
}

/* Live: a child that burns half a second of CPU and holds 64 MB. */

enum { HELD = 64 << 20 };

static void burn(int ready, int go)
{
	struct timespec cpu = { 0 };
	char *held = mmap(NULL, HELD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char byte = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(go, &byte, 1) != 1)
		_exit(1);
	memset(held, 1, HELD);
	if (write(ready, &byte, 1) != 1)
		_exit(1);
	while (cpu.tv_nsec < 500000000 && !cpu.tv_sec)
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	if (write(ready, &byte, 1) != 1)
		_exit(1);
	_exit((int)read(go, &byte, 1));
}

/* CPU seconds, summed over the samples of a process from its start on. */
static double cpu_seconds(const struct world *world, int32_t pid)
{
	uint32_t process = keep_process(world->keep, pid), track = keep_counter(world->keep, process, "cpu");
	uint64_t last_ns = world->keep->track[process].start_ns;
	double sum = 0;

	for (size_t i = 0; i < world->keep->n; i++) {
		const struct event *event = &world->keep->event[i];
		if (event->type != EVENT_COUNTER || event->track != track)
			continue;
		sum += event->value / 100 * (double)(event->time_ns - last_ns) / 1e9;
		last_ns = event->time_ns;
	}
	return sum;
}

TEST(a_living_process_is_measured)
{
	int ready[2], go[2];
	struct world *world;
	struct pollfd pollfd;
	struct timespec own;
	clockid_t cpu_clock;
	uint64_t until_ns;
	double seconds;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready) | pipe(go), 0);
	pid = fork();
	if (!pid) {
		close(go[1]);
		burn(ready[1], go[0]);
	}
	assert_int_equal(setpriority(PRIO_PROCESS, (id_t)pid, 3), 0);
	world = world_new(NULL, pid);
	world->target.interval_ns = 100 * MS_NS;
	/* before it has used any: an old process's usage before its first sample is not counted */
	until_ns = clock_ns() + 60 * S_NS;
	do {
		usleep(5000);
		look(world, NULL, clock_ns());
	} while (isnan(keep_value(world->keep, pid, "cpu")) && clock_ns() < until_ns);
	assert_int_equal(write(go[1], "x", 1), 1);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	pollfd = (struct pollfd){ .fd = ready[0], .events = POLLIN };
	do
		look(world, NULL, clock_ns());
	while (!poll(&pollfd, 1, 20));
	world->target.is_ending = true;
	look(world, NULL, clock_ns());
	seconds = cpu_seconds(world, pid);
	/* the same clock, which stands still by now; the last few milliseconds have no sample */
	assert_int_equal(clock_getcpuclockid(pid, &cpu_clock), 0);
	assert_int_equal(clock_gettime(cpu_clock, &own), 0);
	if (!(fabs(seconds - (double)own.tv_sec - (double)own.tv_nsec / 1e9) < 0.03))
		fail_msg("%g s of CPU, not %ld.%09ld", seconds, (long)own.tv_sec, own.tv_nsec);
	assert_true(seconds > 0.47);
	assert_true(keep_value(world->keep, pid, "rss") >= HELD);
	assert_true(keep_value(world->keep, pid, "rss") < HELD + (48 << 20));
	assert_true(keep_value(world->keep, pid, "peak rss") >= HELD);
	assert_true(keep_value(world->keep, pid, "pss") >= HELD);
	is_near(keep_value(world->keep, pid, "threads"), 1);
	is_near(keep_value(world->keep, pid, "nice"), 3);
	assert_true(keep_value(world->keep, 0, "memory used") > HELD);
	assert_true(keep_value(world->keep, 0, "cpu") >= 0 && keep_value(world->keep, 0, "cpu") <= 100);
	close(go[1]);
	waitpid(pid, NULL, 0);
	world_free(world);
	close(go[0]);
	close(ready[0]);
	close(ready[1]);
}

static size_t n_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	size_t n = 0;

	assert_non_null(folder);
	while (readdir(folder))
		n++;
	closedir(folder);
	return n;
}

TEST(files_are_kept_open_until_the_source_stops)
{
	size_t n = n_descriptors();
	struct world *world = world_of(NULL, getpid(), (const char *const[]){ "process", "io", NULL });

	look(world, NULL, clock_ns());
	assert_true(n_descriptors() > n);
	world_free(world);
	assert_int_equal(n_descriptors(), n);
}

/* Samples whose times lie ahead: the next one is due later than now by as much. */
TEST(a_source_is_due_when_its_next_sample_is)
{
	struct world *world = world_of("laptop/t0", 2000, (const char *const[]){ "process", "cgroup", NULL });

	look(world, NULL, clock_ns() + 1000 * S_NS);
	for (size_t i = 0; i < world->n; i++)
		assert_in_range(world->source[i]->due_ms(world->state[i]), 900000, 1001000);
	world_free(world);
}

static struct world *crowded(const char *name)
{
	static const char *const names[] = { "cgroup", "frequency", "io", "waits", NULL };
	char snapshot[64];
	struct world *world;

	snprintf(snapshot, sizeof snapshot, "%s/t0", name);
	world = world_of(snapshot, 300, names);
	look(world, snapshot, T0);
	snprintf(snapshot, sizeof snapshot, "%s/t1", name);
	look(world, snapshot, T1);
	return world;
}

CROWDED(waits_are_those_of_all_threads, "crowded")
{
	is_near(keep_value(world->keep, 300, "waiting for a cpu"), 130);
}

/* Two processes of one name count together; the recorded one and those that use little do not. */
CROWDED(other_programs_are_those_that_use_cpus, "crowded")
{
	is_near(keep_value(world->keep, 0, "other program hog"), 188);
	is_missing(keep_value(world->keep, 0, "other program infer"));
	is_missing(keep_value(world->keep, 0, "other program idler"));
}

CROWDED(a_quota_further_up_counts, "crowded")
{
	is_near(keep_value(world->keep, 300, "throttled"), 25);
}

CROWDED(quotas_of_the_older_version_count, "crowded-v1")
{
	is_near(keep_value(world->keep, 300, "throttled"), 40);
}

/* It was 1.5 CPUs in the first look. */
CROWDED(the_quota_and_what_it_stopped_are_those_of_the_level, "crowded")
{
	is_near(keep_value(world->keep, 300, "cpu quota"), 0.75);
	is_near(keep_value(world->keep, 300, "cpu quota of /pod.slice"), 0.75);
	is_near(keep_value(world->keep, 300, "throttled time of /pod.slice"), 250e6);
	is_near(keep_value(world->keep, 300, "quota periods of /pod.slice"), 4);
	is_near(keep_value(world->keep, 300, "throttled periods of /pod.slice"), 3);
	is_missing(keep_value(world->keep, 300, "cpu quota of /pod.slice/web.scope"));
	is_missing(keep_value(world->keep, 300, "throttled periods of /pod.slice/web.scope"));
}

/* crowded-v1 has 0.5 CPUs in the first look and no quota in the second. */
CROWDED(a_quota_that_is_lifted_is_as_large_as_the_machine, "crowded-v1")
{
	is_near(keep_value(world->keep, 300, "cpu quota of /docker/a1"), 1);
	is_near(keep_value(world->keep, 300, "throttled periods of /docker/a1"), 4);
	is_missing(keep_value(world->keep, 300, "cpu quota of /"));
}

/* Of one that exits, /proc says that it is in the root, which has no quota. */
TEST(a_process_that_ends_keeps_the_quota_it_had)
{
	struct world *world = world_of("crowded-v1/t0", 300, (const char *const[]){ "cgroup", NULL });

	look(world, "crowded-v1/t0", T0);
	look(world, "crowded-v1/ended", T1);
	is_near(keep_value(world->keep, 300, "cpu quota"), 0.5);
	world_free(world);
}

/* The path of the process is not mounted there: what is mounted is its own cgroup. */
CROWDED(a_container_has_the_quota_of_what_is_mounted, "crowded-inside")
{
	is_near(keep_value(world->keep, 300, "cpu quota of /"), 2);
	is_near(keep_value(world->keep, 300, "throttled periods of /"), 7);
}

CROWDED(frequency_is_the_mean_and_temperature_the_highest, "crowded")
{
	is_near(keep_value(world->keep, 0, "cpu frequency"), 1700);
	is_near(keep_value(world->keep, 0, "temperature"), 85);
}

CROWDED(reads_from_disks_are_a_rate, "crowded")
{
	is_near(keep_value(world->keep, 300, "disk reads"), 48 << 20);
}

CROWDED(what_tells_why_is_sampled_more_often_than_once_a_second, "crowded")
{
	look(world, "crowded/t1", T1 + 100 * MS_NS);
	is_near(keep_value(world->keep, 300, "disk reads"), 0);
	is_near(keep_value(world->keep, 300, "waiting for a cpu"), 0);
}

/* 1.88 s of CPU in 200 ms, as here, or in the second since the look before. */
TEST(other_programs_are_looked_for_more_often_while_the_process_waits)
{
	struct world *world = world_of("crowded/t0", 300, (const char *const[]){ "waits", NULL });

	look(world, "crowded/t0", T0);
	look(world, "crowded/t1", T0 + 200 * MS_NS);
	is_near(keep_value(world->keep, 0, "other program hog"), 940);
	world_free(world);
	world = world_of("crowded/t0", 300, (const char *const[]){ "waits", NULL });
	look(world, "crowded/t0", T0);
	look(world, "crowded/t0", T0 + 900 * MS_NS);
	look(world, "crowded/t1", T1);
	is_near(keep_value(world->keep, 0, "other program hog"), 188);
	world_free(world);
}

TEST(what_never_happens_has_no_counter)
{
	struct world *world = world_of("crowded/t0", 300, (const char *const[]){ "cgroup", "waits", NULL });

	look(world, "crowded/t0", T0);
	look(world, "crowded/t0", T1);
	is_missing(keep_value(world->keep, 300, "throttled"));
	is_missing(keep_value(world->keep, 0, "other program hog"));
	is_near(keep_value(world->keep, 300, "waiting for a cpu"), 0);
	world_free(world);
}
