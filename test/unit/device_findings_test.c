// SPDX-License-Identifier: Apache-2.0
/* What a device waited for in inferences, and what it took in the first one, and the findings about both. */
#include "analyze/insight/recorded.h"
#include "cases.h"
#include "event/device_note.h"
#include "findings.h"
#include "stream.h"

enum { N_INFERENCES = 11, LANES = 4 };

/* Each millisecond an inference of 100 us; its kernels take 2 us each. */
struct work {
	uint64_t first_us;	/* of the first kernel, in the inference */
	uint64_t n, gap_us;	/* kernels, and the time between two */
	const char *inner_call; /* returns 1 us before each kernel but the first, of `gap_us` - 2 */
	bool waits_at_end;
	uint64_t compile_us;  /* of the first inference, which has that much more */
	uint64_t n_searching; /* kernels of 50 times the time that the first inference has of its operator */
};

static void put_call(struct stream *s, uint32_t lane, int64_t number, uint64_t us, uint64_t end_us, const char *name)
{
	stream_int(s, KEY_INFERENCE, number);
	stream_begin(s, lane, us, KIND_CALL, name);
	stream_end(s, lane, end_us);
}

static void put_kernel(struct stream *s, uint32_t lane, int64_t number, uint64_t us, uint64_t end_us)
{
	stream_int(s, KEY_INFERENCE, number);
	stream_int(s, KEY_QUEUED_NS, 500);
	stream_text(s, KEY_OPERATOR, "conv_1");
	stream_text(s, KEY_OP_TYPE, "Conv");
	stream_text(s, KEY_PROVIDER, "CPUExecutionProvider"); /* as stream_operator has it */
	stream_begin(s, lane, us, KIND_KERNEL, "k");
	stream_end(s, lane, end_us);
}

static void put_inference(struct stream *s, const uint32_t *lanes, int64_t number, const struct work *work)
{
	uint64_t us = 1000000 * (uint64_t)number, at = us + work->first_us;
	uint64_t length = 100 + (number == 1 ? work->compile_us : 0);

	stream_int(s, KEY_FIRST, number == 1);
	stream_inference(s, lanes[0], us, "m", 1, number);
	stream_operator(s, lanes[0], us + 1, "conv_1", "Conv", number);
	stream_end(s, lanes[0], us + length - 5);
	stream_text(s, KEY_STATUS, "ok");
	stream_end(s, lanes[0], us + length);
	if (number == 1 && work->compile_us)
		put_call(s, lanes[3], number, us, us + work->compile_us, EVENT_OVERHEAD_COMPILATION);
	for (uint64_t i = 0; number == 1 && i < work->n_searching; i++, at += 100)
		put_kernel(s, lanes[1], number, at, at + 100);
	for (uint64_t i = 0; i < work->n; i++, at += 2 + work->gap_us) {
		put_kernel(s, lanes[1], number, at, at + 2);
		if (i && work->inner_call)
			put_call(s, lanes[2], number, at - work->gap_us + 1, at - 1, work->inner_call);
	}
	if (work->waits_at_end)
		put_call(s, lanes[2], number, us + 95, us + 97, "cudaStreamSynchronize");
}

static const char *const kinds[] = { "launch_bound",	    "waits_each_run", "copies_each_run",
				     "idle_between",	    "first_costs",    "small_kernels",
				     "searches_algorithms", "device_memory",  "slow_first" };

/* Of all kinds about devices only this one is found; NULL: none is. */
static const struct finding *only(const struct recorded *recorded, const char *kind)
{
	const struct finding *found = NULL;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const struct finding *of = findings_of(recorded->model, kinds[i], 0);

		if (of && (!kind || strcmp(kind, kinds[i]) != 0) && strcmp(kinds[i], "slow_first") != 0)
			fail_msg("%s is found, not %s", kinds[i], kind ? kind : "nothing");
		found = of && kind && !strcmp(kind, kinds[i]) ? of : found;
	}
	if (!found && kind)
		fail_msg("%s is not found", kind);
	return found;
}

static struct summary *summary_of(const struct work *work, struct summary_file *file, struct stream *s)
{
	uint32_t process, lanes[LANES];

	stream_init(s);
	process = stream_process(s, 7, "app");
	for (int i = 0; i < LANES; i++)
		lanes[i] = stream_lane(s, process, "m");
	for (int64_t number = 1; number <= N_INFERENCES; number++)
		put_inference(s, lanes, number, work);
	return stream_summary(s, file);
}

