// SPDX-License-Identifier: Apache-2.0
/* Writes into the result when a phase began and ended and what it took of memory and processors. */
#include "model/run.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"

/* kB of a line of /proc/self/status, as bytes; 0: not there. */
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
	phase->anonymous_bytes = status_bytes(text, "RssAnon:");
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

static uint32_t major_faults(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? 0 : (uint32_t)usage.ru_majflt;
}

/* What has been spent so far is kept where the phase's share will be. */
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

void run_phase_skip(struct run_result *result, enum run_phase_id id)
{
	result->phases[id].state = RUN_SKIPPED;
}
