// SPDX-License-Identifier: Apache-2.0
/* GPUs and NPUs with drivers in the kernel: the values of each process and each device. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/source/device/fdinfo.h"
#include "capture/source/device/gauge.h"
#include "capture/source/tree.h"
#include "capture/source/walk.h"
#include "cases.h"
#include "world.h"

#define S_NS UINT64_C(1000000000)
#define T0 (5000 * S_NS)
#define T1 (5001 * S_NS)

static struct world *world_new(const char *snapshot)
{
	static const char *const names[] = { "gpu", "npu", NULL };

	return world_of(snapshot, 2000, names);
}

/* At t0, and a second later. */
static struct world *look_twice(const char *machine)
{
	char t0[64], t1[64];
	struct world *world;

	snprintf(t0, sizeof t0, "%s/t0", machine);
	snprintf(t1, sizeof t1, "%s/t1", machine);
	world = world_new(t0);
	look(world, t0, T0);
	look(world, t1, T1);
	return world;
}

static size_t n_device_values(const struct world *world, const char *name)
{
	uint32_t track = keep_device_counter(world->keep, name);
	size_t n = 0;

	for (size_t i = 0; i < world->keep->n; i++)
		n += world->keep->event[i].type == EVENT_COUNTER && world->keep->event[i].track == track;
	return n;
}

/* ---- processes */

#define ONCE(name, ...) TEST_OF_NEW(name, struct world, world, world_new(__VA_ARGS__), world_free(world))
#define TWICE(name, ...) TEST_OF_NEW(name, struct world, world, look_twice(__VA_ARGS__), world_free(world))

ONCE(an_engine_is_a_share_of_the_time_since_the_look_before, "amd-gpu/t0")
{
	look(world, "amd-gpu/t0", T0);
	is_missing(keep_value(world->keep, 2000, "gpu card1 compute"));
	is_near(keep_value(world->keep, 2000, "gpu card1 memory vram"), (1024 + 1) * 1048576.0);
	look(world, "amd-gpu/t1", T1);
	is_near(keep_value(world->keep, 2000, "gpu card1 dma"), 5);
	is_near(keep_value(world->keep, 2000, "gpu card1 memory vram"), (2048 + 1) * 1048576.0);
	is_near(keep_value(world->keep, 2000, "gpu card1 memory gtt"), 2 * 1048576.0);
}

TWICE(a_client_counts_once_and_an_engine_that_comes_later_from_nothing, "amd-gpu")
{
	/*
	 * 60 % of client 41, which has three descriptors in two processes, and 10 % of 42, which had not computed
	 * before
	 */
	is_near(keep_value(world->keep, 2000, "gpu card1 compute"), 70);
}

TWICE(a_client_that_was_opened_between_two_looks_counts_whole, "amd-gpu")
{
	is_near(keep_value(world->keep, 2001, "gpu card1 compute"), 20);
	is_missing(keep_value(world->keep, 2001, "gpu card1 memory vram"));
}

TWICE(what_is_never_used_is_not_shown, "intel-pc")
{
	is_missing(keep_value(world->keep, 2000, "gpu card0 copy"));
	is_missing(keep_value(world->keep, 2000, "gpu card1 rcs"));
	is_missing(keep_value(world->keep, 2000, "gpu card1 memory system"));
	is_missing(keep_value(world->keep, 2001, "gpu card0 render"));
}

TWICE(engines_of_a_kind_share_their_time, "intel-pc")
{
	is_near(keep_value(world->keep, 2000, "gpu card0 render"), 80);
	is_near(keep_value(world->keep, 2000, "gpu card0 video"), 10);
	is_near(keep_value(world->keep, 2000, "gpu card0 memory system0"), 20 * 1048576.0);
}

TWICE(cycles_are_a_share_of_the_devices_own, "intel-pc")
{
	is_near(keep_value(world->keep, 2000, "gpu card1 ccs"), 47);
	is_near(keep_value(world->keep, 2000, "gpu card1 memory vram0"), 2048 * 1048576.0);
}

