// SPDX-License-Identifier: Apache-2.0
#include "analyze/result/model/model_devices.h"

#include <stdio.h>

#include "cases.h"
#include "stream.h"

#define S_US UINT64_C(1000000)
#define S_NS UINT64_C(1000000000)

struct fixture {
	struct stream s;
	struct model_devices devices, more;
	uint32_t process, card, npu;
};

static uint32_t device(struct fixture *f, const char *name)
{
	return stream_track(&f->s, (struct track_def){ .type = TRACK_GROUP, .name = stream_name(&f->s, name) });
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	stream_init(&f->s);
	f->process = stream_process(&f->s, 100, "inftrace-run");
	f->card = device(f, "gpu card1: amdgpu at 0000:03:00.0");
	f->npu = device(f, "npu accel0");
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	stream_done(&f->s);
	free(f);
	return 0;
}

/* Puts a value each second from the first on. */
static void put(struct fixture *f, uint32_t parent, const char *name, const char *unit, const double *value, size_t n)
{
	uint32_t track = stream_counter(&f->s, parent, name, unit);

	for (size_t i = 0; i < n; i++)
		stream_sample(&f->s, track, (i + 1) * S_US, value[i]);
}

#define PUT(f, parent, name, unit, ...) \
	put(f, parent, name, unit, (const double[]){ __VA_ARGS__ }, \
	    sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))

static void is_near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= fabs(wanted) * 1e-9))
		fail_msg("%.17g is not %.17g", value, wanted);
}

static void is_missing(double value)
{
	if (!isnan(value))
		fail_msg("%.17g should be missing", value);
}

#define CASE(name) TEST_FROM(name, struct fixture, f, set_up, tear_down)

CASE(only_the_span_counts)
{
	/*
	 * 90 in the second that ends at 3 s, half of which precedes the span; the next value counts up to the end of
	 * the span
	 */
	PUT(f, f->card, "gpu card1 busy", "%", 10, 10, 90, 50, 70, 100);
	PUT(f, f->card, "gpu card1 power", "W", 100, 100, 100, 200, 200, 1);
	model_devices_find(&f->devices, f->s.store, 2 * S_NS + S_NS / 2, 4 * S_NS + S_NS / 2);
	assert_int_equal(f->devices.n_devices, 2);
	is_near(f->devices.device[0].busy_pct, (90 * 0.5 + 50 + 70 * 0.5) / 2);
	is_near(f->devices.device[0].busy_max_pct, 90);
	assert_string_equal(f->devices.device[0].busy_of, "device");
	is_near(f->devices.device[0].watts, (100 * 0.5 + 200 + 200 * 0.5) / 2);
	assert_string_equal(f->devices.device[0].name, "gpu card1");
	assert_string_equal(f->devices.device[0].description, "amdgpu at 0000:03:00.0");
	assert_int_equal(f->devices.n_counters, 2);
	/* nothing is known of the other one */
	is_missing(f->devices.device[1].busy_pct);
	assert_null(f->devices.device[1].busy_of);
	assert_null(f->devices.device[1].description);
}

CASE(the_engine_used_most_stands_in_for_a_device_that_does_not_tell)
{
	PUT(f, f->process, "npu accel0 dma", "%", 5, 5, 5, 5);
	PUT(f, f->process, "npu accel0 compute", "%", 60, 60, 80, 60);
	PUT(f, f->process, "npu accel0 idle one", "%", 0, 0, 0, 0);
	PUT(f, f->process, "gpu card1 compute", "%", 99, 99, 99, 99);
	PUT(f, f->card, "gpu card1 busy", "%", 30, 30, 30, 30);
	model_devices_find(&f->devices, f->s.store, S_NS, 4 * S_NS);
	is_near(f->devices.device[1].busy_pct, 200 / 3.0);
	is_near(f->devices.device[1].busy_max_pct, 80);
	assert_string_equal(f->devices.device[1].busy_of, "process, compute");
	is_near(f->devices.device[0].busy_pct, 30);
}

CASE(memory_of_a_process_is_that_of_all_kinds)
{
	PUT(f, f->process, "gpu card1 memory vram", "bytes", 100, 300, 200);
	PUT(f, f->process, "gpu card1 memory gtt", "bytes", 7, 7, 7);
	PUT(f, f->card, "gpu card1 memory used", "bytes", 1000, 5000, 1000);
	/* by another path, which may be the same memory: the larger one counts */
	PUT(f, f->process, "gpu card1 compute memory", "bytes", 200, 200, 200);
	PUT(f, f->process, "npu accel0 compute memory", "bytes", 5, 6, 7);
	model_devices_find(&f->devices, f->s.store, S_NS, 3 * S_NS);
	is_near(f->devices.device[0].process_bytes, 307);
	is_near(f->devices.device[0].used_bytes, 5000);
	is_near(f->devices.device[1].process_bytes, 7);
}

