// SPDX-License-Identifier: Apache-2.0
/* Kernels of devices in a summary: by name and type, by type, and how busy each line was. */
#include <stdio.h>

#include "analyze/insight/recorded.h"
#include "cases.h"
#include "findings.h"
#include "stream.h"

static void put_kernel(struct stream *s, uint32_t stream, uint64_t us, uint64_t end_us, const char *name,
		       const char *type)
{
	stream_int(s, KEY_INFERENCE, us < 60 ? 1 : 2);
	if (type)
		stream_text(s, KEY_OP_TYPE, type);
	stream_begin(s, stream, us, KIND_KERNEL, name);
	if (end_us)
		stream_end(s, stream, end_us);
}

static const char *text(const struct summary *summary, uint32_t id)
{
	return names_text(summary->names, id);
}

static void put_cycles(struct stream *s, uint32_t lane, uint64_t us, const char *type, int64_t cycles)
{
	stream_text(s, KEY_OP_TYPE, type);
	stream_text(s, KEY_SOURCE, "QNN");
	stream_int(s, KEY_CYCLES, cycles);
	stream_instant(s, lane, us, KIND_KERNEL, "node");
}

TEST(cycles_are_added_up_by_name_and_type)
{
	struct stream s;
	struct summary *summary;
	uint32_t lane;

	stream_init(&s);
	lane = stream_track(&s, (struct track_def){ .type = TRACK_LANE, .name = stream_name(&s, "HTP") });
	put_cycles(&s, lane, 10, "Conv", 300);
	put_cycles(&s, lane, 11, "MatMul", 500);
	put_cycles(&s, lane, 12, "Conv", 400);
	summary = stream_summary(&s, &(struct summary_file){ 0 });
	assert_int_equal(summary->n_cycles, 2);
	assert_string_equal(text(summary, summary->cycles[0].op_type), "Conv");
	assert_int_equal(summary->cycles[0].cycles, 700);
	assert_string_equal(text(summary, summary->cycles[1].op_type), "MatMul");
	summary_free(summary);
	stream_done(&s);
}

TEST(kernels_are_added_up_by_name_and_type)
{
	struct stream s;
	struct summary *summary;
	uint32_t process, a, b;

	(void)state;
	stream_init(&s);
	process = stream_process(&s, 7, "app");
	a = stream_track(
	    &s, (struct track_def){ .type = TRACK_LANE, .parent = process, .name = stream_name(&s, "stream 7") });
	b = stream_track(
	    &s, (struct track_def){ .type = TRACK_LANE, .parent = process, .name = stream_name(&s, "stream 8") });
	put_kernel(&s, a, 10, 20, "sgemm", "Conv");
	put_kernel(&s, a, 20, 50, "sgemm", "Conv");
	put_kernel(&s, a, 55, 60, "sgemm", "MatMul");
	put_kernel(&s, a, 80, 81, "MemcpyDtoH", NULL);
	/* one inside another: its own row, and no more time that the line was busy */
	stream_text(&s, KEY_OP_TYPE, "Relu");
	stream_begin(&s, b, 10, KIND_KERNEL, "outer");
	put_kernel(&s, b, 12, 14, "inner", "Relu");
	stream_end(&s, b, 18);
	put_kernel(&s, b, 30, 0, "cut off", "Relu");
	summary = stream_summary(&s, &(struct summary_file){ 0 });

	assert_int_equal(summary->n_kernels, 5);
	assert_string_equal(text(summary, summary->kernels[0].name), "sgemm");
	assert_string_equal(text(summary, summary->kernels[0].op_type), "Conv");
	assert_int_equal(summary->kernels[0].duration.n, 2);
	assert_int_equal(summary->kernels[0].duration.total_ns, 40000);
	assert_int_equal(summary->kernels[0].duration.max_ns, 30000);
	assert_string_equal(text(summary, summary->kernels[1].name), "outer");
	assert_string_equal(text(summary, summary->kernels[2].op_type), "MatMul");
	assert_int_equal(summary->kernels_ns, 56000);

	assert_int_equal(summary->n_kernel_types, 4);
	assert_string_equal(text(summary, summary->kernel_types[0].op_type), "Conv");
	assert_string_equal(text(summary, summary->kernel_types[1].op_type), "Relu");
	assert_int_equal(summary->kernel_types[1].n, 2);
	assert_int_equal(summary->kernel_types[1].total_ns, 10000);
	assert_int_equal(summary->kernel_types[3].op_type, 0);

	assert_int_equal(summary->n_streams, 2);
	assert_string_equal(text(summary, summary->streams[0].name), "stream 7");
	assert_int_equal(summary->streams[0].n, 4);
	assert_int_equal(summary->streams[0].busy_ns, 46000);
	assert_int_equal(summary->streams[0].copies_ns, 1000);
	assert_int_equal(summary->streams[0].end_ns - summary->streams[0].begin_ns, 71000);
	assert_int_equal(summary->streams[0].n_gaps, 2);
	assert_int_equal(summary->streams[0].longest_gap_ns, 20000);
	assert_int_equal(summary->streams[0].idle_within_ns, 5000);
	assert_int_equal(summary->streams[1].n, 1);
	assert_int_equal(summary->streams[1].busy_ns, 8000);
	summary_free(summary);
	stream_done(&s);
}