TWICE(cycles_without_a_total_are_a_share_of_the_largest_clock, "boards")
{
	is_near(keep_value(world->keep, 2000, "gpu card1 panthor"), 30);
	/* the same driver without measuring enabled, and without a bus address */
	is_missing(keep_value(world->keep, 2000, "gpu card0 panthor"));
	is_near(keep_value(world->keep, 2000, "gpu card0 memory"), 16480 * 1024.0);
}

TEST(an_npu_is_shown_per_process_where_its_driver_tells)
{
	struct world *world = look_twice("boards");

	is_near(keep_value(world->keep, 2000, "npu accel0 npu-amdxdna"), 25);
	is_missing(keep_value(world->keep, 2000, "npu accel1 memory"));
	world_free(world);
	world = look_twice("intel-pc");
	is_near(keep_value(world->keep, 2000, "npu accel0 memory"), 76 * 1048576.0);
	world_free(world);
}

ONCE(amds_compute_driver_tells_of_its_own, "amd-gpu/t0")
{
	look(world, "amd-gpu/t0", T0);
	is_missing(keep_value(world->keep, 2000, "gpu card1 compute memory"));
	look(world, "amd-gpu/t1", T1);
	is_near(keep_value(world->keep, 2000, "gpu card1 compute memory"), 7 * 1073741824.0);
	is_near(keep_value(world->keep, 2000, "gpu card1 compute units"), 48);
	is_missing(keep_value(world->keep, 2001, "gpu card1 compute memory"));
}

ONCE(a_device_of_amds_compute_driver_is_used_when_it_is_open, "amd-container/t0")
{
	look(world, "amd-container/t0", T0);
	is_missing(keep_device_value(world->keep, "gpu card1 busy"));
	look(world, "amd-container/t1", T1);
	is_near(keep_device_value(world->keep, "gpu card1 busy"), 88);
}

TWICE(a_client_is_handed_on_when_its_first_process_ends, "amd-gpu")
{
	size_t kept = 0;

	/* as if 2000 had closed all: its child still has the same client 41 open */
	look(world, "amd-gpu/handed", T1 + S_NS);
	is_near(keep_value(world->keep, 2001, "gpu card1 memory vram"), 2048 * 1048576.0);
	is_near(keep_value(world->keep, 2000, "gpu card1 memory vram"), 0);
	for (size_t i = 0; i < world->keep->n; i++)
		kept += world->keep->event[i].type == EVENT_COUNTER && world->keep->event[i].value < 0;
	assert_int_equal(kept, 0);
}

/* ---- devices */

TWICE(a_card_tells_how_it_is_doing, "amd-gpu")
{
	is_near(keep_device_value(world->keep, "gpu card1 busy"), 97);
	is_near(keep_device_value(world->keep, "gpu card1 memory busy"), 33);
	is_near(keep_device_value(world->keep, "gpu card1 memory used"), 3 * 1073741824.0);
	is_near(keep_device_value(world->keep, "gpu card1 power"), 301);
	is_near(keep_device_value(world->keep, "gpu card1 temperature"), 62);
	is_near(keep_device_value(world->keep, "gpu card1 clock"), 2400);
	is_near(keep_device_value(world->keep, "gpu card1 memory clock"), 1249);
	is_missing(keep_device_value(world->keep, "gpu card1 energy"));
	is_missing(keep_device_value(world->keep, "gpu card1 awake"));
	assert_int_equal(n_device_values(world, "gpu card1 busy"), 2);
	/* a constant is put once */
	is_near(keep_device_value(world->keep, "gpu card1 memory total"), 24 * 1073741824.0);
	assert_int_equal(n_device_values(world, "gpu card1 memory total"), 1);
}

TWICE(counters_of_a_device_lie_below_a_track_that_says_what_it_is, "amd-gpu")
{
	uint32_t track = keep_device_counter(world->keep, "gpu card1 power");

	assert_string_equal(keep_text(world->keep, world->keep->track[track].unit), "W");
	track = world->keep->track[track].parent;
	assert_string_equal(keep_text(world->keep, world->keep->track[track].name),
			    "gpu card1: amdgpu 1002:744C at 0000:03:00.0");
}

