// SPDX-License-Identifier: Apache-2.0
/*
 * Runs a program for aarch64 by qemu, as the interpreter that the kernel starts for it (tools/try-arm64.sh). The flag P
 * of binfmt_misc gives it the program's path, then the program's own arguments from argv[0] on. QEMU and TREE are given
 * when this is compiled, statically: nothing in the environment of a program says that it is emulated.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	/* without BTI, but known to ONNX Runtime's look at processors */
	static char *const options[] = { QEMU, "-L", TREE, "-cpu", "neoverse-n1", "-0" };
	enum { N = sizeof options / sizeof *options };
	char **args = calloc((size_t)argc + N + 1, sizeof *args);

	if (argc < 3 || !args)
		return 126;
	memcpy(args, options, sizeof options);
	args[N] = argv[2];
	args[N + 1] = argv[1];
	memcpy(args + N + 2, argv + 3, (size_t)(argc - 3) * sizeof *args);
	execv(QEMU, args);
	return 127;
}
