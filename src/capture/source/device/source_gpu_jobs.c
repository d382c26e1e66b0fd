// SPDX-License-Identifier: Apache-2.0
/*
 * Jobs of GPUs and NPUs, as the kernel hands them to the device: of any driver that uses the kernel's scheduler for it
 * (amdgpu, xe, panfrost, panthor, msm, v3d, etnaviv, nouveau ...; not NVIDIA's own). From trace events, as root.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/source/device/gpu_jobs.h"
#include "event/sink.h"

enum { DRAIN_MS = 50, LATE_NS = 2000000, FORMAT_BYTES = 8192 };

extern const struct source source_gpu_jobs;

struct jobs_state {
	const struct target *target;
	struct gpu_job_format format[N_GPU_JOB_STEPS];
	uint16_t ids[N_GPU_JOB_STEPS]; /* as events begin */
	struct trace_rings rings;
	struct gpu_jobs jobs;
	struct array samples; /* struct gpu_job_sample, not yet in the order of time */
	uint64_t n_told;      /* of those that were lost */
	bool is_open;
};

static bool read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[len > 0 ? len : 0] = 0;
	return len > 0;
}

static bool find_format(const char *sysroot, enum gpu_job_step step, struct gpu_job_format *format)
{
	static const char *const folders[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char path[PATH_MAX], text[FORMAT_BYTES];

	for (size_t f = 0; f < sizeof folders / sizeof *folders; f++)
		for (const char *const *name = gpu_job_names(step); *name; name++) {
			snprintf(path, sizeof path, "%s%s/events/gpu_scheduler/%s/format", sysroot, folders[f], *name);
			if (read_text(path, text, sizeof text) && gpu_job_read_format(text, format))
				return true;
		}
	return false;
}

static bool find_formats(const char *sysroot, struct gpu_job_format *format)
{
	for (int step = 0; step < N_GPU_JOB_STEPS; step++)
		if (!find_format(sysroot, (enum gpu_job_step)step, &format[step]))
			return false;
	return true;
}

static int check(const struct target *target, struct err *err)
{
	struct gpu_job_format format[N_GPU_JOB_STEPS];

	if (!find_formats(target->sysroot, format))
		return err_set(
		    err, EOPNOTSUPP,
		    "no GPU's driver here has the kernel's trace events of jobs, or they cannot be read: run as "
		    "root, with tracefs mounted");
	if (target->is_lean)
		return err_set(err, EOPNOTSUPP, "not used where only sums are kept");
	return 0;
}

static int start(void *data, const struct target *target, struct sink *out, struct err *err)
{
	struct jobs_state *state = data;
	uint64_t ids[N_GPU_JOB_STEPS];
	int code;

	state->target = target;
	if (!find_formats(target->sysroot, state->format))
		return err_set(err, ENOENT, "cannot watch GPU jobs: their trace events are gone");
	for (int step = 0; step < N_GPU_JOB_STEPS; step++) {
		ids[step] = state->format[step].id;
		state->ids[step] = (uint16_t)ids[step];
	}
	code = trace_rings_open(&state->rings, ids, N_GPU_JOB_STEPS, err);
	state->is_open = !code;
	return code;
}

static int due_ms(const void *data)
{
	return DRAIN_MS;
}

/* An event begins with the number of its kind. */
static int take(void *ctx, const struct trace_sample *from)
{
	struct jobs_state *state = ctx;
	struct gpu_job_sample sample = { .time_ns = from->time_ns, .pid = from->pid }, *kept;
	uint16_t id;
	int step = 0;

	if (from->size < sizeof id)
		return 0;
	memcpy(&id, from->raw, sizeof id);
	while (step < N_GPU_JOB_STEPS && state->ids[step] != id)
		step++;
	if (step == N_GPU_JOB_STEPS || !gpu_job_read(&state->format[step], from->raw, from->size, &sample.event))
		return 0;
	sample.step = (enum gpu_job_step)step;
	kept = array_add(&state->samples, sizeof *kept);
	if (!kept)
		return -ENOMEM;
	*kept = sample;
	return 0;
}

static int by_time(const void *a_, const void *b_)
{
	const struct gpu_job_sample *a = a_, *b = b_;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return (int)a->step - (int)b->step;
}

/* Those up to a time at which every CPU's were read. */
static int put_jobs(struct jobs_state *state, uint64_t until_ns, struct sink *out, struct err *err)
{
	struct gpu_job_sample *sample = state->samples.data;
	size_t n = 0;
	int code = 0;

	if (state->samples.n)
		qsort(sample, state->samples.n, sizeof *sample, by_time);
	while (n < state->samples.n && sample[n].time_ns <= until_ns && !code)
		code = gpu_jobs_take(&state->jobs, &sample[n++], state->target->tree, out, err);
	if (n)
		memmove(sample, sample + n, (state->samples.n - n) * sizeof *sample);
	state->samples.n -= n;
	return code;
}

static int tell_lost(struct jobs_state *state, struct sink *out, uint64_t now_ns, struct err *err)
{
	uint64_t n = state->rings.n_lost + state->jobs.n_lost;
	struct arg args[2] = { arg_int(KEY_COUNT, (int64_t)(n - state->n_told)),
			       arg_text(KEY_WHERE, out, "events of GPU jobs") };
	struct event event = { .type = EVENT_INSTANT,
			       .kind = KIND_LOST,
			       .track = state->target->tree->n ? state->target->tree->process->track : 0,
			       .time_ns = now_ns,
			       .name = names_of(out->names, "lost"),
			       .args = args,
			       .n_args = 2 };

	if (n == state->n_told || !event.track)
		return 0;
	state->n_told = n;
	return sink_put(out, &event, err);
}

static int drain(void *data, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct jobs_state *state = data;
	uint64_t until_ns = clock_ns() - LATE_NS;
	int code = trace_rings_read(&state->rings, take, state);

	if (!code)
		code = put_jobs(state, state->target->is_ending ? UINT64_MAX : until_ns, out, err);
	if (code == -ENOMEM && !err->code)
		return err_no_memory(err, "cannot keep GPU jobs");
	return code ? code : tell_lost(state, out, now_ns, err);
}

static void stop(void *data)
{
	struct jobs_state *state = data;

	if (state->is_open)
		trace_rings_close(&state->rings);
	gpu_jobs_done(&state->jobs);
	array_done(&state->samples, sizeof(struct gpu_job_sample));
}

const struct source source_gpu_jobs = {
	.name = "gpu-jobs",
	.help = "jobs that the kernel hands to GPUs, of recorded processes (as root)",
	.state_size = sizeof(struct jobs_state),
	.check = check,
	.start = start,
	.due_ms = due_ms,
	.drain = drain,
	.stop = stop,
};
