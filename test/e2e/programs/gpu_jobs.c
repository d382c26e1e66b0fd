/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_jobs N RING: as a driver does, queues two jobs N times, hands both to a ring, and has one done after the other.
 * Trace events on job_queue, job_run and job_done stand for the kernel's. Prints the times before the two are handed
 * over, and after the end of each.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void job_queue(uint64_t context, uint64_t number, const char *ring, const char *device);
void job_run(uint64_t context, uint64_t number, const char *ring, const char *device);
void job_done(uint64_t context, uint64_t number);

#define KEPT __attribute__((noinline, noclone))

KEPT void job_queue(uint64_t context, uint64_t number, const char *ring, const char *device)
{
	__asm__ volatile("" ::"r"(context), "r"(number), "r"(ring), "r"(device) : "memory");
}

KEPT void job_run(uint64_t context, uint64_t number, const char *ring, const char *device)
{
	__asm__ volatile("nop" ::"r"(context), "r"(number), "r"(ring), "r"(device) : "memory");
}

KEPT void job_done(uint64_t context, uint64_t number)
{
	__asm__ volatile("nop; nop" ::"r"(context), "r"(number) : "memory");
}

static unsigned long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long long)t.tv_sec * 1000000000u + (unsigned long long)t.tv_nsec;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	const char *ring = argc > 2 ? argv[2] : "gfx_0.0.0";

	for (int i = 0; i < n; i++) {
		uint64_t first = ((uint64_t)getpid() << 20) + 2 * (uint64_t)i;
		unsigned long long time[3];

		job_queue(first, 1, ring, "0000:03:00.0");
		job_queue(first + 1, 1, ring, "0000:03:00.0");
		time[0] = now();
		job_run(first, 1, ring, "0000:03:00.0");
		job_run(first + 1, 1, ring, "0000:03:00.0");
		usleep(2000);
		job_done(first, 1);
		time[1] = now();
		usleep(1000);
		job_done(first + 1, 1);
		time[2] = now();
		printf("%llu %llu %llu\n", time[0], time[1], time[2]);
	}
	return 0;
}
