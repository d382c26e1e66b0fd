// SPDX-License-Identifier: Apache-2.0
/* Jobs that the kernel hands to GPUs: formats of two kernels, made-up samples, and the slices that come of them. */
#include "capture/source/device/gpu_jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cases.h"
#include "keep.h"

static struct gpu_job_format format_in(const char *path)
{
	char text[8192];
	int fd = open(path, O_RDONLY);
	struct gpu_job_format format;
	ssize_t len;

	assert_true(fd >= 0);
	len = read(fd, text, sizeof text - 1);
	close(fd);
	assert_true(len > 0);
	text[len] = 0;
	assert_true(gpu_job_read_format(text, &format));
	return format;
}

#define EVENTS_OF_6_1 TEST_DIR "/sysroot/amd-gpu/jobs/sys/kernel/tracing/events/gpu_scheduler/"
#define EVENTS_OF_6_16 TEST_DIR "/sysroot/intel-pc/jobs/sys/kernel/debug/tracing/events/gpu_scheduler/"

TEST(a_job_is_known_by_the_address_of_its_fence_before_6_16)
{
	struct gpu_job_format format = format_in(EVENTS_OF_6_1 "drm_sched_job/format");
	uint8_t raw[64] = { 0 };
	struct gpu_job_event event;
	const uint64_t fence = 0xffff888100001000;
	const uint32_t where = 48 | 10u << 16;

	assert_int_equal(format.id, 1501);
	memcpy(raw + 16, &fence, 8);
	memcpy(raw + 24, &where, 4);
	memcpy(raw + 48, "gfx_0.0.0", 10);
	assert_true(gpu_job_read(&format, raw, 58, &event));
	assert_true(event.job[0] == fence && !event.job[1]);
	assert_string_equal(event.ring, "gfx_0.0.0");
	assert_string_equal(event.device, "");
	assert_false(gpu_job_read(&format, raw, 57, &event)); /* the text is cut off */
	assert_false(gpu_job_read(&format, raw, 20, &event));
	format = format_in(EVENTS_OF_6_1 "drm_sched_process_job/format");
	assert_int_equal(format.id, 1499);
	assert_true(gpu_job_read(&format, raw, 16, &event));
}

TEST(a_job_is_known_by_context_and_number_from_6_16_on)
{
	struct gpu_job_format format = format_in(EVENTS_OF_6_16 "drm_sched_job_run/format");
	uint8_t raw[72] = { 0 };
	struct gpu_job_event event;
	const uint32_t ring = 48 | 5u << 16, device = 53 | 13u << 16;

	memcpy(raw + 8, &ring, 4);
	memcpy(raw + 20, &device, 4);
	raw[24] = 9;
	raw[32] = 7;
	memcpy(raw + 48, "rcs0", 5);
	memcpy(raw + 53, "0000:00:02.0", 13);
	assert_true(gpu_job_read(&format, raw, 66, &event));
	assert_true(event.job[0] == 9 && event.job[1] == 7);
	assert_string_equal(event.ring, "rcs0");
	assert_string_equal(event.device, "0000:00:02.0");
	format = format_in(EVENTS_OF_6_16 "drm_sched_job_done/format");
	assert_int_equal(format.id, 1709);
	assert_false(gpu_job_read(&format, raw, 20, &event));
}

TEST(what_is_no_such_event_is_refused)
{
	struct gpu_job_format format;

	assert_false(gpu_job_read_format("", &format));
	assert_false(gpu_job_read_format("name: sched_switch\nID: 5\nformat:\n"
					 "\tfield:pid_t next_pid;\toffset:8;\tsize:4;\tsigned:1;\n",
					 &format));
	assert_false(gpu_job_read_format("ID: 5\n\tfield:u64 fence;\toffset:5000;\tsize:8;\tsigned:0;\n", &format));
	assert_false(gpu_job_read_format("ID: 5\n\tfield:u64 fence;\toffset:8;\tsize:9;\tsigned:0;\n", &format));
}