TWICE(sleep_is_what_is_left_of_the_time, "intel-pc")
{
	is_near(keep_device_value(world->keep, "gpu card0 awake"), 70);
	is_near(keep_device_value(world->keep, "gpu card1 awake"), 90);
	is_near(keep_device_value(world->keep, "gpu card0 clock"), 1300);
	is_near(keep_device_value(world->keep, "gpu card1 clock"), 2850);
	is_missing(keep_device_value(world->keep, "gpu card1 busy"));
}

TWICE(energy_is_counted_from_the_first_look_and_power_comes_from_it, "intel-pc")
{
	/* of the card, not of its package */
	is_near(keep_device_value(world->keep, "gpu card1 energy"), 120);
	is_near(keep_device_value(world->keep, "gpu card1 power"), 120);
	is_near(keep_device_value(world->keep, "gpu card1 temperature"), 61);
	is_missing(keep_device_value(world->keep, "gpu card0 energy"));
	/* the meter decreases: the missed part is unknown, so there is no power */
	look(world, "intel-pc/t0", T1 + S_NS);
	assert_int_equal(n_device_values(world, "gpu card1 energy"), 2);
	assert_int_equal(n_device_values(world, "gpu card1 power"), 1);
	look(world, "intel-pc/t1", T1 + 2 * S_NS);
	assert_int_equal(n_device_values(world, "gpu card1 energy"), 2);
	assert_int_equal(n_device_values(world, "gpu card1 power"), 2);
}

TWICE(an_npu_is_busy_while_it_has_work, "intel-pc")
{
	is_near(keep_device_value(world->keep, "npu accel0 busy"), 45);
	is_near(keep_device_value(world->keep, "npu accel0 memory used"), 100 * 1048576.0);
	is_near(keep_device_value(world->keep, "npu accel0 clock"), 1400);
	is_near(keep_device_value(world->keep, "npu accel0 largest clock"), 1400);
}

ONCE(an_npu_is_not_asked_more_often_than_its_driver_wants, "intel-pc/t0")
{
	world->target.interval_ns = S_NS / 10;
	for (int i = 0; i < 21; i++)
		look(world, "intel-pc/t0", T0 + (uint64_t)i * S_NS / 10);
	assert_int_equal(n_device_values(world, "npu accel0 busy"), 2);
	assert_int_equal(n_device_values(world, "npu accel0 clock"), 21);
}

TWICE(other_npus_tell_what_they_have, "boards")
{
	is_near(keep_device_value(world->keep, "npu accel0 power"), 2.5);
	is_missing(keep_device_value(world->keep, "npu accel0 busy"));
	is_near(keep_device_value(world->keep, "npu accel1 workloads"), 1);
	is_near(keep_device_value(world->keep, "gpu card1 clock"), 1000);
}

TWICE(a_device_that_is_only_open_has_no_counters, "boards")
{
	/* it was opened, but not used */
	is_missing(keep_device_value(world->keep, "gpu card2 clock"));
	is_missing(keep_value(world->keep, 2000, "gpu card2 render"));
	is_missing(keep_value(world->keep, 2000, "gpu card2 memory system0"));
}

TWICE(a_machine_without_devices_has_none, "metered")
{
	for (uint32_t i = 1; i <= world->keep->last_track; i++)
		assert_int_not_equal(world->keep->track[i].type, TRACK_COUNTER);
}

/* ---- on a live machine, where files stay open */

static void put_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "r+");

	file = file ? file : fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

