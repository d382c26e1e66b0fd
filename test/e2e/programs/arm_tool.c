// SPDX-License-Identifier: Apache-2.0
/* arm_tool PID START_TICKS: puts probes into the process that has both; prints how many copies of a runtime have some.
 */
#include <stdio.h>
#include <stdlib.h>

#include "capture/probe/uprobes.h"

int main(int argc, char **argv)
{
	struct uprobes_opts opts = { .has_operators = true };
	struct err err = { 0 };
	struct uprobes *uprobes = argc == 3 ? uprobes_open(&opts, &err) : NULL;
	int n = uprobes ? uprobes_arm(uprobes, (pid_t)atol(argv[1]), strtoull(argv[2], NULL, 10), NULL, &err) : -1;

	uprobes_close(uprobes);
	if (n < 0)
		fprintf(stderr, "%s\n", argc == 3 ? err.msg : "usage: arm_tool PID START_TICKS");
	else
		printf("%d\n", n);
	return n < 0 ? 3 : 0;
}
