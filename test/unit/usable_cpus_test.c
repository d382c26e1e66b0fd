// SPDX-License-Identifier: Apache-2.0
/* CPUs that a process may use, of a machine made of files. */
#include "capture/proc/usable_cpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cases.h"

static char root[64];

static void put(const char *path, const char *text)
{
	char whole[200];
	FILE *file;

	snprintf(whole, sizeof whole, "%s%s", root, path);
	for (char *at = whole + sizeof "/tmp/"; *at; at++)
		if (*at == '/') {
			*at = 0;
			mkdir(whole, 0755);
			*at = '/';
		}
	file = fopen(whole, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void expect(double n, const char *words)
{
	struct usable_cpus cpus;
	char text[120];

	usable_cpus_find(&cpus, root, 300);
	assert_true(cpus.n == n);
	usable_cpus_say(&cpus, text, sizeof text);
	assert_string_equal(text, words);
	assert_int_equal(usable_cpus_are_limited(&cpus), n < cpus.n_all);
}

static int remove_root(void **state)
{
	char command[100];

	snprintf(command, sizeof command, "rm -r %s", root);
	return system(command);
}

TEST_WITH(the_least_of_machine_affinity_and_quota_counts, NULL, remove_root)
{
	strcpy(root, "/tmp/usable_cpus.XXXXXX");
	assert_non_null(mkdtemp(root));
	expect(0, "");
	put("/proc/stat", "cpu  1 2 3\ncpu0 1\ncpu1 1\ncpu2 1\ncpu3 1\nbtime 1\n");
	expect(4, "4 CPUs");
	put("/proc/300/status", "Name:\tapp\nCpus_allowed:\tff\nCpus_allowed_list:\t0-127\n");
	expect(4, "4 CPUs");
	put("/proc/300/status", "Name:\tapp\nCpus_allowed:\t7\nCpus_allowed_list:\t0-1,3\n");
	expect(3, "3 of 4 CPUs, by its affinity");
	put("/proc/300/cgroup", "0::/pod/web\n");
	put("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
	put("/sys/fs/cgroup/pod/web/cpu.stat", "usage_usec 5\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
	put("/sys/fs/cgroup/pod/web/cpu.max", "300000 100000\n");
	expect(3, "3 of 4 CPUs, by its affinity");
	put("/sys/fs/cgroup/pod/cpu.stat", "usage_usec 5\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
	put("/sys/fs/cgroup/pod/cpu.max", "150000 100000\n");
	expect(1.5, "1.50 of 4 CPUs, by the quota of its cgroup");
}