TEST(a_file_that_stays_open_is_read_anew)
{
	static const struct gauge_kind kinds[] = { { "none", "busy", "%", 1, GAUGE_VALUE },
						   { "busy", "busy", "%", 1, GAUGE_VALUE },
						   { "hwmon*/power", "power", "W", 1e-6, GAUGE_VALUE },
						   { 0 } };
	char folder[] = "/tmp/device_test.XXXXXX", busy[64], power[64], hwmon[64];
	struct keep *keep = keep_new();
	struct gauges gauges = { .n = 0 };
	struct err err;
	struct gauge_look looks = { "", folder, "gpu card9", 0, &keep->sink, 0, false, &err };

	assert_non_null(mkdtemp(folder));
	snprintf(busy, sizeof busy, "%s/busy", folder);
	snprintf(hwmon, sizeof hwmon, "%s/hwmon4", folder);
	snprintf(power, sizeof power, "%s/hwmon4/power", folder);
	mkdir(hwmon, 0700);
	put_text(busy, "17\n");
	put_text(power, "5000000\n");
	assert_int_equal(gauges_find(&gauges, kinds, "", folder), 0);
	assert_int_equal(gauges.n, 2);
	assert_int_equal(gauges_sample(&gauges, &looks), 0);
	is_near(keep_value(keep, 0, "gpu card9 busy"), 17);
	is_near(keep_value(keep, 0, "gpu card9 power"), 5);
	put_text(busy, "93\n");
	/* a text that is not a number is not a value */
	put_text(power, "-000000\n");
	assert_int_equal(gauges_sample(&gauges, &looks), 0);
	is_near(keep_value(keep, 0, "gpu card9 busy"), 93);
	is_near(keep_value(keep, 0, "gpu card9 power"), 5);
	gauges_done(&gauges);
	unlink(busy);
	unlink(power);
	rmdir(hwmon);
	rmdir(folder);
	keep_free(keep);
}

static void count_nulls(void *ctx, int fd, const char *name)
{
	*(int *)ctx += !strcmp(name, "null");
}

static int nulls_open(struct walk *walk, const struct sample *sample)
{
	int n = 0;

	assert_int_equal(walk_descriptors(walk, sample, "/dev/", count_nulls, &n), 0);
	return n;
}

TEST(descriptors_are_walked_when_one_was_opened)
{
	struct tree tree = { .n = 1 };
	struct target target = { .sysroot = "", .tree = &tree };
	struct tree_process process = { .pid = getpid() };
	struct sample sample = { &target, &process, NULL, T0, NULL };
	struct walk walk = { 0 };
	int before, fd;

	assert_int_equal(walk_state(&walk, &sample), WALK_DUE);
	before = nulls_open(&walk, &sample);
	if (!walk.n)
		skip(); /* this kernel does not report their number */
	sample.now_ns += S_NS;
	assert_int_equal(walk_state(&walk, &sample), WALK_SAME);
	fd = open("/dev/null", O_RDONLY);
	assert_int_equal(walk_state(&walk, &sample), WALK_DUE);
	assert_int_equal(nulls_open(&walk, &sample), before + 1);
	/* not again at once, because it may take long, but eventually */
	close(fd);
	assert_int_equal(walk_state(&walk, &sample), WALK_LATER);
	target.is_ending = true;
	assert_int_equal(walk_state(&walk, &sample), WALK_DUE);
	target.is_ending = false;
	/* and now and then, even if their number is unchanged */
	assert_int_equal(nulls_open(&walk, &sample), before);
	sample.now_ns += 11 * S_NS;
	assert_int_equal(walk_state(&walk, &sample), WALK_DUE);
	process.pid = 0x7fffffff;
	assert_int_equal(walk_descriptors(&walk, &sample, "/dev/", count_nulls, &before), -ENOENT);
}

/* ---- the check of a machine */

static void check(const char *source, const char *machine, int code, const char *says)
{
	char sysroot[4096];
	struct target target = { .sysroot = sysroot, .pid = 2000 };
	struct err err = { 0 };

	snprintf(sysroot, sizeof sysroot, TEST_DIR "/sysroot/%s", machine);
	assert_int_equal(source_named(source)->check(&target, &err), -code);
	if (code && !strstr(err.msg, says))
		fail_msg("\"%s\" does not say \"%s\"", err.msg, says);
}

TEST(check_says_why_there_is_nothing_to_see)
{
	check("gpu", "amd-gpu/t0", 0, NULL);
	check("gpu", "metered/t0", ENOENT, "this machine has no GPU");
	check("npu", "intel-pc/t0", 0, NULL);
	check("npu", "amd-gpu/t0", ENOENT, "this machine has no NPU");
	check("npu", "closed", ENOENT, "docker run --device /dev/accel/");
	check("gpu-nvidia", "amd-gpu/t0", ENOENT, "does not exist");
}

struct listed {
	struct source_device device[8];
	size_t n;
};

static void keep_device(void *ctx, const struct source_device *device)
{
	struct listed *listed = ctx;

	assert_int_not_equal(listed->n, 8);
	listed->device[listed->n++] = *device;
}