TEST(what_the_device_waited_for_is_told_apart)
{
	static const struct {
		struct work work;
		uint64_t idle_us, launch_us, wait_us, copy_us, before_us; /* of an inference */
		const char *finding;
	} rows[] = {
		{ { 1, 12, 5, NULL, false, 0, 0 }, 55, 55, 0, 0, 1, "launch_bound" },
		{ { 1, 6, 12, "cudaStreamSynchronize", false, 0, 0 }, 60, 60, 60, 0, 1, "waits_each_run" },
		{ { 1, 6, 12, "cudaMemcpy", false, 0, 0 }, 60, 60, 0, 60, 1, "waits_each_run" },
		{ { 1, 6, 12, "cudaMemcpyAsync", false, 0, 0 }, 60, 60, 0, 0, 1, NULL }, /* too few are launched */
		/* of seven gaps, or of 25, the six longest are looked at, and stand for all */
		{ { 1, 8, 10, "cuCtxSynchronize", false, 0, 0 }, 70, 70, 70, 0, 1, "waits_each_run" },
		{ { 1, 20, 3, "cuCtxSynchronize", false, 0, 0 }, 57, 57, 57, 0, 1, "waits_each_run" },
		{ { 60, 12, 0, NULL, true, 0, 0 }, 0, 0, 0, 0, 60, "waits_each_run" },
		/* the last kernel seems to end 1 us after the wait for it, or 3: that is no clock's error */
		{ { 60, 19, 0, NULL, true, 0, 0 }, 0, 0, 0, 0, 60, "waits_each_run" },
		{ { 60, 20, 0, NULL, true, 0, 0 }, 0, 0, 0, 0, 60, NULL },
		/* nobody waits for it: the host is late for another reason */
		{ { 60, 12, 0, NULL, false, 0, 0 }, 0, 0, 0, 0, 60, NULL },
		{ { 0, 50, 0, NULL, false, 0, 0 }, 0, 0, 0, 0, 0, "small_kernels" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct summary_file file = { 0 };
		struct stream s;
		struct summary *summary = summary_of(&rows[i].work, &file, &s);
		const struct summary_device *device = &summary->models[0].runs.device;
		const struct finding *finding;
		struct recorded recorded;

		assert_int_equal(device->n_runs, 10);
		assert_int_equal(device->wall_ns, 1000000);
		assert_int_equal(device->idle_ns, rows[i].idle_us * 10000);
		assert_int_equal(device->launch_idle_ns, rows[i].launch_us * 10000);
		assert_int_equal(device->wait_idle_ns, rows[i].wait_us * 10000);
		assert_int_equal(device->copy_idle_ns, rows[i].copy_us * 10000);
		assert_int_equal(device->before_ns, rows[i].before_us * 10000);
		/* a second from begin to begin */
		assert_int_equal(device->between_ns + device->before_ns + device->busy_ns + device->idle_ns,
				 10 * 1000000000ull);
		assert_int_equal(device->n_idle_before, 10);
		assert_int_equal(device->n_end_waits, rows[i].work.waits_at_end && rows[i].finding ? 10 : 0);
		assert_int_equal(recorded_init(&recorded, summary, NULL), 0);
		finding = only(&recorded, rows[i].finding);
		if (finding && finding->insight->figures.b && rows[i].finding[0] == 'w')
			assert_int_equal(finding->value * 100 + 0.5,
					 rows[i].wait_us + rows[i].copy_us +
					     (rows[i].work.waits_at_end ? rows[i].before_us : 0));
		recorded_done(&recorded);
		summary_free(summary);
		stream_done(&s);
	}
}

TEST(what_the_first_inference_pays_for_is_found)
{
	static const struct {
		struct work work;
		const char *finding;
	} rows[] = {
		{ { 1, 4, 0, NULL, false, 50000, 0 }, "first_costs" },
		{ { 1, 4, 0, NULL, false, 15000, 0 }, NULL },
		{ { 1, 2, 0, NULL, false, 0, 60 }, "searches_algorithms" },
		{ { 1, 2, 0, NULL, false, 0, 40 }, NULL },	       /* 4 ms */
		{ { 1, 70, 0, NULL, false, 0, 60 }, "small_kernels" }, /* not even twice as many as later */
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct summary_file file = { 0 };
		struct stream s;
		struct summary *summary = summary_of(&rows[i].work, &file, &s);
		const struct summary_device *first = &summary->models[0].runs.first_device;
		struct recorded recorded;

		assert_int_equal(first->n_runs, 1);
		assert_int_equal(first->compile_ns, rows[i].work.compile_us * 1000);
		assert_int_equal(first->n_kernels, rows[i].work.n + rows[i].work.n_searching);
		assert_int_equal(first->n_calls, 0);
		assert_int_equal(recorded_init(&recorded, summary, NULL), 0);
		only(&recorded, rows[i].finding);
		recorded_done(&recorded);
		summary_free(summary);
		stream_done(&s);
	}
}