CASE(energy_is_that_of_the_span_where_its_samples_suffice)
{
	PUT(f, f->card, "gpu card1 energy", "J", 0, 50, 100, 150, 200, 250);
	PUT(f, f->npu, "npu accel0 energy", "J", 0, 50);
	model_devices_find(&f->devices, f->s.store, S_NS + S_NS / 2, 5 * S_NS + S_NS / 2);
	is_near(f->devices.device[0].joules, 200);
	assert_null(f->devices.device[0].energy_missing);
	is_missing(f->devices.device[1].joules);
	assert_non_null(strstr(f->devices.device[1].energy_missing, "run longer"));
	/* beyond its samples */
	model_devices_find(&f->devices, f->s.store, S_NS + S_NS / 2, 7 * S_NS);
	is_missing(f->devices.device[0].joules);
	assert_string_equal(f->devices.device[0].energy_missing, "its meter was not recorded all the time");
}

CASE(rounds_are_averaged_and_joules_add_up)
{
	PUT(f, f->card, "gpu card1 busy", "%", 0, 20, 20, 20, 80, 80, 80, 80);
	PUT(f, f->card, "gpu card1 energy", "J", 0, 10, 20, 30, 50, 70, 90, 110);
	model_devices_find(&f->devices, f->s.store, S_NS, 4 * S_NS);
	model_devices_find(&f->more, f->s.store, 4 * S_NS, 7 * S_NS);
	model_devices_add(&f->devices, &f->more);
	is_near(f->devices.device[0].busy_pct, 50);
	is_near(f->devices.device[0].busy_max_pct, 80);
	is_near(f->devices.device[0].joules, 90);
	is_near(f->devices.counter[0].mean, 50);
	model_devices_find(&f->more, f->s.store, 4 * S_NS, 7 * S_NS);
	model_devices_add(&f->devices, &f->more);
	is_near(f->devices.device[0].busy_pct, 60);
	is_near(f->devices.device[0].joules, 150);
	/* a round without use of the device: the energy of all rounds is unknown */
	f->more.n_devices = f->more.n_counters = 0;
	model_devices_add(&f->devices, &f->more);
	is_missing(f->devices.device[0].joules);
	assert_non_null(f->devices.device[0].energy_missing);
}

CASE(a_device_of_a_later_round_only_has_no_energy)
{
	PUT(f, f->card, "gpu card1 energy", "J", 0, 10, 20, 30, 50);
	PUT(f, f->process, "gpu card1 compute", "%", 10, 10, 10, 10, 10);
	model_devices_find(&f->more, f->s.store, S_NS, 4 * S_NS);
	is_near(f->more.device[0].joules, 30);
	model_devices_add(&f->devices, &f->more);
	assert_int_equal(f->devices.n_devices, 2);
	is_missing(f->devices.device[0].joules);
	assert_string_equal(f->devices.device[0].busy_of, "process, compute");
	assert_ptr_not_equal(f->devices.device[0].busy_of, f->more.device[0].busy_of);
}

CASE(what_is_no_counter_of_a_device_is_none)
{
	PUT(f, 0, "cpu", "%", 10, 10);
	PUT(f, 0, "gpu frequency", "MHz", 10, 10);
	PUT(f, f->card, "gpu card10 busy", "%", 10, 10);
	PUT(f, f->process, "rss", "bytes", 10, 10);
	model_devices_find(&f->devices, f->s.store, S_NS, 2 * S_NS);
	assert_int_equal(f->devices.n_counters, 0);
	model_devices_find(&f->devices, f->s.store, 2 * S_NS, 2 * S_NS);
	assert_int_equal(f->devices.n_devices, 0);
}

CASE(more_than_there_is_room_for_is_left_out)
{
	char name[64];

	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof name, "gpu more%d: x", i);
		device(f, name);
	}
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof name, "gpu card1 counter %d", i);
		PUT(f, f->card, name, "%", 1, 2);
	}
	model_devices_find(&f->devices, f->s.store, S_NS, 2 * S_NS);
	assert_int_equal(f->devices.n_devices, MODEL_DEVICES);
	assert_int_equal(f->devices.n_counters, MODEL_COUNTERS);
	model_devices_find(&f->more, f->s.store, S_NS, 2 * S_NS);
	f->more.device[0].name = "gpu another";
	f->more.counter[0].name = "gpu another one";
	model_devices_add(&f->devices, &f->more);
	assert_int_equal(f->devices.n_devices, MODEL_DEVICES);
	assert_int_equal(f->devices.n_counters, MODEL_COUNTERS);
}