/* An inference of 100 us and what the device did for it; every: how each of its parts is. */
struct work {
	uint64_t gap_us, queued_us; /* between two kernels of 2 us each; since they were asked for */
	bool copies, takes_memory;
};

static void put_copy(struct stream *s, uint32_t stream, int64_t number, uint64_t us, const char *direction)
{
	stream_int(s, KEY_INFERENCE, number);
	stream_int(s, KEY_BYTES, 4096);
	stream_text(s, KEY_DIRECTION, direction);
	stream_begin(s, stream, us, KIND_KERNEL, "memcpy");
	stream_end(s, stream, us + 10);
}

static void put_call(struct stream *s, uint32_t calls, int64_t number, uint64_t us, const char *name)
{
	stream_int(s, KEY_INFERENCE, number);
	stream_begin(s, calls, us, KIND_CALL, name);
	stream_end(s, calls, us + 6);
}

static void put_inference(struct stream *s, const uint32_t *lanes, int64_t number, const struct work *work)
{
	uint64_t us = 1000 * (uint64_t)number, at = us;

	stream_int(s, KEY_FIRST, number == 1);
	stream_inference(s, lanes[0], us, "m", 1, number);
	stream_text(s, KEY_STATUS, "ok");
	stream_end(s, lanes[0], us + 100);
	if (work->takes_memory)
		put_call(s, lanes[3], number, us + 1, "cudaMalloc");
	put_call(s, lanes[3], number, us + 90, "cudaStreamSynchronize");
	if (work->copies)
		put_copy(s, lanes[1], number, at, EVENT_DIRECTION_TO);
	at += work->copies ? 10 : 0;
	for (int i = 0; i < 12; i++, at += 2 + work->gap_us) {
		stream_int(s, KEY_INFERENCE, number);
		stream_int(s, KEY_QUEUED_NS, (int64_t)work->queued_us * 1000);
		stream_begin(s, lanes[1], at, KIND_KERNEL, "k");
		stream_end(s, lanes[1], at + 2);
		if (i)
			continue;
		/* beside the first, on another stream: the device is busy once */
		stream_int(s, KEY_INFERENCE, number);
		stream_begin(s, lanes[2], at, KIND_KERNEL, "beside");
		stream_end(s, lanes[2], at + 1);
	}
}

TEST(what_a_device_did_for_inferences_is_added_up_and_found)
{
	static const struct {
		struct work work;
		uint64_t busy_ns, idle_ns, launch_idle_ns;
		const char *finding;
	} rows[] = {
		{ { 0, 3, false, false }, 24000, 0, 0, NULL },
		{ { 5, 1, false, false }, 24000, 55000, 55000, "launch_bound" },
		{ { 5, 9, false, false }, 24000, 55000, 0, NULL }, /* asked for in time: it waits for something else */
		{ { 0, 3, true, false }, 34000, 0, 0, "copies_each_run" },
		{ { 0, 3, false, true }, 24000, 0, 0, "device_memory" },
	};
	static const char *const all[] = { "launch_bound", "copies_each_run", "device_memory" };

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct summary_device *device;
		struct summary_file file = { 0 };
		struct recorded recorded;
		struct summary *summary;
		uint32_t lanes[4], process;
		struct stream s;

		stream_init(&s);
		process = stream_process(&s, 7, "app");
		for (int j = 0; j < 4; j++)
			lanes[j] = stream_lane(&s, process, "m");
		for (int64_t number = 1; number <= 11; number++)
			put_inference(&s, lanes, number, &rows[i].work);
		summary = stream_summary(&s, &file);
		device = &summary->models[0].runs.device;
		assert_int_equal(summary->models[0].runs.device.n_runs, 10);
		assert_int_equal(device->n_kernels, 10 * (13 + rows[i].work.copies));
		assert_int_equal(device->busy_ns, 10 * rows[i].busy_ns);
		assert_int_equal(device->idle_ns, 10 * rows[i].idle_ns);
		assert_int_equal(device->launch_idle_ns, 10 * rows[i].launch_idle_ns);
		assert_int_equal(device->to.bytes, rows[i].work.copies ? 40960 : 0);
		assert_int_equal(device->n_waits, 10);
		assert_int_equal(device->waits_ns, 60000);
		assert_int_equal(device->n_memory, rows[i].work.takes_memory ? 10 : 0);
		assert_int_equal(recorded_init(&recorded, summary, NULL), 0);
		for (size_t j = 0; j < 3; j++)
			assert_int_equal(findings_of(recorded.model, all[j], 0) != NULL,
					 rows[i].finding && !strcmp(rows[i].finding, all[j]));
		recorded_done(&recorded);
		summary_free(summary);
		stream_done(&s);
	}
}
