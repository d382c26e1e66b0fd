// SPDX-License-Identifier: Apache-2.0
/* Knows which jobs are under way. Does not know where their events come from. */
#include "capture/source/device/gpu_jobs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/source/tree.h"
#include "event/sink.h"

enum { MAX_JOBS = 4096, MAX_RINGS = 256, MAX_TRACKS = 4096 };

struct gpu_job {
	uint64_t job[2], queued_ns, run_ns; /* run_ns 0: it waits for the ring */
	pid_t pid;
	uint32_t ring;
};

struct gpu_ring {
	char name[72];
	uint64_t done_ns; /* of the last job */
};

/* A process's line of a ring; ring UINT32_MAX: the group above them. */
struct gpu_job_track {
	uint32_t process, ring, track;
	uint64_t end_ns;
};

static struct gpu_job *find_job(struct gpu_jobs *jobs, const uint64_t job[2])
{
	struct gpu_job *at = jobs->jobs.data;

	for (size_t i = jobs->jobs.n; i-- > 0;)
		if (at[i].job[0] == job[0] && at[i].job[1] == job[1])
			return &at[i];
	return NULL;
}

static void drop_job(struct gpu_jobs *jobs, struct gpu_job *job)
{
	size_t i = (size_t)(job - (struct gpu_job *)jobs->jobs.data);

	memmove(job, job + 1, (--jobs->jobs.n - i) * sizeof *job);
}

static uint32_t ring_of(struct gpu_jobs *jobs, const struct gpu_job_event *event)
{
	struct gpu_ring *ring = jobs->rings.data;
	char name[sizeof ring->name];
	uint32_t i = 0;

	snprintf(name, sizeof name, "%s%s%s", event->device, *event->device ? " " : "",
		 *event->ring ? event->ring : "unnamed ring");
	while (i < jobs->rings.n && strcmp(ring[i].name, name))
		i++;
	if (i < jobs->rings.n || i == MAX_RINGS)
		return i < MAX_RINGS ? i : MAX_RINGS - 1;
	ring = array_add(&jobs->rings, sizeof *ring);
	if (!ring)
		return UINT32_MAX;
	*ring = (struct gpu_ring){ .done_ns = 0 };
	memcpy(ring->name, name, sizeof name);
	return i;
}

static int queue(struct gpu_jobs *jobs, const struct gpu_job_sample *sample)
{
	struct gpu_job *job = find_job(jobs, sample->event.job);
	uint32_t ring = ring_of(jobs, &sample->event);

	if (ring == UINT32_MAX)
		return -ENOMEM;
	if (job) /* the fence of an older one, whose end was lost, lay there */
		drop_job(jobs, job);
	if (jobs->jobs.n == MAX_JOBS) {
		drop_job(jobs, jobs->jobs.data);
		jobs->n_lost++;
	}
	job = array_add(&jobs->jobs, sizeof *job);
	if (!job)
		return -ENOMEM;
	*job = (struct gpu_job){ .queued_ns = sample->time_ns, .pid = sample->pid, .ring = ring };
	memcpy(job->job, sample->event.job, sizeof job->job);
	return 0;
}

static uint32_t define(struct sink *out, uint32_t parent, enum track_type type, const char *name, struct err *err)
{
	struct track_def def = { .type = type, .parent = parent, .name = names_of(out->names, name) };
	struct event event = { .type = EVENT_TRACK, .track = sink_new_track(out), .def = &def };

	return sink_put(out, &event, err) ? 0 : event.track;
}

/* NULL: the sink is broken, or out of memory. */
static struct gpu_job_track *track_of(struct gpu_jobs *jobs, uint32_t process, uint32_t ring, struct sink *out,
				      struct err *err)
{
	struct gpu_job_track *track = jobs->tracks.data, *group = NULL;
	const struct gpu_ring *rings = jobs->rings.data;
	uint32_t made;

	for (size_t i = 0; i < jobs->tracks.n; i++)
		if (track[i].process == process && track[i].ring == ring)
			return &track[i];
	if (jobs->tracks.n >= MAX_TRACKS)
		jobs->tracks.n = 0; /* of processes long gone, for the most part: lines are begun anew */
	if (ring != UINT32_MAX && !(group = track_of(jobs, process, UINT32_MAX, out, err)))
		return NULL;
	made = group ? define(out, group->track, TRACK_LANE, rings[ring].name, err)
		     : define(out, process, TRACK_GROUP, "GPU jobs", err);
	track = made ? array_add(&jobs->tracks, sizeof *track) : NULL;
	if (track)
		*track = (struct gpu_job_track){ .process = process, .ring = ring, .track = made };
	return track;
}

/* What takes the slices. */
struct teller {
	struct gpu_jobs *jobs;
	const struct tree *tree;
	struct sink *out;
	struct err *err;
};

static int tell(struct teller *to, const struct gpu_job *job, uint64_t begin_ns, uint64_t end_ns)
{
	uint32_t process = tree_track(to->tree, job->pid);
	const struct gpu_ring *ring = (const struct gpu_ring *)to->jobs->rings.data + job->ring;
	struct arg args[] = { arg_int(KEY_QUEUED_NS, (int64_t)(begin_ns - job->queued_ns)) };
	struct event event = { .type = EVENT_BEGIN, .kind = KIND_JOB, .args = args, .n_args = 1 };
	struct gpu_job_track *track;

	if (!process)
		return 0;
	track = track_of(to->jobs, process, job->ring, to->out, to->err);
	if (!track)
		return to->err->code ? -to->err->code : -ENOMEM;
	event.track = track->track;
	event.time_ns = begin_ns > track->end_ns ? begin_ns : track->end_ns;
	event.name = names_of(to->out->names, ring->name);
	track->end_ns = end_ns > event.time_ns ? end_ns : event.time_ns;
	return sink_put_slice(to->out, &event, track->end_ns, to->err);
}

static int end(struct teller *to, struct gpu_job *job, uint64_t end_ns)
{
	struct gpu_ring *ring = (struct gpu_ring *)to->jobs->rings.data + job->ring;
	uint64_t begin_ns = job->run_ns > ring->done_ns ? job->run_ns : ring->done_ns;
	int code = 0;

	if (begin_ns > end_ns)
		begin_ns = end_ns;
	if (job->run_ns && begin_ns >= job->queued_ns)
		code = tell(to, job, begin_ns, end_ns);
	if (end_ns > ring->done_ns)
		ring->done_ns = end_ns;
	drop_job(to->jobs, job);
	return code;
}

int gpu_jobs_take(struct gpu_jobs *jobs, const struct gpu_job_sample *sample, const struct tree *tree, struct sink *out,
		  struct err *err)
{
	struct gpu_job *job;

	if (sample->step == GPU_JOB_QUEUED)
		return queue(jobs, sample);
	job = find_job(jobs, sample->event.job);
	if (!job) /* queued before the recording */
		return 0;
	if (sample->step == GPU_JOB_DONE)
		return end(&(struct teller){ jobs, tree, out, err }, job, sample->time_ns);
	job->run_ns = sample->time_ns;
	return 0;
}

void gpu_jobs_done(struct gpu_jobs *jobs)
{
	array_done(&jobs->jobs, sizeof(struct gpu_job));
	array_done(&jobs->rings, sizeof(struct gpu_ring));
	array_done(&jobs->tracks, sizeof(struct gpu_job_track));
}