static struct listed list(const char *source, const char *machine)
{
	char sysroot[4096];
	struct target target = { .sysroot = sysroot };
	struct listed listed = { .n = 0 };

	snprintf(sysroot, sizeof sysroot, TEST_DIR "/sysroot/%s", machine);
	source_named(source)->devices(&target, keep_device, &listed);
	return listed;
}

TEST(devices_are_listed_used_or_not)
{
	struct listed listed = list("gpu", "boards/t0");

	assert_int_equal(listed.n, 3);
	assert_string_equal(listed.device[0].name, "gpu card0");
	assert_string_equal(listed.device[0].text, "panthor");
	assert_non_null(strstr(listed.device[0].problem, "echo 3 | sudo tee /sys/class/drm/card0/device/profiling"));
	assert_string_equal(listed.device[1].problem, "");
	assert_string_equal(listed.device[1].tells, "clock");
	listed = list("gpu", "amd-gpu/t0");
	assert_int_equal(listed.n, 1);
	assert_string_equal(
	    listed.device[0].tells,
	    "busy, memory busy, memory used, memory total, system memory used, power, temperature, clock, "
	    "memory clock");
	listed = list("npu", "closed");
	assert_int_equal(listed.n, 1);
	assert_non_null(strstr(listed.device[0].problem, "/dev/accel/accel0"));
}

/* ---- the text */

static struct fdinfo parse(const char *text)
{
	struct fdinfo info;

	assert_true(fdinfo_parse(text, strlen(text), &info));
	return info;
}

TEST(what_is_no_such_text_is_none)
{
	struct fdinfo info;

	assert_false(fdinfo_parse("", 0, &info));
	assert_false(fdinfo_parse("pos:\t0\nflags:\t02\n", 16, &info));
	/* its line has no end, so it may be cut off */
	assert_false(fdinfo_parse("drm-driver:\ti915", 16, &info));
}

TEST(units_are_told_apart)
{
	struct fdinfo info = parse("drm-driver: x\ndrm-total-a: 3\ndrm-total-b: 3 KiB\ndrm-resident-b: 2 MiB\n"
				   "drm-total-c: 3 MB\ndrm-engine-a: 3 us\ndrm-engine-b: 3 ns\ndrm-maxfreq-b: 5 MHz\n");

	assert_int_equal(info.n_regions, 2);
	assert_int_equal(info.region[0].total_bytes, 3);
	assert_false(info.region[0].has_resident);
	assert_int_equal(info.region[1].total_bytes, 3072);
	assert_int_equal(info.region[1].resident_bytes, 2 << 20);
	assert_int_equal(info.n_engines, 1);
	assert_int_equal(info.engine[0].busy_ns, 3);
	assert_int_equal(info.engine[0].max_hz, 5000000);
	assert_int_equal(info.engine[0].told, FDINFO_BUSY | FDINFO_MAX_HZ);
}

TEST(nonsense_is_left_out)
{
	char text[4096] = "drm-driver:\tx\ndrm-engine-a:\t-1 ns\ndrm-engine-b:\t99999999999999999999 ns\n"
			  "drm-engine-c d:\t1 ns\ndrm-engine-\033[31m:\t1 ns\ndrm-engine-:\t1 ns\n"
			  "drm-engine-capacity-e:\t0\ndrm-total-f:\t18446744073709551615 MiB\n"
			  "drm-client-id:\tseven\n:\n\n: \ndrm-pdev:\t../../etc passwd\n";
	struct fdinfo info = parse(text);
	size_t used;

	assert_int_equal(info.n_engines, 0);
	assert_int_equal(info.n_regions, 0);
	assert_false(info.has_client);
	assert_string_equal(info.pci, "");
	used = (size_t)sprintf(text, "drm-driver: x\n");
	for (int i = 0; i < 40; i++)
		used += (size_t)sprintf(text + used, "drm-engine-e%d: %d ns\n", i, i);
	info = parse(text);
	assert_int_equal(info.n_engines, FDINFO_ENGINES);
	assert_int_equal(info.engine[FDINFO_ENGINES - 1].busy_ns, FDINFO_ENGINES - 1);
}
