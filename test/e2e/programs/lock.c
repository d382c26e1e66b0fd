/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock LIBRARY MODEL SHAPE OUT_LEN WHEN MIB MEMORY: locks all memory of the process, as programs for audio and robots
 * do, before the first run (WHEN before), or after it (after). MIB: the limit on it; 0: none. Four threads run the
 * model then. Writes into the file MEMORY, in KiB: its address space, which the kernel compares with the limit, what of
 * it is locked, and what there is of mapped files named *.segment. Ends with status 77 where the limit cannot be
 * raised.
 */
#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ort.h"

enum { THREADS = 4, RUNS = 500 };

static struct model model;

/* root may lock more than its limit */
static void limit_to(rlim_t bytes)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		die("capget", strerror(errno));
	data[0].effective &= ~(1u << CAP_IPC_LOCK);
	if (setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){ bytes, bytes }))
		exit(77);
	if (syscall(SYS_capset, &header, data))
		die("capset", strerror(errno));
}

static void lock(void)
{
	puts(mlockall(MCL_CURRENT | MCL_FUTURE) ? strerror(errno) : "locked");
}

static long in_status(const char *key)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	long found = 0;

	while (fgets(line, sizeof line, status))
		if (!strncmp(line, key, strlen(key)))
			found = atol(line + strlen(key));
	fclose(status);
	return found;
}

static long in_segments(void)
{
	FILE *maps = fopen("/proc/self/smaps", "r");
	int is_segment = 0;
	char line[512];
	long sum = 0;

	while (fgets(line, sizeof line, maps)) {
		if (strchr(line, '-') && strchr(line, '-') < strchr(line, ' '))
			is_segment = strstr(line, ".segment") != NULL || strstr(line, ".new") != NULL;
		else if (is_segment && !strncmp(line, "Rss:", 4))
			sum += atol(line + 4);
	}
	fclose(maps);
	return sum;
}

static void *work(void *sum)
{
	for (int i = 0; i < RUNS; i++)
		__atomic_add_fetch((uint64_t *)sum, model_run(&model), __ATOMIC_RELAXED);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	struct ort ort;
	uint64_t sum = 0;
	FILE *memory;

	if (atol(argv[6]))
		limit_to((rlim_t)atol(argv[6]) << 20);
	ort_open(&ort, runtime_open(argv[1]));
	if (!strcmp(argv[5], "before"))
		lock();
	model_open(&model, &ort, argv[2], argv[3], (size_t)atol(argv[4]));
	sum += model_run(&model);
	if (!strcmp(argv[5], "after"))
		lock();
	for (int t = 0; t < THREADS; t++)
		if (pthread_create(&thread[t], NULL, work, &sum))
			die("pthread_create", "failed");
	for (int t = 0; t < THREADS; t++)
		pthread_join(thread[t], NULL);
	memory = fopen(argv[7], "w");
	fprintf(memory, "%ld %ld %ld\n", in_status("VmSize:"), in_status("VmLck:"), in_segments());
	fclose(memory);
	model_close(&model);
	ort_close(&ort);
	printf("%016lx\nruns %d failed 0\n", sum, THREADS * RUNS + 1);
	return 0;
}