/* Two processes: 42, which is recorded, on track 5, and another one. */
static struct tree_process recorded[] = { { .pid = 42, .track = 5, .start_ticks = 1 } };
static const struct tree tree = { .process = recorded, .n = 1, .capacity = 1 };

static void step(struct gpu_jobs *jobs, struct keep *keep, enum gpu_job_step step, uint64_t job, uint64_t time_ns,
		 pid_t pid)
{
	struct gpu_job_sample sample = { time_ns, pid, step, { { job, 0 }, "gfx", "" } };
	struct err err;

	assert_int_equal(gpu_jobs_take(jobs, &sample, &tree, &keep->sink, &err), 0);
}

/* The begins and ends of slices, as they were put. */
static size_t slices_of(const struct keep *keep, uint64_t times[][2])
{
	size_t n = 0;

	for (size_t i = 0; i < keep->n; i++) {
		if (keep->event[i].type == EVENT_BEGIN)
			times[n][0] = keep->event[i].time_ns;
		if (keep->event[i].type == EVENT_END)
			times[n++][1] = keep->event[i].time_ns;
	}
	return n;
}

TEST(a_ring_does_one_job_after_the_other)
{
	struct gpu_jobs jobs = { 0 };
	struct keep *keep = keep_new();
	uint64_t times[8][2];

	step(&jobs, keep, GPU_JOB_QUEUED, 1, 100, 42);
	step(&jobs, keep, GPU_JOB_QUEUED, 2, 110, 42);
	step(&jobs, keep, GPU_JOB_QUEUED, 3, 120, 7); /* another process's: nothing is told of it */
	step(&jobs, keep, GPU_JOB_RUN, 1, 200, 0);
	step(&jobs, keep, GPU_JOB_RUN, 3, 210, 0);
	step(&jobs, keep, GPU_JOB_RUN, 2, 220, 0);
	step(&jobs, keep, GPU_JOB_DONE, 1, 300, 0);
	step(&jobs, keep, GPU_JOB_DONE, 3, 400, 0);
	step(&jobs, keep, GPU_JOB_DONE, 2, 500, 0);
	step(&jobs, keep, GPU_JOB_DONE, 9, 600, 0); /* queued before the recording */
	assert_int_equal(slices_of(keep, times), 2);
	assert_true(times[0][0] == 200 && times[0][1] == 300);
	assert_true(times[1][0] == 400 && times[1][1] == 500);
	assert_int_equal(jobs.jobs.n, 0);
	assert_int_equal(keep->track[keep->last_track - 1].parent, 5);
	assert_string_equal(keep_text(keep, keep->track[keep->last_track].name), "gfx");
	gpu_jobs_done(&jobs);
	keep_free(keep);
}

TEST(a_fence_that_comes_again_is_a_new_job_and_too_many_are_counted)
{
	struct gpu_jobs jobs = { 0 };
	struct keep *keep = keep_new();
	uint64_t times[8][2];

	step(&jobs, keep, GPU_JOB_QUEUED, 1, 100, 42);
	step(&jobs, keep, GPU_JOB_RUN, 1, 150, 0); /* its end is lost */
	step(&jobs, keep, GPU_JOB_QUEUED, 1, 1000, 42);
	step(&jobs, keep, GPU_JOB_DONE, 1, 1100, 0); /* it never ran */
	assert_int_equal(slices_of(keep, times), 0);
	for (uint64_t i = 0; i < 5000; i++)
		step(&jobs, keep, GPU_JOB_QUEUED, 10 + i, 2000 + i, 42);
	assert_int_equal(jobs.n_lost, 5000 - 4096);
	step(&jobs, keep, GPU_JOB_RUN, 5009, 8000, 0);
	step(&jobs, keep, GPU_JOB_DONE, 5009, 8100, 0);
	assert_int_equal(slices_of(keep, times), 1);
	gpu_jobs_done(&jobs);
	keep_free(keep);
}
