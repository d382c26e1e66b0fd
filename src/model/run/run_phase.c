// SPDX-License-Identifier: Apache-2.0
/* Writes the begin and end of each phase into the result, with its memory and CPU use. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "model/run/run.h"

/* A line of /proc/self/status in kB, as bytes; 0: absent. */
static uint64_t status_bytes(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) * 1024 : 0;
}

static void read_memory(const struct run_result *result, struct run_phase *phase)
{
	uint64_t ours = sizeof *result + result->latency_capacity * sizeof(struct run_latency), shared;
	char text[8192];
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return;
	text[n] = 0;
	shared = status_bytes(text, "RssShmem:");
	if (shared < ours)
		ours = shared;
	phase->rss_bytes = status_bytes(text, "VmRSS:") - ours;
	phase->peak_rss_bytes = status_bytes(text, "VmHWM:") - ours;
}

static uint64_t time_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

void run_phase_cpu(uint64_t *user_ns, uint64_t *system_ns)
{
	struct rusage usage;

	*user_ns = *system_ns = 0;
	if (getrusage(RUSAGE_SELF, &usage))
		return;
	*user_ns = time_ns(&usage.ru_utime);
	*system_ns = time_ns(&usage.ru_stime);
}

/* The second number in a thread's schedstat: Documentation/scheduler/sched-stats.rst. */
static bool thread_waited(const char *tid, uint64_t *waited_ns)
{
	unsigned long long ran_ns, queue_ns;
	char path[64];
	bool is_told;
	FILE *in;

	snprintf(path, sizeof path, "/proc/self/task/%.20s/schedstat", tid);
	in = fopen(path, "re");
	is_told = in && fscanf(in, "%llu %llu", &ran_ns, &queue_ns) == 2;
	if (is_told)
		*waited_ns += queue_ns;
	if (in)
		fclose(in);
	return is_told;
}

bool run_phase_waited(uint64_t *run_queue_ns)
{
	DIR *threads = opendir("/proc/self/task");
	struct dirent *entry;
	bool is_told = false;

	*run_queue_ns = 0;
	while (threads && (entry = readdir(threads)))
		if (entry->d_name[0] != '.')
			is_told |= thread_waited(entry->d_name, run_queue_ns);
	if (threads)
		closedir(threads);
	return is_told;
}

static uint32_t major_faults(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? 0 : (uint32_t)usage.ru_majflt;
}

/* Stores the totals so far where the phase's share will be. */
void run_phase_begin(struct run_result *result, enum run_phase_id id)
{
	struct run_phase *phase = &result->phases[id];

	run_phase_cpu(&phase->cpu_user_ns, &phase->cpu_system_ns);
	phase->major_faults = major_faults();
	phase->start_ns = clock_ns();
	phase->state = RUN_BEGUN;
	__atomic_store_n(&result->phase, id, __ATOMIC_RELEASE);
}

void run_phase_end(struct run_result *result, enum run_phase_id id)
{
	struct run_phase *phase = &result->phases[id];
	uint64_t user_ns, system_ns;

	phase->end_ns = clock_ns();
	run_phase_cpu(&user_ns, &system_ns);
	phase->cpu_user_ns = user_ns - phase->cpu_user_ns;
	phase->cpu_system_ns = system_ns - phase->cpu_system_ns;
	phase->major_faults = major_faults() - phase->major_faults;
	read_memory(result, phase);
	__atomic_store_n(&phase->state, RUN_ENDED, __ATOMIC_RELEASE);
}
